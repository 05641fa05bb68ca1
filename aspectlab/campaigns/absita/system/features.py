"""Features: what the kernel sees of texts, and the kernel between two sets of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aspectlab.campaigns.absita.system.clauses import split_clauses
from aspectlab.campaigns.absita.system.embedding import embed_beside
from aspectlab.campaigns.absita.system.meaning import Meaning, add_meaning
from aspectlab.campaigns.absita.system.parts import Float32Array, limit_threads
from aspectlab.campaigns.absita.system.rows import Rows, multiply_rows
from aspectlab.campaigns.absita.system.terms import Vocabulary, build_terms
from aspectlab.metrics import IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Features:
    """What is known of N texts: their terms, and vectors of length 1 for the meaning of their M clauses."""

    terms: Rows  # [N, V]
    vectors: Float32Array  # [M, 512]
    owners: IntArray  # [M], the text of each clause, ascending; every text has one

    @property
    def meaning(self) -> Meaning:
        """What their meaning is compared by."""
        return Meaning(self.vectors, np.bincount(self.owners, minlength=len(self.terms)))


def relate(
    vocabularies: Sequence[Vocabulary], texts: Sequence[str], known: Features | None = None
) -> tuple[Features, Float32Array]:
    """Compute the features of texts, and their kernel with known texts, or with each other [N, M].

    The kernel compares by terms, by meaning, by both at once, and clause by clause. The product of terms and
    meaning asks that two texts share a word in a like context; the clauses, that they say one like thing.
    """
    parts = [split_clauses(text) for text in texts]
    owners = np.repeat(np.arange(len(texts)), [len(part) for part in parts])

    def compare_terms() -> tuple[Rows, Float32Array]:
        terms = build_terms(vocabularies, texts)
        return terms, multiply_rows(terms, terms if known is None else known.terms)

    # most of the time goes into vectors, whose matrix products leave Python free for the terms
    with limit_threads():
        vectors, (terms, kernel) = embed_beside([clause for part in parts for clause in part], compare_terms)
        features = Features(terms, vectors, owners)
        add_meaning(kernel, features.meaning, (features if known is None else known).meaning)
    return features, kernel
