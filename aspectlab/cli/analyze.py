"""`aspectlab analyze`: what reviews praise and blame, with the evidence."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import analysis, cluster, language as languages, readers, reports, runtime as runtimes
from aspectlab.cli import llm
from aspectlab.cli.console import bar, notice, print_json, print_table, print_text, printable
from aspectlab.errors import ConfigError
from aspectlab.outputs import refuse_unwritable
from aspectlab.progress import Progress

_BAR_WIDTH = 24
_TOP = 15
_LINE_EVERY_S = 30.0
_STDIN = Path("-")

Column = Annotated[str | None, typer.Option(help="Column name (detected by default; '' disables).")]

TaxonomyFile = Annotated[str | None, typer.Option(help="File of categories (see `aspectlab taxonomy`).")]

Probability = Annotated[float, typer.Option(min=0, max=1, help="Leave out opinions less probable than this.")]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What an analysis gave, where it is, and how fast it was."""

    analysis: analysis.Analysis
    out: Path
    seconds: float
    rate: float | None


def analyze(
    files: Annotated[list[Path], typer.Argument(help="csv, tsv, json, parquet, xlsx, xls, ods, txt; -.")],
    out: Annotated[Path | None, typer.Option(help="Output folder (default: NAME-analysis).")] = None,
    text_column: Annotated[list[str] | None, typer.Option(help="Column name; repeat for several.")] = None,
    id_column: Column = None,
    group_by: Annotated[list[str] | None, typer.Option(help="Column of groups; repeat for several.")] = None,
    date_column: Column = None,
    rating_column: Column = None,
    aspects: Annotated[str | None, typer.Option(help="Aspect categories: food,service,price")] = None,
    taxonomy: TaxonomyFile = None,
    min_probability: Probability = 0.0,
    model: Annotated[str | None, typer.Option(help="Folder of a model, or llm:NAME@URL.")] = None,
    predictions: Annotated[Path | None, typer.Option(help="Opinions found by another program.")] = None,
    style: Annotated[str, typer.Option(help="Annotation style, for a model that knows several.")] = "house",
    engine: Annotated[str, typer.Option(help="Execution engine: local, ray or ray:ADDRESS.")] = "local",
    runtime: Annotated[str, typer.Option(help="Inference backend: auto, openvino or torch.")] = "auto",
    threads: Annotated[int | None, typer.Option(min=1, help="CPU cores to use (default: all).")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Analyse only the first N reviews.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of text (detected by default).")] = None,
    sheet: Annotated[str | None, typer.Option(help="Sheet of a workbook (detected by default).")] = None,
    language: Annotated[str | None, typer.Option(help="What the model knows (shipped one: en).")] = None,
    any_language: Annotated[bool, typer.Option("--any-language", help="Analyse all languages.")] = False,
    split: Annotated[bool, typer.Option(help="Split reviews into sentences.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Extract the opinions in reviews; write opinions.csv, opinions.parquet and report.html.

    Columns are detected by name and content. Invalid rows are reported and skipped. After an interruption,
    run the same command to resume. Reviews that are surely not English stand in the tables as "not analysed".
    No data leaves this machine, the cluster of --engine, or the URL of llm:NAME@URL. Opinions count for
    built-in and discovered categories, also "Way too expensive", which names no aspect; other --aspects or
    another --taxonomy take seconds, without the model.

    Example: `aspectlab analyze reviews.csv --group-by product --taxonomy taxonomy.toml`
    """
    columns = readers.ReviewOptions(
        text=text_column, id=id_column, group=group_by, date=date_column, rating=rating_column
    )
    settings = analysis.Settings(
        reading=replace(columns, encoding=encoding, limit=limit, sheet=sheet),
        aspects=_split_names(aspects),
        taxonomy=analysis.load_taxonomy(taxonomy) if taxonomy else None,
        split=split,
        language=_choose_language(language, any_language, model),
        min_probability=min_probability,
    )
    load = Loader(model, runtime, threads, style, predictions)
    folder = out or _default_folder(files[0])
    with _stored_input(files, folder) as stored:
        _show(_run(stored, folder, settings, load, engine), as_json)


def _show(outcome: _Outcome, as_json: bool) -> None:
    if as_json:
        print_json(_as_record(outcome))
    else:
        _print_summary(outcome)


def open_predictor(model: str | None, engine: str, threads: int | None, style: str) -> runtimes.Predictor:
    """Load the model; the shipped one where none is named."""
    return runtimes.load_predictor(model, engine=engine, threads=threads, style=style)


@dataclass(frozen=True, slots=True)
class Loader:
    """Opens a model; unlike a function with its values, it can be sent to other machines and compared."""

    model: str | None
    runtime: str
    threads: int | None
    style: str = "house"
    predictions: Path | None = None

    def __call__(self) -> runtimes.Predictor:
        """Open it."""
        if self.model and self.model.startswith(llm.PREFIX):
            vectors = open_predictor(None, self.runtime, self.threads, self.style)
            return llm.ChatPredictor(self.model.removeprefix(llm.PREFIX), vectors)
        model = open_predictor(self.model, self.runtime, self.threads, self.style)
        if self.predictions is None:
            return model
        return analysis.ImportedPredictor(readers.read(self.predictions), model)

    def check(self) -> None:
        """Refuse an unknown runtime before any work is done."""
        runtimes.check_runtime(self.runtime)

    def for_worker(self) -> Loader:
        """Return the loader of a worker, which has one core, and perhaps another current folder."""
        is_chat = self.model is not None and self.model.startswith(llm.PREFIX)
        model = self.model if is_chat else self.model and str(Path(self.model).absolute())
        predictions = self.predictions and self.predictions.absolute()
        return replace(self, model=model, predictions=predictions, threads=1)


def _choose_language(code: str | None, any_language: bool, model: str | None) -> str | None:
    """Return the language whose reviews are analysed; None for all: a model of one's own may know any."""
    if code is not None and any_language:
        raise ConfigError("--language and --any-language exclude each other; leave one out")
    if code is not None:
        return languages.check_language_code(code)
    return None if any_language or model is not None else "en"


def _split_names(names: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (names or "").split(",") if name.strip())


@contextmanager
def _stored_input(files: list[Path], folder: Path) -> Iterator[list[Path]]:
    """Store what comes from standard input (-) beside the folder: it is read several times, as files are.

    It stays after an interruption, so that the work can be resumed with the same input.
    """
    if _STDIN not in files:
        yield files
        return
    held = folder.absolute().with_name(f".{folder.name}-input")
    held.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = readers.store_stream(sys.stdin.buffer, held)
    yield [path if file == _STDIN else file for file in files]
    shutil.rmtree(held, ignore_errors=True)


def _default_folder(file: Path) -> Path:
    """Name a folder in the current one after the first file or folder."""
    if file == _STDIN:
        return Path("stdin-analysis")
    name = file.resolve().name if file.is_dir() else file.stem
    # a name in an old encoding cannot be that of a folder with tables
    return Path(f"{printable(name)}-analysis")


def _open_engine(engine: str, load: Loader) -> analysis.BlockEngine | None:
    """Return what processes the blocks, with one model a core; None stands for this process."""
    if engine == "local":
        return None
    if engine in {"auto", "openvino", "torch"}:
        raise ConfigError(f"--engine {engine!r}: expected local, ray or ray:ADDRESS; use --runtime {engine}")
    choice = cluster.parse_engine(engine)

    @contextmanager
    def join() -> Iterator[cluster.Cluster]:
        with cluster.connect(choice.address, cores=load.threads) as joined:
            notice(f"a Ray cluster of {joined.cores} cores")
            yield joined

    return analysis.cluster_engine(join, load.for_worker())


def _run(files: list[Path], out: Path, settings: analysis.Settings, load: Loader, engine: str) -> _Outcome:
    processor = _open_engine(engine, load)
    load.check()
    refuse_unwritable(out)
    began = time.monotonic()
    with _watch(out) as watch:
        done = analysis.analyze(
            files, load, out, settings, engine=processor, progress=watch.report, notify=_notify
        )
    return _Outcome(done, out, time.monotonic() - began, watch.rate)


def _notify(message: str) -> None:
    # the names of files in a folder may come from others, as an archive does
    notice(printable(message))


class _Watch:
    """Shows how far the work is, how fast it goes, and how long it will take."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._began: tuple[float, int] | None = None
        self.rate: float | None = None

    @property
    def has_begun(self) -> bool:
        """Whether blocks are processed, or were."""
        return self._began is not None

    def report(self, progress: Progress[analysis.BlockCounts]) -> None:
        """Show how far the work is; what was there at the first call was done earlier."""
        now = time.monotonic()
        if self._began is None:
            self._advance, self._is_seen = self._stack.enter_context(bar())
            self._began, self._said = (now, progress.detail.sentences), now
        elif now > self._began[0]:
            self.rate = (progress.detail.sentences - self._began[1]) / (now - self._began[0])
        speed = f"  {self.rate:,.0f} sentences/s" if self.rate else ""
        text = f"{progress.text}{speed}"
        self._advance(replace(progress, text=text))
        if not self._is_seen and now - self._said > _LINE_EVERY_S:
            self._said = now
            notice(text)


@contextmanager
def _watch(out: Path) -> Iterator[_Watch]:
    """Show a bar from the first report on, and say after an interruption how the work is resumed."""
    try:
        with ExitStack() as stack:
            watch = _Watch(stack)
            yield watch
    except KeyboardInterrupt:
        if watch.has_begun:
            notice(f"{out}: what is done is kept: run the same command again to go on")
        raise


def _print_summary(outcome: _Outcome) -> None:
    categories, totals = outcome.analysis.aggregate.categories, outcome.analysis.aggregate.totals
    reviews = reports.format_count(totals.reviews, "review")
    shown = categories[:_TOP]
    # what fits nowhere comes last, is often the most, and would make the bars of all others short
    largest = max((each.counts.total for each in shown), default=1)
    rows = [
        (printable(each.name), each.counts.positive, each.counts.negative, _draw(each, largest))
        for each in shown
    ]
    title = f"{printable(outcome.analysis.aggregate.title)}: praise and blame in {reviews}"
    print_table(title, ["aspect", "positive", "negative", "█ positive  ░ negative"], rows)
    if len(categories) > _TOP:
        print_text(f"… and {len(categories) - _TOP} more")
    rate = f", {outcome.rate:,.0f} sentences/s" if outcome.rate else ""
    print_text(
        f"{reviews}, {reports.format_count(totals.sentences, 'sentence')}, "
        f"{reports.format_count(totals.opinions, 'opinion')}{_describe_opinions(totals)} "
        f"in {outcome.seconds:.1f} s{rate}"
    )
    print_text(outcome.out / analysis.REPORT)


def _describe_opinions(totals: analysis.Totals) -> str:
    """Report how many opinions name no aspect, and how many were left out."""
    parts = {
        f"{totals.without_aspect:,} without a word for the aspect": totals.without_aspect,
        f"{reports.format_count(totals.left_out, 'less probable one')} left out": totals.left_out,
    }
    said = ", ".join(part for part, count in parts.items() if count)
    return f" ({said})" if said else ""


def _draw(category: analysis.Category, largest: int) -> str:
    """Draw a bar; what is there at all gets at least one mark."""
    counts = category.counts
    return "".join(
        mark * (max(1, round(_BAR_WIDTH * number / largest)) if number else 0)
        for mark, number in (("█", counts.positive), ("░", counts.negative))
    )


def _as_record(outcome: _Outcome) -> dict[str, object]:
    aggregate = outcome.analysis.aggregate
    return {
        **asdict(aggregate.totals),
        "seconds": round(outcome.seconds, 3),
        "sentences_per_second": outcome.rate and round(outcome.rate, 1),
        "resumed": outcome.analysis.resumed,
        "categories": [{"name": each.name, **asdict(each.counts)} for each in aggregate.categories],
        **{name: list(map(asdict, getattr(aggregate, name))) for name in ("groups", "months", "ratings")},
        "insights": asdict(aggregate.insights),
        "csv": str(outcome.out / readers.OPINIONS_CSV),
        "parquet": str(outcome.out / readers.OPINIONS_PARQUET),
        "report": str(outcome.out / analysis.REPORT),
        "notices": list(aggregate.notices),
    }
