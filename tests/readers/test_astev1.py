"""ASTE-Data V1: aspects and opinions paired by how often their letter is repeated."""

from pathlib import Path

import pytest

from aspectlab.data import Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import read
from aspectlab.readers.textfields import MAX_FIELD
from tests.support.tables import refusal

CAUTION = "whole file: triplets of V1 are not for scoring, use V2; aspects that lost their opinions"


def make(folder: Path, content: str) -> Path:
    path = folder / "sample.txt"
    path.write_bytes(content.encode())
    return path


def line(text: str, aspects: dict[str, str], opinions: dict[str, str], tokens: str = "") -> str:
    """One line; words that are not named in the tags are outside."""
    fields = [
        " ".join(f"{token}={tags.get(token, 'O')}" for token in (tokens or text).split())
        for tags in (aspects, opinions)
    ]
    return f"{text}####{fields[0]}####{fields[1]}\n"


def test_astev1_pairs_by_repeat_count(tmp_path: Path) -> None:
    text = "The old lamp is warm but a knob is stiff , worn out ."
    aspects = {"old": "T-POS", "lamp": "T-POS", "knob": "TT-NEG"}
    opinions = {"warm": "S", "stiff": "SS", "worn": "SS", "out": "SS"}
    corpus = read(make(tmp_path, line(text, aspects, opinions)), "aste-v1")
    knob = Term("knob", Span(27, 31))
    quads = (
        Quad(Term("old lamp", Span(4, 12)), None, Term("warm", Span(16, 20)), Polarity.POSITIVE),
        Quad(knob, None, Term("stiff", Span(35, 40)), Polarity.NEGATIVE),
        Quad(knob, None, Term("worn out", Span(43, 51)), Polarity.NEGATIVE),
    )
    assert corpus.examples == (Example("1", text, quads),)
    assert corpus.annotates == {Part.ASPECT, Part.OPINION, Part.POLARITY}
    assert corpus.provenance.notes == (f"{CAUTION}: 0",)


def test_astev1_adjacent_aspects_stay_apart(tmp_path: Path) -> None:
    content = line("soft lamp shade", {"lamp": "T-NEU", "shade": "TT-NEU"}, {"soft": "SS"})
    corpus = read(make(tmp_path, content), "aste-v1")
    assert corpus.examples[0].quads == (
        Quad(aspect=Term("lamp", Span(5, 9)), polarity=Polarity.NEUTRAL),
        Quad(Term("shade", Span(10, 15)), None, Term("soft", Span(0, 4)), Polarity.NEUTRAL),
    )
    assert corpus.provenance.notes == (f"{CAUTION}: 1",)


def test_astev1_opinion_without_aspect_is_left_out(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, line("soft lamp", {"lamp": "T-POS"}, {"soft": "SSS"})), "aste-v1")
    assert corpus.examples[0].quads == (Quad(aspect=Term("lamp", Span(5, 9)), polarity=Polarity.POSITIVE),)


def test_astev1_token_is_split_at_the_last_sign(tmp_path: Path) -> None:
    (example,) = read(make(tmp_path, line("a=b = c", {"a=b": "T-POS", "=": "TT-NEG"}, {})), "aste-v1")
    assert [quad.aspect for quad in example.quads] == [Term("a=b", Span(0, 3)), Term("=", Span(4, 5))]


@pytest.mark.parametrize(
    ("tokens", "tagged", "term"),
    [
        ("A warm class-oom with lamps", "class-oom", Term("classroom", Span(7, 16))),
        ("A warm class-oom with lamps", "lamps", Term("lamps", Span(22, 27))),
        ("warm classroom with lamps", "lamps", Term("lamps", Span(22, 27))),
        ("A very warm classroom with lamps", "warm", Term("warm", Span(2, 6))),
        ("A warm sofa with lamps", "sofa", Term("sofa")),
        ("quite another sentence", "sentence", Term("sentence")),
    ],
)
def test_astev1_tokens_unlike_the_sentence_are_aligned(
    tmp_path: Path, tokens: str, tagged: str, term: Term
) -> None:
    content = line("A warm classroom with lamps", {tagged: "T-POS"}, {}, tokens)
    corpus = read(make(tmp_path, content), "aste-v1")
    assert corpus.examples[0].quads[0].aspect == term
    assert "differ from their tagged tokens" in corpus.provenance.notes[1]
    assert len(corpus.provenance.notes) == (2 if term.span else 3)


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ("lamp####lamp=O", "found 2 fields: expected three"),
        ("lamp####lamp=O####lamp=O####", "found 4 fields: expected three"),
        ("lamp####lamp####lamp=O", "found 'lamp': expected a token"),
        ("lamp####=O####lamp=O", "found '=O': expected a token"),
        ("lamp####lamp=T####lamp=O", "found 'lamp=T': expected a token"),
        ("lamp####lamp=T-BAD####lamp=O", "found 'lamp=T-BAD'"),
        ("lamp####lamp=O####lamp=T-POS", "found 'lamp=T-POS'"),
        (
            f"lamp####{'a=T-POS b=O ' * 40}####{'a=S b=O ' * 40}",
            "pairs of aspect and opinion: expected at most",
        ),
        (f"{'a' * (MAX_FIELD + 1)}####a=O####a=O", "expected at most 65,536"),
    ],
)
def test_astev1_broken_line_is_named(tmp_path: Path, broken: str, found: str) -> None:
    message = refusal(make(tmp_path, line("a lamp", {}, {}) + broken), "aste-v1")
    assert "sample.txt: line 2: " in message
    assert found in message


# SOURCES, section 5: sentences; the aspects that lost their opinions are counted with a script of its own
PUBLISHED = [
    ("14lap/train", 920, 168),
    ("14lap/dev", 228, 38),
    ("14lap/test", 339, 57),
    ("14res/train", 1300, 240),
    ("14res/dev", 323, 64),
    ("14res/test", 496, 123),
    ("15res/15rest_train", 593, 52),
    ("15res/15rest_dev", 148, 20),
    ("15res/15rest_test", 318, 23),
    ("16res/16rest_train", 842, 77),
    ("16res/16rest_dev", 210, 17),
    ("16res/16rest_test", 320, 39),
]


@pytest.mark.parametrize(("name", "size", "lost"), PUBLISHED)
def test_astev1_published_counts(real_data: Path, name: str, size: int, lost: int) -> None:
    corpus = read(real_data / "aste" / "ASTE-Data-V1-AAAI2020" / f"{name}.txt")
    assert (corpus.provenance.format, len(corpus)) == ("aste-v1", size)
    assert corpus.provenance.notes[0] == f"{CAUTION}: {lost}"
    assert all(term.span for example in corpus for quad in example.quads for term in quad.terms)
