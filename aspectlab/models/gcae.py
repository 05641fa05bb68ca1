"""GCAE: Gated Convolutional network with Aspect Embedding (Xue & Li, ACL 2018); GatedCNN in ARTS.

Idea: two convolutions look at the same windows; one finds sentiment, the other, told the aspect, opens or
closes a gate on it. The strongest answer of each filter is kept and classified.
Settings of the released code: 100 filters for windows of 3, 4 and 5 words, dropout 0.2, AdaGrad at 5e-3,
batches of 32, six epochs, no weight decay.
Unlike the released code: the aspect is always read word by word (there, the whole phrase is one vocabulary
item unless an option is given); any encoder may stand in for the 300 dimensions of GloVe, word vectors stay
frozen, a transformer learns at 1e-4; an unknown word is a zero vector; the epoch is chosen on the dev set
instead of taking the last; gradients are clipped; padding takes no part in the maximum, except that a
sentence of fewer than five words is filled up to five.
The published figures are over four classes, for the authors keep `conflict`.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, relu

from aspectlab.encoders import Encoder
from aspectlab.encodings import Layout, PairBatch
from aspectlab.models import Dropout, Model, Plan, Published, Size, unscheduled_plan
from aspectlab.nn import Words, gather_aspect, masked_max, pool_words

_WINDOWS = (3, 4, 5)


class GCAE(Model):
    """Classify from the strongest gated windows."""

    layout: ClassVar[Layout] = "sentence"
    default_encoder = "vectors:glove50"
    plan = Plan(
        optimizer="adagrad",
        schedule="constant",
        warmup=0.0,
        epochs=6,
        learning_rate=5e-3,
        encoder_learning_rate=1e-4,
        weight_decay=0.0,
    )
    published = Published(
        encoder="glove.840B.300d",
        plan=unscheduled_plan(
            epochs=6, batch_size=32, learning_rate=5e-3, weight_decay=0.0, optimizer="adagrad"
        ),
        source="the released code",
        unlike="vectors of words were trained too, the last state was taken, and laptops had five epochs",
    )

    def __init__(
        self, encoder: Encoder, n_labels: int, *, filters: Size = 100, dropout: Dropout = 0.2
    ) -> None:
        super().__init__(encoder)
        self.read_aspect = nn.Conv1d(encoder.width, filters, 3, padding=1)
        self.open_gate = nn.Linear(filters, filters)
        self.sentiment = nn.ModuleList(nn.Conv1d(encoder.width, filters, size) for size in _WINDOWS)
        self.gate = nn.ModuleList(nn.Conv1d(encoder.width, filters, size) for size in _WINDOWS)
        self.drop = nn.Dropout(dropout)
        self.classify = nn.Linear(len(_WINDOWS) * filters, n_labels)

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Return the class scores, [B, C]."""
        words = pool_words(self.encoder(batch), batch)  # states [B, W, H]
        aspect = self.open_gate(self._read_aspect(words))  # [B, F]
        shortest = max(_WINDOWS)
        missing = max(shortest - words.mask.shape[1], 0)
        states = pad(words.states, (0, 0, 0, missing)).transpose(1, 2)  # [B, H, L]
        length = words.mask.sum(1, keepdim=True).clamp(min=shortest)  # [B, 1]
        strongest = []
        for size, sentiment, gate in zip(_WINDOWS, self.sentiment, self.gate, strict=True):
            found = torch.tanh(sentiment(states)) * relu(
                gate(states) + aspect[..., None]
            )  # [B, F, L - size + 1]
            start = torch.arange(found.shape[2], device=found.device)
            # biases make a window of padding score too, so a longer batch would change the maximum
            strongest.append(masked_max(found.transpose(1, 2), start + size <= length))  # [B, F]
        scores = self.classify(self.drop(torch.cat(strongest, -1)))
        assert isinstance(scores, Tensor)
        return scores

    def _read_aspect(self, words: Words) -> Tensor:
        """Return the strongest answer of each filter along the aspect, [B, F]."""
        states, mask = gather_aspect(words, words.mask.shape[1])  # [B, W, H], [B, W]
        found = relu(self.read_aspect(states.transpose(1, 2)))  # [B, F, W]
        # nothing is below zero here, so zero is as good as minus infinity, also for an aspect without a word
        return (found * mask[:, None]).amax(2)
