"""What metrics are called in a report, in which order they stand, and which way is better."""

_NAMES = {
    "accuracy": "accuracy",
    "f1": "F1",
    "macro_f1": "macro F1",
    "weighted_f1": "weighted F1",
    "precision": "precision",
    "recall": "recall",
    "ate_f1": "ATE F1",
    "ars_aspect": "ARS by aspect",
    "ars_sentence": "ARS by sentence",
    "revtgt_ori": "RevTgt originals",
    "revtgt_new": "RevTgt variants",
    "revnon_ori": "RevNon originals",
    "revnon_new": "RevNon variants",
    "adddiff_ori": "AddDiff originals",
    "adddiff_new": "AddDiff variants",
    "revnon+adddiff_ori": "RevNon+AddDiff originals",
    "revnon+adddiff_new": "RevNon+AddDiff variants",
    "vr": "violation rate",
    "vr_conditional": "conditional violation rate",
}
"""The order is that of the columns: the two units of the Aspect Robustness Score stand side by side."""

_LOWER = "vr"


def name_metric(metric: str) -> str:
    """Return the name of a metric for people.

    >>> name_metric("ars_aspect"), name_metric("aspect_f1"), name_metric("vr_opinion")
    ('ARS by aspect', 'aspect F1', 'violation rate opinion')
    """
    if metric in _NAMES:
        return _NAMES[metric]
    words = metric.replace("_", " ").replace("f1", "F1")
    return words.replace("vr ", "violation rate ", 1) if words.startswith("vr ") else words


def is_lower_better(metric: str) -> bool:
    """Return whether a lower value is better: metrics of failure are told from those of success.

    >>> is_lower_better("vr"), is_lower_better("vr_aspect"), is_lower_better("f1")
    (True, True, False)
    """
    return metric == _LOWER or metric.startswith(f"{_LOWER}_")


def order_metric(metric: str) -> tuple[int, str]:
    """Return a key that sorts metrics into the order of the columns."""
    known = list(_NAMES)
    return (known.index(metric) if metric in known else len(known), metric)
