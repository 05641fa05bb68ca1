"""ABSITA (EVALITA 2018): Italian hotel reviews, in CSV with three flags per aspect category."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, Polarity, Quad
from aspectlab.errors import DataError
from aspectlab.readers import Format, Head, Loss, Source
from aspectlab.readers.tables.columns import find_column, need_column
from aspectlab.readers.tables.csvfile import split_header, write_csv
from aspectlab.readers.tables.opening import open_strict_table

CATEGORIES = ("cleanliness", "comfort", "amenities", "staff", "value", "wifi", "location", "other")

_FLAGS = {"presence": ("presence",), "positive": ("positive", "pos"), "negative": ("negative", "neg")}
_DELIMITER = ";"


def sniff(head: Head) -> bool:
    """Recognise a header with sentence_id and the presence of a category, separated by semicolons."""
    names = split_header(head.lines[0], _DELIMITER) if head.lines else []
    return "sentence_id" in names and any(f"{category}_presence" in names for category in CATEGORIES)


def read(source: Source) -> Iterator[Example]:
    """Return one example per row, with a quad per category and polarity; a category may have no polarity."""
    sheet = open_strict_table(source, _DELIMITER)
    name = need_column(source, sheet.header, "sentence_id")
    text = find_column(sheet.header, ["sentence"])
    flags = {category: _flag_columns(sheet.header, category) for category in CATEGORIES}
    _refuse_unknown(source, sheet.header)
    for number, cells in sheet.rows:
        if not cells[name].strip():
            raise source.error(number, "no sentence_id", "one in every row", "fill it in or remove the row")
        quads = [
            quad
            for category, columns in flags.items()
            for quad in _quads(category, *_read_flags(source, number, category, cells, columns))
        ]
        yield Example(cells[name], cells[text] if text is not None else "", tuple(quads))


def _flag_columns(header: Sequence[str], category: str) -> list[int | None]:
    return [find_column(header, [f"{category}_{name}" for name in names]) for names in _FLAGS.values()]


def _refuse_unknown(source: Source, header: Sequence[str]) -> None:
    for column in header:
        category, _, flag = column.lower().rpartition("_")
        if flag == "presence" and category not in CATEGORIES:
            expected = f"one of {', '.join(CATEGORIES)}"
            raise source.error("header", f"the category {category!r:.40}", expected, "use the English names")


def _read_flags(
    source: Source, number: int, category: str, cells: Sequence[str], columns: Sequence[int | None]
) -> tuple[bool, bool, bool]:
    values = ["0" if column is None else cells[column] for column in columns]
    for value in values:
        if value not in {"0", "1", ""}:
            raise source.error(number, f"{value!r:.40} for {category}", "0, 1 or an empty cell", "correct it")
    present, positive, negative = (value == "1" for value in values)
    if not present and (positive or negative):
        found = f"a polarity of {category} without its presence"
        raise source.error(number, found, f"{category}_presence 1, or no polarity", "correct the row")
    return present, positive, negative


def _quads(category: str, present: bool, positive: bool, negative: bool) -> Iterator[Quad]:
    if positive:
        yield Quad(category=category, polarity=Polarity.POSITIVE)
    if negative:
        yield Quad(category=category, polarity=Polarity.NEGATIVE)
    if present and not positive and not negative:
        yield Quad(category=category)


def write(corpus: Corpus, path: Path) -> None:
    """Write one row per example, as the organisers' files are."""
    header = [
        "sentence_id",
        *(f"{category}_{flag}" for category in CATEGORIES for flag in _FLAGS),
        "sentence",
    ]
    write_csv(path, chain([header], map(_row, corpus)), _DELIMITER, quote=True)


def _row(example: Example) -> list[str | int]:
    flags = {category: _flags_of(example, category) for category in CATEGORIES}
    said = [quad for category, values in flags.items() for quad in _quads(category, *values)]
    if len(said) != len(example.quads) or set(said) != set(example.quads):
        raise DataError(
            f"example {example.id!r}: found {example.quads!r:.200}: expected each of the categories "
            f"{', '.join(CATEGORIES)} positive, negative, both or without polarity, and nothing else; "
            "write the corpus as jsonl, or take these parts out"
        )
    if not example.id.strip():
        raise DataError(f"example {example.id!r}: found a blank id: expected one that can be read; rename it")
    values = [int(value) for category in CATEGORIES for value in flags[category]]
    return [_bare_number(example.id), *values, example.text]


def _flags_of(example: Example, category: str) -> tuple[bool, bool, bool]:
    found = {quad.polarity for quad in example.quads if quad.category == category}
    return bool(found), Polarity.POSITIVE in found, Polarity.NEGATIVE in found


def _bare_number(name: str) -> str | int:
    """Leave an id that is a number without quotes, as the organisers' files do."""
    return int(name) if name.isdecimal() and len(name) < 19 and str(int(name)) == name else name


FORMAT = Format(
    "ABSITA CSV: three flags per category, separated by semicolons",
    sniff,
    read,
    write,
    annotates=frozenset({Part.CATEGORY, Part.POLARITY}),
    language="it",
    loses=frozenset({Loss.CONFIDENCES, Loss.INTENSITIES, Loss.ORIGINS}),
)
