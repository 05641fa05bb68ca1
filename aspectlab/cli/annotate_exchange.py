"""`annotate` with Label Studio: prelabel, export and import, and how agreement is printed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from math import isnan
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import annotation, data, language, readers, runtime
from aspectlab.cli.console import bar, notice, print_json, print_table, print_text, printable
from aspectlab.cli.options import refuse_unwritable_file, refuse_unwritable_inside
from aspectlab.data import statistics
from aspectlab.errors import ConfigError
from aspectlab.metrics import Signature
from aspectlab.progress import Progress
from aspectlab.registry import suggest

_TOOLS = ("label-studio", "doccano")
_SHOWN = 10
_LOOKED_AT = 600
_UNFIT = re.compile(r"[^\w.@+-]")

AsJson = Annotated[bool, typer.Option("--json", help="Print a summary as JSON.")]


def prelabel(
    file: Annotated[Path, typer.Argument(help="Data set in any known format; its labels are ignored.")],
    out: Annotated[Path, typer.Option(help="Output file (canonical JSONL).")],
    model: Annotated[
        str | None,
        typer.Option(help="Triplet model written by `train` or `export` (default: the shipped model)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Pre-annotate segments with a model's predictions and their confidence, for annotators to correct.

    Segments without predictions are kept, without opinions. Topics are kept too.

    Example: `aspectlab annotate prelabel sample.jsonl --out prelabelled.jsonl`
    """
    refuse_unwritable_file(out, inputs=[file], kind="JSONL")
    corpus = readers.read(file)
    if model is None and (
        warning := language.check_language(each.text for each in corpus.examples[:_LOOKED_AT])
    ):
        notice(warning)
    predictor = runtime.load_predictor(model)
    labelled = annotation.prelabel(corpus, lambda texts: language.predict_segments(predictor.predict, texts))
    found = corpus.with_examples(_watch(labelled, len(corpus)))
    found = replace(found, annotates=readers.TRIPLET | data.annotated_parts(found))
    readers.write(found, out, "jsonl")
    counts = count_opinions(found)
    notice(
        f"{out}: {counts['opinions']:,} opinions; {counts['empty']:,} of {len(found):,} segments have none"
    )
    if as_json:
        print_json({"out": str(out), "model": predictor.identity, **counts})


def export(
    file: Annotated[Path, typer.Argument(help="Data set in any known format.")],
    out: Annotated[Path, typer.Option(help="Output: a folder for Label Studio, a JSONL file for doccano.")],
    format: Annotated[str, typer.Option(help="label-studio or doccano.")] = "label-studio",
    as_json: AsJson = False,
) -> None:
    """Write a project for an annotation tool; existing labels become predictions to correct.

    For Label Studio: config.xml, tasks.json, and instructions.html with the annotation guidelines.

    Example: `aspectlab annotate export prelabelled.jsonl --out project`
    """
    _check_tool(format)
    if format == "doccano":
        refuse_unwritable_file(out, inputs=[file], kind="JSONL")
    else:
        refuse_unwritable_inside(out, annotation.FILES, inputs=[file])
    corpus = readers.read(file)
    if format == "doccano":
        readers.write(corpus, out, format)
        paths: tuple[Path, ...] = (out,)
        notice("doccano: make a project for sequence labelling, with relations and overlapping entities")
    else:
        paths = annotation.write_label_studio(corpus, out)
        notice("Label Studio: paste config.xml under Labeling Setup > Code, instructions.html under General")
    counts = count_opinions(corpus)
    notice(f"{out}: {counts['segments']:,} segments, {counts['opinions']:,} opinions to begin with")
    if as_json:
        print_json({"files": list(map(str, paths)), **counts})


