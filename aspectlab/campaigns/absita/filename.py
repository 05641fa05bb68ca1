"""The file name of a submission: absita_<task>_<team>_<run>.csv."""

from __future__ import annotations

import re
from dataclasses import dataclass

from aspectlab.errors import ConfigError

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
