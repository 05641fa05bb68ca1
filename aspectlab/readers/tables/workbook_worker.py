"""Worker: a workbook read by python-calamine in a process of its own, whose memory is limited.

Run as a script, away from the package: it starts in a few hundredths of a second. A sheet is held as a whole,
so that one far cell in a file of a kilobyte may ask for terabytes: the limit ends this process, and the one
that asked lives on. Answers are lines of JSON; the last one is true.
"""

import json
import sys
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import islice

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

Value = str | bool | int | float | date | time | timedelta

USED_COLUMNS = 1024
MAX_CELL_CHARS = 131_072
HEAD_ROWS = 20


def main(path: str, sheet: str, memory: int, seconds: int) -> None:
    """Write the rows of a sheet or, where none is named, the sheets with their first rows."""
    _limit(memory, seconds)
    try:
        with open(path, "rb") as stream, CalamineWorkbook.from_filelike(stream) as workbook:
            for line in _rows(workbook, json.loads(sheet)) if sheet else _heads(workbook):
                sys.stdout.write(f"{json.dumps(line)}\n")
    except (CalamineError, OverflowError, ValueError) as error:
        sys.stdout.write(f"{json.dumps({'error': str(error)})}\n")
    else:
        sys.stdout.write("true\n")


def _limit(memory: int, seconds: int) -> None:
    """Limit address space and processor time, where the system can."""
    try:
        import resource
    except ImportError:  # Windows: what the archive says of its size is the only limit
        return
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(kind, (limit, hard))
        except (OSError, ValueError):  # macOS has no limit of address space
            continue


def _heads(workbook: CalamineWorkbook) -> Iterator[dict[str, object]]:
    """Describe the sheets; what is hidden is named, but not read."""
    for sheet in workbook.sheets_metadata:
        if sheet.typ is not SheetTypeEnum.WorkSheet:
            continue
        is_hidden = sheet.visible is not SheetVisibleEnum.Visible
        head: dict[str, object] = {"name": sheet.name, "is_hidden": is_hidden, "height": 0, "rows": []}
        if not is_hidden:
            content = workbook.get_sheet_by_name(sheet.name)
            rows = [cells for _, cells in islice(_cells(content), HEAD_ROWS)]
            head |= {"height": content.height, "rows": rows}
        yield head


def _rows(workbook: CalamineWorkbook, name: str) -> Iterator[tuple[int, list[str]]]:
    return _cells(workbook.get_sheet_by_name(name))


def _cells(sheet: CalamineSheet) -> Iterator[tuple[int, list[str]]]:
    """Return the rows that are not empty with their numbers; a value that is merged downwards is in each."""
    if sheet.start is None:
        return
    # rows are counted from the first one of the sheet, columns from the first one that is filled
    empty = [""] * sheet.start[1]
    merged = _merged(sheet)
    held: dict[tuple[int, int], str] = {}
    for number, values in enumerate(sheet.iter_rows()):
        cells = (empty + [_show(value) for value in values])[:USED_COLUMNS]
        for column, top in merged.get(number, ()):
            if column < len(cells):
                cells[column] = held.setdefault((top, column), cells[column])
        if any(map(str.strip, cells)):
            yield number + 1, cells


def _merged(sheet: CalamineSheet) -> dict[int, list[tuple[int, int]]]:
    """Return for each row the columns whose cell is merged downwards, and where that begins."""
    assert sheet.end is not None
    found: dict[int, list[tuple[int, int]]] = {}
    for (top, left), (bottom, _) in sheet.merged_cell_ranges or []:
        # a file need not respect its own bounds
        for row in range(top, min(bottom, sheet.end[0]) + 1) if bottom > top else ():
            found.setdefault(row, []).append((left, top))
    return found


def _show(value: Value) -> str:
    """Write a value as a CSV export shows it: whole numbers without a fraction, dates in ISO form."""
    if isinstance(value, str):
        if len(value) > MAX_CELL_CHARS:
            raise ValueError(f"a cell of {len(value):,} characters, where {MAX_CELL_CHARS:,} are the most")
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date | time) else str(value)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
