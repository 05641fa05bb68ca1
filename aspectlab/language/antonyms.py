"""Antonyms of opinion words: from the package's table, by a word's neighbours, and from WordNet."""

import csv
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from aspectlab.language.inflection import find_lemma, inflect, word_class
from aspectlab.language.wordnet import WordNet, find_wordnet, load_wordnet

NEGATE = "not"
"""Stands in a list of antonyms where negation should be used."""


def find_antonyms(lemma: str, kind: str) -> tuple[str, ...]:
    """List the curated antonyms of a lemma in one class (ADJ, ADV, VERB, NOUN), the best first.

    >>> find_antonyms("cheap", "ADJ"), find_antonyms("cheap", "NOUN")
    (('expensive',), ())
    """
    return antonym_table().get((lemma, kind), ())


def classes_of(lemma: str) -> frozenset[str]:
    """Name the classes under which the table knows a lemma.

    >>> sorted(classes_of("slow"))
    ['ADJ', 'VERB']
    """
    return frozenset(kind for kind in ("ADJ", "ADV", "VERB", "NOUN") if (lemma, kind) in antonym_table())


@cache
def antonym_table() -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the whole table by lemma and class."""
    table = files("aspectlab.language").joinpath("antonyms.tsv").read_text(encoding="utf-8")
    rows = csv.reader(table.splitlines(), delimiter="\t")
    return {(word, kind): tuple(antonyms.split(",")) for word, kind, antonyms in rows}


_WORD, _START = "_", "^"

Wording = tuple[tuple[str, ...], tuple[str, ...]]
"""The words right before a word, and those right after it."""


def find_collocation(words: Sequence[str], start: int, end: int) -> str | None:
    """Return the replacement of some of these words, all in lower case; None where nothing is known.

    >>> find_collocation(["a", "generous", "portion"], 1, 2), find_collocation(["a", "generous", "man"], 1, 2)
    ('stingy', None)
    """
    for antonym, wordings in collocation_table().get(" ".join(words[start:end]), ()):
        if any(_fits_neighbours(words, start, end, wording) for wording in wordings):
            return antonym
    return None


@cache
def collocation_table() -> dict[str, list[tuple[str, tuple[Wording, ...]]]]:
    """Return the whole table by word."""
    text = files("aspectlab.language").joinpath("collocations.tsv").read_text(encoding="utf-8")
    table: dict[str, list[tuple[str, tuple[Wording, ...]]]] = {}
    for word, antonym, wordings in csv.reader(text.splitlines(), delimiter="\t"):
        table.setdefault(word, []).append(
            (antonym, tuple(_parse_collocation(item) for item in wordings.split("|")))
        )
    return table


def _parse_collocation(wording: str) -> Wording:
    words = wording.split()
    index = words.index(_WORD)
    return tuple(words[:index]), tuple(words[index + 1 :])


def _fits_neighbours(words: Sequence[str], start: int, end: int, wording: Wording) -> bool:
    before, after = wording
    around = (_START, *words)  # so every index is one higher
    left = around[max(start + 1 - len(before), 0) : start + 1]
    return left == before and tuple(words[end : end + len(after)]) == after


_HIDING = frozenset({"IN", "UH"})
"""Tags that hide opinion words: "like" is easily taken for a preposition, "please" for a cry."""


@dataclass(frozen=True, slots=True)
class AntonymLexicon:
    """Where antonyms come from.

    WordNet is asked where the curated table has no entry; its antonyms that occur in `vocabulary`, the
    lower-case words of the domain, are preferred.
    """

    vocabulary: Collection[str] = frozenset()
    wordnet: WordNet | None = None

    def antonyms(self, word: str, tag: str, *, exact: bool = False) -> tuple[str, ...]:
        """List the antonyms of a word, in its form, the best first; none where negation reads better.

        With `exact`, those of the very form alone, as in the released test sets: "faster" has none then.

        >>> lexicon = AntonymLexicon()
        >>> lexicon.antonyms("cheapest", "JJS"), lexicon.antonyms("loved", "VBD")
        (('most expensive',), ('hated',))
        >>> lexicon.antonyms("cheapest", "JJS", exact=True), lexicon.antonyms("best", "JJS", exact=True)
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


def load_lexicon(vocabulary: Collection[str] = frozenset()) -> AntonymLexicon:
    """Return the lexicon of this machine: with WordNet where a copy is found."""
    folder = find_wordnet()
    return AntonymLexicon(vocabulary, load_wordnet(folder) if folder else None)


def _usable(antonyms: tuple[str, ...]) -> tuple[str, ...]:
    return antonyms[: antonyms.index(NEGATE)] if NEGATE in antonyms else antonyms
