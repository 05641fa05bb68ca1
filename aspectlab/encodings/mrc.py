"""Reading comprehension: a question stands before a text, and marks on its words are the answer.

A span is answered by a mark on its first and one on its last word. A text too long to be read with a question
before it is asked about window by window.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Polarity, Quad
from aspectlab.encodings.base import (
    POLARITIES,
    A,
    Array,
    Batch,
    Item,
    Scores,
    TextItem,
    Turn,
    WordSpan,
    encode_texts,
    frame_arrays,
    join_windows,
    polarity_shares,
    quad_at,
    term_at,
)
from aspectlab.encodings.vocabulary import Vocabulary

_ROOM = 4
"""A question takes at most one token in so many."""

_BEST = 3
"""First and last words among which spans are picked, as the authors of COM-MRC have it."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about a text; `answers` and `polarity` are gold, and not there while predicting."""

    text: TextItem  # the text, or a window of a long one, without the question
    query: str  # may name the terms asked about at {}: the first, then all the others
    asked: tuple[WordSpan, ...] = ()
    certainty: float = 1.0  # the probability that what is asked about is a term at all
    hidden: tuple[WordSpan, ...] = ()  # terms that the encoder must not attend to
    answers: tuple[tuple[WordSpan, ...], ...] = ()  # the spans to be marked, a list for each pair of marks
    polarity: Polarity | None = None

    @property
    def window(self) -> tuple[int, int]:
        """What tells texts and windows apart: the example, and where the first word begins."""
        return self.text.example, self.text.offsets[0][0] if self.text.offsets else 0

    @property
    def hidden_words(self) -> frozenset[int]:
        """The words of the hidden terms; what is asked about stays in sight, even where it overlaps them."""
        return _words_of(self.hidden) - _words_of(self.asked)


@dataclass(frozen=True, slots=True)
class QuestionItem(Item):
    """A question and the text behind it as one token sequence."""

    question: Question


@dataclass(frozen=True, slots=True)
class QuestionBatch(Batch[A]):
    """Questions as arrays; the mask leaves hidden words out, [B, T].

    Labels are 1 on the first and on the last words of each kind of answer; the last label holds, at every
    position, 0 for no polarity or one more than its class, [B, T, L].
    """

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BTL"}


def question_texts(vocabulary: Vocabulary, examples: Sequence[Example], *, gold: bool) -> list[TextItem]:
    """Make an item of every text or window, so short that a question fits before it; gold only if wanted."""
    shown = examples if gold else [replace(example, quads=()) for example in examples]
    taken = len(vocabulary.between) + vocabulary.max_length // _ROOM
    return encode_texts(vocabulary, shown, with_opinions=True, taken=taken)


def opinions_of(text: TextItem) -> dict[WordSpan, tuple[tuple[WordSpan, ...], Polarity]]:
    """Return the gold opinions on each aspect, from left to right, and the polarity first seen with it."""
    found: dict[WordSpan, set[WordSpan]] = {}
    polarities: dict[WordSpan, Polarity] = {}
    for quad in text.quads:
        if quad.opinion:
            found.setdefault(quad.aspect, set()).add(quad.opinion)
            polarities.setdefault(quad.aspect, quad.polarity)
    return {aspect: (tuple(sorted(found[aspect])), polarities[aspect]) for aspect in sorted(found)}


def encode_questions(
    vocabulary: Vocabulary, questions: Sequence[Question], examples: Sequence[Example]
) -> list[QuestionItem]:
    """Encode questions, each before its text; one that is too long loses its end."""
    written = [_write(question, examples[question.text.example].text) for question in questions]
    different = list(dict.fromkeys(written))
    room = vocabulary.max_length // _ROOM
    numbers = {
        words: tokens.ids[:room]
        for words, tokens in zip(different, vocabulary.tokenize(different), strict=True)
    }
    return [
        _frame(vocabulary, question, numbers[words])
        for question, words in zip(questions, written, strict=True)
    ]


def _write(question: Question, text: str) -> str:
    terms = [term_at(text, question.text.offsets, span).text for span in question.asked]
    return question.query.format(*terms[:1], " / ".join(terms[1:]))


def _frame(vocabulary: Vocabulary, question: Question, numbers: Sequence[int]) -> QuestionItem:
    text = question.text
    lead = [*vocabulary.first, *numbers, *vocabulary.between]
    tokens, words = (row[len(vocabulary.first) :] for row in (text.tokens, text.words))
    return QuestionItem(
        example=text.example,
        tokens=lead + tokens,
        segments=[0] * len(lead) + [1] * len(tokens),
        words=[-1] * len(lead) + words,
        is_cut=text.is_cut,
        question=question,
    )


