"""REVTGT: expected sentences are written by hand after the paper's Table 2 and the rules of English."""

import re
from random import Random

import pytest
from hypothesis import example, given, strategies as st

from aspectlab.data import Example, Intensity, Polarity, Quad, Span, Term
from aspectlab.language.antonyms import AntonymLexicon
from aspectlab.language.parsing import TaggedWord
from aspectlab.robustness.aspects import AspectSentence, find_aspects, relabel
from aspectlab.robustness.strategies import GenerationContext, revtgt
from tests.support.tagged_sentences import sketch

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")

MEANS = GenerationContext(AntonymLexicon())
PLAIN = GenerationContext(AntonymLexicon(), plain=True)


def reverse(
    tagged: str, aspect: str, *opinions: str, polarity: str = "positive", means: GenerationContext = MEANS
) -> str:
    sentence = sketch(tagged, {aspect: (polarity, opinions)})
    variant = revtgt(sentence, sentence.aspects[0], means, Random(1))
    assert variant is not None
    return variant.text


@pytest.mark.parametrize(
    ("tagged", "opinion", "expected"),
    [
        ("The/DT lamp/NN is/VBZ cheap/JJ ./.", "cheap", "The lamp is expensive."),
        ("CHEAP/JJ lamp/NN", "CHEAP", "EXPENSIVE lamp"),
        ("Cheap/JJ lamp/NN", "Cheap", "Expensive lamp"),
        ("The/DT slowest/JJS lamp/NN", "slowest", "The fastest lamp"),
        ("The/DT best/JJS lamp/NN", "best", "The worst lamp"),
        ("I/PRP love/VBP the/DT lamp/NN", "love", "I hate the lamp"),
        ("It/PRP is/VBZ a/DT reliable/JJ lamp/NN", "reliable", "It is an unreliable lamp"),
        ("It/PRP is/VBZ an/DT unreliable/JJ lamp/NN", "unreliable", "It is a reliable lamp"),
    ],
)
def test_revtgt_antonym_agrees_with_the_word_it_replaces(tagged: str, opinion: str, expected: str) -> None:
    assert reverse(tagged, "lamp", opinion) == expected


@pytest.mark.parametrize(
    ("tagged", "opinion", "expected"),
    [
        ("The/DT lamp/NN changes/VBZ often/RB", "changes", "The lamp does not change often"),
        ("The/DT lamp/NN melted/VBD", "melted", "The lamp did not melt"),
        ("I/PRP recommend/VBP the/DT lamp/NN", "recommend", "I do not recommend the lamp"),
        ("I/PRP highly/RB recommend/VBP the/DT lamp/NN", "recommend", "I do not highly recommend the lamp"),
        ("Try/VB the/DT lamp/NN !/.", "Try", "Don't try the lamp!"),
        ("You/PRP should/MD try/VB the/DT lamp/NN", "try", "You should not try the lamp"),
        ("I/PRP want/VBP to/TO try/VB the/DT lamp/NN", "try", "I want to not try the lamp"),
        ("The/DT lamp/NN is/VBZ great/JJ", "great", "The lamp is not great"),
        ("Great/JJ lamp/NN", "Great", "Not great lamp"),
        ("GREAT/JJ lamp/NN", "GREAT", "Not GREAT lamp"),
        ("It/PRP is/VBZ an/DT excellent/JJ lamp/NN", "excellent", "It is a not excellent lamp"),
        ("The/DT lamp/NN is/VBZ out/IN of/IN order/NN", "out of order", "The lamp is not out of order"),
        (
            "The/DT lamp/NN is/VBZ thoughtfully/RB made/VBN",
            "thoughtfully",
            "The lamp is not thoughtfully made",
        ),
    ],
)
def test_revtgt_word_without_antonym_is_negated_in_good_english(
    tagged: str, opinion: str, expected: str
) -> None:
    assert reverse(tagged, "lamp", opinion, means=PLAIN) == expected


