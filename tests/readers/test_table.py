"""Tables in CSV, TSV and XLSX: columns by name or option, rows joined into examples, lossless writing."""

import csv
import io
from collections import Counter
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import read, write
from aspectlab.readers.tables import workbook as workbooks
from tests.support.tables import (
    EDITS,
    Edits,
    corpora,
    corpus_of,
    examples,
    inline,
    mutate,
    refusal,
    survives,
    workbook,
    written,
)

LAMP = Quad(aspect=Term("lamp", Span(4, 8)), polarity=Polarity.POSITIVE)
SHADE = Quad(aspect=Term("shade", Span(16, 21)), polarity=Polarity.NEGATIVE)
TEXT = "The lamp is on, shade is off."


def make(folder: Path, content: str | bytes, name: str = "sample.bin") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        f'id,text,aspect,polarity\n1,"{TEXT}",lamp,positive\n1,"{TEXT}",shade,negative\n',
        f"Id;Sentence;Term;Label\r\n1;{TEXT};lamp;POS\r\n1;{TEXT};shade;NEG",
        f"id\treview\ttarget\tsentiment\tstars\n1\t{TEXT}\tlamp\t1\t5\n1\t{TEXT}\tshade\t-1\t5\n",
        f'\ufefftext,from,to,term,id,gold_label\n"{TEXT}",4,8,lamp,1,pos\n"{TEXT}",16,21,shade,1,neg\n',
        f'id,text,aspect,start,polarity\n1,"{TEXT}",lamp,4,1.0\n1,"{TEXT}",shade,16.0,-1.0\n',
        f'text,aspect,polarity\n"{TEXT}",lamp,pos\n"{TEXT}",shade,neg\n',
    ],
    ids=["comma", "semicolon-crlf", "tab", "bom-offsets", "float-offsets", "no-id"],
)
def test_table_columns_are_found_by_name(tmp_path: Path, content: str) -> None:
    corpus = read(make(tmp_path, content))
    assert corpus.provenance.format == "table"
    assert corpus.examples == (Example("1", TEXT, (LAMP, SHADE)),)
    assert (corpus.language, corpus.annotates) == ("und", {Part.ASPECT, Part.POLARITY})


def test_table_rows_of_one_id_need_not_be_adjacent(tmp_path: Path) -> None:
    content = f'id,text,aspect,polarity\na,"{TEXT}",lamp,pos\nb,Well.,,\na,"{TEXT}",shade,neg\n'
    assert read(make(tmp_path, content)).examples == (
        Example("a", TEXT, (LAMP, SHADE)),
        Example("b", "Well."),
    )


def test_table_without_ids_numbers_the_examples(tmp_path: Path) -> None:
    content = "text,category\nOne.,food\nOne.,staff\nTwo.,\nOne.,food\n"
    found = read(make(tmp_path, content)).examples
    assert [(example.id, example.text, len(example.quads)) for example in found] == [
        *[("1", "One.", 2), ("2", "Two.", 0), ("3", "One.", 1)]
    ]


def test_table_of_bare_texts_keeps_equal_neighbours_apart(tmp_path: Path) -> None:
    assert read(make(tmp_path, "review\nNice.\nNice.\n")).examples == (
        Example("1", "Nice."),
        Example("2", "Nice."),
    )


def test_table_with_one_column_needs_no_quotes(tmp_path: Path) -> None:
    assert read(make(tmp_path, "text\nNice, really; yes.\n")).examples[0].text == "Nice, really; yes."


def test_table_options_choose_columns(tmp_path: Path) -> None:
    content = "Comment,text,About,Words,Topic,Mood,Key\nGood pen,x,pen,Good,tools,pos,k1\n"
    corpus = read(
        make(tmp_path, content, "a.csv"),
        text_column="comment",
        id_column="Key",
        aspect_column="About",
        opinion_column="Words",
        category_column="Topic",
        polarity_column="Mood",
    )
    quad = Quad(Term("pen", Span(5, 8)), "tools", Term("Good", Span(0, 4)), Polarity.POSITIVE)
    assert corpus.examples == (Example("k1", "Good pen", (quad,)),)


def test_table_empty_option_leaves_a_column_out(tmp_path: Path) -> None:
    path = make(tmp_path, "id,text,label\n1,Nice.,5 stars\n1,Well.,4 stars\n")
    assert read(path, polarity_column="", id_column="").examples == (
        Example("1", "Nice."),
        Example("2", "Well."),
    )


def test_table_option_with_a_wrong_name_suggests_the_right_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'Comment'"):
        read(make(tmp_path, "Comment,stars\nNice.,5\n", "a.csv"), text_column="Comments")


