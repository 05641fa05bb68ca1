"""Pairs of words as cells: what each codec can hold, and how triplets are read off it."""

from pathlib import Path

import numpy as np
import pytest

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings import WordList
from aspectlab.encodings.grid import Codec, GridEncoding, ScoredTriplet, WordTriplet
from aspectlab.metrics import METRICS
from aspectlab.models.bdtf import BoundaryCodec
from aspectlab.models.minicongts import CLASSES, FIRST, FOLLOWS, GridTaggingCodec
from aspectlab.models.simstar import ASPECT, LINK, OPINION, QUESTIONS, StarCodec
from aspectlab.readers import read
from aspectlab.tasks import TASKS
from tests.support.grid_scores import SURE, perfect_scores

CODECS: list[Codec] = [BoundaryCodec(), GridTaggingCodec(), StarCodec()]
every_codec = pytest.mark.parametrize("codec", CODECS, ids=lambda codec: type(codec).__name__)


def term(text: str, word: str) -> Term:
    return Term(word, Span(text.index(word), text.index(word) + len(word)))


def example(text: str, *triplets: tuple[str, str, str]) -> Example:
    quads = (Quad(term(text, a), None, term(text, o), Polarity(p)) for a, o, p in triplets)
    return Example("1", text, tuple(quads))


def there_and_back(codec: Codec, given: Example) -> list[Quad]:
    encoding = GridEncoding(WordList({}), codec)
    items = encoding.encode([given])
    scores = perfect_scores(codec, encoding.collate(items))
    return [quad for quads in encoding.decode(scores, items, [given]) for quad in quads]


@every_codec
@pytest.mark.parametrize(
    "given",
    [
        example("The fish soup was very lovely.", ("fish soup", "very lovely", "positive")),
        example("Lovely soup", ("soup", "Lovely", "positive")),
        example("Good fish and bad wine", ("fish", "Good", "positive"), ("wine", "bad", "negative")),
        example("Hot, salty soup", ("soup", "Hot", "neutral"), ("soup", "salty", "negative")),
        example("Fresh tea and cake", ("tea", "Fresh", "positive"), ("cake", "Fresh", "positive")),
        example("Nothing to see"),
        example(""),
    ],
    ids=lambda given: given.text,
)
def test_grid_holds_triplets(codec: Codec, given: Example) -> None:
    assert set(there_and_back(codec, given)) == set(given.quads)


@every_codec
def test_grid_prediction_has_the_share_of_each_polarity(codec: Codec) -> None:
    (quad,) = there_and_back(codec, example("Lovely soup", ("soup", "Lovely", "positive")))
    assert quad.confidence is not None
    assert sum(quad.confidence.values()) == pytest.approx(1, abs=1e-5)
    assert max(quad.confidence, key=lambda name: quad.confidence[name]) == "positive"


@every_codec
def test_grid_batch_lists_the_quads(codec: Codec) -> None:
    # rows of first and last word of aspect and opinion, then the class: negative 1, neutral 2, positive 3
    given = example(
        "Hot, salty fish soup", ("fish soup", "Hot", "neutral"), ("fish soup", "salty", "negative")
    )
    encoding = GridEncoding(WordList({}), codec)
    batch = encoding.collate(encoding.encode([given, example("Nothing")]))
    expected = [[[3, 4, 0, 0, 2], [3, 4, 2, 2, 1]], [[-1, -1, -1, -1, 0]] * 2]
    assert batch.quads.tolist() == expected


@every_codec
def test_grid_without_gold_has_room_for_one_quad(codec: Codec) -> None:
    encoding = GridEncoding(WordList({}), codec)
    assert encoding.collate(encoding.encode([example("Nothing")])).quads.shape == (1, 1, 5)


@every_codec
def test_long_text_keeps_its_last_triplet(codec: Codec) -> None:
    given = example("on and on " * 150 + "lovely soup", ("soup", "lovely", "positive"))
    assert set(there_and_back(codec, given)) == set(given.quads)


# the share of gold triplets that each scheme can hold, measured on the published test sets:
# MiniConGTS keeps no terms that start at the same word, SimSTAR no two terms from one word on;
# a rectangle of BDTF has one polarity, which no test triplet needs two of
@pytest.mark.parametrize(
    ("codec", "ceilings"),
    [
        (BoundaryCodec(), {"14lap": 100.0, "14res": 100.0, "15res": 100.0, "16res": 100.0}),
        (GridTaggingCodec(), {"14lap": 100.0, "14res": 99.55, "15res": 100.0, "16res": 100.0}),
        (StarCodec(), {"14lap": 99.82, "14res": 99.70, "15res": 99.79, "16res": 99.81}),
    ],
    ids=["boundary", "contagion", "star"],
)
@pytest.mark.parametrize("name", ["14lap", "14res", "15res", "16res"])
def test_grid_reaches_its_measured_ceiling(
    codec: Codec, ceilings: dict[str, float], name: str, real_data: Path
) -> None:
    corpus = read(real_data / "aste" / "ASTE-Data-V2-EMNLP2020" / name / "test_triplets.txt")
    metric = METRICS["tuple-f1"](TASKS["aste"])
    total = sum(metric.count(given.quads, there_and_back(codec, given)) for given in corpus)
    assert round(100 * float(metric.score(total)["f1"]), 2) == ceilings[name]


