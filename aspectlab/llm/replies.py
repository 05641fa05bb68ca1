"""Read what an endpoint sends back: a chat answer, or what it says is wrong."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from aspectlab.errors import DataError
from aspectlab.llm.chat import Answer

_SHOWN = 200


def read_answer(body: str) -> Answer:
    """Take the answer out of a chat completion.

    >>> read_answer('{"choices": [{"message": {"content": "Yes"}}], "usage": {"prompt_tokens": 7}}')
    Answer(text='Yes', cut_off=False, prompt_tokens=7, completion_tokens=None)
    """
    record = _parse(body)
    choices = _get(record, "choices")
    if not isinstance(choices, list) or not choices:
        raise DataError("expected a chat completion with choices")
    message = _get(choices[0], "message")
    if not isinstance(message, dict):
        raise DataError("expected a chat completion with a message")
    usage = _get(record, "usage")
    return Answer(
        text=_join_parts(message.get("content")),
        cut_off=_get(choices[0], "finish_reason") == "length",
        prompt_tokens=_count(_get(usage, "prompt_tokens")),
        completion_tokens=_count(_get(usage, "completion_tokens")),
    )


def read_error(body: str) -> str:
    """Say what an endpoint says is wrong.

    >>> read_error('{"error": {"message": "no such model"}}'), read_error("<b>Bad gateway</b>")
    ('no such model', '<b>Bad gateway</b>')
    """
    record = _parse(body)
    error = _get(record, "error") or record
    said = error if isinstance(error, str) else _get(error, "message") or _get(error, "detail") or body
    return said if isinstance(said, str) else body


def shorten(text: str) -> str:
    """Give the start of a text on one line.

    >>> shorten("Bad   gateway")
    'Bad gateway'
    """
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"


def read_wait(header: str | None) -> float:
    """Give the seconds that a Retry-After header asks for: it holds a number or a date.

    >>> read_wait("7"), read_wait("Wed, 21 Oct 2015 07:28:00 GMT"), read_wait("soon"), read_wait(None)
    (7.0, 0.0, 0.0, 0.0)
    """
    if header is None:
        return 0.0
    if re.fullmatch(r"\d{1,9}(\.\d*)?", header.strip()):
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return 0.0
    # a date without a zone is in UTC by the standard
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _parse(body: str) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _get(record: object, key: str) -> object:
    return record.get(key) if isinstance(record, dict) else None


def _join_parts(content: object) -> str:
    """Give the text of a content, which some endpoints send in parts, thoughts apart from the answer."""
    parts = [_get(part, "text") for part in content] if isinstance(content, list) else [content]
    # a refusal or an answer cut off while the model still thought has no content
    return "".join(part for part in parts if isinstance(part, str))


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None
