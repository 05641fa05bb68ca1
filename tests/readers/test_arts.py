"""ARTS flat JSON: variants, offsets that the authors got wrong, and writing the form back."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import read, write
from tests.support.tables import (
    EDITS,
    TEXTS,
    Edits,
    corpora,
    corpus_of,
    mutate,
    refusal,
    survives,
    terms,
    written,
)

RECORD = {
    "sentence": "The lamp glows.",
    "term": "lamp",
    "polarity": "positive",
    "id": "7_0",
    "from": 4,
    "to": 8,
}
VARIANT = {**RECORD, "sentence": "The lamp barely glows.", "polarity": "negative"}
LAMP = Quad(aspect=Term("lamp", Span(4, 8)), polarity=Polarity.POSITIVE)


def make(folder: Path, records: object) -> Path:
    path = folder / "sample.bin"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def test_arts_is_recognised_and_described(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, {"7_0": RECORD}))
    assert corpus.provenance.format == "arts"
    assert corpus.examples == (Example("7_0", "The lamp glows.", (LAMP,)),)
    assert (corpus.language, corpus.annotates) == ("en", {Part.ASPECT, Part.POLARITY})


@pytest.mark.parametrize(
    ("suffix", "variant"),
    [("_adv1", "revtgt"), ("_adv2", "revnon"), ("_adv3", "adddiff"), ("_adv4", "adv4"), ("_both", "both")],
)
def test_arts_key_suffix_names_the_variant(tmp_path: Path, suffix: str, variant: str) -> None:
    (example,) = read(make(tmp_path, {f"7_0{suffix}": VARIANT}), "arts")
    assert (example.id, example.source, example.variant) == (f"7_0{suffix}", "7_0", variant)


def test_arts_key_unlike_the_id_keeps_the_source(tmp_path: Path) -> None:
    (example,) = read(make(tmp_path, {"other": RECORD}), "arts")
    assert (example.id, example.source, example.variant) == ("other", "7_0", None)


def test_arts_record_without_id_is_a_source(tmp_path: Path) -> None:
    record = {key: value for key, value in RECORD.items() if key != "id"}
    assert read(make(tmp_path, {"7_0": record}), "arts").examples[0].source is None


@pytest.mark.parametrize(
    ("change", "term"),
    [
        ({"from": 5, "to": 9}, Term("lamp", Span(4, 8))),
        ({"term": "Lamp"}, Term("lamp", Span(4, 8))),
        ({"term": "lamp glows", "to": 8}, Term("lamp glows", Span(4, 14))),
        ({"term": "lanp"}, Term("lamp", Span(4, 8))),
        ({"term": "sofa"}, Term("sofa")),
        ({"from": None, "to": None}, Term("lamp")),
    ],
)
def test_arts_offset_is_mended(tmp_path: Path, change: dict[str, object], term: Term) -> None:
    (example,) = read(make(tmp_path, {"7_0": {**RECORD, **change}}), "arts")
    assert example.quads[0].aspect == term


def test_arts_term_without_offsets_is_looked_for(tmp_path: Path) -> None:
    record = {"sentence": "The lamps: a lamp.", "term": "lamp"}
    (example,) = read(make(tmp_path, {"1": record}), "arts")
    assert example.quads == (Quad(aspect=Term("lamp", Span(13, 17))),)


@pytest.mark.parametrize(
    ("records", "found"),
    [
        ([RECORD], "expected an object of records"),
        ({"7_0": [RECORD]}, "record '7_0': found [{"),
        ({"7_0": {**RECORD, "sentence": 4}}, "record '7_0': found 'sentence' 4: expected a string"),
        ({"7_0": {**RECORD, "term": None}}, "found 'term' None: expected a string"),
        ({"7_0": {**RECORD, "id": 7}}, "found 'id' 7: expected a string"),
        ({"7_0": {**RECORD, "polarity": "good"}}, "found 'polarity' 'good': expected one of positive"),
        ({"7_0": {**RECORD, "from": True}}, "found 'position' [True, 8]: expected two whole numbers"),
        ({"7_0": {**RECORD, "to": 8.0}}, "expected two whole numbers"),
        ({"7_0": {**RECORD, "term": "sofa", "to": 900}}, "found the term 'sofa' at 4:900"),
    ],
)
def test_arts_broken_record_is_named(tmp_path: Path, records: object, found: str) -> None:
    assert found in refusal(make(tmp_path, records), "arts")


def test_arts_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    # the parser would keep the last of them, and lose the other without a word
    path = tmp_path / "sample.bin"
    path.write_text(f'{{"7_0": {json.dumps(RECORD)}, "7_0": {json.dumps(VARIANT)}}}', encoding="utf-8")
    assert "key '7_0': found this key twice: expected unique keys; rename one" in refusal(path)


def test_arts_written_form_is_that_of_the_authors(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, {"7_0": RECORD, "7_0_adv1": VARIANT}), "arts")
    write(corpus, tmp_path / "again.json", "arts")
    assert json.loads((tmp_path / "again.json").read_text()) == {"7_0": RECORD, "7_0_adv1": VARIANT}


def test_arts_writer_makes_the_key_of_a_generated_variant(tmp_path: Path) -> None:
    made = Example("made-1", "The lamp glows.", (LAMP,), source="7_0", variant="revnon")
    (example,) = written(corpus_of([made]), tmp_path, "arts")
    assert (example.id, example.source, example.variant) == ("7_0_adv2", "7_0", "revnon")


@pytest.mark.parametrize(
    "quads", [(), (LAMP, LAMP), (Quad(category="light"),), (Quad(aspect=LAMP.aspect, opinion=Term("glows")),)]
)
def test_arts_writer_refuses_what_the_form_cannot_hold(tmp_path: Path, quads: tuple[Quad, ...]) -> None:
    with pytest.raises(DataError, match="expected one"):
        write(corpus_of([Example("1", "The lamp glows.", quads)]), tmp_path / "a.json", "arts")
    assert list(tmp_path.iterdir()) == []


def test_arts_writer_refuses_two_variants_of_one_kind(tmp_path: Path) -> None:
    twice = [Example(name, "The lamp glows.", (LAMP,), "7_0", "revtgt") for name in ("a", "b")]
    with pytest.raises(DataError, match="'7_0_adv1' twice"):
        write(corpus_of(twice), tmp_path / "a.json", "arts")


@st.composite
def aspects(draw: st.DrawFn) -> Example:
    text = draw(TEXTS)
    quad = Quad(
        aspect=draw(terms(text).filter(lambda term: term is not None)),
        polarity=draw(st.none() | st.sampled_from(Polarity)),
    )
    name = draw(TEXTS)
    variants = {"revtgt": "adv1", "revnon": "adv2", "adddiff": "adv3", "adv4": "adv4", "mixed": "mixed"}
    variant = draw(st.none() | st.sampled_from(list(variants)))
    if variant is None:
        return Example(name, text, (quad,))
    return Example(f"{name}_{variants[variant]}", text, (quad,), name, variant)


@given(corpus=corpora(aspects()))
def test_arts_round_trip_is_exact(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert written(corpus, tmp_path_factory.mktemp("arts"), "arts") == corpus.examples


@given(edits=EDITS)
def test_arts_mutant_gives_a_corpus_or_a_data_error(
    edits: Edits, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("arts") / "mutant.json"
    path.write_bytes(mutate(json.dumps({"7_0": RECORD, "7_0_adv1": VARIANT}).encode(), edits))
    assert survives(path, "arts")


# SOURCES: counts of the ARTS paper (section 3.1 and table of the enriched sets), as computed from the files
PUBLISHED = [
    (
        "arts_testset/laptop_test_enriched",
        1877,
        (883, 587, 407),
        {None: 638, "revtgt": 466, "revnon": 135, "adddiff": 638},
    ),
    (
        "arts_testset/rest_test_enriched",
        3530,
        (1953, 1104, 473),
        {None: 1120, "revtgt": 846, "revnon": 444, "adddiff": 1120},
    ),
    ("src_data/laptop/train", 2163, (930, 800, 433), {None: 2163}),
    ("src_data/laptop/dev", 150, (57, 66, 27), {None: 150}),
    ("src_data/laptop/test", 638, (341, 128, 169), {None: 638}),
    ("src_data/rest/train", 3452, (2094, 779, 579), {None: 3452}),
    ("src_data/rest/dev", 150, (70, 26, 54), {None: 150}),
    ("src_data/rest/test", 1120, (728, 196, 196), {None: 1120}),
]


@pytest.mark.parametrize(("name", "size", "polarities", "variants"), PUBLISHED)
def test_arts_published_counts(
    real_data: Path, name: str, size: int, polarities: tuple[int, ...], variants: dict[str | None, int]
) -> None:
    corpus = read(real_data / "arts" / f"{name}.json")
    found = Counter(example.quads[0].polarity for example in corpus)
    assert corpus.provenance.format == "arts"
    assert len(corpus) == size
    assert tuple(found[polarity] for polarity in list(Polarity)[:3]) == polarities
    assert Counter(example.variant for example in corpus) == variants


# how the six wrong offsets of the enriched sets are to be repaired
REPAIRED = [
    ("laptop", "279:2_0_adv1", Span(0, 12)),
    ("laptop", "29:1175_0_adv1", Span(9, 23)),
    ("laptop", "933:1_0_adv1", Span(32, 52)),
    ("rest", "11350539#680470#2_0_adv1", Span(13, 18)),
    ("rest", "11359613#884374#3_0_adv1", Span(53, 61)),
    ("rest", "32889544#0#4_1_adv3", Span(28, 50)),
]


@pytest.mark.parametrize(("domain", "key", "span"), REPAIRED)
def test_arts_published_offset_is_repaired(real_data: Path, domain: str, key: str, span: Span) -> None:
    corpus = read(real_data / "arts" / "arts_testset" / f"{domain}_test_enriched.json")
    (term,) = (example.quads[0].aspect for example in corpus if example.id == key)
    assert term is not None
    assert term.span == span
    assert len(corpus.provenance.notes) == 3


@pytest.mark.slow
@given(edits=EDITS)
@settings(max_examples=200, deadline=None)
def test_arts_real_mutant_gives_a_corpus_or_a_data_error(
    edits: Edits, real_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = (real_data / "arts" / "src_data" / "rest" / "dev.json").read_bytes()
    path = tmp_path_factory.mktemp("arts") / "mutant.json"
    path.write_bytes(mutate(content, edits))
    assert survives(path, None)


@pytest.mark.parametrize(
    ("name", "source", "variant"),
    [("7_1", None, "revtgt"), ("7_0_adv1", "7_0", None), ("7_0_adv1", "7_0", "adv1"), ("7_0", "7_0", None)],
    ids=["no-source", "name-of-a-variant", "suffix", "own-source"],
)
def test_arts_writer_refuses_an_origin_that_would_be_read_otherwise(
    tmp_path: Path, name: str, source: str | None, variant: str | None
) -> None:
    made = Example(name, "The lamp glows.", (LAMP,), source, variant)
    with pytest.raises(DataError, match=f"example '{name}': found source"):
        write(corpus_of([made]), tmp_path / "a.json", "arts")
    assert list(tmp_path.iterdir()) == []
