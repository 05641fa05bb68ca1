"""What tables look like: nothing in a cell is changed, folded in a file, or cut in a narrow terminal."""

import sys

import pytest

from aspectlab.cli.console import print_table

COUNTS = {
    "sentences": 84,
    "unique": 84,
    "with aspects": 70,
    "multi-polarity": 28,
    "positive": 63,
    "neutral": 7,
}


def print_to_terminal(monkeypatch: pytest.MonkeyPatch, width: int, rows: list[list[object]]) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")  # a dumb one has 80 columns, whatever is said
    monkeypatch.setenv("COLUMNS", str(width))
    print_table("", ["file", *COUNTS], rows)


def test_table_leaves_what_looks_like_markup_or_emoji_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("a :car:", ["id:100:x"], [["video:100:2"], ["[bold]loud[/bold]"]])
    printed = capsys.readouterr().out
    assert all(text in printed for text in ("a :car:", "id:100:x", "video:100:2", "[bold]loud[/bold]"))


def test_table_in_a_file_folds_no_cell(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("", ["opinions"], [["so good " * 60 + "indeed"]])
    assert any(line.count("so good") == 60 for line in capsys.readouterr().out.splitlines())


def test_table_that_a_terminal_would_cut_is_turned(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    print_to_terminal(monkeypatch, 60, [["reviews.jsonl", *COUNTS.values()]])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("│")[1].strip() for line in lines if "│" in line] == list(COUNTS)


def test_table_that_fits_a_terminal_is_not_turned(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    print_to_terminal(monkeypatch, 120, [["reviews.jsonl", *COUNTS.values()]])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("│")[1].strip() for line in lines if "│" in line] == ["reviews.jsonl"]


def test_table_that_would_be_wider_turned_is_not_turned(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    print_to_terminal(monkeypatch, 60, [[f"reviews-{number}.jsonl", *COUNTS.values()] for number in range(9)])
    assert "multi-polarity" not in capsys.readouterr().out
