"""DMASTE and ASTE over the entire space: first and last tokens in, character spans out, and back."""

import ast
from pathlib import Path

import pytest
from hypothesis import given

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import read, write
from aspectlab.readers.textfields import MAX_FIELD
from tests.support.tables import EDITS, Edits, corpora, corpus_of, examples, mutate, refusal, survives

REVIEW = "The old desk lamp glows warmly . Not cheap !"
LAMP, WARMLY = Term("old desk lamp", Span(4, 17)), Term("warmly", Span(24, 30))
CHEAP = Term("Not cheap", Span(33, 42))
QUADS = (
    Quad(LAMP, None, WARMLY, Polarity.POSITIVE),
    Quad(None, None, CHEAP, Polarity.NEGATIVE),
    Quad(LAMP, None, None, Polarity.NEUTRAL),
)
LISTED = "[([1, 3], [5], 'POS'), ([-1], [7, 8], 'NEG'), ([1, 3], [-1], 'NEU')]"
DMASTE = f"{REVIEW}####{LISTED}####Home\n"
ENTIRE = f"{REVIEW}#### #### ####{LISTED}\n"
BOTH = ("dmaste", "aste-entire")


def make(folder: Path, content: str | bytes) -> Path:
    path = folder / "sample.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def line_of(name: str, text: str, listed: str) -> str:
    return f"{text}####{listed}####Home\n" if name == "dmaste" else f"{text}#### #### ####{listed}\n"


@pytest.mark.parametrize(("content", "name"), [(DMASTE, "dmaste"), (ENTIRE, "aste-entire")])
def test_first_and_last_tokens_become_spans(tmp_path: Path, content: str, name: str) -> None:
    corpus = read(make(tmp_path, content))
    assert corpus.provenance.format == name
    assert corpus.examples == (Example("1", REVIEW, QUADS),)
    assert (corpus.language, corpus.annotates) == ("en", {Part.ASPECT, Part.OPINION, Part.POLARITY})


@pytest.mark.parametrize("name", BOTH)
def test_sentence_without_opinion_stays(tmp_path: Path, name: str) -> None:
    corpus = read(make(tmp_path, line_of(name, "We came .", "[]") + line_of(name, REVIEW, LISTED)), name)
    assert corpus.examples[0] == Example("1", "We came .")


def test_dmaste_is_recognised_behind_a_review_without_triplets(tmp_path: Path) -> None:
    path = make(tmp_path, line_of("dmaste", "We came .", "[]") * 3 + DMASTE)
    assert read(path).provenance.format == "dmaste"


def test_dmaste_subdomains_are_counted_in_a_note(tmp_path: Path) -> None:
    (note,) = read(make(tmp_path, DMASTE * 2 + DMASTE.replace("Home", "Garden"))).provenance.notes
    assert note == "whole file: subdomains, which are not kept: 'Home' 2, 'Garden' 1"


def test_aspect_without_opinion_has_no_polarity(tmp_path: Path) -> None:
    (example,) = read(
        make(tmp_path, line_of("aste-entire", "A desk lamp .", "[([1, 2], [-1], '-')]"))
    ).examples
    assert example.quads == (Quad(Term("desk lamp", Span(2, 11))),)


@pytest.mark.parametrize("name", BOTH)
def test_crossed_ends_are_swapped_with_a_note(tmp_path: Path, name: str) -> None:
    corpus = read(make(tmp_path, line_of(name, REVIEW, "[([3, 1], [5], 'POS')]")), name)
    assert corpus.examples[0].quads == QUADS[:1]
    note = corpus.provenance.notes[0]
    assert note.endswith("whose last token stood before the first, which were swapped: 1, first on line 1")


