"""Questions in both directions: from aspects to their opinions, and from opinions to their aspects.

Three rounds: which aspects and which opinions there are; which opinions each aspect has, and which aspects
each opinion; and what the sentiment is towards each aspect that is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings.batch import Item
from aspectlab.encodings.dialogue import Turn
from aspectlab.encodings.mrc import (
    Question,
    QuestionBatch,
    QuestionItem,
    collate_questions,
    gather_quads,
    join_marks,
    log_shares,
    opinions_of,
    put_questions,
    question_of,
    question_texts,
    tell_quads,
)
from aspectlab.encodings.text import TextItem, WordSpan
from aspectlab.encodings.vocabulary import Vocabulary

ASPECTS = "What aspects ?"
OPINIONS = "What opinions ?"
OPINIONS_OF = "What opinion given the aspect {} ?"
ASPECTS_OF = "What aspect does the opinion {} describe ?"
SENTIMENT = "What sentiment given the aspect {} and the opinion {} ?"

_NEXT = {ASPECTS: OPINIONS_OF, OPINIONS: ASPECTS_OF}
"""What is asked about each term that a first question found."""

_LONGEST = 5
"""Words of a span at most, as the authors have it."""

_MOST = 24
"""Spans that one answer gives at most, the surest: an untrained model marks every other word."""


@dataclass(frozen=True, slots=True)
class BiEncoding:
    """Ask for triplets in both directions; a pair that only one of them finds must be as sure as `beta`."""

    vocabulary: Vocabulary
    beta: float = 0.8

    def encode(self, examples: Sequence[Example]) -> list[QuestionItem]:
        """Make all questions that the gold triplets answer; a text without any still gets the first two."""
        texts = question_texts(self.vocabulary, examples, gold=True)
        questions = [question for text in texts for question in _gold_questions(text)]
        return put_questions(self.vocabulary, questions, examples)

    def collate(self, items: Sequence[Item], length: int | None = None) -> QuestionBatch[NDArray[np.generic]]:
        """Pad items to one length: that of the longest, or the one given."""
        return collate_questions(self.vocabulary, items, length, kinds=1)

    def open(self, examples: Sequence[Example]) -> list[QuestionItem]:
        """Ask for the aspects and for the opinions of every text."""
        texts = question_texts(self.vocabulary, examples, gold=False)
        questions = [Question(text, query) for text in texts for query in _NEXT]
        return put_questions(self.vocabulary, questions, examples)

    def follow(self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]) -> list[QuestionItem]:
        """Ask for the other side of each term found, then for the sentiment towards each aspect."""
        if len(rounds) > 2:
            return []
        turns = rounds[-1]
        questions = _ask_for_pairs(turns) if len(rounds) == 1 else _ask_for_sentiment(turns, self.beta)
        return put_questions(self.vocabulary, list(questions), examples)

    def conclude(
        self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Give the predicted quads of each example."""
        return gather_quads(lambda turn: _decode(turn, examples), rounds, len(examples))

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Give the quads that each question settles: only one for the sentiment settles any."""
        return [_decode(Turn(item, row), examples) for item, row in zip(items, scores, strict=True)]


def _gold_questions(text: TextItem) -> Iterator[Question]:
    """Give the questions that the triplets of a text answer."""
    told = opinions_of(text)
    aspects_of: dict[WordSpan, list[WordSpan]] = defaultdict(list)
    for aspect, (opinions, _) in told.items():
        for opinion in opinions:
            aspects_of[opinion].append(aspect)
    yield Question(text, ASPECTS, answers=(tuple(told),))
    yield Question(text, OPINIONS, answers=(tuple(aspects_of),))
    for aspect, (opinions, polarity) in told.items():
        yield Question(text, OPINIONS_OF, (aspect,), answers=(opinions,))
        yield Question(text, SENTIMENT, (aspect, *opinions), polarity=polarity)
    for opinion, aspects in aspects_of.items():
        yield Question(text, ASPECTS_OF, (opinion,), answers=(tuple(aspects),))


def _ask_for_pairs(turns: Sequence[Turn]) -> Iterator[Question]:
    for turn in turns:
        question = question_of(turn)
        for span, certainty in _read_spans(turn):
            yield Question(question.text, _NEXT[question.query], (span,), certainty)


def _ask_for_sentiment(turns: Sequence[Turn], beta: float) -> Iterator[Question]:
    """Keep the pairs that both directions found, or one that is sure enough, and ask once per aspect."""
    texts = {question_of(turn).window: question_of(turn).text for turn in turns}
    pairs: dict[tuple[int, int], dict[tuple[WordSpan, WordSpan], list[float]]] = {w: {} for w in texts}
    for turn in turns:
        question = question_of(turn)
        asked = question.asked[0]
        for span, certainty in _read_spans(turn):
            pair = (asked, span) if question.query == OPINIONS_OF else (span, asked)
            pairs[question.window].setdefault(pair, []).append(question.certainty * certainty)
    for window, found in pairs.items():
        opinions: dict[WordSpan, list[WordSpan]] = defaultdict(list)
        for (aspect, opinion), certainties in sorted(found.items()):
            if len(certainties) > 1 or certainties[0] >= beta:
                opinions[aspect].append(opinion)
        yield from (Question(texts[window], SENTIMENT, (aspect, *its)) for aspect, its in opinions.items())


def _read_spans(turn: Turn) -> list[tuple[WordSpan, float]]:
    """Read the marked spans off an answer, with their probabilities; the surest if there are too many."""
    count = len(question_of(turn).text.places)
    marks = turn.scores[:count, :4].reshape(count, 2, 2)  # [W, first or last, no or yes]
    probabilities = np.exp(log_shares(np.moveaxis(marks, 2, 0))[1])  # [W, 2]
    starts, ends = (np.flatnonzero(column > 0.5).tolist() for column in probabilities.T)
    found = [
        ((first, last), float(probabilities[first, 0] * probabilities[last, 1]))
        for first, last in join_marks(starts, ends, _LONGEST)
    ]
    return sorted(found, key=lambda answer: -answer[1])[:_MOST]


def _decode(turn: Turn, examples: Sequence[Example]) -> tuple[Quad, ...]:
    question = question_of(turn)
    if question.query != SENTIMENT:
        return ()
    return tell_quads(question, examples[turn.item.example], question.asked[1:], turn.scores[0, 4:7])
