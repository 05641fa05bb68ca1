"""A disk that is full gives one line and an exit code; no half of a file is taken for the whole."""

import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

from aspectlab.cli.options import explained_weights
from aspectlab.errors import DataError

SAMPLE = Path("examples/sample.jsonl")
FULL = Path("/dev/full")
LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); "
"""No file may grow beyond this, which fails in the middle of a file as a full disk does."""


def call(*words: str, limit: str = "", stdout: int | None = None) -> subprocess.CompletedProcess[str]:
    program = f"{limit}from aspectlab.cli import main; main()"
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(
        command, stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
    )


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        ["data", "formats"],
        ["data", "stats", str(SAMPLE), "--json"],
        ["data", "show", str(SAMPLE)],
        ["--help"],
    ],
    ids=["table", "json", "texts", "help"],
)
def test_full_stdout_gives_one_line_and_exit_code_2(words: list[str]) -> None:
    with FULL.open("w", encoding="utf-8") as stream:
        answer = call(*words, stdout=stream.fileno())
    errors = [line for line in answer.stderr.splitlines() if "examples of" not in line]
    assert answer.returncode == 2
    assert [error.split(";")[0] for error in errors] == [
        "error: the output cannot be written: No space left on device"
    ]


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_full_stdout_does_not_hide_another_error() -> None:
    with FULL.open("w", encoding="utf-8") as stream:
        answer = call("data", "stats", "absent.jsonl", stdout=stream.fileno())
    assert answer.returncode == 2
    assert answer.stderr.startswith("error: absent.jsonl: cannot be read")


@pytest.fixture(scope="module")
def _font_cache() -> None:
    """Let matplotlib, which draws word clouds, write its list of fonts where the disk is not full yet."""
    with suppress(ImportError):
        import_module("matplotlib.font_manager")


@pytest.mark.usefixtures("_font_cache")
@pytest.mark.parametrize(
    ("command", "option", "name"),
    [
        (["data", "convert"], [], "all.jsonl"),
        (["data", "convert"], [], "all.parquet"),
        (["data", "split"], ["--out"], ""),
        (["data", "stats"], ["--plots"], ""),
        (["annotate", "export"], ["--out"], ""),
    ],
    ids=["jsonl", "parquet", "split", "card", "project"],
)
def test_full_disk_leaves_no_half_of_a_file(
    tmp_path: Path, command: list[str], option: list[str], name: str
) -> None:
    answer = call(*command, str(SAMPLE), *option, str(tmp_path / name), limit=LIMITED)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"error: {tmp_path}")
    assert answer.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_full_disk_does_not_make_a_model(tmp_path: Path) -> None:
    files = ["--train", str(SAMPLE.with_stem("sample_train")), "--dev", str(SAMPLE.with_stem("sample_dev"))]
    model = ["--model", "marked", "--encoder", "tiny", "--epochs", "1", "--device", "cpu"]
    answer = call("train", *model, *files, "--out", str(tmp_path / "model"), limit=LIMITED)
    assert answer.returncode == 2
    assert answer.stderr.splitlines()[-1].startswith(f"error: {tmp_path / 'model'}: cannot be written: ")
    assert not (tmp_path / "model" / "config.json").exists()


def test_weights_that_cannot_be_written_are_an_error_of_ours(tmp_path: Path) -> None:
    torch = pytest.importorskip("safetensors.torch", reason="needs pip install 'aspectlab[train]'")
    with pytest.raises(DataError, match="model: cannot be written"), explained_weights(tmp_path / "model"):
        torch.save_file({}, tmp_path / "absent" / "weights")
