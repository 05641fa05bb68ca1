"""Analysis: from files of reviews to opinions, resumable, in memory that does not grow with the files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

from aspectlab.errors import ConfigError, DataError
from aspectlab.insight.aggregate import Aggregate, Totals, aggregate_from_dict, aggregate_to_dict
from aspectlab.insight.assembling import CSV, PARQUET, assemble, group_opinions
from aspectlab.insight.blocks import (
    BLOCK_FORMAT,
    Block,
    BlockCounts,
    Work,
    identify,
    is_resumable,
    make_blocks,
    remove_blocks,
    write_whole,
)
from aspectlab.insight.grouping import Grouping
from aspectlab.insight.holding import hold_folder
from aspectlab.insight.predictor import Predictor
from aspectlab.insight.reviewfiles import FOLDER, SUMMARY
from aspectlab.insight.reviews import Reading, ReviewFiles, open_reviews
from aspectlab.insight.survey import Survey, survey_reviews
from aspectlab.insight.tally import Tally
from aspectlab.insight.working import Engine, work_here
from aspectlab.readers.source import Source
from aspectlab.version import VERSION

Progress = Callable[[int, int], None]
"""Called with the reviews and the sentences that are done: before each new block, and at the end."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an analysis is to do, besides the model."""

    reading: Reading = field(default_factory=Reading)
    aspects: tuple[str, ...] = ()
    split: bool = True
    block: int = 500


@dataclass(frozen=True, slots=True)
class Prepared:
    """Reviews that were opened and surveyed: what is wrong with them is known before the work begins."""

    reviews: ReviewFiles
    survey: Survey
    settings: Settings
    hashes: tuple[str, ...]

    @property
    def notices(self) -> list[str]:
        """What a user should know about the files."""
        return [*self.reviews.notices, *self.survey.notices()]


@dataclass(frozen=True, slots=True)
class Extracted:
    """An analysis whose blocks are complete; the model is no longer needed."""

    prepared: Prepared
    work: Work
    grouping: Grouping
    counts: BlockCounts
    identity: str
    model: str
    out: Path


def prepare(paths: Sequence[Path], settings: Settings | None = None) -> Prepared:
    """Open and survey reviews."""
    chosen = settings or Settings()
    reviews = open_reviews(paths, chosen.reading)
    survey = survey_reviews(reviews)
    if not survey.tally.reviews:
        places = "; ".join(survey.tally.places[:1]) or "all texts are empty"
        raise DataError(f"{paths[0]}: found no review: {places}: expected texts; name their --text-column")
    return Prepared(reviews, survey, chosen, tuple(Source(path).sha256 for path in reviews.paths))


def refuse_foreign(out: Path, paths: Sequence[Path]) -> None:
    """Refuse a folder that holds anything but an earlier analysis of the same files."""
    if not out.exists():
        return
    if not out.is_dir():
        raise ConfigError(f"{out}: is a file: expected a folder: choose another --out")
    if (out / SUMMARY).exists():
        record = _read_summary(out)
        if record is None or record.get("files") != _places(paths):
            raise ConfigError(f"{out}: holds the analysis of other files: choose another --out")
    elif not (out / FOLDER).is_dir() and any(out.iterdir()):
        raise ConfigError(f"{out}: holds files that no analysis wrote: choose another --out")


def find_finished(prepared: Prepared, predictor: Predictor, out: Path) -> Aggregate | None:
    """Give the aggregate of this very analysis if the folder holds it complete."""
    record = _read_summary(out)
    whole = all((out / name).exists() for name in (CSV, PARQUET))
    if not whole or not record or record.get("identity") != _identify_all(prepared, predictor):
        return None
    remove_blocks(out / FOLDER)
    return aggregate_from_dict(record.get("aggregate"))


def goes_on(prepared: Prepared, predictor: Predictor, out: Path) -> bool:
    """Tell whether the folder holds a part of this very analysis."""
    return is_resumable(out / FOLDER, _identify_blocks(prepared, predictor))


def analyze(
    prepared: Prepared,
    predictor: Predictor,
    out: Path,
    progress: Progress | None = None,
    engine: Engine | None = None,
) -> Aggregate:
    """Analyse reviews into `opinions.csv`, `opinions.parquet` and `analysis.json` in the folder `out`.

    Interrupted at any moment and begun again, it goes on with the blocks that were not complete.
    """
    with hold_folder(out):
        return finish(extract(prepared, predictor, out, progress, engine))


