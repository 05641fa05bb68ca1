"""REVNON: eligibility after the paper's Table 3; expected sentences are written by hand."""

from random import Random

import pytest

from aspectlab.data import Example, Polarity
from aspectlab.language.antonyms import AntonymLexicon
from aspectlab.robustness.strategies import DEGREES, GenerationContext, revnon
from tests.support.tagged_sentences import Opinions, sketch

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")

MEANS = GenerationContext(AntonymLexicon())
PAIR = "The/DT tea/NN is/VBZ good/JJ ,/, and/CC the/DT room/NN is/VBZ cheap/JJ ./."


def turn(tagged: str, opinions: Opinions, target: int = 0) -> Example | None:
    sentence = sketch(tagged, opinions)
    return revnon(sentence, sentence.aspects[target], MEANS, Random(3))


def test_revnon_same_polarity_is_reversed_and_the_target_kept() -> None:
    variant = turn(PAIR, {"tea": ("positive", ["good"]), "room": ("positive", ["cheap"])})
    assert variant is not None
    assert variant.text == "The tea is good, but the room is expensive."
    assert [quad.polarity for quad in variant.quads] == [Polarity.POSITIVE, Polarity.NEGATIVE]


def test_revnon_other_polarity_is_exaggerated() -> None:
    variant = turn(PAIR, {"tea": ("positive", ["good"]), "room": ("neutral", ["cheap"])})
    assert variant is not None
    before, _, after = variant.text.partition(" cheap")
    assert before.rpartition(" ")[0] == "The tea is good, and the room is"
    assert before.rpartition(" ")[2] in DEGREES
    assert after == "."


def test_revnon_degree_word_that_is_there_is_repeated() -> None:
    tagged = "The/DT tea/NN is/VBZ good/JJ but/CC the/DT room/NN is/VBZ very/RB small/JJ"
    variant = turn(tagged, {"tea": ("positive", ["good"]), "room": ("negative", ["small"])})
    assert variant is not None
    assert variant.text == "The tea is good but the room is very, very small"


def test_revnon_a_bit_gives_way_to_a_degree_word() -> None:
    tagged = "The/DT tea/NN is/VBZ good/JJ but/CC the/DT room/NN is/VBZ a/DT bit/NN small/JJ"
    variant = turn(tagged, {"tea": ("positive", ["good"]), "room": ("negative", ["small"])})
    assert variant is not None
    before, _, after = variant.text.partition("room is ")
    assert before == "The tea is good but the "
    assert after.split()[0] in DEGREES
    assert after.split()[1:] == ["small"]


def test_revnon_and_between_two_reversed_opinions_stays() -> None:
    # the paper's rule: the sentiments on its two sides agree
    tagged = (
        "The/DT tea/NN is/VBZ good/JJ ;/: the/DT room/NN is/VBZ clean/JJ and/CC the/DT bed/NN is/VBZ soft/JJ"
    )
    opinions = {"room": ("positive", ["clean"]), "bed": ("positive", ["soft"])}
    variant = turn(tagged, {"tea": ("positive", ["good"]), **opinions})
    assert variant is not None
    assert variant.text == "The tea is good; the room is dirty and the bed is hard"


def test_revnon_negates_in_plain_english() -> None:
    tagged = PAIR.replace("cheap/JJ", "very/RB lovely/JJ")
    variant = turn(tagged, {"tea": ("positive", ["good"]), "room": ("positive", ["lovely"])})
    assert variant is not None
    assert variant.text == "The tea is good, but the room is not very lovely."


def test_revnon_aspects_that_share_reversed_words_all_change_their_label() -> None:
    tagged = "The/DT tea/NN is/VBZ good/JJ but/CC room/NN and/CC bed/NN are/VBP cheap/JJ"
    opinions = {word: ("positive", ["cheap"]) for word in ("room", "bed")}
    variant = turn(tagged, {"tea": ("positive", ["good"]), **opinions})
    assert variant is not None
    assert [quad.polarity for quad in variant.quads] == ["positive", "negative", "negative"]


@pytest.mark.parametrize(
    "opinions",
    [
        {"tea": ("positive", ["good"])},
        {"tea": ("neutral", ["good"]), "room": ("neutral", ["cheap"])},
        {"tea": ("positive", ["good"]), "room": ("positive", ["good"])},
        {"tea": ("positive", ["good"]), "room": ("negative", ["good"])},
    ],
    ids=["alone", "both neutral", "shared opinion", "shared opinion, other label"],
)
def test_revnon_without_an_eligible_aspect_gives_none(opinions: Opinions) -> None:
    assert turn(PAIR, opinions) is None


def test_revnon_one_seed_gives_one_sentence() -> None:
    opinions: Opinions = {"tea": ("positive", ["good"]), "room": ("negative", ["cheap"])}
    assert turn(PAIR, opinions) == turn(PAIR, opinions)


def test_revnon_degree_word_does_not_become_a_part_of_a_term() -> None:
    # the target is "rooms with great views", and stood in the variant as "rooms with very great views"
    tagged = "The/DT rooms/NNS with/IN great/JJ views/NNS are/VBP small/JJ ./."
    opinions = {"rooms with great views": ("negative", ["small"]), "views": ("positive", ["great"])}
    assert turn(tagged, opinions) is None


def test_revnon_but_inside_a_term_stays() -> None:
    # the two opinions around it differ and then agree, as they do around one that joins statements
    tagged = "I/PRP hate/VBP all/DT but/CC tea/NN ,/, a/DT good/JJ cup/NN and/CC a/DT clean/JJ pot/NN"
    opinions = {"all but tea": ("negative", ["hate"]), "cup": ("positive", ["good"])}
    variant = turn(tagged, {**opinions, "pot": ("positive", ["clean"])}, target=2)
    assert variant is not None
    assert "all but tea" in variant.text