@pytest.mark.parametrize(
    ("tagged", "opinion", "expected"),
    [
        ("The/DT lamp/NN is/VBZ very/RB lovely/JJ", "lovely", "The lamp is not very lovely"),
        ("A/DT very/RB lovely/JJ lamp/NN", "lovely", "A not very lovely lamp"),
        ("The/DT lamp/NN is/VBZ a/DT bit/NN tacky/JJ", "tacky", "The lamp is not a bit tacky"),
        ("The/DT lamp/NN is/VBZ a/DT real/JJ gem/NN", "gem", "The lamp is not a real gem"),
        ("My/PRP$ gem/NN is/VBZ this/DT lamp/NN", "gem", "My gem is not this lamp"),
        ("It/PRP is/VBZ such/PDT a/DT lovely/JJ lamp/NN", "lovely", "It is not such a lovely lamp"),
        ("The/DT lamp/NN is/VBZ too/RB big/JJ", "big", "The lamp is not too big"),
        ("The/DT lamp/NN is/VBZ really/RB lovely/JJ", "lovely", "The lamp is really not lovely"),
    ],
)
def test_revtgt_plain_not_stands_where_english_puts_it(tagged: str, opinion: str, expected: str) -> None:
    assert reverse(tagged, "lamp", opinion, means=PLAIN) == expected


def test_revtgt_plain_exchanges_inflected_words_too() -> None:
    assert reverse("I/PRP loved/VBD the/DT lamp/NN", "lamp", "loved", means=PLAIN) == "I hated the lamp"


def test_revtgt_not_before_a_mark_gets_its_blank() -> None:
    # "isnot ;" was written once
    tagged = "The/DT gem/NN is/VBZ ;/: a/DT lamp/NN"
    assert reverse(tagged, "lamp", "gem", means=PLAIN) == "The gem is not; a lamp"


@pytest.mark.parametrize(
    ("tagged", "opinion", "expected"),
    [
        # an inflected word is negated even if its lemma has an antonym
        ("I/PRP loved/VBD the/DT lamp/NN", "loved", "I did not love the lamp"),
        ("She/PRP hates/VBZ the/DT lamp/NN", "hates", "She does not hate the lamp"),
        ("The/DT lamp/NN is/VBZ slower/JJR", "slower", "The lamp is not slower"),
        ("The/DT lamp/NN is/VBZ very/RB lovely/JJ", "lovely", "The lamp is very not lovely"),
        (
            "I/PRP would/MD highly/RB recommend/VB the/DT lamp/NN",
            "recommend",
            "I would highly not recommend the lamp",
        ),
        ("It/PRP is/VBZ such/PDT a/DT lovely/JJ lamp/NN", "lovely", "It is such a not lovely lamp"),
        (
            "My/PRP$ favorites/NNS include/VBP the/DT lamp/NN",
            "favorites",
            "My not favorites include the lamp",
        ),
        ("Great/JJ lamp/NN", "Great", "Not Great lamp"),
        ("The/DT lamp/NN is/VBZ a/DT real/JJ gem/NN", "gem", "The lamp is a real not gem"),
        ("The/DT lamp/NN is/VBZ a/DT bit/NN tacky/JJ", "tacky", "The lamp is a bit not tacky"),
        ("Cheap/JJ and/CC a/DT lovely/JJ lamp/NN", "lovely", "Cheap and a not lovely lamp"),
        # what a reader would not understand is moved there too
        ("The/DT lamp/NN is/VBZ too/RB tacky/JJ", "tacky", "The lamp is not too tacky"),
    ],
)
def test_revtgt_not_stands_as_in_the_released_files(tagged: str, opinion: str, expected: str) -> None:
    # the wordings of the released sets, with other nouns
    assert reverse(tagged, "lamp", opinion) == expected


@pytest.mark.parametrize(
    ("tagged", "opinions", "expected"),
    [
        ("I/PRP love/VBP ,/, love/VBP the/DT lamp/NN", ["love"], "I hate, hate the lamp"),
        (
            "The/DT lamp/NN is/VBZ good/JJ ,/, but/CC not/RB great/JJ",
            ["good", "not great"],
            "The lamp is bad, but not great",
        ),
        (
            "The/DT lamp/NN has/VBZ a/DT variety/NN of/IN uses/NNS",
            ["variety"],
            "The lamp has no variety of uses",
        ),
        ("The/DT most/RBS amazing/JJ lamp/NN", ["amazing"], "The least amazing lamp"),
        ("The/DT lamp/NN is/VBZ way/RB too/RB sweet/JJ", ["too sweet"], "The lamp is not too sweet"),
        ("Tea/NN and/CC an/DT excellent/JJ lamp/NN", ["excellent"], "Tea and not an excellent lamp"),
        ("They/PRP have/VBP a/DT lovely/JJ lamp/NN", ["lovely"], "They don't have a lovely lamp"),
        (
            "The/DT gem/NN of/IN the/DT house/NN is/VBZ a/DT lamp/NN",
            ["gem"],
            "The gem of the house is not a lamp",
        ),
        ("The/DT lamp/NN can/MD be/VB a/DT gem/NN", ["gem"], "The lamp can not be a gem"),
        (
            "It/PRP has/VBZ lamp/NN and/CC sells/VBZ lovely/JJ cups/NNS",
            ["lovely"],
            "It has lamp and does not sell lovely cups",
        ),
        ("The/DT lamp/NN literally/RB melts/VBZ", ["melts"], "The lamp literally does not melt"),
        ("Only/RB is/VBZ the/DT lamp/JJ cozy/NN", ["cozy"], "Only is the lamp not cozy"),
        ("Favorites/NNS include/VBP the/DT lamp/NN", ["Favorites"], "Favorites do not include the lamp"),
        (
            "I/PRP would/MD highly/RB recommend/VB the/DT lamp/NN",
            ["recommend"],
            "I would not highly recommend the lamp",
        ),
        ("The/DT lamp/NN amazed/VBN us/PRP", ["amazed"], "The lamp did not amaze us"),
        ("It/PRP makes/VBZ it/PRP shine/VB ,/, a/DT lamp/NN", ["shine"], "It makes it not shine, a lamp"),
        ("Definitely/RB try/VB the/DT lamp/NN", ["try"], "Definitely do not try the lamp"),
    ],
)
def test_revtgt_special_forms_read_well(tagged: str, opinions: list[str], expected: str) -> None:
    assert reverse(tagged, "lamp", *opinions, means=PLAIN) == expected


