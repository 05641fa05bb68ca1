"""Tags of words: what the schemes can hold, and how aspects are read off them."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.data.cleaning import remove_conflict
from aspectlab.encodings import WordList
from aspectlab.encodings.base import POLARITIES, WordQuad
from aspectlab.encodings.tags import (
    BIEOS,
    BIO,
    Scheme,
    TagEncoding,
    read_cascaded,
    read_collapsed,
    read_runs,
    write_tags,
)
from aspectlab.errors import TaskError
from aspectlab.language import word_spans
from aspectlab.readers import read
from aspectlab.tasks import TASKS

ENCODINGS = {
    "collapsed": TagEncoding(WordList({}), BIEOS, read_collapsed),
    "cascaded": TagEncoding(WordList({}), BIO, read_cascaded),
}
both = pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=ENCODINGS)

# the classes of BIEOS by their names: 1 + 3 * letter + polarity, polarities as in POLARITIES
OUT, B_NEG, B_POS, I_POS, E_NEG, E_NEU, E_POS, S_NEG, S_NEU = 0, 1, 3, 6, 7, 8, 9, 10, 11


def example(text: str, *aspects: tuple[str, str]) -> Example:
    places = [(word, text.index(word), polarity) for word, polarity in aspects]
    quads = (
        Quad(Term(word, Span(start, start + len(word))), None, None, Polarity(p)) for word, start, p in places
    )
    return Example("1", text, tuple(quads))


def sure(labels: NDArray[np.generic], encoding: TagEncoding) -> NDArray[np.float32]:
    """Scores of a model that is sure of the labels."""
    if encoding.scheme is BIEOS:
        return np.eye(13, dtype=np.float32)[labels] * 10
    tags, polarities = (labels + 2) // 3, (labels - 1) % 3
    return np.concatenate([np.eye(3, dtype=np.float32)[part] * 10 for part in (tags, polarities)], -1)


def there_and_back(given: Example, encoding: TagEncoding) -> list[Quad]:
    items = encoding.encode([given])
    scores = sure(encoding.collate(items).labels, encoding)
    return [quad for quads in encoding.decode(scores, items, [given]) for quad in quads]


@both
@pytest.mark.parametrize(
    "given",
    [
        example("The soup was lovely.", ("soup", "positive")),
        example("The grilled goat cheese was cold.", ("grilled goat cheese", "negative")),
        example("Green tea", ("Green tea", "neutral")),  # nothing but the aspect
        example("Tea", ("Tea", "positive")),
        example("Nice bread butter jam", ("bread", "positive"), ("butter jam", "positive")),  # side by side
        example("cold fish warm wine", ("cold fish", "negative"), ("warm wine", "neutral")),
        example("Nothing to see"),
        example("The soup was lovely, " + "and on we go " * 300 + "bad wine", ("soup", "positive")),
    ],
    ids=lambda given: given.text[:40] if isinstance(given, Example) else "",
)
def test_aspects_survive_the_scheme(given: Example, encoding: TagEncoding) -> None:
    assert set(there_and_back(given, encoding)) == set(given.quads)


@pytest.mark.parametrize(
    ("scheme", "tags"),
    [
        # negative from word 1 to 3, neutral at word 4, positive from word 6 to 7
        (BIEOS, [OUT, B_NEG, 4, E_NEG, S_NEU, OUT, B_POS, E_POS]),
        (BIO, [0, 1, 4, 4, 2, 0, 3, 6]),
    ],
)
def test_tags_are_written_aspect_by_aspect(scheme: Scheme, tags: list[int]) -> None:
    negative, neutral, positive = POLARITIES
    quads = [
        WordQuad((6, 7), None, positive),
        WordQuad((1, 3), None, negative),
        WordQuad((4, 4), None, neutral),
    ]
    assert write_tags(quads, scheme) == tags


@pytest.mark.parametrize(
    ("spans", "kept"),
    [
        ([(0, 1), (1, 2)], [(0, 1)]),  # the one that begins first
        ([(0, 0), (0, 2)], [(0, 2)]),  # the longer one
        ([(0, 2), (1, 1), (3, 3)], [(0, 2), (3, 3)]),  # one inside another
        ([(1, 1), (1, 1)], [(1, 1)]),
    ],
)
def test_aspects_that_share_a_word_leave_one(
    spans: list[tuple[int, int]], kept: list[tuple[int, int]]
) -> None:
    tags = write_tags([WordQuad(span, None, Polarity.POSITIVE) for span in spans], BIO)
    assert read_runs([(tag + 2) // 3 for tag in tags]) == kept


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ([B_POS, E_POS], [(0, 1, 2)]),
        ([B_POS, I_POS, I_POS, E_POS], [(0, 3, 2)]),
        ([S_NEG, S_NEU], [(0, 0, 0), (1, 1, 1)]),
        ([B_POS, OUT, E_POS], []),  # what lies outside breaks a run
        ([B_POS, I_POS, E_NEU], []),  # so does another polarity
        ([B_POS, B_NEG, E_NEG], [(1, 2, 0)]),  # the later beginning counts
        ([B_POS, S_NEG, E_POS], [(1, 1, 0)]),
        ([I_POS, E_POS, E_NEG], []),  # nothing begins
        ([B_POS, I_POS], []),  # nothing ends
        ([B_NEG, E_NEG, E_NEG], [(0, 1, 0)]),
    ],
)
def test_collapsed_tags_are_read_as_runs(tags: list[int], found: list[tuple[int, int, int]]) -> None:
    scores = np.eye(13, dtype=np.float32)[tags] * 5
    assert [(*span, int(weights.argmax())) for span, weights in read_collapsed(scores)] == found


def test_cascaded_polarity_is_the_mean_over_the_words() -> None:
    # shares of the first word: 0.8, 0.1, 0.1; of the second one: 0.2, 0.7, 0.1
    polarities = np.log(np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1]], np.float32))
    tags = np.array([[0, 9, 0], [0, 0, 9]], np.float32)
    ((span, weights),) = read_cascaded(np.concatenate([tags, polarities], -1))
    assert span == (0, 1)
    assert weights.tolist() == pytest.approx([0.5, 0.4, 0.1])


@both
def test_prediction_has_the_share_of_each_polarity(encoding: TagEncoding) -> None:
    (quad,) = there_and_back(example("Lovely soup", ("soup", "negative")), encoding)
    # the right class scores 10 and the two others 0: 1 / (1 + 2 / e^10)
    assert quad.confidence == pytest.approx(
        {"negative": 0.999909, "neutral": 4.5e-5, "positive": 4.5e-5}, abs=1e-6
    )


@both
def test_padding_is_never_read(encoding: TagEncoding) -> None:
    given = example("Good tea", ("tea", "positive"))
    items = encoding.encode([given])
    labels = encoding.collate(items, length=6).labels
    labels[0, 2:] = 1  # as if every place behind the text began an aspect
    assert encoding.decode(sure(labels, encoding), items, [given]) == [given.quads]


@both
def test_conflict_is_refused(encoding: TagEncoding) -> None:
    with pytest.raises(TaskError, match="data clean"):
        encoding.encode([example("Lovely soup", ("soup", "conflict"))])


@both
# 1,120 and 638 aspects without conflict (Table 1 of the comparison study); 2 and 3 of them end inside a word
@pytest.mark.parametrize(("name", "count"), [("Restaurants", 1118), ("Laptops", 635)])
def test_every_aspect_of_whole_words_survives(
    name: str, count: int, encoding: TagEncoding, real_data: Path
) -> None:
    corpus, _ = remove_conflict(read(real_data / "semeval2014" / f"{name}_Test_Gold.xml"))
    judged = [TASKS["e2e"].project(given) for given in corpus]
    whole = [Example(given.id, given.text, tuple(filter_whole(given))) for given in judged]
    assert sum(len(given.quads) for given in whole) == count
    assert [set(there_and_back(given, encoding)) for given in whole] == [set(given.quads) for given in whole]


def filter_whole(given: Example) -> list[Quad]:
    starts, ends = (set(side) for side in zip(*word_spans(given.text), strict=True))
    spans = [(quad, quad.aspect.span) for quad in given.quads if quad.aspect and quad.aspect.span]
    return [quad for quad, span in spans if span.start in starts and span.end in ends]
