"""Word forms, by hand from a grammar of English."""

import builtins

import pytest

from aspectlab.errors import MissingPartError
from aspectlab.language import inflection
from aspectlab.language.inflection import article, find_lemma, inflect, is_plural, word_class

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")


@pytest.mark.parametrize(
    ("lemma", "tag", "expected"),
    [
        ("change", "VBZ", "changes"),
        ("go", "VBD", "went"),
        ("stop", "VBG", "stopping"),
        ("break", "VBN", "broken"),
        ("try", "VB", "try"),
        ("dish", "NNS", "dishes"),
        ("happy", "JJR", "happier"),
        ("bad", "JJS", "worst"),
        ("difficult", "JJR", "more difficult"),
        ("narrow", "JJS", "narrowest"),
        ("simple", "JJR", "simpler"),
        ("cheap", "JJ", "cheap"),
    ],
)
def test_inflect_gives_the_form_of_the_tag(lemma: str, tag: str, expected: str) -> None:
    assert inflect(lemma, tag) == expected


@pytest.mark.parametrize(
    ("word", "tag", "lemma"),
    [("Went", "VBD", "go"), ("worst", "JJS", "bad"), ("dishes", "NNS", "dish"), ("Of", "IN", "of")],
)
def test_find_lemma_undoes_the_inflection(word: str, tag: str, lemma: str) -> None:
    assert find_lemma(word, tag) == lemma


@pytest.mark.parametrize("word", ["egg", "unusual", "hour", "honest", "uninspired", "ugly", "unimpressive"])
def test_article_before_a_vowel_sound_is_an(word: str) -> None:
    assert article(word) == "an"


@pytest.mark.parametrize("word", ["soup", "unique", "useful", "one", "euro", "hotel", "university"])
def test_article_before_a_consonant_sound_is_a(word: str) -> None:
    assert article(word) == "a"


@pytest.mark.parametrize(
    ("noun", "tag", "expected"),
    [("fries", "NNS", True), ("tapas", "NN", True), ("staff", "NN", False), ("hummus", "NN", False)],
)
def test_is_plural_by_tag_and_by_form(noun: str, tag: str, expected: bool) -> None:
    assert is_plural(noun, tag) is expected


@pytest.mark.parametrize(("tag", "kind"), [("VBG", "VERB"), ("RBR", "ADV"), ("NNPS", "NOUN"), ("CC", None)])
def test_word_class_of_a_tag(tag: str, kind: str | None) -> None:
    assert word_class(tag) == kind


def test_inflection_without_its_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def refuse(name: str, *rest: object, **named: object) -> object:
        if name == "lemminflect":
            raise ImportError(name)
        return original(name, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingPartError, match=r"pip install 'aspectlab\[parse\]'"):
        inflection._tables.__wrapped__()
