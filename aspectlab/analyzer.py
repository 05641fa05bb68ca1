"""Analyzer: find opinions in texts from Python, with the shipped model or another one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeGuard, cast, overload

from aspectlab.analysis import (
    Result,
    Taxonomy,
    assign_opinions,
    categorise,
    check_probability,
    choose_taxonomy,
    find_opinions,
    is_likely,
    load_taxonomy,
)
from aspectlab.data import Polarity, Quad, Span, Term
from aspectlab.errors import ConfigError, DataError, MissingPartError
from aspectlab.readers import COLUMNS, Cell, Opinion, Review, is_clean
from aspectlab.readers.tables import ColumnProfile, choose_review_columns
from aspectlab.runtime import HOUSE, SHIPPED, Predictor, load_predictor


class Analyzer:
    """Finds what texts say of which aspect; the model is loaded when it is first needed.

    >>> from aspectlab import Analyzer
    >>> result = Analyzer(min_probability=0.5).analyze("The soup was lovely, but the waiter was curt.")
    >>> [(found.aspect, found.opinion, found.polarity) for found in result.opinions]
    [('soup', 'lovely', 'positive'), ('waiter', 'curt', 'negative')]
    """

    def __init__(
        self,
        model: str | Path | None = None,
        engine: str = "auto",
        *,
        threads: int | None = None,
        style: str = HOUSE,
        min_probability: float = 0.0,
        predictor: Predictor | None = None,
    ) -> None:
        """Choose the model: a folder that `aspectlab export` wrote, or the shipped one.

        A model of several annotation styles cuts terms as `style` does. Opinions less probable than
        `min_probability` are left out. A `predictor` is used as it is; what names a model then says nothing.
        """
        check_probability(min_probability)
        self.model = model
        self.engine = engine
        self.threads = threads
        self.style = style
        self.min_probability = min_probability
        self._predictor = predictor
        self._is_given = predictor is not None

    @classmethod
    def from_pretrained(cls, path: str | Path, engine: str = "auto") -> Analyzer:
        """Use the model in a folder."""
        if not Path(path).is_dir():
            raise ConfigError(f"{path}: no such folder: expected one that save_pretrained wrote")
        return cls(path, engine)

    def save_pretrained(self, path: str | Path) -> None:
        """Copy the model to a new folder, from which `from_pretrained` takes it."""
        if self._is_given:
            raise ConfigError(
                "save_pretrained: this analyzer was given its predictor: expected one with a folder to copy; "
                "save the model with what made it"
            )
        source, target = Path(self.model or SHIPPED), Path(path)
        if not source.is_dir():
            raise ConfigError(f"{source}: no such folder: expected one with a model; nothing was saved")
        try:
            shutil.copytree(source, target)
        except FileExistsError:
            raise ConfigError(f"{target}: exists already: expected a new folder; choose another") from None
        except OSError as error:
            raise DataError(f"{target}: cannot be written: {error}; check the folder") from None

    @property
    def predictor(self) -> Predictor:
        """The loaded model."""
        if self._predictor is None:
            self._predictor = load_predictor(
                self.model, engine=self.engine, threads=self.threads, style=self.style
            )
        return self._predictor

    # a string is also an iterable of strings, but never meant as one
    @overload
    def analyze(self, texts: str) -> Result: ...  # type: ignore[overload-overlap]

    @overload
    def analyze(
        self,
        texts: Iterable[str | None] | SeriesLike | DataFrameLike,
        *,
        aspects: Sequence[str] | None = None,
        taxonomy: str | Path | None = None,
        text_column: str | None = None,
    ) -> Results: ...

    def analyze(
        self,
        texts: str | Iterable[str | None] | SeriesLike | DataFrameLike,
        *,
        aspects: Sequence[str] | None = None,
        taxonomy: str | Path | None = None,
        text_column: str | None = None,
    ) -> Result | Results:
        """Find the opinions of texts: one result a text, in their order; one text gives one result.

        Texts may be a list, a pandas column, or a pandas table, whose `text_column` is found if not named.
        Categories are the built-in ones and those discovered over all the texts; `aspects` fixes their names,
        and `taxonomy` is a file of categories. What a text does not name is "", as the aspect of "Way too
        expensive", in whose place the category stands.

        >>> from aspectlab import Analyzer
        >>> results = Analyzer().analyze(["Lovely soup!", "We came by bus."], aspects=["soup", "service"])
        >>> [len(result.opinions) for result in results]
        [1, 0]
        >>> found = results[0].opinions[0]
        >>> found.aspect, found.opinion, found.category, found.polarity, found.probability > 0.5
        ('soup', 'Lovely', 'soup', 'positive', True)
        """
        if aspects and taxonomy:
            raise ConfigError("aspects and taxonomy: found both: expected one of them; leave the other out")
        chosen = load_taxonomy(taxonomy) if taxonomy else None
        is_one = isinstance(texts, str)
        reviews = as_reviews([texts] if isinstance(texts, str) else texts, text_column)
        results = analyze_texts(self.predictor, reviews, aspects, self.min_probability, chosen)
        return results[0] if is_one else results

    def predict(self, texts: Iterable[str | None] | SeriesLike) -> list[tuple[Quad, ...]]:
        """Return the opinions of each text as quads, as gold data has them; None is what is not named.

        A category that the model gives keeps its name; elsewhere it is the group of the aspect.
        """
        results = analyze_texts(self.predictor, as_reviews(texts), least=self.min_probability)
        return [tuple(map(_as_quad, result.opinions)) for result in results]


def _as_quad(opinion: Opinion) -> Quad:
    return Quad(
        aspect=_as_term(opinion.aspect, opinion.aspect_start, opinion.aspect_end),
        category=opinion.predicted_category or (opinion.category if opinion.aspect else None),
        opinion=_as_term(opinion.opinion, opinion.opinion_start, opinion.opinion_end),
        polarity=Polarity(opinion.polarity) if opinion.polarity else None,
    )


def _as_term(text: str, start: int | None, end: int | None) -> Term | None:
    if not text:
        return None
    return Term(text, None if start is None or end is None else Span(start, end))


_SAMPLE = 300
_TEXTS_AT_ONCE = 1_000
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class SeriesLike(Protocol):
    """A column of a table, as pandas has it; the index names its rows."""

    @property
    def index(self) -> Iterable[object]:
        """The names of the rows."""
        ...

    def to_list(self) -> list[object]:
        """Return the cells."""
        ...


class DataFrameLike(Protocol):
    """A table with named columns, as pandas has it."""

    @property
    def columns(self) -> Iterable[object]:
        """The names of the columns."""
        ...

    def __getitem__(self, name: str) -> SeriesLike: ...


class Results(list[Result]):
    """The results of several texts, one each, in their order."""

    def to_rows(self) -> list[dict[str, Cell]]:
        """Return the rows of all results, one an opinion."""
        return list(chain.from_iterable(result.to_rows() for result in self))

    def to_pandas(self) -> DataFrameLike:
        """Return the rows as a pandas table."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise MissingPartError(
                "to_pandas: the package pandas is not installed; get it with: pip install pandas"
            ) from None
        return cast(DataFrameLike, pandas.DataFrame(self.to_rows(), columns=list(COLUMNS)))


