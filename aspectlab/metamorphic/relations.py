"""The metamorphic relations of MATO (Tang et al.): one function and one line in the table each.

MR1-1 to MR1-4 change what surrounds the target triplet, which must be found as before. MR2-1 to MR2-4 change
the target itself, which must be found with its new terms or polarity.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from aspectlab.data import OPPOSITE, Edit, Span
from aspectlab.errors import ConfigError
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

ELEMENTS = ("aspect", "opinion", "sentiment")
"""The elements of a triplet whose violation rates are averaged, as in the tables of the MATO paper."""

DraftFunction = Callable[[TaggedExample, int, TargetTriplet, RelationContext], Iterator[Draft]]
"""`make(sentence, index, target, context)`: all follow-ups for the target, the quad at that index."""


@dataclass(frozen=True, slots=True)
class Relation:
    """How follow-ups are made of a target, and the elements of the triplet that this concerns."""

    make: DraftFunction
    elements: frozenset[str]

    def __call__(
        self, sentence: TaggedExample, index: int, target: TargetTriplet, context: RelationContext
    ) -> Iterator[Draft]:
        """Return the drafts of all follow-ups for one target."""
        return self.make(sentence, index, target, context)


def concerns(*elements: str) -> Callable[[DraftFunction], Relation]:
    """Make a function a relation that counts in the violation rates of these elements.

    >>> concerns("polarity")
    Traceback (most recent call last):
    aspectlab.errors.ConfigError: relation about 'polarity': expected some of aspect, opinion, sentiment
    """
    if not elements or not set(elements) <= set(ELEMENTS):
        found = ", ".join(map(repr, elements)) or "no element"
        raise ConfigError(f"relation about {found}: expected some of {', '.join(ELEMENTS)}")
    return lambda make: Relation(make, frozenset(elements))


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


def elements_of(name: str) -> frozenset[str]:
    """Return the elements in whose violation rates a relation counts; one that declares none is refused.

    >>> sorted(elements_of("MR2-3"))
    ['aspect', 'opinion']
    """
    relation = RELATIONS[name]
    if not isinstance(relation, Relation):
        raise ConfigError(
            f"relation {name!r}: found {relation!r:.80}: expected one that says which elements it concerns; "
            f"decorate the function with @concerns({', '.join(map(repr, ELEMENTS))}) or some of these"
        )
    return relation.elements


@concerns("opinion")
def mr11(
    sentence: TaggedExample, index: int, target: TargetTriplet, context: RelationContext
) -> Iterator[Draft]:
    """MR1-1: put a synonym for another triplet's opinion; the target is found as before.

    Needs another triplet whose opinion is apart from the target's terms and has a synonym.
    """
    return _replace_others(sentence, target, context, "synonym")


@concerns("opinion", "sentiment")
def mr12(
    sentence: TaggedExample, index: int, target: TargetTriplet, context: RelationContext
) -> Iterator[Draft]:
    """MR1-2: put an antonym for another triplet's opinion; the target is found as before.

    Needs another triplet whose opinion is apart from the target's terms and has an antonym.
    """
    return _replace_others(sentence, target, context, "antonym")


@concerns("aspect", "opinion", "sentiment")
def mr13(
    sentence: TaggedExample, index: int, target: TargetTriplet, context: RelationContext
) -> Iterator[Draft]:
    """MR1-3: append a phrase of the opposite polarity; the target is found as before.

    Needs another triplet, a positive or negative target, and a phrase whose terms the sentence lacks. Phrases
    are drawn anew for every target, one at a time.
    Unlike the paper: they are templates ("windows 7 is slow"), not written by a paraphraser.
    """
    if target.polarity not in OPPOSITE or not _other_triplets(sentence, target):
        return
    known = sentence.example.text.lower()
    fitting = [
        phrase
        for phrase in context.phrases.get(OPPOSITE[target.polarity], ())
        if phrase.aspect not in known and phrase.opinion not in known
    ]
    rng = context.rng(sentence.example, index)
    for phrase in rng.sample(fitting, min(context.limit, len(fitting))):
        yield Draft((append_phrase(sentence.example.text, phrase),), target.polarity)


@concerns("aspect", "opinion", "sentiment")
def mr14(
    sentence: TaggedExample, index: int, target: TargetTriplet, context: RelationContext
) -> Iterator[Draft]:
    """MR1-4: mask the terms of all other triplets; the target is found as before.

    Needs another triplet with a word that is not the target's. Each word becomes [UNK] by itself, so that
    words keep their positions.
    """
    text = sentence.example.text
    terms = {span for triplet in _other_triplets(sentence, target) for span in triplet.spans}
    edits = tuple(
        Edit(word, text[word.start : word.end], MASK, "mask")
        for word in word_spans(text)
        if text[word.start].isalnum()
        and any(term.start <= word.start and word.end <= term.end for term in terms)
        and is_apart(word, *target.spans)
    )
    if edits:
        yield Draft(edits, target.polarity)


@concerns("aspect")
def mr21(
    sentence: TaggedExample, index: int, target: TargetTriplet, context: RelationContext
) -> Iterator[Draft]:
    """MR2-1: put a synonym, then a hypernym, for the target's aspect; it is found with the new aspect.

    Needs one for the aspect or for its head.
    """
    if is_apart(target.aspect, target.opinion):
        for edit in replace_aspect(sentence, target.aspect, context):
            yield Draft((edit,), target.polarity)


@concerns("opinion")
def mr22(
    sentence: TaggedExample, index: int, target: TargetTriplet, context: RelationContext
) -> Iterator[Draft]:
    """MR2-2: put a synonym for the target's opinion; it is found with the new opinion.

    Needs one for the opinion or for its last adjective.
    """
    if is_apart(target.aspect, target.opinion):
        for edit in replace_opinion(sentence, target.opinion, context, "synonym"):
            yield Draft((edit,), target.polarity)


@concerns("aspect", "opinion")
def mr23(
    sentence: TaggedExample, index: int, target: TargetTriplet, context: RelationContext
) -> Iterator[Draft]:
    """MR2-3: put other words for the target's aspect and opinion; it is found with both.

    Needs what MR2-1 and MR2-2 need. Pairs are taken in turn, candidate by candidate and then shifted by one,
    so that the first ones hold as many different words as there are.
    """
    if not is_apart(target.aspect, target.opinion):
        return
    aspects = replace_aspect(sentence, target.aspect, context)
    opinions = replace_opinion(sentence, target.opinion, context, "synonym")
    for edits in islice(_pair(aspects, opinions), context.limit):
        yield Draft(edits, target.polarity)


@concerns("opinion", "sentiment")
def mr24(
    sentence: TaggedExample, index: int, target: TargetTriplet, context: RelationContext
) -> Iterator[Draft]:
    """MR2-4: put an antonym for the target's opinion; it is found with that and the opposite polarity.

    Needs a positive or negative target, and an antonym of its opinion or of its last adjective. A negation
    before it stays: the polarity turns all the same.
    """
    if target.polarity in OPPOSITE and is_apart(target.aspect, target.opinion):
        for edit in replace_opinion(sentence, target.opinion, context, "antonym"):
            yield Draft((edit,), OPPOSITE[target.polarity])


def _other_triplets(sentence: TaggedExample, target: TargetTriplet) -> list[TargetTriplet]:
    return [triplet for triplet in find_triplets(sentence.example).values() if triplet != target]


def _replace_others(
    sentence: TaggedExample, target: TargetTriplet, context: RelationContext, kind: str
) -> Iterator[Draft]:
    """Replace the opinion of another triplet; one that several others share is replaced once."""
    opinions: dict[Span, None] = dict.fromkeys(
        triplet.opinion
        for triplet in _other_triplets(sentence, target)
        if is_apart(triplet.opinion, *target.spans)
    )
    for opinion in opinions:
        for edit in replace_opinion(sentence, opinion, context, kind):
            yield Draft((edit,), target.polarity)


_SENTENCE_END = re.compile(r"[.!?]['\")\]]*$")
_SPACED_MARK = re.compile(r"\w [.,!?;:](\s|$)")


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


def _pair(aspects: list[Edit], opinions: list[Edit]) -> Iterator[tuple[Edit, Edit]]:
    for shift in range(len(opinions)):
        for number, aspect in enumerate(aspects):
            yield aspect, opinions[(number + shift) % len(opinions)]
