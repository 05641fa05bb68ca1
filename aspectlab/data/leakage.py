"""Leakage: test texts that are also in the training data, verbatim or nearly so, and joining without them."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import groupby, islice, pairwise

from aspectlab.data.characters import is_mark, is_of_word, is_unspaced
from aspectlab.data.corpus import Corpus
from aspectlab.data.example import Example
from aspectlab.errors import DataError

_SIMILAR = (4, 5)
"""Two texts are near duplicates from a Jaccard similarity of 4/5 on; in whole numbers it has no rounding."""

_LISTED = 20
"""So many train texts are listed for a test text; those of a template are all near to one another."""

_COMMON = 100
"""A shingle in at least so many texts is a common one."""

Shingle = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OverlapMatch:
    """One text on both sides: its similarity and the ids of all examples that have it."""

    similarity: float
    train: tuple[str, ...]
    test: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overlap:
    """What two corpora share; a test example is listed under its strongest kind of match only.

    `near` holds the first 20 train texts that are near to a test text, and so all test texts that have any.
    """

    exact: tuple[OverlapMatch, ...]
    near: tuple[OverlapMatch, ...]

    @property
    def exact_test_ids(self) -> tuple[str, ...]:
        """The test examples whose verbatim text is in train."""
        return tuple(id for match in self.exact for id in match.test)

    @property
    def near_test_ids(self) -> tuple[str, ...]:
        """The test examples with a near duplicate in train."""
        return tuple(dict.fromkeys(id for match in self.near for id in match.test))


def overlap(train: Corpus, test: Corpus) -> Overlap:
    """Find the texts of test that occur in train, verbatim or nearly.

    Near means: equal after case folding with only letters (and their marks) and digits kept, or a Jaccard
    similarity of the word pairs of at least 0.8; in Chinese or Thai a letter counts as a word. The search is
    exact, yet takes time in proportion to the rare word pairs.

    >>> from aspectlab.data.corpus import Corpus
    >>> old = Corpus("a", "en", frozenset(), (Example("1", "Good soup."), Example("2", "Bad tea.")))
    >>> new = Corpus("b", "en", frozenset(), (Example("7", "good soup"), Example("8", "Bad tea.")))
    >>> found = overlap(old, new)
    >>> found.exact_test_ids, found.near_test_ids
    (('8',), ('7',))
    """
    exact, rest = _shared(_group_by_text(train), _group_by_text(test))
    known = _regroup(_group_by_text(train))
    same, rest = _shared(known, _regroup(rest))
    similar = [
        OverlapMatch(similarity, tuple(known[old]), tuple(rest[new]))
        for old, new, similarity in _similar(list(known), list(rest))
    ]
    return Overlap(tuple(exact), (*same, *similar))


_PARTS = {"train": "the training corpus", "dev": "the dev part of"}


def refuse_overlap(train: Corpus, test: Corpus, *, part: str = "train") -> None:
    """Raise a DataError if a verbatim text of test occurs in train: a score on it would mean nothing.

    `part` is what the first corpus is used for, `train` or `dev`.

    >>> from aspectlab.data.corpus import Corpus
    >>> refuse_overlap(*(Corpus(text, "en", frozenset(), (Example("1", text),)) for text in ("Tea", "Milk")))
    """
    leaked, _ = _shared(_group_by_text(train), _group_by_text(test))
    if leaked:
        first = leaked[0]
        count = sum(len(match.test) for match in leaked)
        raise DataError(
            f"corpus {test.name!r}: {count} texts occur in {_PARTS[part]} {train.name!r} too, first test id "
            f"{first.test[0]!r} = {part} id {first.train[0]!r}: expected none; leave them out of {part}, by "
            f"--drop-shared where a command has it, or list them: aspectlab data check {part.upper()} TEST"
        )


def leave_out(corpus: Corpus, *others: Corpus) -> Corpus:
    """Leave out the examples whose verbatim text another corpus has too.

    >>> from aspectlab.data.corpus import Corpus
    >>> tea, milk = (Corpus(text, "en", frozenset(), (Example("1", text),)) for text in ("Tea", "Milk"))
    >>> len(leave_out(tea, milk)), len(leave_out(tea, milk, tea))
    (1, 0)
    """
    texts = {example.text for other in others for example in other}
    return corpus.with_examples(example for example in corpus if example.text not in texts)


Groups = dict[str, list[str]]
"""The ids of the examples by the text they share."""


def _shared(train: Groups, test: Groups) -> tuple[list[OverlapMatch], Groups]:
    """Return the texts on both sides, and the groups of test that are left."""
    both = [OverlapMatch(1.0, tuple(train[text]), tuple(ids)) for text, ids in test.items() if text in train]
    return both, {text: ids for text, ids in test.items() if text not in train}


def _group_by_text(examples: Iterable[Example]) -> Groups:
    groups: Groups = {}
    for example in examples:
        if example.text.strip():
            groups.setdefault(example.text, []).append(example.id)
    return groups


def _regroup(groups: Groups) -> Groups:
    """Join the groups whose texts have the same words."""
    joined: Groups = {}
    for text, ids in groups.items():
        words = " ".join(_find_words(text))
        # a text of punctuation only ("…") is like every other: leave it out
        if words:
            joined.setdefault(words, []).extend(ids)
    return joined


def _find_words(text: str) -> list[str]:
    """Return the words in one spelling; a letter of a script that writes without spaces is a word."""
    folded = unicodedata.normalize("NFC", text.casefold())
    if folded.isascii():  # most texts, and quicker
        return re.findall(r"\w+", folded)
    return "".join(map(_space, folded)).split()


def _space(char: str) -> str:
    """Return a character of a word, with a space before it where it begins one; a space for any other."""
    if not is_of_word(char) and char != "_":
        return " "
    return f" {char}" if is_unspaced(char) and not is_mark(char) else char


def _similar(train: list[str], test: list[str]) -> Iterator[tuple[str, str, float]]:
    """Join two lists of texts by Jaccard similarity with prefix filtering.

    Put the shingles of every text in one order, rare ones first. Two sets that share 4/5 must share one of
    the first few shingles of each, so only those are indexed and looked up.
    """
    # what is in train alone comes first and is never looked up: most of a large train set is not kept
    known = {shingle for text in test for shingle in _shingles(text)}
    index = _Index(Counter(shingle for text in train for shingle in _shingles(text) if shingle in known))
    for number, text in enumerate(train if test else ()):
        index.add(number, _shingles(text))
    for text in test:
        shingles = _shingles(text)
        olds = (train[number] for number in index.find(shingles))
        found = ((old, text, _compare(shingles, _shingles(old))) for old in olds)
        yield from islice((match for match in found if match[2]), _LISTED)


class _Index:
    """The numbers of sets by the first of their shingles.

    Those of a common one are kept apart by the size of the set and how much of it is left from there on:
    texts of one template all share such a shingle, and most cannot be near for want of others.
    """

    def __init__(self, frequency: Counter[Shingle]) -> None:
        self._frequency = frequency
        self._rare: dict[Shingle, list[int]] = {}
        self._common: dict[Shingle, dict[tuple[int, int], list[int]]] = {}

    def add(self, number: int, shingles: frozenset[Shingle]) -> None:
        for position, shingle in enumerate(_prefix(shingles, self._frequency)):
            if self._frequency[shingle] == 0:
                continue
            if self._frequency[shingle] < _COMMON:
                self._rare.setdefault(shingle, []).append(number)
            else:
                left = len(shingles) - position
                self._common.setdefault(shingle, {}).setdefault((len(shingles), left), []).append(number)

    def find(self, shingles: frozenset[Shingle]) -> Iterator[int]:
        """Return the sorted indices of the sets that may be near: from the first shingle they share on."""
        size = len(shingles)
        lists: list[list[int]] = []
        for position, shingle in enumerate(_prefix(shingles, self._frequency)):
            lists.append(self._rare.get(shingle, []))
            for (other, left), numbers in self._common.get(shingle, {}).items():
                if min(size - position, left) * sum(_SIMILAR) >= (size + other) * _SIMILAR[0]:
                    lists.append(numbers)
        return (number for number, _ in groupby(merge(*lists)))


def _compare(left: frozenset[Shingle], right: frozenset[Shingle]) -> float:
    """Return the similarity of two sets, or 0 if it is too small to count."""
    common = len(left & right)
    either = len(left) + len(right) - common
    return common / either if common * _SIMILAR[1] >= either * _SIMILAR[0] else 0.0


def _shingles(text: str) -> frozenset[Shingle]:
    words = text.split(" ")
    return frozenset(pairwise(words)) or frozenset({(text,)})


def _prefix(shingles: frozenset[Shingle], frequency: Counter[Shingle]) -> list[Shingle]:
    must_share = -(-len(shingles) * _SIMILAR[0] // _SIMILAR[1])
    ordered = sorted(shingles, key=lambda shingle: (frequency[shingle], shingle))
    return ordered[: len(shingles) - must_share + 1]


_SHORT = 20
"""Letters. A shorter test sentence ("Delicious!") gives nothing away inside a review: it must be the line."""


class Exclusion:
    """The sentences of test sets, for finding them in other text whatever its case, marks and whitespace.

    >>> leaked = Exclusion(["The soup was cold and bland."])
    >>> "Well. the SOUP was cold, and bland" in leaked, "The soup was cold." in leaked
    (True, False)
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._whole: set[str] = set()
        self._by_start: defaultdict[str, list[str]] = defaultdict(list)
        for text in {_letters(text) for text in texts} - {""}:
            self._whole.add(text)
            if len(text) >= _SHORT:
                self._by_start[text[:_SHORT]].append(text)

    def __len__(self) -> int:
        return len(self._whole)

    def __contains__(self, line: str) -> bool:
        text = _letters(line)
        if text in self._whole:
            return True
        windows = [text[start : start + _SHORT] for start in range(len(text) - _SHORT + 1)]
        # nearly all lines end here, without a loop in Python over the windows
        if self._by_start.keys().isdisjoint(windows):
            return False
        return any(sentence in text for window in windows for sentence in self._by_start.get(window, ()))


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", text.casefold()))


