"""`aspectlab data`: read, describe, convert, clean, split and check data sets."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from aspectlab import data, readers
from aspectlab.cli import data_report
from aspectlab.cli.console import SafeConsole, notice, print_json, print_table, printable
from aspectlab.cli.options import is_same_file
from aspectlab.data import statistics
from aspectlab.errors import ConfigError
from aspectlab.reports import corpus as data_card

app = typer.Typer(
    help="Read, describe, convert, clean, split and check data sets.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

_COLOURS = {"positive": "green", "negative": "red", "neutral": "yellow", "conflict": "magenta"}

Input = Annotated[Path, typer.Argument(help="Data set in any known format.", show_default=False)]
Output = Annotated[Path, typer.Argument(help="Output file.", show_default=False)]
From = Annotated[
    str | None, typer.Option("--from", help="Input format (detected from the content by default).")
]
To = Annotated[str | None, typer.Option("--to", help="Output format (default: from the suffix of OUT).")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Transcripts = Annotated[
    Path | None, typer.Option(help="Transcripts of MuSe-CarASTE, which come in a separate file.")
]

EachTranscripts = Annotated[
    list[Path] | None,
    typer.Option(
        help="Transcripts of MuSe-CarASTE: one file for all FILES, or one for each in the same order."
    ),
]


@app.command("formats")
def list_formats(as_json: Json = False) -> None:
    """List the formats that can be read and written.

    Example: `aspectlab data formats`
    """
    rows = [
        (name, readers.READERS[name].title, readers.READERS[name].write is not None)
        for name in readers.READERS
    ]
    if as_json:
        print_json([{"format": name, "title": title, "writable": can} for name, title, can in rows])
        return
    print_table(
        "", ["format", "files", "write"], [(name, title, "yes" if can else "") for name, title, can in rows]
    )


@app.command()
def show(
    file: Input,
    number: Annotated[int, typer.Option(min=1, help="Number of examples.")] = 5,
    source_format: From = None,
    transcripts: Transcripts = None,
) -> None:
    """Show the first examples with their aspects and opinions marked.

    Aspects are coloured by polarity, opinions underlined; the quads follow below.

    Example: `aspectlab data show reviews.jsonl --number 3`
    """
    corpus = _read(file, source_format, transcripts)
    # a pipe has no width: never fold a text that goes to a file
    console = SafeConsole(soft_wrap=not sys.stdout.isatty(), highlight=False, emoji=False)
    for example in corpus.examples[:number]:
        console.print(_mark(example))
        for quad in example.quads:
            console.print(f"    {printable(_name(quad))}", markup=False)
    notice(f"{min(number, len(corpus)):,} of {len(corpus):,} examples of {data_report.identify(corpus)}")


@app.command()
def stats(
    files: Annotated[list[Path], typer.Argument(help="Data sets in any known format.", show_default=False)],
    as_json: Json = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Describe the file as is, including duplicates.")
    ] = False,
    total: Annotated[bool, typer.Option("--total", help="Add a row for all files together.")] = False,
    source_format: From = None,
    transcripts: EachTranscripts = None,
    plots: Annotated[
        Path | None, typer.Option(help="Output folder for a data card of all files, with plots.")
    ] = None,
) -> None:
    """Count sentences, aspects, polarities and triplets.

    Duplicate sentences count once and conflict is counted separately, except with --raw. JSON has more:
    lengths, vocabulary, mixed polarities within a sentence, and properties of the triplets. --plots
    writes card.html, card.json, and plots as SVG and, with resvg-py, PNG.

    Example: `aspectlab data stats train.xml test.xml --total --plots card`
    """
    texts = _one_each(files, transcripts or [])
    corpora = [_read(file, source_format, text) for file, text in zip(files, texts, strict=True)]
    described = [statistics.describe(corpus, raw=raw) for corpus in corpora]
    if total:
        described.append(replace(statistics.describe(*corpora, raw=raw), file="total"))
    if plots is not None:
        _write_card(plots, corpora, raw=raw)
    if as_json:
        print_json([found.to_dict() for found in described])
    else:
        data_report.print_statistics(described)


@app.command()
def convert(
    file: Input,
    out: Output,
    source_format: From = None,
    target_format: To = None,
    transcripts: Transcripts = None,
) -> None:
    """Write a data set in another format.

    Example: `aspectlab data convert train.xml train.jsonl`
    """
    _refuse_same(file, [out])
    target = target_format or readers.format_of(out, "name the format with --to")
    corpus = _read(file, source_format, transcripts)
    readers.write(corpus, out, target)
    _report_losses(corpus, out, target)
    notice(f"{out}: {len(corpus):,} examples written as {target}")


@app.command()
def clean(
    file: Input,
    out: Output,
    source_format: From = None,
    target_format: To = None,
    keep_duplicates: Annotated[
        bool, typer.Option("--keep-duplicates", help="Keep duplicate sentences.")
    ] = False,
    keep_conflict: Annotated[
        bool, typer.Option("--keep-conflict", help="Keep labels with polarity conflict.")
    ] = False,
    drop_implicit: Annotated[
        bool, typer.Option("--drop-implicit", help="Drop quads with a term that is not in the text.")
    ] = False,
    join_records: Annotated[
        bool, typer.Option("--merge", help="Merge records with the same text into one example.")
    ] = False,
    transcripts: Transcripts = None,
    as_json: Json = False,
) -> None:
    """Remove duplicate sentences and conflict labels, and report the changes.

    Sentences are compared verbatim; the first with labels is kept, or else the first. A file with one record
    per aspect loses only records that repeat text and label; --merge joins its records by sentence.

    Example: `aspectlab data clean train.xml train.jsonl`
    """
    _refuse_same(file, [out])
    target = target_format or readers.format_of(out, "name the format with --to")
    corpus = _read(file, source_format, transcripts)
    cleaned, changes = data.clean(
        corpus,
        join_records=join_records,
        keep_duplicates=keep_duplicates,
        keep_conflict=keep_conflict,
        drop_implicit=drop_implicit,
    )
    readers.write(cleaned, out, target)
    _report_losses(cleaned, out, target)
    if as_json:
        report = {"file": str(file), "out": str(out), "examples": len(corpus), "examples_kept": len(cleaned)}
        changed = [asdict(change) for change in changes]
        print_json({**report, "changes": changed, "notes": list(corpus.provenance.notes)})
    else:
        data_report.print_changes(corpus, cleaned, changes)


@app.command()
def split(
    file: Input,
    out: Annotated[Path, typer.Option(help="Output folder for split-1.json, split-2.json and so on.")],
    splits: Annotated[int, typer.Option(help="Number of independent splits.")] = 5,
    dev: Annotated[float, typer.Option(help="Share of examples in dev.")] = 0.1,
    seed: Annotated[int, typer.Option(help="Random seed (splits do not depend on the machine).")] = 1,
    texts: Annotated[
        bool, typer.Option("--texts", help="Also write split-1-train.jsonl, split-1-dev.jsonl and so on.")
    ] = False,
    replace_earlier: Annotated[
        bool,
        typer.Option("--replace", help="Delete leftover files of an earlier split in --out."),
    ] = False,
    source_format: From = None,
    transcripts: Transcripts = None,
    as_json: Json = False,
) -> None:
    """Split a training set into train and dev several times, as lists of ids.

    Identical texts stay on one side. Each file identifies the corpus by its content hash. With --texts, the
    two parts of each split are written as well, for commands that take files.

    Example: `aspectlab data split train.jsonl --splits 5 --dev 0.1 --seed 1 --out splits`
    """
    corpus = _read(file, source_format, transcripts)
    parts = data.split(corpus, splits=splits, dev=dev, seed=seed)
    leftovers = data.find_leftovers(out, splits, texts=texts)
    if not replace_earlier:
        _refuse_leftovers(out, leftovers)
    _refuse_same(file, [*leftovers, *data.list_files(out, splits, texts=texts)])
    paths = data.write_splits(parts, out)
    for path, part in zip(paths, parts, strict=True) if texts else ():
        for name, chosen in zip(("train", "dev"), data.apply_split(corpus, part), strict=True):
            readers.write(chosen, path.with_name(f"{path.stem}-{name}.jsonl"), "jsonl")
    for path in leftovers:  # last: a split that cannot be written must not cost the earlier one
        path.unlink()
    rows = [(str(path), len(part.train), len(part.dev)) for path, part in zip(paths, parts, strict=True)]
    if as_json:
        print_json([{"file": path, "train": train, "dev": dev} for path, train, dev in rows])
    else:
        print_table(f"{corpus.name}: {len(corpus):,} examples", ["file", "train", "dev"], rows)


def _refuse_leftovers(out: Path, leftovers: Sequence[Path]) -> None:
    if leftovers:
        names = ", ".join(path.name for path in leftovers[:3]) + (", …" if len(leftovers) > 3 else "")
        raise ConfigError(
            f"{out}: holds {names} of an earlier split: expected none that this one would leave there; "
            "choose another --out, or add --replace to delete them"
        )


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="Data set, or training set.", show_default=False)],
    test: Annotated[
        Path | None, typer.Argument(help="Test set to compare with it.", show_default=False)
    ] = None,
    source_format: From = None,
    transcripts: EachTranscripts = None,
    as_json: Json = False,
) -> None:
    """Validate a data set; given a test set too, look for texts leaked from the training set.

    Exits with 1 if a text has contradicting labels, or a test text occurs verbatim in the training set.
    Repairs on reading, duplicates and near duplicates are reported but do not fail the check.

    Example: `aspectlab data check train.xml test.xml`
    """
    files = [file] if test is None else [file, test]
    texts = _one_each(files, transcripts or [])
    corpus = _read(file, source_format, texts[0], quiet=True)
    if test is None:
        found = statistics.check_consistency(corpus)
        failed = bool(found.contradictions)
        record = {"file": str(file), "format": corpus.provenance.format, **asdict(found), "ok": not failed}
        print_json(record) if as_json else data_report.print_consistency(corpus, found)
    else:
        shared = data.overlap(corpus, _read(test, source_format, texts[1], quiet=True))
        failed = bool(shared.exact)
        record = {"train": str(file), "test": str(test), **asdict(shared), "ok": not failed}
        print_json(record) if as_json else data_report.print_overlap(shared)
    if failed:
        raise typer.Exit(1)


def _read(
    file: Path, source_format: str | None, transcripts: Path | None = None, *, quiet: bool = False
) -> data.Corpus:
    options = {"transcripts": str(transcripts)} if transcripts else {}
    corpus = readers.read(file, source_format, **options)
    if corpus.provenance.notes and not quiet:
        named = {"--from": source_format, "--transcripts": transcripts}
        chosen = [word for key, value in named.items() if value for word in (key, str(value))]
        command = shlex.join(["aspectlab", "data", "check", str(file), *chosen])
        notice(f"{file}: notes on reading: {len(corpus.provenance.notes):,}; see: {command}")
    return corpus


def _report_losses(corpus: data.Corpus, out: Path, target: str) -> None:
    if losses := readers.find_losses(corpus, target):
        notice(f"{out}: not kept in {target}: {', '.join(losses)}; jsonl keeps them")


def _refuse_same(file: Path, written: Iterable[Path]) -> None:
    """Refuse to write over the input: what is left out on the way could not be had again."""
    for path in written:
        if str(path) == "-":
            raise ConfigError("OUT = '-': expected the name of a file; for the standard output: /dev/stdout")
        if is_same_file(path, file):
            raise ConfigError(
                f"{path}: is the input itself: expected another path for the output; choose one"
            )


def _write_card(folder: Path, corpora: Sequence[data.Corpus], *, raw: bool) -> None:
    written, absent = data_card.write_card(folder, corpora, raw=raw)
    for reason in absent:
        notice(f"left out: {reason}")
    if others := data_card.find_others(folder, written):
        notice(
            f"{folder}: holds pictures that are not of this card: {', '.join(path.name for path in others)}"
        )
    notice(f"wrote {len(written)} files to {folder}; open {folder / 'card.html'} in a browser")


def _one_each(files: Sequence[Path], transcripts: Sequence[Path]) -> Sequence[Path | None]:
    if len(transcripts) > 1 and len(transcripts) != len(files):
        raise ConfigError(
            f"--transcripts: found {len(transcripts)} for {len(files)} files: expected one, or one for each"
        )
    return transcripts if len(transcripts) == len(files) else [*transcripts, None][:1] * len(files)


def _mark(example: data.Example) -> Text:
    marked = Text(printable(example.text, keep="\n\t"))
    for quad in example.quads:
        if quad.opinion is not None and quad.opinion.span is not None:
            marked.stylize("underline", *quad.opinion.span)
        if quad.aspect is not None and quad.aspect.span is not None:
            marked.stylize(f"bold {_COLOURS.get(quad.polarity or '', 'cyan')}", *quad.aspect.span)
    return Text.assemble((f"{printable(example.id)}  ", "dim"), marked)


def _name(quad: data.Quad) -> str:
    aspect = quad.aspect.text if quad.aspect else None
    opinion = quad.opinion.text if quad.opinion else None
    return " | ".join(part or "–" for part in (aspect, quad.category, opinion, quad.polarity))
