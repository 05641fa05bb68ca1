"""Category pair: our own baseline, the text and the name of a category as a sentence pair.

Idea: `[CLS] text [SEP] category [SEP]`, as in natural language inference: what does the text say about this?
Classified from the mean state of the category's words, as absent or as a set of polarities. The name is read,
so that a given category (task `acsc`) need not stand in the training corpus. Every category is one more pass.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import Tensor, nn

from aspectlab.data import Example, Quad
from aspectlab.encodings import (
    Array,
    CategoryLabels,
    Item,
    PairBatch,
    PairEncoding,
    PairItem,
    Scores,
    Tokens,
    Vocabulary,
    words_of,
)
from aspectlab.models import CategoryModel, Plan
from aspectlab.nn import masked_mean

_MARKS = re.compile(r"[^\w]+|_")


@dataclass(frozen=True, slots=True)
class CategoryItem(PairItem):
    """A text and, as second segment, the category that is asked about; nothing in the text is marked."""

    category: str


@dataclass(frozen=True, slots=True)
class CategoryPairEncoding:
    """Ask about every category of the model, or about those that are given; scores become quads."""

    vocabulary: Vocabulary
    category_labels: CategoryLabels

    def encode(self, examples: Sequence[Example]) -> list[CategoryItem]:
        """Make an item of every text and category; a long text is read from its beginning."""
        tokenized = self.vocabulary.tokenize([example.text for example in examples])
        return [
            item
            for index, (example, tokens) in enumerate(zip(examples, tokenized, strict=True))
            for item in self._items(index, example, tokens)
        ]

    def collate(self, items: Sequence[Item], length: int | None = None) -> PairBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        return PairEncoding(self.vocabulary).collate(items, length)

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the quads of the category of each item, [B, C]."""
        return [
            self.category_labels.quads(item.category, row)
            for row, item in zip(scores, items, strict=True)
            if isinstance(item, CategoryItem)
        ]

    def _items(self, index: int, example: Example, tokens: Tokens) -> Iterator[CategoryItem]:
        words = words_of(example.text, tokens)
        labels = self.category_labels.labels(example)
        asked = self.category_labels.categories
        if self.category_labels.is_given:
            # a name that training never saw can still be read
            asked = tuple(dict.fromkeys(quad.category for quad in example.quads if quad.category))
        questions = self.vocabulary.tokenize([spell(category) for category in asked])
        for category, question in zip(asked, questions, strict=True):
            yield self._item(index, category, labels.get(category, -1), (tokens, words, question))

    def _item(
        self, index: int, category: str, label: int, parts: tuple[Tokens, list[int], Tokens]
    ) -> CategoryItem:
        tokens, words, question = parts
        frame = self.vocabulary
        fixed = len(frame.first) + len(frame.between) + len(frame.last)
        second = question.ids[: (frame.max_length - fixed) // 2]
        kept = tokens.ids[: frame.max_length - fixed - len(second)]
        head, middle, tail = len(frame.first), len(frame.between), len(frame.last)
        size = head + len(kept) + middle + len(second) + tail
        behind = len(second) + tail
        return CategoryItem(
            example=index,
            quad=-1,
            tokens=[*frame.first, *kept, *frame.between, *second, *frame.last],
            segments=[0] * (size - behind) + [1] * behind,
            words=[*[-1] * head, *words[: len(kept)], *[-1] * (middle + behind)],
            in_sentence=[*[False] * head, *[True] * len(kept), *[False] * (middle + behind)],
            in_aspect=[False] * size,
            in_second=[*[False] * (size - behind), *[True] * len(second), *[False] * tail],
            label=label,
            first_word=0,
            is_cut=len(kept) < len(tokens.ids),
            category=category,
        )


def spell(category: str) -> str:
    """Write the name of a category as words.

    >>> spell("FOOD#STYLE_OPTIONS")
    'food style options'
    """
    return _MARKS.sub(" ", category).strip().lower() or category


class CategoryPair(CategoryModel):
    """Ask about one category after the other."""

    plan = Plan(epochs=10, batch_size=32, learning_rate=1e-4, average=0.99)

    def build_layers(self, category_labels: CategoryLabels) -> None:
        """Classify what stands at the name of the category."""
        self.encoding = CategoryPairEncoding(self.encoder.vocabulary, category_labels)
        self.classify = nn.Linear(self.encoder.width, len(category_labels.classes))

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Return the class scores, [B, C]."""
        states = self.encoder(batch)  # [B, T, H]
        scores = self.classify(self.drop(masked_mean(states, batch.in_second)))
        assert isinstance(scores, Tensor)
        return scores
