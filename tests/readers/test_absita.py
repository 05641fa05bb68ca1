"""ABSITA CSV: three flags per category, in every shape in which copies of it exist."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import read, write
from aspectlab.readers.absita import CATEGORIES
from tests.support.tables import EDITS, TEXTS, Edits, corpora, corpus_of, mutate, refusal, survives, written

HEADER = (
    "sentence_id;staff_presence;staff_positive;staff_negative;"
    "wifi_presence;wifi_positive;wifi_negative;sentence"
)
STAFF, NO_WIFI = (
    Quad(category="staff", polarity=Polarity.POSITIVE),
    Quad(category="wifi", polarity=Polarity.NEGATIVE),
)
TEXT = "Portiere gentile; wifi assente."
SAMPLE = f'{HEADER}\n12;1;1;0;1;0;1;"{TEXT}"\n13;0;0;0;0;0;0;"Nulla."\n'
EXAMPLES = (Example("12", TEXT, (STAFF, NO_WIFI)), Example("13", "Nulla."))


def make(folder: Path, content: str | bytes) -> Path:
    path = folder / "sample.bin"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def row(flags: str, header: str = HEADER) -> str:
    return f"{header}\n12;{flags};Bello.\n"


def test_absita_is_recognised_and_described(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, SAMPLE))
    assert corpus.provenance.format == "absita"
    assert (corpus.language, corpus.annotates) == ("it", {Part.CATEGORY, Part.POLARITY})


@pytest.mark.parametrize(
    "content",
    [
        SAMPLE,
        SAMPLE.rstrip("\n"),
        SAMPLE.replace("\n", "\r\n"),
        "\ufeff" + SAMPLE,
        SAMPLE.replace(HEADER, ";".join(f'"{name}"' for name in HEADER.split(";"))),
        SAMPLE.replace("_positive", "_pos").replace("_negative", "_neg"),
        SAMPLE.replace("0;0;0;0;0;0", "0;;;;;"),
        SAMPLE.replace("\n", ";\n"),
        SAMPLE + "\n\n",
        f"sentence;wifi_negative;wifi_positive;wifi_presence;staff_negative;staff_positive;staff_presence;sentence_id\n"
        f'"{TEXT}";1;0;1;0;1;1;12\nNulla.;0;0;0;0;0;0;13',
    ],
    ids=[
        "plain",
        "no-final-newline",
        "crlf",
        "bom",
        "quoted",
        "short-names",
        "blank",
        "trailing",
        "blank-lines",
        "order",
    ],
)
def test_absita_shape_of_the_file_does_not_matter(tmp_path: Path, content: str) -> None:
    assert read(make(tmp_path, content)).examples == EXAMPLES


def test_absita_without_sentences_has_empty_texts(tmp_path: Path) -> None:
    content = SAMPLE.replace(";sentence\n", "\n").replace(f';"{TEXT}"', "").replace(';"Nulla."', "")
    assert read(make(tmp_path, content)).examples == (Example("12", "", (STAFF, NO_WIFI)), Example("13", ""))


@pytest.mark.parametrize(
    ("flags", "polarities"),
    [
        ("1;1;1;0;0;0", [Polarity.POSITIVE, Polarity.NEGATIVE]),
        ("1;0;0;0;0;0", [None]),
        ("1;;;0;0;0", [None]),
        ("1;0;1;0;0;0", [Polarity.NEGATIVE]),
    ],
)
def test_absita_flags_are_quads(tmp_path: Path, flags: str, polarities: list[Polarity | None]) -> None:
    (example,) = read(make(tmp_path, row(flags)))
    assert example.quads == tuple(Quad(category="staff", polarity=polarity) for polarity in polarities)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (row("0;1;0;0;0;0"), "line 2: found a polarity of staff without its presence"),
        (row("2;0;0;0;0;0"), "line 2: found '2' for staff: expected 0, 1 or an empty cell"),
        (row("1.0;0;0;0;0;0"), "found '1.0' for staff"),
        (row("0;0;0;0;0"), "line 2: found 7 cells: expected 8"),
        (row("0;0;0;0;0;0;0"), "line 2: found 9 cells: expected 8"),
        (row("0;0;0;0;0;0", HEADER.replace("wifi", "piscina")), "header: found the category 'piscina'"),
        (SAMPLE.replace("\n12;", "\n;"), "line 2: found no sentence_id"),
        (SAMPLE.replace("\n13;", "\n12;"), "example '12': found this id twice"),
        (SAMPLE.replace('"Nulla."', '"Nulla.'), "line 3: found a broken row"),
        (SAMPLE.replace('"Nulla."', '"Nulla." no'), "line 3: found a broken row"),
        (SAMPLE.replace(";", ","), "expected a column sentence_id"),
        (SAMPLE.encode("utf-16"), "line 1: found b'\\xff'"),
        (SAMPLE.encode() + b"14;0;0;0;0;0;0;\xe8\n", "line 4: found b'\\xe8' at byte 15 of the line"),
        ("", "found no row"),
    ],
)
def test_absita_broken_line_is_named(tmp_path: Path, content: str | bytes, found: str) -> None:
    assert found in refusal(make(tmp_path, content), "absita")


def test_absita_written_form_is_that_of_the_organisers(tmp_path: Path) -> None:
    write(corpus_of(EXAMPLES), tmp_path / "again.csv", "absita")
    header, first, second = (tmp_path / "again.csv").read_text().splitlines()
    assert header.startswith(
        '"sentence_id";"cleanliness_presence";"cleanliness_positive";"cleanliness_negative";'
    )
    assert first == f'12;0;0;0;0;0;0;0;0;0;1;1;0;0;0;0;1;0;1;0;0;0;0;0;0;"{TEXT}"'
    assert second == '13;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;"Nulla."'


@pytest.mark.parametrize(
    "quad",
    [
        Quad(category="pool", polarity=Polarity.POSITIVE),
        Quad(category="staff", polarity=Polarity.NEUTRAL),
        Quad(category="staff", polarity=Polarity.CONFLICT),
        Quad(aspect=Term("wifi", Span(18, 22)), category="wifi"),
        Quad(category="wifi"),
    ],
)
def test_absita_writer_refuses_what_the_flags_cannot_say(tmp_path: Path, quad: Quad) -> None:
    with pytest.raises(DataError, match="example '12': found"):
        write(corpus_of([Example("12", TEXT, (NO_WIFI, quad))]), tmp_path / "a.csv", "absita")


@st.composite
def reviews(draw: st.DrawFn) -> Example:
    signs = st.sampled_from([(), (None,), (Polarity.POSITIVE,), (Polarity.NEGATIVE,), tuple(Polarity)[:2]])
    quads = [Quad(category=category, polarity=sign) for category in CATEGORIES for sign in draw(signs)]
    return Example(draw(TEXTS.filter(str.strip)), draw(TEXTS), tuple(quads))


@given(corpus=corpora(reviews()))
def test_absita_round_trip_is_exact(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert written(corpus, tmp_path_factory.mktemp("absita"), "absita") == corpus.examples


@given(edits=EDITS)
def test_absita_mutant_gives_a_corpus_or_a_data_error(
    edits: Edits, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("absita") / "mutant.csv"
    path.write_bytes(mutate(SAMPLE.encode(), edits))
    assert survives(path, "absita")


# SOURCES.md, section 7: mentions per category; pairs of the seven and of `other`: counted apart
MENTIONS = dict(zip(CATEGORIES, [879, 2365, 1812, 1203, 419, 128, 1318, 784], strict=True))


def test_absita_published_counts(real_data: Path) -> None:
    corpus = read(real_data / "absita2018" / "absita_2018_training.csv")
    mentions = Counter(name for example in corpus for name in {quad.category for quad in example.quads})
    pairs = Counter(quad.category != "other" for example in corpus for quad in example.quads)
    assert (len(corpus), mentions) == (6337, MENTIONS)
    assert pairs == {True: 8282, False: 799}
    assert sum(not example.quads for example in corpus) == 4


def test_absita_published_file_is_written_byte_for_byte(real_data: Path, tmp_path: Path) -> None:
    path = real_data / "absita2018" / "absita_2018_training.csv"
    write(read(path), tmp_path / "again.csv", "absita")
    assert (tmp_path / "again.csv").read_bytes() == path.read_bytes() + b"\n"
