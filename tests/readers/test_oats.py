"""OATS: quads of XML with the offset of the last character, implicit terms, and its slips."""

from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given

from aspectlab.data import Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import read
from tests.support.tables import EDITS, Edits, mutate, refusal, survives

TEXT = "The desk lamp is warm &amp; cheap ."
PLAIN = "The desk lamp is warm & cheap ."
LAMP, WARM = Term("desk lamp", Span(4, 13)), Term("warm", Span(17, 21))


def opinion(target: tuple[str, object, object], phrase: tuple[str, object, object], **others: str) -> str:
    values = {"category": "LAMP#LIGHT", "polarity": "Positive"} | others
    for key, (surface, start, end) in (("target", target), ("opinion_phrase", phrase)):
        values |= {key: surface, f"{key}_from": str(start), f"{key}_to": str(end)}
    return "<Opinion " + " ".join(f"{key}={quoteattr(value)}" for key, value in values.items()) + " />"


NULL = ("NULL", 31, 31)


def make(folder: Path, *opinions: str) -> Path:
    path = folder / "sample.xml"
    path.write_text(
        "<?xml version='1.0' encoding='utf-8'?>\n<Reviews><Review rid=\"3\"><sentences>"
        f'<sentence sid="3: 0"><text>{TEXT}</text><Opinions>{"".join(opinions)}</Opinions></sentence>'
        '<sentence sid="3: 1"><text>We came .</text><Opinions /></sentence></sentences></Review></Reviews>',
        encoding="utf-8",
    )
    return path


def first_quad(path: Path) -> Quad:
    return read(path, "oats").examples[0].quads[0]


def test_offset_of_the_last_character_becomes_a_half_open_span(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, opinion(("desk lamp", 4, 12), ("warm", 17, 20))))
    quad = Quad(LAMP, "LAMP#LIGHT", WARM, Polarity.POSITIVE)
    assert corpus.examples == (Example("3: 0", PLAIN, (quad,)), Example("3: 1", "We came ."))
    assert (corpus.provenance.format, corpus.annotates) == ("oats", {*Part})
    assert corpus.provenance.notes == ()


def test_null_is_implicit(tmp_path: Path) -> None:
    assert first_quad(make(tmp_path, opinion(NULL, NULL, polarity="Conflict"))) == Quad(
        None, "LAMP#LIGHT", None, Polarity.CONFLICT
    )


def test_end_behind_the_term_is_taken_too(tmp_path: Path) -> None:
    path = make(tmp_path, opinion(("desk lamp", 4, 13), NULL))
    assert first_quad(path).aspect == LAMP
    assert read(path).provenance.notes == ()


@pytest.mark.parametrize(("surface", "start", "end"), [("T_NULL", 32, 37), ("O_NUL", 40, 44), ("N", 33, 33)])
def test_marker_behind_the_text_is_implicit(tmp_path: Path, surface: str, start: int, end: int) -> None:
    path = make(tmp_path, opinion((surface, start, end), ("warm", 17, 20)) * 2)
    assert first_quad(path).aspect is None
    (note,) = read(path).provenance.notes
    assert note.endswith("(T_NULL, O_NULL), read as implicit: 2, first in sentence '3: 0'")


def test_term_of_another_sentence_has_no_span(tmp_path: Path) -> None:
    path = make(tmp_path, opinion(("shade", -9, -5), NULL))
    assert first_quad(path).aspect == Term("shade")
    (note,) = read(path).provenance.notes
    assert note.endswith("terms of another sentence, kept without a span: 1, first in sentence '3: 0'")


def test_category_that_names_a_polarity_is_noted(tmp_path: Path) -> None:
    path = make(tmp_path, opinion(NULL, NULL, category="POLARITY#NEGATIVE"))
    assert first_quad(path).category == "POLARITY#NEGATIVE"
    (note,) = read(path).provenance.notes
    assert note.endswith("(POLARITY#...), kept as they are: 1, first in sentence '3: 0'")


@pytest.mark.parametrize(("start", "end"), [(12, 4), (5, 13), (3, 11), (70, 79), (-4, 4)])
def test_wrong_offsets_are_mended_with_a_note(tmp_path: Path, start: int, end: int) -> None:
    path = make(tmp_path, opinion(("desk lamp", start, end), NULL))
    assert first_quad(path).aspect == LAMP
    (note,) = read(path).provenance.notes
    assert f"term 'desk lamp' moved from {start}:{end + 1} to 4:13" in note


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (opinion(("shade", 40, 44), NULL), "found the term 'shade' at 40:45: expected offsets within 0:31"),
        (opinion(("lamp", "x", 4), NULL), 'found target_from="x": expected a number of characters from'),
        (opinion(("lamp", 9, ""), NULL), "found <Opinion> with an empty target_to: expected a value"),
        (opinion(NULL, NULL, polarity="Good"), "found polarity 'Good': expected one of positive"),
        (opinion(NULL, NULL, category=""), "found <Opinion> with an empty category: expected a value"),
        ('<Opinion category="A#B" polarity="Positive" target="NULL" />', "without opinion_phrase: expected"),
    ],
)
def test_broken_opinion_is_named(tmp_path: Path, broken: str, found: str) -> None:
    message = refusal(make(tmp_path, broken), "oats")
    assert "sample.xml: sentence '3: 0': found" in message
    assert found in message


@given(edits=EDITS)
def test_any_damage_is_read_or_refused(edits: Edits, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = make(tmp_path_factory.mktemp("made"), opinion(("desk lamp", 4, 12), ("warm", 17, 20)))
    path.write_bytes(mutate(path.read_bytes(), edits))
    assert survives(path, "oats")


# sentences, those without an opinion, quads, implicit aspects, implicit opinions: elements counted in the
# files, with the names for an implicit term that stand behind the text (7 and 3) added to NULL
COUNTS = {
    "Amazon_FF_train_dev": (8178, 2349, 7216, 4679 + 2, 1396 + 5),
    "Coursera_train_dev": (7815, 1961, 7506, 2608 + 2, 1663 + 1),
}


@pytest.mark.parametrize("file", COUNTS)
def test_published_counts(file: str, real_data: Path) -> None:
    corpus = read(real_data / "oats" / f"{file}.xml")
    quads = [quad for example in corpus for quad in example.quads]
    empty = sum(not example.quads for example in corpus)
    implicit = [sum(getattr(quad, part) is None for quad in quads) for part in ("aspect", "opinion")]
    assert (len(corpus), empty, len(quads), *implicit) == COUNTS[file]
    assert sum(term.span is None for quad in quads for term in quad.terms) <= 1
    assert corpus.provenance.version == "OATS (LREC-COLING 2024), without the test sentences"
