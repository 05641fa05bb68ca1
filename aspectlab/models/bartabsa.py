"""BART-ABSA: a unified generative framework, with pointers for terms (Yan et al., ACL 2021).

Idea: a triplet is written as five numbers: pointers to the first and the last word of its aspect and of its
opinion, and its polarity. A pointer is scored by the vector and by the state of what it points to.
Unlike the released code: any encoder writes, through a small decoder that starts from its layers, where the
authors took BART-base; a sequence-to-sequence model brings its own decoder. Pointers are to words, by the
means of their tokens' vectors and states, not to sub-words. What is written follows the grammar, and no term
ends before it begins; the authors drop such triplets afterwards. As theirs, it is written with four beams
(`beams`) and without a preference for length. Polarities have vectors of their own from the start.
Training: 30 epochs instead of 50; rates suit MiniLM and a new decoder, where BART-base took 5e-5; a running
mean of the weights is kept. Terms that do not stand in the text cannot be found, nor learnt from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from aspectlab.data import Example, Polarity, Quad
from aspectlab.encoders import Encoder
from aspectlab.encodings import (
    END,
    NOTHING,
    POLARITIES,
    Array,
    Batch,
    Copy,
    Grammar,
    Item,
    Scores,
    TextItem,
    Vocabulary,
    WordQuad,
    WordSpan,
    WrittenBatch,
    WrittenItem,
    encode_texts,
    polarity_of,
    quad_at,
    symbol_of,
    with_target,
    written_arrays,
)
from aspectlab.models import Count, Dropout, Model, Plan, Published, Size, weighted_mean
from aspectlab.nn import (
    CopyOutputs,
    OutputVectors,
    Writer,
    mean_words,
    text_losses,
    token_vectors,
    word_positions,
)

_SIZE = 5
"""Numbers of a triplet: four words and a polarity."""

SYMBOLS = ("", "", "", *(str(polarity) for polarity in POLARITIES))
"""The words that each symbol stands for; the first three stand for none."""


def build_pointer_grammar() -> Grammar:
    """Make the table of states: behind the first word of a term comes that word again, or a later one."""
    follows = np.full((_SIZE + 1, len(SYMBOLS)), -1, np.int64)
    follows[0, END] = _SIZE
    follows[_SIZE - 1, [symbol_of(polarity) for polarity in POLARITIES]] = 0
    follows[_SIZE, NOTHING] = _SIZE
    copies = np.array([Copy.WORD, Copy.BEHIND, Copy.WORD, Copy.BEHIND, Copy.NOTHING, Copy.NOTHING], np.int64)
    copied = np.array([1, 2, 3, 4, 0, 0], np.int64)
    return Grammar(SYMBOLS, follows, copies, copied)


@dataclass(frozen=True, slots=True)
class PointerEncoding:
    """Turn a text into tokens, its triplets into pointers to words, and pointers back into triplets.

    A triplet is five numbers: the first and the last word of both terms, and the polarity.
    """

    vocabulary: Vocabulary

    def encode(self, examples: Sequence[Example]) -> list[WrittenItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        items = encode_texts(self.vocabulary, examples, with_opinions=True)
        return [with_target(item, point(item.quads, self.vocabulary.max_length)) for item in items]

    def collate(self, items: Sequence[Item], length: int | None = None) -> WrittenBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        return WrittenBatch(**written_arrays(items, self.vocabulary.pad, length))

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Follow the pointers that were written, [B, Y]."""
        return [
            tuple(
                quad_at(examples[item.example], item, *triplet)
                for triplet in dict.fromkeys(follow_pointers(row, len(item.offsets)))
            )
            for row, item in zip(scores.astype(np.int64).tolist(), items, strict=True)
            if isinstance(item, TextItem)
        ]


def point(quads: Sequence[WordQuad], room: int) -> list[int]:
    """Write triplets as pointers, in the order in which their aspects and then their opinions begin.

    >>> point([WordQuad((1, 2), (0, 0), Polarity.POSITIVE)], 99)
    [7, 8, 6, 6, 5, 2]
    """
    triplets = [(quad.aspect, quad.opinion, quad.polarity) for quad in quads if quad.opinion]
    triplets.sort(key=lambda triplet: (triplet[0][0], triplet[1][0]))
    first = len(SYMBOLS)
    written = [
        number
        for aspect, opinion, polarity in triplets[: (room - 1) // _SIZE]
        for number in (*(first + word for word in (*aspect, *opinion)), symbol_of(polarity))
    ]
    return [*written, END]


def follow_pointers(written: Sequence[int], words: int) -> Iterator[tuple[WordSpan, WordSpan, Polarity]]:
    """Read triplets off what was written about a text of some words; what is none is passed over.

    >>> list(follow_pointers([7, 8, 6, 6, 5, 2, 0], 3))
    [((1, 2), (0, 0), <Polarity.POSITIVE: 'positive'>)]
    """
    pointers: list[int] = []
    for number in written:
        polarity = polarity_of(number)
        if number == END:
            return
        if polarity is None:
            pointers.append(number - len(SYMBOLS))
            continue
        if len(pointers) == _SIZE - 1 and all(0 <= word < words for word in pointers):
            aspect, opinion = (pointers[0], pointers[1]), (pointers[2], pointers[3])
            if aspect[0] <= aspect[1] and opinion[0] <= opinion[1]:
                yield aspect, opinion, polarity
        pointers = []


class BARTABSA(Model):
    """Write pointers to words."""

    task = "aste"
    plan = Plan(
        epochs=30,
        batch_size=16,
        learning_rate=3e-4,
        encoder_learning_rate=1e-4,
        average=0.99,
        patience=10,
    )
    published = Published(
        encoder="facebook/bart-base",
        plan=Plan(epochs=50, batch_size=16, learning_rate=5e-5, warmup=0.01, clip=5.0),
        source="the released code",
        unlike="gradients were clipped by value, not by norm",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        layers: Count = 3,
        dropout: Dropout = 0.3,
        beams: Size = 4,
        max_length: Size = 128,
    ) -> None:
        super().__init__(encoder)
        self.encoding = PointerEncoding(encoder.vocabulary)
        self.beams, self.max_length = beams, max_length
        self.writer = Writer(encoder, build_pointer_grammar(), layers=layers, dropout=dropout)

    def forward(self, batch: WrittenBatch[Tensor]) -> Tensor:
        """Return the scores of what may be written at each step, [B, Y, C]."""
        states, outputs = self._read(batch)
        return outputs.score(self.writer.teacher_force(states, batch.mask, outputs, batch.labels))

    def loss(self, scores: Tensor, batch: WrittenBatch[Tensor]) -> Tensor:
        """Average over the steps of each text, then over the texts that count."""
        _, mask = mean_words(batch.mask[..., None].float(), batch.words)
        return weighted_mean(text_losses(scores, batch.labels, word_positions(mask)), batch)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Write, [B, Y]."""
        states, outputs = self._read(batch)
        if self.beams < 2:
            return self.writer.generate(states, batch.mask, outputs, self.max_length)
        return self.writer.beam_search(states, batch.mask, outputs, self.max_length, self.beams)

    def _read(self, batch: Batch[Tensor]) -> tuple[Tensor, CopyOutputs]:
        states = self.encoder(batch)  # [B, T, H]
        words, mask = mean_words(states, batch.words)  # [B, W, H], [B, W]
        tokens = token_vectors(self.encoder, batch.tokens)
        content = OutputVectors(*(mean_words(part, batch.words)[0] for part in tokens))
        return states, self.writer.copy_outputs(words, content, word_positions(mask))
