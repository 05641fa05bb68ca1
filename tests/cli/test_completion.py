"""A shell can complete commands and options."""

import pytest
from typer.testing import CliRunner

from aspectlab.cli.main import app


@pytest.mark.parametrize(
    ("words", "place", "expected"),
    [
        ("aspectlab ana", 1, "analyze"),
        ("aspectlab data st", 2, "stats"),
        ("aspectlab score --ta", 2, "--task"),
    ],
    ids=["command", "subcommand", "option"],
)
def test_bash_completes(words: str, place: int, expected: str) -> None:
    asked = {"_ASPECTLAB_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(place)}
    answer = CliRunner().invoke(app, [], prog_name="aspectlab", env=asked)
    assert answer.output.split() == [expected]
