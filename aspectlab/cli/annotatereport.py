"""What `aspectlab annotate` prints: balance of topics, and agreement as tables or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isnan

from aspectlab.annotation import Agreement, Level, Panel, Plan, Stratum, Worst, count_faults
from aspectlab.cli.console import print_table, printable
from aspectlab.metrics.signature import Signature

_TITLES = {
    "tpa": "TPA: triples",
    "tpa_of_first": "by the triples of the first",
    "tpa_of_second": "by the triples of the second",
    "pairs": "TPA: aspect and opinion",
    "aspects": "TPA: aspects",
    "opinions": "TPA: opinions",
    "sga": "SGA: segments",
    "sentiment_agreement": "sentiment of matched pairs",
    "group_aspects": "group SGA: aspects",
    "group_opinions": "group SGA: opinions",
    "group_sentiment": "group SGA: sentiment",
    "equal_number": "same number of triples",
    "within_one": "number differs by at most 1",
}


def print_balance(strata: Sequence[Stratum]) -> None:
    """Print a row per topic: examples and percent before, in the sample, and in the pilot."""
    counts = [(stratum.examples, stratum.sampled, stratum.pilot) for stratum in strata]
    totals = [sum(column) for column in zip(*counts, strict=True)]
    names = [*(stratum.topic for stratum in strata), "total"]
    rows = [
        [
            name,
            *(cell for value, total in zip(row, totals, strict=True) for cell in (value, _of(value, total))),
        ]
        for name, row in zip(names, [*counts, tuple(totals)], strict=True)
    ]
    print_table("", ["topic", "before", "percent", "sample", "percent", "pilot", "percent"], rows)


def sign(panel: Panel, similarity: str, wording: str, plan: Plan) -> str:
    """Say what was measured on what, and how."""
    measure = f"dice-{similarity}-share{plan.share:g}"
    names = "+".join(panel.annotators)
    return str(
        Signature("agreement", "tpa", names, panel.sha256, measure, wording, plan.resamples, plan.seed)
    )


def to_record(found: Agreement, panel: Panel, worst: int) -> dict[str, object]:
    """Give the numbers as the JSON contract names them, as fractions."""
    return {
        "annotators": list(found.annotators),
        "segments": found.segments,
        "triples": list(found.triples),
        "thresholds": {f"{level.threshold:g}": _to_level(level) for level in found.levels},
        "between": {names: _blank_undefined(scores) for names, scores in found.between.items()},
        "exact": found.exact,
        "coefficients": found.labels,
        "worst": [asdict(segment) for segment in found.worst[:worst]],
        "excluded": {
            "counts": count_faults(panel.findings),
            "findings": [asdict(finding) for finding in panel.findings],
        },
    }


def print_agreement(found: Agreement, panel: Panel, worst: int) -> None:
    """Print the scores at each threshold, the coefficients, and the worst segments."""
    triples = ", ".join(
        f"{name} {count:,}" for name, count in zip(found.annotators, found.triples, strict=True)
    )
    print(f"{found.segments:,} segments; triples: {triples}")
    for fault, number in count_faults(panel.findings).items():
        print(f"  left out: {number:,} {fault}")
    for finding in panel.findings[:worst]:
        print(f"    {finding}")
    for level in found.levels:
        _print_level(level)
    if len(found.between) > 1:
        columns = ["annotators", *list(_TITLES.values())[:1], _TITLES["sga"]]
        rows = [[name, 100 * scores["tpa"], 100 * scores["sga"]] for name, scores in found.between.items()]
        print_table(f"every two, at {found.levels[0].threshold:g}", columns, rows)
    _print_coefficients(found)
    _print_worst(found.worst[:worst], found)


def _print_level(level: Level) -> None:
    rows = []
    scores, chances = _blank_undefined(level.scores), _blank_undefined(level.chance or {})
    for name, title in _TITLES.items():
        bounds = level.intervals.get(name, (None, None))
        values = scores[name], *bounds, chances.get(name)
        rows.append([title, *(None if value is None else 100 * value for value in values)])
    rows.append(["mean TPA of a segment", 100 * level.mean_segment_tpa, None, None, None])
    title = f"similarity of at least {level.threshold:g}: {level.matched:,} matched pairs"
    print_table(title, ["measure", "percent", "95% from", "to", "chance"], rows)


def _print_coefficients(found: Agreement) -> None:
    exact = [
        [task, 100 * s["f1"], *(100 * s[bound] if bound in s else None for bound in ("low", "high"))]
        for task, s in found.exact.items()
    ]
    print_table("exact terms and places", ["task", "F1 percent", "95% from", "to"], exact)
    keys = ["items", "observed", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha"]
    labels = [[kind, *(values[key] for key in keys)] for kind, values in found.labels.items()]
    print_table("labels, chance corrected", ["label", *(key.replace("_", " ") for key in keys)], labels)


def _print_worst(segments: Sequence[Worst], found: Agreement) -> None:
    rows = [
        [printable(segment.segment), 100 * segment.tpa, *(_list(triples) for triples in segment.triples)]
        for segment in segments
    ]
    if rows:
        print_table("least agreement", ["segment", "TPA", *found.annotators], rows)


def _to_level(level: Level) -> dict[str, object]:
    return {
        "threshold": level.threshold,
        **_blank_undefined(level.scores),
        "mean_segment_tpa": level.mean_segment_tpa,
        "matched": level.matched,
        "interval": {name: level.intervals.get(name) for name in level.scores if level.intervals},
        "chance": level.chance and _blank_undefined(level.chance),
    }


def _blank_undefined(scores: Mapping[str, float]) -> dict[str, float | None]:
    """Give nothing where there is nothing to be a share of: JSON knows no other way to say so."""
    return {name: None if isnan(value) else value for name, value in scores.items()}


def _list(triples: Sequence[tuple[str, str, str]]) -> str:
    listed = "; ".join(" | ".join(part or "–" for part in triple) for triple in triples)
    return printable(listed) or "nothing"


def _of(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
