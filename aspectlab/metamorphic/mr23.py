"""MR2-3: other words for the target's aspect and opinion.

Precondition: that of MR2-1 and that of MR2-2.
Transformation: put both in place. Pairs are taken in turn, candidate by candidate and then shifted by one, so
that the first ones hold as many different words as there are.
Expected: the target is found with the new terms; the polarity stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from aspectlab.metamorphic.drafts import Draft, Edit, Sentence, Triplet, is_apart
from aspectlab.metamorphic.means import Means
from aspectlab.metamorphic.wording import replace_aspect, replace_opinion


def mr23(sentence: Sentence, place: int, target: Triplet, means: Means) -> Iterator[Draft]:
    """Replace both terms at once."""
    if not is_apart(target.aspect, target.opinion):
        return
    aspects = replace_aspect(sentence, target.aspect, means)
    opinions = replace_opinion(sentence, target.opinion, means, "synonym")
    for edits in islice(_pair(aspects, opinions), means.limit):
        yield Draft(edits, target.polarity)


def _pair(aspects: list[Edit], opinions: list[Edit]) -> Iterator[tuple[Edit, Edit]]:
    for shift in range(len(opinions)):
        for number, aspect in enumerate(aspects):
            yield aspect, opinions[(number + shift) % len(opinions)]
