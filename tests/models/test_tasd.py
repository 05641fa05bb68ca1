"""Models of quads that learn aspect, category and polarity alone."""

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

import torch

from aspectlab.data import Example, Quad
from aspectlab.encoders import load_encoder
from aspectlab.experiments import ModelRequest, inspect_models
from aspectlab.models import MODELS, build_model
from aspectlab.tasks import TASKS
from aspectlab.training import fit, predict

every_model_of_quads = pytest.mark.parametrize("name", ["quad-span", "paraphrase"])


@every_model_of_quads
def test_model_learns_corpora_that_annotate_no_opinions(name: str, eight: list[Example]) -> None:
    bare = [replace(e, quads=tuple(replace(quad, opinion=None) for quad in e.quads)) for e in eight]
    # the last one names no aspect, as SemEval-16 marks by NULL
    bare[-1] = replace(bare[-1], quads=(replace(bare[-1].quads[0], aspect=None),))
    settings = MODELS[name].complete_settings({"task": "tasd"}, bare)
    torch.manual_seed(7)
    model = build_model(name, load_encoder("tiny"), settings)
    assert model.task == "tasd"
    dev = [replace(e, id=f"{e.id}-dev", text=e.text.upper(), quads=_upper(e)) for e in bare]
    plan = replace(
        model.plan,
        epochs=60,
        batch_size=8,
        learning_rate=5e-3,
        encoder_learning_rate=None,
        schedule="constant",
        warmup=0.0,
        average=0.0,
        patience=60,
        precision="fp32",
    )
    assert fit(model, bare, dev, plan=plan, seed=5, device="cpu").best.dev["f1"] == 1.0
    found = [TASKS["tasd"].project(example) for example in predict(model, bare)]
    assert [replace(q, confidence=None) for e in found for q in e.quads] == [q for e in bare for q in e.quads]


def _upper(example: Example) -> tuple[Quad, ...]:
    (quad,) = example.quads
    aspect = quad.aspect and replace(quad.aspect, text=quad.aspect.text.upper())
    return (replace(quad, aspect=aspect),)


@pytest.mark.parametrize(
    ("asked", "learnt"), [({}, "asqp"), ({"task": "tasd"}, "tasd"), ({"task": "aste"}, "aste")]
)
def test_task_of_quad_span_is_that_of_the_corpus_unless_one_is_asked_for(
    asked: dict[str, object], learnt: str, eight: list[Example]
) -> None:
    kind = MODELS["quad-span"]
    assert kind.task_of(kind.complete_settings(asked, eight)) == learnt


@every_model_of_quads
def test_setting_that_came_later_changes_no_id_at_its_default(name: str, eight: list[Example]) -> None:
    """A run's id is the hash of all settings; runs that are finished keep theirs."""
    usual = {"quad-span": "auto", "paraphrase": "asqp"}[name]
    plain, said, other = inspect_models(
        [ModelRequest(name, settings, tuple(eight)) for settings in ({}, {"task": usual}, {"task": "tasd"})]
    )
    assert "task" not in plain.settings
    assert plain.settings == said.settings
    assert other.settings["task"] == "tasd"
