"""Terms: texts as sparse TF-IDF rows over n-grams of words, of letters, or of lemmas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np

from aspectlab.campaigns.absita.system.parts import lemmatize
from aspectlab.campaigns.absita.system.rows import Cells, Rows, build_rows
from aspectlab.metrics import FloatArray

_WORD = re.compile(r"\w+|[!?]")
_LETTERS = (2, 5)
_MIN_TEXTS = 2
"""A term that one training text alone holds says nothing of others."""


def split_words(text: str) -> list[str]:
    """Give the words of a text in lower case, and the marks that carry feeling.

    >>> split_words("Personale GENTILE, wow!")
    ['personale', 'gentile', 'wow', '!']
    """
    return _WORD.findall(text.lower())


def _pairs(words: Sequence[str]) -> Iterator[str]:
    yield from words
    yield from map(" ".join, pairwise(words))


def word_terms(text: str) -> Iterator[str]:
    """Give the words and the pairs of neighbours."""
    return _pairs(split_words(text))


def lemma_terms(text: str) -> Iterator[str]:
    """Give the lemmas and the pairs of neighbours: "camere" and "camera" are one."""
    return _pairs([lemmatize(word) for word in split_words(text)])


def letter_terms(text: str) -> Iterator[str]:
    """Give two to five neighbouring letters within words: misspelt words still share most of them."""
    return chain.from_iterable(map(_pieces, text.lower().split()))


@lru_cache(maxsize=1 << 15)
def _pieces(word: str) -> tuple[str, ...]:
    """Cut a word, with a blank on either side, into all its pieces.

    >>> _pieces("un")
    (' u', 'un', 'n ', ' un', 'un ', ' un ')
    """
    padded = f" {word} "
    sizes = range(_LETTERS[0], min(_LETTERS[1], len(padded)) + 1)
    return tuple(padded[at : at + size] for size in sizes for at in range(len(padded) - size + 1))


KINDS: dict[str, Callable[[str], Iterator[str]]] = {
    "word": word_terms,
    "letter": letter_terms,
    "lemma": lemma_terms,
}


@dataclass(frozen=True, eq=False, slots=True)
class Vocabulary:
    """The terms of a training corpus with their weights; rare in texts is heavy."""

    kind: str
    columns: dict[str, int]
    weights: FloatArray  # [V]

    def weigh(self, texts: Sequence[str]) -> Cells:
        """Turn texts into rows of length 1; unknown terms are passed over."""
        split, find = KINDS[self.kind], self.columns.get
        found = [[c for term in split(text) if (c := find(term)) is not None] for text in texts]
        sizes = np.array([len(columns) for columns in found], dtype=np.int64)  # [N]
        flat = np.fromiter(chain.from_iterable(found), dtype=np.int64, count=int(sizes.sum()))
        width = max(len(self.columns), 1)
        keys, counts = np.unique(np.repeat(np.arange(len(texts)), sizes) * width + flat, return_counts=True)
        owners, columns = np.divmod(keys, width)
        values = (1 + np.log(counts)) * self.weights[columns]
        lengths = np.sqrt(np.bincount(owners, weights=values * values, minlength=len(texts)))  # [N]
        return owners, columns, values / np.maximum(lengths, 1e-12)[owners]


def build_terms(vocabularies: Sequence[Vocabulary], texts: Sequence[str]) -> Rows:
    """Put the rows of several vocabularies side by side; the whole row has length 1 [N, V]."""
    sizes = [len(vocabulary.columns) for vocabulary in vocabularies]
    shifts = np.concatenate([[0], np.cumsum(sizes)])
    cells = [vocabulary.weigh(texts) for vocabulary in vocabularies]
    owners = np.concatenate([owners for owners, _, _ in cells])
    columns = np.concatenate([own + shift for (_, own, _), shift in zip(cells, shifts, strict=False)])
    values = np.concatenate([values for _, _, values in cells]) * len(vocabularies) ** -0.5
    return build_rows((owners, columns, values), (len(texts), int(shifts[-1])))


def learn_vocabulary(kind: str, texts: Sequence[str]) -> Vocabulary:
    """Collect the terms that at least two texts hold, weighted by ln((1 + N) / (1 + n)) + 1."""
    counts = Counter(term for text in texts for term in set(KINDS[kind](text)))
    known = sorted(term for term, count in counts.items() if count >= _MIN_TEXTS)
    found = np.array([counts[term] for term in known], dtype=np.float64)
    weights = np.log((1 + len(texts)) / (1 + found)) + 1
    return Vocabulary(kind, {term: column for column, term in enumerate(known)}, weights)
