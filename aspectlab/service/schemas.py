"""Schemas: what the service takes and returns, and how opinions are written in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from aspectlab.analysis import Result, find_opinions, is_likely
from aspectlab.data import Polarity
from aspectlab.readers import Opinion as Found, Review
from aspectlab.runtime import Predictor
from aspectlab.service.limits import MAX_TEXT_CHARS, MAX_TEXTS

_TEXT = "The soup was lovely, but the waiter was curt."
_OPINION: JsonDict = {
    "aspect": {"text": "soup", "start": 4, "end": 8},
    "category": None,
    "opinion": {"text": "lovely", "start": 13, "end": 19},
    "polarity": "positive",
    "probability": 0.98,
}
_SENTENCE: JsonDict = {"text": _TEXT, "start": 0, "end": len(_TEXT), "opinions": [_OPINION]}

EXAMPLES: dict[str, JsonDict] = {
    "AnalyzeRequest": {"texts": [_TEXT], "options": {"min_probability": 0.5}},
    "AnalyzeResponse": {"model": "name of the model", "results": [{"sentences": [_SENTENCE]}]},
}
"""Examples by the name of what they show; OpenAPI sorts their keys, here they stand as people read them."""

_LONGEST_NAME = 200
Column = Annotated[str | None, Field(max_length=_LONGEST_NAME)]


class Options(BaseModel):
    """How texts are analysed."""

    model_config = ConfigDict(extra="forbid", strict=True)

    min_probability: float = Field(
        default=0.0,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="Leave out opinions that are less probable.",
    )


class AnalyzeRequest(BaseModel):
    """Texts to analyse."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [EXAMPLES["AnalyzeRequest"]]},
    )

    texts: list[Annotated[str, Field(max_length=MAX_TEXT_CHARS)]] = Field(
        min_length=1, max_length=MAX_TEXTS, description="Texts; the answer has as many results, in order."
    )
    options: Options = Options()


class Phrase(BaseModel):
    """Words of the text; offsets count its characters (Unicode code points), end exclusive."""

    text: str
    start: int | None = Field(description="null: the phrase does not stand in the text word by word.")
    end: int | None


class Opinion(BaseModel):
    """What is said of one aspect."""

    aspect: Phrase | None = Field(description="null: not named in the text; the category says what is meant.")
    category: str | None = Field(description="As the model names it, such as FOOD#QUALITY; null: none.")
    opinion: Phrase | None = Field(description="null: not expressed in words of its own.")
    polarity: Polarity | None
    probability: float | None = Field(description="How sure the model is, from 0 to 1.")


class Sentence(BaseModel):
    """One sentence with its opinions."""

    text: str
    start: int
    end: int
    opinions: list[Opinion]


class Analysis(BaseModel):
    """What one text holds."""

    sentences: list[Sentence]


class AnalyzeResponse(BaseModel):
    """One result a text, in order."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLES["AnalyzeResponse"]]})

    model: str = Field(description="Names the model; it changes when results may change.")
    results: list[Analysis]


class ReportQuery(BaseModel):
    """How an uploaded file is read; columns that are not named are looked for."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(
        min_length=1,
        max_length=_LONGEST_NAME,
        description="Name of the file; its ending says what it is: csv, tsv, jsonl, txt, parquet, xlsx, ods.",
        examples=["reviews.csv"],
    )
    text_column: Column = Field(None, description="Column of the texts.")
    id_column: Column = Field(None, description="Column of the ids.")
    group_by: Column = Field(None, description="Column to compare by, such as a product.")
    date_column: Column = Field(None, description="Column of the dates.")
    rating_column: Column = Field(None, description="Column of the ratings.")
    encoding: Column = Field(None, description="Encoding of a text file, such as cp1252.")
    sheet: Column = Field(None, description="Sheet of a workbook.")
    any_language: bool = Field(False, description="Analyse reviews that are not English too.")
    min_probability: float = Field(
        default=0.0,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="Leave out opinions that are less probable; the report says how many.",
    )
    format: Literal["html", "json", "csv"] | None = Field(
        None, description="The page, its counts or the opinions (default: what Accept asks for, or html)."
    )

    def choose_form(self, accept: str) -> Literal["html", "json", "csv"]:
        """Return the form of the answer: the one named, or the first of ours that a client accepts."""
        if self.format is not None:
            return self.format
        asked = [each.partition(";")[0].strip().lower() for each in accept.split(",")]
        return next((FORMS[kind] for kind in asked if kind in FORMS), "html")


FORMS: dict[str, Literal["html", "json", "csv"]] = {
    "text/html": "html",
    "application/json": "json",
    "text/csv": "csv",
}
"""The forms of a report by their media types."""


class Health(BaseModel):
    """That the service runs."""

    status: str = Field(examples=["ok"])
    version: str


class Readiness(BaseModel):
    """That the service can take work."""

    status: str = Field(examples=["ready"])
    model: str


class ErrorDetail(BaseModel):
    """What was wrong, for programs and for people."""

    code: str = Field(examples=["body_too_large"])
    message: str
    remedy: str


class ErrorBody(BaseModel):
    """The body of every error."""

    error: ErrorDetail


@dataclass(frozen=True, slots=True)
class Work:
    """The texts of one request."""

    texts: Sequence[str]
    options: Options

    @property
    def chars(self) -> int:
        """How long the texts are; an empty one is work too."""
        return sum(map(len, self.texts)) + len(self.texts)


def analyze_works(predictor: Predictor, works: Sequence[Work]) -> list[list[Analysis]]:
    """Analyse the texts of several requests at once: the model is faster with many sentences."""
    reviews = [Review("", text) for work in works for text in work.texts]
    found = iter(find_opinions(predictor, reviews))
    return [
        [_describe(result, work.options.min_probability) for result in islice(found, len(work.texts))]
        for work in works
    ]


def _describe(result: Result, least: float) -> Analysis:
    opinions: list[list[Opinion]] = [[] for _ in result.sentences]
    for found in result.opinions:
        if is_likely(found, least):
            opinions[found.sentence].append(_describe_opinion(found))
    sentences = [
        Sentence(text=result.text[start:end], start=start, end=end, opinions=inside)
        for (start, end), inside in zip(result.sentences, opinions, strict=True)
    ]
    return Analysis(sentences=sentences)


def _describe_opinion(found: Found) -> Opinion:
    return Opinion(
        aspect=_describe_phrase(found.aspect, found.aspect_start, found.aspect_end),
        category=found.predicted_category or None,
        opinion=_describe_phrase(found.opinion, found.opinion_start, found.opinion_end),
        polarity=Polarity(found.polarity) if found.polarity else None,
        probability=found.probability,
    )


def _describe_phrase(text: str, start: int | None, end: int | None) -> Phrase | None:
    return Phrase(text=text, start=start, end=end) if text else None
