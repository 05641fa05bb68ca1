"""What commands print: results to stdout, notices and progress to stderr.

All text goes through this module, and none of it drives a terminal: names, ids and messages come from files
of strangers, and a column may be called by the escape sequence that clears the screen.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.progress import BarColumn, Progress as LiveBar, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table

from aspectlab.progress import Progress, ProgressCallback

if TYPE_CHECKING:
    from aspectlab.metrics import Evaluation


_UNBOUNDED = 100_000
"""The width of a pipe, which has none: the cells of a result that goes to a file are never folded."""


_JOINERS = "\u200c\u200d"


def print_json(value: object) -> None:
    """Print a result for a program to read."""
    # only strings hold more than printable ASCII, and there any character may be written as an escape
    text = re.sub(r"[^\n -~]", _escape, json.dumps(value, ensure_ascii=False, indent=2))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        # a character that the terminal lacks
        text = json.dumps(value, indent=2)
    sys.stdout.write(text + "\n")


def _escape(found: re.Match[str]) -> str:
    return found[0] if _is_printable(found[0]) else json.dumps(found[0])[1:-1]


def print_text(text: object = "", *, end: str = "\n") -> None:
    """Print a line of a result for a person to read."""
    sys.stdout.write(printable(str(text), keep=_LAYOUT) + end)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a result for a person to read; numbers are set flush right.

    Where a terminal is so narrow that words would be cut, the columns become rows if that takes less room.
    """
    cells = [[printable(_format(value), keep="\n") for value in row] for row in rows]
    # neither markup nor emoji: an id such as "video:100:2" must come out as it is
    console = SafeConsole(width=None if sys.stdout.isatty() else _UNBOUNDED, markup=False, emoji=False)
    title, columns = printable(title), [printable(column) for column in columns]
    table = _build(title, columns, cells)
    if cells and sys.stdout.isatty() and _least_width(console, table) > console.width:
        turned = _build(title, *_turn(columns, cells))
        table = min(table, turned, key=lambda either: _least_width(console, either))
    console.print(table)


def _build(title: str, columns: Sequence[str], cells: Sequence[Sequence[str]]) -> Table:
    table = Table(title=title or None, title_justify="left")
    for index, column in enumerate(columns):
        numeric = all(_is_number(row[index]) for row in cells)
        table.add_column(column, justify="right" if numeric and cells else "left", overflow="fold")
    for row in cells:
        table.add_row(*row)
    return table