@pytest.mark.parametrize(
    ("tagged", "opinion", "expected"),
    [
        ("A/DT generous/JJ portion/NN of/IN lamp/NN", "generous", "A stingy portion of lamp"),
        ("A/DT generous/JJ lamp/NN", "generous", "An ungenerous lamp"),
        ("Good/JJ lamp/NN", "Good", "Not Good lamp"),
        ("A/DT good/JJ lamp/NN", "good", "A bad lamp"),
        ("The/DT lamp/NN is/VBZ over/RB cooked/VBN", "over cooked", "The lamp is well cooked"),
    ],
)
def test_revtgt_neighbours_choose_the_antonym(tagged: str, opinion: str, expected: str) -> None:
    assert reverse(tagged, "lamp", opinion) == expected


@pytest.mark.parametrize(
    ("tagged", "opinion", "expected"),
    [
        ("The/DT lamp/NN is/VBZ n't/RB cheap/JJ at/IN all/DT ./.", "isn't cheap", "The lamp is cheap."),
        (
            "The/DT lamp/NN is/VBZ not/RB on/RB at/IN all/DT times/NNS",
            "not on",
            "The lamp is on at all times",
        ),
        ("The/DT lamp/NN is/VBZ not/RB great/JJ", "not great", "The lamp is great"),
        ("The/DT lamp/NN is/VBZ not/RB great/JJ", "great", "The lamp is great"),
        ("The/DT lamp/NN is/VBZ n't/RB cheap/JJ", "isn't cheap", "The lamp is cheap"),
        ("The/DT lamp/NN did/VBD not/RB work/VB", "not work", "The lamp worked"),
        ("The/DT lamp/NN does/VBZ n't/RB work/VB", "doesn't work", "The lamp works"),
        ("I/PRP do/VBP n't/RB like/VB the/DT lamp/NN", "don't like", "I like the lamp"),
        ("I/PRP ca/MD n't/RB recommend/VB the/DT lamp/NN", "can't recommend", "I can recommend the lamp"),
        ("The/DT lamp/NN never/RB fails/VBZ", "never fails", "The lamp fails"),
        ("The/DT lamp/NN is/VBZ nothing/NN special/JJ", "nothing special", "The lamp is something special"),
        ("No/DT one/NN liked/VBD the/DT lamp/NN", "No one liked", "Someone liked the lamp"),
        (
            "The/DT lamp/NN is/VBZ neither/DT good/JJ nor/CC bad/JJ",
            "neither good nor bad",
            "The lamp is both good and bad",
        ),
        (
            "The/DT lamp/NN is/VBZ neither/DT good/JJ nor/CC bad/JJ and/CC was/VBD used/VBN",
            "neither good nor bad",
            "The lamp is both good and bad and was used",
        ),
        (
            "Neither/DT the/DT lamp/NN nor/CC the/DT rug/NN was/VBD good/JJ",
            "Neither",
            "Both the lamp and the rug were good",
        ),
    ],
)
def test_revtgt_negation_is_taken_away(tagged: str, opinion: str, expected: str) -> None:
    assert reverse(tagged, "lamp", opinion, polarity="negative") == expected


