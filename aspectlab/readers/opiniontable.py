"""The table of opinions that an analysis writes: its files, its columns, and how to recognise it later."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, groupby
from typing import NamedTuple, cast

from aspectlab.data import Example, Quad, Term
from aspectlab.readers import Source, locate_term
from aspectlab.readers.tables.columns import parse_polarity

OPINIONS_CSV, OPINIONS_PARQUET = "opinions.csv", "opinions.parquet"

OTHER, NOT_NAMED = "other", "not named"
"""The category of what fits none; earlier versions had the second for what has no aspect and no category."""

REST = frozenset((OTHER, NOT_NAMED))
"""Categories that are no aspect: what is in them may be something else each time."""

NOT_ANALYSED = "not analysed"
"""The category of a row that is no opinion, but a whole review in another language."""

Cell = str | int | float | None


class Opinion(NamedTuple):
    """One opinion; offsets count characters of the review, and are None for what does not occur in it.

    What a review does not name is "": the aspect of "Way too expensive", the opinion of "The gearbox failed".
    `category` is what the opinion counts for, `parent` the category of the first level that this belongs to
    (itself if it is one), and `predicted_category` the name that the model gives, if it gives any. `carried`
    are the cells of the columns that the input has beside those.
    """

    review: str
    group: str
    date: str
    rating: str
    sentence: int
    sentence_start: int
    aspect: str
    aspect_start: int | None
    aspect_end: int | None
    opinion: str
    opinion_start: int | None
    opinion_end: int | None
    polarity: str
    probability: float | None
    category: str
    text: str
    predicted_category: str = ""
    parent: str = ""
    carried: Sequence[str] = ()

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of the columns that every table has."""
        return cast(tuple[Cell, ...], self[:-1])


COLUMNS = Opinion._fields[:-1]
"""The columns of `opinions.csv` and `opinions.parquet`, in order."""

TEXT_COLUMN = "text_column"
"""Where several columns hold the texts: the column that an opinion is from."""


def name_carried_columns(names: Iterable[str]) -> list[str]:
    """Name the columns that follow those of opinions; none may be called as another, in any case.

    >>> name_carried_columns(["Country", "category", "Category"])
    ['Country', 'category (input)', 'Category (input 2)']
    """
    taken = {column.lower() for column in COLUMNS}
    found: list[str] = []
    for name in names:
        plain = name.encode("utf-8", "replace").decode()[:_LONGEST_NAME]
        forms = (f"{plain} (input{f' {number}' if number > 1 else ''})" for number in count(1))
        chosen = next(form for form in chain([plain], forms) if form.lower() not in taken)
        taken.add(chosen.lower())
        found.append(chosen)
    return found


_LONGEST_NAME = 200
_FIRST_COLUMNS = frozenset(
    (
        *("review", "group", "date", "rating", "sentence", "sentence_start"),
        *("aspect", "aspect_start", "aspect_end", "opinion", "opinion_start", "opinion_end"),
        *("polarity", "probability", "category", "text"),
    )
)
"""The columns of the first version: every table has them, whatever `COLUMNS` gains."""


def is_opinion_table(header: Iterable[str]) -> bool:
    """Report whether an analysis wrote a table with these columns, of this version or an earlier one.

    >>> is_opinion_table(COLUMNS), is_opinion_table((*COLUMNS, "language")), is_opinion_table(["text"])
    (True, True, False)
    """
    return set(header) >= _FIRST_COLUMNS


Cells = Mapping[str, str | None]


def read_opinions(source: Source, rows: Iterable[tuple[int | str, Cells]]) -> Iterator[Example]:
    """Return each sentence of a table of opinions as an example; offsets there are those of the review."""
    analysed = (row for row in rows if row[1].get("category") != NOT_ANALYSED)
    for key, found in groupby(analysed, key=lambda row: [row[1].get(name) or "" for name in _SENTENCE]):
        review, number, start, text = key
        quads = [_read_quad(source, where, cells, text, start) for where, cells in found]
        yield Example(f"{review}-{number}", text, quads)


_SENTENCE = ("review", "sentence", "sentence_start", "text")


def _read_quad(source: Source, where: int | str, cells: Cells, text: str, start: str) -> Quad:
    aspect, opinion = (_read_term(source, where, cells, part, text, start) for part in ("aspect", "opinion"))
    category = cells.get("predicted_category") or (cells.get("category") if aspect else None)
    word = cells.get("polarity")
    return Quad(aspect, category, opinion, parse_polarity(source, where, word) if word else None)


def _read_term(
    source: Source, where: int | str, cells: Cells, part: str, text: str, start: str
) -> Term | None:
    surface, first, last = (cells.get(name) or "" for name in (part, f"{part}_start", f"{part}_end"))
    if not surface:
        return None
    if not all(number.isdecimal() and len(number) < _DIGITS for number in (start, first, last)):
        return Term(surface)
    begin = int(first) - int(start)
    return locate_term(source, where, text, surface, begin, begin + int(last) - int(first))


_DIGITS = 10