def _turn(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Make rows of the columns: the first cells are the heading."""
    first, *others = zip(columns, *cells, strict=True)
    return list(first), [list(row) for row in others]


def _least_width(console: Console, table: Table) -> int:
    """Return the width below which words of a table are cut."""
    return Measurement.get(console, console.options.update(width=_UNBOUNDED), table).minimum


def notice(message: str) -> None:
    """Write a message to stderr that is not a result."""
    sys.stderr.write(printable(message, keep=_LAYOUT) + "\n")


class SafeConsole(Console):
    """A console of rich that writes the control codes of rich, and none that a text brings along."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Return the segments of anything that is shown, on the way from the text to the terminal."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(printable(segment.text, keep=_LAYOUT), segment.style)


_LAYOUT = "\n\t"
"""Characters that set a text and cannot do more."""


def printable(text: str, *, keep: str = "") -> str:
    r"""Replace, one for one, what cannot be printed, but for the characters to `keep`.

    >>> printable("\x1b[31mred")
    '\ufffd[31mred'
    """
    if text.isprintable():
        return text
    return "".join(char if char in keep or _is_printable(char) else "\ufffd" for char in text)


def _is_printable(char: str) -> bool:
    # Python counts blanks other than the common one and joiners of letters and emoji as not printable
    return char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs"


def _format(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _is_number(cell: str) -> bool:
    return cell == "–" or cell.replace(",", "").replace(".", "").removeprefix("-").isdigit()


_PLAIN = {
    "█": "#",
    "░": ".",
    "–": "-",
    "−": "-",
    "×": "x",
    "·": ".",
    "≈": "~",
    "→": ">",
    "↑": "^",
    "↓": "v",
    "±": "+-",
    "…": "...",
}
"""What stands for a sign that we print ourselves, of one width where that can be: columns stay straight."""

_ERRORS = "aspectlab.plain"


def prepare_streams() -> None:
    """Make every print succeed, whatever the state of the streams and whatever is printed."""
    _open_closed()
    codecs.register_error(_ERRORS, _replace)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # a file name or an id may hold half a character, which no encoding has
            stream.reconfigure(errors=_ERRORS)


def _open_closed() -> None:
    """Send to nowhere what goes to a closed stream.

    A file that is opened gets the lowest free number: without this, one of ours would be the new stdout.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    sys.stdout = _or_nowhere(sys.stdout, 1)
    sys.stderr = _or_nowhere(sys.stderr, 2)


def _or_nowhere(stream: TextIO | None, number: int) -> TextIO:
    # Python has None for what was closed when it began
    return os.fdopen(number, "w", encoding="utf-8") if stream is None else stream


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Return ASCII for what an encoding lacks: a lookalike for our own signs, an escape for all others."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    likeness = "".join(_PLAIN.get(sign, sign) for sign in lacking)
    return likeness.encode("ascii", "backslashreplace").decode("ascii"), error.end


@contextmanager
def bar() -> Iterator[tuple[ProgressCallback[object], bool]]:
    """Show a bar with a text and the time left; gives what moves it, and whether anyone sees it."""
    console = SafeConsole(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with LiveBar(*columns, console=console, transient=True, disable=not console.is_terminal) as live:
        task = live.add_task("preparing", total=1.0)

        def advance(progress: Progress[object]) -> None:
            live.update(task, completed=progress.share, description=progress.text)

        yield advance, console.is_terminal


LEVEL = 0.95
"""Of the confidence intervals that commands print."""

Intervals = dict[str, tuple[float, float]]


def print_evaluation(
    evaluation: Evaluation, *, resamples: int, seed: int, as_json: bool, per_class: bool = False
) -> None:
    """Print an evaluation with its intervals and its signature, as a table or as JSON."""
    notice_doubts(evaluation)
    signature = str(replace(evaluation.signature, resamples=resamples, seed=seed))
    record = describe_evaluation(evaluation, resamples, seed)
    if as_json:
        print_json({"task": evaluation.metric.task.name, **record, "signature": signature})
        return
    _print_scores(evaluation, {name: (low, high) for name, (low, high) in record["interval"].items()})
    if per_class:
        print_classes(evaluation)
    print_text(signature)


def notice_doubts(evaluation: Evaluation, file: str = "") -> None:
    """Report on stderr how examples were paired, where that may surprise, and what was not answered."""
    if evaluation.pairing.notice:
        notice(evaluation.pairing.notice)
    if evaluation.unanswered:
        total = sum(sum(row.values()) for row in evaluation.confusion.values())
        given = " and ".join(sorted(evaluation.metric.task.given))
        where = f"{file}: " if file else ""
        notice(
            f"{where}{evaluation.unanswered:,} of {total:,} given cases ({given}) have no prediction and "
            "count as wrong; models pass over what does not stand in the text"
        )


def describe_evaluation(evaluation: Evaluation, resamples: int, seed: int) -> dict[str, Any]:
    """Return the scores, their intervals, the classes and the confusion matrix for JSON, as fractions."""
    intervals = _resample(evaluation, resamples, seed) if resamples else {}
    return {
        **evaluation.scores,
        "interval": {name: list(bounds) for name, bounds in intervals.items()},
        "classes": [each._asdict() for each in evaluation.classes],
        "confusion": evaluation.confusion,
    }


def _resample(evaluation: Evaluation, resamples: int, seed: int) -> Intervals:
    import numpy as np

    from aspectlab.stats import bootstrap

    rng = np.random.default_rng(seed)
    return bootstrap(evaluation.counts, evaluation.metric.score, rng=rng, resamples=resamples, level=LEVEL)


def _print_scores(evaluation: Evaluation, intervals: Intervals) -> None:
    rows = []
    for name, value in evaluation.scores.items():
        bounds = [100 * bound for bound in intervals[name]] if name in intervals else [None, None]
        rows.append([name, 100 * value, *bounds])
    columns = ["score", "percent", f"{LEVEL:.0%} from", "to"]
    title = f"{evaluation.metric.task.name} on {evaluation.corpus}: {len(evaluation.counts):,} examples"
    print_table(title, columns, rows)


def print_classes(evaluation: Evaluation, title: str = "") -> None:
    """Print the scores of each class, in percent, and the confusion matrix where there is one."""
    columns = ["part", "class", "precision", "recall", "F1", "in gold", "predicted"]
    rows = [
        (each.part, each.label, *(100 * value for value in each[2:5]), each.gold, each.predicted)
        for each in evaluation.classes
    ]
    if not rows:
        notice(f"metric {evaluation.metric.name!r} has no classes: --per-class does nothing")
        return
    print_table(title, columns, rows)
    if confusion := evaluation.confusion:
        answers = [*next(iter(confusion.values()))]
        print_table(
            "", ["gold \\ predicted", *answers], [(gold, *row.values()) for gold, row in confusion.items()]
        )