@pytest.mark.parametrize("name", BOTH)
def test_end_behind_the_last_token_is_cut_with_a_note(tmp_path: Path, name: str) -> None:
    corpus = read(make(tmp_path, line_of(name, "A desk lamp", "[([1, 3], [0], 'POS')]")), name)
    assert corpus.examples[0].quads[0].aspect == Term("desk lamp", Span(2, 11))
    assert corpus.provenance.notes[0].endswith("one token behind the text, cut to it: 1, first on line 1")


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ("[([3], [0], 'POS')]", "found the indices [3]: expected indices of the 3 tokens, counted from 0"),
        ("[([1, 4], [0], 'POS')]", "found the indices [1, 4]: expected indices of the 3 tokens"),
        ("[([-1, 1], [0], 'POS')]", "found the indices [-1, 1]: expected indices of the 3 tokens"),
        ("[([-2], [0], 'POS')]", "found the indices [-2]: expected indices of the 3 tokens"),
        ("[([0, 1, 2], [0], 'POS')]", "found the indices [0, 1, 2]: expected one token like [4], a first"),
        ("[([], [0], 'POS')]", "found the indices []: expected one token like [4]"),
        ("[([True], [0], 'POS')]", "found the indices [True]: expected one token like [4]"),
        ("[([1], [0], 'BAD')]", "expected triplets like ([1], [4, 6], 'POS') with POS, NEG, NEU"),
        ("[([1], [0])]", "expected triplets like"),
        ("[([1], [0], 'POS')", "expected a Python literal"),
        ("([1], [0], 'POS')", "expected a list in square brackets"),
    ],
)
def test_broken_line_is_named(tmp_path: Path, name: str, listed: str, found: str) -> None:
    content = line_of(name, REVIEW, LISTED) + line_of(name, "A desk lamp", listed)
    message = refusal(make(tmp_path, content), name)
    assert "sample.txt: line 2: found" in message
    assert found in message


@pytest.mark.parametrize(
    ("name", "line", "found"),
    [
        ("dmaste", "A lamp####[]", "expected a review, ####, a list of triplets, #### and a subdomain"),
        ("dmaste", "A lamp####[([1], [-1], '-')]####Home", "with POS, NEG, NEU; correct the list"),
        ("aste-entire", "A lamp####[]", "expected a sentence, two empty fields and a list"),
        ("aste-entire", "A lamp#### ####x####[]", "expected a sentence, two empty fields and a list"),
        ("dmaste", f"{'a' * (MAX_FIELD + 1)}####[]####Home", "expected at most 65,536"),
    ],
)
def test_line_of_another_shape_is_named(tmp_path: Path, name: str, line: str, found: str) -> None:
    message = refusal(make(tmp_path, line), name)
    assert "sample.txt: line 1: found" in message
    assert found in message


@pytest.mark.parametrize("name", BOTH)
def test_writer_gives_the_published_form(tmp_path: Path, name: str) -> None:
    path = make(tmp_path, DMASTE if name == "dmaste" else ENTIRE)
    write(read(path, name=("Home")), tmp_path / "copy.txt", name)
    assert (tmp_path / "copy.txt").read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    ("quad", "found"),
    [
        (
            Quad(Term("des", Span(8, 11)), None, None, Polarity.POSITIVE),
            "'des' at 8:11: expected a term that",
        ),
        (Quad(Term("knob"), None, None, Polarity.POSITIVE), "'knob' without a span: expected a term that"),
        (
            Quad(LAMP, None, WARMLY, Polarity.CONFLICT),
            "found the polarity conflict: expected one of positive",
        ),
    ],
)
def test_writer_refuses_what_it_cannot_hold(tmp_path: Path, name: str, quad: Quad, found: str) -> None:
    with pytest.raises(DataError) as caught:
        write(corpus_of([Example("7", REVIEW, (quad,))]), tmp_path / "copy.txt", name)
    assert found in str(caught.value)
    assert not (tmp_path / "copy.txt").exists()


def test_aspect_without_polarity_is_refused_by_dmaste_only(tmp_path: Path) -> None:
    corpus = corpus_of([Example("7", REVIEW, (Quad(LAMP),))])
    write(corpus, tmp_path / "entire.txt", "aste-entire")
    assert read(tmp_path / "entire.txt", "aste-entire").examples[0].quads == (Quad(LAMP),)
    with pytest.raises(DataError, match="found the polarity None"):
        write(corpus, tmp_path / "dmaste.txt", "dmaste")


@pytest.mark.parametrize("text", ["a####b", "####", "a#", "#### ####", "a \r", ""])
@pytest.mark.parametrize("name", BOTH)
def test_text_is_written_verbatim(tmp_path: Path, name: str, text: str) -> None:
    write(corpus_of([Example("7", text)]), tmp_path / "copy.txt", name)
    assert [example.text for example in read(tmp_path / "copy.txt", name)] == [text]


