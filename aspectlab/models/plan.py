"""Plan: how a model is trained, with its authors' settings as defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Precision = Literal["auto", "fp32", "bf16"]
"""What is computed in; auto: bfloat16 where that is fast."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of the one training loop."""

    epochs: int = 10
    batch_size: int = 32
    learning_rate: float = 1e-4
    encoder_learning_rate: float | None = None  # None: the same as learning_rate
    layer_decay: float = 1.0  # each encoder layer learns this much slower than the one above it
    weight_decay: float = 0.01
    optimizer: Literal["adamw", "adam", "adagrad"] = "adamw"
    schedule: Literal["linear", "constant"] = "linear"
    warmup: float = 0.1  # share of the training during which the rate rises
    clip: float = 1.0
    average: float = 0.0  # decay of a running mean of the weights, which is then scored and kept; 0: none
    patience: int = 5  # epochs without a better dev score before it stops
    max_tokens: int = 16_384  # per batch, padding included: a batch of long texts is smaller
    precision: Precision = "auto"
    curriculum: float = 0.0  # share of the epochs until all variants take part, originals first; 0: at once
    curriculum_order: str = "adddiff,revnon,revtgt"  # of the strategies, the easiest first; others come last
    variant_ratio: float | None = None  # variants per original in an epoch, drawn anew in each; None: all
    mato: bool = False  # train with three discerners beside the model: docs/explanation/mato.md
    mato_variant: Literal["published", "weighting", "bias", "frozen", "negatives", "contrast"] = "published"
    mato_followups: float = 1.0  # contrast: follow-ups of a text that an epoch draws; 0.5: one of every other
    mato_aspect: float | None = None  # violation rates of each element; None: measured on dev, without MATO
    mato_opinion: float | None = None
    mato_sentiment: float | None = None