def test_table_source_column_alone_is_not_an_origin(tmp_path: Path) -> None:
    assert read(make(tmp_path, "text,source\nNice.,a web shop\n")).examples == (Example("1", "Nice."),)


def test_table_empty_offset_means_a_term_outside_the_text(tmp_path: Path) -> None:
    (example,) = read(make(tmp_path, "text,aspect,start,end\nGood pen,pen,,\n"))
    assert example.quads == (Quad(aspect=Term("pen")),)


@pytest.mark.parametrize(
    ("word", "polarity"),
    [
        *[("positive", "positive"), ("pos", "positive"), ("POS", "positive"), ("1", "positive")],
        *[("negative", "negative"), ("NEG", "negative"), ("-1", "negative"), ("neutral", "neutral")],
        *[("neu", "neutral"), ("0", "neutral"), ("conflict", "conflict")],
    ],
)
def test_table_polarity_word_is_known(tmp_path: Path, word: str, polarity: str) -> None:
    (example,) = read(make(tmp_path, f"text,polarity\nNice.,{word}\n"))
    assert example.quads[0].polarity == polarity


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("comment,stars\nNice.,5\n", "header: found the columns comment, stars: expected one of text"),
        ("id,text\n1,Nice, really\n", "line 2: found 3 cells: expected 2, as in the header"),
        ("id,text,aspect\n1,Nice.\n", "line 2: found 2 cells"),
        ("id,text\n,Nice.\n", "line 2: found no id"),
        ("id,text\n1,Nice.\n1,Well.\n", "example '1': found this id twice"),
        ("text,polarity\nNice.,\n\nWell.,good\n", "line 4: found the polarity 'good'"),
        ("text,aspect,start\nGood pen,pen,x\n", "line 2: found aspect_start 'x'"),
        ("text,aspect,start\nGood pen,pen,1234567890\n", "line 2: found aspect_start '1234567890'"),
        ("text,aspect,start\nGood pen,sofa,99\n", "line 2: found the term 'sofa' at 99:103"),
        ('id,text\n1,"Nice.\n2,Well.\n', "line 2: found a broken row"),
        ("id,text\n1,a\rb\n", "line 2: found a carriage return"),
        (f"id,text\n1,{'a' * 200_000}\n", "line 2: found a cell of over 131,072 characters"),
        (b"id,text\n1,men\xe9\n", "line 2: found b'\\xe9' at byte 5 of the line: expected UTF-8"),
        ("id,text\n1," + "a" * (4 << 20), "line 2: found over 4,194,304 bytes"),
    ],
)
def test_table_broken_line_is_named(tmp_path: Path, content: str | bytes, found: str) -> None:
    assert found in refusal(make(tmp_path, content, "a.csv"))


def test_table_line_of_a_quoted_cell_is_that_of_its_beginning(tmp_path: Path) -> None:
    content = 'text,polarity\n"Two\nlines.",pos\n"Two\nmore.",bad\n'
    assert "line 4: found the polarity 'bad'" in refusal(make(tmp_path, content))


def test_table_cell_keeps_nul_and_line_ends(tmp_path: Path) -> None:
    (example,) = read(make(tmp_path, b'id,text\r\n1," a\0b\r\nc\rd "\r\n'))
    assert example.text == " a\0b\r\nc\rd "


