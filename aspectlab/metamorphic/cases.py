"""Cases: a source, its target triplet, and a follow-up with the triplet that is expected there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from aspectlab.data import Corpus, Example, Quad, edit
from aspectlab.errors import DataError
from aspectlab.metamorphic.drafts import Draft, Edit, Sentence, find_triplets
from aspectlab.metamorphic.means import MASK, Means
from aspectlab.metamorphic.relations import RELATIONS
from aspectlab.metamorphic.wording import agree

_VARIANT = re.compile(r"(?P<relation>MR\d-\d) of (?P<place>\d+): .*", re.DOTALL)


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


def make_cases(sentence: Sentence, means: Means) -> list[Case]:
    """Make all cases of a sentence: relation by relation, target by target."""
    triplets = find_triplets(sentence.example)
    return [
        case
        for name, relation in RELATIONS.items()
        for place, target in triplets.items()
        for case in carry_out(name, sentence, place, relation(sentence, place, target, means))
    ]


def is_followup(example: Example) -> bool:
    """Tell whether an example is a follow-up that was made here.

    >>> is_followup(Example("1.MR2-2.0.0", "Fine", (), "1", "MR2-2 of 0: 0:4 Good > Fine (synonym)"))
    True
    """
    return example.source is not None and _VARIANT.fullmatch(example.variant or "") is not None


def group_cases(corpus: Corpus) -> Iterator[Group]:
    """Put the follow-ups of a generated corpus to their sources."""
    sources = {example.id: (example, list[Case]()) for example in corpus if not is_followup(example)}
    for example in corpus:
        found = _VARIANT.fullmatch(example.variant or "")
        if example.source is None or found is None:
            continue
        _check_relation(corpus, example, found["relation"])
        source, cases = sources.get(example.source, (None, []))
        place = int(found["place"])
        if source is None or place >= len(source.quads) or len(example.quads) != 1:
            raise DataError(
                f"corpus {corpus.name!r}: example {example.id!r}: found a follow-up of {example.source!r}, "
                f"quad {place}, with {len(example.quads)} quads: expected that source in the same file and "
                "one quad; make the file again with: aspectlab metamorphic generate"
            )
        cases.append(Case(found["relation"], source, source.quads[place], example))
    yield from sources.values()


def _check_relation(corpus: Corpus, example: Example, relation: str) -> None:
    if relation not in RELATIONS:
        raise DataError(
            f"corpus {corpus.name!r}: example {example.id!r}: found a follow-up of {relation!r}: expected "
            f"one of {', '.join(RELATIONS)}; make the file again with: aspectlab metamorphic generate"
        )


def carry_out(name: str, sentence: Sentence, place: int, drafts: Iterable[Draft]) -> Iterator[Case]:
    """Carry drafts out; those that change nothing, or repeat one another or the target, are left out."""
    source = sentence.example
    target = source.quads[place]
    spans = [term.span for term in target.terms if term.span is not None]
    seen: set[tuple[str, Quad]] = set()
    for draft in drafts:
        edits = draft.edits if _is_mask(draft) else agree(sentence, draft.edits, *spans)
        changed = edit(replace(source, quads=(target,)), [(change.span, change.new) for change in edits])
        expected = replace(changed.quads[0], polarity=draft.polarity, confidence=None)
        key = changed.text, expected
        if changed.text == source.text or key in seen or _repeats(target, draft):
            continue
        followup = Example(
            id=f"{source.id}.{name}.{place}.{len(seen)}",
            text=changed.text,
            quads=(expected,),
            source=source.id,
            variant=f"{name} of {place}: {_describe(source.text, edits)}",
        )
        seen.add(key)
        yield Case(name, source, target, followup)


def _is_mask(draft: Draft) -> bool:
    """Tell whether words were masked: no article agrees with a mask."""
    return all(change.new == MASK for change in draft.edits)


def _repeats(target: Quad, draft: Draft) -> bool:
    """Tell whether a new word is one that the target has already: which one is meant would be open."""
    words = {word for term in target.terms for word in term.text.lower().split()}
    return any(change.new.lower() in words for change in draft.edits)


def _describe(text: str, edits: Iterable[Edit]) -> str:
    """Say of every edit what it replaced by what, and where that comes from."""
    return "; ".join(
        f"{change.span.start}:{change.span.end} {text[change.span.start : change.span.end]} > "
        f"{change.new.strip()} ({change.origin})"
        for change in edits
    )
