"""Dependency encoding: the word table of a text with the grammar of its words beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings.batch import A, Item
from aspectlab.encodings.graph import arcs_among, relation_tables
from aspectlab.encodings.grid import GridBatch, GridEncoding
from aspectlab.encodings.padding import pad_field
from aspectlab.encodings.partsofspeech import NONE, tag_number
from aspectlab.encodings.text import TextItem
from aspectlab.encodings.vocabulary import Vocabulary
from aspectlab.encodings.wordtable import WordTable
from aspectlab.language import Parse, Parser, word_places


@dataclass(frozen=True, slots=True)
class DependencyItem(TextItem):
    """A text item with the parts of speech of its words, and the arcs between them."""

    tags: list[int]
    arcs: list[tuple[int, int, int]]  # word, head, relation


@dataclass(frozen=True, slots=True)
class DependencyBatch(GridBatch[A]):
    """Texts as arrays, with their grammar; `tags` and `relations` run along the words."""

    tags: A  # [B, T] the number of each word's part of speech
    relations: A  # [B, T, T] 0 where there is no arc, symmetric, `SELF` on the diagonal of the words

    axes: ClassVar[dict[str, str]] = {**GridBatch.axes, "tags": "BT", "relations": "BTT"}


class DependencyEncoding:
    """Encode texts as word tables, and parse them; tags and arcs follow the words of each window."""

    def __init__(self, vocabulary: Vocabulary, parser: Parser) -> None:
        self.grid = GridEncoding(vocabulary, WordTable())
        self.parser = parser

    def encode(self, examples: Sequence[Example]) -> list[DependencyItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        parses = self.parser.parse([example.text for example in examples])
        return [
            _with_grammar(item, examples[item.example].text, parses[item.example])
            for item in self.grid.encode(examples)
        ]

    def collate(
        self, items: Sequence[Item], length: int | None = None
    ) -> DependencyBatch[NDArray[np.generic]]:
        """Pad items to one length: that of the longest, or the one given."""
        grid = self.grid.collate(items, length)
        texts = [item for item in items if isinstance(item, DependencyItem)]
        size = grid.tokens.shape[1]
        parts = {field.name: getattr(grid, field.name) for field in fields(grid)}
        return DependencyBatch(
            **parts,
            tags=pad_field([item.tags for item in texts], size, NONE, np.int16),
            relations=relation_tables(texts, size),
        )

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Read triplets off the word table."""
        return self.grid.decode(scores, items, examples)


def _with_grammar(item: TextItem, text: str, parse: Parse) -> DependencyItem:
    numbers = {place: number for number, place in enumerate(word_places(text))}
    owners = [numbers[place] for place in item.places]
    # a parser without tags leaves them unknown
    names = parse.tags or [""] * len(parse.heads)
    return DependencyItem(
        **{field.name: getattr(item, field.name) for field in fields(item)},
        tags=[tag_number(names[owner]) for owner in owners],
        arcs=arcs_among(owners, parse),
    )
