"""EMC-GCN: a table of word pairs, refined by what grammar says of them (Chen et al., ACL 2022).

Idea: ten classes say what a word is to itself and to every other. Five channels each score all pairs: a
biaffine product of the states, and four tables that look up the pair's parts of speech, the relation of its
arc, its distance in the dependency tree and its distance in the text. A graph convolution over the channels
makes the states of words; pairs are classified from both words' states and all channels' scores. Each channel
is trained on the same table with a small share of the loss.
Settings are the authors': 300 wide, dropout 0.5, weight 2 on the polarities, shares of 0.1 and 0.01, heads at
1e-3 without weight decay, batches of 16.
The convolution is that of the released code, and its average over all softmaxed scores does not depend on
them: the ten shares of a channel add up to one, so every word gets itself and a tenth of the sum of all. What
the channels say acts through the last layer and through their losses.
Unlike the released code: all is by words, which are the means of their sub-words, not by sub-words, so that
no [CLS] stands for the root; the text is not cut at 102; tags and trees are spaCy's, and those not known have
a vector of their own; distances from 101 on share one; the layer norm is the usual one; gradients are
clipped, the rate falls linearly over 30 epochs, and an exponential moving average of the weights is kept. The
learning rate of the encoder suits MiniLM; the authors' BERT-base took 2e-5. The encoder is any encoder.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from aspectlab.data import Example, Quad
from aspectlab.encoders import Encoder
from aspectlab.encodings import (
    N_RELATIONS,
    POLARITIES,
    A,
    Array,
    Batch,
    Cells,
    GridBatch,
    GridEncoding,
    Item,
    ScoredTriplet,
    Scores,
    TextItem,
    Vocabulary,
    WordSpan,
    WordTriplet,
    arcs_among,
    pad_field,
    relation_tables,
)
from aspectlab.language import Parse, Parser, load_parser, word_offsets
from aspectlab.models import (
    Dropout,
    Elements,
    Model,
    Plan,
    Published,
    Seen,
    Size,
    Weight,
    mean_spans,
    sample_spans,
    span_shares,
    unscheduled_plan,
)
from aspectlab.nn import (
    FURTHER,
    Lookup,
    PairLinear,
    PairLookup,
    cross_entropies,
    mean_where,
    mean_words,
    pair_mask,
    tree_distance,
    word_distance,
)

NONE, UNKNOWN = 0, 1
"""Numbers of parts of speech; every saved model has a vector for each pair: the table must not change."""

# the Penn Treebank with what OntoNotes and spaCy add, then the universal tags of pipelines that have no other
_TAGS = """
    $ '' `` , . : -LRB- -RRB- ADD AFX CC CD DT EX FW HYPH IN JJ JJR JJS LS MD NFP NN NNP NNPS NNS PDT POS PRP
    PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB XX _SP
    ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ VERB X
"""

_NUMBERS = {tag: number for number, tag in enumerate(_TAGS.split(), start=UNKNOWN + 1)}

N_TAGS = len(_NUMBERS) + UNKNOWN + 1
"""How many numbers there are, those for none and unknown included."""


def tag_number(tag: str) -> int:
    """Return the number of a tag.

    >>> tag_number("NN") != tag_number("NNS")
    True
    >>> tag_number("ADJA") == UNKNOWN
    True
    """
    return _NUMBERS.get(tag, UNKNOWN)


OPENS, CONTINUES, WITHIN = 0, 1, 2
ASPECT, OPINION = 1, 4
"""What a term's words say: one of the first three, added to one of the other two. 0 says nothing."""

POLARITY = 7
"""What a pair says: this, plus the index of its polarity."""

CLASSES = POLARITY + len(POLARITIES)


class WordTable:
    """Paint triplets as cells, and vote on the polarity of each pair of terms.

    The diagonal opens and continues terms; a cell between two words of one term names its kind; a cell
    between a word of an aspect and one of its opinion has the polarity. The table is symmetric; its upper
    half is read.
    """

    def paint(self, triplets: Sequence[WordTriplet]) -> Cells:
        """Fill both triangles; where two triplets disagree, the later one stays."""
        cells: Cells = {}
        for aspect, opinion, polarity in triplets:
            for kind, (first, last) in ((ASPECT, aspect), (OPINION, opinion)):
                inside = range(first, last + 1)
                cells |= {(i, j): kind + WITHIN for i in inside for j in inside}
                cells |= {(i, i): kind + CONTINUES for i in inside}
                cells[first, first] = kind + OPENS
            for pair in _pairs(aspect, opinion):
                cells[pair] = cells[pair[::-1]] = POLARITY + polarity
        return cells

    def read(self, scores: Scores, count: int) -> Iterator[ScoredTriplet]:
        """Find the terms on the diagonal, and yield every pair with what most of its cells say."""
        best = scores[:count, :count].argmax(-1)  # [W, W]
        aspects, opinions = (read_terms(best.diagonal().tolist(), kind) for kind in (ASPECT, OPINION))
        for aspect in aspects:
            for opinion in opinions:
                rows, columns = zip(*_pairs(aspect, opinion), strict=True)
                votes = np.bincount(best[rows, columns], minlength=CLASSES)[POLARITY:]
                if votes.any():
                    # of equals the one nearer to positive wins
                    polarity = len(votes) - 1 - int(votes[::-1].argmax())
                    yield ScoredTriplet(
                        WordTriplet(aspect, opinion, polarity), _weights(scores[rows, columns])
                    )


