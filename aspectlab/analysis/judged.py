"""What was judged of an analysis: it takes the place of what the model found when the tables are made."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from aspectlab.analysis.aggregate import AuditedShare, Category
from aspectlab.analysis.auditing import AuditResult
from aspectlab.analysis.auditsheet import AuditedOpinion, Judgement
from aspectlab.analysis.opinions import find_sentences
from aspectlab.data import Span
from aspectlab.errors import DataError
from aspectlab.outputs import atomic_write
from aspectlab.readers import Opinion, Review, ReviewFiles, find_term
from aspectlab.readers.tables import ReadCounts
from aspectlab.runtime import hash_file
from aspectlab.untrusted import read_json

JUDGED = "judged.json"
"""What an audit leaves in the folder of an analysis, for the next time that its tables are made."""

_FORMAT = 1

Key = tuple[str, int, str]
"""A review, the number of a sentence in it, and its text."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The right opinions of the sentences that were judged, and the shares that the audit corrected."""

    sentences: Mapping[Key, tuple[AuditedOpinion, ...]]
    shares: Mapping[str, AuditedShare]

    @property
    def reviews(self) -> frozenset[str]:
        """The reviews that have such sentences."""
        return frozenset(review for review, _, _ in self.sentences)


def save_judged(judged: Sequence[Judgement], result: AuditResult, out: Path) -> None:
    """Write what was judged, and the corrected shares, into the folder of the analysis."""
    note = f"judged: {result.judged} sentences"
    sentences = [(*each.drawn[:3], each.truth) for each in judged]
    shares = {
        each.name: asdict(AuditedShare(each.positive.value, each.positive.low, each.positive.high, note))
        for each in (result.overall, *result.categories)
    }
    record = {"format": _FORMAT, "sentences": sentences, "shares": shares}
    with atomic_write(out / JUDGED) as path:
        path.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")


def identify_judged(out: Path) -> dict[str, str]:
    """Return what makes the tables others than those of the model alone; nothing where nothing was judged."""
    path = out / JUDGED
    return {"judged": hash_file(path)} if path.exists() else {}


def load_judged(out: Path) -> Judged | None:
    """Read what was judged of an analysis; None where nothing was."""
    path = out / JUDGED
    if not path.exists():
        return None
    try:
        record = read_json(path)
        if not isinstance(record, dict) or record["format"] != _FORMAT:
            raise ValueError(record)
        sentences = {
            (str(review), int(number), str(text)): tuple(_read_opinion(each) for each in truth)
            for review, number, text, truth in record["sentences"]
        }
        return Judged(sentences, {str(name): _read_share(share) for name, share in record["shares"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise DataError(
            f"{path}: cannot be read: expected what `aspectlab audit` wrote; run it again, or delete the file"
        ) from None


def _read_opinion(cells: Sequence[object]) -> AuditedOpinion:
    aspect, opinion, category, polarity = map(str, cells[:4])
    return AuditedOpinion(aspect, opinion, category, polarity)


def _read_share(record: Mapping[str, object]) -> AuditedShare:
    value, low, high = (float(str(record[key])) for key in ("value", "low", "high"))
    return AuditedShare(value, low, high, str(record["note"]))


def take_judged(
    opinions: Iterable[Opinion], reviews: ReviewFiles, out: Path, *, split: bool
) -> tuple[Iterable[Opinion], Judged | None]:
    """Return the opinions of an analysis with what was judged of it, and that; None where nothing was."""
    judged = load_judged(out)
    if judged is None:
        return opinions, None
    return correct_opinions(opinions, reviews.read(ReadCounts()), judged, split=split), judged


def correct_opinions(
    opinions: Iterable[Opinion], reviews: Iterable[Review], judged: Judged, *, split: bool
) -> Iterator[Opinion]:
    """Replace what the model found by what was judged; both streams are in order of the reviews."""
    source = iter(opinions)
    waiting = next(source, None)
    for review in reviews:
        rows: list[Opinion] = []
        while waiting is not None and _belongs(waiting, review, rows):
            rows.append(waiting)
            waiting = next(source, None)
        if review.id not in judged.reviews:
            yield from rows
            continue
        for number, span in enumerate(find_sentences(review.text, split=split)):
            truth = judged.sentences.get((review.id, number, review.text[slice(*span)]))
            if truth is None:
                yield from (row for row in rows if row.sentence == number)
            else:
                yield from (_as_opinion(review, number, span, opinion) for opinion in truth)
    while waiting is not None:
        yield waiting
        waiting = next(source, None)


def _belongs(row: Opinion, review: Review, rows: Sequence[Opinion]) -> bool:
    start, end = row.sentence_start, row.sentence_start + len(row.text)
    in_order = not rows or row.sentence >= rows[-1].sentence
    return row.review == review.id and in_order and review.text[start:end] == row.text


def _as_opinion(review: Review, number: int, span: Span, opinion: AuditedOpinion) -> Opinion:
    text = review.text[slice(*span)]

    def locate(words: str) -> tuple[int | None, int | None]:
        found = find_term(text, words).span if words else None
        return (None, None) if found is None else (span.start + found.start, span.start + found.end)

    return Opinion(
        review.id,
        review.group,
        review.date,
        review.rating,
        number,
        span.start,
        opinion.aspect,
        *locate(opinion.aspect),
        opinion.opinion,
        *locate(opinion.opinion),
        opinion.polarity,
        1.0,  # a person said so
        opinion.category,
        text,
        opinion.category,
        carried=review.carry(span.start),
    )


def add_audit(categories: tuple[Category, ...], judged: Judged | None) -> tuple[Category, ...]:
    """Return the categories with the shares that an audit corrected, where there was one."""
    if judged is None:
        return categories
    return tuple(replace(category, audit=judged.shares.get(category.name)) for category in categories)
