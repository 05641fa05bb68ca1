"""LCF-ATEPC: aspect extraction and polarity by local context focus, fused (Yang et al., 2020).

Idea: one encoder tags the words that make aspects, and judges one of them. For the latter its states are
joined with two copies that keep to the neighbourhood of the aspect: one in which words out of reach are
masked (CDM), one in which they fade with their distance (CDW). The first state attends over the joined ones
and is classified. Both losses are added.
It finds aspects and judges each in a second pass (task e2e); with `given=True` it judges the aspects that it
is given (task atsc), which is how the authors, and those who compared it, scored polarities.
The authors' settings: reach 5, 12 heads, no dropout, BERT-base at 3e-5 with weight decay 1e-5, batches of 16,
5 epochs. MiniLM is smaller and needs about 1e-4 and more epochs.
Unlike the released code: distances are counted as the paper has them, in words from the middle of the aspect
(there the window sits one word too far to the left, and is too narrow on the right); local and global states
are one pass instead of two; the attention projects what it finds; the input is the sentence alone, where the
code leaves as many empty positions behind it as the aspect has pieces; words are the means of their
sub-words; only words are tagged, and padding is hidden; texts without an aspect teach tags in e2e; batches
are shuffled, the epoch is chosen on dev, and an exponential moving average of the weights is kept. The
encoder is any encoder; where 12 heads do not divide its width there are fewer.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from aspectlab.data import Example, Quad, Span
from aspectlab.encoders import Encoder
from aspectlab.encodings import (
    BIO,
    POLARITIES,
    A,
    Array,
    Batch,
    Item,
    Scores,
    TextItem,
    Turn,
    Vocabulary,
    WordQuad,
    WordSpan,
    best_polarity,
    encode_texts,
    frame_arrays,
    pad_field,
    read_runs,
    softmax,
    term_at,
    write_tags,
)
from aspectlab.models import Count, Dropout, Model, Plan, Published, Size, unscheduled_plan
from aspectlab.nn import (
    Attention,
    Words,
    aspect_distance,
    counted_words,
    cross_entropies,
    fitting_heads,
    hide_padding,
    mean_where,
    mean_words,
)
from aspectlab.tasks import TASKS


@dataclass(frozen=True, slots=True)
class LocalContextItem(TextItem):
    """A text, or a window of it, with one of its aspects, whose polarity is asked."""

    aspect: WordSpan | None  # None: only tags are asked
    label: int  # the polarity of the aspect, by its index in POLARITIES; -1 for none
    given: int = -1  # the quad that it asks about, by its index in the example; -1: none was given

    @property
    def is_labelled(self) -> bool:
        """Whether there is anything to learn from it: a given aspect needs a polarity."""
        return self.given < 0 or self.label >= 0


@dataclass(frozen=True, slots=True)
class LocalContextBatch(Batch[A]):
    """Texts as arrays; the label of a word is 0 outside, 1 at the start of, 2 inside an aspect, [B, T]."""

    in_aspect: A  # [B, T] the words, not tokens, of that aspect
    polarity: A  # [B] the label of that aspect, -1 for none

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BT", "in_aspect": "BT", "polarity": "B"}


@dataclass(frozen=True, slots=True)
class _LocalContextEncoding:
    """What both encodings share: scores are [B, 1 + T, 3], polarities in the first row, then tags."""

    vocabulary: Vocabulary

    def collate(self, items: Sequence[Item], length: int | None = None) -> LocalContextBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        chosen = [item for item in items if isinstance(item, LocalContextItem)]
        frame = frame_arrays(chosen, self.vocabulary.pad, length)
        width = frame["tokens"].shape[1]
        marks = [_mark(item.aspect) for item in chosen]
        return LocalContextBatch(
            **frame,
            labels=pad_field([_letters(item.quads) for item in chosen], width, 0, np.int64),
            in_aspect=pad_field(marks, width, 0, np.bool_),
            polarity=np.array([item.label for item in chosen], np.int64),
        )

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Label the aspect of each item with the polarity that scores best, and the probability of each."""
        return [
            tuple(_answers(row[0], item, examples[item.example]))
            for row, item in zip(scores, items, strict=True)
            if isinstance(item, LocalContextItem)
        ]


