"""Antonyms in the form that the place of a word asks for: the curated table first, then WordNet."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from aspectlab.language.antonyms import NEGATE, find_antonyms
from aspectlab.language.inflection import find_lemma, inflect, word_class
from aspectlab.language.wordnet import WordNet, find_wordnet, load_wordnet


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Where antonyms come from.

    WordNet is asked where the curated table has no entry; its antonyms that occur in `vocabulary`, the
    lower-case words of the domain, are preferred.
    """

    vocabulary: Collection[str] = frozenset()
    wordnet: WordNet | None = None

    def antonyms(self, word: str, tag: str) -> tuple[str, ...]:
        """List the antonyms of a word, in its form, the best first; none where negation reads better.

        >>> Lexicon().antonyms("cheapest", "JJS"), Lexicon().antonyms("loved", "VBD")
        (('most expensive',), ('hated',))
        """
        kind = word_class(tag)
        if kind is None:
            return ()
        lemma, lower = find_lemma(word, tag), word.lower()
        # an inflected form may have an entry of its own: "best", "disappointed" as an adjective
        for form, usual in ((lower, False), (lemma, True)):
            curated = find_antonyms(form, kind)
            if curated:
                return tuple(inflect(antonym, tag) if usual else antonym for antonym in _usable(curated))
        if find_antonyms(lower, "ADJ"):  # a capital or a noun after it may hide an adjective
            return _usable(find_antonyms(lower, "ADJ"))
        return self._in_wordnet(lemma, kind, tag)

    def _in_wordnet(self, lemma: str, kind: str, tag: str) -> tuple[str, ...]:
        found = self.wordnet.antonyms(lemma, kind) if self.wordnet else ()
        # sorted is stable: within and outside the vocabulary the order of the senses stays
        known = sorted(found, key=lambda antonym: antonym not in self.vocabulary)
        return tuple(inflect(antonym, tag) for antonym in known)


def load_lexicon(vocabulary: Collection[str] = frozenset()) -> Lexicon:
    """Give the lexicon of this machine: with WordNet where a copy is found."""
    folder = find_wordnet()
    return Lexicon(vocabulary, load_wordnet(folder) if folder else None)


def _usable(antonyms: tuple[str, ...]) -> tuple[str, ...]:
    return antonyms[: antonyms.index(NEGATE)] if NEGATE in antonyms else antonyms
