"""Recipe: all that decides a trained model besides the corpora, and the hooks of extensions.

Settings of a model, its plan and the extensions of the trainer have a schema: their types and ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from aspectlab.data import Example
from aspectlab.encoders import load_encoder
from aspectlab.errors import ConfigError
from aspectlab.models import (
    MODELS,
    Model,
    Plan,
    Range,
    Share,
    above,
    apply_recipe,
    below,
    build_model,
    default_settings,
    find_encoder_misfit,
    find_range_problem,
)
from aspectlab.registry import Registry, field_docs, options_of, suggest
from aspectlab.training.dataset import EncodedDataset, Rows
from aspectlab.training.step import seed_everything

if TYPE_CHECKING:
    from aspectlab.training.trainer import Trainer

ExtensionFactory = Callable[[Plan], "Extension"]


@dataclass(frozen=True, slots=True)
class CurriculumSettings:
    """Originals first, then their variants; and how many variants an epoch draws."""

    curriculum: Annotated[float, Range(0, below(1), "a share from 0 to below 1")] = 0.0
    """The share of the epochs until all variants take part, originals first; 0: at once."""

    curriculum_order: str = "adddiff,revnon,revtgt"
    """The strategies in the order in which they come in, the easiest first; others come last."""

    variant_ratio: (
        Annotated[float, Range(above(0), below(100), "variants per original, such as 0.5 or 2")] | None
    ) = None
    """Variants per original in an epoch, drawn anew in each; none: all."""

    @property
    def extension(self) -> str | None:
        """The extension that these settings ask for."""
        return "curriculum" if self.curriculum or self.variant_ratio is not None else None

    def used(self) -> dict[str, object]:
        """Return the settings that decide something: a run's id must not change with the others."""
        unused = {"curriculum", "curriculum_order"} if not self.curriculum else set()
        unused |= {"variant_ratio"} if self.variant_ratio is None else set()
        return {name: value for name, value in asdict(self).items() if name not in unused}


@dataclass(frozen=True, slots=True)
class MatoSettings:
    """Train with three discerners beside the model, or on follow-ups: docs/explanation/mato.md."""

    mato: bool = False
    """Train with MATO."""

    mato_variant: Literal["published", "weighting", "bias", "frozen", "negatives", "contrast"] = "published"
    """Which MATO: as published, or with one of our changes (see the page on MATO)."""

    mato_followups: Annotated[
        float, Range(above(0), expected="a number above 0, such as 0.5 or 2", unlimited=True)
    ] = 1.0
    """With `contrast`: follow-ups of a text that an epoch draws; 0.5: one of every other text."""

    mato_aspect: Share | None = None
    """The violation rate of aspects that weighs MATO; none: measured on dev, without MATO."""

    mato_opinion: Share | None = None
    """The same of opinions."""

    mato_sentiment: Share | None = None
    """The same of polarities."""

    @property
    def extension(self) -> str | None:
        """The extension that these settings ask for."""
        return ("contrast" if self.mato_variant == "contrast" else "mato") if self.mato else None

    def used(self) -> dict[str, object]:
        """Return the settings that decide something: a run's id must not change with the others."""
        return asdict(self) if self.mato else {}


T = TypeVar("T")

ExtensionSettings = CurriculumSettings | MatoSettings

_EXTENSIONS: tuple[type[ExtensionSettings], ...] = (CurriculumSettings, MatoSettings)


def plan_hints() -> dict[str, object]:
    """Return the type of every setting of a plan, those of extensions included."""
    own = {field.name for field in fields(Plan)} - {"extensions"}
    hints = {name: hint for name, hint in get_type_hints(Plan).items() if name in own}
    return {**hints, **{name: hint for kind in _EXTENSIONS for name, hint in get_type_hints(kind).items()}}


def plan_docs() -> dict[str, str]:
    """Return what every setting of a plan means, those of extensions included."""
    return {name: text for kind in (Plan, *_EXTENSIONS) for name, text in field_docs(kind).items()}


