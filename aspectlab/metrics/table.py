"""The metric table: one line per metric."""

from __future__ import annotations

from aspectlab.errors import ConfigError
from aspectlab.metrics.metric import Metric
from aspectlab.registry import Registry

METRICS: Registry[type[Metric]] = Registry(
    "metric",
    {
        "classification": "aspectlab.metrics.classification:Classification",
        "category-classification": "aspectlab.metrics.categoryclassification:CategoryClassification",
        "tuple-f1": "aspectlab.metrics.tuplef1:TupleF1",
        "subtasks": "aspectlab.metrics.subtasks:Subtasks",
        "simstar-lenient": "aspectlab.metrics.released:SimSTARLenient",
        "minicongts-released": "aspectlab.metrics.released:MiniConGTSReleased",
        "emcgcn-released": "aspectlab.metrics.released:EMCGCNReleased",
    },
)


def default_metric(task: str) -> str:
    """Name the metric that a task is usually judged by: the first of the table that fits.

    >>> default_metric("atsc"), default_metric("aste")
    ('classification', 'tuple-f1')
    """
    for name, metric in METRICS.items():
        if task in metric.tasks:
            return name
    raise ConfigError(f"task {task!r}: no metric fits it; there are: {', '.join(METRICS)}")
