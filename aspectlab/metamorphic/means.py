"""Means: what the relations draw on besides the sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from aspectlab.data import Example, Polarity
from aspectlab.metamorphic.phrases import Phrase

MASK = "[UNK]"
"""What MR1-4 puts in place of a word; `<unk>`, which other vocabularies have, is as long."""


class Lexicon(Protocol):
    """What is asked of a lexicon: words by lemma and class (ADJ, ADV, VERB, NOUN), the best first."""

    def synonyms(self, lemma: str, kind: str) -> Sequence[str]:
        """List words of the same meaning."""
        ...

    def antonyms(self, lemma: str, kind: str) -> Sequence[str]:
        """List words of the opposite meaning."""
        ...

    def hypernyms(self, lemma: str, kind: str) -> Sequence[str]:
        """List words of a broader meaning."""
        ...


@dataclass(frozen=True, slots=True)
class Means:
    """The lexicon, the phrases that MR1-3 may append by their polarity, and how many candidates to take."""

    lexicon: Lexicon
    phrases: Mapping[Polarity, Sequence[Phrase]] = field(default_factory=dict)
    limit: int = 10
    seed: int = 0

    def rng(self, example: Example, place: int) -> Random:
        """Give the generator for one target, whatever was drawn for those before it."""
        return Random(f"{self.seed}:{example.id}:{place}")  # noqa: S311 (not for secrets)
