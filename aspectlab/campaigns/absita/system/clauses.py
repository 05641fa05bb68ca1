"""Clauses: "pulita, ma rumorosa" holds two opinions, and each has its own meaning."""

from __future__ import annotations

import re

_CONNECTIVES = "ma|però|pero|anche se|mentre|tuttavia|nonostante|purtroppo|peccato"
_BREAK = re.compile(rf"[.,;:!?()]+|\b(?:{_CONNECTIVES})\b", re.IGNORECASE)
_SHORTEST = 3


def split_clauses(text: str) -> list[str]:
    """Split a sentence at marks and connectives; one without any is its own clause.

    >>> split_clauses("Camera pulita, ma il letto è scomodo.")
    ['Camera pulita', 'il letto è scomodo']
    """
    parts = [part.strip() for part in _BREAK.split(text)]
    return [part for part in parts if len(part) >= _SHORTEST] or [text]
