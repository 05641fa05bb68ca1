"""Opinions: what reviews say of an aspect, found block by block, here or on a cluster."""

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, compress
from typing import Protocol

from aspectlab.analysis.blocks import Block, BlockCounts, BlockResult
from aspectlab.cluster import Cluster, LostJob
from aspectlab.data import Quad, Span, Term
from aspectlab.errors import ConfigError
from aspectlab.language import MAX_SENTENCE_CHARS, find_other_language, split_sentences
from aspectlab.readers import COLUMNS, NOT_ANALYSED, Cell, Opinion, Review
from aspectlab.runtime import Predictor
from aspectlab.version import VERSION

_DIGITS = 4
# an encoder of our own: json.dumps makes a new one for each call that asks for plain characters
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class Result:
    """One review with its sentences and what they say, in the order of the text."""

    text: str
    sentences: tuple[Span, ...]
    opinions: tuple[Opinion, ...]

    def to_rows(self) -> list[dict[str, Cell]]:
        """Return one row an opinion, with the columns of `opinions.csv`."""
        return [dict(zip(COLUMNS, opinion.cells, strict=True)) for opinion in self.opinions]


def find_opinions(predictor: Predictor, reviews: Sequence[Review], *, split: bool = True) -> list[Result]:
    """Find the opinions of each review; all sentences are predicted together, since that is fast."""
    spans = [find_sentences(review.text, split=split) for review in reviews]
    texts = [
        review.text[start:end]
        for review, sentences in zip(reviews, spans, strict=True)
        for start, end in sentences
    ]
    quads = predictor.predict(texts)
    assert len(quads) == len(texts), f"a predictor gave {len(quads)} results for {len(texts)} texts"
    ends = list(accumulate(map(len, spans)))
    found = [quads[end - len(sentences) : end] for end, sentences in zip(ends, spans, strict=True)]
    return [
        Result(review.text, tuple(sentences), tuple(_locate_opinions(review, sentences, predicted)))
        for review, sentences, predicted in zip(reviews, spans, found, strict=True)
    ]


def find_sentences(text: str, *, split: bool = True) -> list[Span]:
    """Return the sentences of a review as an analysis counts them."""
    return split_sentences(text) if split else take_whole(text)


def take_whole(text: str) -> list[Span]:
    """Take a review as one sentence, unless it is far too long for one."""
    if len(text) > MAX_SENTENCE_CHARS:
        return split_sentences(text)
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    return [Span(start, end)] if start < end else []


def _locate_opinions(
    review: Review, sentences: Sequence[Span], predicted: Sequence[tuple[Quad, ...]]
) -> Iterator[Opinion]:
    for number, (span, quads) in enumerate(zip(sentences, predicted, strict=True)):
        for quad in quads:
            aspect, aspect_start, aspect_end = _locate_term(quad.aspect, span.start)
            opinion, opinion_start, opinion_end = _locate_term(quad.opinion, span.start)
            yield Opinion(
                review=review.id,
                group=review.group,
                date=review.date,
                rating=review.rating,
                sentence=number,
                sentence_start=span.start,
                aspect=aspect,
                aspect_start=aspect_start,
                aspect_end=aspect_end,
                opinion=opinion,
                opinion_start=opinion_start,
                opinion_end=opinion_end,
                polarity=quad.polarity.value if quad.polarity else "",
                probability=_probability(quad),
                category="",
                text=review.text[span.start : span.end],
                predicted_category=quad.category or "",
            )


def _locate_term(term: Term | None, start: int) -> tuple[str, int | None, int | None]:
    if term is None:
        return "", None, None
    return term.text, *(
        (None, None) if term.span is None else (start + term.span.start, start + term.span.end)
    )


def is_likely(opinion: Opinion, least: float) -> bool:
    """Return whether an opinion has at least this probability; a model need not state any."""
    return opinion.probability is None or opinion.probability >= least


def check_probability(least: float) -> None:
    """Refuse a minimum that is no probability.

    >>> check_probability(0.5)
    """
    # NaN is neither below nor above
    if not 0 <= least <= 1:
        raise ConfigError(f"min_probability = {least!r}: expected a number from 0 to 1")


