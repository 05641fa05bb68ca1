"""Audit: a person judges a sample of an analysis, and every share gets an interval that holds model error.

Sentences are drawn by lot, those with opinions twice as often as those without: what the model missed counts
as what it invented. The lot of a sentence hangs on itself and the seed alone, so that the same draw can be
made again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from hashlib import blake2b
from heapq import nsmallest
from itertools import groupby, islice
from pathlib import Path

import numpy as np

from aspectlab.analysis.aggregate import Aggregate, aggregate_from_dict
from aspectlab.analysis.auditsheet import SHEET, AuditedOpinion, Draw, DrawnSentence, Judgement
from aspectlab.analysis.blocks import read_summary
from aspectlab.analysis.evidence import read_opinion_rows
from aspectlab.analysis.opinions import find_sentences
from aspectlab.data import Corpus, Example, Polarity, Quad, Term
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import NOT_ANALYSED, OPINIONS_CSV, ReviewOptions, find_term, open_reviews
from aspectlab.readers.tables import ReadCounts, unescape_formula
from aspectlab.stats import CorrectedShare, JudgedSample, corrected_share
from aspectlab.untrusted import parse_number

_EMPTY_WEIGHT = np.array([1, 2])
"""How often a sentence without and with opinions is drawn."""


@dataclass(frozen=True, slots=True)
class AuditedCategory:
    """A category: the opinions counted, the share of positive ones, and that share as corrected."""

    name: str
    opinions: int
    counted: float | None
    positive: CorrectedShare


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What an audit says of an analysis; all shares are of opinions, with 95 % confidence intervals."""

    judged: int
    precision: CorrectedShare  # of the opinions found, those that are entirely right
    recall: CorrectedShare  # of the opinions there are, those that were found, cut and named as may be
    polarity: CorrectedShare  # of the opinions found that are opinions, those with the right polarity
    category: CorrectedShare  # the same for the category
    overall: AuditedCategory
    categories: tuple[AuditedCategory, ...]


def draw_audit(files: Sequence[Path], out: Path, *, size: int = 100, seed: int = 0) -> Draw:
    """Draw sentences of a finished analysis; the files are those that were analysed."""
    if size < 4:
        raise ConfigError(f"--size {size}: expected at least 4; a useful audit has 50 to 200 sentences")
    totals: Counter[tuple[str, bool]] = Counter()
    sizes = [0, 0]
    rows = _read_opinions(out)
    passed_over = {key for key, opinion in rows if opinion.category == NOT_ANALYSED}
    sentences = _join(_each_sentence(files, _load_aggregate(out), passed_over), out)
    ranked = ((_lot(seed, drawn), drawn) for drawn in _count(sentences, totals, sizes))
    kept: tuple[list[tuple[bytes, DrawnSentence]], ...] = ([], [])
    for rank, drawn in ranked:
        pool = kept[drawn.stratum]
        pool.append((rank, drawn))
        if len(pool) > 4 * size:
            pool[:] = nsmallest(size, pool)
    wanted = _share_out(size, sizes)
    chosen = sorted(
        found for pool, count in zip(kept, wanted, strict=True) for found in nsmallest(count, pool)
    )
    names = sorted({name for name, _ in totals})
    return Draw(
        tuple(drawn for _, drawn in chosen),
        (sizes[0], sizes[1]),
        {name: (totals[name, True], totals[name, True] + totals[name, False]) for name in names},
    )


def _count(
    sentences: Iterable[DrawnSentence], totals: Counter[tuple[str, bool]], sizes: list[int]
) -> Iterator[DrawnSentence]:
    for drawn in sentences:
        sizes[drawn.stratum] += 1
        for opinion in drawn.found:
            totals[opinion.category, opinion.polarity == Polarity.POSITIVE] += 1
        yield drawn


def _share_out(size: int, sizes: Sequence[int]) -> list[int]:
    weights = np.asarray(sizes) * _EMPTY_WEIGHT
    wanted = np.rint(size * weights / max(int(weights.sum()), 1)).astype(int).tolist()
    shares = [min(max(2, share), most) for share, most in zip(wanted, sizes, strict=True)]
    left = max(0, size - sum(shares))  # where one kind of sentence is rare, there is more of the other
    return [min(share + left, most) for share, most in zip(shares, sizes, strict=True)]


def _lot(seed: int, drawn: DrawnSentence) -> bytes:
    key = f"{seed}\0{drawn.review}\0{drawn.sentence}\0{drawn.text}"
    return blake2b(key.encode("utf-8", "replace"), digest_size=8).digest()


def _load_aggregate(out: Path) -> Aggregate:
    """Return what a finished analysis says of itself."""
    record = read_summary(out)
    if record is None:
        raise DataError(
            f"{out}: found no finished analysis: expected the folder that `aspectlab analyze` wrote; "
            "run it first"
        )
    return aggregate_from_dict(record.get("aggregate"))


def _each_sentence(
    files: Sequence[Path], aggregate: Aggregate, passed_over: Set[tuple[str, int, str]]
) -> Iterator[tuple[str, int, str]]:
    """Read the reviews as the analysis did, and yield review, number and text of each sentence.

    What was passed over, as reviews in another language, is neither right nor wrong.
    """
    settings = aggregate.settings
    texts = [name for key, name in settings.items() if key.startswith("text ") and key.endswith(" column")]
    reading = ReviewOptions(text=texts or None, id=settings.get("id column", ""))
    reviews = open_reviews(files, reading).read(ReadCounts())
    for review in islice(reviews, aggregate.totals.reviews):  # an analysis may have had a limit
        if (review.id, 0, review.text) in passed_over:
            continue
        spans = find_sentences(review.text, split="sentences" not in settings)
        for number, (start, end) in enumerate(spans):
            yield review.id, number, review.text[start:end]


