"""SemEval-16 XML at text level, and what tells the XML formats apart."""

import random
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad
from aspectlab.errors import DataError
from aspectlab.readers import READERS, Head, Source, read, sniff, write, xmlfile

DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
SENTENCES = """<sentences><sentence id="1"><text>Grand lobby!</text>
<aspectTerms><aspectTerm term="lobby" polarity="positive" from="6" to="11"/></aspectTerms>
<aspectCategories><aspectCategory category="place" polarity="conflict"/></aspectCategories>
</sentence></sentences>"""
REVIEWS = """<Reviews><Review rid="9"><sentences><sentence id="9:0"><text>Grand lobby!</text><Opinions>
<Opinion target="lobby" category="HOTEL#DESIGN" polarity="positive" from="6" to="11"/></Opinions>
</sentence></sentences></Review></Reviews>"""
WHOLE_REVIEWS = """<Reviews>
    <Review rid="9">
        <sentences>
            <sentence id="9:0">
                <text>Grand lobby! </text>
            </sentence>
            <sentence id="9:1">
                <text>Rude porter.</text>
                <Opinions/>
            </sentence>
        </sentences>
        <Opinions>
            <Opinion category="HOTEL#DESIGN" polarity="positive"/>
            <Opinion category="HOTEL#GENERAL" polarity="conflict"/>
        </Opinions>
    </Review>
</Reviews>
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file whose name says nothing about its format."""
    return tmp_path / "sample.bin"


def read_bytes(path: Path, content: bytes, name: str = "semeval16-text") -> Corpus:
    path.write_bytes(content)
    return read(path, name)


def review(inside: str) -> bytes:
    return f'<Reviews><Review rid="r">{inside}</Review></Reviews>'.encode()


def test_review_becomes_one_example(path: Path) -> None:
    corpus = read_bytes(path, WHOLE_REVIEWS.encode())
    design = Quad(category="HOTEL#DESIGN", polarity=Polarity.POSITIVE)
    general = Quad(category="HOTEL#GENERAL", polarity=Polarity.CONFLICT)
    assert corpus.examples == (Example("9", "Grand lobby! \nRude porter.", (design, general)),)
    assert corpus.annotates == {Part.CATEGORY, Part.POLARITY}
    assert corpus.provenance.notes == ()


def test_review_without_id_is_called_by_its_number(path: Path) -> None:
    content = (
        b"<Reviews><Review><sentences><sentence><text>A</text></sentence></sentences></Review></Reviews>"
    )
    assert read_bytes(path, content).examples == (Example("1", "A"),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (REVIEWS.encode(), "review '9': found opinions of a single sentence.*read the file as semeval16"),
        (SENTENCES.encode(), "root element <sentences>: expected <Reviews>"),
        (review(""), "review 'r': found no sentence"),
        (review("<sentences><sentence/></sentences>"), "review 'r': found 0 <text> elements"),
        (review("<Opinions><Opinion/></Opinions>"), "review 'r': found <Opinion> without category"),
        (
            review('<Opinions><Opinion category="A#B" polarity="1"/></Opinions>'),
            "'1': expected one of positive",
        ),
    ],
)
def test_broken_file_is_refused_with_its_place(path: Path, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_bytes(path, content)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (SENTENCES, "semeval14"),
        (REVIEWS, "semeval16"),
        (WHOLE_REVIEWS, "semeval16-text"),
        (WHOLE_REVIEWS.replace("\n", "\r\n"), "semeval16-text"),
        (SENTENCES.replace("Grand", "&lt;Reviews>"), "semeval14"),
        ("<!-- <sentences> --><Reviews/>", "semeval16"),
        ("<!DOCTYPE sentences [<!ELEMENT text ANY>]><sentences/>", "semeval14"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_xml_is_recognised_by_one_format_only(path: Path, content: str, name: str, encoding: str) -> None:
    path.write_bytes(content.encode(encoding))
    formats = ("semeval14", "semeval16", "semeval16-text")
    assert [each for each in formats if READERS[each].sniff(Source(path).head)] == [name]
    assert sniff(Source(path)) == name


# the last two would take a backtracking expression for ever
@pytest.mark.parametrize(
    "start", ["", "sentences", "<sentencesx>", "<html>", "<!---->" * 9_000 + "<", "<?a?>" * 9_000 + "!"]
)
def test_other_content_is_not_taken_for_ours(start: str) -> None:
    assert xmlfile.root_tag(Head("a.xml", start.encode(), (start,))) not in {"sentences", "Reviews"}


@pytest.mark.parametrize("seed", range(150))
@pytest.mark.parametrize(
    ("name", "document"),
    [("semeval14", SENTENCES), ("semeval16", REVIEWS), ("semeval16-text", WHOLE_REVIEWS)],
)
def test_mutant_gives_a_corpus_or_a_data_error(path: Path, name: str, document: str, seed: int) -> None:
    mutant = mutate((DECLARATION + document).encode(), random.Random(seed))
    with suppress(DataError):
        assert isinstance(read_bytes(path, mutant, name), Corpus)


def mutate(content: bytes, rng: random.Random) -> bytes:
    """Cut, take out, double, insert or flip bytes at a random place."""
    junk = rng.choice(
        [*(bytes([code]) for code in b'\0<"\xff7 '), b"&#0;", b"<!--", b"<text>", b"<Opinions>"]
    )
    start = rng.randrange(len(content))
    end = rng.randrange(start, min(len(content), start + 80))
    before, piece, after = content[:start], content[start:end], content[end:]
    flipped = bytes([content[start] ^ 1 << rng.randrange(8)])
    middle = rng.choice([b"", piece * 2, junk + piece, flipped + piece[1:]])
    return before + middle + after if rng.random() < 0.9 else before


# reviews, sentences, positive/negative/neutral/conflict opinions, as the SOURCES.md of the files counts them
PUBLISHED = [
    ("ABSA16_Restaurants_Train_English_SB2.xml", 335, 1950, (1012, 327, 55, 41)),
    ("ABSA16_Laptops_Train_English_SB2.xml", 395, 2373, (1210, 708, 123, 41)),
]


@pytest.mark.parametrize(("file", "reviews", "sentences", "labels"), PUBLISHED)
def test_published_reviews_are_counted(
    real_data: Path, tmp_path: Path, file: str, reviews: int, sentences: int, labels: tuple[int, ...]
) -> None:
    corpus = read(real_data / "semeval2016" / file)
    counts = Counter(quad.polarity for example in corpus for quad in example.quads)
    assert (len(corpus), sum(example.text.count("\n") + 1 for example in corpus)) == (reviews, sentences)
    assert tuple(counts[polarity] for polarity in Polarity) == labels
    write(corpus, tmp_path / "copy.jsonl", "jsonl")
    assert read(tmp_path / "copy.jsonl") == corpus
