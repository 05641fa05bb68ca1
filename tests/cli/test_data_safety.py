"""`aspectlab data` never destroys its input, and shows texts as they are."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.errors import ConfigError

LINES = "".join(f'{{"id": "{n}", "text": "Tea number {n}.", "quads": []}}\n' for n in range(12))


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["data", *map(str, words)])


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    path = tmp_path / "split-1-train.jsonl"
    path.write_text(LINES, encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["convert", "clean"])
@pytest.mark.parametrize("name", ["split-1-train.jsonl", "link.jsonl", "hard.jsonl"])
def test_input_is_not_written_over_under_any_name(reviews: Path, command: str, name: str) -> None:
    (reviews.parent / "link.jsonl").symlink_to(reviews)
    (reviews.parent / "hard.jsonl").hardlink_to(reviews)
    answer = call(command, reviews, reviews.parent / name)
    assert isinstance(answer.exception, ConfigError)
    assert f"{name}: is the input itself: expected another path for the output" in str(answer.exception)
    assert reviews.read_text(encoding="utf-8") == LINES


@pytest.mark.parametrize("command", ["convert", "clean"])
def test_dash_is_not_taken_for_a_file_name(
    reviews: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(reviews.parent)
    answer = call(command, reviews, "-", "--to", "jsonl")
    assert "for the standard output: /dev/stdout" in str(answer.exception)
    assert not Path("-").exists()


def test_split_does_not_write_its_parts_over_its_input(reviews: Path) -> None:
    answer = call("split", reviews, "--out", reviews.parent, "--texts")
    assert "is the input itself" in str(answer.exception)
    assert [path.name for path in reviews.parent.iterdir()] == [reviews.name]


def test_split_does_not_delete_its_input_as_a_leftover(reviews: Path) -> None:
    assert call("split", reviews, "--out", reviews.parent, "--splits", "2").exit_code == 0
    answer = call("split", reviews, "--out", reviews.parent, "--splits", "1", "--replace")
    assert "is the input itself" in str(answer.exception)
    assert reviews.read_text(encoding="utf-8") == LINES


@pytest.mark.parametrize("text", ["no\u00a0break", "\N{MAN}\u200d\N{WOMAN}", "می\u200cخواهم", "五\u3000月"])
def test_show_keeps_blanks_and_joiners(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tea.jsonl"
    path.write_text(f'{{"id": "1", "text": "{text}", "quads": []}}\n', encoding="utf-8")
    assert call("show", path).stdout == f"1  {text}\n"


def test_show_replaces_what_turns_the_writing_round(tmp_path: Path) -> None:
    path = tmp_path / "tea.jsonl"
    path.write_text('{"id": "1", "text": "a \u202eb", "quads": []}\n', encoding="utf-8")
    assert call("show", path).stdout == "1  a \ufffdb\n"


TRIPLET = """{"id": "1", "text": "Good tea", "quads": [{"aspect": {"text": "tea", "start": 5, "end": 8},
"category": "drinks", "opinion": {"text": "Good", "start": 0, "end": 4}, "polarity": "positive",
"confidence": {"positive": 0.9}}]}""".replace("\n", " ")


@pytest.mark.parametrize("command", ["convert", "clean"])
@pytest.mark.parametrize(
    ("name", "losses"),
    [
        ("tea.jsonl", None),
        ("tea.csv", "not kept in table: confidences; jsonl keeps them"),
        ("tea.txt", "not kept in aste: ids, categories, confidences; jsonl keeps them"),
    ],
)
def test_what_a_format_cannot_hold_is_said(
    tmp_path: Path, command: str, name: str, losses: str | None
) -> None:
    (tmp_path / "made.jsonl").write_text(TRIPLET, encoding="utf-8")
    answer = call(command, tmp_path / "made.jsonl", tmp_path / name)
    assert answer.exit_code == 0
    assert ("not kept" in answer.stderr) is (losses is not None)
    assert (losses or "") in answer.stderr


def test_check_takes_transcripts_and_the_notice_repeats_them(tmp_path: Path) -> None:
    rows, texts = tmp_path / "rows.csv", tmp_path / "my texts.csv"
    row = "8,1,seats,firm,neg\n"
    rows.write_text("id,segment_id,aspect,opinion,sentiment\n" + 2 * row, encoding="utf-8")
    texts.write_text("id,segment_id,text\n8,1,Firm seats are firm .\n", encoding="utf-8")
    notice = call("stats", rows, "--from", "muse", "--transcripts", texts).stderr
    command = f"aspectlab data check {rows} --from muse --transcripts '{texts}'"
    assert notice.strip().endswith(f"see: {command}")
    assert (
        "terms 4, of which 0 do not stand in their text" in call("check", rows, "--transcripts", texts).stdout
    )
    assert "terms 4, of which 4 do not stand in their text" in call("check", rows).stdout
