"""Streams that a caller closed, or that lack our signs, stop no command."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = "examples/sample.jsonl"
GOLD, PREDICTED = "examples/sample_test.jsonl", "examples/predictions.jsonl"


def call(words: list[str], closed: str = "", encoding: str = "utf-8") -> subprocess.CompletedProcess[str]:
    """Run a command by a shell that closes a stream, such as `>&-`."""
    command = f'"$0" -m aspectlab "$@" {closed}'
    return subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, *words],
        capture_output=True,
        encoding=encoding,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["data", "formats"], 0),
        (["score", GOLD, PREDICTED, "--task", "aste", "--resamples", "0", "--json"], 0),
        (["--version"], 0),
        (["data", "stats", "absent.jsonl"], 2),
    ],
    ids=["table", "json", "version", "error"],
)
def test_closed_stdout_leaves_exit_code_and_notices(words: list[str], code: int) -> None:
    answer = call(words, closed=">&-")
    assert answer.returncode == code
    assert "Traceback" not in answer.stderr


def test_closed_stdout_is_not_taken_by_a_file_that_is_written(tmp_path: Path) -> None:
    out = tmp_path / "copy.jsonl"
    answer = call(["data", "convert", SAMPLE, str(out)], closed=">&-")
    assert answer.returncode == 0
    assert {line[:1] for line in out.read_text(encoding="utf-8").splitlines()} == {"{"}


def test_closed_stderr_loses_the_notices_alone(tmp_path: Path) -> None:
    answer = call(["data", "stats", SAMPLE, "--plots", str(tmp_path / "card")], closed="2>&-")
    assert answer.returncode == 0
    assert SAMPLE in answer.stdout


def test_error_with_closed_stderr_keeps_its_exit_code() -> None:
    assert call(["data", "stats", "absent.jsonl"], closed="2>&-").returncode == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_signs_that_an_encoding_lacks_have_a_likeness(encoding: str) -> None:
    program = "from aspectlab.cli.console import prepare_streams; prepare_streams(); print('█░ – − …')"
    answer = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        check=True,
    )
    assert answer.stdout.decode("ascii").strip() == "#. - - ..."


def test_letters_that_an_encoding_lacks_are_escaped() -> None:
    answer = call(["data", "stats", "öl\u7403.jsonl"], encoding="latin-1")
    assert answer.stderr.startswith("error: öl\\u7403.jsonl: cannot be read")
