"""Analysis: from files of reviews to opinions, resumable, in memory that does not grow with the files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from pathlib import Path

from aspectlab.analysis.aggregate import Aggregate, Totals, aggregate_from_dict, aggregate_to_dict
from aspectlab.analysis.assembly import CSV, PARQUET, assemble, group_opinions
from aspectlab.analysis.grouping import Grouping
from aspectlab.analysis.opinions import find_opinions
from aspectlab.analysis.resume import (
    BLOCK_FORMAT,
    Block,
    BlockCounts,
    BlockResult,
    BlockStore,
    identify,
    is_resumable,
    make_blocks,
    remove_blocks,
    write_lines,
)
from aspectlab.analysis.survey import Survey, survey_reviews
from aspectlab.cluster import Cluster, LostJob
from aspectlab.errors import ConfigError, DataError
from aspectlab.locking import lock_directory
from aspectlab.readers import FOLDER, SUMMARY, ReviewFiles, ReviewOptions, Source, open_reviews
from aspectlab.readers.tables import ReadCounts
from aspectlab.runtime import Predictor
from aspectlab.version import VERSION

Progress = Callable[[int, int], None]
"""Called with the reviews and the sentences that are done: before each new block, and at the end."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an analysis is to do, besides the model."""

    reading: ReviewOptions = field(default_factory=ReviewOptions)
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
    work: BlockStore
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


def refuse_foreign_folder(out: Path, paths: Sequence[Path]) -> None:
    """Refuse a folder that holds anything but an earlier analysis of the same files."""
    if not out.exists():
        return
    if not out.is_dir():
        raise ConfigError(f"{out}: is a file: expected a folder: choose another --out")
    if (out / SUMMARY).exists():
        record = _read_summary(out)
        if record is None or record.get("files") != _hash_paths(paths):
            raise ConfigError(f"{out}: holds the analysis of other files: choose another --out")
    elif not (out / FOLDER).is_dir() and any(out.iterdir()):
        raise ConfigError(f"{out}: holds files that no analysis wrote: choose another --out")


def load_finished(prepared: Prepared, predictor: Predictor, out: Path) -> Aggregate | None:
    """Give the aggregate of this very analysis if the folder holds it complete."""
    record = _read_summary(out)
    whole = all((out / name).exists() for name in (CSV, PARQUET))
    if not whole or not record or record.get("identity") != _identify_all(prepared, predictor):
        return None
    remove_blocks(out / FOLDER)
    return aggregate_from_dict(record.get("aggregate"))


def can_resume(prepared: Prepared, predictor: Predictor, out: Path) -> bool:
    """Tell whether the folder holds a part of this very analysis."""
    return is_resumable(out / FOLDER, _identify_blocks(prepared, predictor))


def analyze(
    prepared: Prepared,
    predictor: Predictor,
    out: Path,
    progress: Progress | None = None,
    engine: BlockEngine | None = None,
) -> Aggregate:
    """Analyse reviews into `opinions.csv`, `opinions.parquet` and `analysis.json` in the folder `out`.

    Interrupted at any moment and begun again, it goes on with the blocks that were not complete.
    """
    with lock_directory(out, holder="another analysis"):
        return finish(extract(prepared, predictor, out, progress, engine))


def extract(
    prepared: Prepared,
    predictor: Predictor,
    out: Path,
    progress: Progress | None = None,
    engine: BlockEngine | None = None,
) -> Extracted:
    """Do all that needs the model; who lets go of it then makes room for the rest, and holds the folder.

    An `engine` does the blocks elsewhere, to the same result; the model is still needed for the categories.
    """
    work = BlockStore(out / FOLDER, _identify_blocks(prepared, predictor))
    chosen = engine or local_engine(predictor, split=prepared.settings.split)
    counts = _process_blocks(prepared, chosen, work, progress)
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
        settings=_describe_settings(prepared, extracted.model),
        notices=tuple(_hide_folders(prepared)),
    )
    _write_summary(extracted, aggregate)
    remove_blocks(out / FOLDER)
    return aggregate


