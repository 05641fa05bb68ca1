"""Chats: messages, answers, and the cache that keeps answers by request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock

from aspectlab.diskcache import TextTable, cache_folder
from aspectlab.errors import ConfigError

Message = Mapping[str, str]
"""One turn: its `role` (system, user or assistant) and its `content`."""


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """What a model said, and the tokens that the endpoint counted; None where it counted none.

    `cut_off` tells that the longest permitted answer was reached.
    """

    text: str
    cut_off: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


def default_cache() -> AnswerCache:
    """Return the cache in the user's cache folder, or refuse one in which paid answers would be lost."""
    cache = AnswerCache(cache_folder() / "llm" / "answers.sqlite")
    if not TextTable(cache.path).write({}):
        raise ConfigError(
            f"{cache.path}: answers cannot be kept there, and would be paid again with every run: expected a "
            "folder that can be written to; let ASPECTLAB_CACHE name one"
        )
    return cache


def request_key(model: str, messages: Sequence[Message], parameters: Mapping[str, object]) -> str:
    """Identify a question by its content.

    >>> request_key("m", [], {"a": 1, "b": 2}) == request_key("m", [], {"b": 2, "a": 1})
    True
    """
    asked = {"model": model, "messages": list(messages), "parameters": dict(parameters)}
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class AnswerCache:
    """Answers in one SQLite file; a damaged entry or file counts as absent.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     cache = AnswerCache(Path(folder) / "answers.sqlite")
    ...     cache.keep("k", ChatAnswer("Yes"))
    ...     cache.find("k").text, cache.find("other")
    ('Yes', None)
    """

    path: Path
    # writers of one process wait for each other here; SQLite gives up after five seconds
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def find(self, key: str) -> ChatAnswer | None:
        """Return the answer that was kept under a key."""
        text = TextTable(self.path).read([key]).get(key)
        try:
            return None if text is None else ChatAnswer(**json.loads(text))
        except (ValueError, TypeError):
            return None

    def keep(self, key: str, answer: ChatAnswer) -> None:
        """Keep an answer for the next run."""
        with self._lock:
            TextTable(self.path).write({key: json.dumps(asdict(answer))})
