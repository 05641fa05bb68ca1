"""Quad rows: the columns in which tables hold examples and predictions, one row per quad or per text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path

from aspectlab.data import Corpus, Example, Polarity, Quad, Term
from aspectlab.readers import Source, each_term, find_term, find_term_caseless, locate_term, read
from aspectlab.readers.tables.columns import choose_column, find_column, parse_polarity
from aspectlab.readers.tables.opening import open_strict_table
from aspectlab.readers.tables.parquetfile import read_names

Cells = Mapping[str, str | None]
"""The cells of a row by the names below; None where the cell is empty, no key where there is no column."""

NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "text": ("text", "sentence", "review"),
    "aspect": ("aspect", "term", "target", "aspect term", "aspect_term", "aspectterm", "span"),
    "aspect_start": ("aspect_start", "start", "from"),
    "aspect_end": ("aspect_end", "end", "to"),
    "opinion": ("opinion", "opinion term", "opinion_term", "opinionterm"),
    "opinion_start": ("opinion_start",),
    "opinion_end": ("opinion_end",),
    "category": ("category", "aspect category", "aspect_category", "aspectcategory"),
    "polarity": ("polarity", "label", "sentiment", "gold_label"),
    "source": ("source",),
    "variant": ("variant",),
}
"""The columns as they are written, with the names under which they are found."""

ORDINAL = "ordinal"
"""SetFit's column: which occurrence of its words an aspect is, from 0."""

PREDICTED = "pred_polarity"
"""SetFit's column of predictions, beside the gold label."""

OFFSETS = ("aspect_start", "aspect_end", "opinion_start", "opinion_end")
EMPTY_QUAD = "none"
"""In the polarity column, marks a quad with no part at all; an example without quads has no such word."""

_IMPLICIT = "NULL"
"""Marks an implicit term in tables made from SemEval-2016, without a span or at 0:0."""

_PARTS = ("aspect", "opinion", "category", "polarity")


@dataclass(frozen=True, slots=True)
class QuadRow:
    """One row and its line or row number."""

    where: int | str
    cells: Cells

    @property
    def key(self) -> tuple[str | None, str]:
        """The id and the text: rows that agree in both belong to one example."""
        return self.cells.get("id"), self.cells["text"] or ""

    @property
    def is_labelled(self) -> bool:
        """Whether the row says anything of its text."""
        return any(self.cells.get(part) is not None for part in _PARTS)


def choose_columns(source: Source, header: Sequence[str], chosen: Mapping[str, str | None]) -> dict[str, int]:
    """Find the columns that are there: by the names a user chose, or by their usual names."""
    found = {
        name: choose_column(header, names, f"{name}_column", chosen.get(name))
        for name, names in NAMES.items()
    }
    columns = {name: locate_term for name, locate_term in found.items() if locate_term is not None}
    if "text" not in columns:
        shown = f"the columns {', '.join(header):.200}"
        expected = f"one of {', '.join(NAMES['text'])}"
        remedy = 'rename the one that holds the text to text, or in Python pass text_column="..."'
        raise source.error("header", shown, expected, remedy)
    _refuse_repeated(source, header, columns.values())
    # a column called source alone is rather where a review was found than what a variant was made from
    if not {"source", "variant"} <= columns.keys():
        columns = {
            name: locate_term for name, locate_term in columns.items() if name not in {"source", "variant"}
        }
    ordinal = find_column(header, (ORDINAL,))
    if ordinal is not None and "aspect" in columns and "aspect_start" not in columns:
        columns[ORDINAL] = ordinal
    return columns


def note_unread(source: Source, header: Sequence[str], columns: Mapping[str, int]) -> None:
    """Note which columns are not read: labels may be in one that has an unusual name."""
    unread = [
        name
        for locate_term, name in enumerate(header)
        if name.strip() and locate_term not in columns.values()
    ]
    if unread:
        source.note("header", f"columns that are not read: {', '.join(unread):.200}")


