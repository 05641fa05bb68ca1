"""Analyse texts in memory: lists, pandas columns and tables in, results with rows out."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import chain
from typing import Protocol, TypeGuard, cast

from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.insight.assembling import categorise, group_opinions
from aspectlab.insight.opinions import COLUMNS, Cell, Result, find_opinions
from aspectlab.insight.predictor import Predictor
from aspectlab.insight.reviewcolumns import Profile, choose_columns
from aspectlab.insight.reviews import Review
from aspectlab.insight.reviewtext import is_clean

_SAMPLE = 300
_BLOCK = 1_000
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class Column(Protocol):
    """A column of a table, as pandas has it; the index names its rows."""

    @property
    def index(self) -> Iterable[object]:
        """The names of the rows."""
        ...

    def to_list(self) -> list[object]:
        """Give the cells."""
        ...


class Frame(Protocol):
    """A table with named columns, as pandas has it."""

    @property
    def columns(self) -> Iterable[object]:
        """The names of the columns."""
        ...

    def __getitem__(self, name: str) -> Column: ...


class Results(list[Result]):
    """The results of several texts, one each, in their order."""

    def to_rows(self) -> list[dict[str, Cell]]:
        """Give the rows of all results, one an opinion."""
        return list(chain.from_iterable(result.to_rows() for result in self))

    def to_pandas(self) -> Frame:
        """Give the rows as a pandas table."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise MissingPartError(
                "to_pandas: the package pandas is not installed: get it with: pip install pandas"
            ) from None
        return cast(Frame, pandas.DataFrame(self.to_rows(), columns=list(COLUMNS)))


def analyze_texts(
    predictor: Predictor, reviews: Sequence[Review], aspects: Sequence[str] | None = None
) -> Results:
    """Find the opinions of reviews and name their categories."""
    if isinstance(aspects, str):
        raise _refuse_string("aspects", aspects)
    blocks = (reviews[start : start + _BLOCK] for start in range(0, len(reviews), _BLOCK))
    found = [result for block in blocks for result in find_opinions(predictor, block)]
    opinions = (opinion for result in found for opinion in result.opinions)
    grouping = group_opinions(opinions, predictor, aspects)
    return Results(
        replace(result, opinions=tuple(categorise(opinion, grouping) for opinion in result.opinions))
        for result in found
    )


def as_reviews(texts: Iterable[object] | Column | Frame, text_column: str | None = None) -> list[Review]:
    """Take texts as reviews; in a table the column of the texts is found as in a file.

    >>> [review.id for review in as_reviews(["Nice.", None])]
    ['0', '1']
    """
    # a string is an iterable of its letters, but never meant as one
    if isinstance(texts, str):
        raise _refuse_string("texts", texts)
    # the same goes for a dictionary and its keys
    if isinstance(texts, Mapping):
        raise ConfigError(
            f"texts: found a dictionary, {texts!r:.60}: expected texts; give its values as a list"
        )
    if _is_frame(texts):
        texts = _take_column(texts, text_column)
    elif text_column is not None:
        raise ConfigError(f"text_column = {text_column!r}: the texts are no table: leave it out")
    if _is_column(texts):
        return [_as_review(name, cell) for name, cell in zip(texts.index, texts.to_list(), strict=True)]
    if not isinstance(texts, Iterable):
        raise ConfigError(f"texts: found {texts!r:.60}: expected strings; write them as a list")
    return [_as_review(number, cell) for number, cell in enumerate(texts)]


def _is_frame(texts: object) -> TypeGuard[Frame]:
    return hasattr(texts, "columns")


def _is_column(texts: object) -> TypeGuard[Column]:
    return hasattr(texts, "to_list") and hasattr(texts, "index")


def _refuse_string(what: str, found: str) -> ConfigError:
    return ConfigError(f"{what}: found one string, {found!r:.60}: expected several; write them as a list")


def _take_column(frame: Frame, name: str | None) -> Column:
    """Give the column of the texts; pandas also has columns whose names are numbers, and equal names."""
    labels = list(frame.columns)
    # Arrow calls the cells so
    if not all(isinstance(label, Hashable) for label in labels):
        raise ConfigError(
            f"texts: found a {type(frame).__name__} whose columns are no names: expected a table as pandas "
            "has it; convert it first: to_pandas()"
        )
    shown = f"{', '.join(map(str, labels)):.200}"
    if name is None and len(set(labels)) < len(labels):
        raise ConfigError(f"texts: found columns of one name: {shown}: name that of the texts: text_column")
    label = _find_text(frame, labels) if name is None else name
    if labels.count(label) != 1:
        found = "no such column" if label not in labels else "several such columns"
        raise ConfigError(f"text_column = {label!r}: the table has {found}: There are: {shown}")
    return frame[label]


def _find_text(frame: Frame, labels: Sequence[object]) -> str:
    names = [str(label) for label in labels]
    columns = [frame[cast(str, label)].to_list()[:_SAMPLE] for label in labels]
    samples = [[_as_text(cell) for cell in column] for column in columns]
    profiles = [Profile(tuple(filter(str.strip, cells)), len(cells)) for cells in samples]
    chosen = choose_columns(names, profiles, {})
    if "text" not in chosen:
        raise ConfigError("texts: found a table without columns: expected one with texts")
    return cast(str, labels[chosen["text"]])


def _as_text(cell: object) -> str:
    return cell if isinstance(cell, str) else "" if _is_missing(cell) else str(cell)


def _as_review(name: object, cell: object) -> Review:
    if not isinstance(cell, str) and not _is_missing(cell):
        raise ConfigError(f"text {name}: found {cell!r:.60}: expected a string; convert the column first")
    text = cell if isinstance(cell, str) else ""
    # half a surrogate pair has no UTF-8 form; a sign of the same length keeps the offsets
    return Review(str(name), text if is_clean(text) else _HALF_PAIR.sub("\ufffd", text))


def _is_missing(cell: object) -> bool:
    """Tell None and the values of pandas that are not equal to themselves."""
    return cell is None or (isinstance(cell, float) and cell != cell) or type(cell).__name__ == "NAType"
