"""The loop: what chooses the epoch, when it stops, what it refuses, and how it goes on."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import re

import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.encodings import PairBatch
from aspectlab.errors import ConfigError, TaskError
from aspectlab.models import Model, Plan
from aspectlab.progress import Progress, ProgressCallback
from aspectlab.training import Epoch, Fitted, fit, trainer
from aspectlab.training.checkpoint import live_tensors
from aspectlab.training.trainer import TrainingError
from tests.support.training import PLAN, make_example, make_examples, make_model

TRAIN, DEV = make_examples("Today"), make_examples("Yesterday")[::2]
Script = Callable[..., None]
STEADY = {"schedule": "constant", "warmup": 0.0}


def run(model: Model, plan: Plan, resume: Path | None = None) -> Fitted:
    return fit(model, TRAIN, DEV, plan=plan, seed=4, device="cpu", resume=resume)


def weights(model: Model) -> list[Tensor]:
    return [tensor.clone() for tensor in live_tensors(model)]


def assert_same(found: list[Tensor], expected: list[Tensor]) -> None:
    assert [torch.equal(a, b) for a, b in zip(found, expected, strict=True)] == [True] * len(found)


@pytest.fixture
def script_dev(monkeypatch: pytest.MonkeyPatch) -> Script:
    """Replace the dev scores of the epochs by given ones."""

    def script(*pairs: tuple[float, float]) -> None:
        scores: Iterator[tuple[float, float]] = iter(pairs)

        def next_scores(*_: object, precision: str) -> dict[str, float]:
            return dict(zip(("accuracy", "macro_f1"), next(scores), strict=True))

        monkeypatch.setattr(trainer, "dev_scores", next_scores)

    return script


def test_fit_has_no_place_for_a_test_set() -> None:
    known = {"model", "train", "dev", "plan", "recipe", "encoder", "seed", "device"}
    known |= {"progress", "callbacks", "resume", "settings"}
    assert set(inspect.signature(fit).parameters) == known


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ([(0.3, 0.3), (0.9, 0.2), (0.5, 0.9)], 1),
        ([(0.3, 0.3), (0.3, 0.4), (0.3, 0.2)], 1),  # equal accuracy: macro-F1 decides
        ([(0.7, 0.3), (0.7, 0.3), (0.7, 0.3)], 0),  # equal altogether: the first
    ],
)
def test_fit_keeps_the_weights_of_the_best_dev_epoch(
    script_dev: Script, scores: list[tuple[float, float]], best: int
) -> None:
    script_dev(*scores)
    fitted = run(make_model(), replace(PLAN, **STEADY))
    # the same training, stopped after the best epoch; at a constant rate it takes the same steps
    script_dev(*((0.1 * epoch, 0.0) for epoch in range(best + 1)))
    stopped = run(make_model(), replace(PLAN, epochs=best + 1, **STEADY))
    assert (fitted.best.number, len(fitted.history)) == (best, 3)
    assert_same(weights(fitted.model), weights(stopped.model))


@pytest.mark.parametrize(("patience", "epochs"), [(1, 3), (2, 4), (9, 6)])
def test_fit_stops_after_as_many_epochs_without_gain_as_it_has_patience(
    script_dev: Script, patience: int, epochs: int
) -> None:
    script_dev((0.4, 0.0), (0.5, 0.0), *[(0.2, 0.0)] * 8)
    fitted = run(make_model(), replace(PLAN, epochs=6, patience=patience))
    assert len(fitted.history) == epochs
    assert fitted.best.number == 1


def test_fit_learns() -> None:
    fitted = run(make_model(), replace(PLAN, epochs=25, learning_rate=3e-3))
    assert fitted.history[-1].loss < 0.5 * fitted.history[0].loss
    assert fitted.best.dev["accuracy"] == 1.0


def test_fit_reports_its_progress() -> None:
    seen: list[Progress[Epoch | None]] = []
    fit(
        make_model(),
        TRAIN,
        DEV,
        plan=replace(PLAN, epochs=2),
        device="cpu",
        progress=seen.append,
    )
    assert [progress.share for progress in seen] == [0.0, 0.5, 0.5, 1.0]
    assert [progress.detail and progress.detail.number for progress in seen] == [None, 0, None, 1]
    assert seen[0].text == "epoch 1/2"
    # the scores of an epoch are shown until the next one has some
    scored = r"epoch %s/2:  loss \d+\.\d{4}  dev \w+ \d+\.\d\d"
    assert all(re.fullmatch(scored % epoch, seen[at].text) for at, epoch in ((1, 1), (2, 2), (3, 2)))


class Interrupt(KeyboardInterrupt):
    """Stands in for a user who presses Ctrl-C."""


def interrupt_in(epoch: int) -> ProgressCallback[Epoch | None]:
    def report(progress: Progress[object]) -> None:
        if progress.text.startswith(f"epoch {epoch + 1}/"):
            raise Interrupt

    return report


@pytest.mark.parametrize(("optimizer", "average"), [("adamw", 0), ("adam", 0.9), ("adagrad", 0)])
@pytest.mark.parametrize("name", ["marked", "bert"])  # one never uses the pooler, which so has no moments
def test_fit_resumed_after_an_interrupt_gives_the_uninterrupted_weights(
    tmp_path: Path, optimizer: str, average: float, name: str
) -> None:
    plan = replace(PLAN, epochs=4, optimizer=optimizer, average=average)
    whole = run(make_model(name), plan)
    with pytest.raises(Interrupt):
        fit(
            make_model(name),
            TRAIN,
            DEV,
            plan=plan,
            seed=4,
            device="cpu",
            resume=tmp_path,
            progress=interrupt_in(2),
        )
    resumed = run(make_model(name), plan, resume=tmp_path)
    assert [(e.number, e.loss, e.dev) for e in resumed.history] == [
        (e.number, e.loss, e.dev) for e in whole.history
    ]
    assert_same(weights(resumed.model), weights(whole.model))


def test_fit_resumed_after_its_end_gives_the_same_model(tmp_path: Path) -> None:
    first = run(make_model(), PLAN, resume=tmp_path)
    second = run(make_model(), PLAN, resume=tmp_path)
    assert second.history == first.history
    assert_same(weights(second.model), weights(first.model))


@pytest.mark.parametrize("change", ["seed", "plan", "model", "corpus"])
def test_fit_does_not_resume_another_training(tmp_path: Path, change: str) -> None:
    run(make_model(), replace(PLAN, epochs=1), resume=tmp_path)
    with pytest.raises(ConfigError, match="another model, plan, seed or corpus"):
        fit(
            make_model("bert" if change == "model" else "marked"),
            TRAIN[1:] if change == "corpus" else TRAIN,
            DEV,
            plan=replace(PLAN, epochs=2 if change == "plan" else 1),
            seed=5 if change == "seed" else 4,
            device="cpu",
            resume=tmp_path,
        )


def spoil_loss(model: Model, monkeypatch: pytest.MonkeyPatch, *, from_step: int, in_gradient: bool) -> None:
    """Let the loss, or only its gradient, be no number from some step on."""
    plain, steps = model.loss, 0

    def loss(scores: Tensor, batch: PairBatch[Tensor]) -> Tensor:
        nonlocal steps
        steps += 1
        if steps <= from_step:
            return plain(scores, batch)
        # the root of zero is zero, but its slope is infinite
        return (
            plain(scores, batch) + (scores * 0).sum().sqrt() if in_gradient else scores.sum() * float("nan")
        )

    monkeypatch.setattr(model, "loss", loss)


@pytest.mark.parametrize(
    ("from_step", "in_gradient"),
    [(4, False), (8, True)],  # three steps an epoch: in the second one, and in the last step of the third
)
def test_fit_that_diverges_says_so_and_restores_the_best_weights(
    monkeypatch: pytest.MonkeyPatch, from_step: int, in_gradient: bool
) -> None:
    model = make_model()
    spoil_loss(model, monkeypatch, from_step=from_step, in_gradient=in_gradient)
    with pytest.raises(TrainingError, match=r"diverged, the model is that of epoch \d; lower learning_rate"):
        run(model, replace(PLAN, epochs=5, **STEADY))
    assert all(bool(tensor.isfinite().all()) for tensor in live_tensors(model))
    sound = run(make_model(), replace(PLAN, epochs=from_step // 3, **STEADY))
    assert_same(weights(model), weights(sound.model))


def test_fit_refuses_conflict_with_the_remedy() -> None:
    torn = [*TRAIN, make_example("Odd, the soup was both.", "soup", "conflict")]
    with pytest.raises(TaskError, match=r"found polarity 'conflict'.*aspectlab data clean"):
        fit(make_model(), torn, DEV, plan=PLAN, device="cpu")


def test_fit_refuses_texts_that_stand_in_train_and_dev() -> None:
    with pytest.raises(ConfigError, match=r"share 2 text\(s\), first dev id 'Today the soup was lovely\.'"):
        fit(make_model(), TRAIN, [*DEV, *TRAIN[:2]], plan=PLAN, device="cpu")


@pytest.mark.parametrize("kind", ["no examples", "no aspects", "no labels"])
@pytest.mark.parametrize("part", ["train", "dev"])
def test_fit_refuses_a_part_without_labels(part: str, kind: str) -> None:
    bare = {
        "no examples": [],
        "no aspects": [Example("1", "Nothing here.")],
        "no labels": [make_example("Odd, the soup was it.", "soup", None)],
    }[kind]
    parts = {"train": TRAIN, "dev": DEV, part: bare}
    with pytest.raises(ConfigError, match=f"^{part} has nothing to learn from"):
        fit(make_model(), parts["train"], parts["dev"], plan=PLAN, device="cpu")


def test_fit_passes_over_aspects_without_a_label() -> None:
    mixed = [make_example("Odd, the soup was it.", "soup", None), *TRAIN]
    assert fit(make_model(), mixed, DEV, plan=replace(PLAN, epochs=1), device="cpu").history[0].loss > 0


@pytest.mark.parametrize("name", ["epochs", "batch_size", "max_tokens"])
def test_fit_refuses_a_plan_without_steps(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} = 0: expected a whole number from 1 on"):
        run(make_model(), replace(PLAN, **{name: 0}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"optimizer": "lion"}, "plan: optimizer = 'lion': expected one of adamw, adam, adagrad, sgd"),
        ({"schedule": "cosine"}, "plan: schedule = 'cosine': expected one of linear, constant"),
        ({"precision": "fp8"}, "plan: precision = 'fp8': expected one of auto, fp32, bf16"),
    ],
)
def test_fit_takes_no_word_of_a_plan_for_another(change: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        run(make_model(), replace(PLAN, **change))  # type: ignore[arg-type]


def test_fit_refuses_a_seed_below_zero() -> None:
    with pytest.raises(ConfigError, match="seed = -1: expected a whole number from 0 to 4294967295"):
        fit(make_model(), TRAIN, DEV, plan=PLAN, seed=-1, device="cpu")


def test_training_of_a_single_step_learns() -> None:
    # the rate is 0 at the end of the plan, which the only step would have been
    model = make_model()
    before = [weight.clone() for weight in model.parameters()]
    plan = replace(PLAN, epochs=1, batch_size=1_000, average=0.0)
    fit(model, TRAIN, DEV, plan=plan, device="cpu")
    assert any(not torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))
