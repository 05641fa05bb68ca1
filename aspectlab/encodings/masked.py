"""One question over and over, while the aspects that were found are hidden from the text.

First the next aspect is asked for, round after round, until there is none. Then each aspect is shown alone,
the others hidden, and its opinions and its sentiment are read off. Hidden words keep their places; the
encoder pays no attention to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, product

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings.batch import Item
from aspectlab.encodings.dialogue import Turn
from aspectlab.encodings.mrc import (
    Picker,
    Question,
    QuestionBatch,
    QuestionItem,
    collate_questions,
    gather_quads,
    opinions_of,
    put_questions,
    question_of,
    question_texts,
    tell_quads,
)
from aspectlab.encodings.text import TextItem
from aspectlab.encodings.vocabulary import Vocabulary

NEXT = "Find the first aspect term and its opinion terms in the text"

_ALL_SUBSETS = 6
"""Aspects of a text up to which every subset of them is hidden in training; of more, some are drawn."""


@dataclass(frozen=True, slots=True)
class MaskedEncoding:
    """Ask for one aspect after the other, then for what is said about each.

    `aspects.most` is the number of aspects of a text at most, found one at a time.
    """

    vocabulary: Vocabulary
    aspects: Picker
    opinions: Picker

    def encode(self, examples: Sequence[Example]) -> list[QuestionItem]:
        """Hide the aspects of every text in turn; where all are hidden there is nothing to be found."""
        texts = question_texts(self.vocabulary, examples, gold=True)
        questions = [question for text in texts for question in _gold_questions(text)]
        return put_questions(self.vocabulary, questions, examples)

    def collate(self, items: Sequence[Item], length: int | None = None) -> QuestionBatch[NDArray[np.generic]]:
        """Pad items to one length: that of the longest, or the one given."""
        return collate_questions(self.vocabulary, items, length, kinds=2)

    def open(self, examples: Sequence[Example]) -> list[QuestionItem]:
        """Ask for the first aspect of every text."""
        texts = question_texts(self.vocabulary, examples, gold=False)
        return put_questions(self.vocabulary, [Question(text, NEXT) for text in texts], examples)

    def follow(self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]) -> list[QuestionItem]:
        """Ask for the next aspect while there is one, then about each of them with the others hidden."""
        questions = [question for turn in rounds[-1] for question in self._go_on(turn)]
        return put_questions(self.vocabulary, questions, examples)

    def conclude(
        self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Give the predicted quads of each example."""
        return gather_quads(lambda turn: self._decode(turn, examples), rounds, len(examples))

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Give the quads that each question settles: none where the next aspect is asked for."""
        return [self._decode(Turn(item, row), examples) for item, row in zip(items, scores, strict=True)]

    def _go_on(self, turn: Turn) -> Iterator[Question]:
        question = question_of(turn)
        if question.asked:
            return
        text, found = question.text, question.hidden
        absent, present = turn.scores[0, 7:]
        picked = self.aspects.pick(turn.scores[: len(text.places), :2], question.hidden_words)
        if picked and present > absent:
            found = (*found, picked[0])
        if question.hidden == found or len(found) == self.aspects.most:
            yield from (Question(text, NEXT, (aspect,), hidden=found) for aspect in found)
        else:
            yield Question(text, NEXT, hidden=found)

    def _decode(self, turn: Turn, examples: Sequence[Example]) -> tuple[Quad, ...]:
        question = question_of(turn)
        if not question.asked:
            return ()
        opinions = self.opinions.pick(turn.scores[: len(question.text.places), 2:4])
        return tell_quads(question, examples[turn.item.example], opinions, turn.scores[0, 4:7])


def _gold_questions(text: TextItem) -> Iterator[Question]:
    """Give the questions that the triplets of a text answer."""
    told = opinions_of(text)
    for place, (aspect, (opinions, polarity)) in enumerate(told.items()):
        answers = (aspect,), opinions
        for pattern in hiding_patterns(len(told), place):
            hidden = tuple(compress(told, pattern))
            yield Question(text, NEXT, (aspect,), hidden=hidden, answers=answers, polarity=polarity)
    yield Question(text, NEXT, hidden=tuple(told))


def hiding_patterns(count: int, place: int) -> list[tuple[bool, ...]]:
    """Tell which aspects are hidden when the one at a place is to be found: all before it, any behind it.

    >>> hiding_patterns(3, 1)
    [(True, False, False), (True, False, True)]
    """
    behind = count - place - 1
    lead = (*[True] * place, False)
    wanted = 2**_ALL_SUBSETS // count  # of many aspects no one has more than its share of the subsets
    if count <= _ALL_SUBSETS or 2**behind <= wanted:
        return [(*lead, *tail) for tail in product((False, True), repeat=behind)]
    rng = np.random.default_rng([count, place])
    drawn = rng.integers(0, 2, (max(wanted - 2, 0), behind)).astype(bool).tolist()
    # all shown is how the next aspect is asked for, all hidden how its opinions are
    tails = dict.fromkeys([(False,) * behind, (True,) * behind, *map(tuple, drawn)])
    return [(*lead, *tail) for tail in tails]
