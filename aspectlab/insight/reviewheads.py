"""What stands above the header of a table: the title of an export, or the delimiter, for Excel."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from itertools import islice

from aspectlab.insight.reviewcolumns import KNOWN_NAMES, normalise_name
from aspectlab.insight.reviewcsv import DELIMITERS

MOST_ROWS = 20
"""A header further down is not looked for."""

_FEWEST_NAMES = 2
_LONGEST = 1 << 16
_SEPARATOR = re.compile(r'"?sep=.?"?\s*', re.I)


def count_rows_above(rows: Iterable[Sequence[str]]) -> int:
    """Count the rows above the header: that has two names or more that columns usually have, they have less.

    >>> count_rows_above([["Export of May"], [""], ["Id", "Text"], ["1", "Fine."]])
    2
    >>> count_rows_above([["1", "Fine."], ["2", "Slow."]])
    0
    """
    widest = 0
    for number, cells in enumerate(islice(rows, MOST_ROWS)):
        filled = sum(bool(cell.strip()) for cell in cells)
        names = {normalise_name(cell) for cell in cells} & KNOWN_NAMES
        if len(names) >= _FEWEST_NAMES and filled > widest:
            return number
        widest = max(widest, filled)
    return 0


def count_lines_above(lines: Iterable[str]) -> int:
    r"""Count the lines above the header of a CSV file, whatever separates its cells.

    >>> count_lines_above(["sep=;\n", "id;text\n"]), count_lines_above(["id;text\n", "1;Fine.\n"])
    (1, 0)
    """
    sample = list(islice(lines, MOST_ROWS))
    if sample and _SEPARATOR.fullmatch(sample[0]):
        return 1
    counts = (count_rows_above(_split(line, mark) for line in sample) for mark in DELIMITERS)
    return next(filter(None, counts), 0)


def _split(line: str, delimiter: str) -> list[str]:
    # the reader refuses longer cells
    return next(csv.reader([line[:_LONGEST]], delimiter=delimiter), [])
