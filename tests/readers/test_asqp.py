"""ASQP quadruples: terms named by their words, looked for in the sentence."""

from pathlib import Path

import pytest

from aspectlab.data import Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import read, write
from aspectlab.readers.textfields import MAX_FIELD
from tests.support.tables import corpus_of, refusal

QUADS = "[['lamp', 'light general', 'positive', 'warm'], ['NULL', 'price', 'neutral', 'NULL']]"
LINE = f"The lamp is warm .####{QUADS}\n"


def make(folder: Path, content: str) -> Path:
    path = folder / "sample.txt"
    path.write_bytes(content.encode())
    return path


def test_asqp_quads_become_spans(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, f"{LINE}Hello .####[]\n"), "asqp")
    quads = (
        Quad(Term("lamp", Span(4, 8)), "light general", Term("warm", Span(12, 16)), Polarity.POSITIVE),
        Quad(None, "price", None, Polarity.NEUTRAL),
    )
    assert corpus.examples == (
        Example("1", "The lamp is warm .", quads),
        Example("2", "Hello ."),
    )
    assert corpus.annotates == set(Part)
    assert corpus.provenance.notes == ()


@pytest.mark.parametrize(
    ("surface", "term"),
    [
        ("lamp", Term("lamp", Span(13, 17))),
        ("warm lamp", Term("WARM lamp", Span(8, 17))),
        ("WARM", Term("WARM", Span(8, 12))),
        ("İstanbul", Term("İstanbul", Span(18, 26))),
        ("MODEL", Term("model", Span(27, 32))),
        (" lamp  ", Term("lamp", Span(13, 17))),
        ("lam", Term("lam")),
        ("sofa\\q", Term("sofa\\q")),
    ],
)
def test_asqp_term_is_looked_for_in_the_same_case_first(tmp_path: Path, surface: str, term: Term) -> None:
    content = f"Lamps , WARM lamp İstanbul model####[['{surface}', 'light', 'negative', 'NULL']]"
    corpus = read(make(tmp_path, content), "asqp")
    assert corpus.examples[0].quads[0].aspect == term
    assert len(corpus.provenance.notes) == (0 if term.span else 1)


def test_asqp_terms_without_a_span_are_counted_in_one_note(tmp_path: Path) -> None:
    content = LINE + "A lamp####[['sofa', 'x', 'positive', 'soft']]\n" * 30
    (note,) = read(make(tmp_path, content), "asqp").provenance.notes
    assert note.endswith("kept without a span: 60, first on line 2")


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ("A lamp", "expected a sentence, ####"),
        ("A lamp####[['lamp', 'x', 'positive', 'A'", "expected a Python literal"),
        ("A lamp####{'lamp': 1}", "expected a list in square brackets"),
        ("A lamp####[['lamp', 'x', 'positive']]", "expected quads of four strings"),
        ("A lamp####[['lamp', 'x', 'good', 'A']]", "expected quads of four strings"),
        ("A lamp####[['lamp', 4, 'positive', 'A']]", "expected quads of four strings"),
        ("A lamp####[['', 'x', 'positive', 'A']]", "expected quads of four strings"),
        ("A lamp####['lamp']", "expected quads of four strings"),
        ("A lamp####[['lamp', '\\ud800', 'positive', 'A']]", "expected quads of four strings"),
        ("A lamp####[['lamp', open('x'), 'positive', 'A']]", "expected a Python literal"),
        (f"{'a' * (MAX_FIELD + 1)}####[]", "expected at most 65,536"),
    ],
)
def test_asqp_broken_line_is_named(tmp_path: Path, broken: str, found: str) -> None:
    message = refusal(make(tmp_path, LINE + broken), "asqp")
    assert "sample.txt: line 2: found" in message
    assert found in message


def test_asqp_writer_gives_the_published_form(tmp_path: Path) -> None:
    path = make(tmp_path, f"{LINE}Hello .####[]\n")
    write(read(path), tmp_path / "copy.txt", "asqp")
    assert (tmp_path / "copy.txt").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("quad", "found"),
    [
        (Quad(None, None, None, Polarity.POSITIVE), "None and positive: expected a category and a polarity"),
        (Quad(None, "x", None, None), "'x' and None: expected a category and a polarity"),
        (Quad(Term("lamp", Span(11, 15)), "x", None, Polarity.POSITIVE), "'lamp' at 11:15: expected a term"),
        (
            Quad(Term("lam", Span(0, 3)), "x", None, Polarity.POSITIVE),
            "'lam' at 0:3: expected a term that is",
        ),
        (Quad(Term("NULL"), "x", None, Polarity.POSITIVE), "'NULL': expected a term that is the first"),
        (Quad(None, "x", Term(" ", Span(4, 5)), Polarity.POSITIVE), "' ' at 4:5: expected a term that is"),
    ],
)
def test_asqp_writer_refuses_what_it_cannot_hold(tmp_path: Path, quad: Quad, found: str) -> None:
    with pytest.raises(DataError) as caught:
        write(corpus_of([Example("7", "lamp , old lamp .", (quad,))]), tmp_path / "copy.txt", "asqp")
    assert f"example '7': found {found}" in str(caught.value)


# SOURCES, section 8: sentences and quads; terms that are not in the sentence are counted by hand
PUBLISHED = [
    ("rest15/train", 834, 1354, 0),
    ("rest15/dev", 209, 347, 2),
    ("rest15/test", 537, 795, 1),
    ("rest16/train", 1264, 1989, 3),
    ("rest16/dev", 316, 507, 0),
    ("rest16/test", 544, 799, 1),
]


@pytest.mark.parametrize(("name", "size", "quads", "unplaced"), PUBLISHED)
def test_asqp_published_counts(real_data: Path, name: str, size: int, quads: int, unplaced: int) -> None:
    corpus = read(real_data / "asqp" / f"{name}.txt")
    found = [quad for example in corpus for quad in example.quads]
    assert (corpus.provenance.format, len(corpus), len(found)) == ("asqp", size, quads)
    assert sum(term.span is None for quad in found for term in quad.terms) == unplaced
