"""Phrases: short sentences made of a triplet, which MR1-3 appends ("windows 7 is slow")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aspectlab.data import Polarity, Span
from aspectlab.metamorphic.drafts import Sentence, find_triplets

_LONGEST = 2
"""Words that the opinion of a phrase may have."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """The terms of a triplet in lower case, and the id of the example that it was taken from."""

    aspect: str
    opinion: str
    origin: str

    @property
    def text(self) -> str:
        """The phrase without its full stop.

        >>> Phrase("glasses", "dirty", "7").text, Phrase("bass", "fine", "8").text
        ('glasses are dirty', 'bass is fine')
        """
        is_plural = self.aspect.endswith("s") and not self.aspect.endswith("ss")
        return f"{self.aspect} {'are' if is_plural else 'is'} {self.opinion}"


def collect_phrases(sentences: Iterable[Sentence]) -> dict[Polarity, list[Phrase]]:
    """List the phrases by polarity, each text once: their opinions are short and end in an adjective."""
    found: dict[Polarity, dict[str, Phrase]] = {}
    for sentence in sentences:
        for triplet in find_triplets(sentence.example).values():
            if not _is_adjective(sentence, triplet.opinion):
                continue
            # cut first: some letters become two when they are made small, and move what follows
            aspect, opinion = (sentence.example.text[span.start : span.end].lower() for span in triplet.spans)
            phrase = Phrase(aspect, opinion, sentence.example.id)
            found.setdefault(triplet.polarity, {}).setdefault(phrase.text, phrase)
    return {polarity: list(phrases.values()) for polarity, phrases in found.items()}


def _is_adjective(sentence: Sentence, span: Span) -> bool:
    words = [word for word in sentence.words if span.start <= word.span.start and word.span.end <= span.end]
    return 0 < len(words) <= _LONGEST and words[-1].tag.startswith("JJ")
