"""Span-ASTE: spans enumerated, pruned by two channels, and paired (Xu et al., ACL 2021).

Idea: every span of up to eight words is scored as aspect, opinion or nothing. For a text of n words the n / 2
likeliest aspects and, apart from them, the n / 2 likeliest opinions are kept; each kept opinion with each
kept aspect is a triplet of some polarity, or nothing. Gold pairs that are pruned are not learnt from.
Settings are the authors': spans of up to 8 words, 150 hidden units twice with dropout 0.4, widths of 20 and
distances of 128, Xavier-normal weights, heads at 1e-3 without weight decay, gradients clipped at norm 5.
Unlike the released code: the summed loss is averaged over batches of 16 texts (they took one text at a time,
for 10 epochs), weight decay is off for the encoder too, and an exponential moving average of the weights is
kept. The learning rate of the encoder suits MiniLM; the authors' BERT-base took 5e-5. The encoder is any
encoder. Spans are ranked by the log-odds of their probability, which gives the same order with fewer ties.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import linear, pad

from aspectlab.data import Example, Quad
from aspectlab.encoders import Encoder
from aspectlab.encodings import (
    POLARITIES,
    A,
    Array,
    Batch,
    Item,
    Scores,
    TextItem,
    Vocabulary,
    WordSpan,
    encode_texts,
    frame_arrays,
    polarity_shares,
    quad_at,
    triplets_of,
)
from aspectlab.models import Dropout, Model, Plan, Published, Range, Size, above, weighted_mean
from aspectlab.nn import cross_entropies, mean_words, one_hot

ASPECT, OPINION = 1, 2
N_MENTIONS = 3
"""What a span can be: nothing, an aspect, an opinion."""

N_PAIRS = 1 + len(POLARITIES)
"""What a pair of spans can be: nothing, or a triplet of one of the polarities."""


@dataclass(frozen=True, slots=True)
class MentionBatch(Batch[A]):
    """Texts as arrays; the label of a span is at its first word and the number of words that follow it.

    Y: triplets, as many as any item has.
    """

    triplets: A  # [B, Y, 3] the opinion's number, the aspect's number, the class of the pair; else zeros

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BTS", "triplets": "BYC"}


@dataclass(frozen=True, slots=True)
class MentionEncoding:
    """Turn a text into one token sequence, and classes of pairs of spans back into triplets.

    Every run of up to S words may be a term; a triplet is a pair of such spans, and one with a longer term is
    lost. A span has a number, so that arrays can name it: S times its first word, plus how many words follow
    that one, plus 1. The number 0 is no span.
    """

    vocabulary: Vocabulary
    max_width: int = 8

    def encode(self, examples: Sequence[Example]) -> list[TextItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        return encode_texts(self.vocabulary, examples, with_opinions=True)

    def collate(self, items: Sequence[Item], length: int | None = None) -> MentionBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        frame = frame_arrays(items, self.vocabulary.pad, length)
        gold = [self._gold(item) for item in items if isinstance(item, TextItem)]
        labels = np.zeros((*frame["tokens"].shape, self.max_width), np.int8)
        triplets = np.zeros((len(items), max(map(len, gold), default=0), 3), np.int16)
        for row, pairs in enumerate(gold):
            flat = labels[row].reshape(-1)  # a view: spans in the order of their numbers
            for index, ((opinion, aspect), kind) in enumerate(pairs.items()):
                triplets[row, index] = opinion, aspect, kind
                # a span that is both has one label: the opinion's
                flat[aspect - 1] = max(flat[aspect - 1], ASPECT)
                flat[opinion - 1] = OPINION
        return MentionBatch(**frame, labels=labels, triplets=triplets)

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return every pair that is something: four scores, then the numbers of its spans, [B, K, K, 6]."""
        return [
            self._decode_item(scores[row], item, examples[item.example])
            for row, item in enumerate(items)
            if isinstance(item, TextItem)
        ]

    def _gold(self, item: TextItem) -> dict[tuple[int, int], int]:
        """Return the class of every pair of opinion and aspect; of two polarities the last one stays."""
        return {
            (self.number(opinion), self.number(aspect)): polarity + 1
            for aspect, opinion, polarity in triplets_of(item.quads)
            if max(last - first for first, last in (aspect, opinion)) < self.max_width
        }

    def _decode_item(self, scores: Scores, item: TextItem, example: Example) -> tuple[Quad, ...]:
        kinds = scores[..., :N_PAIRS].argmax(-1)  # [K, K]
        quads = []
        for pair in zip(*kinds.nonzero(), strict=True):
            opinion, aspect = (self.span(int(number)) for number in scores[pair][N_PAIRS:])
            weights = scores[pair][1:N_PAIRS]
            confidence = polarity_shares(np.exp(weights - weights.max()).tolist())
            quads.append(quad_at(example, item, aspect, opinion, POLARITIES[kinds[pair] - 1], confidence))
        return tuple(quads)

    def number(self, span: WordSpan) -> int:
        """Return the number of a span.

        >>> from aspectlab.encodings import WordList
        >>> MentionEncoding(WordList({}), max_width=8).number((2, 4))
        19
        """
        return span[0] * self.max_width + span[1] - span[0] + 1

    def span(self, number: int) -> WordSpan:
        """Return the span of a number.

        >>> from aspectlab.encodings import WordList
        >>> MentionEncoding(WordList({}), max_width=8).span(19)
        (2, 4)
        """
        first, more = divmod(number - 1, self.max_width)
        return first, first + more


