"""The strategy table: one line per way of making a variant of a sentence for one target aspect."""

from collections.abc import Callable
from random import Random

from aspectlab.data import Example
from aspectlab.registry import Registry
from aspectlab.robustness.means import Means
from aspectlab.robustness.sentences import Aspect, Sentence

Strategy = Callable[[Sentence, Aspect, Means, Random], Example | None]
"""`strategy(sentence, target, means, rng)`: a pure function; None where it does not apply."""

STRATEGIES: Registry[Strategy] = Registry(
    "strategy",
    {
        "revtgt": "aspectlab.robustness.revtgt:revtgt",
        "revnon": "aspectlab.robustness.revnon:revnon",
        "adddiff": "aspectlab.robustness.adddiff:adddiff",
        "revtgt+adddiff": "aspectlab.robustness.combine:revtgt_adddiff",
        "revnon+adddiff": "aspectlab.robustness.combine:revnon_adddiff",
    },
)
