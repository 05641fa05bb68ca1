"""`aspectlab data stats` on published files."""

import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from aspectlab.cli import main

Record = dict[str, object]

MUSE = (
    *("muse_caraste/annotations/train.csv", "--transcripts", "muse_caraste/derived/transcripts_train.csv"),
    *("muse_caraste/annotations/devel.csv", "--transcripts", "muse_caraste/with_transcripts/devel.csv"),
)
"""Both annotated parts of MuSe-CarASTE, with their transcripts."""


def run_stats(folder: Path, *words: str) -> list[Record]:
    """Run `aspectlab data stats … --json`; words that name a file of the folder stand for it."""
    found = [str(folder / word) if (folder / word).is_file() else word for word in words]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
        patch.setattr(sys, "argv", ["aspectlab", "data", "stats", "--json", *found])
        with pytest.raises(SystemExit) as stop:
            main()
    assert stop.value.code == 0
    records: list[Record] = json.loads(printed.getvalue())
    return records
