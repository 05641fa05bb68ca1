"""Submissions to ABSITA: how run files are named, validated, written and fixed."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from aspectlab.campaigns.absita.sheet import COLUMNS, DELIMITER, ID, Line, RunSheet
from aspectlab.campaigns.evaluation import (
    RunFinding,
    Severity,
    check_ids,
    check_repeated,
    check_texts,
    refuse_blockers,
    refuse_unread,
)
from aspectlab.data import Corpus, Example, Polarity
from aspectlab.errors import ConfigError, DataError
from aspectlab.outputs import atomic_write
from aspectlab.readers import CATEGORIES
from aspectlab.readers.tables import write_csv

TASKS = ("acd", "acp")
MAX_RUNS = 2
"""The campaign's site allows so many runs a team."""

# a team may have an underscore in its name, so the name is read from both ends
_NAME = re.compile(r"absita_(acd|acp)_(.+)_([^_]+)\.csv", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Submission:
    """What a submission is called after."""

    task: str
    team: str
    run: str

    @property
    def filename(self) -> str:
        """The name of its file."""
        return f"absita_{self.task}_{self.team}_{self.run}.csv"

    @property
    def subject(self) -> str:
        """The subject of the mail that it is sent with."""
        return f"[ABSITA] Submission: {self.task.upper()} {self.team}"


def name_submission(task: str, team: str, run: int) -> Submission:
    """Name a submission, or say what does not fit.

    >>> name_submission("acd", "UNITO", 1).filename
    'absita_acd_UNITO_1.csv'
    """
    if task not in TASKS:
        raise ConfigError(f"task {task!r} is unknown: expected one of {', '.join(TASKS)}; choose one of them")
    if not re.fullmatch(r"[\w.-]+", team) or team.startswith("."):
        raise ConfigError(f"team {team!r}: expected letters, digits, '_', '-' and '.'; choose another name")
    if not 1 <= run <= MAX_RUNS:
        raise ConfigError(f"run {run}: expected 1 to {MAX_RUNS}, the runs that a team may hand in")
    return Submission(task, team, str(run))


def parse_filename(name: str) -> Submission | None:
    """Take a file name apart, in any case; None if it is not that of a submission.

    >>> parse_filename("ABSITA_ACP_two_words_2.csv")
    Submission(task='acp', team='two_words', run='2')
    """
    found = _NAME.fullmatch(name)
    return Submission(found[1].lower(), found[2], found[3]) if found else None


def validate(
    run: RunSheet, gold: RunSheet | None = None, *, task: str | None = None
) -> tuple[RunFinding, ...]:
    """List what is wrong with a run, in the order of its lines; the task is told by its name if not given.

    `gold` needs no labels: its ids and texts are compared with those of the run. It is refused if not all of
    its rows can be read, since what it lacks would be held against the run.
    """
    said = parse_filename(run.path.name)
    chosen = task or (said.task if said else "acp" if run.has_polarity else "acd")
    findings = [*run.findings, *_check_filename(run, said), *check_repeated(run.lines, key=ID)]
    for line in run.lines:
        findings += check_flags(line, with_polarity=chosen == "acp")
    if not run.lines and all(finding.severity < Severity.BLOCKER for finding in run.findings):
        found, remedy = "no rows below the header", "add a row for each sentence of the test file"
        findings.append(RunFinding(Severity.ERROR, None, found, "at least one", remedy))
    if gold is not None:
        refuse_blockers(str(gold.path), gold.findings, campaign="absita", use="compared with")
        findings += [*check_ids(gold.lines, run.lines, key=ID), *check_texts(gold.lines, run.lines)]
    return tuple(sorted(findings, key=lambda finding: finding.line or 0))


def check_flags(line: Line, *, with_polarity: bool) -> Iterator[RunFinding]:
    """Compare the three flags of each category: blanks, and polarity and presence that do not agree."""
    for position, category in enumerate(CATEGORIES):
        present, positive, negative = flags = line.flags[3 * position : 3 * position + 3]
        if category == "other" and not any(flags):
            continue
        number = line.number
        if present == "":
            found, remedy = f"a blank {category}_presence", "write 1 if the aspect is there, 0 if not"
            yield RunFinding(Severity.BLOCKER, number, found, "0 or 1", remedy)
        elif present == "0" and "1" in (positive, negative):
            found, remedy = f"a polarity of {category} without its presence", "set the presence or clear it"
            yield RunFinding(Severity.ERROR, number, found, f"{category}_presence 1, or no polarity", remedy)
        if present != "1" or not with_polarity:
            continue
        if "" in (positive, negative):
            found, remedy = f"a blank polarity of {category}", "write both as 0 or 1; acd runs may leave them"
            yield RunFinding(Severity.ERROR, number, found, "0 or 1", remedy)
        elif (positive, negative) == ("0", "0"):
            found, expected = f"{category} without a polarity", "a polarity, unless it is meant as neutral"
            remedy = "nothing has to be done: it counts for acd and gives no pair for acp"
            yield RunFinding(Severity.WARNING, number, found, expected, remedy)


def _check_filename(run: RunSheet, said: Submission | None) -> Iterator[RunFinding]:
    position, name = "file name", run.path.name
    if said is None:
        expected = "absita_<acd or acp>_<team>_<run>.csv"
        remedy = "rename the file before you hand it in"
        yield RunFinding(Severity.WARNING, None, repr(name), expected, remedy, position)
        return
    if name != said.filename:
        found, expected = repr(name), repr(said.filename)
        yield RunFinding(Severity.WARNING, None, found, expected, "write it in lower case", position)
    if said.run not in map(str, range(1, MAX_RUNS + 1)):
        expected = f"a number from 1 to {MAX_RUNS}, the runs that a team may hand in"
        yield RunFinding(
            Severity.WARNING, None, f"the run {said.run!r:.40}", expected, "renumber it", position
        )


_MEANT = {
    **dict.fromkeys(("1", "1.0", "1,0", "true", "yes"), "1"),
    **dict.fromkeys(("0", "0.0", "0,0", "false", "no"), "0"),
}
"""What spreadsheets and other programs make of a flag, in lower case."""


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


def fix_run(run: RunSheet, path: Path) -> None:
    """Write a run again as it was probably meant: flags such as 1.0 or true, names, order, line ends, ids."""
    if not run.lines:
        found = f"{run.path}: found no rows that can be read: expected a header with semicolons"
        raise DataError(f"{found}; `aspectlab absita validate` says what is wrong")
    refuse_unread(str(run.path), run.lines, run.findings, str(path))
    lines = [
        Line(line.number, line.id, tuple(_MEANT.get(f.strip().lower(), f) for f in line.flags), line.text)
        for line in run.lines
    ]
    _write(path, lines)


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
    with atomic_write(path, remedy="check the folder") as draft:
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
