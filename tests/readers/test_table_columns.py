"""Columns of tables made elsewhere: the names that labels have there, delimiters, and what is not read."""

from pathlib import Path

import pytest

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.readers import read

TEXT = "The lamp is on."
LAMP = Term("lamp", Span(4, 8))
ON = Term("on", Span(12, 14))


def make(folder: Path, content: str) -> Path:
    path = folder / "made.csv"
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "quad"),
    [
        # the header of the SemEval-2014 tables that go round: without the name, every aspect was lost
        (
            f"id,Sentence,Aspect Term,polarity,from,to\n1,{TEXT},lamp,positive,4,8\n",
            Quad(LAMP, polarity=Polarity.POSITIVE),
        ),
        (
            f"id,text,aspect_term,aspect_category,opinion_term\n1,{TEXT},lamp,light,on\n",
            Quad(LAMP, "light", ON),
        ),
        (f"id,text,aspectTerm,aspectCategory\n1,{TEXT},lamp,light\n", Quad(LAMP, "light")),
        (f"id|text|aspect|polarity\n1|{TEXT}|lamp|neutral\n", Quad(LAMP, polarity=Polarity.NEUTRAL)),
    ],
    ids=["semeval", "snake-case", "camel-case", "bars"],
)
def test_labels_of_a_table_made_elsewhere_are_found(tmp_path: Path, content: str, quad: Quad) -> None:
    corpus = read(make(tmp_path, content))
    assert corpus.examples == (Example("1", TEXT, (quad,)),)
    assert corpus.provenance.notes == ()


@pytest.mark.parametrize(
    ("header", "notes"),
    [
        ("text,polarity", ()),
        (",text,polarity", ()),
        ("text,polarity,aspects,Stars", ("header: columns that are not read: aspects, Stars",)),
        # of two columns for one thing, one is read
        ("text,polarity,label", ("header: columns that are not read: label",)),
    ],
)
def test_columns_that_are_not_read_are_noted(tmp_path: Path, header: str, notes: tuple[str, ...]) -> None:
    cells = {"text": "Nice.", "polarity": "positive"}
    row = ",".join(cells.get(name, "7") for name in header.split(","))
    assert read(make(tmp_path, f"{header}\n{row}\n")).provenance.notes == notes


def test_labels_without_a_text_are_noted(tmp_path: Path) -> None:
    # as in a sheet whose text stands in the first row only: the others became examples of an empty text
    table = f"text,aspect\n{TEXT},lamp\n,on\n,lamp\n\nWell.,\n,\n"
    notes = read(make(tmp_path, table)).provenance.notes
    assert "line 3: first of the rows with labels and without a text: 2; write the text in every row" in notes


def test_term_in_another_case_than_the_text_is_placed(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, "text,aspect,opinion\nLamp is ON.,lamp,on\n"))
    assert corpus.examples[0].quads == (Quad(Term("Lamp", Span(0, 4)), None, Term("ON", Span(8, 10))),)
    assert corpus.provenance.notes == ()


def test_implicit_aspect_is_not_the_word_null_of_the_text(tmp_path: Path) -> None:
    (quad,) = read(make(tmp_path, "text,aspect,category\nA null byte,NULL,code\n")).examples[0].quads
    assert quad.aspect is None


@pytest.mark.parametrize(
    ("table", "notes"),
    [
        (
            f"text,aspect\n{TEXT},lamp\nSo-so.,shade\n",
            ("line 3: first of the terms that are not in the text, kept without a span: 1",),
        ),
        # an empty cell among offsets says that the term does not stand there
        (f"text,aspect,from,to\n{TEXT},lamp,4,8\nSo-so.,shade,,\n", ()),
    ],
)
def test_term_that_is_not_found_is_noted(tmp_path: Path, table: str, notes: tuple[str, ...]) -> None:
    assert read(make(tmp_path, table)).provenance.notes == notes
