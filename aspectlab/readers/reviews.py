"""Reviews: texts of customers with an id, a group, a date and a rating, streamed from tables of any kind."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from aspectlab.errors import ConfigError, DataError
from aspectlab.readers.opiniontable import TEXT_COLUMN, name_carried_columns
from aspectlab.readers.source import Source, check_encoding
from aspectlab.readers.tables.columns import (
    KNOWN_NAMES,
    OPTIONS,
    ColumnProfile,
    choose_named_column,
    choose_review_columns,
    normalise_name,
)
from aspectlab.readers.tables.dates import fit_both_orders, is_day_first, parse_date
from aspectlab.readers.tables.lenient import (
    CARRIED,
    MAX_COLUMNS,
    Cells,
    LenientTable,
    ReadCounts,
    WorkbookTable,
    read_all,
)
from aspectlab.readers.tables.opening import open_lenient_table

ENDINGS = (
    ".csv",
    ".tsv",
    ".tab",
    ".jsonl",
    ".ndjson",
    ".json",
    ".parquet",
    ".xlsx",
    ".xlsb",
    ".xls",
    ".ods",
    ".txt",
)
"""The files of a folder that are taken as reviews."""

SUMMARY, FOLDER = "analysis.json", ".work"
"""What the folder of a complete analysis holds, and that of one under way: it is not a folder of reviews."""


def find_files(paths: Sequence[Path]) -> list[Path]:
    """List the files to read: those named, and in folders those with a known ending, in order of name."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(filter(_has_known_ending, _files_below(path)))
            if not inside:
                raise DataError(
                    f"{path}: found no review file in this folder: expected {', '.join(ENDINGS)}; name a file"
                )
            found += inside
        elif path.exists():
            found.append(path)
        else:
            raise DataError(f"{path}: cannot be read: No such file or directory; check the path")
    # two paths may lead to one file: its reviews count once
    once: dict[Path, Path] = {}
    for path in found:
        once.setdefault(path.resolve(), path)
    return list(once.values())


def store_stream(stream: BinaryIO, folder: Path) -> Path:
    """Write what a stream holds to a file whose ending says what it looks like, and return its path."""
    draft = folder / "stdin.part"
    with draft.open("wb") as file:
        shutil.copyfileobj(stream, file)
    first = next((line.strip() for line in Source(draft).head.lines if line.strip()), "")
    named = {normalise_name(cell) for cell in re.split(r"[,;\t|]", first)} & KNOWN_NAMES
    ending = ".json" if first.startswith(("{", "[")) else ".csv" if named else ".txt"
    return draft.replace(folder / f"stdin{ending}")


def name_unread_files(paths: Sequence[Path]) -> Iterator[str]:
    """Describe for each folder which of its files are not read, so that none is missed unseen."""
    for path in filter(Path.is_dir, paths):
        others = sorted(found.name for found in _files_below(path) if not _has_known_ending(found))
        if others:
            more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
            yield f"{path.resolve().name}: not read, since of another kind: {others[0]!r}{more}"


def _files_below(folder: Path) -> Iterator[Path]:
    """Return the files of a folder and those in it, without hidden ones and without what analyses wrote."""
    for path in folder.iterdir():
        if path.name.startswith("."):
            continue
        if path.is_dir():
            is_result = (path / SUMMARY).exists() or (path / FOLDER).exists()
            yield from () if is_result or path.is_symlink() else _files_below(path)
        elif path.is_file():
            yield path


def _has_known_ending(path: Path) -> bool:
    return path.suffix.lower() in ENDINGS


MAX_REVIEW_CHARS = 100_000
"""A longer review is cut: the longest of a large shop has about 30,000 characters."""

MAX_CARRIED, _MAX_CARRIED_CHARS = 100, 1_000
"""So many other columns are carried to the tables, each cell cut to so many characters."""

_MAX_CELL = 200
_SHOWN_FILES = 5
_LEAST_WORDS = 4
# a gap in a column makes programs write 5.0 for 5: in one file so, in another so, it is one rating
_WHOLE = re.compile(r"^(\d+)[.,]0+$")
_SAMPLE_ROWS, _SAMPLE_CHARS = 300, 1 << 20