def import_(
    file: Annotated[Path, typer.Argument(help="JSON export of Label Studio, or JSONL of doccano.")],
    out: Annotated[Path, typer.Option(help="Output file (canonical JSONL).")],
    annotator: Annotated[
        str | None, typer.Option(help="Import only this annotator (doccano: the annotator's name).")
    ] = None,
    split_by_annotator: Annotated[
        bool, typer.Option("--split-by-annotator", help="Write one file per annotator: OUT-ID.jsonl.")
    ] = False,
    format: Annotated[
        str | None, typer.Option("--from", help="label-studio or doccano (detected by default).")
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Skip and count invalid annotations instead of failing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Import annotations from an annotation tool, for use with `annotate agreement`.

    Unknown labels, broken relations, wrong offsets, and segments that one annotator did twice are listed as
    errors; with --skip-bad they are counted and skipped. Segments skipped in the tool are counted.

    Example: `aspectlab annotate import export.json --split-by-annotator --out annotated.jsonl`
    """
    if annotator is not None and split_by_annotator:
        raise ConfigError("--annotator takes one person, --split-by-annotator all: expected one of the two")
    if format is not None:
        _check_tool(format)
    handed = annotation.read_annotations(file, format=format, annotator=annotator, skip_bad=skip_bad)
    paths = _name_files(file, out, handed, split=split_by_annotator)
    for path in paths.values():
        refuse_unwritable_file(path, inputs=[file], kind="JSONL")
    for name, path in paths.items():
        readers.write(handed.corpora[name], path, "jsonl")
        notice(f"{path}: {len(handed.corpora[name]):,} segments")
    record = _to_record(handed, paths)
    if as_json:
        print_json(record)
    else:
        _print(handed, paths)


def count_opinions(corpus: data.Corpus) -> dict[str, int]:
    """Count segments, those without an opinion, and opinions; a topic alone is none."""
    filled = [
        sum(not statistics.is_empty(quad, readers.TRIPLET) for quad in example.quads) for example in corpus
    ]
    return {"segments": len(filled), "empty": filled.count(0), "opinions": sum(filled)}


def _watch(examples: Iterator[data.Example], total: int) -> Iterator[data.Example]:
    with bar() as (advance, _):
        for number, example in enumerate(examples, start=1):
            advance(Progress(number / total, f"{number:,} of {total:,} segments", None))
            yield example


def _check_tool(format: str) -> None:
    if format not in _TOOLS:
        raise ConfigError(f"format {format!r} is unknown: {suggest(format, _TOOLS)}")


def _name_files(
    file: Path, out: Path, handed: annotation.ImportedAnnotations, *, split: bool
) -> dict[str, Path]:
    names = list(handed.corpora)
    if not names:
        raise ConfigError(f"{file}: nobody has annotated anything: expected annotations; export them as JSON")
    if not any(map(len, handed.corpora.values())):
        raise ConfigError(
            f"{file}: {len(handed.findings)} finding(s), and no segment is left; first: "
            f"{handed.findings[0]}: expected at least one segment; correct them in the tool"
        )
    if not split and len(names) > 1:
        raise ConfigError(
            f"{file}: found the annotators {', '.join(map(repr, names))}: expected one; take all with "
            "--split-by-annotator, or one with --annotator ID"
        )
    if not split:
        return {names[0]: out}
    paths = {name: out.with_name(f"{out.stem}-{_UNFIT.sub('_', name)}.jsonl") for name in names}
    shared = [str(path) for path, count in Counter(paths.values()).items() if count > 1]
    if shared:
        raise ConfigError(
            f"{file}: two annotators would be written to {shared[0]}; take one with --annotator ID"
        )
    return paths


def _to_record(handed: annotation.ImportedAnnotations, paths: dict[str, Path]) -> dict[str, object]:
    people = {
        name: {"out": str(path), **count_opinions(handed.corpora[name]), "unmarked": handed.unmarked[name]}
        for name, path in paths.items()
    }
    return {
        "annotators": people,
        "left_out": {state.value: count for state, count in handed.left_out.items()},
        "excluded": {
            "counts": annotation.count_faults(handed.findings),
            "findings": [asdict(finding) for finding in handed.findings],
        },
    }


def _print(handed: annotation.ImportedAnnotations, paths: dict[str, Path]) -> None:
    rows = []
    for name, path in paths.items():
        counts = count_opinions(handed.corpora[name])
        rows.append([printable(name), *counts.values(), handed.unmarked[name], str(path)])
    print_table("", ["annotator", "segments", "empty", "opinions", "nothing marked", "file"], rows)
    for state, count in handed.left_out.items():
        print_text(f"left out: {count:,} {state}")
    for fault, count in annotation.count_faults(handed.findings).items():
        print_text(f"left out: {count:,} {fault}")
    for finding in handed.findings[:_SHOWN]:
        print_text(f"  {printable(str(finding))}")


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


def print_balance(strata: Sequence[annotation.Stratum]) -> None:
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


def sign(panel: annotation.Panel, similarity: str, wording: str, plan: annotation.AgreementPlan) -> str:
    """Return the signature: what was measured on what, and how."""
    measure = f"dice-{similarity}-share{plan.share:g}"
    names = "+".join(panel.annotators)
    return str(
        Signature("agreement", "tpa", names, panel.sha256, measure, wording, plan.resamples, plan.seed)
    )


def to_record(found: annotation.Agreement, panel: annotation.Panel, worst: int) -> dict[str, object]:
    """Return the numbers under the JSON contract's keys, as fractions."""
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
            "counts": annotation.count_faults(panel.findings),
            "findings": [asdict(finding) for finding in panel.findings],
        },
    }


