"""Memory that runs out is told in words, with what to do; other errors of torch stay as they are."""

import sys
from typing import NoReturn

import pytest

from aspectlab.cli import main


class OutOfMemoryError(RuntimeError):
    """Named as torch names its own."""


def fail(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def raise_it() -> NoReturn:
        raise error

    monkeypatch.setattr(sys.modules["aspectlab.cli.main"], "app", raise_it)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.\nSee the documentation"),
        RuntimeError("[enforce fail] can't allocate memory: you tried to allocate 9 bytes"),
    ],
    ids=["python", "cuda", "cpu"],
)
def test_memory_that_runs_out_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    fail(monkeypatch, error)
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: memory is short: {str(error).partition(chr(10))[0] or 'MemoryError'}; ")
    assert "batch_size" in line


def test_other_errors_of_torch_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    fail(monkeypatch, RuntimeError("size mismatch"))
    with pytest.raises(RuntimeError, match="size mismatch"):
        main()
