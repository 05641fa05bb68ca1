"""MR1-2: an antonym for another triplet's opinion.

Precondition: another triplet whose opinion is apart from the target's terms and has an antonym.
Transformation: put the antonym in its place.
Expected: the target is found as before.
"""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.metamorphic.drafts import Draft, Sentence, Triplet
from aspectlab.metamorphic.means import Means
from aspectlab.metamorphic.others import replace_others


def mr12(sentence: Sentence, place: int, target: Triplet, means: Means) -> Iterator[Draft]:
    """Replace each other opinion by each of its antonyms."""
    return replace_others(sentence, target, means, "antonym")
