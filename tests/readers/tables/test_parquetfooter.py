"""Footers of Parquet files: pyarrow as oracle, and hand-made ones that claim what they do not hold.

The bytes follow the definitions of Thrift's compact protocol and of the Parquet format.
"""

import tracemalloc
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from aspectlab.readers.tables.parquetfooter import read_footer
from tests.support.tables import refusal

VERSION = b"\x15\x02"
ROOT = b"\x19\x1c\x48\x04root\x15\x00\x00"  # a schema of one element without children
MILLIONS = b"\xff\xff\xff\xff\x07"  # 2**31 - 1
HOSTILE = {
    "schema": VERSION + b"\x19\xfc" + MILLIONS,
    "groups": VERSION + ROOT + b"\x16\x00\x19\xfc" + MILLIONS,
    "chunks": VERSION + ROOT + b"\x16\x00\x19\x1c\x19\xfc" + MILLIONS,
    "name": VERSION + b"\x19\x1c\x48" + MILLIONS,
    "map": VERSION + b"\xfb\x00" + MILLIONS + b"\x33",
    "nested structs": VERSION + b"\x1c" * 100_000,
    "nested lists": VERSION + b"\xf9\x00" + b"\x19" * 100_000,
    "endless number": VERSION + b"\x16" + b"\xff" * 1000,
    "no children": VERSION + b"\x19\x1c\x48\x04root\x15\x02\x00\x16\x00\x00",
    "empty": b"",
    "nothing in it": b"\x00",
}


def wrap(footer: bytes) -> bytes:
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_footer_says_what_pyarrow_says(tmp_path: Path, version: str) -> None:
    columns = {"a": [1.5], "list": [[1]], "tree": [{"x": {"y": [True]}, "z": "é"}], "é": [b"\xff"]}
    table = pyarrow.concat_tables([pyarrow.table(columns)] * 700)
    path = tmp_path / "a.parquet"
    parquet.write_table(table, path, row_group_size=100, data_page_version=version, write_page_index=True)
    footer, expected = read_footer(path), parquet.ParquetFile(path)
    unpacked = sum(expected.metadata.row_group(index).total_byte_size for index in range(7))
    assert (footer.names, footer.rows, footer.unpacked_bytes) == (tuple(columns), 700, unpacked)


@pytest.mark.parametrize("name", HOSTILE)
def test_footer_that_lies_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.parquet").write_bytes(wrap(HOSTILE[name]))
    assert "expected a Parquet file" in refusal(tmp_path / "a.parquet")


@pytest.mark.parametrize("name", HOSTILE)
def test_footer_that_lies_costs_no_memory(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.parquet").write_bytes(wrap(HOSTILE[name]))
    tracemalloc.start()
    with pytest.raises((ValueError, LookupError)):
        read_footer(tmp_path / "a.parquet")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 << 20