TWO = "The/DT tea/NN is/VBZ good/JJ ,/, and/CC the/DT room/NN is/VBZ nice/JJ ./."


def test_revtgt_and_becomes_but_where_the_target_now_stands_alone() -> None:
    # the paper's Table 2, third example, with other nouns
    sentence = sketch(TWO, {"tea": ("positive", ["good"]), "room": ("positive", ["nice"])})
    variant = revtgt(sentence, sentence.aspects[1], MEANS, Random(1))
    assert variant is not None
    assert variant.text == "The tea is good, but the room is nasty."
    assert [quad.polarity for quad in variant.quads] == [Polarity.POSITIVE, Polarity.NEGATIVE]


@pytest.mark.parametrize(
    "tagged",
    [
        # right after the term, and between two nouns
        "We/PRP had/VBD some/DT good/JJ tea/NN and/CC a/DT nice/JJ room/NN for/IN two/CD ./.",
        "The/DT nice/JJ room/NN has/VBZ good/JJ tea/NN for/IN girls/NNS and/CC boys/NNS of/IN five/CD ./.",
    ],
)
def test_revtgt_and_that_joins_no_statements_stays(tagged: str) -> None:
    sentence = sketch(tagged, {"tea": ("positive", ["good"]), "room": ("positive", ["nice"])})
    variant = revtgt(sentence, sentence.aspects[0], MEANS, Random(1))
    assert variant is not None
    assert " and " in variant.text
    assert "bad" in variant.text


def test_revtgt_neutral_target_changes_no_conjunction() -> None:
    sentence = sketch(TWO, {"tea": ("positive", ["good"]), "room": ("neutral", ["nice"])})
    variant = revtgt(sentence, sentence.aspects[1], MEANS, Random(1))
    assert variant is not None
    assert variant.text == "The tea is good, and the room is nasty."


def test_revtgt_but_becomes_and_where_two_opinions_come_to_agree() -> None:
    sentence = sketch(
        TWO.replace("and/CC", "but/CC").replace("nice", "bad"),
        {"tea": ("positive", ["good"]), "room": ("negative", ["bad"])},
    )
    variant = revtgt(sentence, sentence.aspects[1], MEANS, Random(1))
    assert variant is not None
    assert variant.text == "The tea is good, and the room is good."


@pytest.mark.parametrize(
    ("tagged", "opinion", "expected"),
    [
        ("The/DT lamp/NN is/VBZ not/RB that/RB great/JJ", "great", "The lamp is that great"),
        ("The/DT lamp/NN is/VBZ n't/RB really/RB great/JJ", "great", "The lamp is really great"),
        ("The/DT lamp/NN is/VBZ not/RB too/RB big/JJ", "big", "The lamp is too big"),
        ("The/DT lamp/NN is/VBZ not/RB at/RB all/RB great/JJ ./.", "great", "The lamp is great."),
        (
            "I/PRP do/VBP not/RB really/RB recommend/VB the/DT lamp/NN",
            "recommend",
            "I really recommend the lamp",
        ),
        ("The/DT lamp/NN is/VBZ not/RB only/RB great/JJ", "great", "The lamp is not only not great"),
    ],
)
@pytest.mark.parametrize("means", [MEANS, PLAIN])
def test_revtgt_negation_before_degree_words_is_taken_away(
    tagged: str, opinion: str, expected: str, means: GenerationContext
) -> None:
    # there was a second one: "not that not great", "not not too big"
    assert reverse(tagged, "lamp", opinion, means=means) == expected


@pytest.mark.parametrize("means", [MEANS, PLAIN])
def test_revtgt_not_stands_before_too_also_without_a_form_of_be(means: GenerationContext) -> None:
    # it was "too not big"
    tagged = "They/PRP called/VBD the/DT lamp/NN too/RB big/JJ ./."
    assert reverse(tagged, "lamp", "big", means=means) == "They called the lamp not too big."


def test_revtgt_too_goes_where_nothing_is_added() -> None:
    sentence = sketch(
        TWO.replace("nice/JJ", "nice/JJ ,/, too/RB"),
        {"tea": ("positive", ["good"]), "room": ("positive", ["nice"])},
    )
    variant = revtgt(sentence, sentence.aspects[1], MEANS, Random(1))
    assert variant is not None
    assert variant.text == "The tea is good, but the room is nasty."


def test_revtgt_but_before_a_denial_stays() -> None:
    sentence = sketch(
        TWO.replace("and/CC", "but/CC").replace("nice", "dreadful"),
        {"tea": ("positive", ["good"]), "room": ("negative", ["dreadful"])},
    )
    variant = revtgt(sentence, sentence.aspects[1], MEANS, Random(1))
    assert variant is not None
    assert variant.text == "The tea is good, but the room is not dreadful."


