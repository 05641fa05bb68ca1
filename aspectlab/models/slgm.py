"""SLGM: sequence-labelling guided generation (Zhou et al., Findings of ACL 2023).

Idea: triplets are written twice, aspect first and opinion first, and only what both copies hold is kept. In
training the state that writes "aspect" or "opinion" must also tag the words of that term in the text.
Unlike the released code: any encoder writes, through a small decoder that starts from its layers, where the
authors took T5-base; a sequence-to-sequence model brings its own decoder. Words and marks of the template are
symbols of their own; the one between triplets starts from the vector of a semicolon. The choice is between
the tokens of the text and the symbols in training too, and a token is scored by its vector and by its states
(as in BART-ABSA). A term is a run of whole words of the text; the authors check only pairs of neighbouring
tokens, and so can leap. `constrained=false` lifts both and is the way to terms that do not stand in the text,
with `normalise` as in GAS. The state of a word is the mean of its tokens', not the maximum. Losses are means
for each copy. What does not follow the template is passed over. Of several positions of a term, the pair of
aspect and opinion with the fewest words between them is taken.
Training: the rate of 3e-4 is the authors', that of the encoder suits MiniLM; 30 epochs and a choice on dev,
where the authors had 20 and the last state; an exponential moving average of the weights is kept. 32 copies
are 16 texts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, selu

from aspectlab.data import Example, Quad
from aspectlab.encoders import Encoder
from aspectlab.encodings import (
    NOTHING,
    A,
    Aligner,
    Array,
    Batch,
    Gold,
    Grammar,
    Guide,
    Item,
    Scores,
    Slot,
    Spelling,
    Template,
    TextItem,
    Turn,
    Vocabulary,
    WordSpan,
    WrittenBatch,
    WrittenItem,
    WrittenTriplet,
    build_grammar,
    with_target,
    written_arrays,
)
from aspectlab.models import (
    Count,
    Dropout,
    Element,
    Elements,
    Model,
    Plan,
    Published,
    Seen,
    Size,
    Weight,
    weighted_mean,
)
from aspectlab.nn import OutputSpace, Writer, mean_words, text_losses, token_positions

_ASPECT, _OPINION = ("aspect", ":", Slot.ASPECT), ("opinion", ":", Slot.OPINION)
_POLARITY = ("sentiment", ":", Slot.POLARITY)

TEMPLATES = (
    Template((*_ASPECT, ",", *_OPINION, ",", *_POLARITY), ";"),
    Template((*_OPINION, ",", *_ASPECT, ",", *_POLARITY), ";"),
)
"""How the two copies are written; both have the same symbols."""

_PREFIXES = ("aspect first:", "opinion first:")
"""What stands before the text in each copy."""

_MARKERS = ("aspect", "opinion")
"""The words behind which a term is written."""


@dataclass(frozen=True, slots=True)
class BidirectionalBatch(WrittenBatch[A]):
    """Copies as arrays. M: triplets, as many as any text of the corpus has."""

    copy: A  # [B] which template is followed
    guides: A  # [B, M, 2, 3] aspect and opinion; marker, first and last word, or -1

    axes: ClassVar[dict[str, str]] = {**WrittenBatch.axes, "copy": "B", "guides": "BMRG"}


def build_bidirectional_grammar() -> Grammar:
    """Join the tables of both templates, one below the other; the second one begins halfway."""
    first, second = (build_grammar(template) for template in TEMPLATES)
    size = len(first.follows)
    return Grammar(
        first.symbols,
        np.concatenate([first.follows, np.where(second.follows < 0, -1, second.follows + size)]),
        np.concatenate([first.copies, second.copies]),
        np.concatenate([first.copied, second.copied + size]),
    )


@dataclass(frozen=True, slots=True)
class BidirectionalEncoding:
    """Turn a text into two copies, and what is written about both back into the triplets they share.

    One copy is written aspect first, the other opinion first.
    """

    vocabulary: Vocabulary
    constrained: bool = True
    normalise: bool = True

    def encode(self, examples: Sequence[Example]) -> list[WrittenItem]:
        """Make two items of every text, or of each of its windows where it is too long."""
        prefixes = [tokens.ids for tokens in self.vocabulary.tokenize(_PREFIXES)]
        texts = self._spelling.encode(examples, taken=max(map(len, prefixes)))
        return [
            self._write(_put_before(prefix, text, len(self.vocabulary.first)), copy, examples[text.example])
            for text in texts
            for copy, prefix in enumerate(prefixes)
        ]

    def collate(self, items: Sequence[Item], length: int | None = None) -> BidirectionalBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        copies = [item for item in items if isinstance(item, WrittenItem)]
        most = max((len(item.guides) for item in copies), default=1) or 1
        guides = np.full((len(copies), most, len(_MARKERS), 3), -1, np.int32)
        for row, item in enumerate(copies):
            guides[row, : len(item.guides)] = np.array(item.guides, np.int32).reshape(-1, len(_MARKERS), 3)
        return BidirectionalBatch(
            **written_arrays(items, self.vocabulary.pad, length),
            copy=np.array([item.copy for item in copies], np.int64),
            guides=guides,
        )

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Read triplets off each copy alone, [B, Y]."""
        aligner = Aligner(self.vocabulary, normalise=self.normalise)
        return [
            aligner.quads(self._read(row, item), item, examples[item.example])
            for row, item in zip(scores, items, strict=True)
            if isinstance(item, WrittenItem)
        ]

    def open(self, examples: Sequence[Example]) -> list[WrittenItem]:
        """Ask for both copies of every text."""
        return self.encode([replace(example, quads=()) for example in examples])

    def follow(self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]) -> Sequence[Item]:
        """Ask nothing more."""
        return ()

    def conclude(
        self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Keep the triplets that both copies of a text hold, as often as both hold them."""
        aligner = Aligner(self.vocabulary, normalise=self.normalise)
        found: list[dict[Quad, None]] = [{} for _ in examples]
        for turns in (asked[n : n + 2] for asked in rounds for n in range(0, len(asked), 2)):
            items = [turn.item for turn in turns if isinstance(turn.item, WrittenItem)]
            one, other = (
                Counter(self._read(turn.scores, item)) for turn, item in zip(turns, items, strict=True)
            )
            shared, index = list((one & other).elements()), items[0].example
            found[index] |= dict.fromkeys(aligner.quads(shared, items[0], examples[index]))
        return [tuple(quads) for quads in found]

    @property
    def _spelling(self) -> Spelling:
        return Spelling(self.vocabulary, len(TEMPLATES[0].symbols), self.constrained)

    def _read(self, written: Scores, item: WrittenItem) -> list[WrittenTriplet]:
        triplets = TEMPLATES[item.copy].read(written.astype(np.int64).tolist())
        return [self._spelling.tokens(triplet, item) for triplet in triplets]

    def _write(self, item: TextItem, copy: int, example: Example) -> WrittenItem:
        golds = self._spelling.golds(item, example)
        # by where terms end, those of the term that is written first as the first key
        golds.sort(key=lambda gold: (_end(gold.aspect), _end(gold.opinion))[:: -1 if copy else 1])
        target = TEMPLATES[copy].write([gold.triplet for gold in golds], self.vocabulary.max_length)
        return with_target(item, target, copy, tuple(_guides(target, copy, golds)))


def _put_before(prefix: Sequence[int], item: TextItem, first: int) -> TextItem:
    """Insert a prefix, which is no part of the text, between the first tokens of the frame and the text."""
    return replace(
        item,
        tokens=[*item.tokens[:first], *prefix, *item.tokens[first:]],
        segments=[0] * (len(prefix) + len(item.tokens)),
        words=[*item.words[:first], *[-1] * len(prefix), *item.words[first:]],
    )


def _guides(target: Sequence[int], copy: int, golds: Sequence[Gold]) -> Iterator[tuple[Guide, Guide]]:
    """Return the guides of those triplets that found room; a marker is written once for each."""
    markers = (TEMPLATES[copy].number(word) for word in _MARKERS)
    aspects, opinions = ([n for n, symbol in enumerate(target) if symbol == marker] for marker in markers)
    for aspect, opinion, gold in zip(aspects, opinions, golds, strict=False):
        yield _guide(aspect, gold.aspect), _guide(opinion, gold.opinion)


def _guide(marker: int, span: WordSpan | None) -> Guide:
    return (-1, -1, -1) if span is None else (marker, *span)


def _end(span: WordSpan | None) -> float:
    return np.inf if span is None else span[1]


_TAGS = 3
"""Outside a term, inside it, and its first word."""


class SLGM(Model):
    """Write triplets in two orders, guided by tags in training."""

    task = "aste"
    watched = ()
    plan = Plan(
        epochs=30,
        batch_size=32,
        learning_rate=3e-4,
        encoder_learning_rate=1e-4,
        weight_decay=0.0,
        average=0.99,
        patience=10,
    )
    published = Published(
        encoder="t5-base",
        plan=Plan(epochs=20, batch_size=32, learning_rate=3e-4, weight_decay=0.0, warmup=0.0),
        source="the released code",
        settings={"dropout": 0.1},
        unlike="the last state was taken, where here dev chooses",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        layers: Count = 3,
        dropout: Dropout = 0.3,
        guidance: Weight = 1.0,
        constrained: bool = True,
        normalise: bool = True,
        max_length: Size = 256,
    ) -> None:
        super().__init__(encoder)
        self.encoding = BidirectionalEncoding(encoder.vocabulary, constrained, normalise)
        self.constrained, self.guidance, self.max_length = constrained, guidance, max_length
        self.writer = Writer(
            encoder, build_bidirectional_grammar(), layers=layers, dropout=dropout, copies=constrained
        )
        width = encoder.width
        self.views = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.marker = nn.Linear(width, width)
        self.word = nn.Linear(width, width, bias=False)
        self.tag = nn.Linear(width, _TAGS)

    def forward(self, batch: BidirectionalBatch[Tensor]) -> Tensor:
        """Return the states of the text beside the states of the steps, [B, T, 2 * H]; they share an axis."""
        states = self.encoder(batch)
        written = self.writer.teacher_force(states, batch.mask, self._outputs(states, batch), batch.labels)
        return torch.cat([states, written], -1)

    def loss(self, both: Tensor, batch: BidirectionalBatch[Tensor]) -> Tensor:
        """Add the loss of writing and that of tagging, each a mean for every copy."""
        states, written = both.chunk(2, -1)
        positions = token_positions(batch.tokens, batch.words) if self.constrained else None
        scores = self._outputs(states, batch).score(written)
        losses = text_losses(scores, batch.labels, positions) + self.guidance * self._tagging(
            states, written, batch
        )
        return weighted_mean(losses, batch)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Write, [B, Y]."""
        states = self.encoder(batch)
        return self.writer.generate(states, batch.mask, self._outputs(states, batch), self.max_length)

    def elements(self, both: Tensor, seen: Seen, batch: BidirectionalBatch[Tensor]) -> Elements:
        """Represent each element by the states that write its name in the first copy."""
        written = both.chunk(2, -1)[1]  # [B, T, H]
        counted = (batch.labels != NOTHING) & ((batch.copy == 0) & (batch.weight > 0))[:, None]  # [B, T]
        marked = (batch.labels == TEMPLATES[0].number(word) for word in ("aspect", "opinion", "sentiment"))
        return Elements(*(Element(written, counted & here, counted & ~here) for here in marked))

    def _outputs(self, states: Tensor, batch: Batch[Tensor]) -> OutputSpace:
        assert isinstance(batch, BidirectionalBatch)
        half = len(self.writer.rules.copies) // 2
        return self.writer.output_space(self.encoder, states, batch, batch.copy * half)

    def _tagging(self, states: Tensor, written: Tensor, batch: BidirectionalBatch[Tensor]) -> Tensor:
        """Return the mean loss of the tags of aspects plus that of opinions, for every copy, [B]."""
        words, mask = mean_words(states, batch.words)  # [B, W, H], [B, W]
        steps = torch.arange(written.shape[1], device=written.device)
        total = torch.zeros_like(batch.weight)
        for role, view in enumerate(self.views):
            marker, first, last = batch.guides[:, :, role].unbind(-1)  # [B, M] each
            markers = (marker[..., None] == steps).to(written.dtype) @ written  # [B, M, H]
            mixed = self.marker(markers)[:, :, None] + self.word(view(words))[:, None]  # [B, M, W, H]
            scores = self.tag(selu(mixed)).float()  # [B, M, W, 3]
            position = steps[None, None]  # [1, 1, W]
            inside = (position >= first[..., None]) & (position <= last[..., None])
            tags = inside.long() + (position == first[..., None])
            losses = cross_entropy(scores.flatten(0, 2), tags.flatten(), reduction="none").view(tags.shape)
            counts = (mask[:, None] & (marker >= 0)[..., None]).float()  # [B, M, W]
            total = total + (losses * counts).sum((1, 2)) / counts.sum((1, 2)).clamp(min=1)
        return total
