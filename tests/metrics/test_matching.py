"""When terms and quads are the same; expected values are counted by hand or by trying every pairing."""

from itertools import permutations
from random import Random

import pytest

from aspectlab.data import Polarity, Quad, Span, Term
from aspectlab.metrics import Match
from aspectlab.metrics.matching import count_hits, is_same_term
from tests.support.random_quads import draw_quads

HERE, THERE, NOWHERE = Term("tea", Span(0, 3)), Term("tea", Span(9, 12)), Term("tea")


@pytest.mark.parametrize(
    ("one", "other", "exact", "text"),
    [
        (HERE, HERE, True, True),
        (HERE, THERE, False, True),
        (HERE, NOWHERE, True, True),
        (NOWHERE, NOWHERE, True, True),
        (HERE, Term("tea pot", Span(0, 7)), False, False),
        (HERE, None, False, False),
        (NOWHERE, None, False, False),
        (None, None, True, True),
    ],
)
def test_terms_are_compared_by_place_or_text(
    one: Term | None, other: Term | None, exact: bool, text: bool
) -> None:
    assert is_same_term(one, other, Match.EXACT) is exact
    assert is_same_term(other, one, Match.EXACT) is exact
    assert is_same_term(one, other, Match.TEXT) is text


@pytest.mark.parametrize(
    ("gold", "predicted", "match", "expected"),
    [
        ([HERE, THERE], [HERE], Match.EXACT, (1, 0, 1)),
        ([HERE, THERE], [HERE], Match.TEXT, (1, 0, 0)),
        # one prediction without a place hits one of two aspects, not both
        ([HERE, THERE], [NOWHERE], Match.EXACT, (1, 0, 1)),
        # the placed prediction takes its own place, so that the other one is free
        ([HERE, THERE], [NOWHERE, HERE], Match.EXACT, (2, 0, 0)),
        ([HERE], [NOWHERE, THERE], Match.EXACT, (1, 1, 0)),
        ([NOWHERE], [HERE, THERE], Match.EXACT, (1, 1, 0)),
        ([HERE, HERE], [HERE, HERE, HERE], Match.EXACT, (1, 0, 0)),
        ([], [], Match.EXACT, (0, 0, 0)),
    ],
)
def test_hits_are_counted_on_sets(
    gold: list[Term], predicted: list[Term], match: Match, expected: tuple[int, int, int]
) -> None:
    assert count_hits([Quad(term) for term in gold], [Quad(term) for term in predicted], match) == expected


def test_hits_need_the_same_polarity_also_without_a_place() -> None:
    gold, predicted = Quad(HERE, polarity=Polarity.POSITIVE), Quad(NOWHERE, polarity=Polarity.NEGATIVE)
    assert count_hits([gold], [predicted], Match.EXACT) == (0, 1, 1)


def try_every_pairing(gold: list[Quad], predicted: list[Quad]) -> int:
    """The most pairs that agree, over all one-to-one pairings."""
    few, many = sorted((gold, predicted), key=len)
    agreeing = (
        sum(agree(one, other) for one, other in zip(few, order, strict=True))
        for order in permutations(many, len(few))
    )
    return max(agreeing)


def agree(one: Quad, other: Quad) -> bool:
    terms = ((one.aspect, other.aspect), (one.opinion, other.opinion))
    return (one.category, one.polarity) == (other.category, other.polarity) and all(
        (a.span == b.span if a.span and b.span else a.text == b.text) for a, b in terms if a and b
    )


@pytest.mark.parametrize("seed", range(150))
def test_hits_with_missing_places_equal_the_best_pairing(seed: int) -> None:
    # only the predictions lack places: then to pair identical quads first costs no hit
    rng = Random(seed)
    gold = list(dict.fromkeys(draw_quads(rng, most=4)))
    vague = [
        Quad(Term(q.aspect.text), q.category, q.opinion, q.polarity)
        for q in gold
        if q.aspect and rng.random() < 0.6
    ]
    predicted = list(dict.fromkeys([*vague, *draw_quads(rng, most=2, unplaced=0.5)]))
    hits = try_every_pairing(gold, predicted)
    assert count_hits(gold, predicted, Match.EXACT) == (hits, len(predicted) - hits, len(gold) - hits)
