"""Make two annotations of one sentence agree on which aspect is which, and where it stands.

The files with opinion words were placed anew: of "the tea … more tea" some name the first where the file
with all aspects names the second. A variant must stand where its source does. Where a format has no ids for
aspects they are numbered, and the numbers of two files differ if one has aspects that the other lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from aspectlab.data import Span, Term
from aspectlab.robustness.sentences import Sentence


def settle(sentences: Iterable[Sentence], complete: Iterable[Sentence]) -> list[Sentence]:
    """Move each aspect to the occurrence of its term at which the aspect of the same id stands in `complete`.

    >>> from aspectlab.robustness.sentences import sketch
    >>> one = sketch("tea/NN good/JJ tea/NN", {"good": ("positive", "good")})
    >>> settle([one], [one]) == [one]
    True
    """
    ordinals = {
        (aspect.id, aspect.term.text): _count_before(sentence.example.text, aspect.term)
        for sentence in complete
        for aspect in sentence.aspects
    }
    return [_settle_one(sentence, ordinals) for sentence in sentences]


def adopt_ids(sentences: Iterable[Sentence], complete: Iterable[Sentence]) -> list[Sentence]:
    """Name each aspect as `complete` names the one with the same term at the same place.

    >>> from aspectlab.robustness.sentences import sketch
    >>> opinions = {"cup": ("positive", "clean"), "tea": ("positive", "good")}
    >>> both = sketch("clean/JJ cup/NN good/JJ tea/NN", opinions)
    >>> one = sketch("clean/JJ cup/NN good/JJ tea/NN", {"tea": ("positive", "good")})
    >>> one.aspects[0].id, adopt_ids([one], [both])[0].aspects[0].id
    ('1_0', '1_1')
    """
    ids = {(each.example.id, aspect.term): aspect.id for each in complete for aspect in each.aspects}
    return [
        replace(
            sentence,
            aspects=tuple(
                replace(aspect, id=ids.get((sentence.example.id, aspect.term), aspect.id))
                for aspect in sentence.aspects
            ),
        )
        for sentence in sentences
    ]


def _settle_one(sentence: Sentence, ordinals: dict[tuple[str, str], int]) -> Sentence:
    example = sentence.example
    quads = list(example.quads)
    for aspect in sentence.aspects:
        text = aspect.term.text
        wanted = ordinals.get((aspect.id, text))
        places = _occurrences(example.text, text)
        if wanted is None or wanted >= len(places) or places[wanted] == aspect.term.span:
            continue
        for place in aspect.quads:
            quads[place] = replace(quads[place], aspect=Term(text, places[wanted]))
    moved = sentence.with_example(replace(example, quads=tuple(quads)))
    return replace(moved, words=sentence.words)


def _count_before(text: str, term: Term) -> int:
    assert term.span is not None
    return sum(place.start < term.span.start for place in _occurrences(text, term.text))


def _occurrences(text: str, phrase: str) -> Sequence[Span]:
    places, start = [], text.find(phrase)
    while start >= 0:
        places.append(Span(start, start + len(phrase)))
        start = text.find(phrase, start + 1)
    return places
