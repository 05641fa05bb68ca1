"""ACOS quadruples: spans counted in tokens, with implicit aspects and opinions."""

from pathlib import Path

import pytest

from aspectlab.data import Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import read, write
from aspectlab.readers.textfields import MAX_FIELD
from tests.support.tables import corpus_of, refusal

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
        Example("1", "the desk lamp is warm .", (lamp, Quad(None, "SHOP#PRICES", None, Polarity.NEUTRAL))),
        Example("2", "hello ."),
        Example("3", "old !", (Quad(None, "SHOP#PRICES", Term("old", Span(0, 3)), Polarity.NEGATIVE),)),
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


def test_acos_is_recognised_behind_sentences_without_opinions(tmp_path: Path) -> None:
    assert read(make(tmp_path, f"hello .\nwell .\n{LINE}")).provenance.format == "acos"


def test_acos_writer_gives_the_published_form(tmp_path: Path) -> None:
    path = make(tmp_path, f"{LINE}hello .\n")
    write(read(path), tmp_path / "copy.tsv", "acos")
    assert (tmp_path / "copy.tsv").read_bytes() == path.read_bytes()


LAMP = Term("lamp", Span(2, 6))


@pytest.mark.parametrize(
    ("text", "quads", "found"),
    [
        ("a lamp", (Quad(LAMP, None, None, Polarity.POSITIVE),), "the category None: expected one in every"),
        (
            "a lamp",
            (Quad(LAMP, "a b", None, Polarity.POSITIVE),),
            "the category 'a b': expected one in every",
        ),
        ("a lamp", (Quad(LAMP, "", None, Polarity.POSITIVE),), "the category '': expected one in every quad"),
        ("a lamp", (Quad(LAMP, "a", None, Polarity.CONFLICT),), "the polarity conflict: expected one of"),
        (
            "a lamp",
            (Quad(None, "a", Term("am", Span(3, 5)), Polarity.POSITIVE),),
            "opinion: found 'am' at 3:5",
        ),
        ("a\tlamp", (), "'a\\tlamp': expected one line of text that the format can hold"),
        (" ", (), "' ': expected one line of text that the format can hold"),
    ],
)
def test_acos_writer_refuses_what_it_cannot_hold(
    tmp_path: Path, text: str, quads: tuple[Quad, ...], found: str
) -> None:
    with pytest.raises(DataError) as caught:
        write(corpus_of([Example("7", text, quads)]), tmp_path / "copy.tsv", "acos")
    assert found in str(caught.value)


# sentences, quads, implicit aspects and opinions: lines, fields and -1,-1 counted in the files
COUNTS = {
    "laptop_quad_train": (2934, 4172, 931, 1148),
    "laptop_quad_dev": (326, 440, 88, 116),
    "rest16_quad_train": (1530, 2484, 607, 448),
    "rest16_quad_dev": (171, 261, 60, 54),
}


@pytest.mark.parametrize("file", COUNTS)
def test_acos_published_counts(file: str, real_data: Path) -> None:
    corpus = read(real_data / "acos" / f"{file}.tsv")
    quads = [quad for example in corpus for quad in example.quads]
    implicit = [sum(getattr(quad, part) is None for quad in quads) for part in ("aspect", "opinion")]
    assert (len(corpus), len(quads), *implicit) == COUNTS[file]
