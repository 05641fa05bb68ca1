"""Robustness test sets: how far a model's answers survive changes of the text."""

from aspectlab.robustness.layout import PUBLISHED_STRATEGIES, Layout, lay_out
from aspectlab.robustness.predictions import (
    PredictionTable,
    read_answers,
    read_predictions,
    read_testset,
)
from aspectlab.robustness.scoring import (
    Change,
    Robustness,
    average_changes,
    check_unit,
    intervals,
    score_robustness,
    sign,
)

__all__ = [
    "PUBLISHED_STRATEGIES",
    "Change",
    "Layout",
    "PredictionTable",
    "Robustness",
    "average_changes",
    "check_unit",
    "intervals",
    "lay_out",
    "read_answers",
    "read_predictions",
    "read_testset",
    "score_robustness",
    "sign",
]
