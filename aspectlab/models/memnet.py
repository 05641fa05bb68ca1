"""MemNet: deep memory network (Tang et al., EMNLP 2016).

Idea: the words around the aspect are a memory that nothing reads in order. The aspect's vector asks it nine
times; each answer is added to the question, and the last question is classified. The nearer a word stands to
the aspect, the louder it is: m_i = e_i * (1 - l_i / n), the paper's location model 2.
The hops and first weights (drawn from ±0.01) are the paper's; Adam at 1e-3 and batches of 64 are recommended
today, the paper has SGD at 0.01.
Unlike the paper: any encoder may stand in for the frozen 300 dimensions of GloVe (a transformer learns at
1e-4); an unknown word is a zero vector; gradients are clipped; a sentence without a context has an empty
memory that answers zero.
Unlike the re-implementation in ABSA-PyTorch: words are weighted by location, memory and question are compared
as they are, nine hops instead of three, and padding is no memory.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import Layout, PairBatch
from aspectlab.models import Count, Model, Plan, Published, unscheduled_plan
from aspectlab.nn import (
    Words,
    aspect_distance,
    draw_uniform,
    masked_mean,
    masked_softmax,
    pool_words,
    weighted_sum,
)


class MemNet(Model):
    """Classify from the aspect's vector after some hops over the context."""

    layout: ClassVar[Layout] = "sentence"
    default_encoder = "vectors:glove50"
    plan = Plan(
        optimizer="adam",
        schedule="constant",
        warmup=0.0,
        epochs=30,
        batch_size=64,
        learning_rate=1e-3,
        encoder_learning_rate=1e-4,
        weight_decay=0.0,
    )
    published = Published(
        encoder="glove.840B.300d",
        plan=unscheduled_plan(
            epochs=30,
            batch_size=32,
            learning_rate=0.01,
            encoder_learning_rate=0.0,
            weight_decay=0.0,
            optimizer="sgd",
        ),
        source="the paper",
        unlike="the number of epochs and the batch size are not known",
    )

    def __init__(self, encoder: Encoder, n_labels: int, *, hops: Count = 9) -> None:
        super().__init__(encoder)
        self.hops = hops
        self.score = nn.Linear(2 * encoder.width, 1)
        self.carry = nn.Linear(encoder.width, encoder.width)
        self.classify = nn.Linear(encoder.width, n_labels)
        draw_uniform(0.01, self.score, self.carry, self.classify)

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Return the class scores, [B, C]."""
        words = pool_words(self.encoder(batch), batch)  # states [B, W, H]
        memory = words.states * _location(words)[..., None]  # [B, W, H]
        mask = words.mask & ~words.in_aspect
        query = masked_mean(words.states, words.in_aspect)  # [B, H]
        for _ in range(self.hops):
            query = self._hop(memory, mask, query)
        scores = self.classify(query)
        assert isinstance(scores, Tensor)
        return scores

    def _hop(self, memory: Tensor, mask: Tensor, query: Tensor) -> Tensor:
        """Ask once; all hops share their weights."""
        pairs = torch.cat([memory, query[:, None].expand_as(memory)], -1)  # [B, W, 2H]
        weights = masked_softmax(torch.tanh(self.score(pairs)).squeeze(-1), mask)  # [B, W]
        carried: Tensor = self.carry(query)
        return weighted_sum(weights, memory) + carried


def _location(words: Words) -> Tensor:
    """Weigh words by their distance to the aspect, [B, W]; all by zero where there is no aspect."""
    length = words.mask.sum(1, keepdim=True).clamp(min=1)  # [B, 1]
    return (1 - aspect_distance(words) / length).clamp(min=0)
