"""CapsNet-BERT: capsules routed by sentiment guides (Jiang et al., EMNLP 2019).

Idea: `[CLS] sentence [SEP] aspect [SEP]`. Every state of the sentence becomes a primary capsule; its weight
is how well it fits the aspect capsule, and a learned guide for each class says how much of it goes there. The
length of a class capsule is its score, and a margin loss keeps the right one long and the others short.
Unlike the released code: padding is hidden from the encoder (there it was attended to), the guides start from
a Xavier-uniform draw instead of summed GloVe vectors of sentiment words, a small number inside every square
root keeps the gradient of a zero vector finite, and the checkpoint is chosen by dev accuracy after each epoch
instead of dev loss every ten steps. The layer that the code creates and never uses is left out.
The learning rate suits MiniLM; the authors' BERT-base took 2e-5 for 5 epochs. The encoder is any encoder.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import Layout, PairBatch
from aspectlab.models import Dropout, Model, Number, Plan, Published, Size, weighted_mean
from aspectlab.nn import masked_mean, masked_softmax

_TINY = 1e-8
"""Added inside a square root: the gradient of the length of a zero vector is else not a number."""

_LONG, _SHORT, _OTHERS = 0.9, 0.1, 0.6
"""The margins of the loss, and the weight of the wrong classes."""


class CapsNetBERT(Model):
    """Classify by the lengths of class capsules."""

    layout: ClassVar[Layout] = "sentence-aspect"
    plan = Plan(epochs=10, batch_size=32, learning_rate=1e-4, weight_decay=0.0, optimizer="adam", clip=5.0)
    published = Published(
        encoder="bert-base-uncased",
        plan=Plan(
            epochs=5,
            batch_size=32,
            learning_rate=2e-5,
            weight_decay=0.0,
            optimizer="adam",
            schedule="constant",
            warmup=0.0,
            clip=5.0,
        ),
        source="the released code",
        unlike="the state was chosen by dev loss every ten steps",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        capsule: Size = 300,
        dropout: Dropout = 0.1,
        scale: Number = 5.0,
    ) -> None:
        super().__init__(encoder)
        self.drop = nn.Dropout(dropout)
        self.primary = nn.Linear(encoder.width, capsule)
        self.aspect = nn.Linear(encoder.width, capsule)
        self.match = nn.Parameter(torch.empty(capsule, capsule))
        self.route = nn.Parameter(torch.empty(capsule, capsule))
        self.guides = nn.Parameter(torch.empty(n_labels, capsule))
        self.scale = nn.Parameter(torch.tensor(float(scale)))
        for matrix in (self.match, self.route, self.guides):
            nn.init.xavier_uniform_(matrix)

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Return the logarithm of each class capsule's length, [B, C].

        So the softmax of the scores is the share of each class in the lengths.
        """
        states = self.encoder(batch).float()  # [B, T, H]
        with torch.autocast(states.device.type, enabled=False):
            return self._capsules(states, batch)

    def _capsules(self, states: Tensor, batch: PairBatch[Tensor]) -> Tensor:
        """Route states to classes in full precision: lengths near 0 and 1 decide, [B, T, H] -> [B, C]."""
        in_first, in_second = batch.mask & (batch.segments == 0), batch.mask & (batch.segments == 1)
        aspect = squash(self.drop(self.aspect(masked_mean(states, in_second))))  # [B, K]
        primary = squash(self.drop(self.primary(states)))  # [B, T, K]
        merged = guided_routing(primary, aspect @ self.match, self.guide_vectors(), in_first)  # [B, C, K]
        return length(squash(self.drop(self.scale * merged))).log()

    def guide_vectors(self) -> Tensor:
        """Return what a primary capsule is multiplied with to find the classes it belongs to, [C, K]."""
        return squash(self.guides) @ self.route.T

    def loss(self, scores: Tensor, batch: PairBatch[Tensor]) -> Tensor:
        """Average the margin loss over the items that count."""
        return weighted_mean(margin_loss(scores.float().exp(), batch.labels), batch)


def length(vectors: Tensor) -> Tensor:
    """Return the lengths of vectors, [..., K] -> [...], in full precision."""
    return (vectors.float().square().sum(-1) + _TINY).sqrt()


def squash(vectors: Tensor) -> Tensor:
    """Shorten vectors to a length below 1 and keep their direction, [..., K].

    >>> squash(torch.tensor([3.0, 4.0]))
    tensor([0.5769, 0.7692])
    """
    norm = length(vectors)[..., None]
    return vectors * (norm / (1 + norm.square()))


def guided_routing(primary: Tensor, query: Tensor, guides: Tensor, mask: Tensor) -> Tensor:
    """Sum primary capsules into class capsules, [B, T, K], [B, K], [C, K], [B, T] -> [B, C, K].

    A capsule counts by its fit with the query, and goes to the classes by its fit with their guides.
    """
    weights = masked_softmax((primary @ query[..., None]).squeeze(-1), mask)  # [B, T]
    shares = (primary @ guides.T).softmax(-1)  # [B, T, C]
    return (shares * weights[..., None]).transpose(1, 2) @ primary


def margin_loss(lengths: Tensor, labels: Tensor) -> Tensor:
    """Ask for a long capsule of the right class and short ones of the others, [B, C] and [B] -> [B].

    >>> margin_loss(torch.tensor([[0.9, 0.1, 0.6]]), torch.tensor([0]))
    tensor([0.1500])
    """
    classes = torch.arange(lengths.shape[-1], device=labels.device)
    right = (labels[:, None] == classes).to(lengths.dtype)  # [B, C]
    too_short = (_LONG - lengths).clamp(min=0).square()
    too_long = (lengths - _SHORT).clamp(min=0).square()
    return (right * too_short + _OTHERS * (1 - right) * too_long).sum(-1)
