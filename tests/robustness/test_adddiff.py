"""ADDDIFF: connective, list, agreement and labels, against sentences written by hand."""

from random import Random

import pytest

from aspectlab.data import Example, Polarity, Span, Term
from aspectlab.language.antonyms import AntonymLexicon
from aspectlab.robustness.aspectset import Expression, collect_expressions
from aspectlab.robustness.strategies import GenerationContext, adddiff
from tests.support.tagged_sentences import sketch

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")

DARK = Expression("hall", "", " is dark", Polarity.NEGATIVE)
COLD = Expression("beds", "", " are cold", Polarity.NEGATIVE)
RUDE = Expression("porter", "", " is rude", Polarity.NEGATIVE)
NEAT = Expression("garden", "", " is neat", Polarity.POSITIVE)
POOL = (DARK, COLD, RUDE, NEAT)


def append(
    tagged: str, size: int, polarity: str = "positive", pool: tuple[Expression, ...] = POOL
) -> Example | None:
    sentence = sketch(tagged, {"tea": (polarity, ["good"])})
    return adddiff(
        sentence, sentence.aspects[0], GenerationContext(AntonymLexicon(), pool, (size,)), Random(5)
    )


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("The/DT tea/NN is/VBZ good/JJ ./.", "The tea is good, but hall is dark."),
        ("The/DT tea/NN is/VBZ good/JJ !/.", "The tea is good, but hall is dark."),
        ("The/DT tea/NN is/VBZ good/JJ", "The tea is good, but hall is dark."),
        ("Small/JJ but/CC good/JJ tea/NN ?/.", "Small but good tea; hall is dark."),
        ("good/JJ tea/NN although/IN weak/JJ", "good tea although weak; hall is dark."),
    ],
)
def test_adddiff_connective_and_final_stop(tagged: str, expected: str) -> None:
    variant = append(tagged, 1, pool=(DARK,))
    assert variant is not None
    assert variant.text == expected


def test_adddiff_three_clauses_are_listed_and_become_quads() -> None:
    variant = append("The/DT tea/NN is/VBZ good/JJ ./.", 3)
    assert variant is not None
    tail = variant.text.removeprefix("The tea is good, but ").removesuffix(".")
    first, _, rest = tail.partition(", ")
    assert sorted([first, *rest.split(" and ")]) == ["beds are cold", "hall is dark", "porter is rude"]
    assert [quad.polarity for quad in variant.quads] == [Polarity.POSITIVE, *[Polarity.NEGATIVE] * 3]


@pytest.mark.parametrize(("polarity", "terms"), [("negative", {"garden"}), ("neutral", {"garden", "hall"})])
def test_adddiff_polarity_differs_from_the_target(polarity: str, terms: set[str]) -> None:
    variant = append("good/JJ tea/NN", len(terms), polarity, pool=(DARK, NEAT))
    assert variant is not None
    assert {quad.aspect.text for quad in variant.quads[1:] if quad.aspect} == terms


def test_adddiff_term_of_the_sentence_is_not_named_again() -> None:
    assert append("good/JJ tea/NN in/IN the/DT Hall/NN", 1, pool=(DARK,)) is None


def test_adddiff_too_few_terms_give_none() -> None:
    assert append("good/JJ tea/NN", 4) is None


def test_adddiff_takes_fewer_clauses_where_a_draw_asks_for_too_many() -> None:
    sentence = sketch("good/JJ tea/NN", {"tea": ("positive", ["good"])})
    means = GenerationContext(AntonymLexicon(), (DARK,), (1, 3))
    # whatever is drawn, one clause is allowed and there is one
    texts = {adddiff(sentence, sentence.aspects[0], means, Random(seed)) for seed in range(8)}
    assert {variant and variant.text for variant in texts} == {"good tea, but hall is dark."}


def test_adddiff_opinion_that_ends_in_a_mark_loses_it() -> None:
    # the mark stood before the connective: "good., but"
    sentence = sketch("The/DT tea/NN is/VBZ good/JJ ./.", {"tea": ("positive", ["good."])})
    variant = adddiff(
        sentence, sentence.aspects[0], GenerationContext(AntonymLexicon(), (DARK,), (1,)), Random(5)
    )
    assert variant is not None
    assert variant.text == "The tea is good, but hall is dark."
    assert variant.quads[0].opinion == Term("good", Span(11, 15))


def test_expressions_agree_in_number_and_leave_out_what_misleads() -> None:
    sentences = [
        sketch("The/DT beds/NNS were/VBD cold/JJ", {"beds": ("negative", ["cold"])}),
        sketch("The/DT porter/NN was/VBD cold/JJ", {"porter": ("negative", ["cold"])}),
        sketch("The/DT hall/NN was/VBD not/RB good/JJ", {"hall": ("negative", ["good"])}),
        sketch("The/DT bar/NN was/VBD ok/JJ", {"bar": ("neutral", ["ok"])}),
        sketch("The/DT worst/JJS view/NN", {"view": ("negative", ["worst"])}),
        sketch("The/DT worst/JJS tea/NN and/CC milk/NN", {"tea and milk": ("negative", ["worst"])}),
        sketch("I/PRP love/VBP the/DT attic/NN", {"attic": ("positive", ["love"])}),
        sketch("I/PRP love/VBP the/DT cellar/NN", {"cellar": ("positive", ["love"])}),
    ]
    assert [expression.text for expression in collect_expressions(sentences)] == [
        "the beds are cold",
        "the porter is cold",
        "the view is the worst",
        "the tea and milk are the worst",
        "I love the attic",
        "I love the cellar",
    ]


def test_expressions_take_no_word_that_a_distant_neither_denies() -> None:
    # "the cup is good" and "the pot is good" stood among the negative clauses
    tagged = "Neither/CC the/DT cup/NN nor/CC the/DT pot/NN was/VBD good/JJ"
    pair = sketch(tagged, {"cup": ("negative", ["good"]), "pot": ("negative", ["good"])})
    assert collect_expressions([pair, pair]) == ()


def test_expressions_pass_over_an_opinion_that_cuts_a_word() -> None:
    # it was looked up as the whole word, which had never been counted
    cut = sketch("The/DT hall/NN was/VBD darkish/JJ", {"hall": ("negative", ["dark"])})
    assert collect_expressions([cut, cut]) == ()
