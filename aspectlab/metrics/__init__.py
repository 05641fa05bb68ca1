"""Metrics: count per example, score the sum; `evaluate` compares two corpora."""

from aspectlab.metrics.ars import Unit, robustness_counts, unit_of
from aspectlab.metrics.evaluation import Evaluation, evaluate
from aspectlab.metrics.matching import Match
from aspectlab.metrics.metric import FloatArray, IntArray, Metric
from aspectlab.metrics.signature import Signature
from aspectlab.metrics.table import METRICS, default_metric

__all__ = [
    "METRICS",
    "Evaluation",
    "FloatArray",
    "IntArray",
    "Match",
    "Metric",
    "Signature",
    "Unit",
    "default_metric",
    "evaluate",
    "robustness_counts",
    "unit_of",
]