def test_table_reading_leaves_the_limit_of_csv_alone(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    read(make(tmp_path, "id,text\n1,Nice.\n"))
    assert csv.field_size_limit() == before


def test_table_written_columns_are_plain(tmp_path: Path) -> None:
    examples = [
        Example("a", TEXT, (LAMP,)),
        Example("b", "=1+1"),
        Example("c", "@x", (Quad(),), "a", "mixed"),
    ]
    write(corpus_of(examples), tmp_path / "a.csv", "table")
    header, *rows = csv.reader(io.StringIO((tmp_path / "a.csv").read_bytes().decode(), newline=""))
    assert ",".join(header) == (
        "id,text,aspect,aspect_start,aspect_end,opinion,opinion_start,opinion_end,category,polarity,source,variant"
    )
    assert rows == [
        ["a", TEXT, "lamp", "4", "8", "", "", "", "", "positive", "", ""],
        ["b", "=1+1", *[""] * 10],
        ["c", "@x", *[""] * 7, "none", "a", "mixed"],
    ]


@given(corpus=corpora(examples()))
def test_table_round_trip_is_exact(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert written(corpus, tmp_path_factory.mktemp("table"), "table") == corpus.examples


@pytest.mark.parametrize("text", ["a" * 200_000, "half a pair: \ud800"])
def test_table_writer_refuses_what_could_not_be_read_again(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match="row 'long': found"):
        write(corpus_of([Example("long", text)]), tmp_path / "a.csv", "table")
    assert list(tmp_path.iterdir()) == []


def test_table_workbook_of_openpyxl_equals_the_csv(tmp_path: Path) -> None:
    rows = [
        ["id", "text", "aspect", "label"],
        [1240351476, TEXT, "lamp", 1],
        [None, None],
        [7, " <b> & 'c'\n", None, -1],
    ]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("other")
    book.save(tmp_path / "a.xlsx")
    corpus = read(tmp_path / "a.xlsx")
    other = Example("7", " <b> & 'c'\n", (Quad(polarity=Polarity.NEGATIVE),))
    assert corpus.examples == (Example("1240351476", TEXT, (LAMP,)), other)
    assert corpus.provenance.notes == ("workbook: only sheet 'Sheet' of 2 is read",)


HEADER = inline("id", "text")


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('<c t="s"><v>0</v></c>', "plain"),
        ('<c t="s"><v>1</v></c>', "two runs"),
        ('<c t="inlineStr"><is><t xml:space="preserve">in </t><r><t>line</t></r></is></c>', "in line"),
        ('<c t="str"><f>A1</f><v>formula</v></c>', "formula"),
        ('<c t="b"><v>1</v></c>', "TRUE"),
        ('<c t="e"><v>#N/A</v></c><c t="str"><v>not this</v></c>', ""),
        ("<c><v>15.0</v></c>", "15"),
        ("<c><v>1.24E+9</v></c>", "1240000000"),
        ("<c><v>0.25</v></c>", "0.25"),
        ('<c t="str"><v>a_x000D__x0041_b_xD800_</v></c>', "a\rAb_xD800_"),
        ('<c r="B2" t="s"><v>0</v></c><c r="ZZ2"><v>4</v></c>', "plain"),
    ],
)
def test_table_workbook_cell_is_text(tmp_path: Path, cell: str, text: str) -> None:
    runs = "<r><rPr/><t>two</t></r><r><t xml:space='preserve'> runs</t></r><rPh><t>said</t></rPh>"
    strings = f"<si><t>plain</t></si><si>{runs}</si>"
    rows = f"{HEADER}<row><c><v>3</v></c>{cell}</row>"
    assert read(make(tmp_path, workbook(rows, strings))).examples == (Example("3", text),)


def test_table_workbook_may_use_prefixes_and_boast_of_its_size(tmp_path: Path) -> None:
    sheet = (
        '<x:worksheet xmlns:x="a"><x:dimension ref="A1:XFD1048576"/><x:sheetData>'
        '<x:row r="1"><x:c r="B1" t="str"><x:v>text</x:v></x:c></x:row>'
        '<x:row r="1048576"><x:c r="B1048576" t="str"><x:v>far</x:v></x:c></x:row>'
        "</x:sheetData></x:worksheet>"
    )
    assert read(make(tmp_path, workbook("", sheet=sheet))).examples == (Example("1", "far"),)


ENTITIES = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><worksheet>&c;</worksheet>'


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (workbook("", sheet=ENTITIES), "found no row"),
        (workbook("<row>" + " " * 3_000_000 + "</row>"), "bytes packed into"),
        (workbook(HEADER, method=12), "found packing method 12: expected deflate"),
        # one far cell makes a sheet of 17 billion
        (
            workbook(f'{HEADER}<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
            "found a sheet that needs",
        ),
        (workbook(f'{HEADER}<row><c t="s"><v>5</v></c></row>'), "Cell string index not found"),
        (workbook(f'{HEADER}<row><c t="s"><v>x</v></c></row>'), "found "),
        (workbook(HEADER + inline("1", "a" * 131_073), method=0), "a cell of 131,073 characters"),
        (workbook("<row>"), "found no row"),
        (workbook(""), "found no row"),
        (workbook("", workbook="<workbook/>"), "found no sheet"),
        (workbook("", relations="<Relationships/>"), "found "),
        (workbook(HEADER)[:-30], "found a broken archive"),
        (b"PK\x03\x04", "found a broken archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "found no workbook"),
        (workbook(HEADER).replace(b"xl/workbook.xml", b"xl/otherone.xml"), "found no sheet"),
    ],
)
def test_table_broken_workbook_is_refused(tmp_path: Path, content: bytes, found: str) -> None:
    assert found in refusal(make(tmp_path, content))


def test_table_workbook_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbooks, "MAX_UNPACKED_BYTES", 100)
    assert "bytes unpacked: expected at most 100" in refusal(make(tmp_path, workbook(HEADER)))


