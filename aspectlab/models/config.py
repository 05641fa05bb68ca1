"""How a model is trained, with its authors' settings as defaults, and which values settings may have."""

from __future__ import annotations

import math
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


# sizes of parts of models, which torch refuses without a word of the setting
_SIZES = (
    *("hidden", "heads", "capsule", "filters", "inner", "beams", "max_length", "max_width"),
    *("width", "width_size", "distance_size", "distance_width", "relation_width", "products", "most"),
)

# of these a model may have none
_NUMBERS = ("layers", "blocks", "hops", "reach")

# of probabilities, from which on something counts as there
_THRESHOLDS = ("threshold", "aspect_threshold", "opinion_threshold", "link_threshold", "beta")

# parts of a loss; below 0 the model would learn to do that part badly
_WEIGHTS = (
    *("consistency", "alignment", "contrast", "guidance", "biaffine_share", "lookup_share"),
    *("snippet", "polarity", "weight", "marked", "gamma"),
)

_RANGES: dict[str, tuple[float, float, str]] = {
    **dict.fromkeys(_SIZES, (1, math.inf, "a whole number from 1 on")),
    **dict.fromkeys(_NUMBERS, (0, math.inf, "a whole number from 0 on")),
    **dict.fromkeys(_THRESHOLDS, (0, 1, "a share from 0 to 1")),
    **dict.fromkeys(_WEIGHTS, (0, math.inf, "a number from 0 on")),
    "alpha": (0, 1, "a share from 0 to 1"),
    "kept": (1e-12, 1e6, "a number above 0, such as 0.5"),
    "share": (0, 1e6, "a number from 0 on, such as 0.3"),
    "epochs": (1, math.inf, "a whole number from 1 on"),
    "batch_size": (1, math.inf, "a whole number from 1 on"),
    "max_tokens": (1, math.inf, "a whole number from 1 on"),
    "patience": (0, math.inf, "a whole number from 0 on"),
    "learning_rate": (1e-12, 10, "a rate above 0, such as 5e-5"),
    "encoder_learning_rate": (0, 10, "a rate from 0 on, such as 5e-5"),
    "layer_decay": (0, 1, "a factor from 0 to 1"),
    "weight_decay": (0, math.inf, "a number from 0 on"),
    "warmup": (0, 1, "a share from 0 to 1"),
    "clip": (1e-12, math.inf, "a number above 0"),
    "average": (0, 0.999999999, "a decay from 0 to below 1"),
    "curriculum": (0, 0.999999999, "a share from 0 to below 1"),
    "variant_ratio": (1e-12, 99.999999999, "variants per original, such as 0.5 or 2"),
    "dropout": (0, 0.999999999, "a share from 0 to below 1"),
    "attention_dropout": (0, 0.999999999, "a share from 0 to below 1"),
    "mato_followups": (1e-12, math.inf, "a number above 0, such as 0.5 or 2"),
    **dict.fromkeys(("mato_aspect", "mato_opinion", "mato_sentiment"), (0, 1, "a share from 0 to 1")),
}

# of these, infinity says "no limit"; anywhere else no number would come out of it
_UNLIMITED = ("clip", "mato_followups")


def find_range_problem(key: str, value: object) -> str | None:
    """Say what is wrong with the value of a setting; None if nothing is, or no range is known.

    >>> find_range_problem("clip", -1.0), find_range_problem("clip", 1.0)
    ('clip = -1.0: expected a number above 0', None)
    """
    if not isinstance(value, int | float):
        return None
    least, most, expected = _RANGES.get(key, (-math.inf, math.inf, "a finite number"))
    is_endless = abs(value) == math.inf and key not in _UNLIMITED
    return None if least <= value <= most and not is_endless else f"{key} = {value!r}: expected {expected}"
