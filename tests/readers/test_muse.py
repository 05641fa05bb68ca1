"""MuSe-CarASTE in CSV and XLSX: one quad per row, with or without text and topics."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import read
from tests.support.tables import EDITS, Edits, inline, mutate, refusal, survives, workbook

# the header of the release, with the index columns that pandas left in it
RELEASE = """,Unnamed: 0,id,segment_id,label_topic,aspect,opinion,sentiment
0,0.0,8.0,1.0,3.0,seats,too firm,neg
1,,8.0,2.0,6.0,-,-,-
2,,8.0,1.0,3.0,seats,too firm,neg
3,1.0,9.0,1.0,0.0, pull ,strong,pos
"""
WITH_TEXT = """id,segment_id,review,aspect,opinion,sentiment,topic,label_topic
8,1,"The seats are firm , too firm .",seats,too firm,neg,comfort,3
8,1,"The seats are firm , too firm .",ride,bumpy,neu,comfort,3
8,2,"Hello .",-,-,-,unknown,-1
"""
FIRM = Quad(Term("seats"), "comfort", Term("too firm"), Polarity.NEGATIVE)


def make(folder: Path, content: str | bytes, name: str = "sample.bin") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def as_workbook(table: str) -> bytes:
    """The rows of an unquoted table as an XLSX file."""
    return workbook("".join(inline(*line.split("|")) for line in table.splitlines()))


def test_muse_row_is_a_quad_and_a_segment_an_example(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, RELEASE))
    pull = Quad(Term(" pull "), "performance", Term("strong"), Polarity.POSITIVE)
    assert corpus.provenance.format == "muse"
    assert corpus.examples == (
        Example("8-1", "", (FIRM, FIRM)),
        Example("8-2", "", (Quad(category="general-information"),)),
        Example("9-1", "", (pull,)),
    )
    assert (corpus.language, corpus.annotates) == ("en", frozenset(Part))


def test_muse_repeated_row_is_kept_and_noted(tmp_path: Path) -> None:
    notes = read(make(tmp_path, RELEASE)).provenance.notes
    assert notes == ("whole file: 1 of 4 rows repeat another of their segment: kept",)


def test_muse_term_has_a_span_where_the_text_has_it(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, "\ufeff" + WITH_TEXT))
    seats, ride = corpus.examples[0].quads
    assert (seats.aspect, seats.opinion) == (Term("seats", Span(4, 9)), Term("too firm", Span(21, 29)))
    assert (ride.aspect, ride.opinion) == (Term("ride"), Term("bumpy"))


def test_muse_unknown_topic_is_none(tmp_path: Path) -> None:
    assert read(make(tmp_path, WITH_TEXT)).examples[1] == Example("8-2", "Hello .", (Quad(),))


def test_muse_without_topics_annotates_no_category(tmp_path: Path) -> None:
    content = "id,segment_id,aspect,opinion,sentiment\n8,1,seats,too firm,neg\n"
    assert read(make(tmp_path, content)).annotates == {Part.ASPECT, Part.OPINION, Part.POLARITY}


def test_muse_transcripts_give_the_text(tmp_path: Path) -> None:
    texts = make(tmp_path, "id,segment_id,text\n8,1,Firm seats .\n9,1,\n", "texts.csv")
    corpus = read(make(tmp_path, RELEASE), transcripts=str(texts))
    assert [example.text for example in corpus] == ["Firm seats .", "", ""]
    assert corpus.examples[0].quads[0].aspect == Term("seats", Span(5, 10))
    assert corpus.provenance.notes[1].startswith("segment 8-2: not in the transcripts")


def test_muse_most_frequent_text_of_a_segment_is_kept(tmp_path: Path) -> None:
    rows = "".join(f"8,1,{text},seats,firm,neg\n" for text in ("Rare .", "Common .", "Common ."))
    corpus = read(make(tmp_path, f"id,segment_id,text,aspect,opinion,sentiment\n{rows}"))
    assert corpus.examples[0].text == "Common ."
    assert corpus.provenance.notes[1] == "segment 8-1: has 2 texts: the most frequent one is kept"


@pytest.mark.parametrize("format", ["muse", None])
def test_muse_workbook_is_read_with_and_without_naming_the_format(tmp_path: Path, format: str | None) -> None:
    table = "id|segment_id|review|aspect|opinion|sentiment|topic\n8|1|Seats .|seats|too firm|neg|comfort"
    assert read(make(tmp_path, as_workbook(table)), format).examples == (Example("8-1", "Seats .", (FIRM,)),)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("8.0,1.0,3.0,seats", "x,1.0,3.0,seats", "line 2: found 'x': expected the whole number"),
        ("8.0,1.0,3.0,seats", "8.5,1.0,3.0,seats", "line 2: found '8.5'"),
        ("8.0,2.0", "8.0,", "line 3: found ''"),
        ("6.0", "17.0", "line 3: found the topic '17.0'"),
        ("6.0", "speed", "line 3: found the topic 'speed'"),
        ("strong,pos", "strong,good", "line 5: found the polarity 'good'"),
        ("strong,pos", "strong", "line 5: found 7 cells"),
        ("segment_id", "part", "header: found the columns"),
    ],
)
def test_muse_broken_line_is_named(tmp_path: Path, old: str, new: str, found: str) -> None:
    assert found in refusal(make(tmp_path, RELEASE.replace(old, new, 1)), "muse")


def test_muse_missing_transcripts_are_named(tmp_path: Path) -> None:
    path = tmp_path / "none.csv"
    assert f"{path}: cannot be read" in refusal(make(tmp_path, RELEASE), transcripts=str(path))


@given(edits=EDITS)
def test_muse_mutant_gives_a_corpus_or_a_data_error(
    edits: Edits, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("muse") / "mutant.csv"
    path.write_bytes(mutate(WITH_TEXT.encode(), edits))
    assert survives(path, "muse")


# rows, empty rows, segments, positive, negative, neutral: SOURCES.md section 6;
# those of the joins were counted with openpyxl
PUBLISHED = [
    ("annotations/train.csv", (11310, 1206, 4194, 6519, 1793, 1792)),
    ("annotations/devel.csv", (4299, 236, 1313, 2813, 469, 781)),
    ("with_transcripts/devel.csv", (4299, 236, 1313, 2813, 469, 781)),
    ("with_transcripts/Final_Devel_File_MuseASTE_Completed.csv", (4398, 239, 1334, 2918, 585, 656)),
    pytest.param(
        "with_transcripts/FULL DEVEL.xlsx", (27461, 242, 1328, 19729, 3253, 4237), marks=pytest.mark.slow
    ),
    pytest.param(
        "with_transcripts/full train.xlsx", (67951, 1201, 4205, 44667, 13241, 8842), marks=pytest.mark.slow
    ),
]


def count(corpus: Corpus) -> tuple[int, ...]:
    found = Counter(quad.polarity for example in corpus for quad in example.quads)
    signs = [found[polarity] for polarity in list(Polarity)[:3]]
    return (found.total(), found[None], len(corpus), *signs)


@pytest.mark.parametrize(("name", "counts"), PUBLISHED)
def test_muse_published_counts(real_data: Path, name: str, counts: tuple[int, ...]) -> None:
    assert count(read(real_data / "muse_caraste" / name)) == counts


def release(folder: Path) -> list[Quad]:
    files = [folder / "muse_caraste" / "annotations" / f"{part}.csv" for part in ("train", "devel")]
    return [quad for path in files for example in read(path) for quad in example.quads]


def test_muse_published_totals(real_data: Path) -> None:
    # MuSe-CarASTE, tables 2, 6 and 13: rows, empty, non-empty; polarities; distinct and multi-word terms
    quads = release(real_data)
    full = [(quad.aspect.text, quad.opinion.text) for quad in quads if quad.aspect and quad.opinion]
    long = [(len(aspect.split()) > 1, len(opinion.split()) > 1) for aspect, opinion in full]
    assert (len(quads), len(quads) - len(full), len(full)) == (15609, 1442, 14167)
    assert [sum(quad.polarity is sign for quad in quads) for sign in list(Polarity)[:3]] == [9332, 2262, 2573]
    assert (len({aspect for aspect, _ in full}), len({opinion for _, opinion in full})) == (3048, 7875)
    assert (sum(a for a, _ in long), sum(o for _, o in long), sum(a or o for a, o in long)) == (
        4912,
        8688,
        10603,
    )


@pytest.mark.parametrize(("part", "segments"), [("train", 4194), ("devel", 1313)])
def test_muse_published_transcripts_cover_all_segments(real_data: Path, part: str, segments: int) -> None:
    folder = real_data / "muse_caraste"
    texts = folder / "derived" / f"transcripts_{part}.csv"
    corpus = read(folder / "annotations" / f"{part}.csv", transcripts=str(texts))
    assert sum(bool(example.text) for example in corpus) == segments


@pytest.mark.slow
@given(edits=EDITS)
@settings(max_examples=40, deadline=None)
def test_muse_real_workbook_mutant_gives_a_corpus_or_a_data_error(
    edits: Edits, real_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = (real_data / "muse_caraste" / "with_transcripts" / "FULL DEVEL.xlsx").read_bytes()
    path = tmp_path_factory.mktemp("muse") / "mutant.xlsx"
    path.write_bytes(mutate(content, edits))
    assert survives(path, None)


def test_transcripts_alone_are_texts_without_quads(tmp_path: Path) -> None:
    path = tmp_path / "transcripts.csv"
    path.write_text("id,segment_id,text\n3,1,Soft seats .\n3,2,We stop here .\n", encoding="utf-8")
    corpus = read(path)
    assert [(example.id, example.text, example.quads) for example in corpus] == [
        ("3-1", "Soft seats .", ()),
        ("3-2", "We stop here .", ()),
    ]


def test_muse_transcript_that_stands_twice_is_noted(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, "id,segment_id,text\n3,1,Soft seats .\n3,1,Hard seats .\n"))
    assert corpus.provenance.notes == ("segment 3-1: has 2 texts: the most frequent one is kept",)


def test_muse_transcripts_that_contradict_are_refused(tmp_path: Path) -> None:
    texts = make(tmp_path, "id,segment_id,text\n8,1,Soft seats .\n8,1,Hard seats .\n", "texts.csv")
    message = refusal(make(tmp_path, RELEASE), transcripts=str(texts))
    assert "line 3: found segment 8-1 with another text before: expected one text" in message


@pytest.mark.parametrize("columns", ["category,polarity", "aspect,label"])
def test_muse_is_no_table_with_other_labels(tmp_path: Path, columns: str) -> None:
    # taken for transcripts, such a table lost all its labels without a word
    corpus = read(make(tmp_path, f"id,segment_id,text,{columns}\nr1,1,Soft seats .,seats,positive\n"))
    assert corpus.provenance.format == "table"
    assert [quad.polarity for quad in corpus.examples[0].quads] == [Polarity.POSITIVE]
