"""Chain strategies: the other aspects are turned round first, then more are appended."""

from __future__ import annotations

from random import Random

from aspectlab.data import Example
from aspectlab.robustness.adddiff import adddiff
from aspectlab.robustness.means import Means
from aspectlab.robustness.revnon import revnon
from aspectlab.robustness.revtgt import revtgt
from aspectlab.robustness.sentences import Aspect, Sentence


def revtgt_adddiff(sentence: Sentence, target: Aspect, means: Means, rng: Random) -> Example | None:
    """Reverse the target, then append aspects that differ from its new polarity."""
    return _append(sentence, target, revtgt(sentence, target, means, rng), means, rng)


def revnon_adddiff(sentence: Sentence, target: Aspect, means: Means, rng: Random) -> Example | None:
    """Turn the other aspects against the target, then append more that differ from it."""
    return _append(sentence, target, revnon(sentence, target, means, rng), means, rng)


def _append(
    sentence: Sentence, target: Aspect, example: Example | None, means: Means, rng: Random
) -> Example | None:
    if example is None:
        return None
    following = sentence.with_example(example)
    turned = next(aspect for aspect in following.aspects if aspect.id == target.id)
    return adddiff(following, turned, means, rng)
