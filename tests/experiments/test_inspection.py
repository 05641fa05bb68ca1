"""A model of a study is looked up with its settings, and what is wrong with them is named."""

import pytest

pytest.importorskip("torch", reason="the table of models needs the extra 'train'")

from aspectlab.data import Example, Polarity, Quad, Term
from aspectlab.experiments.execute import inspect_models
from aspectlab.experiments.plan import ModelRequest
from aspectlab.models import MODELS


def test_facts_hold_settings_and_plan_with_their_defaults() -> None:
    facts = inspect_models([ModelRequest("marked", {"epochs": 3, "learning_rate": 1})])[0]
    assert (facts.task, facts.encoder, facts.problems) == ("atsc", "minilm", ())
    assert facts.plan["epochs"] == 3
    assert type(facts.plan["learning_rate"]) is float
    assert facts.plan["batch_size"] == MODELS["marked"].plan.batch_size
    assert facts.settings["dropout"] == 0.1


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, set()),
        ({"variant_ratio": 2}, {"variant_ratio"}),
        ({"curriculum": 0.5}, {"curriculum", "curriculum_order"}),
    ],
)
def test_plan_says_nothing_of_variants_where_they_are_not_spoken_of(
    given: dict[str, object], expected: set[str]
) -> None:
    (facts,) = inspect_models([ModelRequest("marked", given)])
    assert {key for key in facts.plan if key.startswith(("curriculum", "variant"))} == expected


def test_plan_says_nothing_of_mato_where_it_is_off() -> None:
    without, with_mato = inspect_models([ModelRequest("stage", {}), ModelRequest("stage", {"mato": True})])
    assert not [key for key in without.plan if key.startswith("mato")]
    assert (with_mato.plan["mato"], with_mato.plan["mato_variant"]) == (True, "published")


def test_setting_decides_the_task() -> None:
    requests = [ModelRequest("lcf-atepc", {"given": given}) for given in (True, False)]
    assert [facts.task for facts in inspect_models(requests)] == ["atsc", "e2e"]


def test_styles_and_categories_of_the_corpus_decide_the_task() -> None:
    told = Quad(None, "price", Term("cheap"), Polarity.POSITIVE)
    bare, named = Example("1", "cheap", style="aste"), Example("2", "cheap", (told,), style="memd")
    requests = [ModelRequest("quad-span", {}, samples) for samples in ((), (bare,), (named,), (bare, named))]
    assert [facts.task for facts in inspect_models(requests)] == ["aste", "aste", "asqp", "quads"]
    assert not inspect_models(requests)[3].settings["styles"], "each run finds those of its own corpus"


@pytest.mark.parametrize(
    ("model", "settings", "expected"),
    [
        ("markd", {}, "model 'markd' is unknown: did you mean 'marked'?"),
        ("marked", {"epoch": 3}, "setting 'epoch' is unknown: did you mean 'epochs'?"),
        ("marked", {"epochs": 0}, "epochs = 0: expected a whole number from 1 on"),
        ("marked", {"epochs": 1.5}, "epochs = 1.5: expected a whole number"),
        ("marked", {"epochs": True}, "epochs = True: expected a whole number"),
        ("marked", {"learning_rate": -1.0}, "learning_rate = -1.0: expected a rate above 0"),
        ("marked", {"dropout": 1.0}, "dropout = 1.0: expected a share from 0 to below 1"),
        ("marked", {"optimizer": "lion"}, "optimizer = 'lion': expected one of 'adamw', 'adam', 'adagrad'"),
        ("marked", {"encoder_learning_rate": "no"}, "expected a number or 'none'"),
        ("marked", {"mato": True}, "mato = True: expected one of bdtf, com-mrc"),
        ("stage", {"mato": True, "mato_aspect": 2}, "mato_aspect = 2: expected a share from 0 to 1"),
        ("marked", {"curriculum": 1}, "curriculum = 1: expected a share from 0 to below 1"),
        ("marked", {"variant_ratio": 0}, "variant_ratio = 0: expected variants per original"),
        ("mgan", {"hidden": 0}, "hidden = 0: expected a whole number from 1 on"),
        ("rgat-bert", {"attention_dropout": 1.0}, "attention_dropout = 1.0: expected a share from 0"),
    ],
)
def test_mistake_is_named(model: str, settings: dict[str, object], expected: str) -> None:
    facts = inspect_models([ModelRequest(model, settings)])[0]
    assert len(facts.problems) == 1
    assert expected in facts.problems[0]


def test_none_stands_for_no_value() -> None:
    facts = inspect_models([ModelRequest("marked", {"encoder_learning_rate": "none"})])[0]
    assert facts.problems == ()
    assert facts.plan["encoder_learning_rate"] is None


def test_recipe_of_the_authors_is_where_settings_start() -> None:
    ours, theirs = inspect_models(
        [ModelRequest("stage", {"epochs": 3}, recipe=recipe) for recipe in ("ours", "published")]
    )
    assert (ours.plan["encoder_learning_rate"], ours.plan["average"]) == (1e-4, 0.99)
    assert (theirs.plan["encoder_learning_rate"], theirs.plan["average"]) == (2e-5, 0.0)
    assert ours.plan["epochs"] == theirs.plan["epochs"] == 3


def test_recipe_that_no_paper_has_is_a_mistake() -> None:
    facts = inspect_models([ModelRequest("marked", {}, recipe="published")])[0]
    assert facts.problems == (
        "model marked: no paper describes it: expected the recipe 'ours'; leave the recipe out",
    )
