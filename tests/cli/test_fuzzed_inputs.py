"""Whatever is in the file that a command is given, it does its work or says in one message why not."""

import random
from contextlib import suppress
from pathlib import Path

import pytest

from aspectlab.errors import AspectlabError
from tests.support.fuzzed_commands import COMMANDS, FILE, list_inputs, run_command
from tests.support.fuzzing import mutate

FINDS_LEAKS = ("data", "check", FILE, "sample")
"""Exits 1, since the two files share their texts."""


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_command_takes_the_input_that_mutants_are_made_of(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "file").write_text(COMMANDS[words], encoding="utf-8")
    assert run_command(words, tmp_path / "file") == (1 if words == FINDS_LEAKS else 0)


INPUTS = {name: (take, good) for name, take, good in list_inputs()}


@pytest.mark.parametrize("name", INPUTS)
def test_mutants_of_an_input_are_taken_or_refused(name: str, tmp_path: Path) -> None:
    take, good = INPUTS[name]
    rng = random.Random(name)
    for _ in range(10):
        (tmp_path / "file").write_bytes(mutate(good, rng))
        with suppress(AspectlabError):
            take(tmp_path / "file")
