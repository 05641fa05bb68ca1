"""Files of strangers: what is no plain file is refused at once, and no number or nesting is a traceback."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aspectlab.cli.main import app
from aspectlab.cluster import parse_engine
from aspectlab.errors import AspectlabError, ConfigError, DataError
from aspectlab.experiments import read_record
from aspectlab.experiments.record import record_to_dict
from aspectlab.experiments.studyfile import read_study
from aspectlab.readers import Source, read
from aspectlab.reports.runs.load import read_rows
from aspectlab.untrusted import open_file, parse_count, read_file, read_json
from tests.support.runs import RECORD

HUGE = 10**400
"""More than any float, which `float` answers by an OverflowError."""

DIGITS = "9" * 5000
"""More than `int` reads, which it answers by a ValueError."""


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(path.name)


def make_link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (make_pipe, "a pipe"),
        (make_socket, "a socket"),
        (make_link_to_device, "a device"),
        (Path.mkdir, "a folder"),
    ],
)
def test_only_plain_files_are_opened(tmp_path: Path, make: Callable[[Path], None], kind: str) -> None:
    make(tmp_path / "it")
    with pytest.raises(OSError, match=f"it is {kind}, not a file"):
        open_file(tmp_path / "it")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs the files of a Linux kernel")
@pytest.mark.parametrize("name", ["/proc/self/mem", "/proc/self/status"])
def test_file_that_the_system_makes_up_is_empty(name: str) -> None:
    assert read_file(Path(name)) == b""


def test_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "it").write_bytes(b"12345")
    assert read_file(tmp_path / "it", 5) == b"12345"
    with pytest.raises(OSError, match="over 4 bytes"):
        read_file(tmp_path / "it", 4)


@pytest.mark.parametrize("content", [b"[" * 100_000, b"\xff", b"{", DIGITS.encode(), b""])
def test_broken_json_is_one_kind_of_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "it").write_bytes(content)
    with pytest.raises(ValueError):
        read_json(tmp_path / "it")


@pytest.mark.parametrize("digit", ["²", "٣", "-1", "1_0", "", DIGITS])
def test_digits_that_are_no_number_are_none(digit: str) -> None:
    assert parse_count(digit) is None


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs devices")
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/full", "/dev/urandom", "/proc/self/mem", "/proc/kmsg"])
@pytest.mark.parametrize("words", [["analyze"], ["data", "stats"]], ids=" ".join)
def test_device_was_read_for_ever(words: list[str], name: str) -> None:
    answer = CliRunner().invoke(app, [*words, name])
    assert isinstance(answer.exception, AspectlabError)
    assert name in str(answer.exception)


@pytest.mark.parametrize("workers", ["²", DIGITS, "0"])
def test_engine_with_a_strange_digit_was_a_traceback(workers: str) -> None:
    with pytest.raises(ConfigError, match="is unknown"):
        parse_engine(f"local:{workers}", takes_workers=True)


def test_rows_with_a_number_of_thousands_of_digits_were_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(f"model,corpus,split,seed\na,b,{DIGITS},1\n", encoding="utf-8")
    with pytest.raises(DataError, match="expected a whole number"):
        read_rows(tmp_path / "rows.csv")


@pytest.mark.parametrize("key", ["timing", "metrics"])
def test_run_with_a_number_beyond_floats_was_a_traceback(tmp_path: Path, key: str) -> None:
    strange = {"timing": {"seconds": HUGE, "epochs": 1, "best_epoch": 1}, "metrics": {"test": {"f1": HUGE}}}
    (tmp_path / "run.json").write_text(
        json.dumps({**record_to_dict(RECORD), key: strange[key]}), encoding="utf-8"
    )
    with pytest.raises(DataError, match=r"found 1000.*: expected float"):
        read_record(tmp_path)


def test_score_beyond_floats_in_label_studio_was_a_traceback(tmp_path: Path) -> None:
    value = {"start": 4, "end": 8, "text": "soup", "labels": ["Aspect"]}
    item = {"id": "1", "from_name": "term", "type": "labels", "score": HUGE, "value": value}
    task = {"id": 1, "data": {"text": "The soup was lovely."}, "annotations": [{"result": [item]}]}
    (tmp_path / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
    (quad,) = read(tmp_path / "tasks.json", "label-studio").examples[0].quads
    assert quad.confidence is None


@pytest.mark.parametrize("line", [f"a = {'[' * 10_000}", f"a = {DIGITS}", "a = \xff"])
def test_study_that_is_no_toml_was_a_traceback(tmp_path: Path, line: str) -> None:
    (tmp_path / "study.toml").write_text(line, encoding="latin-1")
    with pytest.raises(ConfigError, match="found no TOML"):
        read_study(tmp_path / "study.toml")


def test_study_with_a_path_that_no_system_has_was_a_traceback(tmp_path: Path) -> None:
    long = "x" * 5000
    corpus = f'[corpora.a]\ntrain = "{long}"\n[[models]]\nname = "marked"\n'
    (tmp_path / "study.toml").write_text(f'name = "a"\n{corpus}', encoding="utf-8")
    _, problems = read_study(tmp_path / "study.toml")
    assert any("File name too long: expected that of a file" in problem for problem in problems)


def test_source_that_is_a_device_is_refused() -> None:
    with pytest.raises(DataError, match="/dev/zero: cannot be read: it is a device"):
        _ = Source(Path("/dev/zero")).sha256
