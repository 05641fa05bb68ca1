"""SemEval-14 and MAMS XML, and what every XML reader refuses."""

import codecs
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import read, write

Make = Callable[[str | bytes], Path]

DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
SENTENCES = """<sentences>
    <sentence id="7:1">
        <text>Our porter was rude, the lobby grand.</text>
        <aspectTerms>
            <aspectTerm term="porter" polarity="negative" from="4" to="10"/>
            <aspectTerm to="30" from="25" polarity="conflict"  term="lobby"/>
        </aspectTerms>
        <aspectCategories>
            <aspectCategory category="service" polarity="negative" />
        </aspectCategories>
    </sentence>
    <sentence id="7#2">
        <text>We left.</text>
    </sentence>
</sentences>
"""


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a file whose name says nothing about its format."""

    def write_file(content: str | bytes) -> Path:
        path = tmp_path / "sample.bin"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def sentence(inside: str, attributes: str = 'id="1"') -> str:
    return f"<sentences><sentence {attributes}>{inside}</sentence></sentences>"


def term(attributes: str, text: str = "Good soup.") -> str:
    return sentence(f"<text>{text}</text><aspectTerms><aspectTerm {attributes}/></aspectTerms>")


def quad(text: str, start: int, polarity: Polarity | None) -> Quad:
    return Quad(aspect=Term(text, Span(start, start + len(text))), polarity=polarity)


# ---- reading imitations


def test_sentence_becomes_an_example_with_terms_and_categories(make: Make) -> None:
    corpus = read(make(DECLARATION + SENTENCES))
    assert corpus.examples == (
        Example(
            "7:1",
            "Our porter was rude, the lobby grand.",
            (
                quad("porter", 4, Polarity.NEGATIVE),
                quad("lobby", 25, Polarity.CONFLICT),
                Quad(category="service", polarity=Polarity.NEGATIVE),
            ),
        ),
        Example("7#2", "We left."),
    )
    assert corpus.provenance.format == "semeval14"
    assert corpus.annotates == {Part.ASPECT, Part.CATEGORY, Part.POLARITY}
    assert corpus.provenance.notes == ()


@pytest.mark.parametrize(
    "content",
    [
        (DECLARATION + SENTENCES).replace("\n", "\r\n"),
        codecs.BOM_UTF8 + (DECLARATION + SENTENCES).encode(),
        SENTENCES,
        SENTENCES.encode("utf-16"),
        '<?xml version="1.0" encoding="ISO-8859-1"?>' + SENTENCES,
        "<!-- <Reviews> -->\n<?tool <Reviews>?>" + SENTENCES,
    ],
    ids=["crlf", "byte-order mark", "no declaration", "utf-16", "latin-1", "comment first"],
)
def test_sentences_do_not_depend_on_the_wrapping(make: Make, content: str | bytes) -> None:
    assert read(make(content)).examples == read(make(SENTENCES)).examples


def test_text_and_term_stay_verbatim(make: Make) -> None:
    text = "\u00a0 Fish &amp; chips\u00a0 "
    example = read(make(term('term="chips\u00a0" polarity="neutral" from="9" to="15"', text))).examples[0]
    assert example.text == "\u00a0 Fish & chips\u00a0 "
    assert example.quads == (quad("chips\u00a0", 9, Polarity.NEUTRAL),)


def test_offsets_count_characters_beyond_the_basic_plane(make: Make) -> None:
    example = read(make(term('term="soup" from="2" to="6"', "😀 soup"))).examples[0]
    assert example.quads == (quad("soup", 2, None),)


def test_phase_a_has_no_quads(make: Make) -> None:
    corpus = read(make(sentence("<text>Good soup.</text>")))
    assert corpus.examples == (Example("1", "Good soup."),)
    assert corpus.annotates == frozenset()


@pytest.mark.parametrize("polarity", ["", 'polarity=""'])
def test_phase_b_has_no_polarity(make: Make, polarity: str) -> None:
    corpus = read(make(term(f'term="soup" {polarity} from="5" to="9"')))
    assert corpus.examples[0].quads == (quad("soup", 5, None),)
    assert corpus.annotates == {Part.ASPECT}


def test_sentence_without_id_is_called_by_its_number(make: Make) -> None:
    corpus = read(
        make("<sentences><sentence><text>A</text></sentence><sentence><text>B</text></sentence></sentences>")
    )
    assert [example.id for example in corpus] == ["1", "2"]


def test_repeated_id_is_refused(make: Make) -> None:
    twice = SENTENCES.replace("7#2", "7:1")
    with pytest.raises(DataError, match=r"'7:1'.*twice"):
        read(make(twice))


def test_overlapping_terms_stay(make: Make) -> None:
    overlapping = '<aspectTerm term="seaweed" from="0" to="7"/><aspectTerm term="weed" from="3" to="7"/>'
    corpus = read(make(sentence(f"<text>seaweed</text><aspectTerms>{overlapping}</aspectTerms>")))
    assert corpus.examples[0].quads == (quad("seaweed", 0, None), quad("weed", 3, None))


def test_wrong_offset_is_mended_and_noted(make: Make) -> None:
    corpus = read(make(term('term="soup" from="4" to="8"')))
    assert corpus.examples[0].quads == (quad("soup", 5, None),)
    assert "sentence '1': term 'soup' moved" in corpus.provenance.notes[0]


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (sentence("<text>A</text><stars/>"), "sentence '1': element <stars> in <sentence>"),
        (
            sentence("<text>A</text><aspectTerms><z/></aspectTerms>"),
            "sentence '1': element <z> in <aspectTerms>",
        ),
        ("<sentences><z/></sentences>", "<sentences>: element <z>"),
    ],
)
def test_unknown_element_is_left_out_and_noted(make: Make, content: str, note: str) -> None:
    assert read(make(content)).provenance.notes[0].startswith(note)


# ---- refusing


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<sentences>\n  <sentence>", r"line 2: found a fault at column 13 \(no element found\)"),
        ("<sentences>\n</sentence>", r"line 2: found a fault at column 3 \(mismatched tag\)"),
        ("<sentences>\0</sentences>", "invalid token"),
        ("<sentences>&soup;</sentences>", "undefined entity"),
        ('<?xml version="1.0" encoding="klingon"?><sentences/>', "unknown encoding: klingon.*UTF-8"),
        ('<?xml version="1.0" encoding="cp932"?><sentences/>', "multi-byte encodings.*UTF-8"),
        ('<?xml version="1.0" encoding="unicode_escape"?><sentences/>', "XML declaration.*UTF-8"),
        ('<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><sentences>&c;</sentences>', "DOCTYPE"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hosts">]><sentences>&b;</sentences>', "DOCTYPE"),
        ('<!DOCTYPE sentences SYSTEM "other.dtd"><sentences/>', "DOCTYPE"),
        (
            '<sentences xmlns="urn:x"/>',
            "root element <{urn:x}sentences>: expected <sentences>; remove its namespace",
        ),
        ("<sentences>" + "<z>" * 100_000, "nested over 16 deep"),
        ("<sentences><!--" + "->" * 1_000_000 + "--></sentences>", "without a tag"),
        (sentence("", f'id="{"9" * 2_000}"'), "id of 2,000 characters: expected at most 1,000"),
        (sentence("<text>" + "long " * 100_000 + "</text>"), "without a tag"),
        (sentence(""), "sentence '1': found 0 <text> elements: expected exactly one"),
        (sentence("<text>A</text><text>B</text>"), "found 2 <text> elements"),
        (sentence("<text>A <b>bold</b> claim</text>"), "<b> inside <text>: expected characters only"),
        (
            term('term="soup" polarity="good" from="5" to="9"'),
            "'good': expected one of positive, negative, n",
        ),
        (term('term="soup" from="5"'), "sentence '1': found <aspectTerm> without to"),
        (term('from="5" to="9"'), "<aspectTerm> without term"),
        (term('term="" from="5" to="9"'), "<aspectTerm> with an empty term"),
        (term('term="soup" from="five" to="9"'), """sentence '1': found from="five" in <aspectTerm>"""),
        (term('term="soup" from="-5" to="9"'), 'from="-5"'),
        (term('term="soup" from="²" to="9"'), 'from="²"'),
        (term(f'term="soup" from="5" to="{"9" * 900}"'), "expected a number of characters"),
        (term('term="tea" from="50" to="53"'), "sentence '1'.*'tea' at 50:53"),
        (sentence("<text/><aspectCategories><aspectCategory/></aspectCategories>"), "without category"),
    ],
)
def test_broken_file_is_refused_with_its_place(make: Make, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(make(content), "semeval14")


def test_file_above_the_size_limit_is_refused(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aspectlab.readers.source.MAX_FILE_BYTES", 100)
    with pytest.raises(DataError, match="at most 100"):
        read(make(SENTENCES))


def test_option_is_refused(make: Make) -> None:
    with pytest.raises(ConfigError, match="takes no options"):
        read(make(SENTENCES), language="it")


# ---- writing


def write_and_read(example: Example, folder: Path) -> Corpus:
    corpus = Corpus("sample", "en", frozenset(), (example,))
    write(corpus, folder / "sample.xml", "semeval14")
    return read(folder / "sample.xml")


def test_written_corpus_reads_back_equal(make: Make, tmp_path: Path) -> None:
    corpus = read(make(SENTENCES))
    write(corpus, tmp_path / "sample.xml", "semeval14")
    assert read(tmp_path / "sample.xml") == corpus


def test_written_file_looks_like_the_published_ones(make: Make, tmp_path: Path) -> None:
    write(read(make(SENTENCES)), tmp_path / "sample.xml", "semeval14")
    plain = SENTENCES.replace('to="30" from="25" polarity="conflict"  term="lobby"', LOBBY).replace(
        '" />', '"/>'
    )
    assert (tmp_path / "sample.xml").read_text(encoding="utf-8") == DECLARATION + plain


LOBBY = 'term="lobby" polarity="conflict" from="25" to="30"'
XML_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")
)
ANY_TEXT = st.lists(st.one_of(XML_TEXT, st.sampled_from(["\r", "\n", "\t", "&", "<", "]]>", '"', "'"]))).map(
    "".join
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(text=ANY_TEXT.filter(bool), name=ANY_TEXT, cut=st.tuples(st.integers(0, 20), st.integers(1, 20)))
def test_any_text_that_xml_can_hold_reads_back_equal(
    tmp_path: Path, text: str, name: str, cut: tuple[int, int]
) -> None:
    start = min(cut[0], len(text) - 1)
    surface = text[start : start + cut[1]]
    quads = (quad(surface, start, Polarity.NEUTRAL), Quad(category=surface, polarity=None))
    example = Example(name, text, quads)
    assert write_and_read(example, tmp_path).examples == (example,)


@pytest.mark.parametrize(
    ("example", "message"),
    [
        (Example("5", "A", (Quad(opinion=Term("A")),)), "example '5': found the opinion 'A'.*jsonl"),
        (Example("5", "A", (Quad(aspect=Term("B")),)), "example '5': found the aspect 'B' without a span"),
        (Example("5", "A", (Quad(polarity=Polarity.NEUTRAL),)), "either an aspect or a category"),
        (Example("5", "A", (Quad(Term("A", Span(0, 1)), ""),)), "either an aspect or a category"),
        (
            Example("5", "A", (Quad(aspect=Term("A", Span(0, 1)), category="x"),)),
            "either an aspect or a category",
        ),
        (Example("5", "A\0"), r"found the character '\\x00'"),
        (Example("5\ud800", "A"), r"found the character '\\ud800'"),
        (Example("5", "A", source="4"), "found source '4'"),
        (Example("5", "A", (Quad(category="x" * 1_001),)), "1,001 characters: expected at most 1,000"),
        (Example("5", "A" * 200_000), "a text of 200,000 bytes"),
    ],
)
def test_example_the_format_cannot_hold_is_refused_before_writing(
    tmp_path: Path, example: Example, message: str
) -> None:
    path = tmp_path / "kept.xml"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(DataError, match=message):
        write(Corpus("sample", "en", frozenset(), (Example("1", "Fine."), example)), path, "semeval14")
    assert path.read_text(encoding="utf-8") == "old"


# ---- the published files: every figure is from their SOURCES.md, which checked it against the papers

# file, sentences, distinct texts, then positive/negative/neutral/conflict terms of the distinct ones
TERMS = [
    ("semeval2014/Restaurants_Train.xml", 3044, 3038, (2161, 807, 637, 91)),
    ("semeval2014/Restaurants_Train_v2.xml", 3041, 3035, (2161, 805, 633, 91)),
    ("semeval2014/Restaurants_Test_Gold.xml", 800, 800, (728, 196, 196, 14)),
    ("semeval2014/Laptops_Train.xml", 3048, 3036, (988, 866, 463, 45)),
    ("semeval2014/Laptop_Train_v2.xml", 3045, 3033, (981, 862, 459, 45)),
    ("semeval2014/Laptops_Test_Gold.xml", 800, 800, (341, 128, 169, 16)),
    ("mams/MAMS-ATSA/train.xml", 4297, 4297, (3380, 2764, 5042, 0)),
    ("mams/MAMS-ATSA/val.xml", 500, 500, (403, 325, 604, 0)),
    ("mams/MAMS-ATSA/test.xml", 500, 500, (400, 329, 607, 0)),
]
# file, then distinct sentences with a term of the three classes, and those with several of them
SENTENCE_KINDS = [
    ("semeval2014/Restaurants_Train.xml", 1978, 320),
    ("semeval2014/Restaurants_Test_Gold.xml", 600, 80),
    ("semeval2014/Laptops_Train.xml", 1460, 166),
    ("semeval2014/Laptops_Test_Gold.xml", 411, 38),
    ("mams/MAMS-ATSA/train.xml", 4297, 4297),
    ("mams/MAMS-ATSA/val.xml", 500, 500),
    ("mams/MAMS-ATSA/test.xml", 500, 500),
]
CATEGORIES = [
    ("semeval2014/Restaurants_Train.xml", 3714, (2178, 839, 501, 196)),
    ("semeval2014/Restaurants_Test_Gold.xml", 1025, (657, 222, 94, 52)),
    ("mams/MAMS-ACSA/train.xml", 7090, (1929, 2084, 3077, 0)),
    ("mams/MAMS-ACSA/val.xml", 888, None),
    ("mams/MAMS-ACSA/test.xml", 901, None),
]


def distinct(corpus: Corpus) -> list[Example]:
    """The first example of each verbatim text."""
    return list({example.text: example for example in reversed(corpus.examples)}.values())


def polarities(quads: Iterable[Quad]) -> tuple[int, ...]:
    counts = Counter(quad.polarity for quad in quads)
    return tuple(counts[polarity] for polarity in Polarity)


@pytest.mark.parametrize(("file", "sentences", "texts", "labels"), TERMS)
def test_published_terms_are_counted(
    real_data: Path, file: str, sentences: int, texts: int, labels: tuple[int, ...]
) -> None:
    corpus = read(real_data / file)
    assert (len(corpus), len(distinct(corpus))) == (sentences, texts)
    assert polarities(quad for example in distinct(corpus) for quad in example.quads if quad.aspect) == labels
    assert corpus.provenance.notes == ()


@pytest.mark.parametrize(("file", "labelled", "mixed"), SENTENCE_KINDS)
def test_published_sentence_kinds_are_counted(real_data: Path, file: str, labelled: int, mixed: int) -> None:
    kinds = [
        {quad.polarity for quad in example.quads if quad.aspect} - {Polarity.CONFLICT}
        for example in distinct(read(real_data / file))
    ]
    assert (sum(len(kind) > 0 for kind in kinds), sum(len(kind) > 1 for kind in kinds)) == (labelled, mixed)


@pytest.mark.parametrize(("file", "categories", "labels"), CATEGORIES)
def test_published_categories_are_counted(
    real_data: Path, file: str, categories: int, labels: tuple[int, ...] | None
) -> None:
    quads = [quad for example in read(real_data / file) for quad in example.quads if quad.category]
    assert len(quads) == categories
    assert labels is None or polarities(quads) == labels


@pytest.mark.parametrize(
    ("file", "parts", "quads"),
    [
        ("Restaurants_Test_Data_PhaseA.xml", set(), 0),
        ("Restaurants_Test_Data_phaseB.xml", {Part.ASPECT, Part.CATEGORY}, 728 + 196 + 196 + 14 + 1025),
        ("Laptops_Test_Data_phaseB.xml", {Part.ASPECT}, 341 + 128 + 169 + 16),
    ],
)
def test_published_test_phase_hides_what_it_asks_for(
    real_data: Path, file: str, parts: set[Part], quads: int
) -> None:
    corpus = read(real_data / "semeval2014" / file)
    assert (set(corpus.annotates), sum(len(example.quads) for example in corpus)) == (parts, quads)


def test_published_laptop_texts_keep_their_blanks(real_data: Path) -> None:
    texts = [example.text for example in read(real_data / "semeval2014/Laptops_Train.xml")]
    assert sum("\u00a0" in text for text in texts) == 155
    assert sum(text != text.strip() for text in texts) == 136


def test_published_overlapping_terms_stay(real_data: Path) -> None:
    corpus = read(real_data / "mams/MAMS-ATSA/train.xml")
    spans = [[quad.aspect.span for quad in example.quads if quad.aspect] for example in corpus]
    pairs = [(one, two) for row in spans for i, one in enumerate(row) for two in row[:i] if one and two]
    assert sum(one.start < two.end and two.start < one.end for one, two in pairs) == 8


@pytest.mark.parametrize("file", [*(row[0] for row in TERMS), "mams/MAMS-ACSA/train.xml"])
@pytest.mark.parametrize("name", ["jsonl", "semeval14"])
def test_published_file_survives_a_round_trip(real_data: Path, tmp_path: Path, file: str, name: str) -> None:
    corpus = read(real_data / file)
    write(corpus, tmp_path / "copy", name)
    assert read(tmp_path / "copy", name=corpus.name) == corpus
