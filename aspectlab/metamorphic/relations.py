"""The metamorphic relations of MATO (Tang et al.): one function and one line in the table each.

MR1-1 to MR1-4 change what surrounds the target triplet, which must be found as before. MR2-1 to MR2-4 change
the target itself, which must be found with its new terms or polarity. Words are replaced by words of
a lexicon, in their form and with their capitals.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from aspectlab.data import OPPOSITE, Edit, Span
from aspectlab.errors import ConfigError
from aspectlab.language import (
    TaggedWord,
    find_lemma,
    fix_article,
    inflect,
    match_case,
    word_class,
    word_spans,
)
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
from aspectlab.registry import Registry

Find = Callable[[str, str], Sequence[str]]
"""`find(lemma, kind)`: the words of a lexicon."""

_CLASSES = ("ADJ", "ADV", "VERB", "NOUN")


def replace_aspect(sentence: TaggedExample, span: Span, context: RelationContext) -> list[Edit]:
    """List the edits that put a synonym, then a hypernym, for an aspect or for its head."""
    words = _words_in(sentence, span)
    if not words:
        return []
    # a thing is a noun, unless the sentence speaks of doing it
    classes = ("VERB", "NOUN") if words[-1].tag.startswith("VB") else ("NOUN",)
    finds = {"synonym": context.lexicon.synonyms, "hypernym": context.lexicon.hypernyms}
    for part, at in ((words, span), (words[-1:], words[-1].span)):
        old = sentence.example.text[at.start : at.end]
        edits = [
            Edit(at, old, new, kind)
            for kind, find in finds.items()
            for new in _candidates(part, old, classes, find)
        ]
        if edits:
            return _first(edits, context.limit)
    return []


def replace_opinion(sentence: TaggedExample, span: Span, context: RelationContext, kind: str) -> list[Edit]:
    """List the edits that put a synonym or an antonym for an opinion or for its last adjective."""
    words = _words_in(sentence, span)
    find = context.lexicon.antonyms if kind == "antonym" else context.lexicon.synonyms
    parts = [(words, span)] if words else []
    if len(words) > 1:
        adjectives = [word for word in words if word.tag.startswith("JJ")]
        parts += [([word], word.span) for word in adjectives[-1:]]
    for part, at in parts:
        found = word_class(part[-1].tag)
        classes = (found,) if found in {"ADJ", "ADV", "VERB"} else _CLASSES
        old = sentence.example.text[at.start : at.end]
        edits = [Edit(at, old, new, kind) for new in _candidates(part, old, classes, find)]
        if edits:
            return _first(edits, context.limit)
    return []


def agree(sentence: TaggedExample, edits: Sequence[Edit], *terms: Span) -> tuple[Edit, ...]:
    """Add edits that make the indefinite articles before new words agree with them, outside these terms.

    >>> from aspectlab.data import Example
    >>> words = TaggedWord("a", Span(0, 1), "DT"), TaggedWord("nice", Span(2, 6), "JJ")
    >>> agree(TaggedExample(Example("1", "a nice"), words), [Edit(Span(2, 6), "nice", "odd", "antonym")])[1]
    Edit(span=Span(start=0, end=1), old='a', new='an', kind='article', source=None)
    """
    positions = {word.span.start: position for position, word in enumerate(sentence.words)}
    articles = [
        Edit(span, sentence.example.text[span.start : span.end], new, "article")
        for change in edits
        if change.span.start in positions
        for span, new in fix_article(sentence.words, positions[change.span.start], change.new)
        if is_apart(span, *terms, *(other.span for other in edits))
    ]
    return (*edits, *articles)


def _words_in(sentence: TaggedExample, span: Span) -> list[TaggedWord]:
    return [word for word in sentence.words if span.start <= word.span.start and word.span.end <= span.end]


def _candidates(words: Sequence[TaggedWord], old: str, kinds: Iterable[str], find: Find) -> list[str]:
    """Ask for the words as they stand, then for their lemma, in one class after the other."""
    *before, last = (word.lower for word in words)
    for kind in kinds:
        found = list(find(" ".join([*before, last]), kind))
        if not found:
            tag = words[-1].tag
            lemma = " ".join([*before, find_lemma(last, tag)])
            found = [_inflect(new, tag) for new in find(lemma, kind)]
        if found:
            return [match_case(new, old) for new in found if new.lower() != old.lower()]
    return []


def _inflect(phrase: str, tag: str) -> str:
    """Inflect a phrase as a tag asks, which its last noun or its first verb carries."""
    first, _, rest = phrase.partition(" ")
    if not rest:
        return inflect(phrase, tag)
    if word_class(tag) == "NOUN":
        start, _, head = phrase.rpartition(" ")
        return f"{start} {inflect(head, tag)}"
    return f"{inflect(first, tag)} {rest}"


def _first(edits: Iterable[Edit], limit: int) -> list[Edit]:
    """Keep the first edits, each word once."""
    kept: dict[str, Edit] = {}
    for edit in edits:
        kept.setdefault(edit.new.lower(), edit)
    return list(kept.values())[:limit]


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
