"""Optimisers: who learns how fast, who decays, and when."""

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import torch

from aspectlab.encoders import load_encoder
from aspectlab.errors import ConfigError
from aspectlab.models import Plan, build_model
from aspectlab.training.step import Optimizer, schedule
from tests.support.families import save_folder
from tests.support.training import PLAN, make_model

CPU = torch.device("cpu")


def settings_of(plan: Plan) -> dict[str, tuple[float, float]]:
    """The learning rate and the decay of every parameter."""
    model = make_model()
    optimizer = Optimizer(model, plan, CPU)
    names = {parameter: name for name, parameter in model.named_parameters()}
    return {
        names[parameter]: (group["lr"], group["weight_decay"])
        for group in optimizer.torch.param_groups
        for parameter in group["params"]
    }


def test_optimizer_has_every_trainable_parameter_once() -> None:
    model = make_model()
    model.classify.bias.requires_grad_(False)
    found = [id(parameter) for parameter in Optimizer(model, PLAN, CPU).parameters()]
    assert sorted(found) == sorted(id(p) for p in model.parameters() if p.requires_grad)


def test_optimizer_decays_matrices_and_no_vectors() -> None:
    found = settings_of(replace(PLAN, weight_decay=0.1))
    assert found["classify.weight"][1] == 0.1
    assert found["encoder.model.embeddings.word_embeddings.weight"][1] == 0.1
    assert found["classify.bias"][1] == 0.0
    assert found["encoder.model.embeddings.LayerNorm.weight"][1] == 0.0


def test_optimizer_gives_the_encoder_its_own_rate() -> None:
    found = settings_of(replace(PLAN, learning_rate=1e-2, encoder_learning_rate=1e-4))
    assert found["classify.weight"][0] == 1e-2
    assert found["encoder.model.pooler.dense.weight"][0] == 1e-4


def test_decay_by_layer_is_refused_where_no_layers_are_known(tmp_path: Path) -> None:
    model = build_model("marked", load_encoder(save_folder("albert", tmp_path)))
    with pytest.raises(ConfigError, match=r"layer_decay = 0\.5: .*ALBERT repeats .*leave layer_decay out"):
        Optimizer(model, replace(PLAN, layer_decay=0.5), CPU)


def test_optimizer_slows_lower_layers_down() -> None:
    found = settings_of(replace(PLAN, learning_rate=1.0, layer_decay=0.5))
    # four levels: embeddings, two layers, what is above them
    places = {
        "classify.weight": 1.0,
        "encoder.model.pooler.dense.weight": 1.0,
        "encoder.model.encoder.layer.1.output.dense.weight": 0.5,
        "encoder.model.encoder.layer.0.output.dense.weight": 0.25,
        "encoder.model.embeddings.word_embeddings.weight": 0.125,
    }
    assert {name: found[name][0] for name in places} == places


@pytest.mark.parametrize(
    ("kind", "progress", "factor"),
    [
        ("linear", 0.0, 0.0),
        ("linear", 0.1, 0.5),  # halfway through a warm-up of a fifth
        ("linear", 0.2, 1.0),
        ("linear", 0.6, 0.5),  # halfway down
        ("linear", 1.0, 0.0),
        ("constant", 0.1, 0.5),
        ("constant", 0.9, 1.0),
    ],
)
def test_schedule_gives_the_hand_computed_factor(kind: str, progress: float, factor: float) -> None:
    assert schedule(replace(PLAN, schedule=kind, warmup=0.2), progress) == pytest.approx(factor)


@pytest.mark.parametrize("warmup", [0.0, 1.0])
def test_schedule_takes_a_warm_up_of_nothing_or_all(warmup: float) -> None:
    factors = [schedule(replace(PLAN, warmup=warmup), progress / 10) for progress in range(11)]
    assert all(0 <= factor <= 1 for factor in factors)


def test_optimizer_follows_the_schedule() -> None:
    optimizer = Optimizer(make_model(), replace(PLAN, learning_rate=0.8, warmup=0.5), CPU)
    optimizer.set_progress(0.25)
    assert {group["lr"] for group in optimizer.torch.param_groups} == {0.4}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("adamw", torch.optim.AdamW), ("adam", torch.optim.Adam), ("adagrad", torch.optim.Adagrad)],
)
def test_optimizer_is_the_one_of_the_plan(name: str, kind: type[torch.optim.Optimizer]) -> None:
    assert type(Optimizer(make_model(), replace(PLAN, optimizer=name), CPU).torch) is kind


def test_optimizer_forgets_its_moments() -> None:
    model = make_model()
    optimizer = Optimizer(model, PLAN, CPU)
    model.classify.weight.grad = torch.ones_like(model.classify.weight)
    optimizer.torch.step()
    optimizer.forget()
    state = optimizer.torch.state[model.classify.weight]
    assert {name: float(value.abs().sum()) for name, value in state.items()} == {
        "step": 0,
        "exp_avg": 0,
        "exp_avg_sq": 0,
    }