def extension_settings(plan: Plan) -> list[ExtensionSettings]:
    """Return the settings of all extensions, in the order in which they take part."""
    if plan.extensions:
        known = plan_hints()
        for name in plan.extensions:
            if name not in known:
                raise ConfigError(f"plan: setting {name!r} is unknown: {suggest(name, known)}")
    return [settings_of(plan, kind) for kind in _EXTENSIONS]


def settings_of(plan: Plan, kind: type[T]) -> T:
    """Return the settings of one extension, with today's defaults."""
    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in plan.extensions.items() if name in names})


EXTENSIONS = Registry[ExtensionFactory](
    "extension",
    {
        "curriculum": "aspectlab.training.extensions.curriculum:CurriculumExtension",
        "mato": "aspectlab.training.extensions.mato:MatoExtension",
        "contrast": "aspectlab.training.extensions.contrast:ContrastExtension",
    },
)


def load_extensions(plan: Plan) -> list[Extension]:
    """Return the extensions that a plan asks for; most ask for none."""
    names = [each.extension for each in extension_settings(plan)]
    return [EXTENSIONS[name](plan) for name in names if name]


def plan_to_dict(plan: Plan) -> dict[str, object]:
    """Return all settings of a plan by name, those of extensions included, with today's defaults."""
    return plain_settings(plan) | {k: v for each in extension_settings(plan) for k, v in asdict(each).items()}


_LATER = {"accumulate": 1}
"""Settings of the plan that came after runs had ids, with the value at which they decide nothing."""


def decisive_settings(plan: Plan) -> dict[str, object]:
    """Return the settings of a plan without those that it does not use, of extensions and later ones.

    What is not used decides nothing: a run keeps the id that it had before there was such a setting.
    """
    plain = {k: v for k, v in plain_settings(plan).items() if k not in _LATER or v != _LATER[k]}
    return plain | {k: v for each in extension_settings(plan) for k, v in each.used().items()}


def plain_settings(plan: Plan) -> dict[str, object]:
    """Return the settings of the one loop that every training enters."""
    found = asdict(plan)
    del found["extensions"]
    return found


def check_plan(plan: Plan) -> None:
    """Refuse a plan with a value that is none of the choices, or out of its range."""
    hints = plan_hints()
    for name, value in plan_to_dict(plan).items():
        # a word that is none of the choices would be taken for one of them further on
        if get_origin(hints[name]) is Literal and value not in get_args(hints[name]):
            raise ConfigError(f"plan: {name} = {value!r}: expected one of {', '.join(get_args(hints[name]))}")
        if problem := find_out_of_range(None, name, value):
            raise ConfigError(f"plan: {problem}")


def setting_hints(kind: type[Model]) -> tuple[dict[str, object], dict[str, object]]:
    """Return the types of a model's own settings, and of those of its plan that they do not hide."""
    hints = get_type_hints(kind.__init__)
    own = {key: hints[key] for key in options_of(kind)}
    return own, {key: hint for key, hint in plan_hints().items() if key not in own}


def choose_settings(name: str, given: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """Sort settings into those of a model and those of its plan; refuse what is unknown or does not fit."""
    own, planned = setting_hints(MODELS[name])
    if problem := next(find_setting_problems(MODELS[name], given), None):
        raise ConfigError(f"model {name}: {problem}")
    fitting = {key: widen(value, (own | planned)[key]) for key, value in given.items()}
    return tuple({key: fitting[key] for key in fitting if key in hints} for hints in (own, planned))  # type: ignore[return-value]


def find_out_of_range(kind: type[Model] | None, key: str, value: object) -> str | None:
    """Report a value that is out of the range of its setting, of a model or of a plan; None if it is not."""
    if kind is not None and key in options_of(kind):
        return find_range_problem(kind, key, value)
    owner = next((each for each in _EXTENSIONS if key in get_type_hints(each)), Plan)
    return find_range_problem(owner, key, value)


def find_setting_problems(kind: type[Model], settings: Mapping[str, object]) -> Iterator[str]:
    """List settings that are unknown, of another type, or out of their range."""
    own, planned = setting_hints(kind)
    hints = own | planned
    for key, value in settings.items():
        if key not in hints:
            yield f"setting {key!r} is unknown: {suggest(key, hints)}"
        elif not _fits(value, hints[key]):
            yield f"{key} = {value!r}: expected {_describe(hints[key])}"
        elif problem := find_out_of_range(kind, key, value):
            yield problem


def widen(value: object, hint: object) -> object:
    """Convert a value to the type of its setting: TOML writes 1 where 1.0 is meant, and has no null."""
    choices = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if value == "none" and NoneType in choices:
        return None
    return float(value) if type(value) is int and float in choices and int not in choices else value


def _fits(value: object, hint: object) -> bool:
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, choice) for choice in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    # TOML has no null: the word stands for it
    if hint is NoneType:
        return value is None or value == "none"
    kinds: dict[object, tuple[type, ...]] = {float: (int, float), int: (int,), bool: (bool,), str: (str,)}
    return type(value) in kinds.get(hint, (object,))


