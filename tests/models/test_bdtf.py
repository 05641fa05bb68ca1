"""BDTF: its table and its loss against plain loops, its candidates by hand."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor
from torch.nn.functional import gelu

from aspectlab.encodings import WordList
from aspectlab.encodings.grid import GridEncoding
from aspectlab.models.bdtf import BDTF, BoundaryCodec, Candidates, pair_corners, true_classes
from aspectlab.nn.words import pair_mask, unpack_bits
from aspectlab.readers import read
from aspectlab.training.dataset import to_tensors
from tests.support.grid_models import GIVEN, WORDS
from tests.support.word_models import assert_close, batch_of, word_encoder


@pytest.fixture
def model() -> BDTF:
    torch.manual_seed(0)
    return BDTF(word_encoder(), 3, width=5, products=3, blocks=0).eval()


def plain_table(model: BDTF, words: Tensor) -> Tensor:
    """Section 3 of the paper, cell by cell, [W, H] -> [W, W, D]."""
    cells = []
    for i in range(len(words)):
        for j in range(len(words)):
            middle = words[min(i, j) : max(i, j) + 1].amax(0)
            products = torch.stack([words[i] @ matrix @ words[j] for matrix in model.multiply.matrices])
            cells.append(gelu(model.join.join(torch.cat([words[i], words[j], middle, products]))))
    return torch.stack(cells).view(len(words), len(words), -1)


@pytest.mark.parametrize("length", [WORDS, 12])
def test_bdtf_table_equals_a_plain_loop(model: BDTF, length: int) -> None:
    batch = batch_of(model, GIVEN, length=length)
    words = model.encoder(batch)[0, :WORDS]
    table = model(batch)[0]
    assert_close(table[:WORDS, :WORDS], plain_table(model, words))
    assert table[WORDS:].abs().sum() == table[:, WORDS:].abs().sum() == 0


def test_bdtf_loss_equals_a_plain_loop(model: BDTF) -> None:
    batch = batch_of(model, GIVEN, length=9)
    table = plain_table(model, model.encoder(batch)[0, :WORDS])
    scores = model.find(table)  # [W, W, 2]
    cells = [(row, column) for row in range(WORDS) for column in range(WORDS)]
    marks = [{(1, 5)}, {(2, 6)}]
    wrong = [
        -(scores[cell][kind] if cell in marks[kind] else -scores[cell][kind]).sigmoid().log()
        for cell in cells
        for kind in (0, 1)
    ]
    # three tenths of seven words would be two: five corners is the least
    firsts, lasts = (sorted(cells, key=lambda c: -scores[c][kind].item())[:5] for kind in (0, 1))
    judged = []
    for first in firsts:
        for last in lasts:
            if first[0] <= last[0] and first[1] <= last[1]:
                inside = table[first[0] : last[0] + 1, first[1] : last[1] + 1].amax((0, 1))
                classes = model.classify(torch.cat([table[first], table[last], inside]))
                judged.append(-classes.log_softmax(-1)[3 if (first, last) == ((1, 5), (2, 6)) else 0])
    expected = torch.stack(wrong).sum() / len(cells) + torch.stack(judged).mean()
    assert_close(model.loss(model(batch), batch), expected)


def pairs_of(size: int, words: int) -> Tensor:
    mask = (torch.arange(size) < words)[None]
    return mask[:, :, None] & mask[:, None, :]


@pytest.mark.parametrize(
    ("size", "words", "most", "expected"),
    [
        (4, 1, 40, 1),
        (4, 2, 40, 4),
        (24, 12, 40, 5),
        (24, 20, 40, 6),
        (24, 24, 40, 7),
        (24, 24, 6, 6),
        (3, 0, 40, 0),
    ],
)
def test_bdtf_number_of_corners_hangs_on_the_text(size: int, words: int, most: int, expected: int) -> None:
    # three tenths of the words, but at least 5, at most the number of pairs, and at most `most`
    edges = torch.rand(1, size, size, 1, generator=torch.Generator().manual_seed(1)).expand(-1, -1, -1, 2)
    found = pair_corners(edges, pairs_of(size, words), share=0.3, most=most)
    # first and last corners are the same here: each makes a rectangle with itself
    assert ((found.first == found.last).all(-1) & found.valid).sum() == expected


def test_bdtf_pairs_a_corner_with_none_before_it() -> None:
    edges = torch.zeros(1, 2, 2, 2)
    found = pair_corners(edges, pairs_of(2, 2), share=0.3, most=40)
    rectangles = {
        (*first, *last)
        for first, last in zip(
            found.first[found.valid].tolist(), found.last[found.valid].tolist(), strict=True
        )
    }
    # of the sixteen pairs of four cells, nine have both rows and columns in order
    assert rectangles == {(r, c, e, f) for r in (0, 1) for c in (0, 1) for e in (r, 1) for f in (c, 1)}
    assert len(rectangles) == found.valid.sum() == 9


def test_bdtf_candidate_has_the_class_of_the_gold_rectangle_that_it_is() -> None:
    quads = torch.tensor([[[1, 2, 5, 6, 3], [4, 4, 0, 0, 1], [-1, -1, -1, -1, 0]]])
    first = torch.tensor([[[1, 5], [1, 5], [4, 0], [2, 6]]])
    last = torch.tensor([[[2, 6], [2, 5], [4, 0], [2, 6]]])
    candidates = Candidates(first, last, torch.ones(1, 4, dtype=torch.bool))
    assert true_classes(candidates, quads).tolist() == [[3, 0, 1, 0]]


@pytest.mark.parametrize("length", [WORDS, 30])
def test_bdtf_answer_ignores_padding(model: BDTF, length: int) -> None:
    answer = model.answer(batch_of(model, GIVEN, length=length))[0].detach()
    shortest = model.answer(batch_of(model, GIVEN))[0].detach()
    assert_close(answer[answer[:, 4].isfinite()], shortest[shortest[:, 4].isfinite()])


# as the ceiling of the scheme, but only with as many corners as the rule keeps: one text of 14res has more
@pytest.mark.parametrize(
    ("name", "ceiling"), [("14lap", 100.0), ("14res", 99.95), ("15res", 100.0), ("16res", 100.0)]
)
def test_bdtf_corners_hold_nearly_all_triplets(name: str, ceiling: float, real_data: Path) -> None:
    corpus = read(real_data / "aste" / "ASTE-Data-V2-EMNLP2020" / name / "test_triplets.txt")
    encoding = GridEncoding(WordList({}), BoundaryCodec())
    batch = to_tensors(encoding.collate(encoding.encode(corpus.examples)), torch.device("cpu"))
    candidates = pair_corners(unpack_bits(batch.labels, 2), pair_mask(batch.words), share=0.3, most=40)
    hit = int(((true_classes(candidates, batch.quads) > 0) & candidates.valid).sum())
    gold = int((batch.quads[..., 4] > 0).sum())
    assert round(100 * 2 * hit / (hit + gold), 2) == ceiling
