"""Families of transformers: each gives the states that its library gives, or is refused with a reason."""

import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="encoders need the extra 'train'")

import torch
from torch import Tensor

from aspectlab import Corpus, fit, load_model, read
from aspectlab.encoders import Encoder, TokenInput, load_encoder
from aspectlab.encoders.families import FAMILIES
from aspectlab.errors import ConfigError
from tests.support.families import SIZE, build_model, save_folder

READERS = [
    *("bert", "roberta", "xlm-roberta", "camembert", "electra", "albert", "distilbert", "mpnet", "deberta"),
    *("deberta-v2", "deberta-v3", "modernbert", "longformer", "xlnet", "roformer", "t5", "mt5", "bart"),
]
CAUSAL = ["gpt2", "llama", "qwen2", "qwen3"]

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "encoders.md"

LENGTH = 200
"""Tokens of the longest text: far beyond the windows of 16 that ModernBERT and Longformer have here."""


DEEP = [
    "bert",
    "distilbert",
    "electra",
    "modernbert",
    "xlnet",
    "deberta-v3",
    "roformer",
    "t5",
    "bart",
    "gpt2",
]
"""Families of each way to name the layers; all have two here."""


def open_family(family: str, folder: Path, options: str = "") -> Encoder:
    return load_encoder(f"{save_folder(family, folder)}{options}").eval()


