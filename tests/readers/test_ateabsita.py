"""ATE_ABSITA NDJSON: Italian reviews with aspect terms."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given

from aspectlab.data import Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import read
from tests.support.tables import EDITS, Edits, mutate, refusal, survives

REVIEW = {
    "sentence": "Borsa capiente ma manico debole.",
    "id_sentence": "a-1",
    "score": 3,
    "polarities": [[1, 0], [0, 1]],
    "aspects_position": [[0, 5], [18, 24]],
    "aspects": ["Borsa", "manico"],
}
BARE = {**REVIEW, "id_sentence": "a-2", "polarities": [], "aspects_position": [], "aspects": []}


def make(folder: Path, *reviews: object) -> Path:
    path = folder / "sample.bin"
    path.write_text("\n".join(json.dumps(review) for review in reviews) + "\n\n", encoding="utf-8")
    return path


def test_ateabsita_is_recognised_and_described(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, REVIEW, BARE))
    bag = Quad(aspect=Term("Borsa", Span(0, 5)), polarity=Polarity.POSITIVE)
    handle = Quad(aspect=Term("manico", Span(18, 24)), polarity=Polarity.NEGATIVE)
    text = "Borsa capiente ma manico debole."
    assert corpus.provenance.format == "ate-absita"
    assert corpus.examples == (Example("a-1", text, (bag, handle)), Example("a-2", text))
    assert (corpus.language, corpus.annotates) == ("it", {Part.ASPECT, Part.POLARITY})


@pytest.mark.parametrize(
    ("pair", "polarity"),
    [([1, 0], "positive"), ([0, 1], "negative"), ([0, 0], "neutral"), ([1, 1], "conflict")],
)
def test_ateabsita_pair_of_flags_is_a_polarity(tmp_path: Path, pair: list[int], polarity: str) -> None:
    review = {**REVIEW, "polarities": [pair, [0, 0]]}
    assert read(make(tmp_path, review)).examples[0].quads[0].polarity == polarity


def test_ateabsita_review_without_annotation_is_kept(tmp_path: Path) -> None:
    assert read(make(tmp_path, {"sentence": "Ok.", "id_sentence": "1"})).examples == (Example("1", "Ok."),)


def test_ateabsita_wrong_offset_is_mended_and_noted(tmp_path: Path) -> None:
    corpus = read(make(tmp_path, {**REVIEW, "aspects_position": [[0, 5], [19, 25]]}))
    assert corpus.examples[0].quads[1].aspect == Term("manico", Span(18, 24))
    assert corpus.provenance.notes == ("line 1: term 'manico' moved from 19:25 to 18:24 ('manico')",)


@pytest.mark.parametrize(
    ("review", "found"),
    [
        ([1], "line 2: found [1]: expected an object"),
        ({**BARE, "sentence": None}, "line 2: found 'sentence' None: expected a string"),
        ({**BARE, "id_sentence": 3}, "found 'id_sentence' 3"),
        (
            {**BARE, "aspects": ["Borsa"]},
            "found 1, 0, 0 aspects, positions and polarities: expected as many of each",
        ),
        ({**REVIEW, "polarities": [[1, 0], [2, 0]]}, "found the polarity [2, 0]"),
        ({**REVIEW, "polarities": [[1, 0], [True, 0]]}, "found the polarity [True, 0]"),
        ({**REVIEW, "polarities": [[1, 0], 1]}, "found the polarity 1"),
        ({**REVIEW, "aspects_position": [[0, 5], ["18", 24]]}, "expected two whole numbers"),
    ],
)
def test_ateabsita_broken_line_is_named(tmp_path: Path, review: object, found: str) -> None:
    assert found in refusal(make(tmp_path, {**REVIEW, "id_sentence": "first"}, review), "ate-absita")


@given(edits=EDITS)
def test_ateabsita_mutant_gives_a_corpus_or_a_data_error(
    edits: Edits, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("ate") / "mutant.ndjson"
    path.write_bytes(mutate("\n".join(map(json.dumps, (REVIEW, BARE))).encode(), edits))
    assert survives(path, "ate-absita")


# reviews: README of the organisers; aspects, polarities, empty reviews, wrong offsets: SOURCES.md section 7
PUBLISHED = [
    ("training", 3054, 495, {"positive": 4892, "negative": 897, "neutral": 199, "conflict": 74}, 3),
    ("dev", 109, 15, {"positive": 201, "negative": 31, "neutral": 6, "conflict": 4}, 0),
]


@pytest.mark.parametrize(("part", "reviews", "empty", "polarities", "mended"), PUBLISHED)
def test_ateabsita_published_counts(
    real_data: Path, part: str, reviews: int, empty: int, polarities: dict[str, int], mended: int
) -> None:
    corpus = read(real_data / "ate_absita2020" / f"ate_absita_{part}.ndjson")
    assert (len(corpus), sum(not example.quads for example in corpus)) == (reviews, empty)
    assert Counter(quad.polarity for example in corpus for quad in example.quads) == polarities
    assert len(corpus.provenance.notes) == mended