def analyze_texts(
    predictor: Predictor,
    reviews: Sequence[Review],
    aspects: Sequence[str] | None = None,
    least: float = 0.0,
    taxonomy: Taxonomy | None = None,
) -> Results:
    """Find the opinions of reviews that have at least this probability, and name their categories."""
    if isinstance(aspects, str):
        raise _refuse_string("aspects", aspects)
    blocks = (reviews[start : start + _TEXTS_AT_ONCE] for start in range(0, len(reviews), _TEXTS_AT_ONCE))
    found = [_keep_likely(result, least) for block in blocks for result in find_opinions(predictor, block)]
    opinions = (opinion for result in found for opinion in result.opinions)
    assignment = assign_opinions(opinions, predictor.embed, choose_taxonomy(aspects, taxonomy))
    return Results(
        replace(result, opinions=tuple(categorise(opinion, assignment) for opinion in result.opinions))
        for result in found
    )


def _keep_likely(result: Result, least: float) -> Result:
    return replace(result, opinions=tuple(each for each in result.opinions if is_likely(each, least)))


def as_reviews(
    texts: Iterable[object] | SeriesLike | DataFrameLike, text_column: str | None = None
) -> list[Review]:
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
        raise ConfigError(f"text_column = {text_column!r}: the texts are not a table; leave it out")
    if _is_column(texts):
        return [_as_review(name, cell) for name, cell in zip(texts.index, texts.to_list(), strict=True)]
    if not isinstance(texts, Iterable):
        raise ConfigError(f"texts: found {texts!r:.60}: expected strings; write them as a list")
    return [_as_review(number, cell) for number, cell in enumerate(texts)]


def _is_frame(texts: object) -> TypeGuard[DataFrameLike]:
    return hasattr(texts, "columns")


def _is_column(texts: object) -> TypeGuard[SeriesLike]:
    return hasattr(texts, "to_list") and hasattr(texts, "index")


def _refuse_string(what: str, found: str) -> ConfigError:
    return ConfigError(f"{what}: found one string, {found!r:.60}: expected several; write them as a list")


def _take_column(frame: DataFrameLike, name: str | None) -> SeriesLike:
    """Return the column of the texts; pandas also has columns whose names are numbers, and equal names."""
    labels = list(frame.columns)
    # Arrow calls the cells so
    if not all(isinstance(label, Hashable) for label in labels):
        raise ConfigError(
            f"texts: found a {type(frame).__name__} whose column names are not strings: expected a table as "
            "pandas has it; convert it first: to_pandas()"
        )
    shown = f"{', '.join(map(str, labels)):.200}"
    if name is None and len(set(labels)) < len(labels):
        raise ConfigError(
            f"texts: found several columns of one name: {shown}: expected one of each; set text_column"
        )
    label = _find_text(frame, labels) if name is None else name
    if labels.count(label) != 1:
        found = "no such column" if label not in labels else "several such columns"
        raise ConfigError(f"text_column = {label!r}: the table has {found}: There are: {shown}")
    return frame[label]


def _find_text(frame: DataFrameLike, labels: Sequence[object]) -> str:
    names = [str(label) for label in labels]
    columns = [frame[cast(str, label)].to_list()[:_SAMPLE] for label in labels]
    samples = [[_as_text(cell) for cell in column] for column in columns]
    profiles = [ColumnProfile(tuple(filter(str.strip, cells)), len(cells)) for cells in samples]
    chosen = choose_review_columns(names, profiles, {})
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
    """Return whether a cell is None or a missing value of pandas, which is not equal to itself."""
    return cell is None or (isinstance(cell, float) and cell != cell) or type(cell).__name__ == "NAType"
