"""MR2-4: an antonym for the target's opinion.

Precondition: the target is positive or negative, and its opinion, or its last adjective, has an antonym.
Transformation: put it in the opinion's place. A negation before it stays: the polarity turns all the same.
Expected: the target is found with the new opinion and the opposite polarity; the aspect stays.
"""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.metamorphic.drafts import Draft, Sentence, Triplet, is_apart
from aspectlab.metamorphic.means import Means
from aspectlab.metamorphic.wording import replace_opinion
from aspectlab.robustness.sentences import OPPOSITE


def mr24(sentence: Sentence, place: int, target: Triplet, means: Means) -> Iterator[Draft]:
    """Replace the opinion by each of its antonyms."""
    if target.polarity in OPPOSITE and is_apart(target.aspect, target.opinion):
        for edit in replace_opinion(sentence, target.opinion, means, "antonym"):
            yield Draft((edit,), OPPOSITE[target.polarity])
