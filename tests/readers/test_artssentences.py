"""ARTS JSON by sentence, with and without opinion words."""

import json
from pathlib import Path

import pytest
from hypothesis import given

from aspectlab.data import Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import read
from tests.support.tables import EDITS, Edits, mutate, refusal, survives

LAMP = {"id": "7_0", "polarity": "positive", "term": "lamp", "from": 4, "to": 8}
OPINIONS = {"opinion_words": ["warm", "bright"], "opinion_position": [[12, 16], [21, 27]]}
ASPECT = Term("lamp", Span(4, 8))
WARM, BRIGHT = Term("warm", Span(12, 16)), Term("bright", Span(21, 27))


def records(*entries: dict[str, object]) -> dict[str, object]:
    terms = {f"7_{index}": entry for index, entry in enumerate(entries)}
    sentence = {"sentence": "The lamp is warm and bright.", "term_list": terms, "contra": False, "id": "7"}
    return {"7": sentence}


def make(folder: Path, content: object) -> Path:
    path = folder / "sample.bin"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_artssentences_opinion_words_give_a_quad_each(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, records({**LAMP, **OPINIONS})))
    quads = tuple(Quad(ASPECT, None, opinion, Polarity.POSITIVE) for opinion in (WARM, BRIGHT))
    assert corpus.provenance.format == "arts-sentences"
    assert corpus.examples == (Example("7", "The lamp is warm and bright.", quads),)
    assert corpus.annotates == {Part.ASPECT, Part.OPINION, Part.POLARITY}


def test_artssentences_without_opinion_words_annotates_none(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, records(LAMP)))
    assert corpus.examples[0].quads == (Quad(ASPECT, polarity=Polarity.POSITIVE),)
    assert corpus.annotates == {Part.ASPECT, Part.POLARITY}


def test_artssentences_term_with_empty_opinion_lists_keeps_one_quad(tmp_path: Path) -> None:
    entry = {**LAMP, "opinion_words": [], "opinion_position": []}
    assert read(make(tmp_path, records(entry))).examples[0].quads == (
        Quad(ASPECT, polarity=Polarity.POSITIVE),
    )


def test_artssentences_sentence_without_terms_is_kept(tmp_path: Path) -> None:
    assert read(make(tmp_path, records())).examples == (Example("7", "The lamp is warm and bright."),)


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ({**LAMP, "opinion_words": ["warm"]}, "record '7_0': found 1 opinion words and 0 positions"),
        ({**LAMP, "opinion_words": "warm"}, "found 'opinion_words' 'warm': expected a list"),
        ({**LAMP, **OPINIONS, "opinion_position": [[12], [21, 27]]}, "expected two whole numbers"),
        ({**LAMP, **OPINIONS, "opinion_words": [None, "bright"]}, "found 'term' None: expected a string"),
        (
            {
                **LAMP,
                **OPINIONS,
                "opinion_words": ["cosy", "bright"],
                "opinion_position": [[12, 99], [21, 27]],
            },
            "'cosy'",
        ),
    ],
)
def test_artssentences_broken_record_is_named(tmp_path: Path, entry: dict[str, object], found: str) -> None:
    assert found in refusal(make(tmp_path, records(entry)))


def test_artssentences_term_list_must_be_an_object(tmp_path: Path) -> None:
    content = {"7": {"sentence": "Warm.", "term_list": [LAMP]}}
    assert "expected an object" in refusal(make(tmp_path, content))


@given(edits=EDITS)
def test_artssentences_mutant_gives_a_corpus_or_a_data_error(
    edits: Edits, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("sentences") / "mutant.json"
    path.write_bytes(mutate(json.dumps(records({**LAMP, **OPINIONS}, LAMP)).encode(), edits))
    assert survives(path, "arts-sentences")


# sentences and terms: SOURCES.md section 4 (331 and 492 test sentences with opinion words; 411 and 600 of
# the reproducibility paper); term-opinion pairs: counted in the files with a separate script
PUBLISHED = [
    ("laptop/test_sent", 411, 638, False),
    ("laptop/test_sent_towe", 331, 544, True),
    ("laptop/train_sent_towe", 1039, 1688, True),
    ("rest/test_sent", 600, 1120, False),
    ("rest/test_sent_towe", 492, 1004, True),
    ("rest/train_sent_towe", 1523, 2865, True),
    ("mams/test_sent", 500, 1336, False),
    ("mams/test_sent_towe", 494, 1083, True),
]


@pytest.mark.parametrize(("name", "sentences", "quads", "opinions"), PUBLISHED)
def test_artssentences_published_counts(
    real_data: Path, name: str, sentences: int, quads: int, opinions: bool
) -> None:
    corpus = read(real_data / "arts" / "src_data" / f"{name}.json")
    assert (len(corpus), sum(len(example.quads) for example in corpus)) == (sentences, quads)
    assert (Part.OPINION in corpus.annotates) == opinions
    assert corpus.provenance.notes == ()
