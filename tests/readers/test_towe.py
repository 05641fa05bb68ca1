"""TOWE: one row per target, one example per sentence."""

from pathlib import Path

import pytest

from aspectlab.data import Example, Part, Quad, Span, Term
from aspectlab.readers import read
from aspectlab.readers.textfields import MAX_FIELD
from tests.support.tables import refusal

HEADER = "s_id\tsentence\ttarget_tags\topinion_words_tags\n"
TEXT = 'The " old lamp glows , warm and soft .'
LAMP = Term("old lamp", Span(6, 14))


def make(folder: Path, content: str) -> Path:
    path = folder / "sample.tsv"
    path.write_bytes(content.encode())
    return path


def row(
    text: str, targets: dict[str, str], opinions: dict[str, str], name: str = "7:1", tokens: str = ""
) -> str:
    """One row; words that are not named in the tags are outside."""
    fields = [
        " ".join(f"{token}\\{tags.get(token, 'O')}" for token in (tokens or text).split())
        for tags in (targets, opinions)
    ]
    return "\t".join([name, text, *fields]) + "\n"


def test_towe_rows_of_one_sentence_are_one_example(tmp_path: Path) -> None:
    first = row(TEXT, {"old": "B", "lamp": "I"}, {"warm": "B", "soft": "B"})
    other = row("A knob", {"knob": "B"}, {"A": "B"}, "8")
    last = row(TEXT, {"glows": "B"}, {"and": "B", "soft": "I"})
    corpus = read(make(tmp_path, HEADER + first + other + last), "towe")
    quads = (
        Quad(aspect=LAMP, opinion=Term("warm", Span(23, 27))),
        Quad(aspect=LAMP, opinion=Term("soft", Span(32, 36))),
        Quad(aspect=Term("glows", Span(15, 20)), opinion=Term("and soft", Span(28, 36))),
    )
    knob = Quad(aspect=Term("knob", Span(2, 6)), opinion=Term("A", Span(0, 1)))
    assert corpus.examples == (Example("7:1", TEXT, quads), Example("8", "A knob", (knob,)))
    assert corpus.annotates == {Part.ASPECT, Part.OPINION}
    assert corpus.provenance.notes == ()


def test_towe_target_with_two_rows_keeps_each_opinion_once(tmp_path: Path) -> None:
    rows = [
        row("a warm soft lamp", {"lamp": "B"}, {"warm": "B"}),
        row("a warm soft lamp", {"lamp": "B"}, {"warm": "B", "soft": "B"}),
    ]
    corpus = read(make(tmp_path, HEADER + "".join(rows) * 2), "towe")
    assert [quad.opinion.text for quad in corpus.examples[0].quads if quad.opinion] == ["warm", "soft"]
    assert corpus.provenance.notes[0].endswith("merged: 3, first on line 3")


def test_towe_target_without_opinion_has_none(tmp_path: Path) -> None:
    (example,) = read(make(tmp_path, HEADER + row(TEXT, {"old": "B", "lamp": "I"}, {})), "towe")
    assert example.quads == (Quad(aspect=LAMP),)


@pytest.mark.parametrize(
    ("tags", "opinions"),
    [
        ({"warm": "B", "and": "B"}, ["warm", "and"]),
        ({"warm": "I", "and": "I"}, ["warm and"]),
        ({"warm": "B", "soft": "I"}, ["warm", "soft"]),
    ],
)
def test_towe_runs_begin_with_b_or_an_i_alone(
    tmp_path: Path, tags: dict[str, str], opinions: list[str]
) -> None:
    (example,) = read(make(tmp_path, HEADER + row(TEXT, {"lamp": "B"}, tags)), "towe")
    assert [quad.opinion.text for quad in example.quads if quad.opinion] == opinions


def test_towe_token_is_split_at_the_last_backslash(tmp_path: Path) -> None:
    (example,) = read(make(tmp_path, HEADER + row(r"a\b \ c", {r"a\b": "B"}, {"\\": "B"})), "towe")
    assert example.quads == (Quad(aspect=Term(r"a\b", Span(0, 3)), opinion=Term("\\", Span(4, 5))),)


def test_towe_tokens_unlike_the_sentence_are_aligned(tmp_path: Path) -> None:
    content = row("A warm classroom", {"class-oom": "B"}, {"warm": "B"}, tokens="A warm class-oom")
    corpus = read(make(tmp_path, HEADER + content), "towe")
    assert corpus.examples[0].quads[0].aspect == Term("classroom", Span(7, 16))
    assert corpus.provenance.notes[0].endswith("aligned as far as they agree: 1, first on line 2")


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ("7\tlamp\tlamp\\B\n", "expected the tab-separated columns s_id, sentence"),
        ("7\tlamp\tlamp\\B\tlamp\\O\t\n", "expected the tab-separated columns"),
        ("1\tlamp\tlamp\\B\tlamp\\O\n", "found the id '1' with another sentence before"),
        ("7\tlamp\tlamp\\O\tlamp\\O\n", r"found no target: expected a token tagged \B"),
        ("7\tlamp\tlamp\\X\tlamp\\O\n", r"found 'lamp\\X': expected a token"),
        ("7\tlamp\tlamp\tlamp\\O\n", "found 'lamp': expected a token"),
        ("7\tlamp\t" + "a\\B " * 50 + "\t" + "a\\B " * 50, "found 2,500 pairs of aspect and opinion"),
        (f"7\t{'a' * (MAX_FIELD + 1)}\ta\\B\ta\\B", "expected at most 65,536"),
    ],
)
def test_towe_broken_row_is_named(tmp_path: Path, broken: str, found: str) -> None:
    message = refusal(make(tmp_path, HEADER + row("A knob", {"knob": "B"}, {}, "1") + broken), "towe")
    assert "sample.tsv: line 3: found" in message
    assert found in message


def test_towe_needs_its_header(tmp_path: Path) -> None:
    message = refusal(make(tmp_path, row("A knob", {"knob": "B"}, {})), "towe")
    assert "line 1: found" in message


# SOURCES, section 8: rows and sentences
PUBLISHED = [
    ("14lap/train", 1634, 1151),
    ("14lap/test", 482, 343),
    ("14res/train", 2643, 1625),
    ("14res/test", 864, 500),
    ("15res/train", 1076, 754),
    ("15res/test", 436, 325),
    ("16res/train", 1512, 1079),
    ("16res/test", 457, 328),
]


@pytest.mark.parametrize(("name", "rows", "sentences"), PUBLISHED)
def test_towe_published_counts(real_data: Path, name: str, rows: int, sentences: int) -> None:
    corpus = read(real_data / "towe" / f"{name}.tsv")
    targets = {(example.id, quad.aspect) for example in corpus for quad in example.quads}
    assert (corpus.provenance.format, len(corpus)) == ("towe", sentences)
    merged = [note for note in corpus.provenance.notes if "merged: " in note]
    repeated = int(merged[0].rpartition("merged: ")[2].partition(",")[0]) if merged else 0
    assert len(targets) + repeated == rows
    assert all(term.span for example in corpus for quad in example.quads for term in quad.terms)
