"""Spans as cells: what the scheme can hold, and how triplets are read off it."""

import random
from pathlib import Path

import numpy as np
import pytest

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings import WordList
from aspectlab.encodings.base import TextItem
from aspectlab.encodings.spans import N_SPAN_CLASSES, SpanEncoding, read_triplets
from aspectlab.errors import TaskError
from aspectlab.metrics import METRICS
from aspectlab.readers import read
from aspectlab.tasks import TASKS

ENCODING = SpanEncoding(WordList({}))


def term(text: str, word: str) -> Term:
    return Term(word, Span(text.index(word), text.index(word) + len(word)))


def example(text: str, *triplets: tuple[str, str, str]) -> Example:
    quads = (Quad(term(text, a), None, term(text, o), Polarity(p)) for a, o, p in triplets)
    return Example("1", text, tuple(quads))


def there_and_back(given: Example, encoding: SpanEncoding = ENCODING) -> list[Quad]:
    items = encoding.encode([given])
    scores = np.eye(N_SPAN_CLASSES, dtype=np.float32)[encoding.collate(items).labels] * 10
    return [quad for quads in encoding.decode(scores, items, [given]) for quad in quads]


@pytest.mark.parametrize(
    "given",
    [
        example("The soup was lovely.", ("soup", "lovely", "positive")),
        example("Lovely soup", ("soup", "Lovely", "positive")),
        example("Good fish and bad wine", ("fish", "Good", "positive"), ("wine", "bad", "negative")),
        example("Hot, salty soup", ("soup", "Hot", "neutral"), ("soup", "salty", "negative")),
        example("Nothing to see"),
    ],
    ids=lambda given: given.text,
)
def test_triplets_survive_the_scheme(given: Example) -> None:
    assert set(there_and_back(given)) == set(given.quads)


def test_prediction_has_the_share_of_each_polarity() -> None:
    (quad,) = there_and_back(example("Lovely soup", ("soup", "Lovely", "positive")))
    assert quad.confidence is not None
    assert sum(quad.confidence.values()) == pytest.approx(1, abs=1e-5)
    assert max(quad.confidence, key=lambda name: quad.confidence[name]) == "positive"


def test_implicit_terms_are_refused() -> None:
    given = Example("1", "Lovely", (Quad(None, None, term("Lovely", "Lovely"), Polarity.POSITIVE),))
    with pytest.raises(TaskError, match="drop-implicit"):
        ENCODING.encode([given])


def test_conflict_is_refused() -> None:
    with pytest.raises(TaskError, match="data clean"):
        ENCODING.encode([example("Lovely soup", ("soup", "Lovely", "conflict"))])


def test_long_text_is_read_in_windows_that_overlap() -> None:
    text = "on and on " * 400 + "lovely soup"
    given = example(text, ("soup", "lovely", "positive"))
    items = ENCODING.encode([given])
    assert len(items) > 1
    assert max(len(item) for item in items) <= WordList.max_length
    read_words = {place for item in items if isinstance(item, TextItem) for place in item.offsets}
    assert len(read_words) == 1_202
    assert set(there_and_back(given)) == set(given.quads)


def test_wild_prediction_gives_each_pair_of_terms_once() -> None:
    rng = random.Random(1)
    cells = {(i, j): rng.randrange(1, N_SPAN_CLASSES) for i in range(60) for j in range(i, 60)}
    triplets = read_triplets(cells)
    pairs = [(aspect, opinion) for aspect, opinion, _ in triplets]
    assert len(pairs) == len(set(pairs)) > 100
    for aspect, opinion, (first, last) in triplets:
        assert {aspect[0], opinion[0]} >= {first}
        assert {aspect[1], opinion[1]} >= {last}


def decode_wild(text: str) -> tuple[Quad, ...]:
    """Decode random scores: nearly every span is something then."""
    given = Example("1", text)
    items = ENCODING.encode([given])
    words = len(items[0].offsets)
    scores = np.random.default_rng(4).normal(size=(1, words, words, N_SPAN_CLASSES)).astype(np.float32)
    (quads,) = ENCODING.decode(scores, items, [given])
    return quads


@pytest.mark.parametrize("text", [". " * 40, "?! - ( ) … 🙂 :", "…" * 40])
def test_text_without_letters_and_digits_has_no_triplet(text: str) -> None:
    assert decode_wild(text) == ()


def test_term_has_a_letter_or_digit() -> None:
    quads = decode_wild(". . soup . , ! lovely - - 5 .")
    assert quads
    assert all(any(map(str.isalnum, part.text)) for quad in quads for part in quad.terms)


def test_wild_scores_give_one_triplet_a_word_at_most() -> None:
    quads = decode_wild("on , " * 40)
    assert len(quads) == 40
    assert quads == decode_wild("on , " * 40)


def test_triplets_with_the_likeliest_snippets_are_kept() -> None:
    # by hand: every span is aspect, opinion and snippet, which makes nine pairs of three words; the whole
    # text is the surest snippet (two pairs), then each two words (four pairs, of which the first stays)
    scores = np.zeros((1, 3, 3, N_SPAN_CLASSES), np.float32)
    scores[..., -1] = 5
    scores[0, [0, 1], [1, 2], -1], scores[0, 0, 2, -1] = 6, 7
    given = Example("1", "a b c")
    (quads,) = ENCODING.decode(scores, ENCODING.encode([given]), [given])
    found = [tuple(part.text for part in quad.terms) for quad in quads]
    assert found == [("a", "b"), ("a b", "b c"), ("b c", "a b")]


# the share of gold triplets that the scheme can hold, measured on the published test sets (STAGE 3D)
@pytest.mark.parametrize(
    ("name", "ceiling"), [("14lap", 100.0), ("14res", 99.90), ("15res", 99.79), ("16res", 100.0)]
)
def test_scheme_reaches_its_published_ceiling(name: str, ceiling: float, real_data: Path) -> None:
    corpus = read(real_data / "aste" / "ASTE-Data-V2-EMNLP2020" / name / "test_triplets.txt")
    metric = METRICS["tuple-f1"](TASKS["aste"])
    total = sum(metric.count(given.quads, there_and_back(given)) for given in corpus)
    assert round(100 * float(metric.score(total)["f1"]), 2) == ceiling
