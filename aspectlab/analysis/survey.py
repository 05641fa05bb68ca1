"""Survey: read all reviews once before the work begins, to know how many there are and what is wrong.

The input files are read again later, and must hold the same every time.
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Generic, TypeVar

from aspectlab.errors import DataError
from aspectlab.language import find_other_language, name_language
from aspectlab.readers import Review, ReviewFiles, Source
from aspectlab.readers.tables import NUMBER, ReadCounts

Key = TypeVar("Key", bound=Hashable)


class TopCounter(Generic[Key]):
    """Counts of the most frequent keys; where there are too many, the rarest are forgotten.

    A key that is forgotten and met again begins anew, so only counts of rare keys can come out too low.

    >>> counter = TopCounter[str](1000)
    >>> for letter in "banana":
    ...     counter.add(letter)
    >>> counter.top(2)
    [('a', 3), ('n', 2)]
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._counts: dict[Key, int] = {}
        self.has_forgotten = False

    def __len__(self) -> int:
        return len(self._counts)

    def __getitem__(self, key: Key) -> int:
        return self._counts.get(key, 0)

    def add(self, key: Key) -> None:
        """Count a key once."""
        self._counts[key] = self._counts.get(key, 0) + 1
        if len(self._counts) > 2 * self._size:
            self._counts = dict(self.top(self._size))
            self.has_forgotten = True

    def correct(self, counts: Mapping[Key, int]) -> None:
        """Set the counts of some keys, which were counted again by whoever knows which ones matter."""
        self._counts.update(counts)

    def format_distinct(self) -> str:
        """Format how many keys there are; where some are forgotten, how many there are at least.

        >>> TopCounter[str](1000).format_distinct()
        '0'
        """
        return f"over {2 * self._size:,}" if self.has_forgotten else f"{len(self):,}"

    def top(self, number: int | None = None) -> list[tuple[Key, int]]:
        """Return the most frequent keys and their counts; among equals the one that was met first."""
        ranked = sorted(self._counts.items(), key=lambda item: -item[1])
        return ranked[:number]


MAX_GROUPS, MAX_MONTHS, MAX_RATINGS = 50, 240, 12
"""So many groups, months and ratings are told apart in the aggregate; the table holds them all."""

_COUNTED = 10_000
_NAMED_LANGUAGES = 5
_STARS = "★⭐*"
_MONTH = re.compile(r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])(?![0-9])")


@dataclass(eq=False, slots=True)
class Survey:
    """How many reviews there are, in all and by group, month and rating, and what was left out."""

    tally: ReadCounts = field(default_factory=ReadCounts)
    groups: TopCounter[str] = field(default_factory=lambda: TopCounter[str](_COUNTED))
    months: TopCounter[str] = field(default_factory=lambda: TopCounter[str](_COUNTED))
    ratings: TopCounter[str] = field(default_factory=lambda: TopCounter[str](_COUNTED))
    undated: int = 0
    strange_date: str = ""
    languages: Counter[str] = field(default_factory=Counter)
    """Reviews that are surely in another language, by its code."""

    digest: str = ""

    def group_names(self) -> list[str]:
        """Return the largest groups."""
        return [name for name, _ in self.groups.top(MAX_GROUPS)]

    def month_names(self) -> list[str]:
        """Return the last months, in order."""
        return sorted(name for name, _ in self.months.top())[-MAX_MONTHS:]

    def rating_names(self) -> list[str]:
        """Return the most frequent ratings, in order."""
        return sorted((name for name, _ in self.ratings.top(MAX_RATINGS)), key=_by_number)

    def name_languages(self) -> str:
        """Name the other languages with their counts, the most frequent first."""
        ranked = self.languages.most_common()
        named = [f"{name_language(code)} {count:,}" for code, count in ranked[:_NAMED_LANGUAGES]]
        rest = sum(count for _, count in ranked[_NAMED_LANGUAGES:])
        return ", ".join([*named, *([f"others {rest:,}"] if rest else [])])

    def refuse_foreign(self, path: Path, language: str | None) -> None:
        """Refuse files without a single review in the language that the model knows."""
        if self.languages.total() < self.tally.reviews:
            return
        expected = f"some in {name_language(language or '')}"
        remedy = "name a --model that knows it, or analyse it all the same with --any-language"
        raise DataError(f"{path}: found reviews in {self.name_languages()}: expected {expected}; {remedy}")

    def notices(self) -> Iterator[str]:
        """Report what was left out, and what is strange."""
        yield from self.tally.notices()
        if self.languages:
            found = f"{self.languages.total():,} ({self.name_languages()})"
            yield f"reviews in another language, not analysed: {found}; --any-language analyses them too"
        if self.undated:
            found = f"{self.undated:,}, such as {self.strange_date!r:.60}"
            yield f"dates that are not understood: {found}: these reviews count for no month"
        if len(self.groups) > MAX_GROUPS:
            yield f"the {MAX_GROUPS} largest of {self.groups.format_distinct()} groups are compared"
        if len(self.months) > MAX_MONTHS:
            yield f"the last {MAX_MONTHS} of {self.months.format_distinct()} months are told apart"
        if len(self.ratings) > MAX_RATINGS:
            total = self.ratings.format_distinct()
            yield f"the {MAX_RATINGS} most frequent of {total} ratings are told apart"


