"""Unlabelled text: test sentences stay out, everything else is packed."""

import csv
import json
import lzma
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

from aspectlab.data import Exclusion
from aspectlab.encoders import load_encoder
from aspectlab.encoders.transformer import TransformerEncoder
from aspectlab.encodings import Subwords
from aspectlab.errors import ConfigError, DataError
from aspectlab.training.posttraining import pack_texts, read_lines, read_texts

TEST = ["The lentil soup came cold and far too late.", "Delicious!", "¿Café? Sí, gracias, pero muy caro."]
LINES = ["We liked the bread here.", "Nothing to add.", "The tea was fine, as was the cake."]


@pytest.fixture
def subwords() -> Subwords:
    encoder = load_encoder("tiny")
    assert isinstance(encoder, TransformerEncoder)
    return encoder.subwords


def write(path: Path, lines: list[str]) -> Path:
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(lzma.compress(content) if path.suffix == ".xz" else content)
    return path


@pytest.mark.parametrize("name", ["text.txt", "text.txt.xz"])
def test_packs_leave_out_and_count_test_sentences(tmp_path: Path, subwords: Subwords, name: str) -> None:
    path = write(tmp_path / name, [*LINES, TEST[0], "", *LINES, f"Sadly. {TEST[0]}"])
    clean = write(tmp_path / "clean.txt", LINES * 2)
    packs = pack_texts([path], Exclusion(TEST), subwords, length=16)
    expected = pack_texts([clean], Exclusion([]), subwords, length=16)
    assert (packs.lines, packs.excluded) == (8, 2)  # blank lines do not count
    assert packs.tokens.tolist() == expected.tokens.tolist()
    assert packs.sha256 == expected.sha256


def test_packs_are_framed_rows_of_the_text_in_order(tmp_path: Path, subwords: Subwords) -> None:
    path = write(tmp_path / "text.txt", LINES)
    packs = pack_texts([path], Exclusion([]), subwords, length=10)
    stream = [token for ids in subwords.number(LINES) for token in (*ids, *subwords.between)]
    assert set(packs.tokens[:, 0].tolist()) == set(subwords.first)
    assert set(packs.tokens[:, -1].tolist()) == set(subwords.last)
    assert packs.tokens[:, 1:-1].ravel().tolist() == stream[: len(stream) // 8 * 8]


def test_packs_join_several_files(tmp_path: Path, subwords: Subwords) -> None:
    paths = [write(tmp_path / f"{number}.txt", LINES) for number in range(3)]
    assert pack_texts(paths, Exclusion([]), subwords, length=16).lines == 9


@pytest.mark.parametrize("name", ["reviews.csv", "reviews.jsonl"])
def test_texts_of_a_table_are_its_column(tmp_path: Path, name: str) -> None:
    rows = [{"id": f"r{number}", "stars": number, "text": line} for number, line in enumerate(LINES)]
    rows[1]["text"] = "Nothing\nto add."  # a text is one line, whatever it looks like
    path = tmp_path / name
    with path.open("w", encoding="utf-8", newline="") as stream:
        if path.suffix == ".csv":
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        else:
            stream.writelines(json.dumps(row) + "\n" for row in rows)
    assert list(read_texts(path)) == LINES
    assert list(read_texts(path, "id")) == ["r0", "r1", "r2"]
    with pytest.raises(ConfigError, match=name):
        list(read_texts(path, "txt"))


def test_packs_tell_of_rows_that_cannot_be_read(tmp_path: Path, subwords: Subwords) -> None:
    rows = [json.dumps({"text": line}) for line in [*LINES * 60, ""]]
    path = write(tmp_path / "reviews.jsonl", [*rows, '{"text": "torn'])
    packs = pack_texts([path], Exclusion([]), subwords)
    # after three lines sixty times and a blank one
    assert packs.notices[0].startswith(f"{path}: line 182: found ")
    assert packs.notices[1:] == ("1 broken row skipped", "1 review without text skipped")


def test_packs_are_no_longer_than_what_the_encoder_reads(tmp_path: Path) -> None:
    short = Subwords(load_encoder("tiny").vocabulary.tokenizer, 64)  # type: ignore[attr-defined]
    path = write(tmp_path / "text.txt", LINES * 20)
    assert pack_texts([path], Exclusion([]), short).tokens.shape[1] == 64


@pytest.mark.parametrize(
    ("name", "message"),
    [("reviews.csv.xz", "found a packed table"), ("reviews.JSONL.XZ", "unpack"), ("test.xml", "a .xml file")],
)
def test_lines_of_what_is_no_text_are_not_learnt(tmp_path: Path, name: str, message: str) -> None:
    write(tmp_path / name, LINES)
    with pytest.raises(DataError, match=message):
        list(read_texts(tmp_path / name))


def test_packs_of_too_little_text_are_refused(tmp_path: Path, subwords: Subwords) -> None:
    path = write(tmp_path / "text.txt", ["tea", TEST[0]])
    with pytest.raises(DataError, match="found 4 tokens in 1 lines after leaving 1 out: expected at least"):
        pack_texts([path], Exclusion(TEST), subwords)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text.txt", b"\xff\xfe"),
        ("text.txt.xz", b"not packed"),
        ("text.txt.xz", lzma.compress(b"tea" * 99)[:20]),
    ],
)
def test_text_that_cannot_be_read_names_the_file(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=rf"{name}: .*expected a text file in UTF-8"):
        list(read_lines(tmp_path / name))


def test_text_that_is_missing_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.txt: .*check the path"):
        list(read_lines(tmp_path / "gone.txt"))
