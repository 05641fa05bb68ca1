"""BART-ABSA with beams: what it writes, against all that there is to write."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.encodings.base import POLARITIES
from aspectlab.encodings.grammar import END, symbol_of
from aspectlab.encodings.text2text import WrittenBatch
from aspectlab.models import Model
from aspectlab.models.bartabsa import BARTABSA, SYMBOLS
from tests.support.generation import written_batch

FIRST = len(SYMBOLS)
LIMIT = 6


@pytest.fixture
def model(build_tiny: Callable[[str], Model]) -> BARTABSA:
    built = build_tiny("bart-absa").eval()
    assert isinstance(built, BARTABSA)
    # the scores of an untrained model are nearly alike, and the best way would hang on its length alone
    with torch.no_grad():
        built.writer.sought.mul_(20)
    return built


def allowed(before: list[int], words: int) -> list[int]:
    """What may follow: first words, last words not before them, a polarity; an end before a triplet."""
    place = len(before) % 5
    if place == 4:
        return [symbol_of(polarity) for polarity in POLARITIES]
    first = before[-1] if place in (1, 3) else FIRST
    return [*([END] if place == 0 else []), *range(first, FIRST + words)]


def ways(words: int, before: list[int]) -> Iterator[list[int]]:
    """All that can be written, up to its end or to the limit."""
    for number in allowed(before, words):
        way = [*before, number]
        if number == END or len(way) == LIMIT:
            yield way
        else:
            yield from ways(words, way)


def mean_log_probability(model: BARTABSA, batch: WrittenBatch[Tensor], way: list[int], words: int) -> float:
    with torch.no_grad():
        scores = model(replace(batch, labels=torch.tensor([way])))[0]  # [Y, C]
    total = 0.0
    for step, number in enumerate(way):
        choices = allowed(way[:step], words)
        total += float(scores[step, choices].log_softmax(0)[choices.index(number)])
    return total / len(way)


@pytest.mark.parametrize("text", ["Soup", "Lovely soup"])
def test_bartabsa_with_beams_for_all_ways_finds_the_best_one(model: BARTABSA, text: str) -> None:
    # every way is scored on its own by the loss's own scores: the best mean is looked up in the whole list
    batch = written_batch(model, [Example("1", text, ())])
    words = len(text.split())
    model.beams, model.max_length = 100, LIMIT
    with torch.no_grad():
        found = model.answer(batch)[0].tolist()
    every = [*ways(words, [])]
    best = max(every, key=lambda way: mean_log_probability(model, batch, way, words))
    assert found[: len(best)] == best
    assert not any(found[len(best) :])


@pytest.mark.parametrize("beams", [2, 4])
def test_bartabsa_beams_do_not_hang_on_batch_mates(
    model: BARTABSA, eight: list[Example], torn: Example, beams: int
) -> None:
    model.beams = beams
    together = [*eight, torn]
    with torch.no_grad():
        joint = model.encoding.decode(
            model.answer(written_batch(model, together)).numpy(), model.encoding.encode(together), together
        )
        alone = [
            model.encoding.decode(
                model.answer(written_batch(model, [example])).numpy(),
                model.encoding.encode([example]),
                [example],
            )[0]
            for example in together
        ]
    assert joint == alone


def test_bartabsa_beams_write_nothing_about_no_words(model: BARTABSA) -> None:
    with torch.no_grad():
        found = model.answer(written_batch(model, [Example("1", " ", ())]))[0]
    assert found[0] == END
    assert not found[1:].any()


def test_bartabsa_searches_with_the_four_beams_of_the_paper(model: BARTABSA) -> None:
    assert model.beams == 4
