"""Cuts: the least part of a sentence that holds an aspect term and what is said of it.

With constituents the rule is the paper's: the shortest one that holds both, unless it is a subject without
its verb or a verb phrase without its subject. With dependencies it is an approximation: the adjective before
the term, or the nearest clause above both words without what hangs on it by a conjunction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from aspectlab.robustness.aspectsettrees import Constituent, Tree

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_LOOSE = frozenset({"cc", "conj", "mark", "punct", "parataxis", "intj", "advcl", "ccomp", "prep", "npadvmod"})
"""Relations of what a clause can do without."""

_LINKING = frozenset({"also", "however", "then", "plus", "therefore", "overall", "so", "still", "besides"})
"""Adverbs that tie a clause to the one before it."""

_MARKS = frozenset({"because", "since", "as", "while", "although", "though", "whereas", "and", "that"})
"""Words that open a clause which says the same without them."""


class Cut(NamedTuple):
    """Words from one place to before another: a clause, or else an attribute of the term ("very rude")."""

    first: int
    end: int
    is_clause: bool


Cutter = Callable[[Tree, Collection[int], Collection[int]], Cut | None]
"""`cut(tree, term, opinion)`: the places of the words of the term and of its opinion."""


def cut_by_dependencies(tree: Tree, term: Collection[int], opinion: Collection[int]) -> Cut | None:
    """Cut out the attribute of a term, or the clause over term and opinion; None where there is neither."""
    top = _find_top(tree, opinion)
    if tree.relations[top] == "amod" and tree.heads[top] in term:
        return _whole(_subtree(tree, top), is_clause=False)
    needed = {*term, *opinion}
    place = top
    while not (needed <= _subtree(tree, place) and _has_subject(tree, place)):
        if tree.heads[place] == place:
            return None
        place = tree.heads[place]
    return _whole(_core(tree, place, needed), is_clause=True) if _stands_alone(tree, place) else None


def cut_by_constituents(tree: Tree, term: Collection[int], opinion: Collection[int]) -> Cut | None:
    """Cut out the shortest constituent with both words that is a clause, or else an attribute of the term."""
    needed = [*term, *opinion]
    holding = (c for c in tree.constituents if c.first <= min(needed) and max(needed) < c.end)
    for part in sorted(holding, key=lambda c: c.end - c.first):
        if "S" in part.labels:
            return _trim(tree, part)
        if "NP" in part.labels and max(opinion) < min(term) and not _has_sibling(tree, part, "VP"):
            return _find_attribute(tree, term, opinion)
    return None


def _find_top(tree: Tree, places: Collection[int]) -> int:
    """Find the word of a phrase that depends on none of the others."""
    return next((n for n in places if tree.heads[n] not in places or tree.heads[n] == n), min(places))


def _subtree(tree: Tree, top: int) -> set[int]:
    found = {top}
    while more := {n for n, head in enumerate(tree.heads) if head in found} - found:
        found |= more
    return found


def _has_subject(tree: Tree, place: int) -> bool:
    """Tell whether a word is the head of a finite clause whose subject stands before it."""
    children = [n for n, head in enumerate(tree.heads) if head == place != n]
    finite = [place, *(n for n in children if tree.relations[n] in {"aux", "auxpass"})]
    return any(tree.relations[n] in _SUBJECTS and n < min(finite) for n in children) and any(
        tree.words[n].tag in _FINITE for n in finite
    )


def _core(tree: Tree, place: int, needed: Collection[int]) -> set[int]:
    """Give the words of a clause without what it can do without."""
    kept = _subtree(tree, place)
    children = {n: _subtree(tree, n) for n, head in enumerate(tree.heads) if head == place != n}
    start = min(min(below) for n, below in children.items() if tree.relations[n] in _SUBJECTS)
    for child, below in children.items():
        is_loose = tree.relations[child] in _LOOSE or tree.words[child].lower in _LINKING
        if (is_loose or max(below) < start) and not below & set(needed):
            kept -= below
    return kept


def _stands_alone(tree: Tree, place: int) -> bool:
    """Tell whether a clause is stated: not wished or supposed, nor meant to tell one thing from others."""
    while tree.heads[place] != place:
        relation = tree.relations[place]
        opening = {
            tree.words[n].lower
            for n, h in enumerate(tree.heads)
            if h == place and tree.relations[n] == "mark"
        }
        if relation not in {"conj", "ccomp", "advcl", "parataxis"} or not opening <= _MARKS:
            return False
        place = tree.heads[place]
    return True


def _whole(places: Collection[int], *, is_clause: bool) -> Cut | None:
    """Make a cut of words that stand in a row; None where others are between them."""
    first, end = min(places), max(places) + 1
    return Cut(first, end, is_clause) if end - first == len(places) else None


def _trim(tree: Tree, part: Constituent) -> Cut | None:
    """Leave marks at both ends of a clause out."""
    inside = [n for n in range(part.first, part.end) if any(c.isalnum() for c in tree.words[n].text)]
    return Cut(inside[0], inside[-1] + 1, is_clause=True) if inside else None


def _find_attribute(tree: Tree, term: Collection[int], opinion: Collection[int]) -> Cut:
    """Find the longest constituent with the opinion that ends before the term."""
    first, end = min(opinion), max(opinion) + 1
    around = [c for c in tree.constituents if c.first <= first and end <= c.end <= min(term)]
    longest = max(around, key=lambda c: c.end - c.first, default=Constituent(first, end, ()))
    return Cut(longest.first, longest.end, is_clause=False)


def _has_sibling(tree: Tree, part: Constituent, label: str) -> bool:
    """Tell whether a constituent with this label follows under the same parent."""
    parent = _find_parent(tree, part)
    return parent is not None and any(
        c.first >= part.end and c.end <= parent.end and label in c.labels and _find_parent(tree, c) == parent
        for c in tree.constituents
    )


def _find_parent(tree: Tree, part: Constituent) -> Constituent | None:
    above = (c for c in tree.constituents if c.first <= part.first and part.end <= c.end and c != part)
    return min(above, key=lambda c: c.end - c.first, default=None)