def triplets(codec: Codec, scores: np.ndarray, count: int) -> list[WordTriplet]:
    found: list[ScoredTriplet] = [*codec.read(scores.astype(np.float32), count)]
    return [triplet for triplet, _ in found]


def test_boundary_reads_rectangles_with_a_polarity_only() -> None:
    # first row and column, last row and column, then nothing, negative, neutral, positive
    scores = np.array([[1, 0, 2, 0, 0, 5, 1, 1], [1, 0, 1, 0, 9, 5, 1, 1], [3, 4, 3, 5, 0, 1, 2, 3]])
    expected = [WordTriplet((1, 2), (0, 0), 0), WordTriplet((3, 3), (4, 5), 2)]
    assert triplets(BoundaryCodec(), scores, 6) == expected


def grid(classes: dict[tuple[int, int], int], size: int) -> np.ndarray:
    table = np.zeros((size, size), int)
    for cell, kind in classes.items():
        table[cell] = kind
    return np.eye(CLASSES)[table]


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ({(0, 3): FIRST}, WordTriplet((0, 0), (3, 3), 0)),
        # down in the first column, then to the right in the last row
        ({(0, 3): FIRST + 2, (1, 3): FOLLOWS, (1, 4): FOLLOWS}, WordTriplet((0, 1), (3, 4), 2)),
        # what follows in the first row alone is not reached
        ({(0, 3): FIRST, (1, 3): FOLLOWS, (0, 4): FOLLOWS}, WordTriplet((0, 1), (3, 3), 0)),
        # the edge of the text ends a term
        ({(4, 4): FOLLOWS, (3, 4): FIRST, (4, 0): FOLLOWS}, WordTriplet((3, 3), (4, 4), 0)),
        ({(4, 3): FIRST, (5, 3): FOLLOWS}, WordTriplet((4, 4), (3, 3), 0)),
    ],
    ids=["single", "grows", "last row", "diagonal", "padding"],
)
def test_contagion_grows_from_the_first_cell(
    classes: dict[tuple[int, int], int], expected: WordTriplet
) -> None:
    assert triplets(GridTaggingCodec(), grid(classes, 6), 5) == [expected]


def test_contagion_keeps_the_class_of_each_word_on_the_diagonal() -> None:
    cells = GridTaggingCodec().paint([WordTriplet((0, 1), (3, 3), 0), WordTriplet((4, 4), (3, 3), 2)])
    # aspect 1, opinion 2 to 4; the later of two triplets says what a word is
    assert {row: kind for (row, column), kind in cells.items() if row == column} == {0: 1, 1: 1, 3: 4, 4: 1}


def answers(yes: dict[tuple[int, int, int], float], size: int) -> np.ndarray:
    scores = np.full((size, size, QUESTIONS), -SURE)
    for place, chance in yes.items():
        scores[place] = np.log(chance / (1 - chance))
    return scores


@pytest.mark.parametrize(
    ("chances", "expected"),
    [
        ({(0, 0, ASPECT): 0.5, (0, 1, ASPECT): 0.9}, [WordTriplet((0, 1), (2, 2), 2)]),
        ({(0, 0, ASPECT): 0.9, (0, 1, ASPECT): 0.9}, [WordTriplet((0, 0), (2, 2), 2)]),
        ({(0, 0, ASPECT): 0.41}, [WordTriplet((0, 0), (2, 2), 2)]),
        ({(0, 0, ASPECT): 0.39}, []),
        ({(1, 0, ASPECT): 0.9, (0, 0, OPINION): 0.9}, []),
        (
            {(0, 0, ASPECT): 0.9, (0, 2, LINK): 0.5},
            [WordTriplet((0, 0), (2, 2), 0), WordTriplet((0, 0), (2, 2), 2)],
        ),
        ({(0, 0, ASPECT): 0.9, (0, 2, LINK): 0.44}, [WordTriplet((0, 0), (2, 2), 2)]),
    ],
    ids=["likeliest", "shortest of equals", "just enough", "unlikely", "no aspect", "two links", "weak link"],
)
def test_star_links_the_likeliest_terms(
    chances: dict[tuple[int, int, int], float], expected: list[WordTriplet]
) -> None:
    given = {(2, 2, OPINION): 0.9, (0, 2, LINK + 2): 0.9, **chances}
    assert triplets(StarCodec(), answers(given, 4), 3) == expected
