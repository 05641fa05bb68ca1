"""The eight relations: the paper's example word for word, and what each must leave alone."""

from dataclasses import replace

import pytest

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.metamorphic import RELATIONS, Case
from aspectlab.metamorphic.cases import apply_drafts
from aspectlab.metamorphic.context import (
    AppendedPhrase,
    RelationContext,
    TaggedExample,
    collect_phrases,
    find_triplets,
)
from tests.support.lexicon import EXAMPLE, MEANS, SENTENCE, TAGS, TEXT, ToyLexicon, tag, term, triplet

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")


def follow(
    name: str, sentence: TaggedExample = SENTENCE, place: int = 0, means: RelationContext = MEANS
) -> list[Case]:
    target = find_triplets(sentence.example)[place]
    drafts = RELATIONS[name](sentence, place, target, means)
    return list(apply_drafts(name, sentence, place, drafts))


def triple(quad: Quad) -> tuple[str, str, str]:
    assert quad.aspect is not None
    assert quad.opinion is not None
    return quad.aspect.text, quad.opinion.text, str(quad.polarity)


# Table 1 of the MATO paper: follow-up input and expected output for the target (screen, bright, POS)
TABLE_1 = {
    "MR1-1": ("The screen is bright and the keyboard is good.", ("screen", "bright", "positive")),
    "MR1-2": ("The screen is bright and the keyboard is bad.", ("screen", "bright", "positive")),
    "MR1-3": (TEXT + " windows 7 is slow.", ("screen", "bright", "positive")),
    "MR1-4": ("The screen is bright and the [UNK] is [UNK].", ("screen", "bright", "positive")),
    "MR2-1": ("The monitor is bright and the keyboard is nice.", ("monitor", "bright", "positive")),
    "MR2-2": ("The screen is clear and the keyboard is nice.", ("screen", "clear", "positive")),
    "MR2-3": ("The monitor is clear and the keyboard is nice.", ("monitor", "clear", "positive")),
    "MR2-4": ("The screen is unclear and the keyboard is nice.", ("screen", "unclear", "negative")),
}


def test_relations_are_those_of_the_paper() -> None:
    assert list(RELATIONS) == list(TABLE_1)


@pytest.mark.parametrize("name", TABLE_1)
def test_relation_gives_the_row_of_table_1(name: str) -> None:
    found = [(case.followup.text, triple(case.expected)) for case in follow(name)]
    assert found == [TABLE_1[name]]


@pytest.mark.parametrize("name", ["MR1-1", "MR1-2", "MR1-3", "MR1-4"])
def test_relation_between_triplets_needs_another_one(name: str) -> None:
    alone = replace(SENTENCE, example=replace(EXAMPLE, quads=EXAMPLE.quads[:1]))
    assert follow(name, alone) == []


@pytest.mark.parametrize("name", ["MR1-3", "MR2-4"])
def test_relation_that_reverses_needs_an_opposite(name: str) -> None:
    quads = (triplet("screen", "bright", "neutral"), EXAMPLE.quads[1])
    assert follow(name, replace(SENTENCE, example=replace(EXAMPLE, quads=quads))) == []


@pytest.mark.parametrize("name", ["MR1-1", "MR1-2"])
def test_relation_leaves_an_opinion_alone_that_the_target_shares(name: str) -> None:
    quads = (triplet("screen", "nice"), EXAMPLE.quads[1])
    assert follow(name, replace(SENTENCE, example=replace(EXAMPLE, quads=quads))) == []


def test_mask_leaves_words_that_the_target_shares() -> None:
    quads = (triplet("screen", "bright"), triplet("screen", "nice"))
    (case,) = follow("MR1-4", replace(SENTENCE, example=replace(EXAMPLE, quads=quads)))
    assert case.followup.text == "The screen is bright and the keyboard is [UNK]."


def test_opinion_that_others_share_is_replaced_once() -> None:
    quads = (*EXAMPLE.quads, triplet("The", "nice"))
    assert len(follow("MR1-1", replace(SENTENCE, example=replace(EXAMPLE, quads=quads)))) == 1


def test_phrase_of_known_words_is_not_appended() -> None:
    known = [AppendedPhrase("keyboard", "slow", "2"), AppendedPhrase("disk", "nice", "3")]
    assert follow("MR1-3", means=RelationContext(ToyLexicon(), {Polarity.NEGATIVE: known})) == []


