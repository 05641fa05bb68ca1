"""Antonyms: the curated table, and what is asked in which order."""

import pytest

from aspectlab.language.antonyms import AntonymLexicon, antonym_table
from aspectlab.language.wordnet import WordNet

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")


def test_antonym_table_is_large_enough() -> None:
    # 600 words is what the generator was asked to bring with it
    assert len(antonym_table()) >= 600


def is_plain(word: str) -> bool:
    return word == word.lower() and word.replace("-", "").isalpha()


def test_antonym_table_rows_are_well_formed() -> None:
    rows = antonym_table().items()
    assert {kind for (_, kind), _ in rows} == {"ADJ", "ADV", "VERB", "NOUN"}
    assert [word for (word, _), others in rows if not all(map(is_plain, (word, *others)))] == []
    assert [word for (word, _), others in rows if word in others or len(set(others)) < len(others)] == []


def test_antonym_table_never_calls_a_word_its_own_opposite_by_two_steps() -> None:
    # the antonym of an antonym may be another word, but never one that the first word is opposed to as well
    table = antonym_table()
    torn = [
        (word, other)
        for (word, kind), others in table.items()
        for other in others
        if set(table.get((other, kind), ())) & set(others) - {"not"}
    ]
    assert torn == []


@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("good", "JJ", "bad"),
        ("Easier", "JJR", "more difficult"),
        ("fastest", "JJS", "slowest"),
        ("best", "JJS", "worst"),
        ("loves", "VBZ", "hates"),
        ("quickly", "RB", "slowly"),
        ("winners", "NNS", "losers"),
    ],
)
def test_lexicon_antonym_has_the_form_of_the_word(word: str, tag: str, expected: str) -> None:
    # English word forms, by hand
    assert AntonymLexicon().antonyms(word, tag)[0] == expected


@pytest.mark.parametrize(("word", "tag"), [("great", "JJ"), ("the", "DT"), ("zorbly", "JJ")])
def test_lexicon_without_a_fitting_antonym_gives_none(word: str, tag: str) -> None:
    assert AntonymLexicon().antonyms(word, tag) == ()


def test_lexicon_adjective_taken_for_a_name_is_found() -> None:
    assert AntonymLexicon().antonyms("Good", "NNP") == ("bad",)


def test_lexicon_asks_wordnet_for_unknown_words_and_prefers_the_vocabulary() -> None:
    wordnet = WordNet({("gnarly", "ADJ"): ("bland", "tame"), ("good", "ADJ"): ("evil",)})
    assert AntonymLexicon(frozenset(), wordnet).antonyms("gnarly", "JJ") == ("bland", "tame")
    assert AntonymLexicon(frozenset({"tame"}), wordnet).antonyms("gnarly", "JJ") == ("tame", "bland")
    assert AntonymLexicon(frozenset(), wordnet).antonyms("good", "JJ") == ("bad",)


@pytest.mark.parametrize(("word", "tag"), [("Easier", "JJR"), ("loves", "VBZ"), ("winners", "NNS")])
def test_lexicon_exact_knows_no_inflected_forms(word: str, tag: str) -> None:
    # the released test sets negate them
    assert AntonymLexicon().antonyms(word, tag, exact=True) == ()


@pytest.mark.parametrize(
    ("word", "tag", "expected"), [("like", "IN", "dislike"), ("please", "UH", "displease")]
)
def test_lexicon_verb_taken_for_a_small_word_is_found(word: str, tag: str, expected: str) -> None:
    assert AntonymLexicon().antonyms(word, tag)[0] == expected


@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("loved", "VBD", ()),  # "we loved the tea" would become "we unloved the tea"
        ("loved", "VBN", ("unloved",)),
        ("pleased", "VBD", ("displeased",)),
    ],
)
def test_lexicon_has_no_adjective_for_a_verb_in_the_past(
    word: str, tag: str, expected: tuple[str, ...]
) -> None:
    pairs = {("loved", "ADJ"): ("unloved",), ("pleased", "ADJ"): ("displeased",)}
    wordnet = WordNet(pairs, {("displease", "VERB"): ()})
    assert AntonymLexicon(wordnet=wordnet).antonyms(word, tag, exact=True) == expected


def test_lexicon_does_not_call_what_is_not_stiff_impotent() -> None:
    # by the mates of one of its synsets, WordNet has no other antonym for a mattress or a car
    assert antonym_table()["stiff", "ADJ"] == ("not", "flexible")
