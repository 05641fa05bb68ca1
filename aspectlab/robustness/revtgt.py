"""REVTGT (Xing et al., EMNLP 2020): reverse the sentiment of the target aspect.

Unlike the paper: the most common antonym is taken, not a random one, and verbs are negated with do-support.
"""

from __future__ import annotations

from random import Random

from aspectlab.data import Example
from aspectlab.language import apply_replacements, reconcile
from aspectlab.robustness.aspects import AspectMention, AspectSentence, relabel
from aspectlab.robustness.reversal import agree, contrast, drop_too, reverse, stands_alone
from aspectlab.robustness.strategies import GenerationContext


def revtgt(
    sentence: AspectSentence, target: AspectMention, means: GenerationContext, rng: Random
) -> Example | None:
    """Reverse all opinions of the target and its label; None if it has none. A neutral label stays.

    >>> from aspectlab.language import AntonymLexicon
    >>> from aspectlab.robustness.aspects import sketch
    >>> lamp = sketch("A/DT cheap/JJ lamp/NN", {"lamp": ("positive", "cheap")})
    >>> revtgt(lamp, lamp.aspects[0], GenerationContext(AntonymLexicon()), Random(1)).text
    'An expensive lamp'
    """
    edits = reverse(sentence, target.opinions, means.lexicon, plain=means.plain)
    if not edits:
        return None
    edits += agree(sentence, set(target.opinions), edits)
    if stands_alone(sentence, target):
        contrasts = contrast(sentence, target, set(target.opinions))
        edits += [*contrasts, *drop_too(sentence, target.opinions)] if contrasts else []
    return relabel(apply_replacements(sentence.example, reconcile(edits)), target.quads)
