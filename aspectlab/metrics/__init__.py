"""Metrics: count per example, score the sum; `evaluate` compares two corpora."""

from aspectlab.metrics.ars import (
    UNITS,
    BoolArray,
    Unit,
    count_units,
    find_right,
    number_units,
    robustness_counts,
    unit_of,
)
from aspectlab.metrics.evaluation import Evaluation, evaluate
from aspectlab.metrics.matching import Match
from aspectlab.metrics.metric import FloatArray, IntArray, Metric
from aspectlab.metrics.signature import Signature
from aspectlab.metrics.table import METRICS, default_metric

__all__ = [
    "METRICS",
    "UNITS",
    "BoolArray",
    "Evaluation",
    "FloatArray",
    "IntArray",
    "Match",
    "Metric",
    "Signature",
    "Unit",
    "count_units",
    "default_metric",
    "evaluate",
    "find_right",
    "number_units",
    "robustness_counts",
    "unit_of",
]
