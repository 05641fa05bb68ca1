"""Optimisers: who learns how fast, who decays, and when."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import numpy as np
import torch

from aspectlab.encoders import load_encoder
from aspectlab.errors import ConfigError
from aspectlab.models import Plan, build_model
from aspectlab.training.dataset import BatchRows, EncodedDataset
from aspectlab.training.step import ALONE, Optimizer, Stepper, choose_device, computing, schedule
from aspectlab.training.trainer import Trainer
from tests.support.families import save_folder
from tests.support.training import PLAN, make_examples, make_model

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


def make_stepper(plan: Plan) -> Stepper:
    """A stepper over eighteen sentences, of a model without dropout."""
    model = make_model().eval()
    store = EncodedDataset(model.encoding, make_examples("Today"), CPU)
    return Stepper(model, plan, store, Optimizer(model, plan, CPU), ALONE)


def test_gradients_of_several_batches_add_up_to_those_of_one() -> None:
    whole, parts = (make_stepper(replace(PLAN, clip=1e6)) for _ in range(2))
    rows, length = np.arange(8), int(whole.store.lengths.max())
    whole.step(BatchRows(rows, length))
    # of different sizes: an item weighs the same in each
    parts.step(BatchRows(rows[:3], length), BatchRows(rows[3:], length))
    assert parts.take_loss() == pytest.approx(whole.take_loss(), abs=1e-6)
    for expected, found in zip(whole.parameters, parts.parameters, strict=True):
        torch.testing.assert_close(found.grad, expected.grad, rtol=1e-4, atol=1e-6)


def test_training_takes_a_step_for_every_so_many_batches() -> None:
    def count_steps(accumulate: int) -> int:
        model, plan = make_model(), replace(PLAN, epochs=1, batch_size=4, accumulate=accumulate)
        store = EncodedDataset(model.encoding, [*make_examples("Today"), *make_examples("Now")], CPU)
        trainer = Trainer(model, store, plan, CPU)
        trainer.fit(list(range(18)), list(range(18, 36)), seed=1)
        return int(next(iter(trainer.optimizer.torch.state.values()))["step"])

    # eighteen items in batches of four are five batches: three steps of two, two of three
    assert [count_steps(size) for size in (1, 2, 3)] == [5, 3, 2]


def test_apple_device_is_taken_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert choose_device("mps") == torch.device("mps")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(ConfigError, match="Metal is not usable here; use 'cpu', or 'auto'"):
        choose_device("mps")


def test_half_precision_of_an_older_macos_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_macos_or_newer", lambda major, minor: False)
    with pytest.raises(ConfigError, match="from macOS 14 on"), computing(torch.device("mps"), "bf16"):
        pass


def test_processor_computes_in_half_precision_when_it_is_told_to() -> None:
    with computing(CPU, "bf16"):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16


_PROGRAM = """
import json, sys
from dataclasses import replace
import torch
from torch import nn
from aspectlab.training import fit, is_first_process
from tests.support.training import PLAN, make_examples, make_model

torch.set_num_threads(1)
model = make_model()
for module in model.modules():
    if isinstance(module, nn.Dropout):
        module.p = 0.0
# a last batch of one item leaves the second process without any
plan = replace(PLAN, epochs=4, batch_size=int(sys.argv[2]), accumulate=int(sys.argv[3]), clip=0.5)
train = make_examples("Today")[:17]
seen = []
fitted = fit(model, train, make_examples("Now"), plan=plan, seed=1, device="cpu", callbacks=[seen.append])
assert len(seen) == (4 if is_first_process() else 0)  # a tracker hears of each epoch once
if is_first_process():
    with open(sys.argv[1], "w") as stream:
        json.dump([[epoch.loss, epoch.dev["accuracy"]] for epoch in fitted.history], stream)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("batch_size", "accumulate"), [(8, 1), (4, 2)])
def test_two_processes_learn_as_one_does(batch_size: int, accumulate: int, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM, "utf-8")
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    curves = []
    for name, command in (("one", [sys.executable]), ("two", start)):
        words = [*command, str(program), str(tmp_path / name), str(batch_size), str(accumulate)]
        subprocess.run(words, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": os.getcwd()})
        curves.append(json.loads((tmp_path / name).read_text("utf-8")))
    assert len(curves[0]) == 4
    np.testing.assert_allclose(curves[1], curves[0], rtol=1e-4)
    assert curves[0][0][0] > curves[0][-1][0]
