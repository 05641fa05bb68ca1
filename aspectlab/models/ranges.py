"""Ranges: which values the settings of models and of their training may have, wherever they are given."""

from __future__ import annotations

import math

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