def look_ahead(states: Tensor, width: int) -> Tensor:
    """Stack the state of each word and those of the words behind it, [B, W, H] -> [B, W, S, H].

    Beyond the last word all is zero.

    >>> look_ahead(torch.tensor([[[1.0], [2.0], [3.0]]]), 2)[0, :, :, 0].tolist()
    [[1.0, 2.0], [2.0, 3.0], [3.0, 0.0]]
    """
    longer = pad(states, (0, 0, 0, width - 1))  # [B, W + S - 1, H]
    return torch.stack([longer[:, shift : shift + states.shape[1]] for shift in range(width)], 2)


def mask_candidates(mask: Tensor, width: int) -> Tensor:
    """Return which candidates begin and end with a word, [B, W] -> [B, W, S]."""
    ends = look_ahead(mask[..., None].long(), width)[..., 0].bool()  # [B, W, S]
    return ends & mask[..., None]


def keep_best(scores: Tensor, counts: Tensor, room: int) -> Tensor:
    """Return the indices of each row's best scores, in ascending order, [B, N] -> [B, room]; -1 fills up.

    A row keeps as many as `counts` says, [B].

    >>> keep_best(torch.tensor([[0.1, 0.9, 0.2, 0.8]]), torch.tensor([2]), 3)
    tensor([[ 1,  3, -1]])
    """
    # among equals the first ones stay, however far the padding reaches: only a stable sort promises that
    best = scores.sort(dim=1, descending=True, stable=True).indices[:, :room]
    behind = scores.shape[1]
    is_kept = torch.arange(best.shape[1], device=scores.device) < counts[:, None]
    indices = torch.where(is_kept, best, behind).sort(1).values
    return torch.where(indices == behind, -1, indices)


def pick(states: Tensor, indices: Tensor) -> Tensor:
    """Return the states at some indices, [B, W, H] and [B, K] -> [B, K, H]; zero for the index -1."""
    # a product with ones and zeros: unlike that of a gather, its gradient adds up in a fixed order
    chosen = indices[..., None] == torch.arange(states.shape[1], device=indices.device)  # [B, K, W]
    return chosen.to(states.dtype) @ states


class FactoredLinear(nn.Module):
    """A linear layer over parts side by side, which are never put there: W [x; y] = W_x x + W_y y.

    Each part is projected in its own shape, and the sums are broadcast. For pairs of words that spares a
    tensor with both words' states in every cell.
    """

    def __init__(self, widths: Sequence[int], out: int) -> None:
        super().__init__()
        self.widths = list(widths)
        self.linear = nn.Linear(sum(widths), out)

    def project(self, index: int, part: Tensor) -> Tensor:
        """Project one part by its own columns of the weight, [..., H] -> [..., out]."""
        return linear(part, self.linear.weight.split(self.widths, 1)[index])

    def forward(self, *projected: Tensor) -> Tensor:
        """Add up all parts once they are projected, and the bias."""
        return sum(projected, start=self.linear.bias)


_EDGES = [1, 2, 3, 4, 5, 8, 16, 32, 64]
"""Where the next bucket of distances begins."""


