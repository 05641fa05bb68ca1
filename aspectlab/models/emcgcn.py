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
clipped, the rate falls linearly over 30 epochs, and a running mean of the weights is kept. The learning rate
of the encoder suits MiniLM; the authors' BERT-base took 2e-5. The encoder is any encoder.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings.batch import Batch
from aspectlab.encodings.dependency import DependencyBatch, DependencyEncoding
from aspectlab.encodings.partsofspeech import N_TAGS
from aspectlab.encodings.relations import N_RELATIONS
from aspectlab.encodings.wordtable import CLASSES, POLARITY
from aspectlab.language import load_parser
from aspectlab.models.elements import Elements, Seen, mean_spans, span_shares, tell
from aspectlab.models.model import Model
from aspectlab.models.plan import Plan
from aspectlab.nn import mean_words
from aspectlab.nn.biaffine import Biaffine
from aspectlab.nn.entropy import cross_entropies
from aspectlab.nn.lookups import FURTHER, Lookup, PairLookup, tree_distance, word_distance
from aspectlab.nn.pairs import PairLinear, pair_mask
from aspectlab.nn.tagging import mean_where

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

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        hidden: int = 300,
        dropout: float = 0.5,
        polarity: float = 2.0,
        biaffine_share: float = 0.1,
        lookup_share: float = 0.01,
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
        """Give the scores of every pair, and behind them those of the five channels, [B, W, W, 6C]."""
        words, mask = mean_words(self.encoder(batch), batch.words)  # [B, W, H], [B, W]
        states = self.drop(words)
        channels = torch.cat([self.biaffine(states), *self._look_up(batch)], -1)  # [B, W, W, 5C]
        own = channels.diagonal(dim1=1, dim2=2).transpose(1, 2)  # [B, W, 5C]
        refined = self.refine(torch.cat([self._convolve(states, mask), own], -1), channels)  # [B, W, W, C]
        return torch.cat([refined, channels], -1)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Give the refined scores alone, [B, W, W, C]."""
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
        """Let the mean of convolved words stand for a term, that of the pairs' vectors for a sentiment."""
        (states, channels, _), told = seen["refine"], tell(batch)  # [B, W, D + 5C], [B, W, W, 5C]
        words = states[..., : -channels.shape[-1]]  # [B, W, D]
        ends = told.partners, told.opinions
        shares = (span_shares(spans, channels) for spans in ends)
        between = torch.einsum("bni,bnj,bijc->bnc", *shares, channels)  # [B, N, 5C]
        return told.elements(
            mean_spans(words, told.aspects),
            mean_spans(words, told.opinions),
            torch.cat([*(mean_spans(states, spans) for spans in ends), between], -1),
        )

    def _look_up(self, batch: DependencyBatch[Tensor]) -> list[Tensor]:
        """Give the scores that grammar and place have for each pair, [B, W, W, C] each."""
        size = batch.relations.shape[1]
        places = self.by_place(word_distance(size, _FAR, batch.relations.device))  # [W, W, C]
        return [
            places.expand(len(batch.relations), -1, -1, -1),
            self.by_relation(batch.relations, first=1),
            self.by_tags(batch.tags),
            self.by_tree(tree_distance(batch.relations > 0)),
        ]

    def _convolve(self, states: Tensor, mask: Tensor) -> Tensor:
        """Let every word see the others, [B, W, H] -> [B, W, D]."""
        nodes = self.enter(states).relu()
        # the average of A_c X over all 5C matrices is (sum_c A_c / 5C) X. By softmax the C of a channel add
        # up to 1 for each pair of words, and each has a loop: A_c sum to 5, on the diagonal to 5C more
        total = (nodes * mask[..., None]).sum(1, keepdim=True)  # [B, 1, D]
        convolved = self.normalize(self.mix(nodes + total / CLASSES)).relu()
        assert isinstance(convolved, Tensor)
        return convolved
