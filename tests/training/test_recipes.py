"""One recipe and one seed: the command line, Python's defaults and one changed field agree on the rest."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import torch
from typer.testing import CliRunner

from aspectlab.cli.main import app
from aspectlab.data import Corpus, Example
from aspectlab.encoders import load_encoder
from aspectlab.errors import ConfigError, TaskError
from aspectlab.models import MODELS, Model, Plan, build_model
from aspectlab.readers import write
from aspectlab.registry import options_of
from aspectlab.training import Recipe, fit, load_model, plan_to_dict, trainer
from aspectlab.training.recipe import describe_recipe
from tests.support.tiny_models import SENTENCES, make_example
from tests.support.training import PLAN, make_examples, make_model

every_model = pytest.mark.parametrize("name", MODELS)
EIGHT = [make_example(str(n), *sentence) for n, sentence in enumerate(SENTENCES)]
AGAIN = [
    make_example(f"{n}-again", text.upper(), aspect.upper(), polarity, opinion.upper())
    for n, (text, aspect, polarity, opinion) in enumerate(SENTENCES)
]


class PlannedError(Exception):
    """The plan that a training would follow; nothing is trained."""


@pytest.fixture
def plan_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, object]]:
    """Return the plan that a call would train by."""

    def stop(model: Model, dataset: object, plan: Plan, *_: object) -> None:
        raise PlannedError(plan_to_dict(plan))

    monkeypatch.setattr(trainer, "Trainer", stop)

    def find(call: Callable[[], object]) -> dict[str, object]:
        with pytest.raises(PlannedError) as stopped:
            call()
        plan: dict[str, object] = stopped.value.args[0]
        return plan

    return find


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("recipes")
    for part, examples in (("train", EIGHT), ("dev", AGAIN)):
        write(Corpus(part, "en", examples=examples), place / f"{part}.jsonl", "jsonl")
    return place


def told(name: str) -> dict[str, object]:
    # trees without grammar: the default parser needs a package
    return {"parser": "chain"} if "parser" in options_of(MODELS[name]) else {}


def call_cli(name: str, folder: Path, out: Path, *options: str) -> None:
    settings = [word for key, value in told(name).items() for word in ("--set", f"{key}={value}")]
    files = ["--train", str(folder / "train.jsonl"), "--dev", str(folder / "dev.jsonl"), "--out", str(out)]
    words = ["train", "--model", name, "--encoder", "tiny", "--device", "cpu", *files, *settings, *options]
    answer = CliRunner().invoke(app, words)
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    assert answer.exit_code == 0, answer.output


@every_model
def test_command_line_defaults_and_one_changed_setting_agree_on_all_others(
    name: str, plan_of: Callable[..., dict[str, object]], folder: Path, tmp_path: Path
) -> None:
    own = plan_to_dict(MODELS[name].plan)
    train, dev = folder / "train.jsonl", folder / "dev.jsonl"
    model = build_model(name, "tiny", told(name), train=EIGHT)
    assert plan_of(lambda: fit(model, train, dev)) == own
    changed = own | {"epochs": 2}
    assert plan_of(lambda: fit(model, train, dev, epochs=2)) == changed
    assert plan_of(lambda: fit(model, train, dev, plan=Plan(epochs=2))) == changed
    assert plan_of(lambda: fit(model, train, dev, plan=model.plan.replace(epochs=2))) == changed
    assert plan_of(lambda: fit(name, train, dev, encoder="tiny", epochs=2, **told(name))) == changed
    assert plan_of(lambda: call_cli(name, folder, tmp_path / "model", "--epochs", "2")) == changed


@every_model
def test_one_seed_gives_one_result_however_the_training_is_called(
    name: str, folder: Path, tmp_path: Path
) -> None:
    call_cli(name, folder, tmp_path / "model", "--epochs", "1", "--seed", "5")
    expected = load_model(tmp_path / "model").state_dict()
    train, dev = folder / "train.jsonl", folder / "dev.jsonl"
    torch.manual_seed(99)  # what happened before plays no part
    inside = fit(name, train, dev, encoder="tiny", epochs=1, seed=5, device="cpu", **told(name)).model
    model = build_model(name, "tiny", told(name), train=EIGHT)
    torch.rand(3)
    before = fit(model, train, dev, epochs=1, seed=5, device="cpu").model
    for found in (inside.state_dict(), before.state_dict()):
        assert [key for key in expected if not torch.equal(found[key], expected[key])] == []


TRAIN, DEV = make_examples("Today"), make_examples("Yesterday")


def head(model: Model) -> torch.Tensor:
    return model.classify.weight.detach().clone()  # type: ignore[union-attr]


def test_another_seed_draws_other_weights() -> None:
    models = [build_model("marked", "tiny") for _ in range(2)]
    for seed, model in enumerate(models):
        fit(model, TRAIN, DEV, plan=PLAN, epochs=1, learning_rate=1e-9, seed=seed, device="cpu")
    assert not torch.allclose(head(models[0]), head(models[1]), atol=1e-3)


def test_training_that_goes_on_keeps_what_was_learnt() -> None:
    model = fit(make_model(), TRAIN, DEV, plan=PLAN, device="cpu").model
    learnt = head(model)
    fit(model, TRAIN, DEV, plan=PLAN, epochs=1, learning_rate=1e-9, seed=9, device="cpu")
    torch.testing.assert_close(head(model), learnt, atol=1e-5, rtol=0)


def test_weights_that_were_set_by_hand_stay() -> None:
    model = make_model()
    torch.nn.init.zeros_(model.classify.weight)  # type: ignore[union-attr]
    fit(model, TRAIN, DEV, plan=PLAN, epochs=1, learning_rate=1e-9, seed=9, device="cpu")
    assert head(model).abs().max() < 1e-5


def test_fit_takes_no_test_set_by_another_name() -> None:
    with pytest.raises(ConfigError, match="setting 'test' is unknown"):
        fit(make_model(), TRAIN, DEV, test=DEV)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epochs": "2"}, "epochs = '2': expected a whole number"),
        ({"epochs": 0}, "epochs = 0: expected a whole number from 1 on"),
        ({"dropout": 0.2}, "'dropout' is a setting of the model; give it to build_model"),
        ({"encoder": "tiny"}, "beside a built model; give them to build_model"),
    ],
)
def test_setting_that_does_not_fit_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        fit(make_model(), TRAIN, DEV, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [3, [3], ["a text"], None])
def test_what_is_no_corpus_is_refused_with_words(wrong: object) -> None:
    with pytest.raises(
        TypeError, match=r"fit: dev: found .*expected a corpus, its path, or a list of examples"
    ):
        fit(make_model(), TRAIN, wrong)  # type: ignore[arg-type]


def test_corpus_that_does_not_annotate_what_is_learnt_is_refused() -> None:
    bare = Corpus("bare", examples=[Example("1", "Fine."), Example("2", "Bad.")])
    with pytest.raises(TaskError, match="corpus 'bare' annotates nothing: task 'atsc' needs"):
        fit(make_model(), bare, DEV)


def test_plan_leaves_open_what_it_was_not_given() -> None:
    recipe = Plan(epochs=30, batch_size=16, average=0.9)
    assert Plan(epochs=2).completed(recipe) == Plan(epochs=2, batch_size=16, average=0.9)
    assert replace(Plan(), epochs=2).completed(recipe) == Plan(epochs=2)
    assert Plan(mato=True).completed(Plan(curriculum=0.5)) == Plan(mato=True, curriculum=0.5)


def test_recipe_of_the_command_line_builds_what_python_builds() -> None:
    recipe = Recipe("marked", "tiny", {}, Plan(), 3)
    first, second = recipe.build(), recipe.build()
    torch.manual_seed(3)
    third = build_model("marked", load_encoder("tiny"))
    assert torch.equal(head(first), head(second))
    assert torch.equal(head(first), head(third))


def published(name: str) -> bool:
    return MODELS[name].published is not None


# models of ours, of which no paper has settings
OURS = {"marked", "category-multilabel", "category-pair", "quad-span", "target-tagger"}


def test_every_model_of_a_paper_has_its_published_settings() -> None:
    assert {name for name in MODELS if not published(name)} == OURS


@pytest.mark.parametrize("name", sorted(set(MODELS) - OURS))
def test_published_recipe_trains_by_the_published_plan(
    name: str, plan_of: Callable[..., dict[str, object]], folder: Path, tmp_path: Path
) -> None:
    train, dev = folder / "train.jsonl", folder / "dev.jsonl"
    kind = MODELS[name]
    assert kind.published is not None
    expected = plan_to_dict(kind.published.plan) | {"epochs": 2}
    model = build_model(name, "tiny", told(name), recipe="published", train=EIGHT)
    assert model.settings == model.settings | dict(kind.published.settings)
    assert plan_of(lambda: fit(model, train, dev, epochs=2)) == expected
    options = ("--recipe", "published", "--epochs", "2")
    assert plan_of(lambda: call_cli(name, folder, tmp_path / "model", *options)) == expected
    changes = ", ".join(["epochs=3", *(f"{key}={value}" for key, value in told(name).items())])
    assert describe_recipe(model, kind.published.plan.replace(epochs=3)) == f"published, but {changes}"


# from the released code of the authors, as their repositories have it
@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("bert", {"epochs": 4, "batch_size": 32, "learning_rate": 3e-5, "warmup": 0.1, "optimizer": "adamw"}),
        ("stage", {"epochs": 100, "batch_size": 16, "learning_rate": 1e-3, "encoder_learning_rate": 2e-5}),
        ("span-aste", {"epochs": 10, "batch_size": 1, "clip": 5.0, "encoder_learning_rate": 5e-5}),
        ("paraphrase", {"epochs": 20, "batch_size": 16, "learning_rate": 3e-4, "average": 0.0}),
        ("memnet", {"optimizer": "sgd", "learning_rate": 0.01}),
    ],
)
def test_published_settings_are_those_of_the_authors(name: str, facts: dict[str, object]) -> None:
    kind = MODELS[name]
    assert kind.published is not None
    plan = plan_to_dict(kind.published.plan)
    assert {key: plan[key] for key in facts} == facts
    assert plan["patience"] == plan["epochs"]  # none of these stops early


def test_model_without_a_paper_has_no_published_recipe() -> None:
    with pytest.raises(ConfigError, match="model marked: no paper describes it: expected the recipe 'ours'"):
        build_model("marked", "tiny", recipe="published")


def test_recipe_that_does_not_exist_is_named() -> None:
    with pytest.raises(ConfigError, match="recipe 'publisht' is unknown: did you mean 'published'"):
        build_model("stage", "tiny", recipe="publisht")


@pytest.mark.parametrize("encoder", [None, "minilm", "mpnet", "minilm,lora=4"])
def test_posttrained_model_refuses_an_encoder_for_any_text(encoder: str | None) -> None:
    with pytest.raises(ConfigError, match="expected one that was post-trained on reviews; make one with"):
        build_model("bert-pt", encoder)
    with pytest.raises(ConfigError, match="post-trained"):
        Recipe("bert-pt", encoder or "minilm", {}, Plan(), 1).build()


def test_sgd_takes_plain_steps() -> None:
    fitted = fit(make_model(), TRAIN, DEV, plan=PLAN, optimizer="sgd", learning_rate=0.1, device="cpu")
    assert fitted.history[-1].loss < fitted.history[0].loss