class SpanASTE(Model):
    """Classify pairs of the likeliest opinions and the likeliest aspects."""

    task = "aste"
    plan = Plan(
        epochs=30,
        batch_size=16,
        learning_rate=1e-3,
        encoder_learning_rate=1e-4,
        weight_decay=0.0,
        clip=5.0,
        average=0.99,
        patience=10,
    )
    published = Published(
        encoder="bert-base-uncased",
        plan=Plan(
            epochs=10,
            batch_size=1,
            learning_rate=1e-3,
            encoder_learning_rate=5e-5,
            weight_decay=0.0,
            clip=5.0,
        ),
        source="the released code",
        unlike="the encoder alone had weight decay, 0.01",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        max_width: Size = 8,
        kept: Annotated[float, Range(above(0), 1e6, "a number above 0, such as 0.5")] = 0.5,
        hidden: Size = 150,
        width_size: Size = 20,
        distance_size: Size = 128,
        dropout: Dropout = 0.4,
    ) -> None:
        super().__init__(encoder)
        self.encoding = MentionEncoding(encoder.vocabulary, max_width)
        self.max_width, self.kept = max_width, kept
        span_size = 2 * encoder.width + width_size
        self.widths = nn.Parameter(torch.empty(max_width, width_size))
        self.distances = nn.Parameter(torch.empty(len(_EDGES) + 1, distance_size))
        self.join_span = FactoredLinear([encoder.width, encoder.width, width_size], hidden)
        self.join_pair = FactoredLinear([span_size, span_size, distance_size], hidden)
        self.score_span = _layers(hidden, N_MENTIONS, dropout)
        self.score_pair = _layers(hidden, N_PAIRS, dropout)
        self.edges: Tensor
        self.register_buffer("edges", torch.tensor(_EDGES), persistent=False)
        for name, parameter in self.named_parameters():
            if parameter.ndim > 1 and not name.startswith("encoder."):
                nn.init.xavier_normal_(parameter)

    def forward(self, batch: MentionBatch[Tensor]) -> Tensor:
        """Score all spans, and the pairs of kept ones, in one tensor, [B, W, S + K, 6]: see `_pack`."""
        words, mask = mean_words(self.encoder(batch), batch.words)  # [B, W, H], [B, W]
        spans = self._score_spans(words)  # [B, W, S, 3]
        opinions, aspects = self._prune(spans, mask)  # [B, K] each
        return _pack(spans, self._score_pairs(words, opinions, aspects), opinions, aspects)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Return the pairs alone, [B, K, K, 6]."""
        return _unpack(super().answer(batch), self.max_width)[1]

    def loss(self, scores: Tensor, batch: MentionBatch[Tensor]) -> Tensor:
        """Sum the cross-entropy over the spans and kept pairs of a text, and average over the texts."""
        spans, pairs = _unpack(scores, self.max_width)
        _, mask = mean_words(batch.mask[..., None].to(scores.dtype), batch.words)
        of_spans = cross_entropies(spans, batch.labels) * mask_candidates(mask, self.max_width)  # [B, W, S]
        gold = find_gold(pairs, batch.triplets)  # [B, K, K]
        of_pairs = cross_entropies(pairs[..., :N_PAIRS], gold) * (pairs[..., N_PAIRS] > 0)  # [B, K, K]
        return weighted_mean(of_spans.sum((1, 2)) + of_pairs.sum((1, 2)), batch)

    def _score_spans(self, words: Tensor) -> Tensor:
        """Score what each span is, [B, W, H] -> [B, W, S, 3]."""
        project = self.join_span.project
        # projecting comes before looking ahead: the result is the same, and narrower
        ends = look_ahead(project(1, words), self.max_width)  # [B, W, S, D]
        states = self.join_span(project(0, words)[:, :, None], ends, project(2, self.widths))
        scores = self.score_span(states)
        assert isinstance(scores, Tensor)
        return scores

    def _prune(self, spans: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Choose the likeliest opinions and aspects, [B, W, S, 3] -> their indices among spans, [B, K]."""
        nothing, aspect, opinion = spans.detach().float().unbind(-1)  # [B, W, S]
        is_span = mask_candidates(mask, self.max_width)
        room = math.ceil(self.kept * mask.shape[1])
        # padding gives room for more, but a text keeps only its own share
        wanted = (self.kept * mask.sum(1)).ceil().long()
        counts = torch.minimum(wanted, is_span.sum((1, 2)))  # [B]
        odds = opinion - torch.logaddexp(nothing, aspect), aspect - torch.logaddexp(nothing, opinion)
        indices = [keep_best(o.masked_fill(~is_span, -torch.inf).flatten(1), counts, room) for o in odds]
        return indices[0], indices[1]

    def _score_pairs(self, words: Tensor, opinions: Tensor, aspects: Tensor) -> Tensor:
        """Score what each pair of kept spans is, [B, K, K, 4]."""
        project = self.join_pair.project
        near = one_hot(self._buckets(opinions, aspects), len(_EDGES) + 1, words.dtype)  # [B, K, K, 10]
        states = self.join_pair(
            project(0, self._states(words, opinions))[:, :, None],
            project(1, self._states(words, aspects))[:, None, :],
            near @ project(2, self.distances),
        )
        scores = self.score_pair(states)
        assert isinstance(scores, Tensor)
        return scores

    def _states(self, words: Tensor, indices: Tensor) -> Tensor:
        """Return first word, last word and width of some spans, [B, K] -> [B, K, 2H + D]."""
        first, more = _split(indices, self.max_width)
        widths = one_hot(more, self.max_width, words.dtype) @ self.widths
        return torch.cat([pick(words, first), pick(words, first + more), widths], -1)

    def _buckets(self, opinions: Tensor, aspects: Tensor) -> Tensor:
        """Return the bucket of the distance from the start of one to the end of the other, [B, K, K]."""
        first, more = _split(opinions[:, :, None], self.max_width)
        other, longer = _split(aspects[:, None, :], self.max_width)
        distance = torch.minimum((other - first - more).abs(), (first - other - longer).abs())
        return torch.bucketize(distance, self.edges, right=True)


