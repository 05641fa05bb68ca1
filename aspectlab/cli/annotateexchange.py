"""`aspectlab annotate prelabel`, `export` and `import`: labels to begin with, and annotation tools."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli.console import notice, print_json, print_table, printable
from aspectlab.cli.progress import bar
from aspectlab.cli.settings import refuse_unwritable_file, refuse_unwritable_inside
from aspectlab.errors import ConfigError

if TYPE_CHECKING:
    from aspectlab.annotation import Handed
    from aspectlab.data import Corpus, Example

_TOOLS = ("label-studio", "doccano")
_SHOWN = 10
_LOOKED_AT = 600
_UNFIT = re.compile(r"[^\w.@+-]")

AsJson = Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")]


def prelabel(
    file: Annotated[
        Path, typer.Argument(help="A data set in any known format; its labels are not looked at.")
    ],
    out: Annotated[Path, typer.Option(help="The labelled segments, as canonical JSONL.")],
    model: Annotated[
        str | None,
        typer.Option(help="A triplet model that `train` or `export` wrote; the shipped one if not."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Label segments with what a model finds, with its confidence, for annotators to begin with.

    Segments in which nothing is found stay, without opinions. Topics stay too.

    Example: `aspectlab annotate prelabel sample.jsonl --out prelabelled.jsonl`
    """
    from dataclasses import replace

    from aspectlab.annotation import prelabel as label
    from aspectlab.data import annotated_parts
    from aspectlab.insight.languages import check_language
    from aspectlab.insight.segments import predict_segments
    from aspectlab.readers import read, write
    from aspectlab.readers.answers import TRIPLET
    from aspectlab.runtime import load_predictor

    refuse_unwritable_file(out, inputs=[file], kind="JSONL")
    corpus = read(file)
    if model is None and (warning := check_language(each.text for each in corpus.examples[:_LOOKED_AT])):
        notice(warning)
    predictor = load_predictor(model)
    labelled = label(corpus, lambda texts: predict_segments(predictor, texts))
    found = corpus.with_examples(_watch(labelled, len(corpus)))
    found = replace(found, annotates=TRIPLET | annotated_parts(found))
    write(found, out, "jsonl")
    counts = count_opinions(found)
    notice(
        f"{out}: {counts['opinions']:,} opinions; {counts['empty']:,} of {len(found):,} segments have none"
    )
    if as_json:
        print_json({"out": str(out), "model": predictor.identity, **counts})


def export(
    file: Annotated[Path, typer.Argument(help="A data set in any known format.")],
    out: Annotated[Path, typer.Option(help="A folder for Label Studio, a JSONL file for doccano.")],
    format: Annotated[str, typer.Option(help="label-studio or doccano.")] = "label-studio",
    as_json: AsJson = False,
) -> None:
    """Write a project for an annotation tool; labels that are there become predictions to correct.

    For Label Studio: config.xml, tasks.json, and instructions.html with the annotation guidelines.

    Example: `aspectlab annotate export prelabelled.jsonl --out project`
    """
    from aspectlab.annotation import write_label_studio
    from aspectlab.annotation.projects import FILES
    from aspectlab.readers import read, write

    _check_tool(format)
    if format == "doccano":
        refuse_unwritable_file(out, inputs=[file], kind="JSONL")
    else:
        refuse_unwritable_inside(out, FILES, inputs=[file])
    corpus = read(file)
    if format == "doccano":
        write(corpus, out, format)
        paths: tuple[Path, ...] = (out,)
        notice("doccano: make a project for sequence labelling, with relations and overlapping entities")
    else:
        paths = write_label_studio(corpus, out)
        notice("Label Studio: paste config.xml under Labeling Setup > Code, instructions.html under General")
    counts = count_opinions(corpus)
    notice(f"{out}: {counts['segments']:,} segments, {counts['opinions']:,} opinions to begin with")
    if as_json:
        print_json({"files": list(map(str, paths)), **counts})


