"""Post-processing of terms, and similarity by name."""

from pathlib import Path

import numpy as np
import pytest

from aspectlab.annotation import Wording, choose_wording, load_similarity
from aspectlab.errors import ConfigError, MissingPartError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Rear Seats", "rear seats"),
        ("not  good!", "not good"),
        ("it is", "it is"),
        ("!!", "! !"),
        ("", ""),
    ],
)
def test_wording_keeps_the_words_that_count(text: str, expected: str) -> None:
    assert Wording(lemmas=False).normalise(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("the seats", "seat"), ("loved it", "love"), ("faster", "fast"), ("glass", "glass")],
)
def test_wording_takes_lemmas_where_there_are_tables(text: str, expected: str) -> None:
    pytest.importorskip("lemminflect", reason="lemmas need the extra 'parse'")
    assert Wording().normalise(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("build quality", "build quality"),
        ("nothing", "nothing"),
        ("gas", "gas"),
        ("news", "news"),
        ("car's", "car"),
        ("touchscreens", "touchscreen"),
    ],
)
def test_wording_makes_no_words_that_english_lacks(text: str, expected: str) -> None:
    pytest.importorskip("lemminflect", reason="lemmas need the extra 'parse'")
    assert Wording().normalise(text) == expected


@pytest.mark.parametrize(("language", "stops"), [("en", True), ("und", True), ("it", False)])
def test_wording_drops_stop_words_of_english_only(language: str, stops: bool) -> None:
    assert choose_wording(language).stop_words is stops


def test_letters_find_spelling_alike() -> None:
    one, same, other = load_similarity("letters").embed(["seats", "seats", "engine"])
    assert (one == same).all()
    assert one @ other == 0


def test_similarity_refuses_an_unknown_name_with_the_remedy() -> None:
    with pytest.raises(MissingPartError, match="spacy download no_such_pipeline"):
        load_similarity("no_such_pipeline")


def test_remedy_without_spacy_begins_with_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aspectlab.language.parsing.find_spec", lambda name: None)
    remedy = "get it with: pip install 'aspectlab\\[parse\\]', then python -m spacy download no_such_pipeline"
    with pytest.raises(MissingPartError, match=remedy):
        load_similarity("no_such_pipeline")


def test_similarity_takes_the_vectors_of_a_pipeline(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="pipelines need the extra 'parse'")
    language = spacy.blank("en", meta={"name": "made", "version": "1.0.0"})
    language.vocab.set_vector("seat", np.array([1, 0], np.float32))
    language.vocab.set_vector("soft", np.array([0, 1], np.float32))
    language.to_disk(tmp_path)
    similarity = load_similarity(str(tmp_path))
    # the mean of the two vectors; a word without one has zeros
    assert similarity.embed(["seat soft", "engine"]).tolist() == [[0.5, 0.5], [0, 0]]
    assert similarity.name.startswith("en_made-1.0.0")


def test_similarity_refuses_a_pipeline_without_vectors(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="pipelines need the extra 'parse'")
    spacy.blank("en", meta={"name": "made", "version": "1.0.0"}).to_disk(tmp_path)
    with pytest.raises(ConfigError, match="no word vectors"):
        load_similarity(str(tmp_path))
