"""Clauses: dependency and constituency trees of sentences, and the cuts around a term and its opinion."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from aspectlab.data import Span
from aspectlab.errors import MissingPartError
from aspectlab.language import SpacyPipeline, TaggedWord, find_pipeline, load_pipeline

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


_CONSTITUENCY = "benepar"


@dataclass(frozen=True, slots=True)
class Constituent:
    """Consecutive words, from one position to before another, and their label: S, NP, VP."""

    first: int
    end: int
    labels: tuple[str, ...]  # of a chain of nodes over the same words, the outer first


@dataclass(frozen=True, slots=True)
class Tree:
    """The words of a text, the word that each depends on, and by which relation; a root is its own head."""

    words: tuple[TaggedWord, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    constituents: tuple[Constituent, ...] = ()


def grow_trees(texts: Sequence[str], name: str) -> list[Tree]:
    """Parse texts with a spaCy pipeline, by name or folder, or say how to install it.

    >>> grow_trees(["Nice position."], "no_such_pipeline")
    Traceback (most recent call last):
    aspectlab.errors.MissingPartError: parser 'no_such_pipeline': the pipeline is not installed: expected a \
spaCy pipeline with a parser and a tagger; get the usual one with: pip install 'aspectlab[parse]', or use \
the template
    """
    pipeline = find_pipeline(name)
    if pipeline is None:
        raise MissingPartError(
            f"parser {name!r}: the pipeline is not installed: expected a spaCy pipeline with a parser and a "
            "tagger; get the usual one with: pip install 'aspectlab[parse]', or use the template"
        )
    has_constituents = _CONSTITUENCY in _list_components(pipeline)
    language = _load(pipeline, has_constituents)
    # spaCy takes no lone surrogates; a question mark is as long, so offsets stay right
    readable = (text.encode("utf-8", "replace").decode("utf-8") for text in texts)
    return [_read_tree(doc, has_constituents) for doc in language.pipe(readable, batch_size=64)]


@lru_cache(maxsize=1)
def _load(pipeline: SpacyPipeline, has_constituents: bool) -> Language:
    if not has_constituents:
        return load_pipeline(pipeline, ("parser", "tagger"))
    try:
        import_module(_CONSTITUENCY)  # it tells spaCy how the component is made
    except ImportError:
        raise MissingPartError(
            f"pipeline {pipeline.name!r}: the package {_CONSTITUENCY} is not installed; get it with: "
            f"pip install {_CONSTITUENCY}, or use a pipeline without it, such as 'en_core_web_sm'"
        ) from None
    return load_pipeline(pipeline, ("parser", "tagger", _CONSTITUENCY))


def _list_components(pipeline: SpacyPipeline) -> list[str]:
    """Name the components of a pipeline; one whose list cannot be read is left to spaCy to complain of."""
    try:
        found = json.loads((pipeline.folder / "meta.json").read_bytes())["pipeline"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [str(name) for name in found] if isinstance(found, list) else []


def _read_tree(doc: Doc, has_constituents: bool) -> Tree:
    """Take what is needed from spaCy's tree; white space that it took for words is left out."""
    tokens = [token for token in doc if not token.is_space]
    positions = {token.i: position for position, token in enumerate(tokens)}
    return Tree(
        words=tuple(TaggedWord(t.text, Span(t.idx, t.idx + len(t.text)), t.tag_) for t in tokens),
        heads=tuple(positions.get(token.head.i, position) for position, token in enumerate(tokens)),
        relations=tuple(token.dep_ for token in tokens),
        constituents=tuple(_read_constituents(doc, positions)) if has_constituents else (),
    )


def _read_constituents(doc: Doc, positions: dict[int, int]) -> list[Constituent]:
    found = []
    for sentence in doc.sents:
        for part in sentence._.constituents:
            inside = [positions[token.i] for token in part if token.i in positions]
            if inside and part._.labels:
                found.append(Constituent(inside[0], inside[-1] + 1, tuple(part._.labels)))
    return found


_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_LOOSE = frozenset({"cc", "conj", "mark", "punct", "parataxis", "intj", "advcl", "ccomp", "prep", "npadvmod"})
"""Relations of what a clause can do without."""