class GivenAspectsEncoding(_LocalContextEncoding):
    """Make an item for each given aspect of a text, whose polarity is asked."""

    def encode(self, examples: Sequence[Example]) -> list[LocalContextItem]:
        """Make an item of every quad that names an aspect in the text."""
        # what is no aspect in the text has no tag; a category, say, is not this model's matter
        judged = [TASKS["e2e"].project(example) for example in examples]
        texts = encode_texts(self.vocabulary, judged, with_opinions=False)
        windows = {index: list(group) for index, group in groupby(texts, key=lambda item: item.example)}
        return [
            _choose_window(windows[index], quad, quad.aspect.span, number)
            for index, example in enumerate(examples)
            for number, quad in enumerate(example.quads)
            if quad.aspect is not None and quad.aspect.span is not None
        ]


class FoundAspectsEncoding(_LocalContextEncoding):
    """Find the aspects of a text by the tags of its words, then ask for the polarity of each: two rounds."""

    def encode(self, examples: Sequence[Example]) -> list[LocalContextItem]:
        """Make an item of every labelled aspect, and of every text that has none."""
        items = []
        for text in encode_texts(self.vocabulary, examples, with_opinions=False):
            aspects = dict.fromkeys((quad.aspect, POLARITIES.index(quad.polarity)) for quad in text.quads)
            items += [_with_aspect(text, *aspect) for aspect in aspects] or [_with_aspect(text, None, -1)]
        return items

    def open(self, examples: Sequence[Example]) -> list[LocalContextItem]:
        """Ask for the tags of every text."""
        bare = [replace(example, quads=()) for example in examples]
        texts = encode_texts(self.vocabulary, bare, with_opinions=False)
        return [_with_aspect(text, None, -1) for text in texts]

    def follow(self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]) -> list[LocalContextItem]:
        """Ask for the polarity of every aspect that was found; what two windows share is asked once."""
        if len(rounds) > 1:
            return []
        found: dict[tuple[int, Span], LocalContextItem] = {}
        for item, scores in rounds[0]:
            assert isinstance(item, LocalContextItem)
            tags = scores[1 : 1 + len(item.offsets)].argmax(-1)
            for first, last in read_runs(tags.tolist()):
                characters = Span(item.offsets[first][0], item.offsets[last][1])
                found.setdefault((item.example, characters), replace(item, aspect=(first, last)))
        return list(found.values())

    def conclude(
        self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the aspects of each example with their polarities."""
        answers: list[tuple[Quad, ...]] = [()] * len(examples)
        for item, scores in (turn for turns in rounds[1:] for turn in turns):
            answers[item.example] += self.decode(scores[None], [item], examples)[0]
        return answers


def _with_aspect(text: TextItem, aspect: WordSpan | None, label: int, given: int = -1) -> LocalContextItem:
    parts = {field.name: getattr(text, field.name) for field in fields(text)}
    return LocalContextItem(**parts, aspect=aspect, label=label, given=given)


def _choose_window(windows: list[TextItem], quad: Quad, span: Span, number: int) -> LocalContextItem:
    """Choose the window that holds most of the aspect, and of several the one that has it in its middle."""

    def fitness(window: TextItem) -> tuple[int, int]:
        words = _overlap(window, span)
        return len(words), -abs(sum(words[:1] + words[-1:]) - len(window.offsets))

    window = max(windows, key=fitness)
    words = _overlap(window, span)
    aspect = (words[0], words[-1]) if words else None
    return _with_aspect(
        window, aspect, -1 if quad.polarity is None else POLARITIES.index(quad.polarity), number
    )


def _overlap(window: TextItem, span: Span) -> list[int]:
    return [n for n, (start, end) in enumerate(window.offsets) if start < span.end and span.start < end]


def _letters(quads: Sequence[WordQuad]) -> list[int]:
    """Return the tags of words without the polarities: 0 outside, 1 at the start, 2 inside."""
    return [(tag + len(POLARITIES) - 1) // len(POLARITIES) for tag in write_tags(quads, BIO)]


def _mark(aspect: WordSpan | None) -> list[int]:
    return [] if aspect is None else [0] * aspect[0] + [1] * (aspect[1] - aspect[0] + 1)


def _answers(scores: Scores, item: LocalContextItem, example: Example) -> Iterator[Quad]:
    if item.given < 0 and item.aspect is None:
        return
    polarity, confidence = best_polarity(softmax(scores))
    if item.given >= 0:
        quad = example.quads[item.given]
    else:
        assert item.aspect is not None
        quad = Quad(aspect=term_at(example.text, item.offsets, item.aspect))
    yield quad.with_polarity(polarity, confidence)


def relative_distance(words: Words) -> Tensor:
    """Return |i - P| - floor(m / 2) with P the middle of the aspect and m its words, [B, W]; 0 inside it.

    That is the number of steps to the aspect, less a half where the aspect has an even number of words.
    """
    size = words.in_aspect.sum(1, keepdim=True)  # [B, 1]
    half = ((size % 2 == 0) & (size > 0)).float() / 2
    return (aspect_distance(words) - half).clamp(min=0)


def context_weights(words: Words, reach: float) -> tuple[Tensor, Tensor]:
    """Weigh words by their distance from the aspect: all or nothing, and fading, both [B, W].

    Within reach the weight is 1. Beyond it a word is masked (CDM), or fades by its distance over the length
    of the text (CDW). Without an aspect nothing is near.
    """
    distance = relative_distance(words)
    there = words.mask & words.in_aspect.any(1, keepdim=True)  # [B, W]
    length = words.mask.sum(1, keepdim=True).clamp(min=1)  # [B, 1]
    fading = (1 - (distance - reach).clamp(min=0) / length).clamp(min=0)
    return ((distance <= reach) & there).float(), torch.where(there, fading, 0.0)


_TAGS = len(POLARITIES)
"""Outside, begin, inside: as many as there are polarities, so that both fit into one tensor."""


class LCFATEPC(Model):
    """Tag aspects, and judge the one that is asked about by the words around it."""

    task = "e2e"
    plan = Plan(
        epochs=20,
        batch_size=16,
        learning_rate=3e-4,
        encoder_learning_rate=1e-4,
        weight_decay=1e-5,
        average=0.99,
        patience=10,
    )
    published = Published(
        encoder="bert-base-uncased",
        plan=unscheduled_plan(epochs=5, batch_size=16, learning_rate=3e-5, weight_decay=1e-5),
        source="the released code",
        unlike="the state was chosen on the test set",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        reach: Count = 5,
        heads: Size = 12,
        dropout: Dropout = 0.0,
        given: bool = False,
    ) -> None:
        super().__init__(encoder)
        self.task = self.task_of({"given": given})
        self.encoding = (GivenAspectsEncoding if given else FoundAspectsEncoding)(encoder.vocabulary)
        width = encoder.width
        self.reach = reach
        self.drop = nn.Dropout(dropout)
        self.tag = nn.Linear(width, _TAGS)
        self.fuse = nn.Linear(3 * width, width)
        self.attend = Attention(width, fitting_heads(width, heads))
        self.pool = nn.Linear(width, width)
        self.classify = nn.Linear(width, len(POLARITIES))

    @classmethod
    def task_of(cls, settings: Mapping[str, object]) -> str:
        """With aspects given it judges them, else it finds them first."""
        return "atsc" if settings.get("given") else "e2e"

    def forward(self, batch: LocalContextBatch[Tensor]) -> Tensor:
        """Return the scores of the polarities and, behind them, of the tags of the words, [B, 1 + W, 3]."""
        states = self.drop(self.encoder(batch))  # [B, T, H]
        words, mask = mean_words(states, batch.words)  # [B, W, H], [B, W]
        rows = Words(
            # the first state stands for the sentence, one step to the left of its first word
            torch.cat([states[:, :1], words], 1),
            torch.cat([batch.mask[:, :1], mask], 1),
            torch.cat([torch.zeros_like(mask[:, :1]), batch.in_aspect], 1),
        )
        return torch.cat([self._polarities(rows)[:, None], self.tag(words)], 1)

    def _polarities(self, rows: Words) -> Tensor:
        """Judge the aspect by its surroundings, [B, 1 + W, H] -> [B, 3]."""
        states = rows.states
        near, fading = (w[..., None].to(states.dtype) for w in context_weights(rows, self.reach))
        fused = self.fuse(torch.cat([states, fading * states, near * states], -1))  # [B, 1 + W, H]
        found = self.attend(
            fused[:, :1], self.attend.keys_values(fused), hide_padding(rows.mask)
        )  # [B, 1, H]
        scores = self.classify(self.pool(found.squeeze(1).tanh()).tanh())
        assert isinstance(scores, Tensor)
        return scores

    def loss(self, scores: Tensor, batch: LocalContextBatch[Tensor]) -> Tensor:
        """Add the mean loss of the words' tags to that of the polarities."""
        of_tags = cross_entropies(scores[:, 1:], batch.labels)  # [B, W]
        of_polarities = cross_entropies(scores[:, 0], batch.polarity.clamp(min=0))  # [B]
        judged = (batch.polarity >= 0) & (batch.weight > 0)
        return mean_where(of_tags, counted_words(batch)) + mean_where(of_polarities, judged)
