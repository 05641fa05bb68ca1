"""Opinion words that a model predicted, for aspects that have none of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from aspectlab.data import Corpus, Example, Span
from aspectlab.errors import DataError
from aspectlab.robustness.sentences import Aspect, Sentence

MARK = "-predicted"
"""Ends the name of a variant that rests on predicted opinion words, so that it is counted apart."""


def lend_opinions(sentences: Iterable[Sentence], predicted: Corpus) -> tuple[list[Sentence], frozenset[str]]:
    """Give aspects without opinion words those predicted for the same term, and name these aspects.

    >>> from aspectlab.robustness.sentences import sketch
    >>> tea = sketch("Good/JJ tea/NN", {"tea": ("positive", "Good")})
    >>> bare = replace(tea, aspects=tuple(replace(aspect, opinions=()) for aspect in tea.aspects))
    >>> lent, names = lend_opinions([bare], Corpus("p", "en", frozenset(), (tea.example,)))
    >>> lent == [tea], sorted(names)
    (True, ['1_0'])
    """
    answers = {example.id: example for example in predicted}
    lent, names = [], set()
    for sentence in sentences:
        answer = _answer(sentence.example, answers, predicted.name)
        aspects = tuple(_lend(aspect, answer) for aspect in sentence.aspects)
        lent.append(replace(sentence, aspects=aspects))
        names |= {new.id for new, old in zip(aspects, sentence.aspects, strict=True) if new is not old}
    _refuse_foreign(lent, predicted, answers)
    return lent, frozenset(names)


def _refuse_foreign(sentences: Sequence[Sentence], predicted: Corpus, answers: Mapping[str, Example]) -> None:
    """Refuse answers of which none can be lent: with a wrong file nothing would be reversed, quietly."""
    if all(quad.opinion is None for example in predicted for quad in example.quads):
        raise DataError(
            f"corpus {predicted.name!r}: found no opinion among the predictions: expected a model's "
            "triplets; predict the sentences with a model for aste or asqp"
        )
    if not any(sentence.example.id in answers for sentence in sentences):
        raise DataError(
            f"corpus {predicted.name!r}: found no id of the sentences, but such as "
            f"{next(iter(answers))!r:.80}: expected their ids; predict the opinions of the same file"
        )


def _answer(example: Example, answers: dict[str, Example], name: str) -> Example | None:
    answer = answers.get(example.id)
    if answer is not None and answer.text != example.text:
        raise DataError(
            f"corpus {name!r}: example {example.id!r}: found the text {answer.text!r:.60}: expected "
            f"{example.text!r:.60}; predict the opinions of the same file"
        )
    return answer


def _lend(aspect: Aspect, answer: Example | None) -> Aspect:
    if aspect.opinions or answer is None:
        return aspect
    spans: list[Span] = [
        quad.opinion.span
        for quad in answer.quads
        if quad.aspect and quad.aspect.span == aspect.term.span and quad.opinion and quad.opinion.span
    ]
    return replace(aspect, opinions=tuple(dict.fromkeys(spans))) if spans else aspect
