"""Other words for a term: which are asked for, in which form they come, and where WordNet has them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from aspectlab.data import Edit, Example, Span
from aspectlab.language.wordnet import load_wordnet
from aspectlab.metamorphic.context import RelationContext, TaggedExample, WordNetLexicon
from aspectlab.metamorphic.relations import replace_aspect, replace_opinion
from tests.support.lexicon import tag

LICENCE = "  1 This line stands for the licence.\n"
# offset file type count (word sense)* pointers (symbol offset pos ends)* | gloss
NOUNS = (
    "00000100 06 n 02 dish 0 dinner_plate 0 001 @ 00000200 n 0000 | flat\n"
    "00000200 06 n 01 crockery 0 000 | tableware\n"
    "00000300 06 n 02 price 0 cost 0 000 | value\n"
    "00000400 06 n 02 price_tag 0 label 0 000 | a tag\n"
    "00000500 06 n 02 price 0 bounty 0 000 | a reward\n"
)
NOUN_INDEX = (
    "dish n 1 1 @ 1 0 00000100\nprice n 2 0 2 0 00000300 00000500\nprice_tag n 1 0 1 0 00000400\n"
    "crockery n 1 0 1 0 00000200\n"
)
ADJECTIVES = (
    "00000100 00 a 02 quick 0 speedy 0 001 ! 00000200 a 0101 | fast\n"
    "00000200 00 a 01 slow 0 001 ! 00000100 a 0101 | not fast\n"
)
ADJECTIVE_INDEX = "quick a 1 1 ! 1 0 00000100\nslow a 1 1 ! 1 0 00000200\n"


@pytest.fixture
def means(tmp_path: Path) -> RelationContext:
    """A dictionary of seven words in WordNet's file format."""
    pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
    parts = {
        "noun": (NOUNS, NOUN_INDEX),
        "adj": (ADJECTIVES, ADJECTIVE_INDEX),
        "adv": ("", ""),
        "verb": ("", ""),
    }
    for part, (synsets, index) in parts.items():
        (tmp_path / f"data.{part}").write_text(LICENCE + synsets, encoding="utf-8")
        (tmp_path / f"index.{part}").write_text(LICENCE + index, encoding="utf-8")
    return RelationContext(WordNetLexicon(load_wordnet(tmp_path)))


def sentence(*tagged: str) -> TaggedExample:
    words, tags = zip(*(item.split("/") for item in tagged), strict=True)
    text = " ".join(words)
    return TaggedExample(Example("1", text), tag(text, list(tags)))


def show(edits: Sequence[Edit]) -> list[tuple[str, str]]:
    return [(edit.new, edit.kind) for edit in edits]


def test_aspect_has_synonyms_before_hypernyms(means: RelationContext) -> None:
    found = show(replace_aspect(sentence("dish/NN"), Span(0, 4), means))
    assert found == [("dinner plate", "synonym"), ("crockery", "hypernym")]


def test_aspect_takes_number_and_capital_of_the_old_one(means: RelationContext) -> None:
    assert show(replace_aspect(sentence("Dishes/NNS"), Span(0, 6), means))[0] == ("Dinner plates", "synonym")


def test_aspect_that_is_unknown_has_no_other(means: RelationContext) -> None:
    assert replace_aspect(sentence("zorb/NN"), Span(0, 4), means) == []


def test_aspect_of_several_words_is_looked_up_as_a_whole_first(means: RelationContext) -> None:
    found = sentence("the/DT", "price/NN", "tag/NN")
    assert replace_aspect(found, Span(4, 13), means) == [Edit(Span(4, 13), "price tag", "label", "synonym")]


def test_aspect_of_several_words_changes_its_head_otherwise(means: RelationContext) -> None:
    found = sentence("cold/JJ", "dish/NN")
    edits = replace_aspect(found, Span(0, 9), means)
    assert {edit.span for edit in edits} == {Span(5, 9)}


def test_opinion_of_several_words_changes_its_last_adjective(means: RelationContext) -> None:
    found = sentence("very/RB", "quick/JJ", "indeed/RB")
    assert replace_opinion(found, Span(0, 17), means, "synonym") == [
        Edit(Span(5, 10), "quick", "speedy", "synonym")
    ]


def test_opinion_antonym_is_compared_as_the_old_word_was(means: RelationContext) -> None:
    found = sentence("quicker/JJR")
    assert ("slower", "antonym") in show(replace_opinion(found, Span(0, 7), means, "antonym"))


def test_opinion_that_is_no_open_word_has_no_other(means: RelationContext) -> None:
    assert replace_opinion(sentence("!/."), Span(0, 1), means, "synonym") == []


@pytest.mark.parametrize(("senses", "expected"), [(None, ("cost", "bounty")), (1, ("cost",))])
def test_lexicon_takes_all_senses_or_the_first(
    means: RelationContext, senses: int | None, expected: tuple[str, ...]
) -> None:
    assert isinstance(means.lexicon, WordNetLexicon)
    assert WordNetLexicon(means.lexicon.wordnet, senses).synonyms("price", "NOUN") == expected
