"""Features: what the kernel sees of texts, and the kernel between two sets of them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from aspectlab.campaigns.absita.system.clauses import split_clauses
from aspectlab.campaigns.absita.system.parts import Float32Array, embed
from aspectlab.campaigns.absita.system.rows import Rows, multiply_rows
from aspectlab.campaigns.absita.system.terms import Vocabulary, build_terms
from aspectlab.metrics import IntArray

CLAUSE_KINDS = ("word", "lemma")
"""Letters are left out of clauses: they are many, and the whole sentence has them."""

_SCALE = np.float32(0.4)


@dataclass(frozen=True, eq=False, slots=True)
class Wording:
    """The terms of N texts and of their M clauses; rows of terms have length 1."""

    terms: Rows  # [N, V]
    clauses: Rows  # [M, W]
    owners: IntArray  # [M], the text of each clause, ascending; every text has one


@dataclass(frozen=True, eq=False, slots=True)
class Features:
    """What is known of N texts: their wording, and vectors of length 1 for their meaning."""

    wording: Wording
    vectors: Float32Array  # [N, 512]


def relate(
    vocabularies: Sequence[Vocabulary], texts: Sequence[str], known: Features | None = None
) -> tuple[Features, Float32Array]:
    """Compute the features of texts, and their kernel with known texts, or with each other [N, M].

    The kernel compares by terms, by meaning, by both at once, and clause by clause. The product of terms and
    meaning asks that two texts share a word in a like context; the squares within clauses that they share
    pairs of words in one clause, such as what is judged and how.
    """
    # half of the time goes into vectors, whose matrix products leave Python free for the wording
    with ThreadPoolExecutor(max_workers=1) as pool:
        vectors = pool.submit(embed, texts)
        wording = compute_wording(vocabularies, texts)
        other = wording if known is None else known.wording
        lexical, kernel = _lexical_kernel(wording, other), clause_kernel(wording, other)
        features = Features(wording, vectors.result())
    meaning = features.vectors @ (features if known is None else known).vectors.T
    kernel += lexical + 2 * meaning * lexical + meaning * meaning
    kernel *= _SCALE
    kernel += 1  # a constant feature: the bias
    return features, kernel


def compute_wording(vocabularies: Sequence[Vocabulary], texts: Sequence[str]) -> Wording:
    """Count the terms of texts and clauses, by the vocabularies of a training corpus."""
    parts = [split_clauses(text) for text in texts]
    clauses = [clause for part in parts for clause in part]
    owners = np.repeat(np.arange(len(texts)), [len(part) for part in parts])
    few = [vocabulary for vocabulary in vocabularies if vocabulary.kind in CLAUSE_KINDS]
    return Wording(build_terms(vocabularies, texts), build_terms(few, clauses), owners)


def _lexical_kernel(left: Wording, right: Wording) -> Float32Array:
    kernel = np.zeros((len(left.terms), len(right.terms)), dtype=np.float32)
    for row, products in zip(kernel, multiply_rows(left.terms, right.terms), strict=True):
        row[:] = products
    return kernel


def clause_kernel(left: Wording, right: Wording) -> Float32Array:
    """Sum the squared likeness of all pairs of clauses; every text is 1 with itself."""
    kernel = np.zeros((len(left.terms), len(right.terms)), dtype=np.float32)
    firsts = np.searchsorted(right.owners, np.arange(len(right.terms)))  # [M], each text has a clause
    for owner, likeness in zip(left.owners, multiply_rows(left.clauses, right.clauses), strict=True):
        kernel[owner] += np.add.reduceat(likeness * likeness, firsts)
    kernel /= _clause_lengths(left)[:, None]
    kernel /= _clause_lengths(right)[None]
    return kernel


def _clause_lengths(wording: Wording) -> Float32Array:
    """Give the square root of what each text's kernel with itself would be [N]."""
    ends = np.searchsorted(wording.owners, np.arange(len(wording.terms) + 1))
    squares = [_square(wording.clauses, start, end) for start, end in pairwise(ends)]
    return np.sqrt(np.maximum(np.array(squares, dtype=np.float32), np.float32(1e-9)))


def _square(clauses: Rows, start: int, end: int) -> float:
    """Sum the squared products of the clauses from start to end with each other."""
    rows = [clauses[number] for number in range(start, end)]
    known = np.unique(np.concatenate([columns for columns, _ in rows]))
    table = np.zeros((len(rows), len(known)))
    for line, (columns, values) in zip(table, rows, strict=True):
        line[np.searchsorted(known, columns)] = values
    return float(((table @ table.T) ** 2).sum())
