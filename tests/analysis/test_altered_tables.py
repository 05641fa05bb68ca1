"""An analysis is complete only while its tables are what it wrote."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from aspectlab.analysis import Aggregate, analyze, prepare
from aspectlab.analysis.pipeline import load_finished
from tests.support.keyword_predictor import KeywordPredictor

pytest.importorskip("duckdb")

TABLES = ("opinions.csv", "opinions.parquet")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.csv"
    lines = [f'{number},"The food was good.\nRude staff!"' for number in range(9)]
    path.write_text("\n".join(["id,text", *lines]), encoding="utf-8")
    return path


@pytest.fixture
def out(source: Path, tmp_path: Path) -> Path:
    """The folder of a complete analysis."""
    analyze(prepare([source]), KeywordPredictor(), tmp_path / "out")
    return tmp_path / "out"


def find(source: Path, out: Path, said: list[str] | None = None) -> Aggregate | None:
    notify = said.append if said is not None else None
    return load_finished(prepare([source]), KeywordPredictor(), out, notify)


def change_summary(out: Path, change: Callable[[dict[str, object]], object]) -> None:
    path = out / "analysis.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    change(record)
    path.write_text(json.dumps(record), encoding="utf-8")


def forget_seals(out: Path) -> None:
    """Make the summary that of a version without seals."""
    change_summary(out, lambda record: record.pop("tables"))


def empty(content: bytes) -> bytes:
    return b""


def halve(content: bytes) -> bytes:
    return content[: len(content) // 2]


def cut_line(content: bytes) -> bytes:
    return b"\r\n".join(content.split(b"\r\n")[:-2]) + b"\r\n"


def zero(content: bytes) -> bytes:
    """What some file systems leave behind after a power cut: the size, but no content."""
    return bytes(len(content))


def change_letter(content: bytes) -> bytes:
    return content.replace(b"good", b"fair", 1)


DAMAGES = [
    *[(name, damage) for name in TABLES for damage in (empty, halve, zero)],
    ("opinions.csv", cut_line),
]


@pytest.mark.parametrize(("name", "damage"), [*DAMAGES, ("opinions.csv", change_letter)])
def test_damaged_table_was_called_complete(
    source: Path, out: Path, name: str, damage: Callable[[bytes], bytes]
) -> None:
    before = [(out / table).read_bytes() for table in TABLES]
    (out / name).write_bytes(damage((out / name).read_bytes()))
    said: list[str] = []
    assert find(source, out, said) is None
    assert said == [f"{out / name}: not as the analysis wrote it: the tables are made again"]
    analyze(prepare([source]), KeywordPredictor(), out)
    assert [(out / table).read_bytes() for table in TABLES] == before
    assert find(source, out) is not None


@pytest.mark.parametrize(("name", "damage"), DAMAGES)
def test_damaged_table_of_an_earlier_version_was_called_complete(
    source: Path, out: Path, name: str, damage: Callable[[bytes], bytes]
) -> None:
    forget_seals(out)
    (out / name).write_bytes(damage((out / name).read_bytes()))
    assert find(source, out) is None


def test_whole_analysis_of_an_earlier_version_is_found_again(source: Path, out: Path) -> None:
    aggregate = find(source, out)
    forget_seals(out)
    assert find(source, out) == aggregate is not None


@pytest.mark.parametrize("seals", [3, [], {}, {"opinions.csv": None}, {"opinions.csv": {"bytes": 1}}])
def test_broken_seals_are_no_seals(source: Path, out: Path, seals: object) -> None:
    change_summary(out, lambda record: record.update(tables=seals))
    assert find(source, out) is None


def test_damaged_tables_are_made_again_without_the_model(source: Path, out: Path) -> None:
    (out / "opinions.csv").write_bytes(b"")
    predictor = KeywordPredictor()
    analyze(prepare([source]), predictor, out)
    assert predictor.calls == []
    assert find(source, out) is not None


def test_summary_reached_the_disk_before_the_tables(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    sync = os.fsync

    def record(handle: int) -> None:
        synced.append(os.fstat(handle).st_ino)
        sync(handle)

    monkeypatch.setattr(os, "fsync", record)
    analyze(prepare([source]), KeywordPredictor(), tmp_path / "out")
    names = {(tmp_path / "out" / name).stat().st_ino: name for name in (*TABLES, "analysis.json", ".")}
    order = [names[number] for number in synced if number in names]
    # the tables, their names, the summary, its name
    assert order == [*TABLES, ".", "analysis.json", "."]


def test_summary_has_nothing_new_but_the_seals(out: Path) -> None:
    record = json.loads((out / "analysis.json").read_text(encoding="utf-8"))
    assert list(record) == ["identity", "files", "aggregate", "tables"]
    assert {name: seal["bytes"] for name, seal in record["tables"].items()} == {
        name: (out / name).stat().st_size for name in TABLES
    }
