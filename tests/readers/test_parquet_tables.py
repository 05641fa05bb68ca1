"""Parquet with the columns of a table: types, lossless writing, and files that claim too much."""

from pathlib import Path

import pyarrow
import pytest
from hypothesis import given, settings
from pyarrow import parquet

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import read, write
from aspectlab.readers.tables import parquetfile
from tests.support.tables import (
    EDITS,
    Edits,
    corpora,
    corpus_of,
    examples,
    mutate,
    refusal,
    survives,
    written,
)

PEN = Quad(aspect=Term("pen", Span(5, 8)), polarity=Polarity.POSITIVE)
COLUMNS = {
    "id": ["a", "b"],
    "text": ["Good pen", "Well."],
    "aspect": ["pen", None],
    "polarity": ["positive", None],
}
EXAMPLES = (Example("a", "Good pen", (PEN,)), Example("b", "Well."))


def make(folder: Path, columns: dict[str, object]) -> Path:
    path = folder / "sample.bin"
    parquet.write_table(pyarrow.table(columns), path)
    return path


def test_parquet_is_recognised_and_read_like_a_table(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, COLUMNS))
    assert corpus.provenance.format == "parquet"
    assert corpus.examples == EXAMPLES
    assert (corpus.language, corpus.annotates) == ("und", {Part.ASPECT, Part.POLARITY})


@pytest.mark.parametrize(
    "type",
    [pyarrow.large_string(), pyarrow.binary(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())],
    ids=str,
)
def test_parquet_text_may_have_any_type_of_text(tmp_path: Path, type: pyarrow.DataType) -> None:
    text = pyarrow.array(COLUMNS["text"]).cast(type)
    assert read(make(tmp_path, {**COLUMNS, "text": text})).examples == EXAMPLES


@pytest.mark.parametrize(
    ("values", "ids"),
    [([7, 8], ["7", "8"]), ([7.0, 8.5], ["7", "8.5"]), ([True, False], ["True", "False"])],
)
def test_parquet_id_may_be_a_number(tmp_path: Path, values: list[object], ids: list[str]) -> None:
    assert [example.id for example in read(make(tmp_path, {**COLUMNS, "id": values}))] == ids


def test_parquet_options_choose_columns(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, {"Comment": ["Nice."], "stars": [[5]]}), text_column="Comment")
    assert corpus.examples == (Example("1", "Nice."),)


def test_parquet_row_with_a_wrong_word_is_named(tmp_path: Path) -> None:
    path = make(tmp_path, {**COLUMNS, "polarity": ["positive", "good"]})
    assert "row 2: found the polarity 'good'" in refusal(path)


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"comment": ["Nice."]}, "header: found the columns comment"),
        ({"text": [["Nice."]]}, "column 'text': found VARCHAR[]: expected strings or numbers"),
        ({"text": [{"a": 1}]}, "column 'text': found STRUCT(a BIGINT): expected strings or numbers"),
        ({"text": [b"\xff"]}, "row 1: found bytes that are not UTF-8 in column 'text': expected UTF-8"),
        ({"text": ["a" * (5 << 20)]}, "row 1: found 5,242,880 bytes of text"),
    ],
)
def test_parquet_unfit_column_is_named(tmp_path: Path, columns: dict[str, object], found: str) -> None:
    assert found in refusal(make(tmp_path, columns))


def test_parquet_that_claims_more_rows_than_it_can_hold_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquetfile, "_FREE_ROWS", 1000)
    assert "footer: found 100,000 rows" in refusal(make(tmp_path, {"text": ["Nice."] * 100_000}))


def test_parquet_packed_too_tightly_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquetfile, "_FREE_BYTES", 1000)
    path = tmp_path / "sample.bin"
    table = pyarrow.table({"text": ["a" * 1_000_000]})
    parquet.write_table(table, path, compression="zstd", use_dictionary=False)
    assert "footer: found 1 rows" in refusal(path)


@pytest.mark.parametrize(
    ("rows", "length", "found"),
    [
        (
            3000,
            1_000_000,
            "row 1 on: found 2,048,000,000 bytes of text: expected at most 67,108,864 in 2,048",
        ),
        (1_000_000, 500, "whole file: found 500,000,000 bytes of text"),
    ],
)
def test_parquet_text_repeated_without_end_is_refused(
    tmp_path: Path, rows: int, length: int, found: str
) -> None:
    # a text is packed once, however many rows it stands in: a file of a few kilobytes
    indices, texts = pyarrow.array([0] * rows, pyarrow.int32()), pyarrow.array(["a" * length])
    table = pyarrow.table({"text": pyarrow.DictionaryArray.from_arrays(indices, texts)})
    parquet.write_table(table, tmp_path / "sample.bin", store_schema=False)
    assert found in refusal(tmp_path / "sample.bin")


@pytest.mark.parametrize(
    ("start", "stop", "piece"),
    [(-8, -4, b"\xff\xff\xff\x7f"), (-8, -4, b"\0\0\0\0"), (-4, None, b"XXXX"), (-20, None, b"")],
)
def test_parquet_broken_footer_is_refused(tmp_path: Path, start: int, stop: int | None, piece: bytes) -> None:
    path = make(tmp_path, COLUMNS)
    content = path.read_bytes()
    path.write_bytes(content[:start] + piece + (b"" if stop is None else content[stop:]))
    assert "expected a Parquet file" in refusal(path)


@given(corpus=corpora(examples()))
@settings(deadline=None, max_examples=30)
def test_parquet_round_trip_is_exact(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert written(corpus, tmp_path_factory.mktemp("parquet"), "parquet") == corpus.examples


def test_parquet_row_groups_are_joined_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquetfile, "GROUP_ROWS", 2048)  # DuckDB packs no fewer
    made = [Example(str(number), "Good pen", (PEN,) * 3) for number in range(1500)]
    assert written(corpus_of(made), tmp_path, "parquet") == tuple(made)
    assert parquet.ParquetFile(tmp_path / "again.bin").num_row_groups == 3


def test_parquet_writer_names_a_text_that_is_no_utf8(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected UTF-8"):
        write(corpus_of([Example("1", "half a pair: \ud800")]), tmp_path / "a.parquet", "parquet")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return make(tmp_path_factory.mktemp("seed"), COLUMNS).read_bytes()


@given(edits=EDITS)
@settings(deadline=None)
def test_parquet_mutant_gives_a_corpus_or_a_data_error(
    seed: bytes, edits: Edits, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("parquet") / "mutant.parquet"
    path.write_bytes(mutate(seed, edits))
    assert survives(path, "parquet")
