"""ASTE-Data V2 and MuSe-CarASTE: token indices in, character spans out, and back."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import READERS, Source, read, write
from aspectlab.readers.textfields import MAX_FIELD
from tests.support.tables import EDITS, Edits, corpora, corpus_of, mutate, refusal, survives, written

SAMPLE = (
    "The old lamp glows warmly .####[([1, 2], [4], 'POS')]\n"
    "Dull knobs , stiff drawers .####[([1], [0], 'NEG'), ([4], [3], 'NEU')]\n"
)
LAMP = Quad(
    aspect=Term("old lamp", Span(4, 12)), opinion=Term("warmly", Span(19, 25)), polarity=Polarity.POSITIVE
)

# one small file of each text format; no other may claim it
TEXT_FORMATS = {
    "aste": SAMPLE,
    "dmaste": "Nice old lamp .####[([1, 2], [0], 'POS')]####Lamps\n",
    "aste-entire": "Nice old desk lamp .#### #### ####[([1, 3], [0], 'POS')]\n",
    "aste-v1": "Nice lamp .####Nice=O lamp=T-POS .=O####Nice=S lamp=O .=O\n",
    "en-phone": "Nice lamp .####[['Lamp#Light', '5,9', '0,4', '2']]\n",
    "asqp": "Nice lamp .####[['lamp', 'light general', 'positive', 'Nice']]\n",
    "bert-e2e": "Nice lamp.####Nice=O lamp=T-POS .=O\n",
    "towe": "s_id\tsentence\ttarget_tags\topinion_words_tags\n1\ta lamp\ta\\O lamp\\B\ta\\B lamp\\O\n",
    "three-line": "Nice $T$ .\nlamp\n1\n",
}


def make(folder: Path, content: str | bytes) -> Path:
    path = folder / "sample.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", TEXT_FORMATS)
@pytest.mark.parametrize("before", ["", "\ufeff", "\n", " \r\n"])
def test_text_format_is_recognised_by_its_own_reader_only(tmp_path: Path, name: str, before: str) -> None:
    head = Source(make(tmp_path, before + TEXT_FORMATS[name])).head
    assert [other for other in TEXT_FORMATS if READERS[other].sniff(head)] == [name]


@pytest.mark.parametrize("content", ["Hello .####[]\n" + SAMPLE, "Hello .####[]\n"])
def test_aste_is_recognised_behind_empty_lists(tmp_path: Path, content: str) -> None:
    assert READERS["aste"].sniff(Source(make(tmp_path, content)).head)


def test_aste_indices_become_spans(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, SAMPLE), "aste")
    assert corpus.examples[0] == Example("1", "The old lamp glows warmly .", (LAMP,))
    assert [quad.polarity for quad in corpus.examples[1].quads] == [Polarity.NEGATIVE, Polarity.NEUTRAL]
    assert (corpus.language, corpus.annotates) == ("en", {Part.ASPECT, Part.OPINION, Part.POLARITY})
    assert corpus.provenance.notes == ()


@pytest.mark.parametrize("marks", ["####", "#### #### ####", "########  ####"])
def test_aste_takes_two_and_four_fields(tmp_path: Path, marks: str) -> None:
    (example,) = read(make(tmp_path, f"The old lamp glows warmly .{marks}[([1, 2], [4], 'POS')]"), "aste")
    assert (example.text, example.quads) == ("The old lamp glows warmly .", (LAMP,))


@pytest.mark.parametrize("text", ["  The  old lamp", "The old lamp \t", "A\u2028lamp old", "#### old lamp"])
def test_aste_text_is_kept_verbatim(tmp_path: Path, text: str) -> None:
    (example,) = read(make(tmp_path, f"{text}####[([2], [1], 'POS')]\r\n"), "aste")
    aspect = example.quads[0].aspect
    assert example.text == text
    assert aspect is not None
    assert aspect.text == text.split()[2]


def test_aste_duplicate_triplet_stays(tmp_path: Path) -> None:
    (example,) = read(make(tmp_path, "Nice lamp####[([1], [0], 'POS'), ([1], [0], 'POS')]"), "aste")
    assert len(example.quads) == 2


WINDOW = "the back row , the seat in the back seat ."


@pytest.mark.parametrize(
    ("indices", "term"),
    [
        ([8, 5], Term("back seat", Span(31, 40))),
        ([1, 9], Term("back seat", Span(31, 40))),
        ([4, 8], Term("the back", Span(27, 35))),
        ([0, 8], Term("the back", Span(0, 8))),
        ([5, 8], Term("seat back")),
        ([1, 5, 6], Term("back seat in")),
        ([1, 1], Term("back back")),
        ([9, 10], Term("seat .", Span(36, 42))),
    ],
)
def test_aste_index_list_with_gaps_is_looked_for_as_a_phrase(
    tmp_path: Path, indices: list[int], term: Term
) -> None:
    (example,) = read(make(tmp_path, f"{WINDOW}####[({indices}, [0], 'POS')]"), "aste")
    assert example.quads[0].aspect == term


def test_aste_mended_terms_are_counted_in_one_note_each(tmp_path: Path) -> None:
    line = f"{WINDOW}#### #### ####[([8, 5], [5, 8], 'POS'), ([0], [1, 1], 'NEG')]\n"
    notes = read(make(tmp_path, "Hello####[]\n" + line * 50), "aste").provenance.notes
    assert [note.rpartition(": ")[2] for note in notes] == ["50, first on line 2", "100, first on line 2"]


BARE = "<id:31.0, segment_id:4.0> #### #### ####[([70], [6, 7], 'POS'), ([1], [99], 'NEU')]"


def test_aste_record_without_text_has_polarities_only(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, BARE), "aste")
    quads = (Quad(polarity=Polarity.POSITIVE), Quad(polarity=Polarity.NEUTRAL))
    assert corpus.examples == (Example("31-4", "", quads),)
    assert corpus.annotates == {Part.POLARITY}
    assert len(corpus.provenance.notes) == 1


def test_aste_glued_records_without_text_are_parted(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, BARE + BARE.replace("31", "32") + "\n"), "aste")
    assert [example.id for example in corpus] == ["31-4", "32-4"]
    assert "parted: 1, first on line 1" in corpus.provenance.notes[-1]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("A lamp", "expected a sentence, ####"),
        ("A lamp####", "expected a Python literal"),
        ("A lamp####[([0], [1], 'POS')", "expected a Python literal"),
        ("A lamp####([0], [1], 'POS')", "expected a list in square brackets"),
        ("A lamp####[([0], [2], 'POS')]", "found an index over 1"),
        ("A lamp####[([-1], [0], 'POS')]", "expected triplets like"),
        ("A lamp####[([True], [0], 'POS')]", "expected triplets like"),
        ("A lamp####[([], [0], 'POS')]", "expected triplets like"),
        ("A lamp####[([0], [1], 'GOOD')]", "expected triplets like"),
        ("A lamp####[([0], [1])]", "expected triplets like"),
        ("A lamp####[('0', '1', 'POS')]", "expected triplets like"),
        # a number that Python reads but refuses to print
        (f"A lamp####[([0x{'f' * 9000}], [0], 'POS')]", "found an index over 1"),
        (f"A lamp####{'[' * 9000}", "expected a Python literal"),
        (f"A lamp####[{'1+' * 9000}1]", "expected a Python literal"),
        (f"A lamp####[{'1,' * MAX_FIELD}]", "expected at most 65,536"),
        (f"{'lamp ' * MAX_FIELD}####[]", "expected at most 65,536"),
        ("A lamp####[\0]", "expected a Python literal"),
        (b"A l\xedamp####[]", "expected UTF-8"),
    ],
)
def test_aste_broken_line_is_named(tmp_path: Path, line: str | bytes, found: str) -> None:
    broken = line.encode() if isinstance(line, str) else line
    message = refusal(make(tmp_path, SAMPLE.encode() + broken), "aste")
    assert "sample.txt: line 3: found" in message
    assert found in message


def test_aste_written_form_is_that_of_the_authors(tmp_path: Path) -> None:
    path = make(tmp_path, SAMPLE)
    write(read(path, "aste"), tmp_path / "again.txt", "aste")
    assert (tmp_path / "again.txt").read_text() == path.read_text()


A, TERM = Term("A", Span(0, 1)), Term("lamp", Span(2, 6))


@pytest.mark.parametrize(
    ("quad", "found"),
    [
        (Quad(Term("lam", Span(2, 5)), None, A, Polarity.POSITIVE), "aspect: found 'lam' at 2:5"),
        (Quad(Term("amp", Span(3, 6)), None, A, Polarity.POSITIVE), "aspect: found 'amp' at 3:6"),
        (Quad(TERM, None, Term("light"), Polarity.POSITIVE), "opinion: found 'light' without a span"),
        (Quad(None, None, A, Polarity.POSITIVE), "aspect: found an implicit one"),
        (Quad(TERM, None, None, Polarity.POSITIVE), "opinion: found an implicit one"),
        (Quad(TERM, None, A), "found the polarity None: expected one of positive"),
        (Quad(TERM, None, A, Polarity.CONFLICT), "found the polarity conflict: expected one of positive"),
    ],
)
def test_aste_writer_refuses_a_quad_that_is_no_triplet(tmp_path: Path, quad: Quad, found: str) -> None:
    assert found in unwritable(tmp_path, Example("second", "A lamp .", (quad,)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A\nlamp", "one line of text"),
        ("\ufeffA lamp", "one line of text"),
        ("A lamp#### ####", "one line of text"),
        ("<id:3.0, segment_id:4.0> ", "one line of text"),
        ("<id:3 []<id:4 ", "one line of text"),
        ("a" * (MAX_FIELD + 1), "one line of text"),
        ("A lamp\ud800", "Unicode text"),
    ],
)
def test_aste_writer_refuses_a_text_that_would_not_come_back(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert f"expected {expected}" in unwritable(tmp_path, Example("second", text))


def unwritable(folder: Path, example: Example) -> str:
    """The message with which an example is refused, behind a good one that must not be written either."""
    good = Example("first", "The old lamp glows warmly .", (LAMP,))
    with pytest.raises(DataError, match=r"^example 'second': ") as caught:
        write(corpus_of([good, example]), folder / "a.txt", "aste")
    assert list(folder.iterdir()) == []
    return str(caught.value)


# tokens that look like the marks of the format, but are none, and every kind of blank but the line end
_TOKENS = st.sampled_from(["lamp", "###", "#", "[]", "<id:1", "'", "\\", "é😀", "\0", "0"]) | st.text(
    st.characters(exclude_categories=["Cs", "Z", "Cc"], exclude_characters="#\ufeff"), min_size=1, max_size=4
)
_BLANKS = st.text(st.sampled_from(" \t\r\u00a0\u2028\x85\x1c"), min_size=1, max_size=2)


@st.composite
def sentences(draw: st.DrawFn) -> Example:
    """A sentence of tokens with triplets over them."""
    text, spans = draw(st.just("") | _BLANKS), []
    for token in draw(st.lists(_TOKENS, max_size=6)):
        spans.append(Span(len(text), len(text) + len(token)))
        text += token + draw(_BLANKS)
    if not spans:
        return Example(draw(_TOKENS), text)
    bounds = st.lists(st.sampled_from(spans), min_size=2, max_size=2).map(sorted)
    terms = bounds.map(lambda pair: Span(pair[0].start, pair[1].end)).map(
        lambda span: Term(text[span.start : span.end], span)
    )
    polarities = st.sampled_from([Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL])
    quads = st.builds(Quad, aspect=terms, opinion=terms, polarity=polarities)
    return Example(draw(_TOKENS), text, tuple(draw(st.lists(quads, max_size=3))))


@given(corpus=corpora(sentences()))
def test_aste_round_trip_keeps_texts_and_triplets(
    corpus: Corpus, tmp_path_factory: pytest.TempPathFactory
) -> None:
    again = written(corpus, tmp_path_factory.mktemp("aste"), "aste")
    pairs = zip(again, corpus, strict=True)
    assert all((new.text, new.quads) == (old.text, old.quads) for new, old in pairs)


@given(edits=EDITS, name=st.sampled_from(list(TEXT_FORMATS)))
def test_text_format_mutant_gives_a_corpus_or_a_data_error(
    edits: Edits, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = make(tmp_path_factory.mktemp("mutant"), mutate(TEXT_FORMATS[name].encode() * 3, edits))
    assert survives(path, name)


# MATO, Table 2: sentences and triplets of the train, dev and test parts
PUBLISHED = {
    "14lap": [(906, 1460), (219, 346), (328, 543)],
    "14res": [(1266, 2338), (310, 577), (492, 994)],
    "15res": [(605, 1013), (148, 249), (322, 485)],
    "16res": [(857, 1394), (210, 339), (326, 514)],
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_aste_published_counts(real_data: Path, name: str) -> None:
    folder = real_data / "aste" / "ASTE-Data-V2-EMNLP2020" / name
    parts = [read(folder / f"{part}_triplets.txt") for part in ("train", "dev", "test")]
    assert [corpus.provenance.format for corpus in parts] == ["aste"] * 3
    sizes = [(len(corpus), sum(len(example.quads) for example in corpus)) for corpus in parts]
    assert sizes == PUBLISHED[name]
    assert not any(corpus.provenance.notes for corpus in parts)


# MuSe-CarASTE: segments and triplets; the third and fourth figures are counted apart from the reader, by
# looking for ' word word ' in ' sentence ': terms whose odd index list is a phrase, and whose is none
MUSE = [
    ("train", 2382, 6851, 1081, 1473),
    ("dev", 450, 1310, 208, 304),
    ("test", 450, 1384, 238, 294),
]


@pytest.mark.parametrize(("part", "size", "triplets", "moved", "unplaced"), MUSE)
def test_aste_muse_counts(
    real_data: Path, part: str, size: int, triplets: int, moved: int, unplaced: int
) -> None:
    corpus = read(real_data / "muse_caraste" / "processed" / f"{part}.txt")
    terms = [term for example in corpus for quad in example.quads for term in quad.terms]
    assert (len(corpus), len(terms)) == (size, 2 * triplets)
    assert sum(term.span is None for term in terms) == unplaced
    counts = [note.rpartition(": ")[2].partition(", first")[0] for note in corpus.provenance.notes]
    assert counts == [f"{moved:,}", f"{unplaced:,}"]


# MuSe-CarASTE; the train file has two more records and six more triplets than the file with the texts
MUSE_BARE = [("train", 2384, 6857), ("dev", 450, 1310), ("test", 450, 1384)]


@pytest.mark.parametrize(("part", "size", "triplets"), MUSE_BARE)
def test_aste_muse_records_without_text(real_data: Path, part: str, size: int, triplets: int) -> None:
    folder = real_data / "muse_caraste" / "processed_annotations"
    corpus = read(folder / f"{part}_annotations_processed.txt")
    assert (len(corpus), sum(len(example.quads) for example in corpus)) == (size, triplets)
    assert corpus.annotates == {Part.POLARITY}
