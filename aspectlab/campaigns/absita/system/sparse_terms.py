"""Terms of texts (words, lemmas, letter n-grams) as sparse TF-IDF rows, and the products of such rows."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np

from aspectlab.campaigns.absita.system.extra import Float32Array, lemmatize
from aspectlab.metrics import BoolArray, FloatArray, IntArray

_DENSE_SHARE = 16
"""From one row in so many on, a dense product of a column is faster than one by cells; measured."""

_BLOCK = 256
_GROUP = 8

SparseRow = tuple[IntArray, FloatArray]
"""The columns of a row that are not zero, and their values."""

Cells = tuple[IntArray, IntArray, FloatArray]
"""The rows, columns and values of cells."""


@dataclass(frozen=True, eq=False, slots=True)
class SparseRows:
    """N rows of V columns: row i holds the cells from ends[i] to ends[i + 1]."""

    columns: IntArray  # [Z]
    values: Float32Array  # [Z]
    ends: IntArray  # [N + 1]
    width: int

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, row: int) -> SparseRow:
        cells = slice(self.ends[row], self.ends[row + 1])
        return self.columns[cells], self.values[cells].astype(np.float64)


def build_rows(cells: Cells, shape: tuple[int, int]) -> SparseRows:
    """Sort cells by their rows; those of one row keep theirs."""
    owners, columns, values = cells
    order = np.argsort(owners, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=shape[0]))])
    return SparseRows(columns[order], values[order].astype(np.float32), ends, shape[1])


def multiply_rows(left: SparseRows, right: SparseRows) -> Float32Array:
    """Return the products of all rows of the left with all rows of the right [N, M].

    Columns that many rows share are multiplied as a dense matrix, the others cell by cell: only those cells
    of the right are looked at that share a column with the row.
    """
    frequent = np.bincount(right.columns, minlength=right.width) > len(right) // _DENSE_SHARE  # [V]
    table = _write_out(right, frequent)  # [M, F]
    index = _Index(right, ~frequent)
    products = np.empty((len(left), len(right)), dtype=np.float32)
    for first in range(0, len(left), _BLOCK):
        rows = slice(first, min(first + _BLOCK, len(left)))
        np.matmul(_write_out(_cut(left, rows.start, rows.stop), frequent), table.T, out=products[rows])
    for first in range(0, len(left), _GROUP):
        rows = slice(first, min(first + _GROUP, len(left)))
        products[rows] += index.multiply(_cut(left, rows.start, rows.stop))
    return products


class _Index:
    """The cells of some columns of a matrix, by columns."""

    def __init__(self, rows: SparseRows, chosen: BoolArray) -> None:
        cells = np.flatnonzero(chosen[rows.columns])
        cells = cells[np.argsort(rows.columns[cells], kind="stable")]
        self._count = len(rows)
        self._owners = _owners(rows)[cells]
        self._values = rows.values[cells].astype(np.float64)
        self._sizes = np.bincount(rows.columns[cells], minlength=rows.width)  # [V]
        self._starts = np.cumsum(self._sizes) - self._sizes  # [V]

    def multiply(self, left: SparseRows) -> FloatArray:
        """Multiply few rows with all [N, M]: list every pair of cells, and sum them by their position."""
        sizes = self._sizes[left.columns]  # [Z]
        positions = np.repeat(self._starts[left.columns] - (np.cumsum(sizes) - sizes), sizes)  # [P]
        positions += np.arange(len(positions))
        products = self._values[positions] * np.repeat(left.values, sizes)
        at = np.repeat(_owners(left) * self._count, sizes)
        at += self._owners[positions]
        sums = np.bincount(at, weights=products, minlength=len(left) * self._count)
        return np.asarray(sums, dtype=np.float64).reshape(len(left), self._count)


def _owners(rows: SparseRows) -> IntArray:
    """The row of each cell [Z]."""
    return np.repeat(np.arange(len(rows)), np.diff(rows.ends))


def _write_out(rows: SparseRows, chosen: BoolArray) -> Float32Array:
    """Write the chosen columns as a dense matrix [N, F]."""
    positions = np.cumsum(chosen) - 1
    owners = _owners(rows)
    kept = chosen[rows.columns]
    table = np.zeros((len(rows), int(chosen.sum())), dtype=np.float32)
    table[owners[kept], positions[rows.columns[kept]]] = rows.values[kept]
    return table


def _cut(rows: SparseRows, start: int, end: int) -> SparseRows:
    ends = rows.ends[start : end + 1]
    cells = slice(ends[0], ends[-1])
    return SparseRows(rows.columns[cells], rows.values[cells], ends - ends[0], rows.width)


_WORD = re.compile(r"\w+|[!?]")
_LETTERS = (2, 5)
_MIN_TEXTS = 2
"""A term that one training text alone holds says nothing of others."""


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, and the marks that carry feeling.

    >>> split_words("Personale GENTILE, wow!")
    ['personale', 'gentile', 'wow', '!']
    """
    return _WORD.findall(text.lower())


def _pairs(words: Sequence[str]) -> Iterator[str]:
    yield from words
    yield from map(" ".join, pairwise(words))


def word_terms(text: str) -> Iterator[str]:
    """Return the words and the pairs of neighbours."""
    return _pairs(split_words(text))


def lemma_terms(text: str) -> Iterator[str]:
    """Return the lemmas and the pairs of neighbours: "camere" and "camera" are one."""
    return _pairs([lemmatize(word) for word in split_words(text)])


def letter_terms(text: str) -> Iterator[str]:
    """Return two to five neighbouring letters within words: misspelt words still share most of them."""
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
class TermVocabulary:
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


def build_terms(vocabularies: Sequence[TermVocabulary], texts: Sequence[str]) -> SparseRows:
    """Join the rows of several vocabularies; the whole row has length 1 [N, V]."""
    sizes = [len(vocabulary.columns) for vocabulary in vocabularies]
    shifts = np.concatenate([[0], np.cumsum(sizes)])
    cells = [vocabulary.weigh(texts) for vocabulary in vocabularies]
    owners = np.concatenate([owners for owners, _, _ in cells])
    columns = np.concatenate([own + shift for (_, own, _), shift in zip(cells, shifts, strict=False)])
    values = np.concatenate([values for _, _, values in cells]) * len(vocabularies) ** -0.5
    return build_rows((owners, columns, values), (len(texts), int(shifts[-1])))


def learn_vocabulary(kind: str, texts: Sequence[str]) -> TermVocabulary:
    """Collect the terms that at least two texts hold, weighted by ln((1 + N) / (1 + n)) + 1."""
    counts = Counter(term for text in texts for term in set(KINDS[kind](text)))
    known = sorted(term for term, count in counts.items() if count >= _MIN_TEXTS)
    found = np.array([counts[term] for term in known], dtype=np.float64)
    weights = np.log((1 + len(texts)) / (1 + found)) + 1
    return TermVocabulary(kind, {term: column for column, term in enumerate(known)}, weights)
