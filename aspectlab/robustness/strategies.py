"""The strategy table: one line per way of making a variant of a sentence for one target aspect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from aspectlab.data import Example
from aspectlab.language import AntonymLexicon
from aspectlab.registry import Registry
from aspectlab.robustness.aspects import AspectMention, AspectSentence
from aspectlab.robustness.aspectset import Expression


@dataclass(frozen=True, slots=True)
class GenerationContext:
    """The antonyms, the expressions that ADDDIFF may append and how many of them, and the wording.

    REVTGT puts "not" right before the opinion ("is very not good", "a not gem"), as the released test sets
    mostly do, and negates inflected words ("not slower"); plain wording puts it where English does ("is not
    very good") and exchanges inflected words too ("faster").
    """

    lexicon: AntonymLexicon
    expressions: Sequence[Expression] = ()
    sizes: Sequence[int] = (1, 2, 3)
    plain: bool = False


Strategy = Callable[[AspectSentence, AspectMention, GenerationContext, Random], Example | None]
"""`strategy(sentence, target, means, rng)`: a pure function; None where it does not apply."""

STRATEGIES: Registry[Strategy] = Registry(
    "strategy",
    {
        "revtgt": "aspectlab.robustness.revtgt:revtgt",
        "revnon": "aspectlab.robustness.revnon:revnon",
        "adddiff": "aspectlab.robustness.adddiff:adddiff",
        "revtgt+adddiff": "aspectlab.robustness.adddiff:revtgt_adddiff",
        "revnon+adddiff": "aspectlab.robustness.adddiff:revnon_adddiff",
    },
)
