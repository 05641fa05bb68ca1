"""Means: what the strategies draw on besides the sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aspectlab.language.lexicon import Lexicon
from aspectlab.robustness.expressions import Expression


@dataclass(frozen=True, slots=True)
class Means:
    """The antonyms, the expressions that ADDDIFF may append and how many of them, and the wording.

    REVTGT puts "not" right before the opinion ("is very not good", "a not gem"), as the released test sets
    mostly do, and negates inflected words ("not slower"); plain wording puts it where English does ("is not
    very good") and exchanges inflected words too ("faster").
    """

    lexicon: Lexicon
    expressions: Sequence[Expression] = ()
    sizes: Sequence[int] = (1, 2, 3)
    plain: bool = False
