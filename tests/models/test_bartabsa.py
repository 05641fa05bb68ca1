"""BART-ABSA: the scores of pointers, word by word."""

from collections.abc import Callable

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.encodings.grammar import END
from aspectlab.encodings.text2text import WrittenBatch
from aspectlab.models import Model
from aspectlab.models.bartabsa import BARTABSA, SYMBOLS
from tests.support.generation import written_batch

COUNT = len(SYMBOLS)


@pytest.fixture
def model(build_tiny: Callable[[str], Model]) -> BARTABSA:
    built = build_tiny("bart-absa").eval()
    assert isinstance(built, BARTABSA)
    return built


def plain_scores(model: BARTABSA, batch: WrittenBatch[Tensor], row: int) -> Tensor:
    """Every step from the formulas of the paper, with words in the place of sub-words, [Y, C]."""
    states, table = model.encoder(batch), model.encoder.input_vectors()
    words = range(int(batch.words[row].max()) + 1)
    tokens = [(batch.words[row] == word).nonzero().flatten() for word in words]
    vectors = torch.stack([table[batch.tokens[row, places].long()].mean(0) for places in tokens])
    pooled = torch.stack([states[row, places].mean(0) for places in tokens])
    read = torch.cat([model.writer.given, vectors])
    inputs = torch.stack([model.writer.given[1], *read[batch.labels[row, :-1].long()]])
    pen = model.writer.decoder.start(states[row : row + 1], batch.mask[row : row + 1])
    hidden = pen.advance(inputs[None])[0]
    sought = torch.cat([model.writer.sought, (model.writer.key(pooled) + vectors) / 2])
    return hidden @ sought.T


@pytest.mark.parametrize("row", [0, 2, 7])
def test_bartabsa_equals_the_plain_formula(model: BARTABSA, eight: list[Example], row: int) -> None:
    batch = written_batch(model, eight)
    with torch.no_grad():
        expected, found = plain_scores(model, batch, row), model(batch)[row]
    size = expected.shape[1]
    torch.testing.assert_close(found[:, END:size], expected[:, END:], rtol=1e-4, atol=1e-5)
    assert (found[:, size:] == -1e4).all()  # words that the text does not have


def test_bartabsa_loss_is_the_mean_over_the_numbers_of_a_text(
    model: BARTABSA, eight: list[Example], torn: Example
) -> None:
    batch = written_batch(model, [eight[0], torn])
    with torch.no_grad():
        scores = model(batch)
        losses = -scores.log_softmax(-1).gather(2, batch.labels.long()[..., None])[..., 0]
    # five numbers and the end, and ten and the end
    expected = (losses[0, :6].mean() + losses[1, :11].mean()) / 2
    torch.testing.assert_close(model.loss(scores, batch), expected)


def test_bartabsa_writes_no_more_than_its_length(model: BARTABSA, eight: list[Example]) -> None:
    model.max_length = 12
    with torch.no_grad():
        model.writer.sought[END] = 0.0
        assert model.answer(written_batch(model, eight)).shape[1] <= 12
