"""MR2-2: a synonym for the target's opinion.

Precondition: the opinion, or its last adjective, has a synonym.
Transformation: put it in the opinion's place.
Expected: the target is found with the new opinion; aspect and polarity stay.
"""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.metamorphic.drafts import Draft, Sentence, Triplet, is_apart
from aspectlab.metamorphic.means import Means
from aspectlab.metamorphic.wording import replace_opinion


def mr22(sentence: Sentence, place: int, target: Triplet, means: Means) -> Iterator[Draft]:
    """Replace the opinion by each of its synonyms."""
    if is_apart(target.aspect, target.opinion):
        for edit in replace_opinion(sentence, target.opinion, means, "synonym"):
            yield Draft((edit,), target.polarity)
