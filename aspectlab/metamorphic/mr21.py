"""MR2-1: a synonym or hypernym for the target's aspect.

Precondition: the aspect, or its head, has a synonym or a hypernym.
Transformation: put it in the aspect's place.
Expected: the target is found with the new aspect; opinion and polarity stay.
"""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.metamorphic.drafts import Draft, Sentence, Triplet, is_apart
from aspectlab.metamorphic.means import Means
from aspectlab.metamorphic.wording import replace_aspect


def mr21(sentence: Sentence, place: int, target: Triplet, means: Means) -> Iterator[Draft]:
    """Replace the aspect by each of its synonyms, then hypernyms."""
    if is_apart(target.aspect, target.opinion):
        for edit in replace_aspect(sentence, target.aspect, means):
            yield Draft((edit,), target.polarity)
