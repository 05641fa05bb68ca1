"""Where the command line prints: results to stdout, notices to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table


def print_json(value: object) -> None:
    """Print a result for a program to read."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        # half a surrogate pair, or a character that the terminal lacks: JSON has an escape for each
        text = json.dumps(value, indent=2)
    sys.stdout.write(text + "\n")


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a result for a person to read; numbers are set flush right."""
    cells = [[_format(value) for value in row] for row in rows]
    table = Table(title=title or None, title_justify="left")
    for index, column in enumerate(columns):
        numeric = all(_is_number(row[index]) for row in cells)
        table.add_column(column, justify="right" if numeric and cells else "left", overflow="fold")
    for row in cells:
        table.add_row(*row)
    # a pipe has no width: never fold the cells of a result that goes to a file
    console = Console(width=None if sys.stdout.isatty() else 240, markup=False)
    console.print(table)


def notice(message: str) -> None:
    """Tell the user something that is not a result."""
    sys.stderr.write(message + "\n")


def printable(text: str) -> str:
    """Replace what cannot be printed."""
    # escape codes of a file would drive the terminal
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _format(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _is_number(cell: str) -> bool:
    return cell == "–" or cell.replace(",", "").replace(".", "").removeprefix("-").isdigit()
