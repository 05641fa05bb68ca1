"""Group aspect terms into categories: by their vectors and their words, with names taken from the reviews."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aspectlab.insight.linkage import average_linkage
from aspectlab.insight.terms import normalise_term

OTHER = "other"
"""The category of terms that are like no group, and of opinions without an aspect."""

MAX_TERMS = 2_000
"""So many terms, the most frequent ones, are compared by vector; the others by their words only."""

MAX_GROUPS = 40

_CORE_TERMS = 500
_SMALLEST_SHARE = 0.002
# how far above the usual similarity of two terms a pair must lie; chosen on restaurant and laptop terms
_JOIN, _ATTACH = 2.0, 2.0
_LEAST_SIMILARITY, _ENOUGH_SIMILARITY = 0.2, 0.5
_SHARED_WORD = 0.3

Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Grouping:
    """The categories: by normalised term and, for terms too rare to be there, by word."""

    names: tuple[str, ...]
    by_term: Mapping[str, str]
    by_word: Mapping[str, str]

    def find(self, aspect: str) -> str:
        """Name the category of an aspect term as it stands in a review.

        >>> grouping = Grouping(("food",), {"pizza": "food"}, {"pizza": "food"})
        >>> grouping.find("Pizza"), grouping.find("tuna pizza"), grouping.find("lamp")
        ('food', 'food', 'other')
        """
        term = normalise_term(aspect)
        if term in self.by_term:
            return self.by_term[term]
        words = reversed(term.split(" "))
        return next((self.by_word[word] for word in words if word in self.by_word), OTHER)


def group_terms(
    counts: Sequence[tuple[str, int]], embed: Embed, aspects: Sequence[str] | None = None
) -> Grouping:
    """Group terms, given by surface form with their counts; `aspects` are fixed names of categories."""
    surfaces, totals = _fold(counts)
    # of terms that are equally frequent, the shorter one is the better name
    terms = sorted(totals, key=lambda term: (-totals[term], term.count(" ")))[:MAX_TERMS]
    fixed = list(dict.fromkeys(name.strip() for name in aspects or () if name.strip()))
    if not terms:
        return Grouping(tuple(fixed), {}, {})
    keys = [normalise_term(name) for name in fixed]
    # a given name counts as much as the most frequent term
    weights = [totals[terms[0]]] * len(keys) + [totals[term] for term in terms]
    space = _Space.build([*keys, *terms], weights, embed)
    if fixed:
        return _assign(space, fixed, terms, [[place] for place in range(len(fixed))])
    groups = _form_groups(space, [totals[term] for term in terms])
    names = [surfaces[terms[members[0]]] for members in groups]
    return _assign(space, names, terms, groups)


@dataclass(frozen=True, slots=True)
class _Space:
    """How alike terms are: the cosines of their centred vectors, and whether they share words."""

    terms: list[str]
    similarity: NDArray[np.float32]  # [N, N]
    mean: float
    spread: float

    @classmethod
    def build(cls, terms: list[str], counts: Sequence[int], embed: Embed) -> _Space:
        vectors = np.asarray(embed(terms), np.float64)  # [N, D]
        # what all terms of a domain share says nothing about which of them belong together
        vectors = vectors - np.average(vectors, axis=0, weights=np.sqrt(counts))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = vectors / np.where(lengths > 0, lengths, 1)
        # far below the digits that matter, sums hang on the machine: rounding makes ties equal everywhere
        cosines = np.round(vectors @ vectors.T, 4)  # [N, N]
        core = cosines[:_CORE_TERMS, :_CORE_TERMS]
        pairs = core[~np.eye(len(core), dtype=bool)]
        mean, spread = (float(pairs.mean()), float(pairs.std())) if len(pairs) else (0.0, 0.0)
        similarity = (cosines + _SHARED_WORD * _share_words(terms)).astype(np.float32)
        return cls(terms, similarity, mean, spread)

    def threshold(self, steps: float) -> float:
        """Give the similarity that is far above the usual; among a few terms that says little: so bounded."""
        return min(max(self.mean + steps * self.spread, _LEAST_SIMILARITY), _ENOUGH_SIMILARITY)


def _form_groups(space: _Space, counts: list[int]) -> list[list[int]]:
    """Give the groups with the most opinions; in each the places of its terms, the most frequent first."""
    core = min(len(counts), _CORE_TERMS)
    clusters = average_linkage(space.similarity[:core, :core], space.threshold(_JOIN))
    members: dict[int, list[int]] = {}
    for place, cluster in enumerate(clusters.tolist()):
        members.setdefault(cluster, []).append(place)
    size = {cluster: sum(counts[place] for place in places) for cluster, places in members.items()}
    smallest = max(2, _SMALLEST_SHARE * sum(counts))
    large = [cluster for cluster in members if size[cluster] >= smallest]
    return [members[cluster] for cluster in sorted(large, key=lambda cluster: -size[cluster])[:MAX_GROUPS]]


def _assign(
    space: _Space, names: Sequence[str], terms: Sequence[str], groups: Sequence[Sequence[int]]
) -> Grouping:
    """Put each term into its group, or else into the one that it is most like on average."""
    by_term = dict.fromkeys(terms, OTHER)
    if groups:
        means = np.stack([space.similarity[members].mean(0) for members in groups])  # [G, N]
        best, likeness = means.argmax(0), means.max(0)
        for place, term in enumerate(space.terms):
            if likeness[place] >= space.threshold(_ATTACH):
                by_term[term] = names[best[place]]
        for name, members in zip(names, groups, strict=True):
            by_term |= {space.terms[place]: name for place in members}
    by_word: dict[str, str] = {}
    for term in terms:
        # the last word of an English term is its head; a more frequent term has named it first
        if by_term[term] != OTHER:
            by_word.setdefault(term.split(" ")[-1], by_term[term])
    return Grouping(tuple(names), by_term, by_word)


def _fold(counts: Sequence[tuple[str, int]]) -> tuple[dict[str, str], dict[str, int]]:
    """Sum the counts of the forms of a term, and give each term its most frequent form in lower case."""
    surfaces: dict[str, str] = {}
    totals: dict[str, int] = {}
    for surface, count in sorted(counts, key=lambda item: -item[1]):
        term = normalise_term(surface)
        if term:
            surfaces.setdefault(term, " ".join(surface.lower().split()))
            totals[term] = totals.get(term, 0) + count
    return surfaces, totals


def _share_words(terms: Sequence[str]) -> NDArray[np.bool_]:
    """Tell which terms end in the same word, or are a word of the other, [N, N]."""
    words = [term.split(" ") for term in terms]
    heads = np.unique([term[-1] for term in words], return_inverse=True)[1]
    shared = heads[:, None] == heads[None, :]  # [N, N]
    places = {term: place for place, term in enumerate(terms)}
    for place, term in enumerate(words):
        inside = [places[word] for word in term if word in places]
        shared[place, inside] = shared[inside, place] = True
    return np.asarray(shared)
