"""The labels of follow-ups: all triplets, by hand, of what the relations make of the paper's sentence."""

from dataclasses import replace

import pytest

from aspectlab.data import Edit, Example, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.metamorphic import Case
from aspectlab.metamorphic.cases import label_fully, make_cases
from aspectlab.metamorphic.context import TaggedExample
from tests.support.lexicon import EXAMPLE, MEANS, SENTENCE, TAGS, tag, term, triplet

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")


def find_case(relation: str, sentence: TaggedExample = SENTENCE, place: int = 0) -> Case:
    target = sentence.example.quads[place]
    made = (case for case in make_cases(sentence, MEANS) if case.relation == relation)
    return next(case for case in made if case.target == target)


def show(example: Example | None) -> set[str]:
    assert example is not None
    return {" ".join([*(each.text for each in quad.terms), str(quad.polarity)]) for quad in example.quads}


# "The screen is bright and the keyboard is nice."; the first triplet is the target
@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("MR1-1", {"screen bright positive", "keyboard good positive"}),
        ("MR1-2", {"screen bright positive", "keyboard bad negative"}),
        ("MR1-3", {"screen bright positive", "keyboard nice positive", "windows 7 slow negative"}),
        ("MR1-4", {"screen bright positive"}),
        ("MR2-1", {"monitor bright positive", "keyboard nice positive"}),
        ("MR2-2", {"screen clear positive", "keyboard nice positive"}),
        ("MR2-3", {"monitor clear positive", "keyboard nice positive"}),
        ("MR2-4", {"screen unclear negative", "keyboard nice positive"}),
    ],
)
def test_followup_gets_all_its_triplets(relation: str, expected: set[str]) -> None:
    case = find_case(relation)
    labelled = label_fully(case)
    assert show(labelled) == expected
    assert labelled is not None
    assert case.expected in labelled.quads


@pytest.mark.parametrize("end", ["", " ", " \n"])
def test_phrase_is_found_wherever_the_text_ends(end: str) -> None:
    text = EXAMPLE.text.removesuffix(".") + end
    example = replace(EXAMPLE, text=text)
    case = find_case("MR1-3", TaggedExample(example, tag(text, TAGS[:-1])))
    assert "windows 7 slow negative" in show(label_fully(case))


def test_antonym_turns_all_triplets_with_that_opinion() -> None:
    shared = replace(EXAMPLE, quads=(*EXAMPLE.quads, triplet("screen", "nice")))
    labelled = label_fully(find_case("MR1-2", TaggedExample(shared, SENTENCE.words)))
    assert show(labelled) == {"screen bright positive", "keyboard bad negative", "screen bad negative"}


def test_followup_is_left_out_if_an_antonym_meets_a_neutral_triplet() -> None:
    neutral = replace(EXAMPLE, quads=(EXAMPLE.quads[0], triplet("keyboard", "nice", "neutral")))
    assert label_fully(find_case("MR1-2", TaggedExample(neutral, SENTENCE.words))) is None


def test_followup_is_left_out_if_an_edit_crosses_another_term() -> None:
    crossing = Quad(term("keyboard"), None, term("right and"), Polarity.POSITIVE)
    example = replace(EXAMPLE, quads=(EXAMPLE.quads[0], crossing))
    assert label_fully(find_case("MR2-2", TaggedExample(example, SENTENCE.words))) is None


def test_phrase_without_a_category_is_left_out_where_others_have_one() -> None:
    quads = tuple(replace(quad, category="DEVICE#GENERAL") for quad in EXAMPLE.quads)
    assert (
        label_fully(find_case("MR1-3", TaggedExample(replace(EXAMPLE, quads=quads), SENTENCE.words))) is None
    )


def test_edit_of_a_word_that_looks_like_an_edit_is_read() -> None:
    source = Example("1", "so > so (synonym); 0:2 tea", (Quad(opinion=Term("so > so", Span(0, 7))),))
    said = "MR2-2 of 0: 0:7 so > so > fine (synonym)"
    followup = Example("2", "fine (synonym); 0:2 tea", (), "1", said)
    case = Case("MR2-2", source, source.quads[0], followup)
    assert followup.origin is not None
    assert followup.origin.edits == (Edit(Span(0, 7), "so > so", "fine", "synonym"),)
    assert label_fully(case) == replace(followup, quads=(Quad(opinion=Term("fine", Span(0, 4))),))


def test_followup_with_another_text_than_its_variant_says_is_refused() -> None:
    case = find_case("MR2-2")
    other = replace(case.followup, text="The screen is clear and the keyboard is poor.")
    with pytest.raises(DataError, match="expected what its variant says"):
        label_fully(replace(case, followup=other))
