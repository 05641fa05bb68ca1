"""Plan: the settings of the one training loop, with the ranges of all settings, and those of the papers."""

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, wraps
from typing import Annotated, Literal, Self, TypeVar, get_args, get_type_hints

Precision = Literal["auto", "fp32", "bf16"]
"""What is computed in; auto: bfloat16 where that is fast."""


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers that a setting may be, declared where the setting is: `Annotated[float, Range(0, 1)]`.

    >>> 1 in Range(0, below(1)), math.inf in Range(0), math.inf in Range(0, unlimited=True)
    (False, False, True)
    """

    least: float = -math.inf
    most: float = math.inf
    expected: str = "a finite number"
    unlimited: bool = False  # infinity says "no limit"; anywhere else no number would come out of it

    def __contains__(self, value: float) -> bool:
        # torch and we count in floats: a whole number may be beyond them
        is_beyond = isinstance(value, int) and abs(value) > sys.float_info.max
        return self.least <= value <= self.most and not is_beyond and (self.unlimited or math.isfinite(value))


def above(limit: float) -> float:
    """Return the number right above a limit that a setting must not reach."""
    return math.nextafter(limit, math.inf)


def below(limit: float) -> float:
    """Return the number right below a limit that a setting must not reach."""
    return math.nextafter(limit, -math.inf)


Size = Annotated[int, Range(1, expected="a whole number from 1 on")]
"""The size of a part of a model, which torch refuses without a word of the setting."""

Count = Annotated[int, Range(0, expected="a whole number from 0 on")]
"""How many parts of a kind a model has; it may have none."""

Share = Annotated[float, Range(0, 1, "a share from 0 to 1")]
"""A probability, or a part of a whole."""

Dropout = Annotated[float, Range(0, below(1), "a share from 0 to below 1")]

Weight = Annotated[float, Range(0, expected="a number from 0 on")]
"""The weight of a part of a loss; below 0 the model would learn to do that part badly."""

Number = Annotated[float, Range()]
"""Any finite number."""

Rate = Annotated[float, Range(above(0), 10, "a rate above 0, such as 5e-5")]


T = TypeVar("T")


def _accept_extension_settings(kind: type[T]) -> type[T]:
    """Make the constructor collect every keyword that is not one of its fields in `extensions`."""
    construct = kind.__init__
    own = {each.name for each in fields(kind)}  # type: ignore[arg-type]

    @wraps(construct)
    def collect(self: T, *values: object, **settings: object) -> None:
        others = {name: settings.pop(name) for name in [*settings] if name not in own}
        if others:
            settings["extensions"] = {**settings.get("extensions", {}), **others}  # type: ignore[dict-item]
        construct(self, *values, **settings)
        positional = (each.name for each, _ in zip(fields(kind), values, strict=False))  # type: ignore[arg-type]
        object.__setattr__(self, "given", frozenset((*positional, *settings)))

    kind.__init__ = collect  # type: ignore[method-assign, assignment]
    return kind


class _Given:
    """The names of the fields that a plan was given; no field, and so no part of equality."""

    __slots__ = ("given",)

    given: frozenset[str]


@_accept_extension_settings
@dataclass(frozen=True, slots=True)
class Plan(_Given):
    """The settings of the one training loop; any other keyword is a setting of one of its extensions.

    What is not given is open: `fit` takes it from the model's own plan. A model's `plan` is what we train it
    by; the authors' settings, where they differ, are in its `published`.

    >>> Plan(epochs=3, mato=True).extensions
    {'mato': True}
    >>> Plan(epochs=3).completed(Plan(epochs=30, learning_rate=1e-3)) == Plan(epochs=3, learning_rate=1e-3)
    True
    """

    epochs: Size = 10
    """How often the training data is gone through at most; `patience` may end it earlier."""

    batch_size: Size = 32
    """Items of a step: aspects, where they are given, else texts; fewer if they are long (`max_tokens`)."""

    learning_rate: Rate = 1e-4
    """The highest learning rate, of everything that has no other."""

    encoder_learning_rate: Annotated[float, Range(0, 10, "a rate from 0 on, such as 5e-5")] | None = None
    """The highest learning rate of the encoder; none: `learning_rate`, 0: the encoder stays as it is."""

    layer_decay: Annotated[float, Range(0, 1, "a factor from 0 to 1")] = 1.0
    """Each layer of the encoder learns this much slower than the one above it; 1: all alike."""

    weight_decay: Weight = 0.01
    """How strongly weights are drawn to 0; biases and norms are left out."""

    optimizer: Literal["adamw", "adam", "adagrad", "sgd"] = "adamw"
    """The optimizer, as torch has it."""

    schedule: Literal["linear", "constant"] = "linear"
    """How the learning rate goes on after the warmup: down to 0 in a line, or as it is."""

    warmup: Share = 0.1
    """The share of the training during which the learning rate rises from 0."""

    clip: Annotated[float, Range(above(0), expected="a number above 0", unlimited=True)] = 1.0
    """The length that all gradients together are cut to; inf: never."""

    average: Annotated[float, Range(0, below(1), "a decay from 0 to below 1")] = 0.0
    """Decay of an exponential moving average of the weights, which is then scored and saved; 0: none."""

    patience: Count = 5
    """Early stopping: epochs without a better dev score after which the training ends."""

    max_tokens: Size = 16_384
    """Tokens of a batch at most, padding included: a batch of long texts is smaller."""

    accumulate: Size = 1
    """Batches whose gradients are added up before each step; an item weighs the same in each."""

    precision: Precision = "auto"
    """What is computed in; auto: bfloat16 where that is fast, and the encoder is deep."""

    extensions: Mapping[str, object] = field(default_factory=dict)
    """Settings of the extensions, such as those of MATO, by name."""

    def replace(self, **changes: object) -> Self:
        """Return the plan with other values of some settings; what was open stays open.

        >>> Plan(epochs=3).replace(batch_size=8)
        Plan(epochs=3, batch_size=8)
        """
        given = {name: getattr(self, name) for name in self.given}
        return type(self)(**{**given, **changes})

    def completed(self, recipe: Self) -> Self:
        """Return the plan with what it leaves open taken from another one."""
        given = {name: getattr(self, name) for name in self.given}
        return recipe.replace(**given | {"extensions": {**recipe.extensions, **self.extensions}})

    def __repr__(self) -> str:
        shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.name in self.given)
        return f"Plan({shown})"

    def __reduce__(self) -> "tuple[Callable[..., Plan], tuple[dict[str, object]]]":
        return _build_plan, ({name: getattr(self, name) for name in self.given},)


def _build_plan(given: Mapping[str, object]) -> Plan:
    return Plan(**given)  # type: ignore[arg-type]


@cache
def ranges_of(owner: type) -> Mapping[str, Range]:
    """Return the ranges that a class declares for the parameters of its constructor.

    >>> ranges_of(Plan)["clip"].expected
    'a number above 0'
    """
    hints = get_type_hints(owner.__init__, include_extras=True)  # type: ignore[misc]
    found = {name: _find_range(hint) for name, hint in hints.items()}
    return {name: declared for name, declared in found.items() if declared}


def _find_range(hint: object) -> Range | None:
    """Return the range that a hint holds, also within `Annotated[float, Range(0, 1)] | None`."""
    parts = (*getattr(hint, "__metadata__", ()), *get_args(hint))
    return next(
        (found for part in parts if (found := part if isinstance(part, Range) else _find_range(part))), None
    )


def find_range_problem(owner: type, key: str, value: object) -> str | None:
    """Return what is wrong with the value of a setting that a model or a plan has; None if nothing is.

    >>> find_range_problem(Plan, "clip", -1.0), find_range_problem(Plan, "clip", 1.0)
    ('clip = -1.0: expected a number above 0', None)
    """
    ranges = ranges_of(owner)
    if isinstance(value, dict) and key in ranges:
        return f"{key} = {value!r:.40}: expected {ranges[key].expected}"
    if not isinstance(value, int | float):
        return None
    declared = ranges.get(key, Range())
    return None if value in declared else f"{key} = {value!r}: expected {declared.expected}"


@dataclass(frozen=True, slots=True)
class Published:
    """The settings that a model was published with, as far as the one loop can take them."""

    encoder: str  # as the hub names it
    plan: Plan
    source: str  # where they are written
    settings: Mapping[str, object] = field(default_factory=dict)  # of the model, where ours differ
    unlike: str = ""  # what is not known, or cannot be had here

    def __post_init__(self) -> None:
        # hardly any paper stops early
        if "patience" not in self.plan.given:
            object.__setattr__(self, "plan", self.plan.replace(patience=self.plan.epochs))


def unscheduled_plan(**settings: object) -> Plan:
    """Return a plan whose rate stays what it is, and whose gradients are not clipped, as in much old code.

    >>> unscheduled_plan(epochs=3)
    Plan(epochs=3, schedule='constant', warmup=0.0, clip=inf)
    """
    return Plan(schedule="constant", warmup=0.0, clip=math.inf).replace(**settings)
