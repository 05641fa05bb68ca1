"""Cases: a source, its target triplet, and a follow-up with the triplet that is expected there.

They are made here, grouped again from a file, and labelled with all triplets for training.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from aspectlab.data import OPPOSITE, Corpus, Edit, Example, Origin, Polarity, Quad, edit
from aspectlab.errors import DataError, TaskError
from aspectlab.language import Tagger, load_tagger
from aspectlab.metamorphic.context import (
    MASK,
    Draft,
    RelationContext,
    RelationLexicon,
    TaggedExample,
    collect_phrases,
    find_phrase_terms,
    find_triplets,
    is_apart,
    load_relation_lexicon,
)
from aspectlab.metamorphic.relations import RELATIONS, agree
from aspectlab.tasks import TASKS

_TAGGED_AT_ONCE = 256
"""Sentences that are tagged at a time."""


@dataclass(frozen=True, slots=True)
class Case:
    """One test of one relation; the only quad of the follow-up is the expected one."""

    relation: str
    source: Example
    target: Quad
    followup: Example

    @property
    def expected(self) -> Quad:
        """What should be found in the follow-up if the target is found in the source."""
        return self.followup.quads[0]


Group = tuple[Example, list[Case]]
"""A source with all its cases."""


def make_cases(sentence: TaggedExample, context: RelationContext) -> list[Case]:
    """Make all cases of a sentence: relation by relation, target by target."""
    triplets = find_triplets(sentence.example)
    return [
        case
        for name, relation in RELATIONS.items()
        for position, target in triplets.items()
        for case in apply_drafts(name, sentence, position, relation(sentence, position, target, context))
    ]


def is_followup(example: Example) -> bool:
    """Return whether an example is a follow-up that was made here.

    >>> is_followup(Example("1.MR2-2.0.0", "Fine", (), "1", "MR2-2 of 0: 0:4 Good > Fine (synonym)"))
    True
    """
    return example.source is not None and example.origin is not None and example.origin.target is not None


def group_cases(corpus: Corpus) -> Iterator[Group]:
    """Group the follow-ups of a generated corpus by their sources."""
    sources = {example.id: (example, list[Case]()) for example in corpus if not is_followup(example)}
    for example in corpus:
        origin = example.origin
        if origin is None or origin.source is None or origin.target is None:
            continue
        relation = _find_relation(corpus, example, origin)
        source, cases = sources.get(origin.source, (None, []))
        if source is None or origin.target >= len(source.quads) or len(example.quads) != 1:
            raise DataError(
                f"corpus {corpus.name!r}: example {example.id!r}: found a follow-up of {origin.source!r}, "
                f"quad {origin.target}, with {len(example.quads)} quads: expected that source in the same "
                "file and one quad; make the file again with: aspectlab metamorphic generate"
            )
        cases.append(Case(relation, source, source.quads[origin.target], example))
    yield from sources.values()


def _find_relation(corpus: Corpus, example: Example, origin: Origin) -> str:
    relation = origin.strategy or ""
    if relation not in RELATIONS:
        raise DataError(
            f"corpus {corpus.name!r}: example {example.id!r}: found a follow-up of {relation!r}: expected "
            f"one of {', '.join(RELATIONS)}; make the file again with: aspectlab metamorphic generate"
        )
    return relation


def apply_drafts(
    name: str, sentence: TaggedExample, position: int, drafts: Iterable[Draft]
) -> Iterator[Case]:
    """Apply drafts; those that change nothing, or repeat one another or the target, are left out."""
    source = sentence.example
    target = source.quads[position]
    spans = [term.span for term in target.terms if term.span is not None]
    seen: set[tuple[str, Quad]] = set()
    for draft in drafts:
        edits = draft.edits if _is_mask(draft) else agree(sentence, draft.edits, *spans)
        changed = edit(replace(source, quads=(target,)), [(change.span, change.new) for change in edits])
        expected = changed.quads[0].with_polarity(draft.polarity)
        key = changed.text, expected
        if changed.text == source.text or key in seen or _repeats(target, draft):
            continue
        followup = Example(
            id=f"{source.id}.{name}.{position}.{len(seen)}",
            text=changed.text,
            quads=(expected,),
            origin=Origin(source.id, name, edits, position),
        )
        seen.add(key)
        yield Case(name, source, target, followup)


def _is_mask(draft: Draft) -> bool:
    """Return whether words were masked: no article agrees with a mask."""
    return all(change.new == MASK for change in draft.edits)


def _repeats(target: Quad, draft: Draft) -> bool:
    """Return whether a new word is one that the target has already: which one is meant would be open."""
    words = {word for term in target.terms for word in term.text.lower().split()}
    return any(change.new.lower() in words for change in draft.edits)


def generate(
    corpus: Corpus,
    train: Corpus | None = None,
    *,
    seed: int = 0,
    limit: int = 10,
    senses: int | None = None,
    tagger: Tagger | None = None,
    lexicon: RelationLexicon | None = None,
) -> Iterator[Group]:
    """Yield every source with its cases, in order; nothing is held longer than it is needed.

    The phrases of MR1-3 are made of the triplets of `train`, or of the corpus itself. `limit` bounds the
    candidates of every replacement. All senses of a word are used, or the first ones only.
    """
    for each in (corpus, train):
        if each is not None:
            _check(each)
    words = tagger or load_tagger()
    context = RelationContext(
        lexicon=lexicon or load_relation_lexicon(senses),
        phrases=collect_phrases(_tag((train or corpus).examples, words)),
        limit=limit,
        seed=seed,
    )
    return ((sentence.example, make_cases(sentence, context)) for sentence in _tag(corpus.examples, words))


def _tag(examples: Sequence[Example], tagger: Tagger) -> Iterator[TaggedExample]:
    for start in range(0, len(examples), _TAGGED_AT_ONCE):
        block = examples[start : start + _TAGGED_AT_ONCE]
        tagged = tagger.tag([example.text for example in block])
        yield from (TaggedExample(example, words) for example, words in zip(block, tagged, strict=True))


def _check(corpus: Corpus) -> None:
    if corpus.language not in {"en", "und"}:
        raise TaskError(
            f"corpus {corpus.name!r}: found the language {corpus.language!r}: expected English, the language "
            "whose synonyms and word forms are known"
        )
    TASKS["aste"].check(corpus)
    if made := next(filter(is_followup, corpus), None):
        raise DataError(
            f"corpus {corpus.name!r}: example {made.id!r}: found a follow-up: expected sentences "
            "as they were written; give the file that the follow-ups were made from"
        )


def label_fully(case: Case) -> Example | None:
    """Return a follow-up with all its triplets; None if one of them cannot be told.

    A term whose word was replaced holds the new word. An antonym turns the polarity of all triplets with that
    opinion; of a neutral one it is not known what it would be. Triplets with a masked word are gone, and the
    triplet of an appended phrase is there.

    >>> from aspectlab.data import Span, Term
    >>> tea = Quad(Term("tea", Span(5, 8)), None, Term("Good", Span(0, 4)), Polarity.POSITIVE)
    >>> weak = Example("2", "Weak tea", (), "1", "MR2-4 of 0: 0:4 Good > Weak (antonym)")
    >>> label_fully(Case("MR2-4", Example("1", "Good tea", (tea,)), tea, weak)).quads[0].polarity
    <Polarity.NEGATIVE: 'negative'>
    """
    edits = case.followup.origin.edits if case.followup.origin else ()
    quads = [_turn(quad, edits) for quad in case.source.quads if not _touches(quad, edits, "mask")]
    told = [quad for quad in quads if quad is not None]
    try:
        changed = edit(
            replace(case.source, quads=tuple(told)), [(change.span, change.new) for change in edits]
        )
    except DataError:
        return None  # it crosses the edge of another term
    if changed.text != case.followup.text:
        raise DataError(
            f"example {case.followup.id!r}: found the text {case.followup.text!r:.60}: expected what its "
            f"variant says, {changed.text!r:.60}; make the file again with: aspectlab metamorphic generate"
        )
    more = _phrase_quads(case, edits)
    if more is None or len(told) < len(quads):
        return None
    return replace(case.followup, quads=tuple(dict.fromkeys([*changed.quads, *more])))


def _touches(quad: Quad, edits: Iterable[Edit], kind: str) -> bool:
    """Return whether an edit of some kind fell on a term of a quad."""
    spans = [term.span for term in quad.terms if term.span is not None]
    return any(change.kind == kind and not is_apart(change.span, *spans) for change in edits)


def _turn(quad: Quad, edits: Sequence[Edit]) -> Quad | None:
    """Return a quad the polarity that it has after the edits; None if that is not known."""
    if not _touches(replace(quad, aspect=None), edits, "antonym"):
        return quad
    turned: Polarity | None = OPPOSITE.get(quad.polarity) if quad.polarity is not None else None
    return None if turned is None else quad.with_polarity(turned)


def _phrase_quads(case: Case, edits: Sequence[Edit]) -> list[Quad] | None:
    """List the triplets of appended phrases; None if their categories would be needed."""
    phrases = [change for change in edits if change.kind == "phrase"]
    if not phrases:
        return []
    if case.target.category is not None or case.target.polarity not in OPPOSITE:
        return None
    terms = find_phrase_terms(phrases[0])
    if terms is None:
        return None
    aspect, opinion = terms
    return [Quad(aspect, None, opinion, OPPOSITE[case.target.polarity])]
