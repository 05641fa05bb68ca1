"""MEMD-ABSA: ranges of tokens with their words in, character spans out, and back."""

import json
from pathlib import Path

import pytest
from hypothesis import given

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import read, write
from aspectlab.readers.textfields import MAX_FIELD, MAX_PAIRS
from tests.support.tables import EDITS, Edits, corpora, corpus_of, examples, mutate, refusal, survives

TEXT = "The desk lamp is  warm , the old lamp is not"
LAMP, WARM = Term("desk lamp", Span(4, 13)), Term("warm", Span(18, 22))
NULL = {"from": -1, "to": -1, "term": ["NULL"]}


def term(start: object, end: object, *words: object) -> dict[str, object]:
    return {"from": start, "to": end, "term": [*words]}


def record(aspect: object, opinion: object = NULL, **others: object) -> dict[str, object]:
    quad = {"aspect": aspect, "category": "Lamp#Light", "opinion": opinion, "sentiment": "POS", **others}
    return {"raw_words": TEXT, "task": "ACOS", "quadruples": [quad]}


def make(folder: Path, *records: object) -> Path:
    path = folder / "sample.json"
    path.write_text(json.dumps([*records], indent=2), encoding="ascii")
    return path


def test_ranges_of_tokens_become_spans(tmp_path: Path) -> None:
    empty = {"raw_words": " We came .", "task": "ACOS", "quadruples": []}
    corpus = read(make(tmp_path, record(term(1, 3, "desk", "lamp"), term(4, 5, "warm")), empty))
    quad = Quad(LAMP, "Lamp#Light", WARM, Polarity.POSITIVE)
    assert corpus.examples == (Example("1", TEXT, (quad,)), Example("2", " We came ."))
    assert (corpus.provenance.format, corpus.annotates) == ("memd", {*Part})
    assert corpus.provenance.notes == ()


def test_minus_one_is_implicit(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, record(NULL, NULL, sentiment="NEU", category="None")))
    assert corpus.examples[0].quads == (Quad(None, "None", None, Polarity.NEUTRAL),)
    (note,) = corpus.provenance.notes
    assert note.endswith("is not ENTITY#ATTRIBUTE (None), kept as they are: 1, first on sentence 1")


@pytest.mark.parametrize(
    ("given_term", "placed", "note"),
    [
        (term(3, 1, "desk", "lamp"), LAMP, "terms whose end stood before their start, which were swapped"),
        (term(2, 4, "desk", "lamp"), LAMP, "terms placed where their words stand, and not as given"),
        (term(1, 2, "desk", "lamp"), LAMP, "terms placed where their words stand, and not as given"),
        (term(-1, -1, "desk", "lamp"), LAMP, "terms placed where their words stand, and not as given"),
        (term(80, 82, "desk", "lamp"), LAMP, "terms placed where their words stand, and not as given"),
        (term(3, 4, "lamp"), Term("lamp", Span(9, 13)), "terms placed where their words stand"),
        (term(10, 11, "lamp"), Term("lamp", Span(33, 37)), "terms placed where their words stand"),
        (term(1, 3, "floor", "lamp"), Term("floor lamp"), "terms whose words are not in the text, kept with"),
    ],
)
def test_wrong_range_is_mended_with_a_note(
    tmp_path: Path, given_term: object, placed: Term, note: str
) -> None:
    corpus = read(make(tmp_path, record(given_term)))
    assert corpus.examples[0].quads[0].aspect == placed
    (said,) = corpus.provenance.notes
    assert note in said
    assert said.endswith(": 1, first on sentence 1")


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (record(term(8, 12, "floor")), "found the term 'floor' at 8:12: expected its words within 0:11"),
        (record(term(-2, 1, "floor")), "found the term 'floor' at -2:1: expected its words within 0:11"),
        (record(term(1, 2, "NULL")), "found the term 'NULL' at 1:2: expected its words within 0:11"),
        (record(term(True, 2, "desk")), "expected a term like {'from': 3, 'to': 5"),
        (record(term(1.0, 2, "desk")), "expected a term like {'from': 3, 'to': 5"),
        (record(term(1, 2)), "expected a term like {'from': 3, 'to': 5"),
        (record(term(1, 2, "desk", 3)), "expected a term like {'from': 3, 'to': 5"),
        (record(None), "found None: expected a term like"),
        (
            record(NULL, sentiment="GOOD"),
            "found the sentiment 'GOOD': expected one of POS, NEG, NEU; correct",
        ),
        (record(NULL, sentiment=1), "found 'sentiment' 1: expected a string"),
        (record(NULL, category=None), "found 'category' None: expected a string"),
        ({"quadruples": []}, "found 'raw_words' None: expected a string"),
        ({"raw_words": "a", "quadruples": {}}, "found 'quadruples' {}: expected a list"),
        ({"raw_words": "a", "quadruples": [3]}, "found 3: expected an object; correct or remove it"),
        ({"raw_words": "a" * (MAX_FIELD + 1), "quadruples": []}, "expected at most 65,536"),
        ({"raw_words": "a", "quadruples": [3] * (MAX_PAIRS + 1)}, "expected at most 1,000"),
        (["a"], "found ['a']: expected an object"),
    ],
)
def test_broken_sentence_is_named(tmp_path: Path, broken: object, found: str) -> None:
    message = refusal(make(tmp_path, record(NULL), broken), "memd")
    assert "sample.json: sentence 2: found" in message
    assert found in message


