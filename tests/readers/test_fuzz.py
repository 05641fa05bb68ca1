"""Any bytes give a Corpus or a DataError: never another exception, never a hang."""

import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from aspectlab.errors import DataError
from aspectlab.readers import READERS, Source, read, sniff
from tests.support.formats import content_of
from tests.support.fuzzing import COUNTS, add_run, mutate

ROOT = Path(__file__).parents[2]
HANG_S = 5
MEMORY_KIB = 1 << 20
SLICE_BYTES = 24_000


@contextmanager
def no_hang() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"over {HANG_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANG_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def read_or_refuse(path: Path, name: str) -> None:
    for chosen in (name, None):
        with no_hang():
            message = refusal(path, chosen)
        assert message is None or str(path) in message, "an error must name the file"


def refusal(path: Path, name: str | None) -> str | None:
    try:
        read(path, name)
    except DataError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", list(READERS))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=400))
def test_reader_takes_any_bytes(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    read_or_refuse(tmp_path / "file", name)


@pytest.mark.parametrize("name", list(READERS))
def test_reader_takes_mutants_of_its_imitation(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    for _ in range(150):
        (tmp_path / "file").write_bytes(mutate(content_of(name), rng))
        read_or_refuse(tmp_path / "file", name)


def slices(paths: list[Path], rng: random.Random) -> Iterator[bytes]:
    """Return parts of real files without end: mostly their beginnings, so that headers survive."""
    while True:
        content = rng.choice(paths).read_bytes()
        if content[:2] == b"PK" or content[:4] == b"PAR1":
            yield content
            continue
        start = 0 if rng.random() < 0.8 else rng.randrange(len(content))
        yield content[start : start + rng.randint(200, SLICE_BYTES)]


def files_by_format(folder: Path) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size < 2_000_000 and path.suffix not in (".md", ".xz"):
            try:
                found.setdefault(sniff(Source(path)), []).append(path)
            except DataError:
                continue
    return found


def peak_kib() -> int:
    """Return the most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.fixture(scope="module")
def tried() -> Iterator[Counter[str]]:
    """The mutants that the slow tests try, which are added to the counts."""
    counts, began = Counter[str](), time.monotonic()
    yield counts
    add_run(COUNTS, counts, 0, time.monotonic() - began)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(READERS))
def test_reader_takes_mutants_of_real_files(
    name: str, real_data: Path, tmp_path: Path, tried: Counter[str]
) -> None:
    paths = files_by_format(real_data).get(name, [])
    rng = random.Random(name)
    source = slices(paths, rng) if paths else iter(lambda: content_of(name), None)
    before = peak_kib()
    for _ in range(2_000):
        (tmp_path / "file").write_bytes(mutate(next(source), rng))
        read_or_refuse(tmp_path / "file", name)
    tried[f"real files:{name}"] += 2_000
    # what ran before in this process may have used more, and still hold it
    allowed = max(before + MEMORY_KIB // 4, MEMORY_KIB)
    assert sys.platform == "darwin" or peak_kib() <= allowed


@pytest.mark.slow
def test_everything_that_reads_files_takes_mutants(tmp_path: Path) -> None:
    """The program runs for as long as one likes, and adds up what it tried: see its own help."""
    program = [sys.executable, "-m", "tests.support.fuzzing", "--seconds", "300"]
    answer = subprocess.run(program, capture_output=True, text=True, cwd=ROOT)
    assert answer.returncode == 0, answer.stdout[-4000:] + answer.stderr[-2000:]
