"""`aspectlab analyze`: what reviews praise and blame, with the evidence."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli.console import bar, notice, print_json, print_table, printable
from aspectlab.cli.engines import Place, check_runtime, parse_engine
from aspectlab.cli.options import refuse_unwritable

if TYPE_CHECKING:
    from aspectlab.analysis import Aggregate, Category, Prepared, Settings
    from aspectlab.runtime import Predictor

_REPORT = "report.html"
_BAR_WIDTH = 24
_TOP = 15
_SHOWN_FILES = 5
_LINE_EVERY_S = 30.0

Column = Annotated[str | None, typer.Option(help="Its name; found if not given, '' for none.")]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What an analysis gave, and how fast."""

    aggregate: Aggregate
    out: Path
    seconds: float
    rate: float | None
    resumed: bool
    report: Path


def analyze(
    files: Annotated[list[Path], typer.Argument(help="csv, tsv, jsonl, parquet, xlsx or txt, or folders.")],
    out: Annotated[Path | None, typer.Option(help="The folder to write; NAME-analysis if not given.")] = None,
    text_column: Annotated[str | None, typer.Option(help="Its name; found if not given.")] = None,
    id_column: Column = None,
    group_by: Annotated[str | None, typer.Option(help="The column to compare by, '' for none.")] = None,
    date_column: Column = None,
    rating_column: Column = None,
    aspects: Annotated[str | None, typer.Option(help="Fixed categories: food,service,price")] = None,
    model: Annotated[str | None, typer.Option(help="A folder that `aspectlab export` wrote.")] = None,
    engine: Annotated[str, typer.Option(help="Where to work: local, ray or ray:ADDRESS.")] = "local",
    runtime: Annotated[str, typer.Option(help="What runs the model: auto, openvino or torch.")] = "auto",
    threads: Annotated[int | None, typer.Option(min=1, help="Cores to use; all if not given.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Analyse only the first reviews.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Of text files; recognised if not given.")] = None,
    split: Annotated[bool, typer.Option(help="Split reviews into sentences.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Find what reviews praise and blame; writes opinions.csv, opinions.parquet and report.html.

    Columns are found by name and content. Broken rows are reported and skipped. Interrupted, the same
    command goes on where it stopped. Nothing leaves this machine, or the cluster that it is given.

    Example: `aspectlab analyze reviews.csv --group-by product`
    """
    from aspectlab.analysis import Settings
    from aspectlab.readers import ReviewOptions

    place = parse_engine(engine, threads)
    check_runtime(runtime)
    columns = text_column, id_column, group_by, date_column, rating_column
    settings = Settings(
        reading=ReviewOptions(*columns, encoding=encoding, limit=limit),
        aspects=tuple(name.strip() for name in (aspects or "").split(",") if name.strip()),
        split=split,
    )
    folder = out or _default_folder(files[0])
    outcome = _run(files, folder, settings, Loader(model, runtime, threads), place)
    if as_json:
        print_json(_as_record(outcome))
    else:
        _print_summary(outcome)


def open_predictor(model: str | None, runtime: str, threads: int | None) -> Predictor:
    """Load the model; the shipped one where none is named."""
    from aspectlab.runtime import load_predictor

    return load_predictor(model, engine=runtime, threads=threads)


@dataclass(frozen=True, slots=True)
class Loader:
    """Opens a model; unlike a function with its values, it can be sent to other machines and compared."""

    model: str | None
    runtime: str
    threads: int | None

    def __call__(self) -> Predictor:
        """Open it."""
        return open_predictor(self.model, self.runtime, self.threads)

    def for_worker(self) -> Loader:
        """Give the loader of a worker, which has one core, and perhaps another current folder."""
        model = self.model and str(Path(self.model).absolute())
        return replace(self, model=model, threads=1)


def _default_folder(file: Path) -> Path:
    """Name a folder in the current one after the first file or folder."""
    name = file.resolve().name if file.is_dir() else file.stem
    # a name in an old encoding cannot be that of a folder with tables
    return Path(f"{printable(name)}-analysis")


def _run(files: list[Path], out: Path, settings: Settings, load: Loader, place: Place) -> _Outcome:
    from aspectlab.analysis import prepare, refuse_foreign_folder
    from aspectlab.locking import lock_directory

    refuse_unwritable(out)
    began = time.monotonic()
    prepared = prepare(files, settings)
    if load.model is not None:
        # the warning is about the shipped model: another one may know the language
        prepared.survey.warning = None
    refuse_foreign_folder(out, prepared.reviews.paths)
    for message in (*_describe_columns(prepared), *prepared.notices):
        # the names of files in a folder may come from others, as an archive does
        notice(printable(message))
    with lock_directory(out, holder="another analysis"):
        aggregate, rate, resumed = _work(prepared, out, load, place)
        report = _write_report(aggregate, out)
    return _Outcome(aggregate, out, time.monotonic() - began, rate, resumed, report)


def _work(prepared: Prepared, out: Path, load: Loader, place: Place) -> tuple[Aggregate, float | None, bool]:
    """Do what the folder lacks; gives the aggregate, the rate, and whether some was done before."""
    from aspectlab.analysis import can_resume, extract, finish, load_finished

    predictor = load()
    finished = load_finished(prepared, predictor, out)
    if finished:
        notice(f"{out}: this analysis is complete already")
        return finished, None, False
    resumed = can_resume(prepared, predictor, out)
    if resumed:
        notice(f"{out}: going on where the work stopped")
    with _watch(prepared.survey.tally.reviews, out) as watch:
        with place.open(load.for_worker(), predictor.identity, split=prepared.settings.split) as work:
            extracted = extract(prepared, predictor, out, watch.report, work)
        # the memory of the model serves for the tables
        del predictor
        return finish(extracted), watch.rate, resumed


def _describe_columns(prepared: Prepared) -> Iterator[str]:
    """Say which columns are used, once for files that have the same."""
    seen: dict[str, list[Path]] = {}
    for file in prepared.reviews.files:
        used = ", ".join(f"{role}: {name!r}" for role, name in file.describe().items())
        seen.setdefault(used, []).append(file.table.path)
    for used, paths in list(seen.items())[:_SHOWN_FILES]:
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        yield f"{paths[0]}{more}: columns: {used}"


class _Watch:
    """Shows how far the work is, how fast it goes, and how long it will take."""

    def __init__(self, total: int, advance: Callable[[float, str], None], is_seen: bool) -> None:
        self._total = total
        self._advance = advance
        self._is_seen = is_seen
        self._began: tuple[float, int] | None = None
        self._said = time.monotonic()
        self.rate: float | None = None

    def report(self, reviews: int, sentences: int) -> None:
        """Take the state of the work; what was there at the first call was done earlier."""
        now = time.monotonic()
        if self._began is None:
            self._began = now, sentences
        elif now > self._began[0]:
            self.rate = (sentences - self._began[1]) / (now - self._began[0])
        speed = f"  {self.rate:,.0f} sentences/s" if self.rate else ""
        text = f"{reviews:,} of {self._total:,} reviews{speed}"
        self._advance(reviews, text)
        if not self._is_seen and now - self._said > _LINE_EVERY_S:
            self._said = now
            notice(text)


@contextmanager
def _watch(total: int, out: Path) -> Iterator[_Watch]:
    try:
        with bar(total) as (advance, is_terminal):
            yield _Watch(total, advance, is_terminal)
    except KeyboardInterrupt:
        notice(f"{out}: what is done is kept: run the same command again to go on")
        raise


def _write_report(aggregate: Aggregate, out: Path) -> Path:
    from aspectlab.analysis import write_opinion_report

    path = out / _REPORT
    write_opinion_report(aggregate, path)
    return path


def _print_summary(outcome: _Outcome) -> None:
    from aspectlab.reports import format_count

    categories, totals = outcome.aggregate.categories, outcome.aggregate.totals
    reviews = format_count(totals.reviews, "review")
    shown = categories[:_TOP]
    # what fits nowhere comes last, is often the most, and would make the bars of all others short
    largest = max((each.counts.total for each in shown), default=1)
    rows = [
        (printable(each.name), each.counts.positive, each.counts.negative, _draw(each, largest))
        for each in shown
    ]
    title = f"{printable(outcome.aggregate.title)}: praise and blame in {reviews}"
    print_table(title, ["aspect", "positive", "negative", "█ positive  ░ negative"], rows)
    if len(categories) > _TOP:
        print(f"… and {len(categories) - _TOP} more")
    rate = f", {outcome.rate:,.0f} sentences/s" if outcome.rate else ""
    print(
        f"{reviews}, {format_count(totals.sentences, 'sentence')}, "
        f"{format_count(totals.opinions, 'opinion')} "
        f"in {outcome.seconds:.1f} s{rate}"
    )
    print(outcome.report)


def _draw(category: Category, largest: int) -> str:
    """Draw a bar; what is there at all gets at least one mark."""
    counts = category.counts
    return "".join(
        mark * (max(1, round(_BAR_WIDTH * number / largest)) if number else 0)
        for mark, number in (("█", counts.positive), ("░", counts.negative))
    )


def _as_record(outcome: _Outcome) -> dict[str, object]:
    from dataclasses import asdict

    from aspectlab.analysis import CSV, PARQUET

    aggregate = outcome.aggregate
    return {
        **asdict(aggregate.totals),
        "seconds": round(outcome.seconds, 3),
        "sentences_per_second": outcome.rate and round(outcome.rate, 1),
        "resumed": outcome.resumed,
        "categories": [{"name": each.name, **asdict(each.counts)} for each in aggregate.categories],
        "csv": str(outcome.out / CSV),
        "parquet": str(outcome.out / PARQUET),
        "report": str(outcome.report),
        "notices": list(aggregate.notices),
    }
