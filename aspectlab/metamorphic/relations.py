"""The metamorphic relations of MATO: MR1-* change what surrounds the target triplet, MR2-* change the target
itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from aspectlab.data import OPPOSITE, Edit, Span
from aspectlab.language import word_spans
from aspectlab.metamorphic.context import (
    MASK,
    AppendedPhrase,
    Draft,
    RelationContext,
    TaggedExample,
    TargetTriplet,
    find_triplets,
    is_apart,
)
from aspectlab.metamorphic.substitution import replace_aspect, replace_opinion
from aspectlab.registry import Registry

Relation = Callable[[TaggedExample, int, TargetTriplet, RelationContext], Iterator[Draft]]
"""`relation(sentence, place, target, means)`: all follow-ups for the target, the quad at that place."""

RELATIONS: Registry[Relation] = Registry(
    "relation",
    {
        "MR1-1": "aspectlab.metamorphic.relations:mr11",
        "MR1-2": "aspectlab.metamorphic.relations:mr12",
        "MR1-3": "aspectlab.metamorphic.relations:mr13",
        "MR1-4": "aspectlab.metamorphic.relations:mr14",
        "MR2-1": "aspectlab.metamorphic.relations:mr21",
        "MR2-2": "aspectlab.metamorphic.relations:mr22",
        "MR2-3": "aspectlab.metamorphic.relations:mr23",
        "MR2-4": "aspectlab.metamorphic.relations:mr24",
    },
)


def other_triplets(sentence: TaggedExample, target: TargetTriplet) -> list[TargetTriplet]:
    """List the triplets of a sentence but the target."""
    return [triplet for triplet in find_triplets(sentence.example).values() if triplet != target]


def replace_others(
    sentence: TaggedExample, target: TargetTriplet, means: RelationContext, kind: str
) -> Iterator[Draft]:
    """Replace the opinion of another triplet; one that several others share is replaced once."""
    opinions: dict[Span, None] = dict.fromkeys(
        triplet.opinion
        for triplet in other_triplets(sentence, target)
        if is_apart(triplet.opinion, *target.spans)
    )
    for opinion in opinions:
        for edit in replace_opinion(sentence, opinion, means, kind):
            yield Draft((edit,), target.polarity)


def mr11(
    sentence: TaggedExample, place: int, target: TargetTriplet, means: RelationContext
) -> Iterator[Draft]:
    """Replace each other opinion by each of its synonyms."""
    return replace_others(sentence, target, means, "synonym")


def mr12(
    sentence: TaggedExample, place: int, target: TargetTriplet, means: RelationContext
) -> Iterator[Draft]:
    """Replace each other opinion by each of its antonyms."""
    return replace_others(sentence, target, means, "antonym")


_SENTENCE_END = re.compile(r"[.!?]['\")\]]*$")
_SPACED_MARK = re.compile(r"\w [.,!?;:](\s|$)")


def mr13(
    sentence: TaggedExample, place: int, target: TargetTriplet, means: RelationContext
) -> Iterator[Draft]:
    """Append some phrases, drawn anew for every target, one at a time."""
    if target.polarity not in OPPOSITE or not other_triplets(sentence, target):
        return
    known = sentence.example.text.lower()
    fitting = [
        phrase
        for phrase in means.phrases.get(OPPOSITE[target.polarity], ())
        if phrase.aspect not in known and phrase.opinion not in known
    ]
    rng = means.rng(sentence.example, place)
    for phrase in rng.sample(fitting, min(means.limit, len(fitting))):
        edit = append_phrase(sentence.example.text, phrase)
        yield Draft((edit,), target.polarity)


def append_phrase(text: str, phrase: AppendedPhrase) -> Edit:
    """Append a phrase to a text, with spaces before full stops where the text has them.

    >>> slow = AppendedPhrase("it", "slow", "1")
    >>> append_phrase("So nice .", slow).new, append_phrase("So nice", slow).new
    (' it is slow .', '. it is slow.')
    """
    kept = text.rstrip()
    stop = " ." if _SPACED_MARK.search(kept) else "."
    new = f"{'' if _SENTENCE_END.search(kept) else stop} {phrase.text}{stop}"
    return Edit(Span(len(kept), len(kept)), "", new, "phrase", phrase.origin)


def mr14(
    sentence: TaggedExample, place: int, target: TargetTriplet, means: RelationContext
) -> Iterator[Draft]:
    """Mask word by word, so that words keep their places."""
    text = sentence.example.text
    terms = {span for triplet in other_triplets(sentence, target) for span in triplet.spans}
    edits = tuple(
        Edit(word, text[word.start : word.end], MASK, "mask")
        for word in word_spans(text)
        if text[word.start].isalnum()
        and any(term.start <= word.start and word.end <= term.end for term in terms)
        and is_apart(word, *target.spans)
    )
    if edits:
        yield Draft(edits, target.polarity)


def mr21(
    sentence: TaggedExample, place: int, target: TargetTriplet, means: RelationContext
) -> Iterator[Draft]:
    """Replace the aspect by each of its synonyms, then hypernyms."""
    if is_apart(target.aspect, target.opinion):
        for edit in replace_aspect(sentence, target.aspect, means):
            yield Draft((edit,), target.polarity)


def mr22(
    sentence: TaggedExample, place: int, target: TargetTriplet, means: RelationContext
) -> Iterator[Draft]:
    """Replace the opinion by each of its synonyms."""
    if is_apart(target.aspect, target.opinion):
        for edit in replace_opinion(sentence, target.opinion, means, "synonym"):
            yield Draft((edit,), target.polarity)


def mr23(
    sentence: TaggedExample, place: int, target: TargetTriplet, means: RelationContext
) -> Iterator[Draft]:
    """Replace both terms at once."""
    if not is_apart(target.aspect, target.opinion):
        return
    aspects = replace_aspect(sentence, target.aspect, means)
    opinions = replace_opinion(sentence, target.opinion, means, "synonym")
    for edits in islice(_pair(aspects, opinions), means.limit):
        yield Draft(edits, target.polarity)


def _pair(aspects: list[Edit], opinions: list[Edit]) -> Iterator[tuple[Edit, Edit]]:
    for shift in range(len(opinions)):
        for number, aspect in enumerate(aspects):
            yield aspect, opinions[(number + shift) % len(opinions)]


def mr24(
    sentence: TaggedExample, place: int, target: TargetTriplet, means: RelationContext
) -> Iterator[Draft]:
    """Replace the opinion by each of its antonyms."""
    if target.polarity in OPPOSITE and is_apart(target.aspect, target.opinion):
        for edit in replace_opinion(sentence, target.opinion, means, "antonym"):
            yield Draft((edit,), OPPOSITE[target.polarity])
