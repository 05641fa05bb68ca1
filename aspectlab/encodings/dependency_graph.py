"""Graph encoding: the pair encoding with the dependency graph of the sentence beside it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings.base import A, Item
from aspectlab.encodings.pair import Layout, PairBatch, PairEncoding, PairItem
from aspectlab.encodings.vocabulary import Tokens, Vocabulary
from aspectlab.language import Parse, Parser, load_parser, word_spans

NONE, LOOP, UNKNOWN = 0, 1, 2

# The numbers are part of every saved model, which holds a vector for each: the table must not change.
# Universal Dependencies 2, then what the CLEAR style of the English spaCy pipelines has beside it, then the
# subtypes of UD that say something of their own; roots have no arc
_LABELS = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated
    expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum
    vocative xcomp
    acomp agent attr auxpass csubjpass dative dobj intj meta neg npadvmod nsubjpass oprd pcomp pobj poss
    preconj predet prep prt quantmod relcl
    acl:relcl aux:pass compound:prt det:poss nmod:poss nsubj:pass obl:agent
"""

_NUMBERS = {label: number for number, label in enumerate(_LABELS.split(), start=UNKNOWN + 1)}

N_RELATIONS = len(_NUMBERS) + UNKNOWN + 1
"""How many numbers there are, those for none, self and unknown included."""


def relation_number(label: str) -> int:
    """Return the number of a relation; a subtype that is not listed counts as its type.

    >>> relation_number("nsubj:outer") == relation_number("nsubj") != relation_number("nsubj:pass")
    True
    >>> relation_number("sb") == UNKNOWN
    True
    """
    label = label.lower()
    return _NUMBERS.get(label) or _NUMBERS.get(label.partition(":")[0], UNKNOWN)


@dataclass(frozen=True, slots=True)
class GraphItem(PairItem):
    """A pair item with the arcs between its words: (word, head, relation), numbered as `words` has them."""

    arcs: list[tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class GraphBatch(PairBatch[A]):
    """A pair batch with the relation between any two words; the axes beyond the last word are padding."""

    relations: A  # [B, T, T] 0 where there is no arc, symmetric, `SELF` on the diagonal of the words

    axes: ClassVar[dict[str, str]] = {**PairBatch.axes, "relations": "BTT"}


class GraphEncoding:
    """Encode pairs, and parse the sentences; the arcs follow the words of each item."""

    def __init__(self, vocabulary: Vocabulary, layout: Layout, parser: Parser | None = None) -> None:
        self.pairs = PairEncoding(vocabulary, layout)
        self.parser = parser or load_parser()
        self._starts = PairEncoding(_Starts(vocabulary), layout)

    def encode(self, examples: Sequence[Example]) -> list[GraphItem]:
        """Make an item of every quad that names an aspect in the text."""
        items = self.pairs.encode(examples)
        # the same items once more, with characters for tokens: they tell which words a window has kept
        start_items = self._starts.encode(examples)
        named = sorted({item.example for item in items})
        parses = dict(zip(named, self.parser.parse([examples[i].text for i in named]), strict=True))
        firsts = {i: [span.start for span in word_spans(examples[i].text)] for i in named}
        return [
            _with_arcs(item, arcs_among(_owners(start_item, firsts[item.example]), parses[item.example]))
            for item, start_item in zip(items, start_items, strict=True)
        ]

    def collate(self, items: Sequence[Item], length: int | None = None) -> GraphBatch[NDArray[np.generic]]:
        """Pad items to one length: that of the longest, or the one given."""
        pairs = self.pairs.collate(items, length)
        graphs = [item for item in items if isinstance(item, GraphItem)]
        parts = {field.name: getattr(pairs, field.name) for field in fields(pairs)}
        return GraphBatch(**parts, relations=relation_tables(graphs, pairs.tokens.shape[1]))

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Label every quad with the polarity that scores best, and the probability of each."""
        return self.pairs.decode(scores, items, examples)


class Graph(Protocol):
    """An item that has arcs between its words."""

    @property
    def words(self) -> list[int]:
        """The word that each token belongs to, -1 for none."""

    @property
    def arcs(self) -> list[tuple[int, int, int]]:
        """Word, head and relation."""


def relation_tables(items: Sequence[Graph], size: int) -> NDArray[np.int16]:
    """Return the relation between any two words, [B, T, T]: 0 for none, symmetric, `LOOP` on the diagonal."""
    relations = np.zeros((len(items), size, size), np.int16)
    for row, item in enumerate(items):
        loops = np.arange(max(item.words, default=-1) + 1)
        relations[row, loops, loops] = LOOP
        word, head, relation = np.array(item.arcs, np.int16).reshape(-1, 3).T
        relations[row, word, head] = relation
        relations[row, head, word] = relation
    return relations


def arcs_among(owners: Sequence[int], parse: Parse) -> list[tuple[int, int, int]]:
    """Keep the arcs whose two ends are words of an item, which are these of the text; a root has none."""
    words = {owner: word for word, owner in enumerate(owners) if owner >= 0}
    return [
        (word, words[parse.heads[owner]], relation_number(parse.labels[owner]))
        for owner, word in words.items()
        if parse.heads[owner] != owner and parse.heads[owner] in words
    ]


class _Starts:
    """A vocabulary that cuts as another does, but numbers each token by the character where it starts."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.pad, self.marks, self.max_length = vocabulary.pad, vocabulary.marks, vocabulary.max_length
        self.first, self.between, self.last = vocabulary.first, vocabulary.between, vocabulary.last

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        """Turn texts into tokens."""
        tokenized = self.vocabulary.tokenize(texts)
        return [Tokens([start for start, _ in tokens.spans], tokens.spans) for tokens in tokenized]


def _owners(start_item: PairItem, firsts: list[int]) -> list[int]:
    """Return the word of the text for each word of the item: a window or a lost word shifts the count."""
    owners: dict[int, int] = {}
    for start, word in zip(start_item.tokens, start_item.words, strict=True):
        if word >= 0:
            owners.setdefault(word, bisect_right(firsts, start) - 1)
    return [owners[word] for word in sorted(owners)]


def _with_arcs(item: PairItem, arcs: list[tuple[int, int, int]]) -> GraphItem:
    return GraphItem(**{field.name: getattr(item, field.name) for field in fields(item)}, arcs=arcs)
