"""Read corpora for the model commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aspectlab.cli.console import notice

if TYPE_CHECKING:
    from aspectlab.data import Corpus


def read_judged(path: Path, task: str) -> Corpus:
    """Read a corpus that a task is judged on; conflict labels, which no model predicts, are left out."""
    from aspectlab.data import remove_conflict
    from aspectlab.readers import read
    from aspectlab.tasks import TASKS

    corpus = read(path)
    TASKS[task].check(corpus)
    kept, change = remove_conflict(corpus)
    if change.count:
        notice(f"{path}: {change}")
    return kept