@dataclass(frozen=True, slots=True)
class Review:
    """One review; what the file does not say is the empty string. Dates that are understood are ISO."""

    id: str
    text: str
    group: str = ""
    date: str = ""
    rating: str = ""
    parts: tuple[tuple[int, str], ...] = ()
    """Where several columns hold the text: the offset at which each begins, and its name."""

    carried: tuple[str, ...] = ()
    """The cells of the other columns, which come out as they came in."""

    def carry(self, start: int) -> tuple[str, ...]:
        """Return what follows an opinion at an offset: the column it is from, where there are several."""
        column = [name for offset, name in self.parts if offset <= start][-1:]
        return (*column, *self.carried)


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """How review files are to be read; a column that is None is looked for, an empty name means none.

    Several columns of texts are read one after the other, several of groups together.
    """

    text: str | Sequence[str] | None = None
    id: str | None = None
    group: str | Sequence[str] | None = None
    date: str | None = None
    rating: str | None = None
    encoding: str | None = None
    limit: int | None = None
    sheet: str | None = None

    @property
    def columns(self) -> dict[str, str | None]:
        """The columns that were named, by what they hold; of several the first."""
        named = {role: getattr(self, role) for role in OPTIONS}
        return {role: name if isinstance(name, str | None) else name[0] for role, name in named.items()}

    def list_more(self, role: str) -> Sequence[str]:
        """Return the columns of a role behind the first one."""
        named = getattr(self, role)
        return () if isinstance(named, str | None) else named[1:]


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """One file, opened: its table and which column holds what."""

    table: LenientTable
    columns: Mapping[str, int]
    day_first: bool

    @property
    def carried(self) -> dict[str, int]:
        """The columns that no role takes, by their names."""
        taken = set(self.columns.values())
        named = enumerate(self.table.header[:MAX_COLUMNS])
        return {name: index for index, name in named if name and index not in taken}

    def list_names(self, role: str) -> list[str]:
        """Name the columns of a role in the order in which they were named."""
        keys = [key for key in self.columns if key.partition(" ")[0] == role]
        return [self.table.header[self.columns[key]] for key in keys]

    def describe(self) -> dict[str, str]:
        """Name the columns that are used, by what they hold."""
        return {role: self.table.header[index] for role, index in self.columns.items()}


@dataclass(frozen=True, slots=True)
class ReviewFiles:
    """The files of one analysis; their reviews can be streamed again and again, always the same."""

    files: tuple[ReviewFile, ...]
    limit: int | None = None
    notices: tuple[str, ...] = field(default=())

    @property
    def paths(self) -> list[Path]:
        """The files."""
        return [file.table.path for file in self.files]

    @property
    def names(self) -> list[str]:
        """What tells the files apart: their stems or, where two are equal, their paths in the same folder."""
        stems = [path.stem for path in self.paths]
        if len(set(stems)) == len(stems):
            return stems
        paths = [path.absolute() for path in self.paths]
        top = os.path.commonpath([path.parent for path in paths])
        return [path.relative_to(top).as_posix() for path in paths]

    def describe_columns(self) -> Iterator[str]:
        """Name the columns that are used, once for files that have the same."""
        seen: dict[str, list[Path]] = {}
        for file in self.files:
            used = ", ".join(f"{role}: {name!r}" for role, name in file.describe().items())
            seen.setdefault(used, []).append(file.table.path)
        for used, paths in list(seen.items())[:_SHOWN_FILES]:
            more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            yield f"{paths[0]}{more}: columns: {used}"

    @property
    def carried(self) -> list[str]:
        """The columns of all files that no role takes, which the tables carry at their end."""
        return list(dict.fromkeys(name for file in self.files for name in file.carried))[:MAX_CARRIED]

    @property
    def has_parts(self) -> bool:
        """Whether several columns hold the texts."""
        return any(len(file.list_names("text")) > 1 for file in self.files)

    @property
    def more_columns(self) -> list[str]:
        """Name the columns that the tables have behind those of opinions."""
        return name_carried_columns([*([TEXT_COLUMN] if self.has_parts else []), *self.carried])

    def read(self, tally: ReadCounts) -> Iterator[Review]:
        """Stream the reviews that have a text; `tally` counts them and what was left out."""
        for review in islice(self._read_all(tally), self.limit):
            tally.reviews += 1
            yield review

    def _read_all(self, tally: ReadCounts) -> Iterator[Review]:
        carried, has_parts = self.carried, self.has_parts
        for file, name in zip(self.files, self.names, strict=True):
            prefix = f"{name}-" if len(self.files) > 1 else ""
            own = file.carried
            wanted = dict(file.columns) | {f"{CARRIED}{each}": own[each] for each in carried if each in own}
            for number, cells in enumerate(read_all(file.table, wanted, tally), start=1):
                text, parts = _join_texts(file, cells)
                if not text.strip():
                    tally.empty += 1
                    continue
                tally.cut += len(text) > MAX_REVIEW_CHARS
                more = tuple(cells.get(f"{CARRIED}{each}", "")[:_MAX_CARRIED_CHARS] for each in carried)
                review = _make_review(file, {**cells, "text": text}, f"{prefix}{number}")
                yield replace(review, parts=parts if has_parts else (), carried=more)


