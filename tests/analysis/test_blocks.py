"""Blocks give the same result wherever they are done, and in whatever order."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import cast

import pytest

from aspectlab.analysis import BlockCounts
from aspectlab.analysis.blocks import Block, BlockResult
from aspectlab.analysis.opinions import _Job, _load_once, cluster_engine
from aspectlab.analysis.pipeline import Settings, analyze, prepare
from aspectlab.cluster import Cluster, FinishedJob, LostJob
from aspectlab.errors import ConfigError
from aspectlab.progress import Progress
from aspectlab.readers.reviews import Review
from tests.support.keyword_predictor import KeywordPredictor

pytest.importorskip("duckdb")

RESULTS = ("opinions.csv", "opinions.parquet", "analysis.json")


class Reversed:
    """A cluster whose jobs are done in reverse order; the workers of one block are always lost."""

    def __init__(self, lost: int | None) -> None:
        self.lost = lost

    def run(
        self, work: Callable[[_Job], BlockResult], jobs: Iterable[_Job], *, attempts: int
    ) -> Iterator[FinishedJob[_Job, BlockResult]]:
        for job in reversed(list(jobs)):
            yield FinishedJob(job, LostJob("it is gone") if job.block.number == self.lost else work(job))


def connect(*, lost: int | None = None) -> AbstractContextManager[Cluster]:
    return nullcontext(cast(Cluster, Reversed(lost)))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.csv"
    lines = [f"{number},The food was {'good' if number % 3 else 'bad'}. So {number}!" for number in range(30)]
    path.write_text("\n".join(["id,text", *lines]), encoding="utf-8")
    return path


LOADED: list[KeywordPredictor] = []


def load() -> KeywordPredictor:
    LOADED.append(KeywordPredictor())
    return LOADED[-1]


@pytest.fixture(autouse=True)
def forget() -> None:
    _load_once.cache_clear()
    LOADED.clear()


def test_cluster_gives_the_same_bytes_as_this_process(source: Path, tmp_path: Path) -> None:
    prepared = prepare([source], Settings(block=4))
    analyze(prepared, KeywordPredictor(), tmp_path / "here")
    engine = cluster_engine(connect, load)
    analyze(prepared, KeywordPredictor(), tmp_path / "there", engine=engine)
    for name in RESULTS:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


def test_worker_loads_its_model_once(source: Path, tmp_path: Path) -> None:
    engine = cluster_engine(connect, load)
    analyze(prepare([source], Settings(block=4)), KeywordPredictor(), tmp_path / "out", engine=engine)
    # 30 reviews in blocks of 4
    assert [len(predictor.calls) for predictor in LOADED] == [8]


def test_progress_counts_every_block(source: Path, tmp_path: Path) -> None:
    seen: list[Progress[BlockCounts]] = []
    engine = cluster_engine(connect, load)
    prepared = prepare([source], Settings(block=4))
    analyze(prepared, KeywordPredictor(), tmp_path / "out", progress=seen.append, engine=engine)
    # each review has two sentences
    ends = seen[0], seen[-1]
    assert [(progress.share, progress.detail.sentences) for progress in ends] == [(0.0, 0), (1.0, 60)]
    assert ends[1].text == "30 of 30 reviews"


def test_worker_with_another_model_is_refused() -> None:
    engine = cluster_engine(connect, load)
    with pytest.raises(ConfigError, match=r"would give other results: found .* keywords-1: expected .* key"):
        list(engine([Block(0, [Review("1", "Good food.")])], identity="keywords-2", split=True))


def test_block_that_loses_all_its_workers_is_named() -> None:
    engine = cluster_engine(lambda: connect(lost=3), load)
    with pytest.raises(ConfigError, match=r"block 3: its workers were lost 10 times \(it is gone\)"):
        list(engine([Block(3, [Review("1", "Good food.")])], identity="keywords-1", split=True))


def test_lost_block_costs_no_other_block(source: Path, tmp_path: Path) -> None:
    prepared, predictor = prepare([source], Settings(block=4)), KeywordPredictor()
    engine = cluster_engine(lambda: connect(lost=0), load)
    with pytest.raises(ConfigError, match="run the same command again"):
        analyze(prepared, predictor, tmp_path / "out", engine=engine)
    assert analyze(prepared, predictor, tmp_path / "out").aggregate.totals.reviews == 30
    assert len(predictor.calls) == 1
