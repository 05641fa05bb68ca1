"""Which parts and quads each task keeps; expected values are read off the hand-written sentence below."""

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import ConfigError, TaskError
from aspectlab.tasks import TASKS

TEXT = "Warm soup, slow waiters."
SOUP, WARM = Term("soup", Span(5, 9)), Term("Warm", Span(0, 4))
WAITERS, SLOW = Term("waiters", Span(16, 23)), Term("slow", Span(11, 15))
GOOD, BAD, MIXED = Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.CONFLICT

# all four parts; the same aspect twice; an implicit aspect; an aspect that is named but not in the text
WHOLE = (
    Quad(SOUP, "food", WARM, GOOD),
    Quad(SOUP, "menu", WARM, GOOD),
    Quad(None, "place", SLOW, BAD),
    Quad(Term("staff"), "service", None, MIXED),
)
# SemEval-14 holds term quads and category quads side by side; MuSe marks an empty segment by its category
SIDE_BY_SIDE = (
    Quad(SOUP, None, None, GOOD),
    Quad(WAITERS, None, None, None),
    Quad(None, "food", None, GOOD),
    Quad(None, "comfort", None, None),
)

KEPT_OF_WHOLE = {
    "ate": [Quad(SOUP), Quad(Term("staff"))],
    "ote": [Quad(opinion=WARM), Quad(opinion=SLOW)],
    "atsc": [Quad(SOUP, polarity=GOOD), Quad(Term("staff"), polarity=MIXED)],
    "e2e": [Quad(SOUP, polarity=GOOD)],
    "pairs": [Quad(SOUP, polarity=GOOD), Quad(Term("staff"), polarity=MIXED)],
    "aope": [Quad(SOUP, opinion=WARM), Quad(opinion=SLOW), Quad(Term("staff"))],
    "aste": [
        *[Quad(SOUP, None, WARM, GOOD), Quad(None, None, SLOW, BAD)],
        Quad(Term("staff"), None, None, MIXED),
    ],
    "aste-explicit": [Quad(SOUP, None, WARM, GOOD)],
    "aste-all": [
        *[Quad(SOUP, None, WARM, GOOD), Quad(None, None, SLOW, BAD)],
        Quad(Term("staff"), None, None, MIXED),
    ],
    "acd": [Quad(category=name) for name in ("food", "menu", "place", "service")],
    "acp": [
        *[Quad(category="food", polarity=GOOD), Quad(category="menu", polarity=GOOD)],
        *[Quad(category="place", polarity=BAD), Quad(category="service", polarity=MIXED)],
    ],
    "acsc": [
        *[Quad(category="food", polarity=GOOD), Quad(category="menu", polarity=GOOD)],
        *[Quad(category="place", polarity=BAD), Quad(category="service", polarity=MIXED)],
    ],
    "tasd": [
        *[Quad(SOUP, "food", None, GOOD), Quad(SOUP, "menu", None, GOOD), Quad(None, "place", None, BAD)],
        Quad(Term("staff"), "service", None, MIXED),
    ],
    "towe": [Quad(SOUP, opinion=WARM)],
    "asqp": list(WHOLE),
    "quads": list(WHOLE),
}
KEPT_OF_SIDE_BY_SIDE = {
    "ate": [Quad(SOUP), Quad(WAITERS)],
    "ote": [],
    "atsc": [Quad(SOUP, polarity=GOOD)],
    "e2e": [Quad(SOUP, polarity=GOOD)],
    "pairs": [Quad(SOUP, polarity=GOOD)],
    "aope": [Quad(SOUP), Quad(WAITERS)],
    "aste": [Quad(SOUP, polarity=GOOD)],
    "aste-explicit": [],
    "aste-all": [Quad(SOUP, polarity=GOOD), Quad(polarity=GOOD)],
    "acd": [Quad(category="food"), Quad(category="comfort")],
    "acp": [Quad(category="food", polarity=GOOD)],
    "acsc": [Quad(category="food", polarity=GOOD)],
    "tasd": [Quad(category="food", polarity=GOOD)],
    "towe": [],
    "asqp": [Quad(category="food", polarity=GOOD)],
    "quads": [Quad(SOUP, polarity=GOOD), Quad(category="food", polarity=GOOD)],
}


