"""Canonical JSONL: whatever an example holds comes back, and a broken line is named."""

import json
from pathlib import Path

import pytest
from hypothesis import given

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import READERS, Source, read, write
from tests.support.tables import EDITS, Edits, corpora, corpus_of, examples, mutate, refusal, survives

LAMP = Quad(aspect=Term("lamp", Span(4, 8)), polarity=Polarity.POSITIVE, confidence={"positive": 0.75})
CORPUS = Corpus(
    "lamps",
    "de",
    frozenset({Part.ASPECT, Part.POLARITY}),
    (Example("1", "The lamp.", (LAMP,)), Example("2", "")),
)
LINE = '{"id": "1", "text": "The lamp.", "quads": []}'


def make(folder: Path, content: str) -> Path:
    path = folder / "sample.jsonl"
    path.write_bytes(content.encode())
    return path


def test_jsonl_is_recognised_and_described(tmp_path: Path) -> None:
    write(CORPUS, tmp_path / "a.jsonl", "jsonl")
    corpus = read(tmp_path / "a.jsonl")
    assert corpus == CORPUS
    assert corpus.provenance.format == "jsonl"
    assert corpus.examples[0].quads[0].confidence == {"positive": 0.75}


def test_jsonl_line_is_that_of_the_design(tmp_path: Path) -> None:
    write(CORPUS, tmp_path / "a.jsonl", "jsonl")
    first, second = (tmp_path / "a.jsonl").read_text().splitlines()
    aspect = {"text": "lamp", "start": 4, "end": 8}
    assert json.loads(first)["quads"][0]["aspect"] == aspect
    assert json.loads(first)["corpus"]["annotates"] == ["aspect", "polarity"]
    assert json.loads(second) == {"id": "2", "text": "", "quads": []}


def test_jsonl_without_a_description_is_named_after_the_file(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, f"\ufeff{LINE}\r\n\n"))
    assert (corpus.name, corpus.language, corpus.annotates) == ("sample", "und", frozenset())
    assert corpus.examples == (Example("1", "The lamp."),)


@given(corpus=corpora(examples()))
def test_jsonl_round_trip_is_exact(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    write(corpus, path, "jsonl")
    again = read(path, "jsonl")
    assert again.examples == corpus.examples
    assert again == corpus or not corpus.examples


@given(edits=EDITS)
def test_jsonl_mutant_gives_a_corpus_or_a_data_error(
    edits: Edits, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    write(CORPUS, path, "jsonl")
    path.write_bytes(mutate(path.read_bytes(), edits))
    assert survives(path, "jsonl")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("{", "expected valid JSON"),
        ("[" * 100_000, "expected valid JSON"),
        ("[]", "expected an object with the keys id, text and quads"),
        ('{"id": 1, "text": "a", "quads": []}', "key 'id': found 1: expected a string"),
        ('{"id": "1", "quads": []}', "key 'text': found None: expected a string"),
        ('{"id": "1", "text": "a", "quads": {}}', "key 'quads': found {}: expected a list"),
        ('{"id": "1", "text": "a", "quads": [], "label": 1}', "unknown key 'label'"),
        ('{"id": "1", "text": "a", "quads": [{"polarity": "good"}]}', "key 'polarity': found 'good'"),
        ('{"id": "1", "text": "a", "quads": [{"aspect": "a"}]}', "key 'aspect': found 'a'"),
        (
            '{"id": "1", "text": "a", "quads": [{"aspect": {"text": "a", "start": true, "end": 1}}]}',
            "key 'aspect': found start True and end 1: expected two whole numbers",
        ),
        (
            '{"id": "1", "text": "a", "quads": [{"aspect": {"text": "b", "start": 0, "end": 1}}]}',
            "example '1': term 'b' at 0:1: the text has 'a' there",
        ),
        ('{"id": "1", "text": "a", "quads": [], "corpus": 1}', "key 'corpus': found 1"),
        (
            '{"id": "1", "text": "a", "quads": [],'
            ' "corpus": {"name": "a", "language": "en", "annotates": ["colour"]}}',
            "the parts are aspect, category, opinion, polarity",
        ),
    ],
)
def test_jsonl_broken_line_is_named(tmp_path: Path, line: str, found: str) -> None:
    message = refusal(make(tmp_path, f"{LINE.replace('1', '0')}\n\n{line}\n"), "jsonl")
    assert "sample.jsonl: line 3: " in message
    assert found in message


def test_jsonl_repeated_id_is_named(tmp_path: Path) -> None:
    assert "example '1': found this id twice" in refusal(make(tmp_path, f"{LINE}\n{LINE}\n"), "jsonl")


@pytest.mark.parametrize("first", ["", "[]", '{"text": "a"}', "id,text,quads"])
def test_jsonl_is_not_seen_in_other_files(tmp_path: Path, first: str) -> None:
    assert not READERS["jsonl"].sniff(Source(make(tmp_path, first)).head)


def test_jsonl_files_put_one_behind_the_other_are_joined(tmp_path: Path) -> None:
    # the description of the last part, which has no labels, said that there are none at all
    bare = Corpus("bare", "en", frozenset(), (Example("9", "Well."),))
    write(CORPUS, tmp_path / "a.jsonl", "jsonl")
    write(bare, tmp_path / "b.jsonl", "jsonl")
    path = make(tmp_path, "".join((tmp_path / name).read_text("utf-8") for name in ("a.jsonl", "b.jsonl")))
    corpus = read(path)
    assert (corpus.name, corpus.annotates) == (path.stem, CORPUS.annotates)
    assert corpus.examples == (*CORPUS.examples, *bare.examples)
    assert [note.partition(": ")[2] for note in corpus.provenance.notes] == [
        f"describes the corpus 'bare' after {CORPUS.name!r}: joined"
    ]


def test_jsonl_empty_corpus_gives_an_empty_file(tmp_path: Path) -> None:
    write(corpus_of([]), tmp_path / "a.jsonl", "jsonl")
    assert read(tmp_path / "a.jsonl", "jsonl").examples == ()


# one file of each text format; the whole of every data set is compared by the reader contracts
REAL = [
    "aste/ASTE-Data-V2-EMNLP2020/16res/dev_triplets.txt",
    "aste/ASTE-Data-V1-AAAI2020/14lap/dev.txt",
    "muse_caraste/processed/dev.txt",
    "asqp/rest16/test.txt",
    "bert_e2e_absa/rest16/test.txt",
    "towe/14lap/test.tsv",
    "twitter/acl-14-short-data/test.raw",
]


@pytest.mark.parametrize("name", REAL)
def test_jsonl_holds_a_published_corpus(real_data: Path, tmp_path: Path, name: str) -> None:
    corpus = read(real_data / name)
    write(corpus, tmp_path / "a.jsonl", "jsonl")
    assert read(tmp_path / "a.jsonl") == corpus
