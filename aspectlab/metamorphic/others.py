"""The other triplets of a sentence, which relations between triplets change."""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.data import Span
from aspectlab.metamorphic.drafts import Draft, Sentence, Triplet, find_triplets, is_apart
from aspectlab.metamorphic.means import Means
from aspectlab.metamorphic.wording import replace_opinion


def other_triplets(sentence: Sentence, target: Triplet) -> list[Triplet]:
    """List the triplets of a sentence but the target."""
    return [triplet for triplet in find_triplets(sentence.example).values() if triplet != target]


def replace_others(sentence: Sentence, target: Triplet, means: Means, origin: str) -> Iterator[Draft]:
    """Replace the opinion of another triplet; one that several others share is replaced once."""
    opinions: dict[Span, None] = dict.fromkeys(
        triplet.opinion
        for triplet in other_triplets(sentence, target)
        if is_apart(triplet.opinion, *target.spans)
    )
    for opinion in opinions:
        for edit in replace_opinion(sentence, opinion, means, origin):
            yield Draft((edit,), target.polarity)
