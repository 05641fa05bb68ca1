"""Analyzer: find opinions in texts from Python, with the shipped model or another one."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import overload

from aspectlab.data import Quad, Span, Term
from aspectlab.data.quad import Polarity
from aspectlab.errors import ConfigError, DataError
from aspectlab.insight.opinions import Opinion, Result
from aspectlab.insight.predictor import Predictor
from aspectlab.insight.texts import Column, Frame, Results, analyze_texts, as_reviews
from aspectlab.runtime import SHIPPED, load_predictor


class Analyzer:
    """Finds what texts say of which aspect; the model is loaded when it is first needed."""

    def __init__(
        self,
        model: str | Path | None = None,
        engine: str = "auto",
        *,
        threads: int | None = None,
        predictor: Predictor | None = None,
    ) -> None:
        """Choose the model: a folder that `aspectlab export` wrote, or the shipped one.

        A `predictor` is used as it is; model and engine then say nothing.
        """
        self.model = model
        self.engine = engine
        self.threads = threads
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
                "save_pretrained: this analyzer was given its predictor: there is no folder to copy; "
                "save the model with what made it"
            )
        source, target = Path(self.model or SHIPPED), Path(path)
        if not source.is_dir():
            raise ConfigError(f"{source}: no such folder: there is no model to save")
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
            self._predictor = load_predictor(self.model, engine=self.engine, threads=self.threads)
        return self._predictor

    # a string is also an iterable of strings, but never meant as one
    @overload
    def analyze(self, texts: str) -> Result: ...  # type: ignore[overload-overlap]

    @overload
    def analyze(
        self,
        texts: Iterable[str | None] | Column | Frame,
        *,
        aspects: Sequence[str] | None = None,
        text_column: str | None = None,
    ) -> Results: ...

    def analyze(
        self,
        texts: str | Iterable[str | None] | Column | Frame,
        *,
        aspects: Sequence[str] | None = None,
        text_column: str | None = None,
    ) -> Result | Results:
        """Find the opinions of texts: one result a text, in their order; one text gives one result.

        Texts may be a list, a pandas column, or a pandas table, whose `text_column` is found if not named.
        Categories are formed over all the texts; `aspects` fixes their names.
        """
        if isinstance(texts, str):
            return analyze_texts(self.predictor, as_reviews([texts], text_column), aspects)[0]
        return analyze_texts(self.predictor, as_reviews(texts, text_column), aspects)

    def predict(self, texts: Iterable[str | None] | Column) -> list[tuple[Quad, ...]]:
        """Give the opinions of each text as quads, as gold data has them."""
        results = analyze_texts(self.predictor, as_reviews(texts))
        return [tuple(map(_as_quad, result.opinions)) for result in results]


def _as_quad(opinion: Opinion) -> Quad:
    return Quad(
        aspect=_as_term(opinion.aspect, opinion.aspect_start, opinion.aspect_end),
        category=opinion.category,
        opinion=_as_term(opinion.opinion, opinion.opinion_start, opinion.opinion_end),
        polarity=Polarity(opinion.polarity) if opinion.polarity else None,
    )


def _as_term(text: str, start: int | None, end: int | None) -> Term | None:
    if not text:
        return None
    return Term(text, None if start is None or end is None else Span(start, end))