def _refuse_repeated(source: Source, header: Sequence[str], chosen: Iterable[int]) -> None:
    """Refuse a repeated column: which of the two is meant cannot be known."""
    names = [name.lower() for name in header]
    for column in chosen:
        if names.count(names[column]) > 1:
            found = f"the column {header[column]!r:.60} twice"
            raise source.error("header", found, "every column once", "rename or remove one of them")


def read_examples(source: Source, columns: Iterable[str], rows: Iterable[QuadRow]) -> Iterator[Example]:
    """Join rows into examples.

    Texts without annotation are streamed. Rows of one example need not be adjacent if they have an id; if
    they have none, examples are numbered, and only rows with annotation are joined, by equal adjacent texts.
    """
    has_id, annotated = "id" in columns, not {*_PARTS}.isdisjoint(columns)
    words: set[str | None] = set()
    bare: list[int | str] = []
    absent: list[int | str] = []
    for number, group in enumerate(_group(rows, has_id, annotated), start=1):
        words.update(row.cells.get("polarity") for row in group)
        bare += [row.where for row in group if not row.key[1] and row.is_labelled]
        example = _read_example(source, group, number)
        absent += [group[0].where] * _count_absent(example, columns)
        yield example
    # in a sheet filled in by hand, an empty cell may repeat the one above
    _note_rows(source, bare, "rows with labels and without a text", "; write the text in every row")
    _note_rows(source, absent, "terms that are not in the text, kept without a span")
    _note_numbers(source, {(word or "").strip().removesuffix(".0") for word in words} - {""})


def _count_absent(example: Example, columns: Iterable[str]) -> int:
    """Count the terms that were looked for and not found; an empty cell for an offset says that none is."""
    aspects = [] if "aspect_start" in columns else [quad.aspect for quad in example.quads]
    opinions = [] if "opinion_start" in columns else [quad.opinion for quad in example.quads]
    return sum(term is not None and term.span is None for term in (*aspects, *opinions))


def _note_rows(source: Source, rows: Sequence[int | str], what: str, advice: str = "") -> None:
    if rows:
        source.note(rows[0], f"first of the {what}: {len(rows):,}{advice}")


def _note_numbers(source: Source, words: set[str]) -> None:
    """Note how 0 was read where no -1 shows it: many tables mean negative by it."""
    if words == {"0", "1"}:
        read_as = "read as neutral and positive; write words if 0 is negative"
        source.note("whole file", f"polarities are 0 and 1: {read_as}")


def _group(rows: Iterable[QuadRow], has_id: bool, annotated: bool) -> Iterator[list[QuadRow]]:
    if has_id and annotated:
        groups: dict[tuple[str | None, str], list[QuadRow]] = {}
        for row in rows:
            groups.setdefault(row.key, []).append(row)
        yield from groups.values()
    elif has_id or annotated:
        for _, adjacent in groupby(rows, key=lambda row: row.key):
            yield list(adjacent)
    else:
        yield from ([row] for row in rows)


def _read_example(source: Source, rows: list[QuadRow], number: int) -> Example:
    cells = rows[0].cells
    name, text = rows[0].key
    if name is None and "id" in cells:
        remedy = "fill it in, or remove the column: examples are then numbered"
        raise source.error(rows[0].where, "no id", "one in every row", remedy)
    quads = (_read_quad(source, row, text) for row in rows)
    return Example(
        id=str(number) if name is None else name,
        text=text,
        quads=tuple(quad for quad in quads if quad is not None),
        source=cells.get("source"),
        variant=cells.get("variant"),
    )


def _read_quad(source: Source, row: QuadRow, text: str) -> Quad | None:
    if not row.is_labelled:
        return None
    return Quad(
        aspect=_read_term(source, row, "aspect", text),
        category=row.cells.get("category"),
        opinion=_read_term(source, row, "opinion", text),
        polarity=_read_polarity(source, row),
    )


def _read_polarity(source: Source, row: QuadRow) -> Polarity | None:
    word = row.cells.get("polarity")
    return None if not word or word == EMPTY_QUAD else parse_polarity(source, row.where, word)