def _join(sentences: Iterable[tuple[str, int, str]], out: Path) -> Iterator[DrawnSentence]:
    """Join each sentence with its opinions: both streams have the order of the reviews."""
    found_ones = (row for row in _read_opinions(out) if row[1].category != NOT_ANALYSED)
    rows = groupby(found_ones, key=lambda row: row[0])
    waiting = next(rows, None)
    for key in sentences:
        found: tuple[AuditedOpinion, ...] = ()
        if waiting is not None and waiting[0] == key:
            found = tuple(opinion for _, opinion in waiting[1])
            waiting = next(rows, None)
        yield DrawnSentence(*key, found)
    if waiting is not None:
        review, number, _ = waiting[0]
        raise DataError(
            f"{out / OPINIONS_CSV}: sentence {number} of review {review!r:.40} is not in the reviews given: "
            "expected those that were analysed; name the same files, or analyze these first"
        )


def _read_opinions(out: Path) -> Iterator[tuple[tuple[str, int, str], AuditedOpinion]]:
    """Read the opinions of an analysis, each with its review, the number of its sentence, and that."""
    for number, row in enumerate(read_opinion_rows(out, passed_over=True), start=1):
        review, text, sentence, sure = (
            unescape_formula(row[name]) for name in ("review", "text", "sentence", "probability")
        )
        aspect, opinion, category, polarity = (
            unescape_formula(row[name]) for name in ("aspect", "opinion", "category", "polarity")
        )
        if not sentence.isdecimal():
            raise DataError(
                f"{out / OPINIONS_CSV}: row {number}: sentence {sentence!r:.20}: expected a number; analyse "
                "the reviews again"
            )
        probability = parse_number(sure)
        yield (review, int(sentence), text), AuditedOpinion(aspect, opinion, category, polarity, probability)


def score_audit(draw: Draw, judged: Sequence[Judgement]) -> AuditResult:
    """Estimate precision, recall and all shares, with intervals that cover sampling and model error."""
    counts = Counter(each.drawn.stratum for each in judged)
    if any(counts[stratum] < min(2, size) for stratum, size in enumerate(draw.sizes)):
        raise DataError(
            f"{SHEET}: found {counts[1]} judged sentences with opinions and {counts[0]} without: expected "
            "two or more of each; fill the column verdict of further rows"
        )

    def share(hits: Sequence[int], every: Sequence[int]) -> CorrectedShare:
        truth = list(zip(hits, every, strict=True))
        return _estimate(draw, judged, [(0, 0)] * len(judged), truth, (0, 0))

    found = [len(each.verdicts) for each in judged]
    real = [sum(kept is not None for kept in each.kept) for each in judged]
    pairs = [
        [(old, new) for old, new in zip(each.drawn.found, each.kept, strict=True) if new is not None]
        for each in judged
    ]
    categories = [_audit_category(draw, judged, name) for name in draw.totals]
    return AuditResult(
        judged=len(judged),
        precision=share([each.verdicts.count("right") for each in judged], found),
        recall=share(real, [len(each.truth) for each in judged]),
        polarity=share([sum(old.polarity == new.polarity for old, new in each) for each in pairs], real),
        category=share([sum(old.category == new.category for old, new in each) for each in pairs], real),
        overall=_audit_category(draw, judged, None),
        categories=tuple(sorted(categories, key=lambda each: -each.opinions)),
    )


def _audit_category(draw: Draw, judged: Sequence[Judgement], name: str | None) -> AuditedCategory:
    totals = [counts for key, counts in draw.totals.items() if name in (None, key)]
    hits, every = sum(each[0] for each in totals), sum(each[1] for each in totals)
    predicted = [_count_positive(each.drawn.found, name) for each in judged]
    truth = [_count_positive(each.truth, name) for each in judged]
    share = _estimate(draw, judged, predicted, truth, (hits, every))
    return AuditedCategory(name or "", every, hits / every if every else None, share)


def _count_positive(opinions: Sequence[AuditedOpinion], name: str | None) -> tuple[int, int]:
    inside = [opinion for opinion in opinions if name in (None, opinion.category)]
    return sum(opinion.polarity == Polarity.POSITIVE for opinion in inside), len(inside)


def _estimate(
    draw: Draw,
    judged: Sequence[Judgement],
    predicted: Sequence[tuple[int, int]],
    truth: Sequence[tuple[int, int]],
    totals: tuple[int, int],
) -> CorrectedShare:
    sample = JudgedSample.build([each.drawn.stratum for each in judged], draw.sizes, predicted, truth)
    return corrected_share(sample, totals)


def as_corpus(judged: Sequence[Judgement], name: str) -> Corpus:
    """Return the judged sentences with their right opinions, to train or adapt a model with."""
    examples = [
        Example(
            f"{each.drawn.review}#{each.drawn.sentence}",
            each.drawn.text,
            [_as_quad(each.drawn.text, opinion) for opinion in each.truth],
        )
        for each in judged
    ]
    return Corpus(name, "en", ["aspect", "category", "opinion", "polarity"], examples)


def _as_quad(text: str, opinion: AuditedOpinion) -> Quad:
    def find(words: str) -> Term | None:
        return find_term(text, words) if words else None

    return Quad(find(opinion.aspect), opinion.category, find(opinion.opinion), Polarity(opinion.polarity))
