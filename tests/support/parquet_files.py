"""Parquet files with one fault each, as pyarrow and a change of single bytes make them."""

from pathlib import Path

import pyarrow
from pyarrow import parquet

ROWS = 1_000
BROKEN_ROW = 6
# the number of rows, and one beyond it, as the format writes numbers
_THOUSAND, _TEN_MORE = b"\xd0\x0f", b"\xe4\x0f"


def write_reviews(path: Path, **options: object) -> Path:
    """Write a file in which nothing is wrong."""
    texts = [f"The food was good, number {number}." for number in range(1, ROWS + 1)]
    return _write(path, pyarrow.array(texts), **options)


def write_with_broken_cell(path: Path, *, are_strings: bool, **options: object) -> Path:
    """Write a file with one text that is no UTF-8, in a column of strings or of bytes."""
    texts = [f"The food was good, number {number}.".encode() for number in range(1, ROWS + 1)]
    texts[BROKEN_ROW - 1] = b"caf\xe9 was nice"
    cells = pyarrow.array(texts, pyarrow.binary())
    if are_strings:
        cells = pyarrow.Array.from_buffers(pyarrow.string(), len(cells), cells.buffers())
    return _write(path, cells, **options)


def write_with_missing_rows(path: Path) -> Path:
    """Write a file whose footer claims ten rows more than there are."""
    content = write_reviews(path, write_statistics=False, store_schema=False).read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    # the first number of the footer that is a thousand: that of all rows
    place = content.index(_THOUSAND, footer)
    path.write_bytes(content[:place] + _TEN_MORE + content[place + 2 :])
    return path


def write_with_broken_page(path: Path) -> Path:
    """Write a file whose cells cannot be unpacked."""
    content = write_reviews(path, compression="zstd", use_dictionary=False).read_bytes()
    path.write_bytes(content[:100] + bytes(500) + content[600:])
    return path


def write_with_broken_levels(path: Path) -> Path:
    """Write a file whose statistics say that all cells are one text, and whose pages hold none."""
    cells = pyarrow.array(["The food was good."] * ROWS)
    content = _write(path, cells, compression=None, use_dictionary=False).read_bytes()
    # before the texts of a page: that all thousand are there
    levels = b"\x03\0\0\0" + _THOUSAND
    assert content.count(levels + b"\1") == 1
    path.write_bytes(content.replace(levels + b"\1", levels + b"\0"))
    return path


def _write(path: Path, cells: pyarrow.Array, **options: object) -> Path:
    parquet.write_table(pyarrow.table({"text": cells}), path, **options)
    return path
