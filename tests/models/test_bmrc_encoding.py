"""Five questions in two directions: what they ask, what they keep, and what the scheme can hold."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from aspectlab.data import Example
from aspectlab.encodings.base import POLARITIES, WordQuad, WordSpan
from aspectlab.encodings.mrc import Question
from aspectlab.models.bmrc import ASPECTS, ASPECTS_OF, OPINIONS, OPINIONS_OF, SENTIMENT, BiEncoding
from tests.support.answering_model import SURE, VOCABULARY, ceiling, converse, f1_without, marks, triplets

ENCODING = BiEncoding(VOCABULARY)
TWO = triplets("Good fish and bad wine", ("fish", "Good", "positive"), ("wine", "bad", "negative"))


def scores_of(question: Question, spans: Sequence[WordSpan], polarity: int = 0) -> NDArray[np.float32]:
    """Scores [W, 7]: no and yes for a first word, no and yes for a last one, three of the sentiment."""
    yes = marks(question, spans) - SURE / 2  # [W, 2]
    sentiment = np.eye(3, dtype=np.float32)[[polarity] * len(yes)] * SURE
    return np.concatenate([-yes[:, :1], yes[:, :1], -yes[:, 1:], yes[:, 1:], sentiment], 1)


def knowing(question: Question, quads: Sequence[WordQuad]) -> NDArray[np.float32]:
    """Answer every question as the gold triplets have it."""
    asked = question.asked[:1]
    spans = {
        ASPECTS: [quad.aspect for quad in quads],
        OPINIONS: [quad.opinion for quad in quads],
        OPINIONS_OF: [quad.opinion for quad in quads if (quad.aspect,) == asked],
        ASPECTS_OF: [quad.aspect for quad in quads if (quad.opinion,) == asked],
        SENTIMENT: [],
    }[question.query]
    polarity = next((quad.polarity for quad in quads if (quad.aspect,) == asked), POLARITIES[0])
    return scores_of(question, [span for span in spans if span], POLARITIES.index(polarity))


@pytest.mark.parametrize(
    "given",
    [
        triplets("The soup was lovely.", ("soup", "lovely", "positive")),
        TWO,
        triplets("Hot, salty soup", ("soup", "Hot", "negative"), ("soup", "salty", "negative")),
        triplets("Awful service and bar", ("service", "Awful", "negative"), ("bar", "Awful", "negative")),
        triplets("Nothing to see"),
        triplets(""),
    ],
    ids=lambda given: given.text or "empty",
)
def test_triplets_survive_the_dialogue(given: Example) -> None:
    _, (found,) = converse(ENCODING, [given], knowing)
    assert set(found) == set(given.quads)


def test_training_questions_are_all_five_with_their_answers() -> None:
    told = triplets("Hot, salty soup", ("soup", "Hot", "neutral"), ("soup", "salty", "neutral"))
    asked = [
        (item.question.query, item.question.asked, item.question.answers) for item in ENCODING.encode([told])
    ]
    hot, salty, soup = (0, 0), (2, 2), (3, 3)
    assert asked == [
        (ASPECTS, (), ((soup,),)),
        (OPINIONS, (), ((hot, salty),)),
        (OPINIONS_OF, (soup,), ((hot, salty),)),
        (SENTIMENT, (soup, hot, salty), ()),
        (ASPECTS_OF, (hot,), ((soup,),)),
        (ASPECTS_OF, (salty,), ((soup,),)),
    ]


def test_text_without_triplets_has_two_questions_without_answer() -> None:
    items = ENCODING.encode([triplets("Nothing to see")])
    assert [item.question.query for item in items] == [ASPECTS, OPINIONS]
    assert not ENCODING.collate(items).labels.any()


@pytest.mark.parametrize(("certainty", "kept"), [(0.99, 1), (0.9, 0)])
def test_pair_of_one_direction_is_kept_if_it_is_sure(certainty: float, kept: int) -> None:
    # the probability of a pair is that of its four marks: 0.99 ** 4 = 0.96, 0.9 ** 4 = 0.66, beta is 0.8
    def forward_only(question: Question, quads: Sequence[WordQuad]) -> NDArray[np.float32]:
        if question.query in (OPINIONS, ASPECTS_OF):
            return scores_of(question, [])
        logit = np.float32(np.log(certainty / (1 - certainty)))
        return knowing(question, quads) * logit / SURE

    _, (found,) = converse(ENCODING, [triplets("Good fish", ("fish", "Good", "positive"))], forward_only)
    assert len(found) == kept


def test_pair_of_both_directions_is_kept_though_unsure() -> None:
    def unsure(question: Question, quads: Sequence[WordQuad]) -> NDArray[np.float32]:
        return knowing(question, quads) / (10 * SURE)

    _, (found,) = converse(ENCODING, [TWO], unsure)
    assert set(found) == set(TWO.quads)


def test_directions_must_agree_on_places_not_words() -> None:
    """The second `menu` has no opinion; compared by their words, both would be one."""
    text = "The menu is short , a menu lay here"

    def torn(question: Question, quads: Sequence[WordQuad]) -> NDArray[np.float32]:
        spans = {
            ASPECTS: [(6, 6)],
            OPINIONS: [(3, 3)],
            OPINIONS_OF: [(3, 3)],
            ASPECTS_OF: [(1, 1)],
        }.get(question.query, [])
        return scores_of(question, spans) / 10

    _, (found,) = converse(ENCODING, [triplets(text)], torn)
    assert found == ()


def test_wild_model_does_not_ask_about_every_word() -> None:
    def wild(question: Question, quads: Sequence[WordQuad]) -> NDArray[np.float32]:
        return scores_of(question, [(word, word) for word in range(len(question.text.offsets))])

    rounds, _ = converse(ENCODING, [Example("1", "so it goes " * 170)], wild)
    windows = len(rounds[0]) // 2
    assert len(rounds[1]) == windows * 2 * 24


# different triplets of the published test sets, and those with a term of more than five words, counted apart
@pytest.mark.parametrize(
    ("name", "count", "wide"), [("14lap", 541, 3), ("14res", 994, 12), ("15res", 485, 4), ("16res", 514, 4)]
)
def test_only_wide_terms_are_out_of_reach(name: str, count: int, wide: int, real_data: Path) -> None:
    assert ceiling(ENCODING, real_data, name, knowing) == f1_without(wide, count)
