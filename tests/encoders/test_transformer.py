"""Transformer encoders: folders, states, pooling and layers."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="encoders need the extra 'train'")

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from aspectlab.encoders import ENCODERS, load_encoder, restore_encoder
from aspectlab.encoders.transformer import TransformerEncoder, write_config
from aspectlab.errors import ConfigError, DataError, MissingPartError


@dataclass(frozen=True)
class Tokens:
    tokens: Tensor
    segments: Tensor
    mask: Tensor


def tokens_of(rows: list[list[int]]) -> Tokens:
    tokens = torch.tensor(rows)
    return Tokens(tokens, torch.zeros_like(tokens), tokens != 0)


@pytest.fixture
def tiny() -> TransformerEncoder:
    encoder = load_encoder("tiny").eval()
    assert isinstance(encoder, TransformerEncoder)
    return encoder


@pytest.fixture
def folder(tiny: TransformerEncoder, tmp_path: Path) -> Path:
    """The tiny encoder as a folder."""
    save_file(tiny.model.state_dict(), tmp_path / "model.safetensors", {"format": "pt"})
    write_config(tiny.model.config, tmp_path / "config.json")
    tiny.save_files(tmp_path)
    return tmp_path


def test_misspelt_encoder_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match=r"'tinny' is unknown: did you mean 'tiny'\?"):
        load_encoder("tinny")


def test_encoder_is_loaded_from_a_folder(tiny: TransformerEncoder, folder: Path) -> None:
    loaded = load_encoder(folder).eval()
    batch = tokens_of([[2, 8, 9, 3]])
    torch.testing.assert_close(loaded(batch), tiny(batch))
    assert loaded.name == str(folder)


@pytest.mark.parametrize("missing", ["tokenizer.json", "config.json", "model.safetensors"])
def test_folder_without_a_file_names_it(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(MissingPartError, match=rf"{missing} is missing: expected a folder with config\.json"):
        load_encoder(str(folder))


@pytest.mark.parametrize("broken", ["tokenizer.json", "config.json", "model.safetensors"])
@pytest.mark.parametrize("keep", [0.0, 0.6])
def test_folder_with_a_truncated_file_is_refused(folder: Path, broken: str, keep: float) -> None:
    content = (folder / broken).read_bytes()
    (folder / broken).write_bytes(content[: int(keep * len(content))])
    with pytest.raises(DataError, match="copy the folder again"):
        load_encoder(str(folder))


@pytest.mark.parametrize("content", ["{}", "null", "7", '["model"]', '{"model": null}', '{"model": {}}'])
def test_folder_with_another_json_for_a_tokenizer_is_refused(folder: Path, content: str) -> None:
    (folder / "tokenizer.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match="has no key 'model'"):
        load_encoder(str(folder))


def test_folder_with_the_tokenizer_of_a_larger_model_is_refused(folder: Path) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["model"]["vocab"]["soup"] = 29_000  # tiny has 141 word vectors: 5 names, 68 letters twice
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    message = r"tokenizer\.json: the token 'soup' has number 29000, and there are 141 word vectors"
    with pytest.raises(DataError, match=message):
        load_encoder(str(folder))


@pytest.mark.parametrize("change", [{"hidden_size": "wide"}, {"num_attention_heads": 5}])
def test_folder_with_a_config_of_nothing_is_refused(folder: Path, change: dict[str, object]) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(DataError, match="copy the folder again"):
        load_encoder(str(folder))


def test_folder_with_null_for_a_config_is_refused(folder: Path) -> None:
    (folder / "config.json").write_text("null", encoding="utf-8")
    with pytest.raises(DataError, match="copy the folder again"):
        load_encoder(str(folder))


def drop_weights(folder: Path, start: str) -> None:
    """Write the weights of a folder again, without those whose names start so."""
    weights = load_file(folder / "model.safetensors")
    kept = {name: value for name, value in weights.items() if not name.startswith(start)}
    save_file(kept, folder / "model.safetensors", {"format": "pt"})


def test_folder_that_lacks_weights_is_not_filled_by_chance(folder: Path) -> None:
    drop_weights(folder, "encoder.layer.1.")
    # a layer of BERT has 16 weights: 4 pairs of the attention, 2 of its sides, and 2 normalisations
    with pytest.raises(DataError, match=r"lacks 16 of the \d+ weights .* 'encoder\.layer\.1\."):
        load_encoder(str(folder))


def test_folder_without_a_pooler_has_the_same_one_every_time(folder: Path) -> None:
    drop_weights(folder, "pooler.")
    first, second = (load_encoder(str(folder)).state_dict() for _ in range(2))
    assert all(torch.equal(value, second[name]) for name, value in first.items())


def test_name_that_cannot_be_fetched_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    # the last two are set by the first; named here, they are taken back behind this test
    for name in ("ASPECTLAB_OFFLINE", "HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "1")
    with pytest.raises(MissingPartError, match=r"'nobody/nothing': neither a folder nor .*use 'minilm'"):
        load_encoder("nobody/nothing")


def test_encoder_comes_back_from_its_description(tiny: TransformerEncoder, tmp_path: Path) -> None:
    tiny.save_files(tmp_path)
    restored = restore_encoder(tiny.describe(), tmp_path)
    restored.load_state_dict(tiny.state_dict())
    batch = tokens_of([[2, 8, 9, 3]])
    torch.testing.assert_close(restored.eval()(batch), tiny(batch))


def test_encoder_states_ignore_padding(tiny: TransformerEncoder) -> None:
    alone = tiny(tokens_of([[2, 8, 9, 3]]))
    padded = tiny(tokens_of([[2, 8, 9, 3, 0, 0], [2, 7, 7, 7, 7, 3]]))
    torch.testing.assert_close(padded[:1, :4], alone, rtol=1e-5, atol=1e-5)


def test_encoder_pools_the_first_state(tiny: TransformerEncoder) -> None:
    states = tiny(tokens_of([[2, 8, 3]]))
    dense = tiny.model.pooler.dense
    torch.testing.assert_close(tiny.pool(states), torch.tanh(dense(states[:, 0])))


def test_encoder_gives_the_states_of_every_layer(tiny: TransformerEncoder) -> None:
    batch = tokens_of([[2, 8, 9, 3]])
    lower, upper = tiny.layers(batch)  # it has two layers
    torch.testing.assert_close(upper, tiny(batch))
    assert not torch.allclose(lower, upper)


def test_encoder_gives_its_layers_lowest_first(tiny: TransformerEncoder) -> None:
    groups = list(tiny.groups())
    assert [min(group) for group in groups] == [
        "model.embeddings.LayerNorm.bias",
        "model.encoder.layer.0.attention.output.LayerNorm.bias",
        "model.encoder.layer.1.attention.output.LayerNorm.bias",
        "model.pooler.dense.bias",
    ]
    assert sum(map(len, groups)) == len(list(tiny.parameters()))


def test_tiny_encoder_is_the_same_every_time(tiny: TransformerEncoder) -> None:
    torch.manual_seed(99)
    again = load_encoder("tiny")
    assert all(torch.equal(a, b) for a, b in zip(tiny.parameters(), again.parameters(), strict=True))


def test_encoder_table_can_be_read_without_torch() -> None:
    program = "import sys; from aspectlab.encoders import ENCODERS; print('torch' in sys.modules, *ENCODERS)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", *ENCODERS]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "width"), [("minilm", 384), ("vectors:glove50", 50)])
def test_embedded_encoder_loads(name: str, width: int) -> None:
    # widths as their publishers state them
    try:
        assert load_encoder(name).width == width
    except MissingPartError as error:
        pytest.skip(str(error))
