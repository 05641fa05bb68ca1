"""LoRA: only what was added learns, it is saved and read again, and merging changes no state."""

import copy
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="encoders need the extra 'train'")

import torch

from aspectlab.encoders import Encoder, TokenInput, identify_encoder, load_encoder, merge_lora
from aspectlab.encoders.lora import LoRALinear
from aspectlab.errors import ConfigError, DataError
from aspectlab.models import Plan, build_model
from aspectlab.training import export_model, fit, load_model, predict, save_model
from aspectlab.training.step import seed_everything
from tests.support.families import save_folder
from tests.support.training import make_examples

BATCH = TokenInput(
    torch.tensor([[2, 8, 9, 3], [2, 7, 3, 0]]),
    torch.zeros(2, 4, dtype=torch.int64),
    torch.tensor([[True] * 4, [True, True, True, False]]),
)
PLAN = Plan(epochs=2, batch_size=8, learning_rate=1e-2, precision="fp32")


def open_adapted(family: str, folder: Path, rank: int = 2) -> Encoder:
    opened = ",attention=bidirectional" if family == "gpt2" else ""
    return load_encoder(f"{save_folder(family, folder)}{opened},lora={rank}").eval()


def disturb(encoder: Encoder) -> None:
    """Fill in what begins as zero, as a training does."""
    torch.manual_seed(5)
    for module in encoder.modules():
        if isinstance(module, LoRALinear):
            torch.nn.init.normal_(module.up)


def test_rank_decides_what_is_trained() -> None:
    encoder = load_encoder("tiny,lora=3")
    learnt = {name: p.numel() for name, p in encoder.named_parameters() if p.requires_grad}
    # two layers of 32: four square matrices, and two between 32 and 64; three numbers for each side
    assert sum(learnt.values()) == 2 * 3 * (4 * (32 + 32) + 2 * (32 + 64))
    assert all(name.endswith((".down", ".up")) for name in learnt)


@torch.no_grad()
def test_untrained_lora_changes_no_state() -> None:
    plain, adapted = load_encoder("tiny").eval(), load_encoder("tiny,lora=3").eval()
    torch.testing.assert_close(adapted(BATCH), plain(BATCH), rtol=0, atol=0)


@pytest.mark.parametrize(
    "family",
    ["bert", "distilbert", "deberta", "deberta-v3", "modernbert", "longformer", "t5", "bart", "gpt2"],
)
@torch.no_grad()
def test_merged_lora_gives_the_same_states(family: str, tmp_path: Path) -> None:
    encoder = open_adapted(family, tmp_path)
    before = encoder(BATCH)
    disturb(encoder)
    expected = encoder(BATCH)
    names = set(load_encoder(encoder.name.removesuffix(",lora=2")).state_dict())
    merge_lora(encoder)
    assert not torch.allclose(before, expected, atol=1e-3)
    torch.testing.assert_close(encoder(BATCH)[BATCH.mask], expected[BATCH.mask], rtol=1e-4, atol=1e-5)
    assert set(encoder.state_dict()) == names


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_trained_lora_is_saved_read_and_frozen_elsewhere(family: str, tmp_path: Path) -> None:
    encoder = open_adapted(family, tmp_path / "encoder")
    frozen = copy.deepcopy({name: p for name, p in encoder.named_parameters() if not p.requires_grad})
    seed_everything(1)
    model = build_model("marked", encoder)
    train, dev = make_examples("Today"), make_examples("Now")
    fit(model, train, dev, plan=PLAN, seed=1, device="cpu")
    assert all(
        torch.equal(value, frozen[name]) for name, value in encoder.named_parameters() if name in frozen
    )
    assert any(module.up.any() for module in encoder.modules() if isinstance(module, LoRALinear))
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert predict(loaded, dev) == predict(model, dev)
    assert loaded.encoder.lora == 2


def test_seed_decides_what_lora_begins_with() -> None:
    drawn = []
    for seed in (1, 1, 2):
        torch.rand(3)
        encoder = load_encoder("tiny,lora=3")
        seed_everything(seed)
        build_model("marked", encoder)
        drawn.append(next(module for module in encoder.modules() if isinstance(module, LoRALinear)).down)
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])


def test_export_holds_merged_weights(tmp_path: Path) -> None:
    pytest.importorskip("openvino")
    seed_everything(1)
    model = build_model("stage", load_encoder("tiny,lora=3"))
    disturb(model.encoder)
    save_model(model, tmp_path / "model")
    parity = export_model(tmp_path / "model", tmp_path / "exported", precision="fp32")
    assert parity.equal == 1.0
    assert "lora" not in (tmp_path / "exported" / "config.json").read_text("utf-8").replace("tiny,lora=3", "")


def test_encoder_with_lora_is_another_encoder_in_a_study() -> None:
    assert identify_encoder("tiny,lora=3") == "tiny,lora=3"
    assert identify_encoder("tiny") == "tiny"


@pytest.mark.parametrize("rank", ["0", "x", "-1", "5000"])
def test_rank_that_is_none_is_refused(rank: str) -> None:
    with pytest.raises(ConfigError, match="expected a rank from 1 to 1024"):
        load_encoder(f"tiny,lora={rank}")


def test_word_vectors_have_nothing_to_adapt(tmp_path: Path) -> None:
    (tmp_path / "words.vec").write_text("soup 0.1 0.2\nbread 0.3 0.4\n", "utf-8")
    with pytest.raises(ConfigError, match="it has no linear layers"):
        load_encoder(f"vectors:{tmp_path / 'words.vec'},lora=3")


def test_saved_rank_of_nonsense_is_refused(tmp_path: Path) -> None:
    from aspectlab.encoders import restore_encoder

    encoder = load_encoder("tiny")
    encoder.save_files(tmp_path)
    with pytest.raises(DataError, match="lora = 'many' is no rank"):
        restore_encoder({**encoder.describe(), "lora": "many"}, tmp_path)
