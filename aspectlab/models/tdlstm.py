"""TD-LSTM: Target-Dependent LSTM (Tang et al., COLING 2016).

Idea: one LSTM reads from the start of the sentence to the end of the aspect, another from the end of the
sentence back to the start of the aspect. Both end on the aspect; their last states are joined and classified.
The settings are those recommended today (300 wide, Adam at 1e-3, dropout on the word vectors, weight decay
1e-5), not those of the paper (100 wide, SGD at 0.01, weights drawn from ±0.003).
Unlike the paper: any encoder may stand in for the 100 dimensions of Twitter GloVe (a transformer learns at
1e-4); an unknown word is a zero vector; gradients are clipped; an aspect without a token gives two zero
states.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import Layout, PairBatch
from aspectlab.models import Dropout, Model, Plan, Published, Size, unscheduled_plan
from aspectlab.nn import LastState, aspect_sides, pool_words, reverse


class TDLSTM(Model):
    """Classify from the last states of two LSTMs that meet on the aspect."""

    layout: ClassVar[Layout] = "sentence"
    default_encoder = "vectors:glove50"
    plan = Plan(
        optimizer="adam",
        schedule="constant",
        warmup=0.0,
        epochs=30,
        learning_rate=1e-3,
        encoder_learning_rate=1e-4,
        weight_decay=1e-5,
    )
    published = Published(
        encoder="glove.twitter.27B.100d",
        plan=unscheduled_plan(
            epochs=30, batch_size=32, learning_rate=0.01, weight_decay=0.0, optimizer="sgd"
        ),
        source="the paper",
        settings={"hidden": 100, "dropout": 0.0},
        unlike="the number of epochs and the batch size are not known; weights were drawn from ±0.003",
    )

    def __init__(
        self, encoder: Encoder, n_labels: int, *, hidden: Size = 300, dropout: Dropout = 0.3
    ) -> None:
        super().__init__(encoder)
        self.drop = nn.Dropout(dropout)
        self.read_left = LastState(encoder.width, hidden)
        self.read_right = LastState(encoder.width, hidden)
        self.classify = nn.Linear(2 * hidden, n_labels)

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Return the class scores, [B, C]."""
        words = pool_words(self.drop(self.encoder(batch)), batch)  # states [B, W, H]
        until, since = aspect_sides(words)
        left = self.read_left(words.states, until)  # [B, D]
        # the whole sentence is reversed, so its right side comes first and ends on the aspect's first word
        position = torch.arange(since.shape[1], device=since.device)
        front = position < since.sum(1, keepdim=True)  # [B, W]
        right = self.read_right(reverse(words.states, words.mask), front)  # [B, D]
        scores = self.classify(torch.cat([left, right], -1))
        assert isinstance(scores, Tensor)
        return scores