def read_terms(diagonal: Sequence[int], kind: int) -> list[WordSpan]:
    """Find the terms of one kind; a word that continues nothing is passed over.

    >>> read_terms([1, 2, 0, 2, 1, 1], ASPECT)
    [(0, 1), (4, 4), (5, 5)]
    """
    spans: list[WordSpan] = []
    for word, label in enumerate(diagonal):
        if label == kind + OPENS:
            spans.append((word, word))
        elif label == kind + CONTINUES and spans and spans[-1][1] == word - 1:
            spans[-1] = spans[-1][0], word
    return spans


def _pairs(aspect: WordSpan, opinion: WordSpan) -> list[tuple[int, int]]:
    """Return the cells above the diagonal, or on it, between the words of two terms."""
    words, others = (range(first, last + 1) for first, last in (aspect, opinion))
    return [(min(word, other), max(word, other)) for word in words for other in others]


def _weights(scores: Scores) -> list[float]:
    """Add up the probability of each polarity over the cells of a pair, [N, C] -> 3 numbers."""
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    chances = chances / chances.sum(-1, keepdims=True)
    return [float(weight) for weight in chances.sum(0)[POLARITY:]]


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

    def collate(self, items: Sequence[Item], length: int | None = None) -> DependencyBatch[Array]:
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
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Read triplets off the word table."""
        return self.grid.decode(scores, items, examples)


def _with_grammar(item: TextItem, text: str, parse: Parse) -> DependencyItem:
    numbers = {offsets: number for number, offsets in enumerate(word_offsets(text))}
    owners = [numbers[offsets] for offsets in item.offsets]
    # a parser without tags leaves them unknown
    names = parse.tags or [""] * len(parse.heads)
    return DependencyItem(
        **{field.name: getattr(item, field.name) for field in fields(item)},
        tags=[tag_number(names[owner]) for owner in owners],
        arcs=arcs_among(owners, parse),
    )


class Biaffine(nn.Module):
    """Score every pair by [x_i; 1] U_k [y_j; 1], with x and y two views of one text, [B, W, W, K]."""

    def __init__(self, width: int, hidden: int, count: int) -> None:
        super().__init__()
        self.row, self.column = (nn.Linear(width, hidden) for _ in range(2))
        limit = (hidden + 1) ** -0.5
        self.matrices = nn.Parameter(torch.empty(count, hidden + 1, hidden + 1).uniform_(-limit, limit))

    def forward(self, states: Tensor) -> Tensor:
        """Score, [B, W, H] -> [B, W, W, K]."""
        views = (view(states).relu() for view in (self.row, self.column))
        rows, columns = (pad(view, (0, 1), value=1.0) for view in views)  # [B, W, D + 1]
        turned = torch.einsum("bih,khg->bikg", rows, self.matrices)  # [B, W, K, D + 1]
        return torch.einsum("bikg,bjg->bijk", turned, columns)


_FAR = 101
"""The distance in the text from which on all are one."""

_CHANNELS = 5


class EMCGCN(Model):
    """Classify every pair of words, the word with itself included."""

    task = "aste"
    watched = ("refine",)
    plan = Plan(
        epochs=30,
        batch_size=16,
        learning_rate=1e-3,
        encoder_learning_rate=1e-4,
        weight_decay=0.0,
        average=0.99,
        patience=10,
    )
    published = Published(
        encoder="bert-base-uncased",
        plan=unscheduled_plan(
            epochs=100, batch_size=16, learning_rate=1e-3, encoder_learning_rate=2e-5, weight_decay=0.0
        ),
        source="the released code",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        hidden: Size = 300,
        dropout: Dropout = 0.5,
        polarity: Weight = 2.0,
        biaffine_share: Weight = 0.1,
        lookup_share: Weight = 0.01,
        parser: str = "en_core_web_sm",
    ) -> None:
        super().__init__(encoder)
        self.encoding = DependencyEncoding(encoder.vocabulary, load_parser(parser, with_tags=True))
        self.polarity = polarity
        self.shares = [biaffine_share, *[lookup_share] * (_CHANNELS - 1)]
        self.drop = nn.Dropout(dropout)
        self.biaffine = Biaffine(encoder.width, hidden, CLASSES)
        self.by_tags = PairLookup(N_TAGS - 1, CLASSES)
        self.by_relation = Lookup(N_RELATIONS - 1, CLASSES)
        self.by_tree = Lookup(FURTHER + 1, CLASSES)
        self.by_place = Lookup(_FAR + 1, CLASSES)
        self.enter = nn.Linear(encoder.width, hidden)
        self.mix = nn.Linear(hidden, hidden)
        self.normalize = nn.LayerNorm(hidden)
        self.refine = PairLinear(hidden + _CHANNELS * CLASSES, CLASSES, [_CHANNELS * CLASSES])

    def forward(self, batch: DependencyBatch[Tensor]) -> Tensor:
        """Return the scores of every pair, and behind them those of the five channels, [B, W, W, 6C]."""
        words, mask = mean_words(self.encoder(batch), batch.words)  # [B, W, H], [B, W]
        states = self.drop(words)
        channels = torch.cat([self.biaffine(states), *self._look_up(batch)], -1)  # [B, W, W, 5C]
        own = channels.diagonal(dim1=1, dim2=2).transpose(1, 2)  # [B, W, 5C]
        refined = self.refine(torch.cat([self._convolve(states, mask), own], -1), channels)  # [B, W, W, C]
        return torch.cat([refined, channels], -1)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Return the refined scores alone, [B, W, W, C]."""
        return super().answer(batch)[..., :CLASSES]

    def loss(self, scores: Tensor, batch: DependencyBatch[Tensor]) -> Tensor:
        """Average over the upper triangle, and for the channels over all pairs, of the texts that count."""
        refined, *channels = scores.split(CLASSES, -1)  # [B, W, W, C] each
        pairs = pair_mask(batch.words) & (batch.weight > 0)[:, None, None]  # [B, W, W]
        weights = torch.where(batch.labels >= POLARITY, self.polarity, 1.0)  # [B, W, W]
        loss = mean_where(cross_entropies(refined, batch.labels), weights * pairs.triu())
        for share, channel in zip(self.shares, channels, strict=True):
            loss = loss + share * mean_where(cross_entropies(channel, batch.labels), pairs)
        return loss

    def elements(self, scores: Tensor, seen: Seen, batch: DependencyBatch[Tensor]) -> Elements:
        """Represent a term by the mean of convolved words, a sentiment by that of the pairs' vectors."""
        (states, channels, _), sampled = seen["refine"], sample_spans(batch)  # [B, W, D + 5C], [B, W, W, 5C]
        words = states[..., : -channels.shape[-1]]  # [B, W, D]
        ends = sampled.partners, sampled.opinions
        shares = (span_shares(spans, channels) for spans in ends)
        between = torch.einsum("bni,bnj,bijc->bnc", *shares, channels)  # [B, N, 5C]
        return sampled.elements(
            mean_spans(words, sampled.aspects),
            mean_spans(words, sampled.opinions),
            torch.cat([*(mean_spans(states, spans) for spans in ends), between], -1),
        )

    def _look_up(self, batch: DependencyBatch[Tensor]) -> list[Tensor]:
        """Return the scores that grammar and position have for each pair, [B, W, W, C] each."""
        size = batch.relations.shape[1]
        distances = self.by_place(word_distance(size, _FAR, batch.relations.device))  # [W, W, C]
        return [
            distances.expand(len(batch.relations), -1, -1, -1),
            self.by_relation(batch.relations, first=1),
            self.by_tags(batch.tags),
            self.by_tree(tree_distance(batch.relations > 0)),
        ]

    def _convolve(self, states: Tensor, mask: Tensor) -> Tensor:
        """Convolve over the channels, so that every word sees the others, [B, W, H] -> [B, W, D]."""
        nodes = self.enter(states).relu()
        # the average of A_c X over all 5C matrices is (sum_c A_c / 5C) X. By softmax the C of a channel add
        # up to 1 for each pair of words, and each has a loop: A_c sum to 5, on the diagonal to 5C more
        total = (nodes * mask[..., None]).sum(1, keepdim=True)  # [B, 1, D]
        convolved = self.normalize(self.mix(nodes + total / CLASSES)).relu()
        assert isinstance(convolved, Tensor)
        return convolved