def join(own: Corpus, others: Sequence[Corpus], held_out: Iterable[Corpus] = ()) -> list[Corpus]:
    """Return a corpus and the others, each without the sentences of those before it and of the held-out ones.

    Corpora of one field share sentences: the training part of one may hold the test part of another. The
    ids of the second corpus begin with "2:", those of the third with "3:", so that each stays the only one.

    >>> tea = Corpus("own", "en", frozenset(), (Example("1", "Good tea"),))
    >>> more = Corpus("more", "en", frozenset(), (Example("1", "good tea!"), Example("2", "Fine rolls")))
    >>> [[example.id for example in corpus] for corpus in join(tea, [more])]
    [['1'], ['2:2']]
    """
    joined = [own]
    known = [example.text for corpus in (own, *held_out) for example in corpus]
    for number, other in enumerate(others, 2):
        leaked = Exclusion(known)
        new = [example for example in other if example.text not in leaked]
        joined.append(prefix_ids(other.with_examples(new), number))
        known += [example.text for example in new]
    return joined


def prefix_ids(corpus: Corpus, number: int) -> Corpus:
    """Return the corpus with a number before its ids, so that none is an id of another corpus.

    >>> [example.id for example in prefix_ids(Corpus(examples=[Example("7", "Good tea")]), 2)]
    ['2:7']
    """
    return corpus.with_examples(_rename(example, number) for example in corpus)


def _rename(example: Example, number: int) -> Example:
    source = None if example.source is None else f"{number}:{example.source}"
    return replace(example.with_source(source), id=f"{number}:{example.id}")