def test_revtgt_neutral_label_stays() -> None:
    sentence = sketch("The/DT lamp/NN is/VBZ cheap/JJ", {"lamp": ("neutral", ["cheap"])})
    variant = revtgt(sentence, sentence.aspects[0], MEANS, Random(1))
    assert variant is not None
    assert variant.quads[0].polarity is Polarity.NEUTRAL


def test_revtgt_opinion_inside_the_term_leaves_the_term_whole() -> None:
    assert reverse("A/DT cheap/JJ lamp/NN", "cheap lamp", "cheap") == "A not cheap lamp"


def test_revtgt_opinion_that_vanishes_leaves_its_quad_without_one() -> None:
    sentence = sketch("There/EX was/VBD no/DT wait/NN", {"wait": ("positive", ["no"])})
    variant = revtgt(sentence, sentence.aspects[0], MEANS, Random(1))
    assert variant is not None
    assert variant.text == "There was wait"
    assert variant.quads[0].opinion is None


def test_revtgt_of_a_negated_verb_takes_its_negation_away() -> None:
    sentence = sketch("It/PRP is/VBZ not/RB ,/, the/DT lamp/NN", {"lamp": ("negative", ["is"])})
    variant = revtgt(sentence, sentence.aspects[0], MEANS, Random(1))
    assert variant is not None
    assert variant.text == "It is, the lamp"


WORDS = st.sampled_from(
    [
        "not/RB",
        "n't/RB",
        "never/RB",
        "is/VBZ",
        "did/VBD",
        "great/JJ",
        "loved/VBD",
        "try/VB",
        "and/CC",
        "but/CC",
        "a/DT",
        "an/DT",
        "best/JJS",
        "well/RB",
        "no/DT",
        "to/TO",
        "I/PRP",
        "changes/VBZ",
        ",/,",
        "!/.",
        "-/:",
    ]
)


@example(words=["is/VBZ", "not/RB"], start=0, length=1)
@example(words=["not/RB", "n't/RB", "not/RB"], start=1, length=1)
@given(st.lists(WORDS, min_size=1, max_size=9), st.integers(0, 8), st.integers(1, 4))
def test_revtgt_any_words_give_valid_spans_and_the_same_terms(
    words: list[str], start: int, length: int
) -> None:
    chosen = words[start % len(words) :][:length]
    tagged = " ".join([*words, "lamp/NN", *chosen])
    phrase = sketch(" ".join(chosen), {}).example.text
    sentence = sketch(tagged, {"lamp": ("positive", [phrase])})
    variant = revtgt(sentence, sentence.aspects[0], MEANS, Random(1))
    # Example checks each span against the text by itself
    assert variant is not None
    assert variant.quads[0].aspect is not None
    assert variant.quads[0].aspect.text == "lamp"
    # where there are several negations already, taking one away may bring two others together
    negations = re.findall(r"\b(?:not|no|never|nothing)\b|n't", sketch(" ".join(words), {}).example.text)
    assert "not not" not in variant.text or len(negations) > 1


def test_revtgt_does_not_split_a_compound_that_begins_with_a_modal() -> None:
    # it was "a must not-read thriller"
    words = (
        TaggedWord("A", Span(0, 1), "DT"),
        TaggedWord("must", Span(2, 6), "MD"),
        TaggedWord("-", Span(6, 7), "HYPH"),
        TaggedWord("read", Span(7, 11), "VB"),
        TaggedWord("thriller", Span(12, 20), "NN"),
    )
    quad = Quad(Term("thriller", Span(12, 20)), None, Term("must-read", Span(2, 11)), Polarity.POSITIVE)
    thriller = Example("1", "A must-read thriller", (quad,))
    sentence = AspectSentence(thriller, find_aspects(thriller, None), words)
    variant = revtgt(sentence, sentence.aspects[0], MEANS, Random(1))
    assert variant is not None
    assert variant.text == "A not must-read thriller"


def test_reversed_quad_does_not_keep_the_valence_of_the_source() -> None:
    praise, plain = (
        Quad(polarity=p, intensity=Intensity(8, 6)) for p in (Polarity.POSITIVE, Polarity.NEUTRAL)
    )
    quads = relabel(Example("1", "Tea.", (praise, plain, praise)), [0, 1]).quads
    assert quads == (Quad(polarity=Polarity.NEGATIVE), plain, praise)
