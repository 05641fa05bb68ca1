"""Look a model of a study up: its task, its settings with their defaults, and what is wrong with them.

This needs torch, since the table of models does. A driver asks a worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints

from aspectlab.experiments.plan import ModelInfo, ModelRequest
from aspectlab.models import MODELS, Model, Plan, find_range_problem
from aspectlab.registry import options_of, suggest
from aspectlab.training.extensions import LABELLED, discernible_models


def inspect_models(requests: Iterable[ModelRequest]) -> list[ModelInfo]:
    """Look up some models."""
    return [_inspect(request) for request in requests]


def _inspect(request: ModelRequest) -> ModelInfo:
    if request.model not in MODELS:
        return ModelInfo(problems=(f"model {request.model!r} is unknown: {suggest(request.model, MODELS)}",))
    kind = MODELS[request.model]
    hints = get_type_hints(kind.__init__)
    own = {key: hints[key] for key in options_of(kind)}
    planned = {key: hint for key, hint in get_type_hints(Plan).items() if key not in own}
    problems = [*_find_problems(kind, request.settings, own | planned)]
    if problems:
        return ModelInfo(problems=tuple(problems))
    given = {key: _widen(value, (own | planned)[key]) for key, value in request.settings.items()}
    settings = {**_defaults(kind), **{key: value for key, value in given.items() if key in own}}
    plan = asdict(kind.plan) | {key: value for key, value in given.items() if key in planned}
    if not plan["mato"]:
        # what is not used decides nothing: such a run keeps the id that it had before there was MATO
        plan = {key: value for key, value in plan.items() if not key.startswith("mato")}
    elif plan["mato_variant"] not in ("weighting", "contrast") and request.model not in discernible_models():
        return ModelInfo(problems=(f"mato = True: expected one of {', '.join(discernible_models())}",))
    elif plan["mato_variant"] == "contrast" and (task := kind.task_of(settings)) not in LABELLED:
        return ModelInfo(
            problems=(f"mato_variant = 'contrast': found a model for {task!r}: expected 'aste'",)
        )
    return ModelInfo(kind.task_of(settings), kind.default_encoder, settings, _drop_unused_lessons(plan))


def _drop_unused_lessons(plan: Mapping[str, object]) -> dict[str, object]:
    """Leave out settings about variants that are not used: such a run keeps the id that it had before."""
    unused = ("curriculum", "curriculum_order") if not plan["curriculum"] else ()
    return {
        key: value
        for key, value in plan.items()
        if key not in unused and (key != "variant_ratio" or value is not None)
    }


def _defaults(kind: type[Model]) -> dict[str, object]:
    return {name: option.default for name, option in options_of(kind).items()}


def _find_problems(
    kind: type[Model], settings: Mapping[str, object], hints: Mapping[str, object]
) -> Iterable[str]:
    for key, value in settings.items():
        if key not in hints:
            yield f"setting {key!r} is unknown: {suggest(key, hints)}"
        elif not _fits(value, hints[key]):
            yield f"{key} = {value!r}: expected {_describe(hints[key])}"
        elif problem := find_range_problem(kind if key in options_of(kind) else Plan, key, value):
            yield problem


def _fits(value: object, hint: object) -> bool:
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, choice) for choice in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    # TOML has no null: the word stands for it
    if hint is NoneType:
        return value == "none"
    kinds: dict[object, tuple[type, ...]] = {float: (int, float), int: (int,), bool: (bool,), str: (str,)}
    return type(value) in kinds.get(hint, (object,))


def _widen(value: object, hint: object) -> object:
    """Give a value the type of its setting: TOML writes 1 where 1.0 is meant, and has no null."""
    choices = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if value == "none" and NoneType in choices:
        return None
    return float(value) if type(value) is int and float in choices and int not in choices else value


def _describe(hint: object) -> str:
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(_describe(choice) for choice in get_args(hint))
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(map(repr, get_args(hint)))
    words = {NoneType: "'none'", bool: "true or false", int: "a whole number", float: "a number"}
    return words.get(hint, "a text") if isinstance(hint, type) else "a text"