def test_table_workbook_that_repeats_a_string_too_often_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbooks, "MAX_SHEET_CHARS", 100)
    rows = '<row><c t="s"><v>0</v></c></row>' * 3
    content = workbook(inline("text") + rows, f"<si><t>{'a' * 40}</t></si>")
    assert "line 4: found over 100 characters" in refusal(make(tmp_path, content))


def test_table_workbook_with_wrong_bytes_is_refused(tmp_path: Path) -> None:
    content = workbook(HEADER + inline("1", "Nice."), method=0).replace(b"Nice.", b"Mice.")
    assert "workbook: found I/O error: Invalid checksum" in refusal(make(tmp_path, content))


@pytest.mark.parametrize("content", ["{}", "[1]", "<a/>", "just a line", "a,b\n1,2"])
def test_table_does_not_claim_other_files(tmp_path: Path, content: str) -> None:
    assert "expected a known format" in refusal(make(tmp_path, content))


SHEET = f'{HEADER}<row r="2"><c r="A2"><v>7</v></c><c r="B2" t="s"><v>0</v></c></row>'
SEEDS = {
    "csv": f'id,text,aspect,start,end,polarity\n1,"{TEXT}",lamp,4,8,positive\n2,"a\n""b""",,,,\n'.encode(),
    "xlsx": workbook(SHEET, "<si><t>Nice.</t></si>", method=0),
}


@pytest.mark.parametrize("seed", SEEDS)
@given(edits=EDITS)
def test_table_mutant_gives_a_corpus_or_a_data_error(
    seed: str, edits: Edits, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("table") / "mutant.bin"
    path.write_bytes(mutate(SEEDS[seed], edits))
    assert survives(path, "table")


@given(edits=EDITS)
def test_table_workbook_with_a_mutant_sheet_gives_a_corpus_or_a_data_error(
    edits: Edits, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sheet = mutate(f"<worksheet><sheetData>{SHEET}</sheetData></worksheet>".encode(), edits)
    path = tmp_path_factory.mktemp("table") / "mutant.xlsx"
    path.write_bytes(workbook("", "<si><t>Nice.</t></si>", sheet=sheet.decode("latin-1")))
    assert survives(path, "table")


def test_table_published_predictions_are_read(real_data: Path) -> None:
    # SOURCES.md section 4: the gold labels of ARTS-Rest
    corpus = read(real_data / "arts" / "rest_predictions.csv")
    counts = {"positive": 1953, "negative": 1104, "neutral": 473}
    assert len(corpus) == 3530
    assert Counter(example.quads[0].polarity for example in corpus) == counts


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,text,aspect,Text\n1,Good tea,tea,Bad tea\n", "header: found the column 'text' twice"),
        ("Comment,stars\nNice.,5\n", "rename the one that holds the text to text"),
        ("id,text,aspect\n,Nice tea,tea\n", "found no id: .* or remove the column"),
    ],
    ids=["repeated-column", "no-text", "no-id"],
)
def test_table_refusal_names_the_fault_and_a_remedy(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(make(tmp_path, content, "a.csv"))


@pytest.mark.parametrize(("numbers", "count"), [("01", 1), ("00", 0), ("11", 0)])
def test_table_says_how_zero_was_read_beside_one(tmp_path: Path, numbers: str, count: int) -> None:
    rows = "".join(f"Lamp {place},{number}\n" for place, number in enumerate(numbers))
    notes = read(make(tmp_path, f"text,label\n{rows}")).provenance.notes
    assert [note.startswith("whole file: polarities are 0 and 1: read as neutral") for note in notes] == (
        [True] * count
    )


def test_table_with_bare_carriage_returns_is_refused_as_such(tmp_path: Path) -> None:
    message = refusal(make(tmp_path, "id,text\r1,Lamp\r", "old.csv"))
    assert "found a carriage return without a line feed: expected line feeds; quote" in message


@pytest.mark.parametrize(
    ("table", "aspect"),
    [
        ("text,aspect,category\nDear,NULL,price\n", None),
        ("text,aspect,from,to,category\nDear,NULL,0,0,price\n", None),
        ("text,aspect,category\nA NULL byte,NULL,code\n", Term("NULL", Span(2, 6))),
        # as it is written for a term of that name
        ("text,aspect,aspect_start,aspect_end,category\nDear,NULL,,,price\n", Term("NULL")),
    ],
)
def test_table_takes_null_for_an_implicit_aspect(tmp_path: Path, table: str, aspect: Term | None) -> None:
    assert read(make(tmp_path, table)).examples[0].quads[0].aspect == aspect