def _describe(hint: object) -> str:
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(_describe(choice) for choice in get_args(hint))
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(map(repr, get_args(hint)))
    words = {NoneType: "'none'", bool: "true or false", int: "a whole number", float: "a number"}
    return words.get(hint, "a text") if isinstance(hint, type) else "a text"


@dataclass(frozen=True, slots=True)
class Recipe:
    """A model and its encoder by name, its settings, how it is trained, and the seed."""

    model: str
    encoder: str
    settings: Mapping[str, object]
    plan: Plan
    seed: int

    @property
    def all_settings(self) -> dict[str, object]:
        """The settings with the defaults of today: a saved model must not change when a default does."""
        return {**default_settings(MODELS[self.model]), **self.settings}

    def build(self) -> Model:
        """Build the untrained model; its fresh weights are drawn from the seed."""
        if problem := find_encoder_misfit(self.model, self.encoder):
            raise ConfigError(problem)
        encoder = load_encoder(self.encoder)
        seed_everything(self.seed)
        return build_model(self.model, encoder, self.all_settings)


def describe_recipe(model: Model, plan: Plan) -> str:
    """Name the recipe that a training follows, ours or that of the authors, and what differs from it.

    Settings that a corpus fills in, as the names of categories, belong to no recipe.
    """
    kind = type(model)
    defaults = default_settings(kind)
    fixed = {key: value for key, value in model.settings.items() if not isinstance(value, list | Mapping)}
    found = plan_to_dict(plan) | fixed
    known = ["ours"] if kind.published is None else ["ours", "published"]
    differing = {}
    for name in known:
        settings, own = apply_recipe(model.name, name)
        wanted = plan_to_dict(own) | defaults | settings
        differing[name] = [f"{key}={value}" for key, value in found.items() if wanted[key] != value]
    nearest = min(known, key=lambda name: len(differing[name]))
    return ", but ".join(filter(None, [nearest, ", ".join(differing[nearest])]))


class Extension:
    """What a training may do beyond the one loop: hooks, each of which does nothing here."""

    first_choice = 0
    """The first epoch that may be chosen."""

    varies = False
    """Whether every epoch trains on items of its own."""

    def find_problem(self, model: str, task: str) -> str | None:
        """Report why a model, given by its name and task, cannot be trained so; None if it can."""

    def more_examples(self, examples: Sequence[Example], model: Model) -> list[Example]:
        """Make further examples, which are encoded beside those of train and dev."""
        return []

    def wrap(self, model: Model, dataset: EncodedDataset) -> Model:
        """Return what is trained: the model, or a module around it."""
        return model

    def plan_rows(self, trainer: Trainer, train: Sequence[int]) -> None:
        """Note the examples of a training; `select` is called after this."""

    def begin(self, trainer: Trainer, train: list[int], dev: list[int], seed: int) -> None:
        """Prepare one training; none may depend on those before it."""

    def select(self, rows: Rows, seed: int, number: int) -> Rows:
        """Choose the items of an epoch."""
        return rows

    def identify(self) -> Rows:
        """Return what, besides plan and items, decides a training that may be resumed."""
        return np.zeros(0, np.int64)

    def notes(self) -> dict[str, float]:
        """Return what a record of the training should hold."""
        return {}