def print_agreement(found: annotation.Agreement, panel: annotation.Panel, worst: int) -> None:
    """Print the scores at each threshold, the coefficients, and the worst segments."""
    triples = ", ".join(
        f"{name} {count:,}" for name, count in zip(found.annotators, found.triples, strict=True)
    )
    print_text(f"{found.segments:,} segments; triples: {triples}")
    for fault, number in annotation.count_faults(panel.findings).items():
        print_text(f"  left out: {number:,} {fault}")
    for finding in panel.findings[:worst]:
        print_text(f"    {finding}")
    for level in found.levels:
        _print_level(level)
    if len(found.between) > 1:
        columns = ["annotators", *list(_TITLES.values())[:1], _TITLES["sga"]]
        rows = [[name, 100 * scores["tpa"], 100 * scores["sga"]] for name, scores in found.between.items()]
        print_table(f"every two, at {found.levels[0].threshold:g}", columns, rows)
    _print_coefficients(found)
    _print_worst(found.worst[:worst], found)


def _print_level(level: annotation.Level) -> None:
    rows = []
    scores, chances = _blank_undefined(level.scores), _blank_undefined(level.chance or {})
    for name, title in _TITLES.items():
        bounds = level.intervals.get(name, (None, None))
        values = scores[name], *bounds, chances.get(name)
        rows.append([title, *(None if value is None else 100 * value for value in values)])
    rows.append(["mean TPA of a segment", 100 * level.mean_segment_tpa, None, None, None])
    title = f"similarity of at least {level.threshold:g}: {level.matched:,} matched pairs"
    print_table(title, ["measure", "percent", "95% from", "to", "chance"], rows)


def _print_coefficients(found: annotation.Agreement) -> None:
    exact = [
        [task, 100 * s["f1"], *(100 * s[bound] if bound in s else None for bound in ("low", "high"))]
        for task, s in found.exact.items()
    ]
    print_table("exact terms and places", ["task", "F1 percent", "95% from", "to"], exact)
    keys = ["items", "observed", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha"]
    labels = [[kind, *(values[key] for key in keys)] for kind, values in found.labels.items()]
    print_table("labels, chance corrected", ["label", *(key.replace("_", " ") for key in keys)], labels)


def _print_worst(segments: Sequence[annotation.Worst], found: annotation.Agreement) -> None:
    rows = [
        [printable(segment.segment), 100 * segment.tpa, *(_list(triples) for triples in segment.triples)]
        for segment in segments
    ]
    if rows:
        print_table("least agreement", ["segment", "TPA", *found.annotators], rows)


def _to_level(level: annotation.Level) -> dict[str, object]:
    return {
        "threshold": level.threshold,
        **_blank_undefined(level.scores),
        "mean_segment_tpa": level.mean_segment_tpa,
        "matched": level.matched,
        "interval": {name: level.intervals.get(name) for name in level.scores if level.intervals},
        "chance": level.chance and _blank_undefined(level.chance),
    }


def _blank_undefined(scores: Mapping[str, float]) -> dict[str, float | None]:
    """Return None for an undefined share: JSON has no NaN."""
    return {name: None if isnan(value) else value for name, value in scores.items()}


def _list(triples: Sequence[tuple[str, str, str]]) -> str:
    listed = "; ".join(" | ".join(part or "–" for part in triple) for triple in triples)
    return printable(listed) or "nothing"


def _of(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
