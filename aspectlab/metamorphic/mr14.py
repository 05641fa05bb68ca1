"""MR1-4: the other triplets masked.

Precondition: another triplet has a word that is not the target's.
Transformation: put [UNK] for every word of the aspects and opinions of all other triplets, but for words that
the target shares.
Expected: the target is found as before.
"""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.language import word_spans
from aspectlab.metamorphic.drafts import Draft, Edit, Sentence, Triplet, is_apart
from aspectlab.metamorphic.means import MASK, Means
from aspectlab.metamorphic.others import other_triplets


def mr14(sentence: Sentence, place: int, target: Triplet, means: Means) -> Iterator[Draft]:
    """Mask word by word, so that words keep their places."""
    text = sentence.example.text
    terms = {span for triplet in other_triplets(sentence, target) for span in triplet.spans}
    edits = tuple(
        Edit(word, MASK, "mask")
        for word in word_spans(text)
        if text[word.start].isalnum()
        and any(term.start <= word.start and word.end <= term.end for term in terms)
        and is_apart(word, *target.spans)
    )
    if edits:
        yield Draft(edits, target.polarity)
