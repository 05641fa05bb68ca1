"""A kind of encoder is one file, as below, and one line in the table of kinds."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest

pytest.importorskip("torch", reason="encoders need the extra 'train'")

import torch
from torch import Tensor, nn

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encoders import (
    ENCODERS,
    Encoder,
    EncoderKind,
    find_encoder_problem,
    identify_encoder,
    list_encoders,
    load_encoder,
)
from aspectlab.encoders.encoder import TokenBatch
from aspectlab.encodings import WordList
from aspectlab.errors import ConfigError, DataError
from aspectlab.models import Plan, build_model
from aspectlab.training import fit, load_model, predict, save_model

WORDS = ["the", "soup", "was", "lovely", "our", "waiter", "rude"]


class LearntWords(Encoder):
    """Word vectors that are drawn at random and learnt."""

    def __init__(self, name: str, width: int) -> None:
        super().__init__()
        self.name, self.width = name, width
        self.vocabulary = WordList({word: number for number, word in enumerate(WORDS, start=2)})
        self.table = nn.Embedding(len(WORDS) + 2, width, padding_idx=0)

    def forward(self, batch: TokenBatch) -> Tensor:
        states = self.table(batch.tokens)
        assert isinstance(states, Tensor)
        return states

    def pool(self, states: Tensor) -> Tensor:
        return states.mean(1)

    def describe(self) -> dict[str, object]:
        return {"kind": "learnt", "name": self.name, "width": self.width}

    def save_files(self, folder: Path) -> None:
        pass

    def input_vectors(self) -> Tensor:
        return self.table.weight


class LearntKind(EncoderKind):
    """Learnt vectors, named by their width."""

    names: ClassVar[Mapping[str, str]] = {"learnt:WIDTH": "random vectors of this width, to be learnt"}

    def claims(self, name: str) -> bool:
        return name.startswith("learnt:")

    def identify(self, name: str) -> str:
        return name

    def load(self, name: str) -> Encoder:
        torch.manual_seed(0)
        return LearntWords(name, int(name.removeprefix("learnt:")))

    def restore(self, description: Mapping[str, object], folder: Path) -> Encoder:
        return LearntWords(str(description["name"]), int(str(description["width"])))


def example(name: str, text: str, term: str, polarity: Polarity) -> Example:
    start = text.index(term)
    return Example(name, text, (Quad(Term(term, Span(start, start + len(term))), polarity=polarity),))


TRAIN = [
    example("1", "the soup was lovely", "soup", Polarity.POSITIVE),
    example("2", "our waiter was rude", "waiter", Polarity.NEGATIVE),
]
DEV = [example("3", "lovely was the soup", "soup", Polarity.POSITIVE)]


@pytest.fixture
def learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ENCODERS, "_targets", dict(ENCODERS._targets))
    ENCODERS.add("learnt", f"{__name__}:LearntKind")


@pytest.mark.usefixtures("learnt")
def test_added_kind_is_trained_by_name_and_saved(tmp_path: Path) -> None:
    model = build_model("td-lstm", load_encoder("learnt:12"), {"hidden": 8})
    fit(model, TRAIN, DEV, plan=Plan(epochs=2), seed=1, device="cpu")
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert isinstance(loaded.encoder, LearntWords)
    assert predict(loaded, DEV) == predict(model, DEV)


@pytest.mark.usefixtures("learnt")
def test_added_kind_is_taught_to_write() -> None:
    model = build_model("gas", load_encoder("learnt:12"), {"layers": 1, "max_length": 8})
    assert len(predict(model, DEV)) == 1


@pytest.mark.usefixtures("learnt")
def test_added_kind_is_listed_and_known_to_studies() -> None:
    names = [*list_encoders()]
    assert names.index("learnt:WIDTH") < names.index("FOLDER")
    assert identify_encoder.__wrapped__("learnt:12") == "learnt:12"
    assert find_encoder_problem("learnt:12") is None


def test_kind_that_is_not_in_the_table_is_no_name() -> None:
    with pytest.raises(ConfigError, match="encoder 'tinny' is unknown: did you mean 'tiny'"):
        load_encoder("tinny")


@pytest.mark.usefixtures("learnt")
def test_model_of_a_kind_that_is_gone_is_refused(tmp_path: Path) -> None:
    settings = {"hidden": 8}
    model = build_model("td-lstm", load_encoder("learnt:12"), settings)
    save_model(model, tmp_path / "model")
    del ENCODERS._targets["learnt"]
    with pytest.raises(DataError, match="found an encoder of kind 'learnt': expected one of transformer"):
        load_model(tmp_path / "model")


def test_kinds_are_listed_without_torch() -> None:
    program = "import sys; from aspectlab.encoders import list_encoders; assert 'tiny' in list_encoders(); "
    program += "assert not {'torch', 'transformers'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("kind", ENCODERS)
def test_kind_restores_what_it_describes(kind: str) -> None:
    assert ENCODERS[kind].restore is not EncoderKind.restore
    assert ENCODERS[kind].load is not EncoderKind.load
