"""What a driver asks about a model and what it learns: values that need no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Request:
    """A model by name, with the settings that a study gives it."""

    model: str
    settings: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a driver must know of a model."""

    task: str = ""
    encoder: str = ""  # its own, for a study that names none
    settings: Mapping[str, object] = field(default_factory=dict)  # all of them, with today's defaults
    plan: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