def import_(
    file: Annotated[Path, typer.Argument(help="Label Studio's JSON export, or doccano's JSONL.")],
    out: Annotated[Path, typer.Option(help="The annotated segments, as canonical JSONL.")],
    annotator: Annotated[
        str | None, typer.Option(help="Take this person's annotations only; for doccano, who it was.")
    ] = None,
    split_by_annotator: Annotated[
        bool, typer.Option("--split-by-annotator", help="Write one file a person: OUT-ID.jsonl.")
    ] = False,
    format: Annotated[
        str | None, typer.Option("--from", help="label-studio or doccano, if not found.")
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out and count what is wrong, instead of refusing it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read back what annotators handed in, one data set each, ready for `annotate agreement`.

    Unknown labels, broken relations, offsets that do not fit, and segments that one person annotated twice
    are named and refused; with --skip-bad they are counted and left out. Skipped segments are counted.

    Example: `aspectlab annotate import export.json --split-by-annotator --out annotated.jsonl`
    """
    from aspectlab.annotation import read_handed
    from aspectlab.readers import write

    if annotator is not None and split_by_annotator:
        raise ConfigError("--annotator takes one person, --split-by-annotator all: expected one of the two")
    if format is not None:
        _check_tool(format)
    handed = read_handed(file, format=format, annotator=annotator, skip_bad=skip_bad)
    paths = _name_files(file, out, handed, split=split_by_annotator)
    for path in paths.values():
        refuse_unwritable_file(path, inputs=[file], kind="JSONL")
    for name, path in paths.items():
        write(handed.corpora[name], path, "jsonl")
        notice(f"{path}: {len(handed.corpora[name]):,} segments")
    record = _to_record(handed, paths)
    if as_json:
        print_json(record)
    else:
        _print(handed, paths)


def count_opinions(corpus: Corpus) -> dict[str, int]:
    """Count segments, those without an opinion, and opinions; a topic alone is none."""
    from aspectlab.data.statistics.counting import is_empty
    from aspectlab.readers.answers import TRIPLET

    filled = [sum(not is_empty(quad, TRIPLET) for quad in example.quads) for example in corpus]
    return {"segments": len(filled), "empty": filled.count(0), "opinions": sum(filled)}


def _watch(examples: Iterator[Example], total: int) -> Iterator[Example]:
    with bar(total) as (advance, _):
        for number, example in enumerate(examples, start=1):
            advance(number, f"{number:,} of {total:,} segments")
            yield example


def _check_tool(format: str) -> None:
    from aspectlab.registry import suggest

    if format not in _TOOLS:
        raise ConfigError(f"format {format!r} is unknown: {suggest(format, _TOOLS)}")


def _name_files(file: Path, out: Path, handed: Handed, *, split: bool) -> dict[str, Path]:
    names = list(handed.corpora)
    if not names:
        raise ConfigError(f"{file}: nobody has annotated anything: expected annotations; export them as JSON")
    if not any(map(len, handed.corpora.values())):
        raise ConfigError(
            f"{file}: {len(handed.findings)} finding(s), and no segment is left; first: "
            f"{handed.findings[0]}: expected at least one segment; mend them in the tool"
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
            f"{file}: two annotators would be written to {shared[0]}: take one with --annotator ID"
        )
    return paths


def _to_record(handed: Handed, paths: dict[str, Path]) -> dict[str, object]:
    from dataclasses import asdict

    from aspectlab.annotation import count_faults

    people = {
        name: {"out": str(path), **count_opinions(handed.corpora[name]), "unmarked": handed.unmarked[name]}
        for name, path in paths.items()
    }
    return {
        "annotators": people,
        "left_out": {state.value: count for state, count in handed.left_out.items()},
        "excluded": {
            "counts": count_faults(handed.findings),
            "findings": [asdict(finding) for finding in handed.findings],
        },
    }


def _print(handed: Handed, paths: dict[str, Path]) -> None:
    from aspectlab.annotation import count_faults

    rows = []
    for name, path in paths.items():
        counts = count_opinions(handed.corpora[name])
        rows.append([printable(name), *counts.values(), handed.unmarked[name], str(path)])
    print_table("", ["annotator", "segments", "empty", "opinions", "nothing marked", "file"], rows)
    for state, count in handed.left_out.items():
        print(f"left out: {count:,} {state}")
    for fault, count in count_faults(handed.findings).items():
        print(f"left out: {count:,} {fault}")
    for finding in handed.findings[:_SHOWN]:
        print(f"  {printable(str(finding))}")