def test_other_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "sample.json"
    path.write_text('{"raw_words": "a"}', encoding="ascii")
    assert "expected a list of sentences; is this a MEMD-ABSA file?" in refusal(path, "memd")


def test_writer_gives_the_published_form(tmp_path: Path) -> None:
    records = [record(term(1, 3, "desk", "lamp"), term(4, 5, "warm")), record(NULL)]
    write(read(make(tmp_path, *records)), tmp_path / "copy.json", "memd")
    assert json.loads((tmp_path / "copy.json").read_text(encoding="ascii")) == records


@pytest.mark.parametrize(
    ("quad", "found"),
    [
        (
            Quad(LAMP, None, None, Polarity.POSITIVE),
            "found no category: expected one in every quad; leave this quad out",
        ),
        (Quad(LAMP, "a", None, None), "found the polarity None: expected one of positive"),
        (Quad(Term("des", Span(4, 7)), "a", None, Polarity.POSITIVE), "aspect: found 'des' at 4:7: expected"),
        (Quad(LAMP, "a", Term("lit"), Polarity.POSITIVE), "opinion: found 'lit' without a span: expected"),
    ],
)
def test_writer_refuses_what_it_cannot_hold(tmp_path: Path, quad: Quad, found: str) -> None:
    with pytest.raises(DataError) as caught:
        write(corpus_of([Example("7", TEXT, (quad,))]), tmp_path / "copy.json", "memd")
    assert f"example '7': {found}" in str(caught.value)


@given(corpus=corpora(examples()))
def test_what_is_written_is_read_again(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("made") / "copy.json"
    for example in corpus:
        bare = Example(example.id, example.text, example.quads)
        try:
            write(corpus_of([bare]), path, "memd")
        except DataError:
            continue
        assert [(again.text, again.quads) for again in read(path, "memd")] == [(bare.text, bare.quads)]


@given(edits=EDITS)
def test_any_damage_is_read_or_refused(edits: Edits, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = make(tmp_path_factory.mktemp("made"), record(term(1, 3, "desk", "lamp")), record(NULL))
    path.write_bytes(mutate(path.read_bytes(), edits))
    assert survives(path, "memd")


# sentences, quads, implicit aspects, implicit opinions, categories: counted in the files' JSON
COUNTS = {
    "Books/Train": (2092, 3184, 919, 917, 14),
    "Books/Dev": (292, 424, 128, 121, 11),
    "Clothing/Train": (1674, 2445, 793, 466, 35),
    "Clothing/Dev": (233, 335, 101, 63, 24),
    "Laptop/Train": (2863, 4055, 882, 1111, 104),
    "Laptop/Dev": (405, 560, 128, 157, 73),
    "Restaurant/Train": (3622, 6027, 1300, 897, 12),
    "Restaurant/Dev": (510, 805, 184, 120, 12),
}


@pytest.mark.parametrize("file", COUNTS)
def test_published_counts(file: str, real_data: Path) -> None:
    corpus = read(real_data / "memd" / f"{file}.json")
    quads = [quad for example in corpus for quad in example.quads]
    implicit = [sum(getattr(quad, part) is None for quad in quads) for part in ("aspect", "opinion")]
    assert (len(corpus), len(quads), *implicit, len({quad.category for quad in quads})) == COUNTS[file]
    assert all(term.span is not None for quad in quads for term in quad.terms)
    assert corpus.provenance.version == "MEMD-ABSA (2023)"
    # books alone have quads of the category None: 12 and 1
    nones = [quad.category for quad in quads].count("None")
    assert (nones, len(corpus.provenance.notes)) == {"Books/Train": (12, 1), "Books/Dev": (1, 1)}.get(
        file, (0, 0)
    )
