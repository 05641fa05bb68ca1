"""Curriculum: which examples are in which epoch, and that nothing changes where none is asked for."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import torch

from aspectlab.data import Example
from aspectlab.errors import ConfigError
from aspectlab.models import Model, Plan
from aspectlab.progress import Progress, ProgressCallback
from aspectlab.training import Fitted, fit, trainer
from aspectlab.training.checkpoint import Epoch
from aspectlab.training.dataset import BatchRows
from aspectlab.training.extensions.curriculum import Curriculum, plan_curriculum
from aspectlab.training.step import Stepper
from tests.support.training import ASPECTS, PLAN, make_example, make_examples, make_model

TRAIN, DEV = make_examples("Today"), make_examples("Yesterday")[::2]
# two originals and a variant of each kind: by hand, place 0 and 1, 2 adddiff, 3 revnon, 4 and 5 revtgt
KINDS = [None, None, "adddiff", "revnon", "revtgt", "revtgt-predicted"]
SLOW = replace(PLAN, epochs=8, curriculum=0.75)


def mark(examples: Sequence[Example], kinds: Sequence[str | None]) -> list[Example]:
    """Make variants of the examples, with an example of each kind in turn."""
    return [
        replace(example, variant=kinds[place % len(kinds)], source=kinds[place % len(kinds)] and "1")
        for place, example in enumerate(examples)
    ]


MARKED = mark(TRAIN, KINDS)


def plan_lessons(plan: Plan, kinds: Sequence[str | None] = KINDS) -> Curriculum:
    places = np.arange(len(kinds))
    return plan_curriculum(plan, mark(TRAIN[: len(kinds)], kinds), places, places)


def chosen(lessons: Curriculum, number: int, seed: int = 1) -> list[int]:
    return [int(row) for row in lessons.select(seed, number)]


# by hand: three kinds come in over 6 of 8 epochs, so one every two epochs
@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, [0, 1]),
        (1, [0, 1]),
        (2, [0, 1, 2]),
        (4, [0, 1, 2, 3]),
        (5, [0, 1, 2, 3]),
        (6, [0, 1, 2, 3, 4, 5]),
        (7, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_curriculum_adds_a_strategy_at_a_time(number: int, expected: list[int]) -> None:
    assert chosen(plan_lessons(SLOW), number) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("revtgt,revnon,adddiff", [0, 1, 4, 5]),
        ("revnon", [0, 1, 3]),  # the others come last
        (" revtgt , ", [0, 1, 4, 5]),
    ],
)
def test_curriculum_order_names_the_easiest_first(order: str, expected: list[int]) -> None:
    # half of the ramp of 6 epochs, with two or three stages: the first strategy is in, the last is not
    assert chosen(plan_lessons(replace(SLOW, curriculum_order=order)), 3) == expected


def test_curriculum_of_one_strategy_has_two_stages() -> None:
    lessons = plan_lessons(SLOW, [None, "revtgt"])
    assert [chosen(lessons, number) for number in (5, 6)] == [[0], [0, 1]]


@pytest.mark.parametrize(
    ("share", "epochs", "opened"), [(0.01, 8, 1), (0.99, 8, 7), (0.5, 1, 0), (0.5, 9, 4)]
)
def test_curriculum_leaves_an_epoch_with_everything(share: float, epochs: int, opened: int) -> None:
    assert plan_lessons(replace(PLAN, curriculum=share, epochs=epochs)).opened == opened


def test_variant_ratio_draws_anew_in_each_epoch_and_keeps_the_originals() -> None:
    lessons = plan_lessons(replace(PLAN, variant_ratio=1.0), [None, None, *["revtgt"] * 12])
    epochs = [chosen(lessons, number) for number in range(6)]
    # two originals, so two variants
    assert {len(epoch) for epoch in epochs} == {4}
    assert {tuple(epoch[:2]) for epoch in epochs} == {(0, 1)}
    assert len({tuple(epoch) for epoch in epochs}) > 1


def test_variant_ratio_draws_by_the_seed() -> None:
    lessons = plan_lessons(replace(PLAN, variant_ratio=1.0), [None, None, *["revtgt"] * 12])
    first, again, other = ([chosen(lessons, number, seed) for number in range(4)] for seed in (1, 1, 2))
    assert first == again != other


def test_variant_ratio_keeps_to_the_stages() -> None:
    lessons = plan_lessons(replace(SLOW, variant_ratio=0.5))
    assert [len(chosen(lessons, number)) for number in (0, 2, 7)] == [2, 3, 3]
    assert chosen(lessons, 2) == [0, 1, 2]


@pytest.mark.parametrize(
    ("changes", "kinds", "message"),
    [
        ({"curriculum": 1.0}, KINDS, r"curriculum = 1\.0: expected a share from 0 to below 1"),
        ({"curriculum": -0.5}, KINDS, r"curriculum = -0\.5: expected a share"),
        ({"variant_ratio": 0.0}, KINDS, r"variant_ratio = 0\.0: expected variants per original"),
        ({"curriculum": 0.5, "curriculum_order": "revtg"}, KINDS, "'revtg' is not a strategy: did you mean"),
        ({"curriculum": 0.5}, [None, None], r"found 2 original\(s\) and 0 variant\(s\) in train"),
        ({"variant_ratio": 1.0}, ["revtgt"], r"found 0 original\(s\) and 1 variant\(s\).*arts augment"),
    ],
)
def test_curriculum_that_cannot_be_is_refused(
    changes: dict[str, float], kinds: list[str | None], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        plan_lessons(replace(PLAN, **changes), kinds)  # type: ignore[arg-type]


def run(plan: Plan, train: Sequence[Example] = MARKED, resume: Path | None = None) -> Fitted:
    return fit(make_model(), train, DEV, plan=plan, seed=4, device="cpu", resume=resume)


def is_same(one: Model, other: Model) -> bool:
    states = one.state_dict(), other.state_dict()
    return all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_fit_without_curriculum_does_not_look_at_variants() -> None:
    assert is_same(run(PLAN).model, run(PLAN, TRAIN).model)


def test_fit_with_curriculum_gives_other_weights_and_the_same_from_one_seed() -> None:
    plan = replace(PLAN, curriculum=0.7, variant_ratio=0.5)
    first, second = run(plan).model, run(plan).model
    assert is_same(first, second)
    assert not is_same(first, run(PLAN).model)


def test_fit_trains_on_the_rows_of_each_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def note(rows: np.ndarray[tuple[int], np.dtype[np.int64]], *rest: object, **named: object) -> object:
        seen.append(len(rows))
        return cut(rows, *rest, **named)  # type: ignore[arg-type]

    cut = trainer.training_batches
    monkeypatch.setattr(trainer, "training_batches", note)
    run(replace(PLAN, epochs=4, curriculum=0.75))
    # 18 examples are 6 originals and 3, 3, 6 variants; all four epochs are prepared, then trained
    assert seen == [6, 9, 12, 18] * 2


def make_long() -> list[Example]:
    """Variants of all lengths, so that every stage has batches of other shapes."""
    return [
        make_example(f"{example.text} {'And so on. ' * (place % 7)}", ASPECTS[place // 3], "positive")
        for place, example in enumerate(TRAIN)
    ]


LESSONS = replace(PLAN, epochs=6, curriculum=0.7, variant_ratio=1.5, batch_size=4)
LONG = mark([*TRAIN, *make_long()], KINDS)


def test_fit_prepares_every_shape_of_every_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[BatchRows] = []
    taken: list[BatchRows] = []
    step = Stepper.step
    monkeypatch.setattr(Stepper, "prepare", lambda self, batches: prepared.extend(batches))
    monkeypatch.setattr(Stepper, "step", lambda self, batch: (taken.append(batch), step(self, batch)))
    run(LESSONS, LONG)
    largest: dict[int, int] = {}
    for batch in prepared:
        largest[batch.length] = max(largest.get(batch.length, 0), len(batch.rows))
    assert len(largest) > 1
    assert [batch for batch in taken if len(batch.rows) > largest.get(batch.length, 0)] == []


@pytest.mark.gpu
def test_fit_with_curriculum_replays_captured_steps_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: list[tuple[int, int] | None] = []
    find = Stepper._shape

    def note(stepper: Stepper, batch: BatchRows) -> tuple[int, int] | None:
        shapes.append(find(stepper, batch))
        return shapes[-1]

    monkeypatch.setattr(Stepper, "_shape", note)
    fit(make_model(), LONG, DEV, plan=LESSONS, seed=4, device="cuda")
    assert shapes
    assert None not in shapes


def test_fit_chooses_no_epoch_before_all_variants_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = iter([0.9, 0.9, 0.2, 0.3, 0.1])
    monkeypatch.setattr(
        trainer, "dev_scores", lambda *_, precision: {"accuracy": next(scores), "macro_f1": 0.0}
    )
    fitted = run(replace(PLAN, epochs=5, curriculum=0.4, patience=1))
    assert (fitted.best.number, len(fitted.history)) == (3, 5)


def interrupt_in(epoch: int) -> ProgressCallback[Epoch | None]:
    def report(progress: Progress[object]) -> None:
        if progress.text.startswith(f"epoch {epoch + 1}/"):
            raise KeyboardInterrupt

    return report


@pytest.mark.parametrize("epoch", [1, 3])
def test_fit_with_curriculum_goes_on_as_if_not_interrupted(tmp_path: Path, epoch: int) -> None:
    plan = replace(PLAN, epochs=4, curriculum=0.5, variant_ratio=0.5)
    with pytest.raises(KeyboardInterrupt):
        fit(
            make_model(),
            MARKED,
            DEV,
            plan=plan,
            seed=4,
            device="cpu",
            progress=interrupt_in(epoch),
            resume=tmp_path,
        )
    assert is_same(run(plan, resume=tmp_path).model, run(plan).model)


def test_fit_does_not_resume_with_other_variants(tmp_path: Path) -> None:
    plan = replace(PLAN, curriculum=0.5)
    run(plan, resume=tmp_path)
    with pytest.raises(ConfigError, match="another model, plan, seed or corpus"):
        run(plan, mark(TRAIN, KINDS[::-1]), resume=tmp_path)