def _probability(quad: Quad) -> float | None:
    if quad.confidence is None or quad.polarity is None:
        return None
    return round(float(quad.confidence.get(quad.polarity.value, 0.0)), _DIGITS)


class BlockEngine(Protocol):
    """Processes blocks, in whatever order, and asks for no more of them than it can work on."""

    def __call__(
        self, blocks: Iterable[Block], *, identity: str, split: bool, language: str | None = None
    ) -> Generator[BlockResult, None, None]:
        """Return the results of blocks, found by a model of this identity.

        Reviews that are surely not in the `language` are passed over; None analyses all.
        """


PredictorLoader = Callable[[], Predictor]
"""Opens the model; it can be sent to other machines, and equal ones open the same."""


def local_engine(predictor: Predictor) -> BlockEngine:
    """Process blocks in this process."""

    def process(
        blocks: Iterable[Block], *, identity: str, split: bool, language: str | None = None
    ) -> Generator[BlockResult, None, None]:
        for block in blocks:
            yield _process_block(predictor, block, split, language)

    return process


def cluster_engine(
    connect: Callable[[], AbstractContextManager[Cluster]], load: PredictorLoader
) -> BlockEngine:
    """Process blocks on a cluster, which is connected to when there is work and left when it is done."""

    def process(
        blocks: Iterable[Block], *, identity: str, split: bool, language: str | None = None
    ) -> Generator[BlockResult, None, None]:
        with connect() as cluster:
            jobs = (_Job(block, split, load, f"{VERSION} {identity}", language) for block in blocks)
            for done in cluster.run(_run_job, jobs, attempts=_ATTEMPTS):
                if isinstance(done.result, LostJob):
                    raise ConfigError(
                        f"engine 'ray': block {done.job.block.number}: its workers were lost {_ATTEMPTS} "
                        f"times ({done.result.reason}): expected nodes that stay; give them more memory, "
                        "and run the same command again to go on"
                    )
                yield done.result

    return process


@dataclass(frozen=True, slots=True)
class _Job:
    """A block, and all that a worker needs to do it."""

    block: Block
    split: bool
    load: PredictorLoader
    identity: str
    language: str | None = None


def _run_job(job: _Job) -> BlockResult:
    """Process a block, as a worker of a cluster."""
    predictor = _load_once(job.load)
    found = f"{VERSION} {predictor.identity}"
    if found != job.identity:
        raise ConfigError(
            f"engine 'ray': a node would give other results: found aspectlab {found}: expected "
            f"{job.identity}; use nodes of one kind, with one version of aspectlab and of the model"
        )
    return _process_block(predictor, job.block, job.split, job.language)


@lru_cache(1)
def _load_once(load: PredictorLoader) -> Predictor:
    """Open a model once a process, however many blocks it does."""
    return load()


def _process_block(
    predictor: Predictor, block: Block, split: bool, language: str | None = None
) -> BlockResult:
    known = [language is None or not find_other_language(review.text, language) for review in block.reviews]
    results = find_opinions(predictor, list(compress(block.reviews, known)), split=split)
    counts = BlockCounts(
        len(block.reviews),
        sum(len(result.sentences) for result in results),
        sum(bool(result.opinions) for result in results),
    )
    found = iter(results)
    lines = [
        _ENCODE(opinion._replace(carried=review.carry(opinion.sentence_start)))
        for review, is_known in zip(block.reviews, known, strict=True)
        for opinion in (next(found).opinions if is_known else (_pass_over(review),))
    ]
    likeliest = [
        max(1.0 if opinion.probability is None else opinion.probability for opinion in result.opinions)
        for result in results
        if result.opinions
    ]
    return BlockResult(block.number, counts, lines, block.digest, likeliest)


def _pass_over(review: Review) -> Opinion:
    """Return the row of a review that is not analysed, so that it is not taken for one without opinions."""
    nowhere = ("", None, None)
    return Opinion(
        *(review.id, review.group, review.date, review.rating, 0, 0, *nowhere, *nowhere),
        polarity="",
        probability=None,
        category=NOT_ANALYSED,
        text=review.text,
    )
