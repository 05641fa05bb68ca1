"""Group aspect terms into categories: by their vectors and their words, with names taken from the reviews."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from aspectlab.analysis.taxonomy import CategoryRule, Taxonomy
from aspectlab.encodings import spell_category
from aspectlab.language import content_words, name_thing, normalise_term
from aspectlab.readers import NOT_NAMED, OTHER, REST

MAX_TERMS = 2_000
"""So many terms, the most frequent ones, are compared by vector; the others by their words only."""

MAX_GROUPS = 40

_CORE_TERMS = 500
_SMALLEST_SHARE = 0.002
# how far above the usual similarity of two terms a pair must lie; and what a shared word adds to it
_JOIN, _ATTACH = 2.0, 2.0
_LEAST_SIMILARITY, _ENOUGH_SIMILARITY = 0.2, 0.5
_SHARED_WORD = 0.4
# on train parts of restaurants and groceries, 76 and 88 of 100 terms that are so near belong there
_SIMILAR, _NEAREST = 0.45, 3

Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Grouping:
    """The categories: by normalised term and, for terms too rare to be there, by word.

    `by_category` says which of given names a category of the model is nearest to; None where none are given.
    """

    names: tuple[str, ...]
    by_term: Mapping[str, str]
    by_word: Mapping[str, str]
    by_category: Mapping[str, str] | None = field(default=None)

    def find(self, aspect: str) -> str:
        """Name the category of an aspect term as it stands in a review.

        >>> grouping = Grouping(("food",), {"pizza": "food"}, {"pizza": "food"})
        >>> grouping.find("Pizza"), grouping.find("tuna pizza"), grouping.find("lamp")
        ('food', 'food', 'other')
        """
        term = normalise_term(aspect)
        if term in self.by_term:
            return self.by_term[term]
        words = reversed(content_words(term))
        return next((self.by_word[word] for word in words if word in self.by_word), OTHER)

    def find_category(self, category: str) -> str:
        """Name the category of an opinion whose aspect is not named, from the category that the model gives.

        It joins the group that has this name, the entity in it or the attribute as a term.

        >>> grouping = Grouping(("meals",), {"food": "meals"}, {})
        >>> [grouping.find_category(name) for name in ("FOOD#QUALITY", "ROOM#DESIGN", "")]
        ['meals', 'room: design', 'not named']
        """
        if not category:
            return NOT_NAMED
        spelled = spell_category(category)
        for term in _as_terms(spelled):
            group = self.by_term.get(normalise_term(term), OTHER)
            if group != OTHER:
                return group
        return spelled if self.by_category is None else self.by_category.get(spelled, OTHER)


def group_terms(
    counts: Sequence[tuple[str, int]],
    embed: Embed,
    aspects: Sequence[str] | None = None,
    categories: Sequence[str] = (),
    *,
    smallest: int | None = None,
) -> Grouping:
    """Group terms, given by surface form with their counts; `aspects` are fixed names of categories.

    `categories` are the names that the model gives to opinions without an aspect. They are compared with
    fixed names as terms are, but apart from these: what is named is grouped the same with and without them.
    `smallest`: the mentions that a group needs at least.
    """
    grouping = _group_named(counts, embed, aspects, smallest)
    if not grouping.names or not aspects:
        return grouping
    spelled = {name: _as_terms(name) for name in map(spell_category, categories[: MAX_TERMS // 4])}
    # a name that is no term of any review must not weigh more than one that is
    rare = dict.fromkeys(chain.from_iterable(spelled.values()), 1)
    found = _group_named([*counts[: MAX_TERMS - len(rare)], *rare.items()], embed, aspects)
    nearest = {
        name: next((group for group in map(found.find, terms) if group != OTHER), OTHER)
        for name, terms in spelled.items()
    }
    return replace(grouping, by_category=nearest)


def _as_terms(spelled: str) -> tuple[str, ...]:
    """Return what the name of a category is called as a term: as a whole, by its entity, by its attribute.

    >>> _as_terms("hotel: prices"), _as_terms("price")
    (('hotel prices', 'hotel', 'prices'), ('price',))
    """
    return tuple(dict.fromkeys((spelled.replace(":", ""), *spelled.split(": "))))


def _group_named(
    counts: Sequence[tuple[str, int]],
    embed: Embed,
    aspects: Sequence[str] | None,
    smallest: int | None = None,
) -> Grouping:
    surfaces, totals = _fold(counts)
    # of terms that are equally frequent, the shorter one is the better name
    terms = sorted(totals, key=lambda term: (-totals[term], term.count(" ")))[:MAX_TERMS]
    named: dict[str, str] = {}
    for name in filter(None, map(str.strip, aspects or ())):
        # two forms of one term are one category, called as the first
        named.setdefault(normalise_term(name), name)
    keys, fixed = list(named), list(named.values())
    if not terms:
        return Grouping(tuple(fixed), {}, {})
    # a given name counts as much as the most frequent term
    weights = [totals[terms[0]]] * len(keys) + [totals[term] for term in terms]
    space = _Space.build([*keys, *terms], weights, embed, max(len(keys), _CORE_TERMS))
    if fixed:
        return _assign(space, fixed, terms, [[index] for index in range(len(fixed))])
    groups = _form_groups(space, [totals[term] for term in terms], smallest)
    names = [surfaces[terms[members[0]]] for members in groups]
    return _rename(_assign(space, names, terms, groups), terms, surfaces)


@dataclass(frozen=True, slots=True)
class _Space:
    """How alike terms are: the cosines of their centred vectors, and whether they share words.

    Groups form among the first terms, the core; how alike two others are is never asked, and never kept.
    """

    terms: list[str]
    similarity: NDArray[np.float32]  # [C, N]
    mean: float
    spread: float

    @classmethod
    def build(cls, terms: list[str], counts: Sequence[int], embed: Embed, core: int) -> _Space:
        # all in place: this is where an analysis of many reviews takes the most memory
        vectors = _average_words(terms, embed)  # [N, D]
        # what all terms of a domain share says nothing about which of them belong together
        vectors -= np.average(vectors, axis=0, weights=np.sqrt(counts))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(lengths > 0, lengths, 1)
        cosines = vectors[:core] @ vectors.T  # [C, N]
        # far below the digits that matter, sums hang on the machine: rounding makes ties equal everywhere
        np.round(cosines, 4, out=cosines)
        usual = cosines[:_CORE_TERMS, :_CORE_TERMS]
        pairs = usual[~np.eye(len(usual), dtype=bool)]
        mean, spread = (float(pairs.mean()), float(pairs.std())) if len(pairs) else (0.0, 0.0)
        np.add(cosines, _SHARED_WORD, out=cosines, where=_share_words(terms, core))
        # among a few terms the centring drives any two apart, also those that are known to be one thing
        np.maximum(cosines, _ENOUGH_SIMILARITY, out=cosines, where=_name_same(terms, core))
        return cls(terms, cosines.astype(np.float32), mean, spread)

    def threshold(self, steps: float) -> float:
        """Return a similarity far above the usual, within bounds: that of a few terms says little."""
        return min(max(self.mean + steps * self.spread, _LEAST_SIMILARITY), _ENOUGH_SIMILARITY)


def _average_words(terms: Sequence[str], embed: Embed) -> NDArray[np.float64]:
    """Average for each term the vectors of its words and of what they name, [N, D]."""
    words = [content_words(term) for term in terms]
    parts = [[*found, *map(name_thing, found)] for found in words]
    indices = {word: index for index, word in enumerate(dict.fromkeys(chain.from_iterable(parts)))}
    vectors = np.asarray(embed(list(indices)), np.float64)  # [W, D]
    means = np.empty((len(terms), vectors.shape[1]))
    for row, part in enumerate(parts):
        vectors[[indices[word] for word in part]].mean(0, out=means[row])
    return means


def _form_groups(space: _Space, counts: list[int], smallest: int | None = None) -> list[list[int]]:
    """Return the groups with the most opinions, each as indices of its terms, the most frequent first."""
    core = min(len(counts), _CORE_TERMS)
    clusters = average_linkage(space.similarity[:core, :core], space.threshold(_JOIN))
    members: dict[int, list[int]] = {}
    for index, cluster in enumerate(clusters.tolist()):
        members.setdefault(cluster, []).append(index)
    size = {cluster: sum(counts[index] for index in indices) for cluster, indices in members.items()}
    least = max(2, _SMALLEST_SHARE * sum(counts)) if smallest is None else smallest
    large = [cluster for cluster in members if size[cluster] >= least]
    return [members[cluster] for cluster in sorted(large, key=lambda cluster: -size[cluster])[:MAX_GROUPS]]


def _assign(
    space: _Space, names: Sequence[str], terms: Sequence[str], groups: Sequence[Sequence[int]]
) -> Grouping:
    """Assign each term to its group, or else to the one that it is most similar to on average."""
    by_term = dict.fromkeys(terms, OTHER)
    if groups:
        means = np.stack([space.similarity[members].mean(0) for members in groups])  # [G, N]
        best, likeness = means.argmax(0), means.max(0)
        for index, term in enumerate(space.terms):
            if likeness[index] >= space.threshold(_ATTACH):
                by_term[term] = names[best[index]]
        for name, members in zip(names, groups, strict=True):
            by_term |= {space.terms[index]: name for index in members}
    by_word: dict[str, str] = {}
    for term in terms:
        # the last word of an English term is its head; a more frequent term has named it first
        if by_term[term] != OTHER:
            by_word.setdefault(content_words(term)[-1], by_term[term])
    return Grouping(tuple(names), by_term, by_word)


def _rename(grouping: Grouping, terms: Sequence[str], surfaces: Mapping[str, str]) -> Grouping:
    """Call each group after its most frequent term, which may have come to it only after it had formed."""
    names: dict[str, str] = {OTHER: OTHER}
    for term in terms:
        names.setdefault(grouping.by_term[term], surfaces[term])
    return Grouping(
        tuple(names[name] for name in grouping.names),
        {term: names[name] for term, name in grouping.by_term.items()},
        {word: names[name] for word, name in grouping.by_word.items()},
    )


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


def _share_words(terms: Sequence[str], core: int) -> NDArray[np.bool_]:
    """Mark terms that end in the same word as one of the core, or are a word of the other, [C, N]."""
    words = [content_words(term) for term in terms]
    heads = np.unique([term[-1] for term in words], return_inverse=True)[1]
    shared = heads[:core, None] == heads[None, :]  # [C, N]
    indices = {term: index for index, term in enumerate(terms)}
    for index, term in enumerate(words):
        inside = [indices[word] for word in term if word in indices]
        if index < core:
            shared[index, inside] = True
        shared[[other for other in inside if other < core], index] = True
    return np.asarray(shared)


def _name_same(terms: Sequence[str], core: int) -> NDArray[np.bool_]:
    """Mark terms that name the same thing as one of the core, word by word, [C, N]."""
    things = [" ".join(map(name_thing, content_words(term))) for term in terms]
    numbers = np.unique(things, return_inverse=True)[1]
    return np.asarray(numbers[:core, None] == numbers[None, :])


def average_linkage(similarity: NDArray[np.float32], threshold: float) -> NDArray[np.int64]:
    """Return the cluster of each item, [N, N] -> [N], named by its first member.

    Two clusters are joined while the mean similarity of their members reaches the threshold. Chains of
    nearest neighbours find the same clusters as always joining the closest pair, in time N².

    >>> alike = np.array([[1, 0.9, 0.1], [0.9, 1, 0.3], [0.1, 0.3, 1]], np.float32)
    >>> average_linkage(alike, 0.5).tolist()
    [0, 0, 2]
    """
    count = len(similarity)
    between = np.array(similarity, np.float32)  # [N, N] mean similarity of clusters
    np.fill_diagonal(between, -np.inf)
    sizes = np.ones(count, np.int64)
    cluster = np.arange(count)
    waiting = np.ones(count, bool)
    chain: list[int] = []
    while waiting.any():
        last = chain[-1] if chain else int(np.argmax(waiting))
        chain = chain or [last]
        near = _nearest(between[last], chain)
        if between[last, near] < threshold:
            # a mean of values below the threshold stays below it, so this cluster is complete
            waiting[last] = False
            between[last], between[:, last] = -np.inf, -np.inf
            chain.pop()
        elif len(chain) > 1 and near == chain[-2]:
            del chain[-2:]
            _merge_clusters(between, sizes, *sorted((near, last)))
            cluster[cluster == max(near, last)] = min(near, last)
            waiting[max(near, last)] = False
        else:
            chain.append(near)
    return cluster


def _nearest(row: NDArray[np.float32], chain: list[int]) -> int:
    """Find the nearest cluster; among equals the one before in the chain, lest the chain run in circles."""
    near = int(np.argmax(row))
    return chain[-2] if len(chain) > 1 and row[chain[-2]] >= row[near] else near


def _merge_clusters(between: NDArray[np.float32], sizes: NDArray[np.int64], kept: int, gone: int) -> None:
    """Merge one cluster into another; similarities become means weighted by the number of members."""
    total = sizes[kept] + sizes[gone]
    joined = (sizes[kept] * between[kept] + sizes[gone] * between[gone]) / total  # [N]
    between[kept], between[:, kept] = joined, joined
    between[gone], between[:, gone] = -np.inf, -np.inf
    between[kept, kept] = -np.inf
    sizes[kept] = total


def find_similar(
    words: Sequence[str], owners: NDArray[np.int64], asked: Sequence[str], embed: Embed
) -> dict[str, int]:
    """Return for words the owner of those that they are most like, where they are very like.

    >>> vectors = {"soup": [1, 0.1], "stew": [1, 0.2], "lamp": [-1, 0.1], "broth": [1, 0], "bus": [0, 1]}
    >>> embed = lambda words: np.array([vectors[word] for word in words], np.float32)
    >>> find_similar(["soup", "stew", "lamp"], np.array([7, 7, 8]), ["broth", "bus"], embed)
    {'broth': 7}
    """
    if not len(words) or not asked:
        return {}
    known, others = (np.asarray(embed(list(each)), np.float64) for each in (words, asked))  # [K, D], [A, D]
    mean = known.mean(0)
    similarity = np.round(_unit(others - mean) @ _unit(known - mean).T, 4)  # [A, K]
    numbers = np.unique(owners)
    nearest = [np.sort(similarity[:, owners == number], 1)[:, -_NEAREST:].mean(1) for number in numbers]
    likeness = np.stack(nearest, 1)  # [A, C]
    best = likeness.argmax(1)
    return {
        word: int(numbers[best[row]])
        for row, word in enumerate(asked)
        if likeness[row, best[row]] >= _SIMILAR
    }


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float64] = vectors / np.where(lengths > 0, lengths, 1)
    return unit


_LEAST_MENTIONS = 3
_MOST_PROPOSED, _MOST_TERMS = 20, 30


def propose_categories(
    named: Iterable[tuple[str, str]], taxonomy: Taxonomy
) -> list[tuple[CategoryRule, int]]:
    """Propose categories from what an analysis discovered, with their mentions, the most frequent first.

    `named` are pairs of a category and an aspect. A category that the taxonomy has not brings its terms; of
    what fits none, terms with the same last word are taken together.

    >>> taxonomy = Taxonomy("mine", (CategoryRule("food"),))
    >>> found = [("lift", "lift"), ("lift", "Elevators"), ("lift", "lift"), ("food", "soup"), ("other", "X")]
    >>> [(rule.name, rule.synonyms, count) for rule, count in propose_categories(found, taxonomy)]
    [('lift', ('lift', 'elevator'), 3)]
    """
    known = {taxonomy.resolve(rule.name) for rule in taxonomy.categories}
    terms: dict[str, Counter[str]] = {}
    for category, aspect in named:
        term = normalise_term(aspect)
        if not term or category in known:
            continue
        name = term.split(" ")[-1] if category in REST else category
        terms.setdefault(name, Counter())[term] += 1
    ranked = sorted(terms, key=lambda name: (-terms[name].total(), name))
    return [
        (
            CategoryRule(name, synonyms=tuple(term for term, _ in terms[name].most_common(_MOST_TERMS))),
            terms[name].total(),
        )
        for name in ranked[:_MOST_PROPOSED]
        if terms[name].total() >= _LEAST_MENTIONS
    ]
