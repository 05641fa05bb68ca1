"""Read corpora for the model commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aspectlab.cli.console import notice

if TYPE_CHECKING:
    from aspectlab.data import Corpus


def read_judged(path: Path, task: str) -> Corpus:
    """Read a corpus that a task is judged on; conflict labels of terms, which no model predicts, go.

    Categories keep theirs: there it is a class like any other.
    """
    from aspectlab.data import Part, remove_conflict
    from aspectlab.readers import read
    from aspectlab.tasks import TASKS

    corpus = read(path)
    TASKS[task].check(corpus)
    if Part.CATEGORY in TASKS[task].parts:
        return corpus
    kept, change = remove_conflict(corpus)
    if change.count:
        notice(f"{path}: {change}")
    return kept
