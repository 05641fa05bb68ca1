"""Look a model of a study up: its task, its settings with their defaults, and what is wrong with them.

This needs torch, since the table of models does. A driver asks a worker.
"""

from collections.abc import Iterable
from dataclasses import replace

from aspectlab.experiments.plan import ModelInfo, ModelRequest
from aspectlab.models import MODELS, Model
from aspectlab.registry import options_of, suggest
from aspectlab.training import (
    decisive_settings,
    find_setting_problems,
    load_extensions,
    setting_hints,
    widen,
)


def inspect_models(requests: Iterable[ModelRequest]) -> list[ModelInfo]:
    """Look up some models."""
    return [_inspect(request) for request in requests]


def _inspect(request: ModelRequest) -> ModelInfo:
    if request.model not in MODELS:
        return ModelInfo(problems=(f"model {request.model!r} is unknown: {suggest(request.model, MODELS)}",))
    kind = MODELS[request.model]
    own, planned = setting_hints(kind)
    if problems := [*find_setting_problems(kind, request.settings)]:
        return ModelInfo(problems=tuple(problems))
    given = {key: widen(value, (own | planned)[key]) for key, value in request.settings.items()}
    settings = {**_defaults(kind), **{key: value for key, value in given.items() if key in own}}
    plan = replace(kind.plan, **{key: value for key, value in given.items() if key in planned})  # type: ignore[arg-type]
    task = kind.task_of(settings)
    for extension in load_extensions(plan):
        if problem := extension.find_problem(request.model, task):
            return ModelInfo(problems=(problem,))
    return ModelInfo(task, kind.default_encoder, settings, decisive_settings(plan))


def _defaults(kind: type[Model]) -> dict[str, object]:
    return {name: option.default for name, option in options_of(kind).items()}