def open_reviews(paths: Sequence[Path], reading: ReviewOptions | None = None) -> ReviewFiles:
    """Open files and folders of reviews; what cannot be read at all is refused before any work is done.

    >>> reviews = open_reviews([Path("examples/reviews.csv")])
    >>> reviews.files[0].describe()["group"]
    'product'
    >>> next(reviews.read(ReadCounts())).id
    'review-001'
    """
    wish = reading or ReviewOptions()
    if wish.text is not None and "" in (wish.text or [""], *wish.list_more("text"), wish.columns["text"]):
        raise ConfigError("--text-column '': expected the name of a column; texts are what is analysed")
    encoding = check_encoding(wish.encoding) if wish.encoding else None
    files, notices = [], list(name_unread_files(paths))
    for path in find_files(paths):
        table, notes = open_lenient_table(path, encoding, wish.sheet)
        file, more = _open_file(table, wish)
        files.append(file)
        notices += [*notes, *more]
    if wish.sheet is not None and not any(isinstance(file.table, WorkbookTable) for file in files):
        raise ConfigError(f"--sheet {wish.sheet!r}: found no workbook among the files; leave it out")
    return ReviewFiles(tuple(files), wish.limit, tuple(notices))


def _open_file(table: LenientTable, wish: ReviewOptions) -> tuple[ReviewFile, list[str]]:
    """Find the columns of a table; gives what a user should know of them as well."""
    everything = {str(index): index for index in range(min(len(table.header), MAX_COLUMNS))}
    sample = list(_sample(read_all(table, everything, ReadCounts())))
    profiles = [
        ColumnProfile(tuple(row[name] for row in sample if row[name].strip()), len(sample))
        for name in everything
    ]
    try:
        columns = choose_review_columns(table.header[:MAX_COLUMNS], profiles, wish.columns)
        for role in ("text", "group"):
            for number, name in enumerate(wish.list_more(role), start=2):
                columns[f"{role} {number}"] = choose_named_column(table.header, name, OPTIONS[role])
    except ConfigError as error:
        raise ConfigError(f"{table.path}: {error}") from None
    if "text" not in columns:
        taken = ", ".join(f"{OPTIONS[role]} {table.header[index]!r}" for role, index in columns.items())
        raise ConfigError(
            f"{table.path}: {taken}: no column is left for the texts; name theirs with --text-column"
        )
    dates = profiles[columns["date"]].filled if "date" in columns else ()
    file = ReviewFile(table, columns, is_day_first(_show_order(table, columns, dates)))
    return file, [] if wish.text else list(_name_unread(file, profiles))


def _name_unread(file: ReviewFile, profiles: Sequence[ColumnProfile]) -> Iterator[str]:
    """Name the columns with as much prose as that of the texts: praise and blame may have one each."""
    taken = file.columns["text"]
    for index, profile in enumerate(profiles):
        is_rich = profile.words >= _LEAST_WORDS and 2 * profile.chars >= profiles[taken].chars
        if index not in file.columns.values() and is_rich and profile.is_text:
            name, used = file.table.header[index], file.table.header[taken]
            yield (
                f"{file.table.path}: column {name!r} looks like text too, and is not analysed: only {used!r} "
                "is; name each to analyse with --text-column"
            )


def _show_order(table: LenientTable, columns: Mapping[str, int], sample: Sequence[str]) -> Iterator[str]:
    """Return dates that tell days from months: in a file sorted by date the first may all fit both."""
    if not fit_both_orders(sample):
        return iter(sample)
    return (cells["date"] for cells in read_all(table, {"date": columns["date"]}, ReadCounts()))


def _sample(rows: Iterator[Cells]) -> Iterator[Cells]:
    """Take the first rows, fewer where they are long."""
    chars = 0
    for cells in islice(rows, _SAMPLE_ROWS):
        yield cells
        chars += sum(map(len, cells.values()))
        if chars > _SAMPLE_CHARS:
            return


def _join_texts(file: ReviewFile, cells: Cells) -> tuple[str, tuple[tuple[int, str], ...]]:
    """Join the texts of several columns with an empty line between them, which ends a sentence."""
    keys = [key for key in file.columns if key.partition(" ")[0] == "text"]
    text, parts = "", []
    for key in keys:
        if cells[key].strip():
            text += _GAP if text else ""
            parts.append((len(text), file.table.header[file.columns[key]]))
            text += cells[key]
    return text, tuple(parts)


def _join_groups(file: ReviewFile, cells: Cells) -> str:
    keys = [key for key in file.columns if key.partition(" ")[0] == "group"]
    return _BETWEEN.join(filter(None, (cells[key].strip()[:_MAX_CELL] for key in keys)))


_GAP, _BETWEEN = "\n\n", " · "


def _make_review(file: ReviewFile, cells: Cells, number: str) -> Review:
    date = cells.get("date", "").strip()
    found = parse_date(date, day_first=file.day_first) if date else ""
    return Review(
        id=cells.get("id", "").strip()[:_MAX_CELL] or number,
        text=cells["text"][:MAX_REVIEW_CHARS],
        group=_join_groups(file, cells),
        date=(found or date)[:_MAX_CELL],
        rating=_WHOLE.sub(r"\1", cells.get("rating", "").strip()[:_MAX_CELL]),
    )
