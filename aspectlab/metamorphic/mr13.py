"""MR1-3: a phrase of the opposite polarity after the sentence.

Precondition: the sentence has another triplet, and the target is positive or negative.
Transformation: append a phrase made of a triplet of the opposite polarity, of which the sentence has neither
the aspect nor the opinion.
Expected: the target is found as before.

Unlike the paper: the phrases are templates ("windows 7 is slow"), not written by a paraphraser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aspectlab.data import Span
from aspectlab.metamorphic.drafts import Draft, Edit, Sentence, Triplet
from aspectlab.metamorphic.means import Means
from aspectlab.metamorphic.others import other_triplets
from aspectlab.robustness.sentences import OPPOSITE

_END = re.compile(r"[.!?]['\")\]]*$")
_SPACED = re.compile(r"\w [.,!?;:](\s|$)")


def mr13(sentence: Sentence, place: int, target: Triplet, means: Means) -> Iterator[Draft]:
    """Append some phrases, drawn anew for every target, one at a time."""
    if target.polarity not in OPPOSITE or not other_triplets(sentence, target):
        return
    known = sentence.example.text.lower()
    fitting = [
        phrase
        for phrase in means.phrases.get(OPPOSITE[target.polarity], ())
        if phrase.aspect not in known and phrase.opinion not in known
    ]
    rng = means.rng(sentence.example, place)
    for phrase in rng.sample(fitting, min(means.limit, len(fitting))):
        edit = append(sentence.example.text, phrase.text, f"phrase of {phrase.origin}")
        yield Draft((edit,), target.polarity)


def append(text: str, phrase: str, origin: str) -> Edit:
    """Set a phrase after a text, with blanks before full stops where the text has them.

    >>> append("So nice .", "it is slow", "").new, append("So nice", "it is slow", "").new
    (' it is slow .', '. it is slow.')
    """
    kept = text.rstrip()
    stop = " ." if _SPACED.search(kept) else "."
    return Edit(Span(len(kept), len(kept)), ("" if _END.search(kept) else stop) + f" {phrase}{stop}", origin)
