"""The ill-formed patterns that released variants have and generated ones must not have, one test each."""

import itertools
import re
from collections.abc import Callable, Iterator

import pytest

from aspectlab.data import Corpus, Example
from aspectlab.language.inflection import article
from aspectlab.language.parsing import load_tagger
from aspectlab.robustness.generator import Generation

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
pytest.importorskip("spacy", reason="needs pip install 'aspectlab[parse]'")

Restaurant = tuple[Generation, Corpus]


def count(pattern: str) -> Callable[[str], int]:
    return lambda text: len(re.findall(pattern, text))


def wrong_articles(text: str) -> int:
    found = re.findall(r"\b([Aa]n?)\s+([^\W\d_]+)", text)
    return sum(article(following) != before.lower() for before, following in found)


PATTERNS: dict[str, Callable[[str], int]] = {
    "not not": count(r"(?i)\b(?:not|n't)\s+not\b"),
    "underscore": count(r"_"),
    "placeholder": count(r"\$T\$|<|>"),
    "article": wrong_articles,
    "two blanks": count(r"\S  +\S"),
    "blank before a mark": count(r"\w [.,;?!]"),
}


def pairs(restaurant: Restaurant) -> Iterator[tuple[Example, Example]]:
    """Each variant with its source."""
    corpus = restaurant[0].corpus
    sources = {example.id: example for example in corpus if example.source is None}
    return ((sources[example.source], example) for example in corpus if example.source)


@pytest.mark.slow
@pytest.mark.parametrize("name", PATTERNS)
def test_variant_brings_in_no_ill_formed_pattern(restaurant: Restaurant, name: str) -> None:
    worse = [
        variant.id
        for source, variant in pairs(restaurant)
        if PATTERNS[name](variant.text) > PATTERNS[name](source.text)
    ]
    assert worse == []


@pytest.mark.slow
def test_variant_has_no_not_before_a_third_person_verb(restaurant: Restaurant) -> None:
    variants = [variant for _, variant in pairs(restaurant) if variant.variant != "adddiff"]
    tagged = load_tagger().tag([variant.text for variant in variants])
    found = [
        variant.id
        for variant, words in zip(variants, tagged, strict=True)
        for first, second in itertools.pairwise(words)
        if first.lower in {"not", "n't"} and second.tag == "VBZ"
    ]
    assert found == []


@pytest.mark.slow
def test_variant_keeps_the_last_mark_or_ends_in_a_stop(restaurant: Restaurant) -> None:
    lost = [
        variant.id
        for source, variant in pairs(restaurant)
        if not variant.text.rstrip().endswith(
            "." if variant.variant == "adddiff" else source.text.rstrip()[-1]
        )
    ]
    assert lost == []


def clauses(source: Example, variant: Example) -> list[str]:
    kept = source.text.rstrip(" \t\r\n.?!")
    assert variant.text.startswith(kept)
    return re.split(r", but | but |; |, (?=the |I )| and (?=the |I )", variant.text[len(kept) : -1])


@pytest.mark.slow
def test_adddiff_joins_no_plural_with_is(restaurant: Restaurant) -> None:
    heads = [
        clause.partition(" is ")[0].split(" of ")[0].split(" with ")[0].split(" ")[-1]
        for source, variant in pairs(restaurant)
        if variant.variant == "adddiff"
        for clause in clauses(source, variant)
        if " is " in clause
    ]
    assert heads
    assert [head for head in heads if re.search(r"[^sui]s$", head)] == []


@pytest.mark.slow
def test_adddiff_names_no_term_of_the_sentence_again(restaurant: Restaurant) -> None:
    again = [
        (variant.id, clause)
        for source, variant in pairs(restaurant)
        if variant.variant == "adddiff"
        for clause in clauses(source, variant)
        if (term := re.split(r" (?:is|are) ", clause)[0].removeprefix("the ")) and term in source.text.lower()
    ]
    assert again == []


def locate(example: Example) -> tuple[str, int, str]:
    """The target's words, how often they stand before it, and the characters around it."""
    term = example.quads[0].aspect
    assert term is not None
    assert term.span is not None
    start, end = term.span
    around = example.text[max(start - 1, 0) : start] + example.text[end : end + 1]
    return example.text[start:end], example.text[:start].count(term.text), around


@pytest.mark.slow
def test_variant_target_stands_whole_at_the_same_occurrence(restaurant: Restaurant) -> None:
    places = [(locate(source), locate(variant)) for source, variant in pairs(restaurant)]
    assert [new for old, new in places if new[:2] != old[:2]] == []
    assert [new for _, new in places if any(character.isalpha() for character in new[2])] == []