def _process_blocks(
    prepared: Prepared, engine: BlockEngine, work: BlockStore, progress: Progress | None
) -> BlockCounts:
    """Do the blocks that are not done yet, and give the counts of all."""
    done = BlockCounts(0, 0, 0)

    def missing() -> Iterator[Block]:
        nonlocal done
        for block in make_blocks(prepared.reviews.read(ReadCounts()), prepared.settings.block):
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
        "files": _hash_paths(extracted.prepared.reviews.paths),
        "aggregate": aggregate_to_dict(aggregate),
    }
    # ASCII only: the name of a column may hold the mark of bytes that are no text
    write_lines(extracted.out / SUMMARY, [json.dumps(record)])


def _read_summary(out: Path) -> dict[str, object] | None:
    try:
        record = json.loads((out / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def _hash_paths(paths: Sequence[Path]) -> list[str]:
    """Name where files lie by a hash, so that a result can be passed on without telling folders."""
    return [hashlib.sha256(os.fsencode(path.resolve())).hexdigest() for path in paths]


def _hide_folders(prepared: Prepared) -> Iterator[str]:
    """Give the notices without the folders of the files: where these lie is nobody's business."""
    folders = sorted({f"{path.parent}{os.sep}" for path in prepared.reviews.paths}, key=len, reverse=True)
    for notice in prepared.notices:
        yield reduce(lambda text, folder: text.replace(folder, ""), folders, notice)


def _title(paths: Sequence[Path]) -> str:
    return paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"


def _describe_settings(prepared: Prepared, model: str) -> dict[str, str]:
    """Name the settings, for the reader of the report."""
    columns = prepared.reviews.files[0].describe()
    return {
        "aspectlab": VERSION,
        "model": model,
        **{f"{role} column": name for role, name in columns.items()},
        **({"aspects": ", ".join(prepared.settings.aspects)} if prepared.settings.aspects else {}),
        **({} if prepared.settings.split else {"sentences": "not split"}),
    }


# an encoder of our own: json.dumps makes a new one for each call that asks for plain characters
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_ATTEMPTS = 10

BlockEngine = Callable[[Iterable[Block]], Iterator[BlockResult]]
"""Does blocks, in whatever order, and asks for no more of them than it can work on."""

PredictorLoader = Callable[[], Predictor]
"""Opens the model; it can be sent to other machines, and equal ones open the same."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A block, and all that a worker needs to do it."""

    block: Block
    split: bool
    load: PredictorLoader
    identity: str


def local_engine(predictor: Predictor, *, split: bool = True) -> BlockEngine:
    """Do blocks in this process."""

    def work(blocks: Iterable[Block]) -> Iterator[BlockResult]:
        return (_process_block(predictor, block, split) for block in blocks)

    return work


def cluster_engine(
    cluster: Cluster, load: PredictorLoader, identity: str, *, split: bool = True
) -> BlockEngine:
    """Do blocks on a cluster; the model of each worker must have this identity, that of the one here."""

    def work(blocks: Iterable[Block]) -> Iterator[BlockResult]:
        jobs = (_Job(block, split, load, f"{VERSION} {identity}") for block in blocks)
        for done in cluster.run(_run_job, jobs, attempts=_ATTEMPTS):
            if isinstance(done.result, LostJob):
                raise ConfigError(
                    f"engine 'ray': block {done.job.block.number}: its workers were lost {_ATTEMPTS} times "
                    f"({done.result.reason}): expected nodes that stay; give them more memory, and run the "
                    "same command again to go on"
                )
            yield done.result

    return work


def _run_job(job: _Job) -> BlockResult:
    """Do a block, as a worker of a cluster."""
    predictor = _load_once(job.load)
    found = f"{VERSION} {predictor.identity}"
    if found != job.identity:
        raise ConfigError(
            f"engine 'ray': a node would give other results: found aspectlab {found}: expected "
            f"{job.identity}; use nodes of one kind, with one version of aspectlab and of the model"
        )
    return _process_block(predictor, job.block, job.split)


@lru_cache(1)
def _load_once(load: PredictorLoader) -> Predictor:
    """Open a model once a process, however many blocks it does."""
    return load()


def _process_block(predictor: Predictor, block: Block, split: bool) -> BlockResult:
    results = find_opinions(predictor, block.reviews, split=split)
    counts = BlockCounts(
        len(results),
        sum(len(result.sentences) for result in results),
        sum(bool(result.opinions) for result in results),
    )
    lines = [_ENCODE(opinion) for result in results for opinion in result.opinions]
    return BlockResult(block.number, counts, lines)