def survey_reviews(reviews: ReviewFiles, language: str | None = None) -> Survey:
    """Read all reviews once, and count those that are surely not in the language; None takes any.

    This takes a hundredth of the time that the model takes.
    """
    survey = Survey()
    digest = ReviewDigest()
    for review in reviews.read(survey.tally):
        digest.add(review)
        if language and (other := find_other_language(review.text, language)):
            survey.languages[other] += 1
        for counter, value in (
            (survey.groups, review.group),
            (survey.months, month_of(review.date)),
            (survey.ratings, review.rating),
        ):
            if value:
                counter.add(value)
        if review.date and not month_of(review.date):
            survey.undated += 1
            survey.strange_date = survey.strange_date or review.date
    survey.digest = digest.hex()
    if survey.groups.has_forgotten:
        _recount_groups(survey, reviews)
    return survey


def _recount_groups(survey: Survey, reviews: ReviewFiles) -> None:
    """Count the groups that may be shown again: one that was forgotten and met again has too few."""
    names = {name for name, _ in survey.groups.top(_COUNTED)}
    found = (review.group for review in reviews.read(ReadCounts()))
    survey.groups.correct(Counter(name for name in found if name in names))


def month_of(date: str) -> str:
    """Return the month of an ISO date, or nothing for what is none.

    >>> month_of("2025-03-01"), month_of("last week"), month_of("2025-13-01")
    ('2025-03', '', '')
    """
    return date[:7] if _MONTH.match(date) else ""


def _by_number(name: str) -> tuple[float, str]:
    """Order ratings by their first number, or by their stars; what has neither comes last.

    >>> sorted(["none", "10/10", "2/10", "★★★☆☆"], key=_by_number)
    ['2/10', '★★★☆☆', '10/10', 'none']
    """
    value = parse_rating(name)
    return float("inf") if value is None else value, name


def parse_rating(text: str) -> float | None:
    """Return the first number of a rating, or its stars; None where it has neither.

    >>> parse_rating("4,5 of 5"), parse_rating("★★★☆☆"), parse_rating("good")
    (4.5, 3.0, None)
    """
    if number := NUMBER.search(text):
        return float(number[0].replace(",", "."))
    stars = sum(map(text.count, _STARS))
    return float(stars) if stars or "☆" in text else None


_FileState = tuple[int, ...]
"""Size, time of the last change, and identity: what differs after a change, unless someone hides it."""


class ReviewDigest:
    """A hash of all reviews so far: two readings of a file that gave the same reviews have the same.

    >>> one, other = ReviewDigest(), ReviewDigest()
    >>> one.add(Review("1", "Nice.")), other.add(Review("1", "Nice"))
    (None, None)
    >>> one.hex() == other.hex()
    False
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, review: Review) -> None:
        """Add a review."""
        cells = review.id, review.text, review.group, review.date, review.rating, ""
        # half a surrogate pair is no UTF-8, but may stand in JSON
        self._hash.update("\0".join(cells).encode("utf-8", "surrogatepass"))

    def hex(self) -> str:
        """Return the hash, to which more can be added."""
        return self._hash.hexdigest()


class InputFiles:
    """Files whose state is noted before they are opened, that are hashed once read, and checked again."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        self.hashes: tuple[str, ...] = ()
        self._states = [_read_state(path) for path in self.paths]

    @property
    def title(self) -> str:
        """What an analysis of the files is called."""
        first = self.paths[0].name
        return first if len(self.paths) == 1 else f"{first} and {len(self.paths) - 1} more"

    def hide_folders(self, notices: Iterable[str]) -> Iterator[str]:
        """Return notices without the folders of the files, which are private."""
        folders = sorted({f"{path.parent}{os.sep}" for path in self.paths}, key=len, reverse=True)
        for notice in notices:
            yield reduce(lambda text, folder: text.replace(folder, ""), folders, notice)

    def fix(self, paths: Sequence[Path]) -> None:
        """Hash the files, which were just read for the first time; refuse those that are being written."""
        if list(paths) != list(self.paths):
            raise _changed(self.paths[0].parent, "other files")
        self.hashes = tuple(Source(path).sha256 for path in self.paths)
        for path, state in zip(self.paths, self._states, strict=True):
            if _read_state(path) != state:
                raise _changed(path, "other content")

    def compare(self, first: str, later: str) -> None:
        """Refuse files whose reviews, by their digests, were others when they were read again."""
        if first != later:
            self.refuse_change()
            # changed, and changed back again
            raise _changed(self.paths[0], "other reviews")

    def refuse_change(self, number: int | None = None) -> None:
        """Refuse files, or the one of this number, that changed since; a mere new date is no change."""
        for index in range(len(self.paths)) if number is None else [number % len(self.paths)]:
            path, state = self.paths[index], _read_state(self.paths[index])
            if state == self._states[index]:
                continue
            if Source(path).sha256 != self.hashes[index]:
                raise _changed(path, "other content")
            self._states[index] = state


def _read_state(path: Path) -> _FileState:
    try:
        status = path.stat()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    return status.st_size, status.st_mtime_ns, status.st_ino


def _changed(path: Path, found: str) -> DataError:
    return DataError(
        f"{path}: found {found} than when this analysis began: expected files that stay as they are until "
        "they are analysed; run the same command again when nothing writes to them"
    )
