"""En-Phone: quads by offsets of characters, mended where the ends are off, and back."""

from pathlib import Path

import pytest
from hypothesis import given

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import read, write
from aspectlab.readers.textfields import MAX_FIELD
from tests.support.tables import EDITS, Edits, corpora, corpus_of, examples, mutate, refusal, survives

TEXT = "The desk lamp is warm"
LAMP, WARM = Term("desk lamp", Span(4, 13)), Term("warm", Span(17, 21))
LISTED = "[['Lamp#Light Colour', '4,13', '17,21', '2'], ['Shop#Price', '-1,-1', '-1,-1', '1']]"


def make(folder: Path, *lines: str) -> Path:
    path = folder / "sample.txt"
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


def with_aspect(offsets: str) -> str:
    return f"{TEXT}####[['Lamp#Light', '{offsets}', '-1,-1', '0']]"


@pytest.mark.parametrize("name", [None, "en-phone"])
def test_offsets_of_characters_become_spans(tmp_path: Path, name: str | None) -> None:
    corpus = read(make(tmp_path, "We came.####[]", f"{TEXT}####{LISTED}"), name)
    quads = (
        Quad(LAMP, "Lamp#Light Colour", WARM, Polarity.POSITIVE),
        Quad(None, "Shop#Price", None, Polarity.NEUTRAL),
    )
    assert corpus.examples == (Example("1", "We came."), Example("2", TEXT, quads))
    assert (corpus.provenance.format, corpus.annotates) == ("en-phone", {*Part})
    assert corpus.provenance.notes == ()


@pytest.mark.parametrize(
    ("offsets", "term", "note"),
    [
        ("13,4", LAMP, "terms whose end stood before their start, which were swapped"),
        ("17,22", WARM, "terms that ended one character behind the text, cut to it"),
        ("3,14", LAMP, "terms that began or ended with whitespace, which was cut off"),
    ],
)
def test_wrong_offsets_are_mended_with_a_note(tmp_path: Path, offsets: str, term: Term, note: str) -> None:
    corpus = read(make(tmp_path, with_aspect(offsets)))
    assert corpus.examples[0].quads[0].aspect == term
    assert corpus.provenance.notes == (f"whole file: {note}: 1, first on line 1",)


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (with_aspect("17,23"), "found the offsets 17,23: expected offsets within 0:21 of the characters"),
        (with_aspect("21,22"), "found the offsets 21,22: expected offsets within 0:21"),
        (with_aspect("3,4"), "found the offsets 3,4: expected offsets within 0:21 of the characters, with"),
        (with_aspect("4,4"), "found the offsets 4,4: expected offsets within 0:21"),
        (with_aspect("-1,4"), "found the offsets -1,4: expected offsets within 0:21"),
        (with_aspect("4"), "expected quads like ['Screen#General', '0,12', '-1,-1', '0']"),
        (with_aspect("-2,4"), "expected quads like"),
        (with_aspect("١,4"), "expected quads like"),
        (f"{TEXT}####[['Lamp#Light', '0,3', '-1,-1', '3']]", "expected quads like"),
        (f"{TEXT}####[['Lamp#Light', '0,3', '-1,-1', 2]]", "expected quads like"),
        (f"{TEXT}####[['\\ud800', '0,3', '-1,-1', '2']]", "expected quads like"),
        (f"{TEXT}####['Lamp#Light', '0,3', '-1,-1', '2']", "expected quads like"),
        (f"{TEXT}####[0x{'f' * 5000}]", "expected quads like"),
        (TEXT, "expected a review, #### and a list of quads"),
        (f"{'a' * (MAX_FIELD + 1)}####[]", "expected at most 65,536"),
    ],
)
def test_broken_line_is_named(tmp_path: Path, broken: str, found: str) -> None:
    message = refusal(make(tmp_path, f"{TEXT}####{LISTED}", broken), "en-phone")
    assert "sample.txt: line 2: found" in message
    assert found in message


def test_writer_gives_the_published_form(tmp_path: Path) -> None:
    path = make(tmp_path, "We came.####[]", f"{TEXT}####{LISTED}")
    write(read(path), tmp_path / "copy.txt", "en-phone")
    assert (tmp_path / "copy.txt").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("quad", "found"),
    [
        (Quad(LAMP, None, None, Polarity.POSITIVE), "found the category None: expected one in every quad"),
        (Quad(LAMP, "\ud800", None, Polarity.POSITIVE), "expected one in every quad, of whole characters"),
        (Quad(LAMP, "a", None, Polarity.CONFLICT), "found the polarity conflict: expected one of negative"),
        (Quad(Term("lit"), "a", None, Polarity.NEUTRAL), "found 'lit': expected a term of the text"),
        (Quad(Term(" is", Span(13, 16)), "a", None, Polarity.NEUTRAL), "found ' is': expected a term of"),
    ],
)
def test_writer_refuses_what_it_cannot_hold(tmp_path: Path, quad: Quad, found: str) -> None:
    with pytest.raises(DataError) as caught:
        write(corpus_of([Example("7", TEXT, (quad,))]), tmp_path / "copy.txt", "en-phone")
    assert found in str(caught.value)


@given(corpus=corpora(examples()))
def test_what_is_written_is_read_again(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("made") / "copy.txt"
    for example in corpus:
        try:
            write(corpus_of([example]), path, "en-phone")
        except DataError:
            continue
        assert [(again.text, again.quads) for again in read(path, "en-phone")] == [
            (example.text, example.quads)
        ]


@given(edits=EDITS)
def test_any_damage_is_read_or_refused(edits: Edits, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = make(tmp_path_factory.mktemp("made"), f"{TEXT}####{LISTED}")
    path.write_bytes(mutate(path.read_bytes(), edits))
    assert survives(path, "en-phone")


# reviews, those without an opinion, quads, implicit opinions, categories, and by polarity (2, 0, 1 in the
# files); no aspect is implicit
COUNTS = {
    "train": (4986, 834, 11099, 1913, 88, (8028, 2667, 404)),
    "dev": (1068, 151, 2441, 405, 83, (1802, 557, 82)),
}


@pytest.mark.parametrize("file", COUNTS)
def test_published_counts(file: str, real_data: Path) -> None:
    corpus = read(real_data / "en_phone" / f"{file}.txt")
    quads = [quad for example in corpus for quad in example.quads]
    empty = sum(not example.quads for example in corpus)
    implicit = sum(quad.opinion is None for quad in quads)
    labels = [quad.polarity for quad in quads]
    polarities = tuple(map(labels.count, (Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL)))
    categories = len({quad.category for quad in quads})
    assert (len(corpus), empty, len(quads), implicit, categories, polarities) == COUNTS[file]
    assert all(quad.aspect is not None for quad in quads)
    assert corpus.provenance.version == "en-Phone (ACL 2023)"


def test_published_polarities_fit_their_words(real_data: Path) -> None:
    """The coding 0 to 2 is not documented: words of praise and blame tell it."""
    quads = [quad for example in read(real_data / "en_phone/train.txt") for quad in example.quads]
    of = {
        word: [quad.polarity for quad in quads if quad.opinion and quad.opinion.text.lower() == word]
        for word in ("good", "bad")
    }
    assert of["good"].count(Polarity.POSITIVE) / len(of["good"]) > 0.99
    assert set(of["bad"]) == {Polarity.NEGATIVE}
