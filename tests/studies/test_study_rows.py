"""Rows of studies: one more at a time, also where a file was begun with fewer columns."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="studies need the extra 'train'")

from atsc import STUDY
from driver import append_row, list_columns, read_rows

RESULTS = Path(__file__).parent.parent.parent / "studies" / "results"
WIDE = ["model", "f1", "seconds"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.csv"


def test_first_row_brings_the_header(path: Path) -> None:
    append_row(path, WIDE, {"model": "gcae", "f1": "80.00", "seconds": "2.0"})
    append_row(path, WIDE, {"model": "gcae", "f1": "81.00", "seconds": "2.0"})
    assert path.read_bytes() == b"model,f1,seconds\r\ngcae,80.00,2.0\r\ngcae,81.00,2.0\r\n"


def test_row_with_more_columns_leaves_them_blank_in_older_rows(path: Path) -> None:
    path.write_bytes(b'model,seconds\r\nbert,1.0\r\n"a,b",3.0\r\n')
    append_row(path, WIDE, {"model": "gcae", "f1": "80.00", "seconds": "2.0"})
    assert path.read_bytes() == b'model,f1,seconds\r\nbert,,1.0\r\n"a,b",,3.0\r\ngcae,80.00,2.0\r\n'
    assert list(path.parent.iterdir()) == [path]


def test_row_with_other_columns_loses_none_of_the_file(path: Path) -> None:
    path.write_bytes(b"model,note\r\nbert,good\r\n")
    append_row(path, WIDE, {"model": "gcae", "f1": "80.00", "seconds": "2.0"})
    assert read_rows(path) == [
        {"model": "bert", "f1": "", "seconds": "", "note": "good"},
        {"model": "gcae", "f1": "80.00", "seconds": "2.0", "note": ""},
    ]


def test_row_with_fewer_columns_fits_the_header_of_the_file(path: Path) -> None:
    path.write_bytes(b"seconds,f1,model\r\n1.0,70.00,bert\r\n")
    append_row(path, ["model", "seconds"], {"model": "gcae", "seconds": "2.0"})
    assert path.read_bytes() == b"seconds,f1,model\r\n1.0,70.00,bert\r\n2.0,,gcae\r\n"


def test_rows_of_no_file_are_none(path: Path) -> None:
    assert read_rows(path) == []


def test_published_rows_have_the_columns_of_the_script() -> None:
    lines = (RESULTS / "atsc.csv").read_bytes().split(b"\r\n")
    assert lines[0].decode().split(",") == list_columns(STUDY)
    assert b"\n" not in b"".join(lines)
