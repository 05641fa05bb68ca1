"""Write submissions: 26 columns as in the training file, polarities blank in a run for ACD alone."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from aspectlab.campaigns.absita.filename import Submission
from aspectlab.campaigns.absita.findings import Severity
from aspectlab.campaigns.absita.header import COLUMNS, DELIMITER
from aspectlab.campaigns.absita.sheet import Line, Sheet
from aspectlab.data import Corpus, Example, Polarity
from aspectlab.data.drafting import drafted
from aspectlab.errors import DataError
from aspectlab.readers.absita import CATEGORIES
from aspectlab.readers.csvfile import write_csv

_MEANT = {
    **dict.fromkeys(("1", "1.0", "1,0", "true", "yes"), "1"),
    **dict.fromkeys(("0", "0.0", "0,0", "false", "no"), "0"),
}
"""What spreadsheets and other programs make of a flag, in lower case."""

_SHOWN = 5
"""How many lines a message names."""


def write_submission(predicted: Corpus, folder: Path, submission: Submission) -> Path:
    """Write predictions into a folder under the name that the campaign asks for, and give the path.

    The text is left out: the guidelines allow that, and a run then carries no one's review.
    """
    path = folder / submission.filename
    with_polarity = submission.task == "acp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be made: {error.strerror}; name another folder") from None
    _write(path, [Line(0, example.id, _flags(example, with_polarity), "") for example in predicted])
    return path


def fix_run(run: Sheet, path: Path) -> None:
    """Write a run again as it was probably meant: flags such as 1.0 or true, names, order, line ends, ids."""
    if not run.lines:
        found = f"{run.path}: found no rows that can be read: expected a header with semicolons"
        raise DataError(f"{found}; `aspectlab absita validate` says what is wrong")
    if unread := _find_unread(run):
        shown = ", ".join(map(str, unread[:_SHOWN])) + (", …" if len(unread) > _SHOWN else "")
        found = f"{run.path}: found rows that cannot be read at line {shown}: expected all of them"
        raise DataError(f"{found}; mend these first: they would be missing from {path}")
    lines = [
        Line(line.number, line.id, tuple(_MEANT.get(f.strip().lower(), f) for f in line.flags), line.text)
        for line in run.lines
    ]
    _write(path, lines)


def _find_unread(run: Sheet) -> list[int]:
    """List the lines that reading had to give up, so that they are no rows of the sheet."""
    blockers = (finding for finding in run.findings if finding.severity is Severity.BLOCKER)
    blocked = {finding.line for finding in blockers if finding.line is not None}
    return sorted(blocked.difference(line.number for line in run.lines))


def _flags(example: Example, with_polarity: bool) -> tuple[str, ...]:
    quads = {(quad.category, quad.polarity) for quad in example.quads}
    flags: list[str] = []
    for category in CATEGORIES:
        present = any(name == category for name, _ in quads)
        polarities = [(category, polarity) in quads for polarity in (Polarity.POSITIVE, Polarity.NEGATIVE)]
        flags.append(str(int(present)))
        flags += [str(int(said)) if with_polarity else "" for said in polarities]
    return tuple(flags)


def _write(path: Path, lines: Iterable[Line]) -> None:
    """Write rows; a run is whole or not there."""
    header = ["sentence_id", *COLUMNS, "sentence"]
    with drafted(path, remedy="check the folder") as draft:
        write_csv(draft, chain([header], map(_row, lines)), DELIMITER, quote=True)


def _row(line: Line) -> list[str | int]:
    """Leave numbers without quotes, as the training file does."""
    cells = [line.id, *line.flags]
    return [
        *(int(cell) if cell.isascii() and cell == f"{_number(cell)}" else cell for cell in cells),
        line.text,
    ]


def _number(cell: str) -> int | None:
    return int(cell) if cell.isdecimal() and len(cell) < 19 else None