def _read_term(source: Source, row: QuadRow, part: str, text: str) -> Term | None:
    """Place a term: without a column for offsets it is looked for, with an empty offset it has no span."""
    surface = row.cells.get(part)
    if surface is None:
        return None
    if f"{part}_start" not in row.cells:
        ordinal = (_read_offset(source, row, ORDINAL) or 0) if part == "aspect" else 0
        term = next(islice(each_term(text, surface), ordinal, None), None) or find_term(text, surface)
        # the word null of a text in another case is not an implicit term
        if term.span is None:
            return None if surface == _IMPLICIT else find_term_caseless(text, surface)
        return term
    start = _read_offset(source, row, f"{part}_start")
    if start is None:
        return Term(surface)
    end = _read_offset(source, row, f"{part}_end")
    if surface == _IMPLICIT and start == end == 0:
        return None
    return locate_term(source, row.where, text, surface, start, start + len(surface) if end is None else end)


def _read_offset(source: Source, row: QuadRow, name: str) -> int | None:
    value = row.cells.get(name)
    if not value:
        return None
    digits = value.strip().removesuffix(".0")
    if not digits.isdecimal() or len(digits) > 9:
        expected = "the number of a character of the text, from 0"
        raise source.error(row.where, f"{name} {value!r:.40}", expected, "correct it or leave it empty")
    return int(digits)


def to_rows(examples: Iterable[Example]) -> Iterator[dict[str, str | int | None]]:
    """Return the rows of examples, one per quad; an example without quads has one row.

    >>> [row["polarity"] for row in to_rows([Example("1", "Nice.", (Quad(),)), Example("2", "Well.")])]
    ['none', None]
    """
    for example in examples:
        for quad in example.quads or (None,):
            row = {"id": example.id, "text": example.text, **_quad_cells(quad)}
            yield {**row, "source": example.source, "variant": example.variant}


def _quad_cells(quad: Quad | None) -> dict[str, str | int | None]:
    if quad is None:
        return dict.fromkeys((*_PARTS, *OFFSETS))
    word = EMPTY_QUAD if quad == Quad() else quad.polarity and quad.polarity.value
    return {
        **_term_cells("aspect", quad.aspect),
        **_term_cells("opinion", quad.opinion),
        "category": quad.category,
        "polarity": word,
    }


def _term_cells(part: str, term: Term | None) -> dict[str, str | int | None]:
    start, end = (term and term.span) or (None, None)
    return {part: term.text if term else None, f"{part}_start": start, f"{part}_end": end}


_SHEETS = ("table", "muse")
"""The formats of tables that name terms."""


def read_predicted(path: Path) -> Corpus:
    """Read predictions; terms of a table without offsets have no span, so that they are compared by words.

    For gold a reader takes the first occurrence; the term that a model means may be the second.
    """
    corpus = read(path)
    header = _read_header_and_rows(path, corpus.provenance.format)
    if find_column(header, (PREDICTED,)) is not None:
        corpus = read(path, corpus.provenance.format, polarity_column=PREDICTED)
    if not header or any(find_column(header, (*NAMES[name], ORDINAL)) is not None for name in OFFSETS):
        return corpus
    return corpus.with_examples(
        replace(example, quads=tuple(map(_unplace, example.quads))) for example in corpus
    )


def _read_header_and_rows(path: Path, format: str) -> Sequence[str]:
    """Return the names of the columns of a table, whatever its file is called; none of another format."""
    if format == "parquet":
        return read_names(Source(path))
    return open_strict_table(Source(path)).header if format in _SHEETS else ()


def read_header(path: Path) -> Sequence[str]:
    """Return the names of the columns; none of a file that is not a table."""
    return open_strict_table(Source(path)).header if path.suffix.lower() in {".csv", ".tsv", ".xlsx"} else ()


def _unplace(quad: Quad) -> Quad:
    aspect, opinion = (term and Term(term.text) for term in (quad.aspect, quad.opinion))
    return replace(quad, aspect=aspect, opinion=opinion)
