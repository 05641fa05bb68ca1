"""Reading within bounds."""

import gzip
import lzma
import os
from pathlib import Path

import pytest

from aspectlab.errors import DataError
from aspectlab.readers import Source, read, source, write
from aspectlab.readers.source import parse_json, parse_literal


def test_head_breaks_lines_at_newlines_only(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("one\u2028still one\r\ntwo", encoding="utf-8")
    assert Source(path).head.lines == ("one\u2028still one", "two")


def test_lines_keep_outer_blanks_and_lose_their_ends(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbf a \r\n\xc2\xa0b\n")
    assert list(Source(path).lines()) == [(1, " a "), (2, "\u00a0b")]


def test_large_file_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_FILE_BYTES", 10)
    path = tmp_path / "file"
    path.write_bytes(b"x" * 11)
    with pytest.raises(DataError, match="at most 10"):
        Source(path).content()


def test_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(DataError, match="it is a pipe, not a file"):
        Source(path).content()


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "nul", "1 2"])
def test_bad_json_is_a_data_error(text: str) -> None:
    with pytest.raises(DataError, match="line 3: found"):
        parse_json(Source(Path("mine")), 3, text)


@pytest.mark.parametrize("text", ["(" * 100_000, "[1", "open('x')", "1 +", "{[]: 1}"])
def test_bad_literal_is_a_data_error(text: str) -> None:
    with pytest.raises(DataError, match="line 3: found"):
        parse_literal(Source(Path("mine")), 3, text)


def test_half_a_surrogate_pair_survives_the_canonical_form(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('{"id": "1", "text": "bad \\ud800 half", "quads": []}', encoding="utf-8")
    corpus = read(path)
    write(corpus, tmp_path / "copy", "jsonl")
    assert read(tmp_path / "copy") == corpus


@pytest.mark.parametrize("number", ["9" * 400, "NaN", "Infinity", "-Infinity", "1e999"])
def test_endless_confidence_is_refused(tmp_path: Path, number: str) -> None:
    path = tmp_path / "file"
    path.write_text(
        '{"id": "1", "text": "a", "quads": [{"confidence": {"positive": ' + number + "}}]}", encoding="utf-8"
    )
    with pytest.raises(DataError, match="confidence"):
        read(path)


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('{"id": "1", "text": "a", "quads": [{"category": "x"}]}', encoding="utf-8")
    corpus = read(path)
    (tmp_path / "out").write_text("old", encoding="utf-8")
    with pytest.raises(DataError):
        write(corpus, tmp_path / "out", "arts")
    assert (tmp_path / "out").read_text(encoding="utf-8") == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "out"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("blank.jsonl", '\n \n{"id": "1", "text": "Nice tea.", "quads": []}\n'),
        ("blank.csv", "\n\nid,text,aspect\n1,Nice tea.,\n"),
        ("long.jsonl", '{"id": "1", "text": "' + "word " * 40_000 + '", "quads": []}\n'),
    ],
)
def test_format_is_recognised_behind_blank_lines_and_long_texts(
    tmp_path: Path, name: str, content: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert [example.id for example in read(path)] == ["1"]


@pytest.mark.parametrize("part", ["head", "sha256"])
def test_pipe_is_refused_since_its_beginning_would_be_lost(tmp_path: Path, part: str) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(DataError, match=r"found a pipe: expected a file.*; write it to a file"):
        getattr(Source(path), part)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            gzip.compress(b"Tea.", mtime=0),  # the moment would name the test: workers must agree
            "found a packed file: expected a data set; unpack it with: gunzip --keep FILE",
        ),
        (lzma.compress(b"Tea."), "unpack it with: unxz --keep FILE"),
        (
            '{"id": "1"}'.encode("utf-16"),
            "found UTF-16: expected UTF-8; convert .*: iconv -f UTF-16 -t UTF-8",
        ),
    ],
)
def test_file_that_is_packed_or_recoded_is_refused_with_a_remedy(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        read(path)


def test_lines_in_utf16_are_refused_with_the_right_remedy(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("Tea", encoding="utf-16")
    with pytest.raises(DataError, match="iconv -f UTF-16 -t UTF-8"):
        list(Source(path).lines())


@pytest.mark.parametrize("end", ["\r", ""])
def test_lines_that_end_in_carriage_returns_only_are_refused(tmp_path: Path, end: str) -> None:
    # all was read as one sentence, with the triplets of the last
    path = tmp_path / "old.txt"
    path.write_text(f"Good tea .####[([1], [0], 'POS')]\rWe left .####[]{end}", encoding="utf-8", newline="")
    with pytest.raises(DataError, match="carriage returns without line feeds: expected line feeds; convert"):
        read(path)


def test_last_line_may_end_in_a_carriage_return(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("Good tea .####[([1], [0], 'POS')]\r", encoding="utf-8", newline="")
    assert [example.text for example in read(path)] == ["Good tea ."]
