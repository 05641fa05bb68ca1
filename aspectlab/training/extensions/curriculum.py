"""Curriculum: which rows each epoch trains on: originals first, then their variants, the easiest first.

A variant is an example that says so (`Example.variant`), wherever it was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example
from aspectlab.errors import ConfigError
from aspectlab.models import Plan
from aspectlab.registry import suggest
from aspectlab.robustness import PREDICTED_SUFFIX, STRATEGIES
from aspectlab.training import CurriculumSettings, Extension, Rows, settings_of

if TYPE_CHECKING:
    from aspectlab.training.trainer import Trainer


@dataclass(frozen=True, eq=False)
class Curriculum:
    """All rows of a training, and from which stage on each takes part."""

    rows: NDArray[np.int64]  # [N]
    owner: NDArray[np.int64]  # [N] the example of each row
    stages: NDArray[np.int64]  # [N] originals: 0
    opened: int = 0  # the first epoch with all stages
    most: int | None = None  # how many variants take part in an epoch

    @property
    def is_plain(self) -> bool:
        """Whether all epochs have the same rows."""
        return not self.opened and self.most is None

    def select(self, seed: int, number: int) -> NDArray[np.int64]:
        """Choose the rows of an epoch: [N'].

        >>> rows = np.arange(4)
        >>> lessons = Curriculum(rows, rows, np.array([0, 0, 1, 2]), opened=4)
        >>> [lessons.select(seed=1, number=epoch).tolist() for epoch in (1, 2, 4)]
        [[0, 1], [0, 1, 2], [0, 1, 2, 3]]
        """
        taking_part = self.stages <= self._stage(number)  # [N]
        if self.most is not None:
            variants = np.unique(self.owner[taking_part & (self.stages > 0)])
            # a generator of its own: the draw must not change the order of the batches
            drawn = np.random.default_rng([seed, number, 1]).permutation(variants)[: self.most]
            taking_part &= (self.stages == 0) | np.isin(self.owner, drawn)
        return self.rows[taking_part]

    def _stage(self, number: int) -> int:
        last = int(self.stages.max(initial=0))
        return last if number >= self.opened else number * last // self.opened


class CurriculumExtension(Extension):
    """Choose the rows of each epoch by a curriculum."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._curriculum: Curriculum

    def plan_rows(self, trainer: Trainer, train: Sequence[int]) -> None:
        """Find the stage of every row of train."""
        dataset = trainer.dataset
        rows = trainer.labelled_rows(train)
        self._curriculum = plan_curriculum(self._plan, dataset.examples, dataset.owner, rows)
        self.first_choice = self._curriculum.opened
        self.varies = not self._curriculum.is_plain

    def select(self, rows: Rows, seed: int, number: int) -> Rows:
        """Choose the rows of an epoch."""
        return self._curriculum.select(seed, number)

    def identify(self) -> Rows:
        """Return the stages, which the plan and the rows do not tell."""
        return self._curriculum.stages


def plan_curriculum(
    plan: Plan, examples: Sequence[Example], owner: NDArray[np.int64], rows: NDArray[np.int64]
) -> Curriculum:
    """Find the stage of every row; `owner` says which example each row of the dataset belongs to."""
    own = owner[rows]  # [N]
    settings = settings_of(plan, CurriculumSettings)
    _check(settings)
    names = {index: _name(examples[index]) for index in np.unique(own).tolist()}
    ranks = _rank(settings.curriculum_order, filter(None, names.values()))
    stages = np.array([ranks.get(names[index], 0) for index in own.tolist()], np.int64)
    originals = len(np.unique(own[stages == 0]))
    if not originals or originals == len(names):
        raise ConfigError(
            f"curriculum or variant_ratio: found {originals} original(s) and {len(names) - originals} "
            "variant(s) in train: expected both; make variants with `aspectlab arts augment`, or by "
            "`adversarial` in a study"
        )
    # one epoch at least must have everything: the model is chosen among such epochs
    ramp = max(1, round(settings.curriculum * plan.epochs))
    opened = min(ramp, plan.epochs - 1) if settings.curriculum else 0
    ratio = settings.variant_ratio
    return Curriculum(rows, own, stages, opened, None if ratio is None else max(1, round(ratio * originals)))


def _name(example: Example) -> str:
    """Name the strategy of a variant; an original has none."""
    return (example.variant or "").removesuffix(PREDICTED_SUFFIX)


def _rank(order: str, found: Iterable[str]) -> dict[str, int]:
    """Number the strategies that occur from 1 on; those that the order does not name come last, together."""
    present = dict.fromkeys(found)
    wanted = [name.strip() for name in order.split(",") if name.strip()]
    known = dict.fromkeys([*STRATEGIES, *present])
    for name in wanted:
        if name not in known:
            raise ConfigError(f"curriculum_order: {name!r} is not a strategy: {suggest(name, known)}")
    named = [name for name in wanted if name in present]
    last = dict.fromkeys((name for name in present if name not in named), len(named) + 1)
    return {**last, **{name: number for number, name in enumerate(named, start=1)}}


def _check(settings: CurriculumSettings) -> None:
    if not 0 <= settings.curriculum < 1:
        raise ConfigError(
            f"curriculum = {settings.curriculum!r}: expected a share from 0 to below 1, such as 0.5"
        )
    if settings.variant_ratio is not None and not 0 < settings.variant_ratio < 100:
        raise ConfigError(
            f"variant_ratio = {settings.variant_ratio!r}: expected variants per original, such as 0.5 or 2"
        )
