"""The scorers released with three models: by hand, and by what they see of the published test sets."""

from pathlib import Path

import pytest

from aspectlab.data import Polarity, Quad, Span, Term
from aspectlab.metrics import METRICS
from aspectlab.metrics.released import reread
from aspectlab.readers import read
from aspectlab.tasks import TASKS

GOOD, BAD = Polarity.POSITIVE, Polarity.NEGATIVE
# "The soup bowls and soup were hot but small"
SOUP, BOWLS, SECOND = Term("soup", Span(4, 8)), Term("soup bowls", Span(4, 14)), Term("soup", Span(19, 23))
HOT, SMALL, VERY = Term("hot", Span(29, 32)), Term("small", Span(37, 42)), Term("hot but", Span(29, 36))
THE = Term("The", Span(0, 3))


def count(name: str, gold: list[Quad], predicted: list[Quad]) -> list[int]:
    """Hit, extra and missed."""
    return METRICS[name](TASKS["aste"]).count(gold, predicted).tolist()[:3]


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        ([Quad(SOUP, None, HOT, GOOD)], [1, 0, 1]),
        # the aspect ends elsewhere, and no other hit covers its start
        ([Quad(BOWLS, None, HOT, GOOD)], [0, 1, 2]),
        # the start of the aspect is covered by the aspect of another pair
        ([Quad(BOWLS, None, HOT, GOOD), Quad(SOUP, None, HOT, BAD)], [1, 1, 1]),
        ([Quad(SOUP, None, HOT, BAD)], [0, 1, 2]),
        # two pairs with the same starts are one
        ([Quad(SOUP, None, HOT, GOOD), Quad(BOWLS, None, VERY, GOOD)], [1, 0, 1]),
        ([], [0, 0, 2]),
    ],
    ids=["exact", "other end", "covered start", "polarity", "same starts", "nothing"],
)
def test_simstar_lenient_by_hand(predicted: list[Quad], expected: list[int]) -> None:
    # counted by hand from the rule: pairs of starts, each the start of a term found exactly
    gold = [Quad(SOUP, None, HOT, GOOD), Quad(SECOND, None, SMALL, BAD)]
    assert count("simstar-lenient", gold, predicted) == expected


def test_simstar_lenient_accepts_a_start_in_the_other_role() -> None:
    # "soup" is found as an opinion, which covers the start of the aspect with a wrong end
    gold = [Quad(SOUP, None, HOT, GOOD), Quad(SMALL, None, SOUP, BAD)]
    predicted = [Quad(BOWLS, None, HOT, GOOD), Quad(SMALL, None, SOUP, BAD)]
    assert count("simstar-lenient", gold, predicted) == [2, 0, 0]


def test_simstar_lenient_compares_terms_without_a_place_by_text() -> None:
    quad = Quad(Term("visibility"), None, Term("poor"), BAD)
    assert count("simstar-lenient", [quad], [quad]) == [1, 0, 0]


@pytest.mark.parametrize(
    ("quad", "expected"),
    [
        (Quad(SOUP, None, HOT, GOOD), [1, 0, 0]),
        (Quad(THE, None, HOT, GOOD), [0, 0, 0]),
        (Quad(SOUP, None, THE, GOOD), [0, 0, 0]),
        (Quad(BOWLS, None, SOUP, GOOD), [0, 0, 0]),
        (Quad(Term("visibility"), None, THE, GOOD), [0, 0, 0]),
        (Quad(Term("visibility"), None, HOT, GOOD), [1, 0, 0]),
        (Quad(None, None, HOT, GOOD), [1, 0, 0]),
    ],
    ids=["seen", "first aspect", "first opinion", "overlap", "first, no place", "no place", "implicit"],
)
def test_minicongts_released_passes_over_what_its_scorer_never_sees(quad: Quad, expected: list[int]) -> None:
    assert count("minicongts-released", [quad], [quad]) == expected
    # an unseen prediction is no mistake either
    assert count("minicongts-released", [], [quad]) == [0, expected[0], 0]


# what the released scorer saw of the published test sets when it was measured
@pytest.mark.parametrize(("name", "seen"), [("14lap", 468), ("14res", 899), ("15res", 404), ("16res", 437)])
def test_minicongts_released_sees_as_many_gold_triplets_as_its_scorer(
    name: str, seen: int, real_data: Path
) -> None:
    corpus = read(real_data / "aste" / "ASTE-Data-V2-EMNLP2020" / name / "test_triplets.txt")
    metric = METRICS["minicongts-released"](TASKS["aste"])
    assert sum(metric.count(example.quads, []) for example in corpus)[2] == seen


@pytest.mark.parametrize(
    ("gold", "left"),
    [
        ([(SOUP, HOT, GOOD), (SECOND, SMALL, BAD)], [(SOUP, HOT, GOOD), (SECOND, SMALL, BAD)]),
        # the later aspect covers the word of the earlier one, and the other way round
        ([(SOUP, HOT, GOOD), (BOWLS, HOT, GOOD)], [(BOWLS, HOT, GOOD)]),
        ([(BOWLS, HOT, GOOD), (SOUP, HOT, GOOD)], [(BOWLS, HOT, GOOD)]),
        # one word is both: what opens the aspect is gone, so that its second word continues nothing
        ([(BOWLS, SOUP, GOOD)], []),
        # "soup bowls" is positive in two of its cells, and negative in none
        ([(SOUP, HOT, BAD), (BOWLS, HOT, GOOD)], [(BOWLS, HOT, GOOD)]),
    ],
    ids=["apart", "longer", "shorter", "overlap", "covered"],
)
def test_emcgcn_released_wants_what_the_table_gives_back(
    gold: list[tuple[Term, Term, Polarity]], left: list[tuple[Term, Term, Polarity]]
) -> None:
    # worked out by hand on the table of words
    quads, expected = ([Quad(a, None, o, p) for a, o, p in side] for side in (gold, left))
    assert reread(quads) == expected
    assert count("emcgcn-released", quads, expected) == [len(left), 0, 0]


@pytest.mark.parametrize("aspect", [Term("visibility"), None], ids=["no place", "implicit"])
def test_emcgcn_released_leaves_gold_without_a_place_as_it_is(aspect: Term | None) -> None:
    quad = Quad(aspect, None, HOT, GOOD)
    assert count("emcgcn-released", [quad], [quad]) == [1, 0, 0]


def test_emcgcn_released_wants_as_many_triplets_of_14res_as_its_scorer(real_data: Path) -> None:
    # 983 instead of 994: measured with the released scorer
    corpus = read(real_data / "aste" / "ASTE-Data-V2-EMNLP2020" / "14res" / "test_triplets.txt")
    metric = METRICS["emcgcn-released"](TASKS["aste"])
    assert sum(metric.count(example.quads, []) for example in corpus)[2] == 983


# how far gold and what the table gives back agree, measured on the published test sets
@pytest.mark.parametrize(
    ("name", "f1"), [("14lap", 99.82), ("14res", 98.84), ("15res", 99.79), ("16res", 99.71)]
)
def test_emcgcn_released_gold_reaches_the_ceiling_of_the_table(name: str, f1: float, real_data: Path) -> None:
    corpus = read(real_data / "aste" / "ASTE-Data-V2-EMNLP2020" / name / "test_triplets.txt")
    metric = METRICS["emcgcn-released"](TASKS["aste"])
    total = sum(metric.count(example.quads, example.quads) for example in corpus)
    assert round(100 * float(metric.score(total)["f1"]), 2) == f1
