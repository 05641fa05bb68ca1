"""SemEval-15 and 16 XML at sentence level."""

from collections import Counter
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import read, write

SENTENCES = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Reviews>
    <Review rid="en_Inn_9">
        <sentences>
            <sentence id="en_Inn_9:0">
                <text> The porter was rude.</text>
                <Opinions>
                    <Opinion target="porter" category="SERVICE#GENERAL" polarity="negative" from="5" to="11"/>
                    <Opinion target="porter" category="HOTEL#GENERAL" polarity="neutral" from="5" to="11"/>
                    <Opinion target="NULL" category="HOTEL#PRICES" polarity="positive" from="0" to="0"/>
                </Opinions>
            </sentence>
            <sentence id="en_Inn_9:1" OutOfScope="TRUE">
                <text>It rained.</text>
            </sentence>
        </sentences>
    </Review>
    <Review rid="en_Inn_10">
        <sentences>
            <sentence id="en_Inn_10:0">
                <text>Back soon?</text>
                <Opinions/>
            </sentence>
        </sentences>
    </Review>
</Reviews>
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file whose name says nothing about its format."""
    return tmp_path / "sample.gold"


def read_text(path: Path, content: str) -> Corpus:
    path.write_text(content, encoding="utf-8", newline="")
    return read(path, "semeval16")


def one(opinion: str) -> str:
    sentence = f'<sentence id="1"><text>Good soup.</text><Opinions><Opinion {opinion}/></Opinions></sentence>'
    return f'<Reviews><Review rid="r"><sentences>{sentence}</sentences></Review></Reviews>'


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_each_sentence_becomes_an_example(path: Path, line_end: str) -> None:
    corpus = read_text(path, SENTENCES.replace("\n", line_end))
    porter = Term("porter", Span(5, 11))
    assert corpus.examples == (
        Example(
            "en_Inn_9:0",
            " The porter was rude.",
            (
                Quad(porter, "SERVICE#GENERAL", None, Polarity.NEGATIVE),
                Quad(porter, "HOTEL#GENERAL", None, Polarity.NEUTRAL),
                Quad(None, "HOTEL#PRICES", None, Polarity.POSITIVE),
            ),
        ),
        Example("en_Inn_9:1", "It rained."),
        Example("en_Inn_10:0", "Back soon?"),
    )
    assert corpus.annotates == {Part.ASPECT, Part.CATEGORY, Part.POLARITY}
    assert corpus.provenance.notes == ()


def test_null_target_is_implicit_even_with_real_offsets(path: Path) -> None:
    corpus = read_text(path, one('target="NULL" category="FOOD#QUALITY" polarity="positive" from="5" to="9"'))
    assert corpus.examples[0].quads == (Quad(None, "FOOD#QUALITY", None, Polarity.POSITIVE),)


def test_laptops_have_no_target(path: Path) -> None:
    corpus = read_text(path, one('category="CPU#GENERAL" polarity="negative"'))
    assert corpus.examples[0].quads == (Quad(None, "CPU#GENERAL", None, Polarity.NEGATIVE),)
    assert corpus.annotates == {Part.CATEGORY, Part.POLARITY}


def test_phase_b_has_no_polarity(path: Path) -> None:
    corpus = read_text(path, one('target="soup" category="FOOD#QUALITY" polarity="" from="5" to="9"'))
    assert corpus.examples[0].quads == (Quad(Term("soup", Span(5, 9)), "FOOD#QUALITY"),)
    assert corpus.annotates == {Part.ASPECT, Part.CATEGORY}


def test_sentences_without_ids_are_numbered_through_the_file(path: Path) -> None:
    review = "<Review><sentences><sentence><text>A</text></sentence></sentences></Review>"
    corpus = read_text(path, f"<Reviews>{review}{review}</Reviews>")
    assert [example.id for example in corpus] == ["1", "2"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            one('target="soup" category="A#B" polarity="great" from="5" to="9"'),
            "'great': expected one of positive",
        ),
        (one('target="soup" category="A#B" from="x" to="9"'), "sentence '1': found from=\"x\" in <Opinion>"),
        (one('target="soup" category="A#B"'), "<Opinion> without from"),
        (one('target="" category="A#B" from="5" to="9"'), "<Opinion> with an empty target"),
        (one('polarity="neutral"'), "<Opinion> without category"),
        (one("").replace("<text>Good soup.</text>", ""), "sentence '1': found 0 <text> elements"),
        ("<sentences/>", "root element <sentences>: expected <Reviews>"),
        (
            '<Reviews><Review rid="r"><Opinions><Opinion category="A#B"/></Opinions></Review></Reviews>',
            "review 'r': found opinions of the whole review.*semeval16-text",
        ),
    ],
)
def test_broken_file_is_refused_with_its_place(path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_text(path, content)


# the published files, as their SOURCES.md counts them:
# reviews, sentences, positive/negative/neutral opinions, opinions without a target (NULL, or none at all)
PUBLISHED = [
    ("semeval2015/ABSA-15_Restaurants_Train_Final.xml", 254, 1315, (1198, 403, 53), 375),
    ("semeval2015/ABSA15_Restaurants_Test.xml", 96, 685, (454, 346, 45), 248),
    ("semeval2015/ABSA-15_Laptops_Train_Data.xml", 277, 1739, (1103, 765, 106), 1974),
    ("semeval2015/ABSA15_Laptops_Test.xml", 173, 761, (541, 329, 79), 949),
    ("semeval2016/ABSA16_Restaurants_Train_SB1_v2.xml", 350, 2000, (1657, 749, 101), 627),
    ("semeval2016/EN_REST_SB1_TEST.xml.gold", 90, 676, (611, 204, 44), 209),
    ("semeval2016/ABSA16_Laptops_Train_SB1_v2.xml", 450, 2500, (1637, 1084, 188), 2909),
    ("semeval2016/EN_LAPT_SB1_TEST_.xml.gold", 80, 808, (481, 274, 46), 801),
]


@pytest.mark.parametrize(("file", "reviews", "sentences", "labels", "implicit"), PUBLISHED)
def test_published_opinions_are_counted(
    real_data: Path, file: str, reviews: int, sentences: int, labels: tuple[int, ...], implicit: int
) -> None:
    corpus = read(real_data / file)
    quads = [quad for example in corpus for quad in example.quads]
    counts = Counter(quad.polarity for quad in quads)
    found_reviews = {example.id.rpartition(":")[0] for example in corpus}
    assert (len(found_reviews), len(corpus)) == (reviews, sentences)
    assert tuple(counts[p] for p in (Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL)) == labels
    assert (len(quads), sum(quad.aspect is None for quad in quads)) == (sum(labels), implicit)
    assert corpus.provenance.notes == ()


@pytest.mark.parametrize(
    ("file", "sentences", "quads", "parts"),
    [
        ("EN_REST_SB1_TEST.xml.A", 676, 0, set()),
        ("EN_REST_SB1_TEST.xml.B", 676, 859, {Part.ASPECT, Part.CATEGORY}),
        ("EN_LAPT_SB1_TEST_.xml.A", 808, 0, set()),
    ],
)
def test_published_test_phase_hides_what_it_asks_for(
    real_data: Path, file: str, sentences: int, quads: int, parts: set[Part]
) -> None:
    corpus = read(real_data / "semeval2016" / file)
    assert (len(corpus), sum(len(example.quads) for example in corpus)) == (sentences, quads)
    assert corpus.annotates == parts


@pytest.mark.parametrize("file", [row[0] for row in PUBLISHED])
def test_published_file_survives_a_jsonl_round_trip(real_data: Path, tmp_path: Path, file: str) -> None:
    corpus = read(real_data / file)
    write(corpus, tmp_path / "copy.jsonl", "jsonl")
    assert read(tmp_path / "copy.jsonl") == corpus


def test_semeval16_takes_a_flat_list_of_sentences(tmp_path: Path) -> None:
    path = tmp_path / "flat.xml"
    path.write_text(
        '<Reviews><sentences><sentence id="a"><text>Sopa buena.</text><Opinions><Opinion target="Sopa" '
        'category="FOOD#QUALITY" polarity="positive" from="0" to="4"/></Opinions></sentence>'
        '<sentence id="b" OutOfScope="TRUE"><text>Hola.</text></sentence></sentences></Reviews>',
        encoding="utf-8",
    )
    corpus = read(path)
    assert [(example.id, len(example.quads)) for example in corpus] == [("a", 1), ("b", 0)]
    assert corpus.provenance.notes == ()


# sentences, opinions, implicit targets: elements counted in the files
LANGUAGES = {
    "cs/train": (2151, 4386, 961),
    "cs/dev": (240, 483, 104),
    "es/train": (1863, 2455, 700),
    "fr/train": (1559, 2276, 694),
    "nl/train": (1549, 1676, 513),
    "ru/train": (3289, 3697, 821),
    "tr/train": (1108, 1386, 135),
}


@pytest.mark.parametrize("file", LANGUAGES)
def test_semeval16_published_counts_of_other_languages(file: str, real_data: Path) -> None:
    corpus = read(real_data / "semeval2016_languages" / f"{file}.xml")
    quads = [quad for example in corpus for quad in example.quads]
    assert (len(corpus), len(quads), sum(quad.aspect is None for quad in quads)) == LANGUAGES[file]
    assert corpus.language == file[:2]
