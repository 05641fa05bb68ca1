"""ATAE-LSTM: attention-based LSTM with aspect embedding (Wang et al., EMNLP 2016); AttLSTM in ARTS.

Idea: the aspect's vector is appended to every word vector; an LSTM reads the pairs, attention sums its states
up, and the sum is joined with the last state.
The paper's attention, softmax over t of w · tanh([W_h h_t; W_v v]), adds the same amount for the aspect to
every word, which the softmax takes away again. That half is left out: the function is the same, and no weight
is kept that cannot learn. So the aspect reaches the attention through the LSTM only.
Settings of the paper: 300 wide, weights drawn from ±0.1, AdaGrad at 0.01, batches of 25, L2 0.001.
Unlike the paper: the aspect's vector is the mean of its words (a learned one is only needed for categories);
any encoder may stand in for the 300 dimensions of GloVe, word vectors stay frozen, a transformer learns at
1e-4; an unknown word is a zero vector; AdaGrad has no momentum; gradients are clipped.
Unlike the re-implementation in ABSA-PyTorch: padding gets no attention, and the last state is used.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import Layout, PairBatch
from aspectlab.models import Model, Plan, Published, Size, unscheduled_plan
from aspectlab.nn import draw_uniform, masked_mean, masked_softmax, pool_words, reverse, weighted_sum


class ATAELSTM(Model):
    """Classify from the attended and the last state of an LSTM that reads the aspect with every word."""

    layout: ClassVar[Layout] = "sentence"
    default_encoder = "vectors:glove50"
    plan = Plan(
        optimizer="adagrad",
        schedule="constant",
        warmup=0.0,
        epochs=30,
        batch_size=25,
        learning_rate=0.01,
        encoder_learning_rate=1e-4,
        weight_decay=0.001,
    )
    published = Published(
        encoder="glove.840B.300d",
        plan=unscheduled_plan(
            epochs=30, batch_size=25, learning_rate=0.01, weight_decay=0.001, optimizer="adagrad"
        ),
        source="the paper",
        unlike="the number of epochs is not known; AdaGrad had momentum 0.9, and word vectors were trained",
    )

    def __init__(self, encoder: Encoder, n_labels: int, *, hidden: Size = 300) -> None:
        super().__init__(encoder)
        self.lstm = nn.LSTM(2 * encoder.width, hidden, batch_first=True)
        self.project = nn.Linear(hidden, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)
        self.from_sum = nn.Linear(hidden, hidden, bias=False)
        self.from_last = nn.Linear(hidden, hidden, bias=False)
        self.classify = nn.Linear(hidden, n_labels)
        draw_uniform(0.1, self.lstm, self.project, self.score, self.from_sum, self.from_last, self.classify)

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Return the class scores, [B, C]."""
        words = pool_words(self.encoder(batch), batch)  # states [B, W, H]
        aspect = masked_mean(words.states, words.in_aspect)  # [B, H]
        pairs = torch.cat([words.states, aspect[:, None].expand_as(words.states)], -1)  # [B, W, 2H]
        states, _ = self.lstm(pairs)  # [B, W, D]
        weights = self._attend(states, words.mask)  # [B, W]
        last = reverse(states, words.mask)[:, 0]  # [B, D]
        joint = torch.tanh(self.from_sum(weighted_sum(weights, states)) + self.from_last(last))  # [B, D]
        scores = self.classify(joint)
        assert isinstance(scores, Tensor)
        return scores

    def _attend(self, states: Tensor, mask: Tensor) -> Tensor:
        return masked_softmax(self.score(torch.tanh(self.project(states))).squeeze(-1), mask)
