"""Predictions in a table: terms without offsets are compared by their words."""

from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import write
from aspectlab.readers.quadrows import read_predicted
from aspectlab.readers.tables.parquetfile import write_rows

ROW: dict[str, str | int | float | None] = {"id": "1", "text": "lamp or lamp", "aspect": "lamp"}


# a packed table, or one with another ending, was read with the first occurrence: another score for one file
@pytest.mark.parametrize("name", ["rows.csv", "rows.txt", "rows.parquet"])
def test_predicted_term_without_offsets_has_no_place_in_any_table(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if path.suffix == ".parquet":
        write_rows(path, [ROW], dict.fromkeys(ROW, "VARCHAR"))
    else:
        path.write_text("id,text,aspect\n1,lamp or lamp,lamp\n", encoding="utf-8")
    assert read_predicted(path).examples[0].quads == (Quad(Term("lamp")),)


@pytest.mark.parametrize("format", ["table", "parquet", "jsonl"])
def test_predicted_term_with_offsets_keeps_its_place(tmp_path: Path, format: str) -> None:
    quad = Quad(Term("lamp", Span(8, 12)), polarity=Polarity.POSITIVE)
    corpus = Corpus("made", "en", frozenset({Part.ASPECT}), (Example("1", "lamp or lamp", (quad,)),))
    write(corpus, tmp_path / "rows", format)
    assert read_predicted(tmp_path / "rows").examples == corpus.examples