def test_phrases_are_drawn_by_the_seed_alone() -> None:
    many = {Polarity.NEGATIVE: [AppendedPhrase(f"part {n}", "slow", "2") for n in range(40)]}
    drawn = [
        [case.followup.text for case in follow("MR1-3", means=RelationContext(ToyLexicon(), many, seed=seed))]
        for seed in (1, 1, 2)
    ]
    assert len(drawn[0]) == 10
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


def test_collected_phrases_end_in_an_adjective() -> None:
    found = collect_phrases([SENTENCE, TaggedExample(EXAMPLE, tag(TEXT, [*TAGS[:-2], "NN", "."]))])
    assert [phrase.text for phrase in found[Polarity.POSITIVE]] == ["screen is bright", "keyboard is nice"]


def test_collected_phrases_are_cut_where_letters_become_two() -> None:
    # "\u0130" has two letters when it is made small
    text = "\u0130\u0130 screen is bright."
    places = [(word, text.index(word)) for word in ("screen", "bright")]
    aspect, opinion = (Term(word, Span(start, start + len(word))) for word, start in places)
    example = Example("1", text, (Quad(aspect, None, opinion, Polarity.POSITIVE),))
    found = collect_phrases([TaggedExample(example, tag(text, ["NNP", "NN", "VBZ", "JJ", "."]))])
    assert [phrase.text for phrase in found[Polarity.POSITIVE]] == ["screen is bright"]


class ManyWords(ToyLexicon):
    """Twelve synonyms for everything; the first is the word itself, the second one of the target's."""

    def synonyms(self, lemma: str, kind: str) -> list[str]:
        return [lemma, "bright", *(f"{lemma}{n}" for n in range(12))]


@pytest.mark.parametrize("name", ["MR2-1", "MR2-3"])
def test_candidates_are_at_most_ten_and_never_repeat_the_target(name: str) -> None:
    cases = follow(name, means=RelationContext(ManyWords()))
    assert 0 < len(cases) <= 10
    assert [case for case in cases if case.followup.text.count("bright ") > 1] == []


def test_pairs_of_candidates_are_taken_in_turn() -> None:
    class Words(ToyLexicon):
        def synonyms(self, lemma: str, kind: str) -> list[str]:
            return {"screen": ["a1", "a2", "a3"], "bright": ["o1", "o2"]}[lemma]

    found = [triple(case.expected)[:2] for case in follow("MR2-3", means=RelationContext(Words(), limit=4))]
    # candidate k with candidate k, then shifted by one: counted by hand
    assert found == [("a1", "o1"), ("a2", "o2"), ("a3", "o1"), ("a1", "o2")]


def test_replacement_keeps_capitals_and_moves_the_spans() -> None:
    text = "Bright screen , nice keyboard ."
    words = tag(text, ["JJ", "NN", ",", "JJ", "NN", "."])
    quads = (triplet("screen", "Bright", text=text),)
    (case,) = follow("MR2-3", TaggedExample(Example("2", text, quads), words))
    assert case.followup.text == "Clear monitor , nice keyboard ."
    assert case.expected.aspect == term("monitor", case.followup.text)


def test_followup_says_where_it_comes_from() -> None:
    (case,) = follow("MR2-3")
    assert case.followup.id == "1.MR2-3.0.0"
    assert case.followup.source == "1"
    expected = "MR2-3 of 0: 4:10 screen > monitor (synonym); 14:20 bright > clear (synonym)"
    assert case.followup.variant == expected


def test_article_agrees_with_the_new_word() -> None:
    text = "A nice screen, a bright keyboard."
    words = tag(text, ["DT", "JJ", "NN", ",", "DT", "JJ", "NN", "."])
    quads = (triplet("screen", "nice", text=text), triplet("keyboard", "bright", text=text))
    sentence = TaggedExample(Example("3", text, quads), words)
    (case,) = follow("MR2-4", sentence, place=1)
    assert case.followup.text == "A nice screen, an unclear keyboard."
    (masked,) = follow("MR1-4", sentence, place=1)
    assert masked.followup.text == "A [UNK] [UNK], a bright keyboard."