@pytest.mark.parametrize("name", TASKS)
def test_task_keeps_the_parts_it_is_about(name: str) -> None:
    projected = TASKS[name].project(Example("1", TEXT, WHOLE, "origin", "revtgt"))
    assert list(projected.quads) == KEPT_OF_WHOLE[name]
    assert (projected.id, projected.text, projected.source, projected.variant) == (
        "1",
        TEXT,
        "origin",
        "revtgt",
    )


@pytest.mark.parametrize("name", TASKS)
def test_task_keeps_term_quads_and_category_quads_apart(name: str) -> None:
    assert list(TASKS[name].project(Example("1", TEXT, SIDE_BY_SIDE)).quads) == KEPT_OF_SIDE_BY_SIDE[name]


@pytest.mark.parametrize("name", TASKS)
def test_task_projects_a_projected_example_to_itself(name: str) -> None:
    once = TASKS[name].project(Example("1", TEXT, WHOLE))
    assert TASKS[name].project(once) == once


@pytest.mark.parametrize("name", TASKS)
def test_task_knows_its_name_and_says_what_it_is(name: str) -> None:
    assert TASKS[name].name == name
    assert TASKS[name].title


def test_task_keeps_an_example_without_quads() -> None:
    assert TASKS["e2e"].project(Example("1", TEXT)).quads == ()


def test_task_keeps_the_confidence_of_a_prediction() -> None:
    sure = Quad(SOUP, "food", None, GOOD, {"positive": 0.9})
    assert TASKS["atsc"].select([sure])[0].confidence == {"positive": 0.9}


def test_task_gives_the_aspect_where_only_the_polarity_is_judged() -> None:
    assert (TASKS["atsc"].judges, TASKS["atsc"].given) == ({Part.POLARITY}, {Part.ASPECT})


def test_task_judges_predictions_without_a_place() -> None:
    named = Quad(Term("staff"), polarity=GOOD)
    assert TASKS["e2e"].select([named]) == ()
    assert TASKS["e2e"].for_predictions.select([named]) == (named,)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("aste", ["EE", "EI", "IE"]),
        ("aste-explicit", ["EE"]),
        ("aste-all", ["EE", "EI", "IE", "II"]),
        ("asqp", ["EE", "EI", "IE", "II"]),
        ("quads", ["EE", "EI", "IE", "II"]),
        ("acp", ["II", "II", "II", "II"]),
    ],
)
def test_task_keeps_quads_by_what_is_implicit(name: str, kept: list[str]) -> None:
    quads = [
        Quad(aspect, f"c{index}", opinion, GOOD)
        for index, (aspect, opinion) in enumerate([(SOUP, WARM), (SOUP, None), (None, WARM), (None, None)])
    ]
    found = TASKS[name].select(quads)
    spelt = ["".join("EI"[term is None] for term in (quad.aspect, quad.opinion)) for quad in found]
    assert spelt == kept


def test_task_keeps_no_aspect_without_polarity_as_a_triplet() -> None:
    assert TASKS["aste-all"].select([Quad(SOUP)]) == ()


def make_corpus(*annotates: Part) -> Corpus:
    return Corpus("trial", "en", frozenset(annotates), (Example("1", TEXT),))


def test_task_accepts_a_corpus_that_annotates_more() -> None:
    TASKS["e2e"].check(make_corpus(*Part))


def test_task_refuses_a_corpus_that_lacks_a_part() -> None:
    with pytest.raises(TaskError) as error:
        TASKS["aste"].check(make_corpus(Part.ASPECT, Part.POLARITY))
    assert str(error.value) == (
        "corpus 'trial' annotates aspect, polarity: task 'aste' needs aspect, opinion, polarity; "
        "with this corpus you can do: ate, atsc, e2e, pairs"
    )


def test_task_refuses_a_corpus_that_annotates_nothing() -> None:
    with pytest.raises(TaskError, match=r"annotates nothing: .*you can do: no task"):
        TASKS["acd"].check(make_corpus())


def test_task_suggests_a_near_name() -> None:
    with pytest.raises(ConfigError, match="did you mean 'aste'"):
        TASKS["astee"]
