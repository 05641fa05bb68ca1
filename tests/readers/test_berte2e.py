"""BERT-E2E-ABSA: tagged tokens put back into the raw sentence."""

from pathlib import Path

import pytest

from aspectlab.data import Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import read
from aspectlab.readers.textfields import MAX_FIELD
from tests.support.tables import refusal


def make(folder: Path, content: str) -> Path:
    path = folder / "sample.txt"
    path.write_bytes(content.encode())
    return path


def test_berte2e_tags_become_spans_of_the_raw_sentence(tmp_path: Path) -> None:
    text = " Warm lamp, but its knob's stiff!"
    tagged = "Warm=O lamp=T-POS ,=O but=O its=O knob=T-NEG 's=O stiff=O !=O"
    corpus = read(make(tmp_path, f"{text}####{tagged}\n"), "bert-e2e")
    quads = (
        Quad(aspect=Term("lamp", Span(6, 10)), polarity=Polarity.POSITIVE),
        Quad(aspect=Term("knob", Span(20, 24)), polarity=Polarity.NEGATIVE),
    )
    assert corpus.examples == (Example("1", text, quads),)
    assert corpus.annotates == {Part.ASPECT, Part.POLARITY}
    assert corpus.provenance.notes == ()


@pytest.mark.parametrize(
    ("text", "tagged", "aspects"),
    [
        # dropped signs, at the edge of the aspect and within it
        ("A (bed-side) lamp", "A=O bed=T-POS side=T-POS lamp=T-POS", [Term("bed-side) lamp", Span(3, 17))]),
        ("The 'lamp' or 'knob'.", "The=O lamp=T-NEG or=O knob=O .=O", [Term("lamp", Span(5, 9))]),
        # another sign than in the sentence, and one that comes again later
        ("A bed - a lamp, white", "A=O bed=O ,=O a=O lamp=T-POS ,=O white=O", [Term("lamp", Span(10, 14))]),
        # the second of two equal words is tagged
        ("lamp on lamp", "lamp=O on=O lamp=T-NEU", [Term("lamp", Span(8, 12))]),
        # runs of equal tags are one aspect, a change of polarity begins another
        ("lamp knob", "lamp=T-NEU knob=T-NEU", [Term("lamp knob", Span(0, 9))]),
        ("lamp knob", "lamp=T-NEU knob=T-POS", [Term("lamp", Span(0, 4)), Term("knob", Span(5, 9))]),
        ("x=1 works", "x=1=T-POS works=O", [Term("x=1", Span(0, 3))]),
        (
            "no-break\u00a0lamp here",
            "no-break\u00a0lamp=T-POS here=O",
            [Term("no-break\u00a0lamp", Span(0, 13))],
        ),
        ("  ", "", []),
    ],
)
def test_berte2e_tokens_unlike_the_sentence_are_aligned(
    tmp_path: Path, text: str, tagged: str, aspects: list[Term]
) -> None:
    corpus = read(make(tmp_path, f"{text}####{tagged}\r\n"), "bert-e2e")
    assert corpus.examples[0].text == text
    assert [quad.aspect for quad in corpus.examples[0].quads] == aspects
    assert corpus.provenance.notes == ()


@pytest.mark.parametrize(
    ("text", "tagged", "aspect"),
    [
        ("A lamp of brass.", "A=O sofa=T-POS of=O brass=O .=O", "sofa"),
        ("A lamp and poor knob.", "A=O lamp=T-NEG knob=T-NEG .=O", "lamp knob"),
        ("Nothing like it", "A=O warm=T-POS lamp=T-POS", "warm lamp"),
    ],
)
def test_berte2e_aspect_that_does_not_stand_there_has_no_span(
    tmp_path: Path, text: str, tagged: str, aspect: str
) -> None:
    corpus = read(make(tmp_path, f"{text}####{tagged}\n" * 20), "bert-e2e")
    assert corpus.examples[0].quads[0].aspect == Term(aspect)
    (note,) = corpus.provenance.notes
    assert note.endswith("kept without a span: 20, first on line 1")


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ("A lamp", "expected a sentence, ####"),
        # the sentence was cut at its own mark, and the rest read as a token
        ("A #### lamp####A=O ####=O lamp=T-POS", "expected a sentence, #### once"),
        ("A lamp####A=O lamp", "found 'lamp': expected a token"),
        ("A lamp####A=O lamp=TT-POS", "found 'lamp=TT-POS'"),
        ("A lamp####A=O =T-POS", "found '=T-POS'"),
        (f"{'a' * (MAX_FIELD + 1)}####a=O", "expected at most 65,536"),
    ],
)
def test_berte2e_broken_line_is_named(tmp_path: Path, broken: str, found: str) -> None:
    message = refusal(make(tmp_path, f"lamp####lamp=O\n\n{broken}"), "bert-e2e")
    assert "sample.txt: line 3: found" in message
    assert found in message


# SOURCES, section 8: lines; the aspects are runs of equal tags and those without a span were checked by hand:
# the published tokens hold other words than the sentence there, or leave one out
PUBLISHED = [
    ("laptop14/train", 2741, 2047, 3),
    ("laptop14/dev", 304, 256, 0),
    ("laptop14/test", 800, 634, 0),
    ("rest14/train", 2736, 3272, 0),
    ("rest14/dev", 304, 331, 0),
    ("rest14/test", 800, 1122, 2),
    ("rest15/train", 1183, 1079, 0),
    ("rest15/dev", 130, 130, 0),
    ("rest15/test", 685, 547, 0),
    ("rest16/train", 1799, 1589, 0),
    ("rest16/dev", 200, 167, 0),
    ("rest16/test", 676, 622, 15),
]


@pytest.mark.parametrize(("name", "size", "aspects", "unplaced"), PUBLISHED)
def test_berte2e_published_counts(real_data: Path, name: str, size: int, aspects: int, unplaced: int) -> None:
    corpus = read(real_data / "bert_e2e_absa" / f"{name}.txt")
    terms = [term for example in corpus for quad in example.quads for term in quad.terms]
    assert (corpus.provenance.format, len(corpus), len(terms)) == ("bert-e2e", size, aspects)
    assert sum(term.span is None for term in terms) == unplaced
