"""Antonyms in the form that the place of a word asks for: the curated table first, then WordNet."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from aspectlab.language.antonyms import NEGATE, find_antonyms
from aspectlab.language.inflection import find_lemma, inflect, word_class
from aspectlab.language.wordnet import WordNet, find_wordnet, load_wordnet

_HIDING = frozenset({"IN", "UH"})
"""Tags that hide opinion words: "like" is easily taken for a preposition, "please" for a cry."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Where antonyms come from.

    WordNet is asked where the curated table has no entry; its antonyms that occur in `vocabulary`, the
    lower-case words of the domain, are preferred.
    """

    vocabulary: Collection[str] = frozenset()
    wordnet: WordNet | None = None

    def antonyms(self, word: str, tag: str, *, exact: bool = False) -> tuple[str, ...]:
        """List the antonyms of a word, in its form, the best first; none where negation reads better.

        With `exact`, those of the very form alone, as in the released test sets: "faster" has none then.

        >>> Lexicon().antonyms("cheapest", "JJS"), Lexicon().antonyms("loved", "VBD")
        (('most expensive',), ('hated',))
        >>> Lexicon().antonyms("cheapest", "JJS", exact=True), Lexicon().antonyms("best", "JJS", exact=True)
        ((), ('worst',))
        """
        kind, lower = word_class(tag), word.lower()
        if kind is None:
            return _hidden(lower) if tag in _HIDING else ()
        # an inflected form may have an entry of its own: "best", "disappointed" as an adjective
        curated = find_antonyms(lower, kind)
        if curated:
            return _usable(curated)
        curated = () if exact else find_antonyms(find_lemma(word, tag), kind)
        if curated:
            return tuple(inflect(antonym, tag) for antonym in _usable(curated))
        # a capital or a noun after it may hide an adjective
        found = _usable(find_antonyms(lower, "ADJ")) or self._in_wordnet(lower, kind)
        # but "we loved it" has none that could be exchanged for "unloved"
        return tuple(word for word in found if tag != "VBD" or self._is_verb(find_lemma(word, tag)))

    def _is_verb(self, lemma: str) -> bool:
        known = (self.wordnet.senses, self.wordnet.pairs) if self.wordnet else ()
        return any((lemma, "VERB") in table for table in known)

    def _in_wordnet(self, form: str, kind: str) -> tuple[str, ...]:
        groups = self.wordnet.opposites(form, kind) if self.wordnet else ()
        # sorted is stable: within and outside the vocabulary the order of the senses stays
        ranked = [sorted(group, key=lambda antonym: antonym not in self.vocabulary) for group in groups]
        return tuple(dict.fromkeys(antonym for group in ranked for antonym in group))


def _hidden(word: str) -> tuple[str, ...]:
    """List the antonyms of a word that a tagger took for a preposition or a cry."""
    found = (find_antonyms(word, kind) for kind in ("VERB", "ADV", "ADJ"))
    return _usable(next((antonyms for antonyms in found if antonyms), ()))


def load_lexicon(vocabulary: Collection[str] = frozenset()) -> Lexicon:
    """Give the lexicon of this machine: with WordNet where a copy is found."""
    folder = find_wordnet()
    return Lexicon(vocabulary, load_wordnet(folder) if folder else None)


def _usable(antonyms: tuple[str, ...]) -> tuple[str, ...]:
    return antonyms[: antonyms.index(NEGATE)] if NEGATE in antonyms else antonyms
