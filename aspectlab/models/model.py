"""Model: what all models share, which is little."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from aspectlab.data import Example
from aspectlab.encoders import Encoder
from aspectlab.encodings import Batch, Encoding, PairEncoding
from aspectlab.encodings.pair import Layout
from aspectlab.models.plan import Plan


def weighted_mean(losses: Tensor, batch: Batch[Tensor]) -> Tensor:
    """Average losses over the items that are no filling, [B] -> []."""
    return (losses * batch.weight).sum() / batch.weight.sum().clamp(min=1)


def classification_loss(model: nn.Module, scores: Tensor, batch: Batch[Tensor]) -> Tensor:
    """Average the cross-entropy over the items that count: what a model uses that has no loss of its own."""
    losses = cross_entropy(scores.float(), batch.labels, reduction="none")  # [B]
    return weighted_mean(losses, batch)


class Model(nn.Module):
    """An encoder with something on top; `encoding` fixes what a batch holds and how scores become quads.

    The keyword-only parameters of the constructor are the model's settings.
    """

    task: str = "atsc"  # no class variable: a setting may decide it
    layout: ClassVar[Layout] = "sentence-aspect"
    plan: ClassVar[Plan] = Plan()
    default_encoder: ClassVar[str] = "minilm"

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        # a model of another task, or one that needs more than pairs, puts its own in place
        self.encoding: Encoding = PairEncoding(encoder.vocabulary, self.layout)

    # which kind of batch it takes depends on the encoding, as with `forward`, which gives scores for a batch
    loss: Callable[..., Tensor] = classification_loss

    @classmethod
    def task_of(cls, settings: Mapping[str, object]) -> str:
        """Tell what a model with these settings learns; for most it is one thing."""
        return cls.task

    @classmethod
    def complete_settings(
        cls, settings: Mapping[str, object], examples: Iterable[Example]
    ) -> dict[str, object]:
        """Add what only the training corpus can tell before the model is built; for most it is nothing."""
        return dict(settings)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Give what the encoding decodes: the scores, or what a model writes that has no scores to give."""
        scores = self(batch)
        assert isinstance(scores, Tensor)
        return scores
