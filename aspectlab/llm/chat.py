"""What goes to a chat model and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Message = Mapping[str, str]
"""One turn: its `role` (system, user or assistant) and its `content`."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, and the tokens that the endpoint counted; None where it counted none.

    `cut_off` tells that the longest permitted answer was reached.
    """

    text: str
    cut_off: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
