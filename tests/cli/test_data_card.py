"""`aspectlab data stats --plots` as a user meets it."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.errors import DataError

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture(autouse=True)
def _no_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    # their pictures are tested elsewhere, and take a second
    monkeypatch.setitem(sys.modules, "wordcloud", None)
    monkeypatch.setitem(sys.modules, "resvg_py", None)


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["data", "stats", *map(str, words)])


def test_stats_write_the_card_of_all_files_and_print_as_before(tmp_path: Path) -> None:
    files = [EXAMPLES / "sample_train.jsonl", EXAMPLES / "sample_test.jsonl"]
    answer = call(*files, "--json", "--plots", tmp_path / "card")
    assert answer.exit_code == 0
    assert answer.stdout == call(*files, "--json").stdout
    card = json.loads((tmp_path / "card" / "card.json").read_text(encoding="utf-8"))
    # examples/README.md counts 84 and 24 sentences
    assert card["parts"]["whole"]["segments"] == 84 + 24
    assert [row["segments"] for row in card["rows"]] == [84, 24]


def test_stats_say_on_stderr_what_was_left_out(tmp_path: Path) -> None:
    answer = call(EXAMPLES / "sample_it.jsonl", "--plots", tmp_path)
    assert "left out: word clouds" in answer.stderr
    assert "aspectlab[png]" in answer.stderr
    assert f"open {tmp_path / 'card.html'} in a browser" in answer.stderr


def test_stats_say_which_pictures_are_of_an_earlier_card(tmp_path: Path) -> None:
    plain = tmp_path / "plain.jsonl"
    plain.write_text('{"id": "1", "text": "Tea.", "quads": []}\n', encoding="utf-8")
    before = call(EXAMPLES / "sample_train.jsonl", "--plots", tmp_path / "card").stderr
    after = call(plain, "--plots", tmp_path / "card").stderr
    assert "not of this card" not in before
    assert "card: holds pictures that are not of this card: aspects.svg, " in after


def test_stats_refuse_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    answer = call(EXAMPLES / "sample.jsonl", "--plots", tmp_path / "taken" / "card")
    assert isinstance(answer.exception, DataError)
