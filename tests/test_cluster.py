"""A cluster does every job; a pretended Ray stands for the package, with workers that fail when told to."""

import re
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from aspectlab.cluster import Cluster, FinishedJob, LostJob, connect
from aspectlab.errors import ConfigError, DataError, MissingPartError

PACKAGE = Path(__file__).parent.parent / "aspectlab"


class RayError(Exception):
    """As Ray names what happens to workers and nodes."""


class RayTaskError(RayError):
    """As Ray wraps what a job raises."""

    def __init__(self, cause: Exception) -> None:
        self.cause = cause


class PretendedRay(ModuleType):
    """Runs a job when it is asked for its result; the job that was asked for last is done first."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self) -> None:
        super().__init__("ray")
        self.started: list[dict[str, object]] = []
        self.cancelled = 0
        self.most_running = 0

    def is_initialized(self) -> bool:
        return False

    def init(self, **options: object) -> None:
        self.started.append(options)

    def shutdown(self) -> None:
        self.started.append({})

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def remote(self, **options: object) -> Callable[[Callable[[int], int]], SimpleNamespace]:
        return lambda work: SimpleNamespace(remote=lambda job: Reference(work, job))

    def wait(
        self, running: list["Reference"], num_returns: int, timeout: float
    ) -> tuple[list["Reference"], list["Reference"]]:
        self.most_running = max(self.most_running, len(running))
        return running[-1:], running[:-1]

    def get(self, reference: "Reference") -> int:
        try:
            return reference.work(reference.job)
        except RayError:
            raise
        except (DataError, RuntimeError) as error:
            raise RayTaskError(error) from None

    def cancel(self, reference: "Reference", force: bool) -> None:
        self.cancelled += 1


class Reference:
    def __init__(self, work: Callable[[int], int], job: int) -> None:
        self.work, self.job = work, job


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> PretendedRay:
    pretended = PretendedRay()
    monkeypatch.setitem(sys.modules, "ray", pretended)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    return pretended


def test_cluster_does_every_job_once(ray: PretendedRay) -> None:
    done = list(Cluster(ray).run(lambda job: 10 * job, range(20)))
    assert sorted(each.job for each in done) == list(range(20))
    assert all(each.result == 10 * each.job for each in done)


def test_cluster_asks_for_no_more_jobs_than_can_be_busy(ray: PretendedRay) -> None:
    taken: list[int] = []

    def jobs() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    done = Cluster(ray).run(lambda job: job, jobs())
    next(done)
    # two cores, each with one job under way and one at hand
    assert len(taken) == 4
    assert len(list(done)) == 99
    assert ray.most_running == 4


def test_cluster_cancels_what_nobody_waits_for(ray: PretendedRay) -> None:
    done = Cluster(ray).run(lambda job: job, range(100))
    next(done)
    done.close()  # type: ignore[attr-defined]
    assert ray.cancelled == 3


def test_cluster_tells_a_job_whose_workers_were_lost(ray: PretendedRay) -> None:
    def work(job: int) -> int:
        raise RayError("The worker died\nand so on")

    assert list(Cluster(ray).run(work, [7])) == [FinishedJob(7, LostJob("The worker died"))]


def test_cluster_raises_what_a_job_raises(ray: PretendedRay) -> None:
    def work(job: int) -> int:
        raise DataError("a.csv: broken")

    with pytest.raises(DataError, match=r"^a.csv: broken$"):
        list(Cluster(ray).run(work, [1]))


def test_cluster_names_the_package_that_a_node_lacks(ray: PretendedRay) -> None:
    def work(job: int) -> int:
        raise RuntimeError("The function failed to import.\nNo module named 'aspectlab'")

    with pytest.raises(ConfigError, match=r"No module named 'aspectlab'.*install aspectlab on every node"):
        list(Cluster(ray).run(work, [1]))


def test_connect_starts_a_quiet_cluster_and_ends_it(ray: PretendedRay) -> None:
    with connect(cores=3) as cluster:
        assert cluster.cores == 2
        assert ray.started[0]["num_cpus"] == 3
        assert ray.started[0]["include_dashboard"] is False
        assert ray.started[0]["log_to_driver"] is False
    assert ray.started[1:] == [{}]


def test_connect_refuses_an_address_where_nobody_listens(ray: PretendedRay) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ConfigError, match=rf"engine 'ray:{address}': no cluster .* ray start --head"):
        connect(address).__enter__()
    assert not ray.started


def test_connect_refuses_an_address_without_port(ray: PretendedRay) -> None:
    with pytest.raises(ConfigError, match="it has no port"):
        connect("head").__enter__()


def test_connect_without_ray_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPartError, match=r"pip install 'aspectlab\[ray\]'"):
        connect().__enter__()


def test_ray_is_imported_in_one_file_only() -> None:
    pattern = re.compile(r"""^\s*(?:import|from) ray\b|import_module\(["']ray["']\)""", re.MULTILINE)
    found = [path.name for path in PACKAGE.rglob("*.py") if pattern.search(path.read_text(encoding="utf-8"))]
    assert found == ["cluster.py"]