def batch_of(*lengths: int, pad: int = 0) -> TokenInput:
    """Random texts of these lengths, padded to the longest; the second half of each is a second segment."""
    draw = torch.Generator().manual_seed(1)
    longest = max(lengths)
    tokens = torch.randint(5, SIZE - 80, (len(lengths), longest), generator=draw)
    mask = torch.arange(longest)[None] < torch.tensor(lengths)[:, None]
    segments = (torch.arange(longest)[None] >= torch.tensor(lengths)[:, None] // 2).long() * mask
    return TokenInput(torch.where(mask, tokens, pad), segments, mask)


def library_states(family: str, batch: TokenInput) -> Tensor:
    """What transformers itself gives, with its own mask and its own positions."""
    model = build_model(family)
    inputs = {"input_ids": batch.tokens, "attention_mask": batch.mask.long()}
    if getattr(model.config, "type_vocab_size", 0) > 1 or family == "xlnet":
        inputs["token_type_ids"] = batch.segments
    reader = model.get_encoder() if model.config.is_encoder_decoder else model
    return reader(**inputs).last_hidden_state


@pytest.mark.parametrize("family", READERS)
@torch.no_grad()
def test_states_are_those_of_the_library(family: str, tmp_path: Path) -> None:
    encoder = open_family(family, tmp_path)
    batch = batch_of(LENGTH, 37, 9, pad=encoder.vocabulary.pad)
    difference = (encoder(batch) - library_states(family, batch))[batch.mask].abs().max()
    assert difference < 1e-5


@pytest.mark.parametrize("family", READERS)
@torch.no_grad()
def test_states_ignore_padding_and_batch_mates(family: str, tmp_path: Path) -> None:
    encoder = open_family(family, tmp_path)
    batch = batch_of(LENGTH, 37, pad=encoder.vocabulary.pad)
    alone = encoder(TokenInput(*(part[1:, :37] for part in batch)))
    torch.testing.assert_close(encoder(batch)[1:, :37], alone, rtol=0, atol=1e-5)


@pytest.mark.parametrize("family", READERS)
@torch.no_grad()
def test_last_of_the_layers_is_the_state(family: str, tmp_path: Path) -> None:
    encoder = open_family(family, tmp_path)
    batch = batch_of(37, 9, pad=encoder.vocabulary.pad)
    torch.testing.assert_close(encoder.layers(batch)[-1], encoder(batch))


@pytest.mark.parametrize("family", CAUSAL)
def test_causal_model_is_refused_with_a_remedy(family: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=rf"found a causal model \({family}\).*,attention=bidirectional"):
        open_family(family, tmp_path)


@pytest.mark.parametrize("family", CAUSAL)
@torch.no_grad()
def test_opened_causal_model_gives_what_the_library_gives_without_its_causal_mask(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import import_module

    from transformers.masking_utils import create_bidirectional_mask

    encoder = open_family(family, tmp_path, ",attention=bidirectional")
    batch = batch_of(LENGTH, 37)
    found = encoder(batch)
    library = import_module(f"transformers.models.{family}.modeling_{family}")

    def see_everything(position_ids: Tensor | None = None, **inputs: object) -> Tensor:
        return create_bidirectional_mask(**inputs)

    for name in ("create_causal_mask", "create_sliding_window_causal_mask"):
        monkeypatch.setattr(library, name, see_everything, raising=False)
    expected = library_states(family, batch)
    assert (found - expected)[batch.mask].abs().max() < 1e-5


@pytest.mark.parametrize(
    ("family", "reason"),
    [("fnet", "depend on the padding"), ("convbert", "depend on the padding"), ("mamba", "causal model")],
)
def test_family_that_cannot_be_used_says_why(family: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=reason):
        open_family(family, tmp_path)


@pytest.mark.parametrize("family", ["mamba", "bloom"])
def test_causal_model_that_stays_so_is_refused(family: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=rf"the family '{family}' is not supported: .*use 'minilm'"):
        open_family(family, tmp_path, ",attention=bidirectional")


def test_opened_causal_model_separates_two_segments(tmp_path: Path) -> None:
    vocabulary = open_family("gpt2", tmp_path, ",attention=bidirectional").vocabulary
    # its own vocabulary frames nothing; token 1 ends a text
    assert (vocabulary.first, vocabulary.between, vocabulary.last) == ((), (1,), (1,))


def test_option_for_a_model_that_reads_both_ways_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="reads both ways by itself"):
        open_family("bert", tmp_path, ",attention=bidirectional")


def test_decoder_of_a_known_family_is_causal(tmp_path: Path) -> None:
    folder = save_folder("bert", tmp_path)
    config = (folder / "config.json").read_text("utf-8")
    (folder / "config.json").write_text(config.replace('"is_decoder": false', '"is_decoder": true'), "utf-8")
    with pytest.raises(ConfigError, match=r"found a causal model \(bert\)"):
        load_encoder(str(folder))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tiny,attention=both", "expected 'bidirectional'"),
        ("tiny,atention=bidirectional", "did you mean 'attention'"),
        ("vectors:x,attention=bidirectional", "no file 'x'|reads both ways"),
    ],
)
def test_option_that_is_none_is_refused(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_encoder(name)


def test_longest_text_of_a_family_that_counts_from_the_padding_fits(tmp_path: Path) -> None:
    encoder = open_family("longformer", tmp_path)
    # 514 positions, of which the first is that of padding and the one before it is unused
    assert encoder.vocabulary.max_length == 512
    assert encoder(batch_of(512, pad=1)).shape == (1, 512, 32)


@pytest.mark.parametrize("family", DEEP)
def test_lower_layers_are_told_from_higher_ones(family: str, tmp_path: Path) -> None:
    encoder = open_family(family, tmp_path, ",attention=bidirectional" if family == "gpt2" else "")
    groups = list(encoder.groups())
    names = [name for group in groups for name in group]
    assert sorted(names) == sorted(name for name, _ in encoder.named_parameters())
    vectors = encoder.input_vectors()
    assert any(parameter is vectors for parameter in groups[0].values())
    lower, upper = groups[1:3]
    # the first layer of some has parts that the others lack, and the other way round never
    alike = {name.replace(".1.", ".0.", 1) for name in upper if ".1." in name}
    assert len(alike) > 4
    assert len(alike & set(lower)) >= len(alike) - 1


def test_layers_of_albert_are_one(tmp_path: Path) -> None:
    assert len(list(open_family("albert", tmp_path).groups())) == 1


def test_first_deberta_is_computed_in_float32(tmp_path: Path) -> None:
    encoder = open_family("deberta", tmp_path)
    batch = batch_of(9, 5)
    expected = encoder(batch)
    with torch.autocast("cpu", torch.bfloat16):  # its library hides tokens with a number beyond bfloat16
        torch.testing.assert_close(encoder(batch), expected, rtol=0, atol=0)


def read_verbatim(part: str) -> Corpus:
    """The examples of a sample whose terms all stand in the text: `stage` finds no others."""
    return read(EXAMPLES / f"sample_{part}.jsonl").filter(
        lambda example: all(
            term and term.span for quad in example.quads for term in (quad.aspect, quad.opinion)
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["marked", "stage"])
@pytest.mark.parametrize("family", [*READERS, *CAUSAL])
def test_model_on_a_family_is_trained_saved_and_read_again(family: str, name: str, tmp_path: Path) -> None:
    opened = ",attention=bidirectional" if family in CAUSAL else ""
    encoder = f"{save_folder(family, tmp_path / 'encoder')}{opened}"
    train, dev, test = (read_verbatim(part) for part in ("train", "dev", "test"))
    fitted = fit(name, train, dev, encoder=encoder, epochs=2, learning_rate=1e-3, device="cpu", seed=1)
    assert [epoch.number for epoch in fitted.history] == [0, 1]
    assert fitted.history[1].loss < fitted.history[0].loss
    fitted.model.save(tmp_path / "model")
    assert load_model(tmp_path / "model").predict(test).examples == fitted.model.predict(test).examples


def test_page_has_a_row_for_every_family() -> None:
    cells = [line.split("|")[1] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    named = {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    assert {*FAMILIES, "t5", "mt5", "bart", *CAUSAL} <= named


@pytest.mark.parametrize(
    ("family", "options"), [("llama", ""), ("fnet", ""), ("bloom", ",attention=bidirectional")]
)
def test_page_shows_what_a_refusal_says(family: str, options: str, tmp_path: Path) -> None:
    folder = save_folder(family, tmp_path)
    with pytest.raises(ConfigError) as refused:
        load_encoder(f"{folder}{options}")
    said = " ".join(str(refused.value).replace(str(folder), "FOLDER").split())
    assert said in " ".join(PAGE.read_text("utf-8").split())
