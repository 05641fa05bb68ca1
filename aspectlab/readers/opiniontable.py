"""The table of opinions that an analysis writes: its files, its columns, and how to recognise it later."""

from collections.abc import Iterable
from typing import NamedTuple

OPINIONS_CSV, OPINIONS_PARQUET = "opinions.csv", "opinions.parquet"

OTHER, NOT_NAMED = "other", "not named"
"""The category of what fits none; earlier versions had the second for what has no aspect and no category."""

REST = frozenset((OTHER, NOT_NAMED))
"""Categories that are no aspect: what is in them may be something else each time."""

Cell = str | int | float | None


class Opinion(NamedTuple):
    """One opinion; offsets count characters of the review, and are None for what does not occur in it.

    What a review does not name is "": the aspect of "Way too expensive", the opinion of "The gearbox failed".
    `category` is what the opinion counts for, `parent` the category of the first level that this belongs to
    (itself if it is one), and `predicted_category` the name that the model gives, if it gives any.
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


COLUMNS = Opinion._fields
"""The columns of `opinions.csv` and `opinions.parquet`, in order."""

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
