"""Word tables: cells painted by hand, terms and votes read off them, and what the scheme can hold."""

from pathlib import Path

import numpy as np
import pytest

from aspectlab.encodings import WordList
from aspectlab.encodings.base import WordSpan
from aspectlab.encodings.grid import GridEncoding, WordTriplet
from aspectlab.metrics import METRICS
from aspectlab.models.emcgcn import ASPECT, CLASSES, OPINION, WordTable, read_terms
from aspectlab.readers import read
from aspectlab.tasks import TASKS

TABLE = WordTable()
NEG, NEU, POS = 7, 8, 9


def painted(triplets: list[WordTriplet], size: int) -> np.ndarray:
    labels = np.zeros((size, size), int)
    for cell, kind in TABLE.paint(triplets).items():
        labels[cell] = kind
    return labels


def read_labels(labels: np.ndarray) -> list[WordTriplet]:
    scores = np.eye(CLASSES, dtype=np.float32)[labels] * 10
    return [triplet for triplet, _ in TABLE.read(scores, len(labels))]


def test_table_equals_one_painted_by_hand() -> None:
    # words 0 and 1 are an aspect, word 2 is nothing, words 3 to 5 are its opinion, negative
    found = painted([WordTriplet((0, 1), (3, 5), 0)], 6)
    assert np.triu(found).tolist() == [
        [1, 3, 0, NEG, NEG, NEG],
        [0, 2, 0, NEG, NEG, NEG],
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 4, 6, 6],
        [0, 0, 0, 0, 5, 6],
        [0, 0, 0, 0, 0, 5],
    ]
    assert (found == found.T).all()


def test_later_triplet_overwrites_an_earlier_one() -> None:
    found = painted([WordTriplet((0, 1), (2, 2), 2), WordTriplet((1, 1), (2, 2), 0)], 3)
    assert np.triu(found).tolist() == [[1, 3, POS], [0, 1, NEG], [0, 0, 4]]


@pytest.mark.parametrize(
    ("aspect", "opinion"), [((0, 1), (3, 5)), ((3, 5), (0, 1)), ((2, 2), (1, 1)), ((0, 0), (5, 5))]
)
@pytest.mark.parametrize("polarity", [0, 1, 2])
def test_triplet_survives_the_scheme(aspect: WordSpan, opinion: WordSpan, polarity: int) -> None:
    given = [WordTriplet(aspect, opinion, polarity)]
    assert read_labels(painted(given, 6)) == given


@pytest.mark.parametrize(
    ("diagonal", "kind", "expected"),
    [
        ([1, 2, 2, 0], ASPECT, [(0, 2)]),
        ([0, 2, 1, 2], ASPECT, [(2, 3)]),  # what continues nothing is dropped
        ([1, 0, 2, 1], ASPECT, [(0, 0), (3, 3)]),
        ([1, 1, 5, 2], ASPECT, [(0, 0), (1, 1)]),  # a word of the other kind closes
        ([4, 5, 1, 5], OPINION, [(0, 1)]),
        ([3, 6, 7, 0], ASPECT, []),
        ([], ASPECT, []),
    ],
)
def test_terms_are_read_off_the_diagonal(diagonal: list[int], kind: int, expected: list[WordSpan]) -> None:
    assert read_terms(diagonal, kind) == expected


@pytest.mark.parametrize(
    ("cells", "polarity"),
    [
        ([NEG, NEG, POS], 0),
        ([NEG, POS, 0], 2),  # of equals positive comes before neutral before negative
        ([NEG, NEU, 0], 1),
        ([NEG, NEU, POS], 2),
        ([0, 3, NEG], 0),  # one vote is enough
        ([0, 3, 6], None),
    ],
)
def test_cells_of_a_pair_vote_on_its_polarity(cells: list[int], polarity: int | None) -> None:
    labels = np.diag([1, 2, 2, 4])
    labels[:3, 3] = cells
    expected = [] if polarity is None else [WordTriplet((0, 2), (3, 3), polarity)]
    assert read_labels(labels) == expected


def test_lower_triangle_says_nothing() -> None:
    labels = np.diag([1, 4])
    labels[1, 0] = POS
    assert read_labels(labels) == []


def test_weights_add_up_the_probabilities_of_the_cells() -> None:
    scores = np.full((3, 3, CLASSES), -50, np.float32)
    scores[[0, 1, 2], [0, 1, 2], [1, 2, 4]] = 0
    # one cell is sure of positive, the other halfway between nothing and negative
    scores[0, 2, POS] = scores[1, 2, 0] = scores[1, 2, NEG] = 0
    ((_, weights),) = TABLE.read(scores, 3)
    assert weights == pytest.approx([0.5, 0.0, 1.0])


# the share of gold triplets that the scheme can hold, measured on the published test sets (EMCGCN table)
@pytest.mark.parametrize(
    ("name", "ceiling"), [("14lap", 99.82), ("14res", 98.84), ("15res", 99.79), ("16res", 99.71)]
)
def test_scheme_reaches_its_published_ceiling(name: str, ceiling: float, real_data: Path) -> None:
    corpus = read(real_data / "aste" / "ASTE-Data-V2-EMNLP2020" / name / "test_triplets.txt")
    encoding, examples = GridEncoding(WordList({}), TABLE), list(corpus)
    items = encoding.encode(examples)
    scores = np.eye(CLASSES, dtype=np.float32)[encoding.collate(items).labels] * 10
    answers = encoding.decode(scores, items, examples)
    metric = METRICS["tuple-f1"](TASKS["aste"])
    total = sum(metric.count(given.quads, answer) for given, answer in zip(examples, answers, strict=True))
    assert round(100 * float(metric.score(total)["f1"]), 2) == ceiling