_LINKING = frozenset({"also", "however", "then", "plus", "therefore", "overall", "so", "still", "besides"})
"""Adverbs that tie a clause to the one before it."""

_MARKS = frozenset({"because", "since", "as", "while", "although", "though", "whereas", "and", "that"})
"""Words that open a clause which says the same without them."""


class Cut(NamedTuple):
    """Words from one position to before another: a clause, or else an attribute of the term ("very rude")."""

    first: int
    end: int
    is_clause: bool


Cutter = Callable[[Tree, Collection[int], Collection[int]], Cut | None]
"""`cut(tree, term, opinion)`: the positions of the words of the term and of its opinion."""


def cut_by_dependencies(tree: Tree, term: Collection[int], opinion: Collection[int]) -> Cut | None:
    """Cut out the attribute of a term, or the clause over term and opinion; None where there is neither."""
    top = _find_top(tree, opinion)
    if tree.relations[top] == "amod" and tree.heads[top] in term:
        return _whole(_subtree(tree, top), is_clause=False)
    needed = {*term, *opinion}
    position = top
    while not (needed <= _subtree(tree, position) and _has_subject(tree, position)):
        if tree.heads[position] == position:
            return None
        position = tree.heads[position]
    return _whole(_core(tree, position, needed), is_clause=True) if _stands_alone(tree, position) else None


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


def _find_top(tree: Tree, positions: Collection[int]) -> int:
    """Find the word of a phrase that depends on none of the others."""
    return next(
        (n for n in positions if tree.heads[n] not in positions or tree.heads[n] == n), min(positions)
    )


def _subtree(tree: Tree, top: int) -> set[int]:
    found = {top}
    while more := {n for n, head in enumerate(tree.heads) if head in found} - found:
        found |= more
    return found


def _has_subject(tree: Tree, position: int) -> bool:
    """Return whether a word is the head of a finite clause whose subject stands before it."""
    children = [n for n, head in enumerate(tree.heads) if head == position != n]
    finite = [position, *(n for n in children if tree.relations[n] in {"aux", "auxpass"})]
    return any(tree.relations[n] in _SUBJECTS and n < min(finite) for n in children) and any(
        tree.words[n].tag in _FINITE for n in finite
    )


def _core(tree: Tree, position: int, needed: Collection[int]) -> set[int]:
    """Return the words of a clause without what it can do without."""
    kept = _subtree(tree, position)
    children = {n: _subtree(tree, n) for n, head in enumerate(tree.heads) if head == position != n}
    start = min(min(below) for n, below in children.items() if tree.relations[n] in _SUBJECTS)
    for child, below in children.items():
        is_loose = tree.relations[child] in _LOOSE or tree.words[child].lower in _LINKING
        if (is_loose or max(below) < start) and not below & set(needed):
            kept -= below
    return kept


def _stands_alone(tree: Tree, position: int) -> bool:
    """Return whether a clause is stated: not wished or supposed, nor meant to tell one thing from others."""
    while tree.heads[position] != position:
        relation = tree.relations[position]
        opening = {
            tree.words[n].lower
            for n, h in enumerate(tree.heads)
            if h == position and tree.relations[n] == "mark"
        }
        if relation not in {"conj", "ccomp", "advcl", "parataxis"} or not opening <= _MARKS:
            return False
        position = tree.heads[position]
    return True


def _whole(positions: Collection[int], *, is_clause: bool) -> Cut | None:
    """Make a cut of words that stand in a row; None where others are between them."""
    first, end = min(positions), max(positions) + 1
    return Cut(first, end, is_clause) if end - first == len(positions) else None


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
    """Return whether a constituent with this label follows under the same parent."""
    parent = _find_parent(tree, part)
    return parent is not None and any(
        c.first >= part.end and c.end <= parent.end and label in c.labels and _find_parent(tree, c) == parent
        for c in tree.constituents
    )


def _find_parent(tree: Tree, part: Constituent) -> Constituent | None:
    above = (c for c in tree.constituents if c.first <= part.first and part.end <= c.end and c != part)
    return min(above, key=lambda c: c.end - c.first, default=None)
