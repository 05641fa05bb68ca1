"""Verdicts: categories and classes read from a corpus; expected values are read off the sentences below."""

import numpy as np
import pytest

from aspectlab.data import Example, Polarity, Quad, Term
from aspectlab.encodings.categories import (
    CategoryLabels,
    check_category_labels,
    complete_category_labels,
    find_category_labels,
    read_category_labels,
)
from aspectlab.errors import ConfigError

GOOD, BAD, MIXED = Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.CONFLICT

# a category twice with opposite polarities, beside a term of which no category is known
TORN = Example(
    "1",
    "Fine soup, awful bread, slow staff.",
    (
        Quad(Term("soup"), "food", None, GOOD),
        Quad(Term("bread"), "food", None, BAD),
        Quad(Term("staff"), "service", None, BAD),
        Quad(Term("staff"), None, None, BAD),
    ),
)
PLAIN = Example("2", "So-so prices.", (Quad(category="price", polarity=MIXED),))
# MuSe-CarASTE marks a segment without triplets by its category
BARE = Example("3", "It seats five.", (Quad(category="comfort"),))
ACP = CategoryLabels(
    "acp", ("food", "price", "service"), ("absent", "negative", "positive", "negative+positive")
)


@pytest.mark.parametrize(
    ("task", "categories", "classes"),
    [
        ("acp", ["food", "price", "service"], ["absent", "conflict", "negative", "negative+positive"]),
        ("acsc", ["food", "price", "service"], ["conflict", "negative", "negative+positive"]),
        ("acd", ["comfort", "food", "price", "service"], ["absent", "present"]),
    ],
)
def test_verdicts_are_read_from_a_corpus(task: str, categories: list[str], classes: list[str]) -> None:
    found = read_category_labels([TORN, PLAIN, BARE], task)
    assert found == {"categories": categories, "classes": classes}


def test_verdicts_of_a_text_name_the_set_of_its_polarities() -> None:
    assert find_category_labels(TORN, "acp") == {"food": "negative+positive", "service": "negative"}


def test_labels_of_what_is_not_said_are_absent() -> None:
    assert ACP.labels(TORN) == {"food": 3, "price": 0, "service": 1}


def test_labels_of_a_class_that_training_did_not_see_are_none() -> None:
    assert ACP.labels(PLAIN) == {"food": 0, "price": -1, "service": 0}


def test_labels_of_categories_that_are_not_given_are_none() -> None:
    given = CategoryLabels("acsc", ("food", "price"), ("negative", "negative+positive"))
    assert given.labels(TORN) == {"food": 1, "price": -1, "service": 0}


@pytest.mark.parametrize(
    ("shares", "polarities"),
    [
        ([0.6, 0.3, 0.05, 0.05], []),
        ([0.4, 0.3, 0.2, 0.1], [BAD]),
        ([0.1, 0.2, 0.2, 0.5], [BAD, GOOD]),
    ],
)
def test_quads_are_those_of_the_likeliest_class_that_is_there(
    shares: list[float], polarities: list[Polarity]
) -> None:
    quads = ACP.quads("food", np.log(np.array(shares, np.float32)))
    assert [(quad.category, quad.polarity) for quad in quads] == [("food", sign) for sign in polarities]


def test_quads_are_more_with_a_lower_threshold() -> None:
    eager = CategoryLabels("acp", ACP.categories, ACP.classes, threshold=0.3)
    quads = eager.quads("food", np.log(np.array([0.6, 0.3, 0.05, 0.05], np.float32)))
    assert [quad.polarity for quad in quads] == [BAD]


def test_confidence_counts_a_set_for_each_of_its_polarities() -> None:
    quad = ACP.quads("food", np.log(np.array([0.2, 0.4, 0.3, 0.1], np.float32)))[0]
    # by hand, of the 0.8 that is there: (0.4 + 0.1) / 0.8 and (0.3 + 0.1) / 0.8
    assert quad.confidence == pytest.approx({"negative": 0.625, "positive": 0.5}, abs=1e-5)


def test_quads_of_a_category_alone_have_no_polarity() -> None:
    found = CategoryLabels("acd", ("food",), ("absent", "present")).quads(
        "food", np.array([0.0, 1.0], np.float32)
    )
    assert found == (Quad(category="food"),)


def test_settings_that_are_given_are_kept() -> None:
    settings = complete_category_labels({"categories": ["food"], "dropout": 0.2}, [TORN])
    assert settings == {
        "categories": ["food"],
        "dropout": 0.2,
        "classes": ["absent", "negative", "negative+positive"],
    }


def test_settings_take_the_text_of_a_command_line() -> None:
    assert check_category_labels("acp", "food,price", "absent,positive", 0.5).categories == ("food", "price")


@pytest.mark.parametrize(
    ("task", "categories", "classes", "message"),
    [
        ("acp", [], ["absent", "positive"], "categories = .*at least one name.*training corpus"),
        ("acp", ["food"], ["positive"], "classes = .*'absent' and what else"),
        ("acp", ["food"], ["absent"], "classes = .*'absent' and what else"),
        ("acsc", ["food"], ["absent", "positive"], "classes = .*polarities alone"),
    ],
)
def test_settings_that_cannot_be_are_refused(
    task: str, categories: list[str], classes: list[str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        check_category_labels(task, categories, classes, 0.5)


@pytest.mark.parametrize("named", [["food", "services"], "food, services"])
def test_category_that_training_never_saw_is_refused_with_the_nearest(named: object) -> None:
    with pytest.raises(ConfigError, match="'services' is in no training example: did you mean 'service'"):
        complete_category_labels({"categories": named}, [TORN])


def test_given_category_may_be_one_that_training_never_saw() -> None:
    settings = complete_category_labels({"categories": ["sauna"], "task": "acsc"}, [TORN])
    assert settings["categories"] == ["sauna"]


def test_categories_of_the_command_line_may_have_blanks_between() -> None:
    assert check_category_labels("acd", "food, price", ("absent", "present"), 0.5).categories == (
        "food",
        "price",
    )
