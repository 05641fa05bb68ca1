"""Spans by number: what the cap on their width loses, and how triplets are read off pairs of them."""

from pathlib import Path

import numpy as np
import pytest

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings import WordList
from aspectlab.metrics import METRICS
from aspectlab.models.spanaste import ASPECT, N_PAIRS, OPINION, MentionBatch, MentionEncoding
from aspectlab.readers import read
from aspectlab.tasks import TASKS

ENCODING = MentionEncoding(WordList({}))
SOUP = "The soup was far too salty"


def example(text: str, *triplets: tuple[str, str, str]) -> Example:
    def term(words: str) -> Term:
        return Term(words, Span(text.index(words), text.index(words) + len(words)))

    quads = (Quad(term(aspect), None, term(opinion), Polarity(p)) for aspect, opinion, p in triplets)
    return Example("1", text, tuple(quads))


def perfect_scores(batch: MentionBatch) -> np.ndarray:
    """What a model would give that keeps just the gold spans and knows every pair of them."""
    kept = [np.unique(batch.triplets[0, :, side]) for side in (0, 1)]
    scores = np.zeros((1, len(kept[0]), len(kept[1]), N_PAIRS + 2), np.float32)
    scores[0, :, :, 0] = 5
    scores[0, :, :, N_PAIRS], scores[0, :, :, N_PAIRS + 1] = np.meshgrid(*kept, indexing="ij")
    for opinion, aspect, kind in batch.triplets[0]:
        scores[0, kept[0] == opinion, kept[1] == aspect, kind] = 9
    return scores


def there_and_back(given: Example, encoding: MentionEncoding = ENCODING) -> list[Quad]:
    items = encoding.encode([given])
    answers = encoding.decode(perfect_scores(encoding.collate(items)), items, [given])
    return [quad for quads in answers for quad in quads]


@pytest.mark.parametrize(
    "given",
    [
        example(SOUP, ("soup", "far too salty", "negative")),
        example("Good fish and bad wine", ("fish", "Good", "positive"), ("wine", "bad", "negative")),
        example("Hot, salty soup", ("soup", "Hot", "neutral"), ("soup", "salty", "negative")),
        example("A table by the door of the old bar", ("table by the door of the old bar", "A", "neutral")),
        example("Nothing to see"),
    ],
    ids=lambda given: given.text,
)
def test_triplets_survive_the_scheme(given: Example) -> None:
    assert set(there_and_back(given)) == set(given.quads)


@pytest.mark.parametrize(("width", "kept"), [(3, 1), (2, 0)])
def test_triplet_with_a_wider_term_is_lost(width: int, kept: int) -> None:
    given = example(SOUP, ("soup", "far too salty", "negative"))
    assert len(there_and_back(given, MentionEncoding(WordList({}), width))) == kept


def test_batch_equals_a_hand_count() -> None:
    # with spans of up to 3 words: word 1 alone is number 3 + 1, words 3 to 5 are number 9 + 2 + 1
    encoding = MentionEncoding(WordList({}), 3)
    batch = encoding.collate(encoding.encode([example(SOUP, ("soup", "far too salty", "negative"))]), 8)
    assert batch.triplets.tolist() == [[[12, 4, 1]]]
    assert batch.labels.shape == (1, 8, 3)
    assert batch.labels[0, 1].tolist() == [ASPECT, 0, 0]
    assert batch.labels[0, 3].tolist() == [0, 0, OPINION]
    assert np.count_nonzero(batch.labels) == 2


def test_span_that_is_both_is_labelled_as_an_opinion_and_paired_as_both() -> None:
    given = example("Salty soup", ("soup", "Salty", "negative"), ("Salty", "soup", "neutral"))
    batch = ENCODING.collate(ENCODING.encode([given]))
    assert batch.labels[0, :, 0].tolist() == [OPINION, OPINION]
    assert set(there_and_back(given)) == set(given.quads)


def test_pair_with_two_polarities_keeps_the_last() -> None:
    given = example("Salty soup", ("soup", "Salty", "negative"), ("soup", "Salty", "neutral"))
    assert [quad.polarity for quad in there_and_back(given)] == [Polarity.NEUTRAL]


def test_prediction_has_the_share_of_each_polarity() -> None:
    (quad,) = there_and_back(example("Lovely soup", ("soup", "Lovely", "positive")))
    # scores of 0, 0 and 9: the last has a share of e^9 / (2 + e^9) = 0.999753
    assert quad.confidence == {"negative": 0.000123, "neutral": 0.000123, "positive": 0.999753}


def test_items_with_fewer_triplets_are_filled_up_with_zeros() -> None:
    given = [example(SOUP, ("soup", "salty", "negative")), example("Nothing to see")]
    batch = ENCODING.collate(ENCODING.encode(given))
    assert batch.triplets[1].tolist() == [[0, 0, 0]]
    assert ENCODING.collate([]).triplets.shape == (0, 0, 3)


def aste_test(folder: Path, name: str) -> list[Example]:
    return list(read(folder / "aste" / "ASTE-Data-V2-EMNLP2020" / name / "test_triplets.txt"))


# how many triplets of the published test sets have a term of more words: between blanks, as the sets count
# words, and more where a mark inside such a word is a word to us (2 and 1 triplets, read in the files)
@pytest.mark.parametrize(
    ("name", "width", "wider", "more"),
    [
        *[("14lap", 8, 0, 0), ("14res", 8, 1, 0), ("15res", 8, 2, 0), ("16res", 8, 1, 0)],
        *[("14lap", 4, 7, 2), ("14res", 4, 17, 1), ("15res", 4, 11, 0), ("16res", 4, 12, 0)],
    ],
)
def test_cap_loses_the_triplets_with_wider_terms(
    name: str, width: int, wider: int, more: int, real_data: Path
) -> None:
    encoding = MentionEncoding(WordList({}), width)
    examples = aste_test(real_data, name)
    gold = [quad for given in examples for quad in set(given.quads)]
    assert sum(any(len(term.text.split()) > width for term in quad.terms) for quad in gold) == wider
    batch = encoding.collate(encoding.encode(examples))
    assert len(gold) - np.count_nonzero(batch.triplets[..., 2]) == wider + more


# the cap is all that is lost: with L of N triplets gone and none made up, F1 is 2 (N - L) / (2 N - L)
@pytest.mark.parametrize(
    ("name", "triplets", "lost"),
    [("14lap", 541, 0), ("14res", 994, 1), ("15res", 485, 2), ("16res", 514, 1)],
)
def test_scheme_reaches_the_ceiling_that_the_cap_leaves(
    name: str, triplets: int, lost: int, real_data: Path
) -> None:
    metric = METRICS["tuple-f1"](TASKS["aste"])
    total = sum(metric.count(given.quads, there_and_back(given)) for given in aste_test(real_data, name))
    expected = 2 * (triplets - lost) / (2 * triplets - lost)
    assert float(metric.score(total)["f1"]) == pytest.approx(expected)