@pytest.mark.parametrize("text", ["\ufeffa", "a\nb", "\ud800", "a" * (MAX_FIELD + 1)])
@pytest.mark.parametrize("name", BOTH)
def test_text_that_could_not_be_read_again_is_refused(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(DataError, match="example '7': found"):
        write(corpus_of([Example("7", text)]), tmp_path / "copy.txt", name)


@pytest.mark.parametrize("name", BOTH)
@given(corpus=corpora(examples()))
def test_what_is_written_is_read_again(
    name: str, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("made") / "copy.txt"
    for example in corpus:
        bare = Example(
            example.id,
            example.text,
            tuple(Quad(q.aspect, None, q.opinion, q.polarity) for q in example.quads),
        )
        try:
            write(corpus_of([bare]), path, name)
        except DataError:
            continue
        assert [(again.text, again.quads) for again in read(path, name)] == [(bare.text, bare.quads)]


@pytest.mark.parametrize("name", BOTH)
@given(edits=EDITS)
def test_any_damage_is_read_or_refused(
    name: str, edits: Edits, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = (DMASTE if name == "dmaste" else ENTIRE) * 2
    path = make(tmp_path_factory.mktemp("made"), mutate(content.encode(), edits))
    assert survives(path, name)


# reviews, triplets, and triplets with an implicit aspect: lines, tuples and [-1] counted in the files
DMASTE_COUNTS = {
    "beauty/train": (535, 2221, 968),
    "beauty/dev": (77, 308, 125),
    "electronics/train": (1395, 5292, 2143),
    "electronics/dev": (200, 706, 299),
    "fashion/train": (851, 3241, 1423),
    "fashion/dev": (121, 522, 220),
    "home/train": (1050, 3852, 1649),
    "home/dev": (152, 519, 238),
}


@pytest.mark.parametrize("file", DMASTE_COUNTS)
def test_dmaste_published_counts(file: str, real_data: Path) -> None:
    corpus = read(real_data / "dmaste" / f"{file}.txt")
    quads = [quad for example in corpus for quad in example.quads]
    implicit = sum(quad.aspect is None for quad in quads)
    assert (len(corpus), len(quads), implicit) == DMASTE_COUNTS[file]
    assert all(quad.opinion is not None and quad.opinion.span is not None for quad in quads)
    assert corpus.provenance.version == "DMASTE (ACL 2023)"


# sentences, sentences without a triplet, triplets, and aspects without an opinion
ENTIRE_COUNTS = {
    "14lap/train": (2425, 1242, 1501, 623),
    "14lap/dev": (608, 312, 347, 132),
    "14res/train": (2429, 814, 2499, 846),
    "14res/dev": (606, 202, 561, 210),
    "15res/train": (1050, 384, 1031, 86),
    "15res/dev": (263, 96, 246, 37),
    "16res/train": (1595, 608, 1431, 181),
    "16res/dev": (400, 153, 333, 55),
}


@pytest.mark.parametrize("file", ENTIRE_COUNTS)
def test_entire_space_published_counts(file: str, real_data: Path) -> None:
    corpus = read(real_data / "aste_entire_space" / f"{file}.txt")
    quads = [quad for example in corpus for quad in example.quads]
    bare = [quad for quad in quads if quad.opinion is None]
    empty = sum(not example.quads for example in corpus)
    assert (len(corpus), empty, len(quads) - len(bare), len(bare)) == ENTIRE_COUNTS[file]
    assert all(quad.polarity is None for quad in bare)
    assert corpus.provenance.version == "ASOTE-Data v2, entire space"


def test_entire_space_spans_are_those_of_aste_data(real_data: Path) -> None:
    """The two data sets annotate many sentences alike; the spans of ASTE-Data list every token."""
    entire = {example.text: example for example in read(real_data / "aste_entire_space/14lap/train.txt")}
    shared = same = 0
    for example in read(real_data / "aste/ASTE-Data-V2-EMNLP2020/14lap/train_triplets.txt"):
        if other := entire.get(example.text):
            shared += 1
            same += {q for q in other.quads if q.polarity} == {*example.quads}
    assert shared > 600
    assert same / shared > 0.85


def test_dmaste_spans_slice_to_the_listed_words(real_data: Path) -> None:
    path = real_data / "dmaste/home/dev.txt"
    corpus = read(path)
    for example, line in zip(corpus, path.read_text(encoding="utf-8").splitlines(), strict=True):
        text, listed, _ = line.rsplit("####", 2)
        words = [" ".join(text.split()[o[0] : o[-1] + 1]) for _, o, _ in ast.literal_eval(listed)]
        assert [quad.opinion and " ".join(quad.opinion.text.split()) for quad in example.quads] == words