def find_gold(pairs: Tensor, triplets: Tensor) -> Tensor:
    """Return the class of every kept pair, [B, K, K, 6] and [B, Y, 3] -> [B, K, K]."""
    opinions, aspects = pairs[..., N_PAIRS].amax(2), pairs[..., N_PAIRS + 1].amax(1)  # [B, K]
    # a pair stands among the triplets once at most, so the sum over them is its class
    first = opinions[:, :, None] == triplets[:, None, :, 0]  # [B, K, Y]
    second = (aspects[:, :, None] == triplets[:, None, :, 1]) * triplets[:, None, :, 2]  # [B, K, Y]
    return torch.einsum("bky,bly->bkl", first.float(), second.float()).round().long()


def _layers(hidden: int, out: int, dropout: float) -> nn.Sequential:
    """What follows the first linear layer of either network."""
    ends = nn.ReLU(), nn.Dropout(dropout)
    return nn.Sequential(*ends, nn.Linear(hidden, hidden), *ends, nn.Linear(hidden, out))


def _split(indices: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Return the first word of spans and how many follow it; -1 is no span and begins before the text."""
    return indices.div(width, rounding_mode="floor"), indices % width


def _pack(spans: Tensor, pairs: Tensor, opinions: Tensor, aspects: Tensor) -> Tensor:
    """Pack spans and pairs side by side, [B, W, S, 3] and [B, K, K, 4] -> [B, W, S + K, 6].

    The last two scores of a pair are the numbers of its spans, as the encoding counts them. Whatever is no
    span and no pair is zero.
    """
    numbers = torch.broadcast_tensors(opinions[:, :, None] + 1, aspects[:, None, :] + 1)
    cells = torch.cat([pairs.float(), torch.stack(numbers, -1).float()], -1)  # [B, K, K, 6]
    is_pair = (numbers[0] > 0) & (numbers[1] > 0)
    cells = cells * is_pair[..., None]
    below = pad(cells, (0, 0, 0, 0, 0, spans.shape[1] - cells.shape[1]))  # [B, W, K, 6]
    return torch.cat([pad(spans.float(), (0, cells.shape[-1] - N_MENTIONS)), below], 2)


def _unpack(scores: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Part what `_pack` put together, [B, W, S + K, 6] -> [B, W, S, 3] and [B, K, K, 6]."""
    kept = scores.shape[2] - width
    return scores[:, :, :width, :N_MENTIONS], scores[:, :kept, width:]