def extract(
    prepared: Prepared,
    predictor: Predictor,
    out: Path,
    progress: Progress | None = None,
    engine: Engine | None = None,
) -> Extracted:
    """Do all that needs the model; who lets go of it then makes room for the rest, and holds the folder.

    An `engine` does the blocks elsewhere, to the same result; the model is still needed for the categories.
    """
    work = Work(out / FOLDER, _identify_blocks(prepared, predictor))
    chosen = engine or work_here(predictor, split=prepared.settings.split)
    counts = _work_off(prepared, chosen, work, progress)
    grouping = group_opinions(work.opinions(), predictor, prepared.settings.aspects or None)
    identity = _identify_all(prepared, predictor)
    return Extracted(prepared, work, grouping, counts, identity, predictor.identity, out)


def finish(extracted: Extracted) -> Aggregate:
    """Write the tables and the summary, and remove the blocks."""
    prepared, out = extracted.prepared, extracted.out
    tally = prepared.survey.tally
    collector = assemble(extracted.work, extracted.grouping, prepared.survey, out)
    totals = Totals(
        reviews=tally.reviews,
        sentences=extracted.counts.sentences,
        opinions=collector.opinions,
        reviews_with_opinions=extracted.counts.reviews_with_opinions,
        empty=tally.empty,
        broken=tally.broken,
        cut=tally.cut,
    )
    aggregate = Aggregate(
        title=_title(prepared.reviews.paths),
        totals=totals,
        counts=collector.counts(),
        categories=collector.categories(),
        groups=collector.groups(),
        months=collector.months(),
        ratings=collector.ratings(),
        edges=collector.edges(),
        settings=_describe(prepared, extracted.model),
        notices=tuple(_hide_folders(prepared)),
    )
    _write_summary(extracted, aggregate)
    remove_blocks(out / FOLDER)
    return aggregate


def _work_off(prepared: Prepared, engine: Engine, work: Work, progress: Progress | None) -> BlockCounts:
    """Do the blocks that are not done yet, and give the counts of all."""
    done = BlockCounts(0, 0, 0)

    def missing() -> Iterator[Block]:
        nonlocal done
        for block in make_blocks(prepared.reviews.read(Tally()), prepared.settings.block):
            if work.has(block.number):
                done += work.counts(block.number)
                continue
            if progress:
                progress(done.reviews, done.sentences)
            yield block

    for found in engine(missing()):
        work.write(found)
        done += found.counts
    if progress:
        progress(done.reviews, done.sentences)
    return done


def _identify_blocks(prepared: Prepared, predictor: Predictor) -> str:
    settings = prepared.settings
    return identify(
        {
            "version": VERSION,
            "format": BLOCK_FORMAT,
            "predictor": predictor.identity,
            "split": settings.split,
            "block": settings.block,
            "limit": settings.reading.limit,
            "files": [
                [digest, name, file.describe(), file.day_first]
                for digest, name, file in zip(
                    prepared.hashes, prepared.reviews.names, prepared.reviews.files, strict=True
                )
            ],
            "encoding": settings.reading.encoding,
        }
    )


def _identify_all(prepared: Prepared, predictor: Predictor) -> str:
    return identify({"blocks": _identify_blocks(prepared, predictor), "aspects": prepared.settings.aspects})


def _write_summary(extracted: Extracted, aggregate: Aggregate) -> None:
    record = {
        "identity": extracted.identity,
        "files": _places(extracted.prepared.reviews.paths),
        "aggregate": aggregate_to_dict(aggregate),
    }
    # ASCII only: the name of a column may hold the mark of bytes that are no text
    write_whole(extracted.out / SUMMARY, [json.dumps(record)])


def _read_summary(out: Path) -> dict[str, object] | None:
    try:
        record = json.loads((out / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def _places(paths: Sequence[Path]) -> list[str]:
    """Name where files lie by a hash, so that a result can be passed on without telling folders."""
    return [hashlib.sha256(os.fsencode(path.resolve())).hexdigest() for path in paths]


def _hide_folders(prepared: Prepared) -> Iterator[str]:
    """Give the notices without the folders of the files: where these lie is nobody's business."""
    folders = sorted({f"{path.parent}{os.sep}" for path in prepared.reviews.paths}, key=len, reverse=True)
    for notice in prepared.notices:
        yield reduce(lambda text, folder: text.replace(folder, ""), folders, notice)


def _title(paths: Sequence[Path]) -> str:
    return paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"


def _describe(prepared: Prepared, model: str) -> dict[str, str]:
    """Name the settings, for the reader of the report."""
    columns = prepared.reviews.files[0].describe()
    return {
        "aspectlab": VERSION,
        "model": model,
        **{f"{role} column": name for role, name in columns.items()},
        **({"aspects": ", ".join(prepared.settings.aspects)} if prepared.settings.aspects else {}),
        **({} if prepared.settings.split else {"sentences": "not split"}),
    }
