"""Sentences of our own: what the frames make, what is held out, and the training file as a reader sees it."""

import random
import re
from collections import Counter
from pathlib import Path

import pytest
from sentences import (
    HALVES,
    HELD_OUT,
    TRAIN,
    Adjective,
    Frame,
    Lexicon,
    NothingFitsError,
    Noun,
    fill,
    load_lexicon,
)
from synthetic import write_examples

from aspectlab.data import Corpus
from aspectlab.readers import read

LEXICON = load_lexicon()
WORDS = Lexicon(
    (
        Noun("oven", "kitchen", "blender", "device", False, True, TRAIN),
        Noun("knobs", "kitchen", "blender", "thing", True, True, TRAIN),
    ),
    (
        Adjective("fast", "positive", frozenset({"device"}), "faster", False, TRAIN),
        Adjective("unfair", "negative", frozenset({"device"}), "more unfair", True, TRAIN),
        Adjective("ugly", "negative", frozenset({"thing"}), "uglier", False, TRAIN),
        Adjective("neat", "positive", frozenset({"thing"}), "neater", False, TRAIN),
    ),
    (),
    frozenset({"fair"}),
)


def make(
    template: str, adjective: int = 0, kinds: str = "device"
) -> tuple[str, list[tuple[str | None, str, str]]]:
    frame = Frame("plain", frozenset({kinds}), template, TRAIN)
    sentence = fill(frame, WORDS, random.Random(0), adjective=WORDS.adjectives[adjective])
    text = sentence.text
    return text, [
        (text[slice(*each.aspect)] if each.aspect else None, text[slice(*each.opinion)], each.polarity)
        for each in sentence.opinions
    ]


CASES = [
    ("The <{n}> {is|are} [*{adj}].", "The oven is fast.", ("oven", "fast", "positive")),
    ("{a} [*{attr}] <{n}>!", "A fast oven!", ("oven", "fast", "positive")),
    ("The <{n}> {was|were} [!not {mild}].", "The oven was not fast.", ("oven", "not fast", "negative")),
    (
        "My old {item} had {a} [!{more}] <{n}>.",
        "My old blender had a faster oven.",
        ("oven", "faster", "negative"),
    ),
    ("{items} with {a} [-{more+}] <{n}>", "Blenders with a faster oven", ("oven", "faster", "negative")),
    ("[0-Way {too/too} slow].", "Way too slow.", (None, "Way too slow", "negative")),
]


@pytest.mark.parametrize(("template", "text", "opinion"), CASES, ids=[case[1] for case in CASES])
def test_frame_makes_text_and_opinion(template: str, text: str, opinion: tuple[str | None, str, str]) -> None:
    assert make(template) == (text, [opinion])


def test_frame_negates_a_negated_word() -> None:
    text, opinions = make("{a} <{n}> [+not {un}].", adjective=1)
    assert (text, opinions) == ("An oven not unfair.", [("oven", "not unfair", "positive")])


def test_frame_sets_two_nouns_against_each_other() -> None:
    text, opinions = make("The <{n}> {was|were} [*{adj}], the <2{n2}> {2:was|were} [2!{opp2}].")
    assert text == "The oven was fast, the knobs were ugly."
    assert opinions == [("oven", "fast", "positive"), ("knobs", "ugly", "negative")]


def test_plural_noun_takes_no_article() -> None:
    assert make("They have {a} [*{attr}] <{n}>.", adjective=3, kinds="thing")[0] == "They have neat knobs."


def test_adjective_that_suits_no_noun_is_refused() -> None:
    with pytest.raises(NothingFitsError):
        make("The <{n}> {is|are} [*{adj}].", adjective=2)


@pytest.mark.parametrize("half", HALVES)
def test_every_frame_can_be_filled_from_its_half(half: str) -> None:
    lexicon, rng, failed = LEXICON.keep(half), random.Random(1), []
    for frame in lexicon.frames:
        filled = 0
        for _ in range(60):
            try:
                filled += bool(fill(frame, lexicon, rng).text)
            except NothingFitsError:
                continue
        if not filled:
            failed.append(frame.template)
    assert failed == []


def test_lexicon_has_enough_words_of_both_polarities() -> None:
    counts = Counter((word.polarity, word.half) for word in LEXICON.adjectives)
    # the issue asks for 150 of each polarity; both halves must be able to teach, or to judge
    assert counts["positive", TRAIN] + counts["positive", HELD_OUT] >= 150
    assert counts["negative", TRAIN] + counts["negative", HELD_OUT] >= 150
    assert min(counts.values()) >= 75


def test_no_adjective_stands_on_both_sides() -> None:
    polarities = Counter(word.text for word in LEXICON.adjectives)
    assert [text for text, count in polarities.items() if count > 1] == []


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    path = tmp_path_factory.mktemp("synthetic") / "train.jsonl"
    write_examples(path, 1_500, seed=3)
    return read(path)


def test_training_data_hold_nothing_of_the_held_out_half(written: Corpus) -> None:
    held = LEXICON.keep(HELD_OUT)
    words = [re.escape(form) for word in held.adjectives for form in (word.text, word.comparative) if form]
    # "worse" is a word of its own, not one of the held-out "bad"
    words.remove("worse")
    # "user-friendly" is a word of its own too
    named = re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])", re.IGNORECASE)
    assert [example.text for example in written if named.search(example.text)] == []
    aspects = {quad.aspect.text.lower() for example in written for quad in example.quads if quad.aspect}
    assert aspects & {noun.text.lower() for noun in held.nouns} == set()


def test_training_data_have_every_sort_of_opinion(written: Corpus) -> None:
    assert len(written) == len({example.text.lower() for example in written}) == 1_500
    quads = [quad for example in written for quad in example.quads]
    assert all(quad.opinion and quad.opinion.text == quad.opinion.text.strip() for quad in quads)
    assert sum(quad.aspect is None for quad in quads) > 0.05 * len(quads)
    assert sum(not example.quads for example in written) > 0.05 * len(written)
    positive = sum(quad.polarity == "positive" for quad in quads)
    assert 0.45 < positive / len(quads) < 0.55
    assert not any(set(example.text) & set("<>[]{}|\0") for example in written)


def test_seed_decides_the_training_data(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("again", 1), ("two", 2)):
        write_examples(tmp_path / name, 50, seed)
    first = (tmp_path / "one").read_bytes()
    assert first == (tmp_path / "again").read_bytes() != (tmp_path / "two").read_bytes()
