"""Ray gives the same bits as local processes, also if a node goes away in the middle."""

import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from aspectlab.cli.run import LogWatch
from aspectlab.cluster import EngineChoice
from aspectlab.experiments.plan import Run, plan_runs
from aspectlab.experiments.runner import Driver, StudyOutcome, open_engine
from aspectlab.experiments.store import RunFolder
from aspectlab.experiments.studyfile import read_study
from tests.support.studies import predictions, table, write_study

pytest.importorskip("torch", reason="training needs the extra 'train'")
ray: ModuleType = pytest.importorskip("ray", reason="a cluster needs the extra 'ray'")

# Ray's own code opens files that it leaves to the collector
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

LONGER = """
[[models]]
name = "marked"
encoder = "tiny"
settings = { epochs = 12, patience = 12, batch_size = 2, precision = "fp32" }
"""


class Saboteur(LogWatch):
    """Take a node away once a run is finished."""

    def __init__(self, cluster: object, node: object) -> None:
        super().__init__()
        self.cluster, self.node, self.losses = cluster, node, 0

    def finished(self, run: Run) -> None:
        super().finished(run)
        if self.node is not None:
            self.cluster.remove_node(self.node, allow_graceful=False)  # type: ignore[attr-defined]
            self.node = None

    def lost(self, run: Run, reason: str) -> None:
        super().lost(run, reason)
        self.losses += 1


def carry_out(study: Path, out: Path, choice: EngineChoice, watch: LogWatch | None = None) -> StudyOutcome:
    asked, _ = read_study(study)
    folder = RunFolder(out)
    folder.open()
    engine = open_engine(choice, folder, device="cpu", threads=1)
    schedule, problems = plan_runs(asked, engine.inspect)
    assert problems == []
    return Driver(schedule, folder, engine, watch or LogWatch()).drive()


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_study(tmp_path_factory.mktemp("ray"), splits=2, seeds=4, models=LONGER)


@pytest.fixture(scope="module")
def expected(study: Path) -> Path:
    carry_out(study, study.parent / "local", EngineChoice(False, workers=1))
    return study.parent / "local"


@pytest.fixture
def nodes() -> Iterator[tuple[object, object]]:
    """A cluster of two nodes on this machine, each with a raylet and one core of its own."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    yield cluster, second
    ray.shutdown()
    cluster.shutdown()
    time.sleep(1)


def test_ray_gives_the_bits_of_local(study: Path, expected: Path, tmp_path: Path) -> None:
    tally = carry_out(study, tmp_path, EngineChoice(True))
    assert (tally.made, tally.failures) == (8, {})
    assert table(tmp_path) == table(expected)
    assert predictions(tmp_path) == predictions(expected)


def test_study_survives_the_loss_of_a_node(
    study: Path, expected: Path, tmp_path: Path, nodes: tuple[object, object]
) -> None:
    cluster, second = nodes
    watch = Saboteur(cluster, second)
    tally = carry_out(study, tmp_path, EngineChoice(True, address=cluster.address), watch)  # type: ignore[attr-defined]
    assert (tally.made, tally.failures) == (8, {})
    assert watch.node is None
    assert table(tmp_path) == table(expected)
    assert predictions(tmp_path) == predictions(expected)
