"""ACOS quadruples: spans counted in tokens, with implicit aspects and opinions."""

from pathlib import Path

import pytest
from samples import refusal

from aspectlab.data import Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import read
from aspectlab.readers.textfields import MAX_FIELD

LINE = "the desk lamp is warm .\t1,3 LIGHT#GENERAL 2 4,5\t-1,-1 SHOP#PRICES 1 -1,-1\n"


def make(folder: Path, content: str) -> Path:
    path = folder / "sample.tsv"
    path.write_bytes(content.encode())
    return path


@pytest.mark.parametrize("name", [None, "acos"])
def test_acos_spans_of_tokens_become_spans_of_characters(tmp_path: Path, name: str | None) -> None:
    corpus = read(make(tmp_path, f"{LINE}\nhello .\r\nold !\t-1,-1 SHOP#PRICES 0 0,1\n"), name)
    lamp = Quad(
        Term("desk lamp", Span(4, 13)), "LIGHT#GENERAL", Term("warm", Span(17, 21)), Polarity.POSITIVE
    )
    assert corpus.examples == (
        Example(
            "sample-1", "the desk lamp is warm .", (lamp, Quad(None, "SHOP#PRICES", None, Polarity.NEUTRAL))
        ),
        Example("sample-2", "hello ."),
        Example(
            "sample-3", "old !", (Quad(None, "SHOP#PRICES", Term("old", Span(0, 3)), Polarity.NEGATIVE),)
        ),
    )
    assert corpus.annotates == set(Part)
    assert corpus.provenance.notes == ()


def test_acos_empty_span_is_the_token_that_stands_there(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, "a cheap pen\t2,3 PEN#PRICE 2 1,1\n"))
    assert corpus.examples[0].quads[0].opinion == Term("cheap", Span(2, 7))
    (note,) = corpus.provenance.notes
    assert note.endswith("empty span, read as the token that stands there: 1, first on line 1")


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ("a lamp\t1,2 LIGHT#GENERAL 3 0,1", "expected quads like"),
        ("a lamp\t1,2 LIGHT#GENERAL 2", "expected quads like"),
        ("a lamp\t1,-1 LIGHT#GENERAL 2 0,1", "expected quads like"),
        ("a lamp\t1,2 LIGHT GENERAL 2 0,1", "expected quads like"),
        ("a lamp\t١,2 LIGHT#GENERAL 2 0,1", "expected quads like"),
        ("a lamp\t1,3 LIGHT#GENERAL 2 0,1", "found the span 1,3: expected spans of the 2 tokens"),
        ("a lamp\t2,2 LIGHT#GENERAL 2 0,1", "found the span 2,2: expected spans of the 2 tokens"),
        ("a lamp\t1,2 LIGHT#GENERAL 2 1,0", "found the span 1,0: expected spans of the 2 tokens"),
        (f"{'a' * (MAX_FIELD + 1)}\t0,1 X 2 0,1", "expected at most 65,536"),
    ],
)
def test_acos_broken_line_is_named(tmp_path: Path, broken: str, found: str) -> None:
    message = refusal(make(tmp_path, LINE + broken), "acos")
    assert "sample.tsv: line 2: found" in message
    assert found in message


def test_table_with_such_a_cell_further_right_is_no_acos(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, "text\taspect\tpolarity\na nice lamp\tlamp\tpositive\n"))
    assert corpus.provenance.format == "table"