def _words_of(spans: Sequence[WordSpan]) -> frozenset[int]:
    return frozenset(word for first, last in spans for word in range(first, last + 1))


def collate_questions(
    vocabulary: Vocabulary, items: Sequence[Item], length: int | None, kinds: int
) -> QuestionBatch[Array]:
    """Pad items to one length and mark the gold answers, of which there are some kinds."""
    frame = frame_arrays(items, vocabulary.pad, length)
    labels = np.zeros((*frame["tokens"].shape, 2 * kinds + 1), np.int8)
    for row, item in enumerate(items):
        assert isinstance(item, QuestionItem)
        question = item.question
        if question.hidden:
            frame["mask"][row, np.isin(frame["words"][row], list(question.hidden_words))] = False
        for kind, spans in enumerate(question.answers):
            for first, last in spans:
                labels[row, first, 2 * kind] = labels[row, last, 2 * kind + 1] = 1
        if question.polarity is not None:
            labels[row, :, -1] = POLARITIES.index(question.polarity) + 1
    return QuestionBatch(**frame, labels=labels)


def question_of(turn: Turn) -> Question:
    """Return the question of a turn."""
    assert isinstance(turn.item, QuestionItem)
    return turn.item.question


def gather_quads(
    decode: Callable[[Turn], tuple[Quad, ...]], rounds: Sequence[Sequence[Turn]], count: int
) -> list[tuple[Quad, ...]]:
    """Merge what the turns say about each of `count` examples; windows overlap, so each quad once."""
    found: list[dict[tuple[int, int], list[Quad]]] = [{} for _ in range(count)]
    for turn in chain.from_iterable(rounds):
        found[turn.item.example].setdefault(question_of(turn).window, []).extend(decode(turn))
    return [join_windows(list(windows.values())) for windows in found]


def build_quads(
    question: Question, example: Example, opinions: Sequence[WordSpan], sentiment: Scores
) -> tuple[Quad, ...]:
    """Return a quad for each opinion on the aspect asked about, with the polarity that scores best, [3]."""
    weights = np.exp(log_shares(sentiment))
    polarity, confidence = POLARITIES[int(weights.argmax())], polarity_shares(weights.tolist())
    aspect = question.asked[0]
    return tuple(quad_at(example, question.text, aspect, o, polarity, confidence) for o in opinions)


def log_shares(scores: Scores) -> NDArray[np.float64]:
    """Turn scores into logarithms of probabilities along the first axis.

    >>> np.exp(log_shares(np.array([0.0, 0.0], np.float32))).tolist()
    [0.5, 0.5]
    """
    shifted = scores.astype(np.float64) - scores.max(axis=0)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=0)))


def join_marks(starts: Sequence[int], ends: Sequence[int], longest: int) -> list[WordSpan]:
    """Join marked first and last words to spans, from the left to the right.

    A start waits for the next end, unless another start comes in between; an end too far away is void.

    >>> join_marks([0, 2, 5], [2, 3, 6], longest=5)
    [(2, 2), (5, 6)]
    """
    opening, closing = set(starts), set(ends)
    spans = []
    waiting: int | None = None
    for index in sorted(opening | closing):
        waiting = index if index in opening else waiting
        if index in closing:
            if waiting is not None and index - waiting < longest:
                spans.append((waiting, index))
            waiting = None
    return spans


@dataclass(frozen=True, slots=True)
class Picker:
    """Pick the best spans from scores for first and last words.

    Probabilities are shares among the words of a text. `floor` is the least logarithm of those of the first
    and the last word together, `cost` is taken off for each word, and `most` spans are picked.
    """

    floor: float
    cost: float
    most: int

    def pick(self, scores: Scores, taken: frozenset[int] = frozenset()) -> list[WordSpan]:
        """Pick spans without a taken word that do not even touch each other, the best first, [W, 2]."""
        if not len(scores):
            return []
        logs = log_shares(scores)
        best = np.argsort(-logs, axis=0, kind="stable")[:_BEST]  # [3, 2]
        worth = {
            (first, last): logs[first, 0] + logs[last, 1] - self.cost * (last - first + 1)
            for first, last in product(best[:, 0].tolist(), best[:, 1].tolist())
            if first <= last and logs[first, 0] + logs[last, 1] > self.floor
        }
        found: list[WordSpan] = []
        for first, last in sorted(worth, key=lambda span: (-worth[span], span)):
            is_apart = all(last + 1 < other[0] or other[1] + 1 < first for other in found)
            if is_apart and taken.isdisjoint(range(first, last + 1)):
                found.append((first, last))
        return found[: self.most]
