"""Analysis of texts: what the reviews' analysis finds, in the form that the interface gives out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from aspectlab.data import Polarity
from aspectlab.insight import Opinion as Found
from aspectlab.insight import Predictor, Result, Review
from aspectlab.insight.opinions import find_opinions
from aspectlab.service.schemas import Analysis, Opinion, Options, Phrase, Sentence


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
        if found.probability is None or found.probability >= least:
            opinions[found.sentence].append(_describe_opinion(found))
    sentences = [
        Sentence(text=result.text[start:end], start=start, end=end, opinions=inside)
        for (start, end), inside in zip(result.sentences, opinions, strict=True)
    ]
    return Analysis(sentences=sentences)


def _describe_opinion(found: Found) -> Opinion:
    return Opinion(
        aspect=_describe_phrase(found.aspect, found.aspect_start, found.aspect_end),
        opinion=_describe_phrase(found.opinion, found.opinion_start, found.opinion_end),
        polarity=Polarity(found.polarity) if found.polarity else None,
        probability=found.probability,
    )


def _describe_phrase(text: str, start: int | None, end: int | None) -> Phrase | None:
    return Phrase(text=text, start=start, end=end) if text else None
