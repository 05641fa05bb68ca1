"""BMRC: bidirectional machine reading comprehension (Chen et al., AAAI 2021).

Idea: triplets are found by asking. Which aspects are there, and which opinions has each of them; which
opinions are there, and which aspects has each of those; last, what is the sentiment towards an aspect with
its opinions. A pair of terms is kept if both directions find it, or one of them is sure enough.
Unlike the released code: words may have several sub-words, whose states are averaged, where the authors took
a word outside the vocabulary for an unknown one; both directions must agree on the offsets of the terms, not
only on their words; the loss is summed over the words of a question and averaged over the questions of a
batch, which holds questions of many texts; an exponential moving average of the weights is kept. The learning
rate of the encoder suits MiniLM; the authors' BERT-base took 1e-5. The encoder is any encoder.
A term of more than five words cannot be found, of two terms that overlap one answer gives only one, and an
aspect has one polarity: limits of the scheme. One answer gives at most 24 terms. Terms that do not stand in
the text cannot be found, nor learnt from.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from aspectlab.data import Example, Quad
from aspectlab.encoders import Encoder
from aspectlab.encodings import (
    Array,
    Item,
    Question,
    QuestionBatch,
    QuestionItem,
    Scores,
    TextItem,
    Turn,
    Vocabulary,
    WordSpan,
    build_quads,
    collate_questions,
    encode_questions,
    gather_quads,
    join_marks,
    log_shares,
    opinions_of,
    question_of,
    question_texts,
)
from aspectlab.models import Model, Plan, Published, Share, Weight, weighted_mean
from aspectlab.nn import mean_words

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
    """Ask from aspects to opinions and back; a pair that only one direction finds must be as sure as `beta`.

    Three rounds: which aspects and which opinions there are; which opinions each aspect has, and which
    aspects each opinion; and what the sentiment is towards each aspect that is left.
    """

    vocabulary: Vocabulary
    beta: float = 0.8

    def encode(self, examples: Sequence[Example]) -> list[QuestionItem]:
        """Make all questions that the gold triplets answer; a text without any still gets the first two."""
        texts = question_texts(self.vocabulary, examples, gold=True)
        questions = [question for text in texts for question in _gold_questions(text)]
        return encode_questions(self.vocabulary, questions, examples)

    def collate(self, items: Sequence[Item], length: int | None = None) -> QuestionBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        return collate_questions(self.vocabulary, items, length, kinds=1)

    def open(self, examples: Sequence[Example]) -> list[QuestionItem]:
        """Ask for the aspects and for the opinions of every text."""
        texts = question_texts(self.vocabulary, examples, gold=False)
        questions = [Question(text, query) for text in texts for query in _NEXT]
        return encode_questions(self.vocabulary, questions, examples)

    def follow(self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]) -> list[QuestionItem]:
        """Ask for the other side of each term found, then for the sentiment towards each aspect."""
        if len(rounds) > 2:
            return []
        turns = rounds[-1]
        questions = _ask_for_pairs(turns) if len(rounds) == 1 else _ask_for_sentiment(turns, self.beta)
        return encode_questions(self.vocabulary, list(questions), examples)

    def conclude(
        self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the predicted quads of each example."""
        return gather_quads(lambda turn: _decode(turn, examples), rounds, len(examples))

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the quads that each question settles: only one for the sentiment settles any."""
        return [_decode(Turn(item, row), examples) for item, row in zip(items, scores, strict=True)]


def _gold_questions(text: TextItem) -> Iterator[Question]:
    """Return the questions that the triplets of a text answer."""
    gold = opinions_of(text)
    aspects_of: dict[WordSpan, list[WordSpan]] = defaultdict(list)
    for aspect, (opinions, _) in gold.items():
        for opinion in opinions:
            aspects_of[opinion].append(aspect)
    yield Question(text, ASPECTS, answers=(tuple(gold),))
    yield Question(text, OPINIONS, answers=(tuple(aspects_of),))
    for aspect, (opinions, polarity) in gold.items():
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
    count = len(question_of(turn).text.offsets)
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
    return build_quads(question, examples[turn.item.example], question.asked[1:], turn.scores[0, 4:7])


class BMRC(Model):
    """Mark where the answers to five questions begin and end."""

    task = "aste"
    # a batch holds questions, of which a text has about seven
    plan = Plan(
        epochs=30,
        batch_size=32,
        learning_rate=1e-3,
        encoder_learning_rate=1e-4,
        average=0.99,
        patience=10,
    )
    published = Published(
        encoder="bert-base-uncased",
        plan=Plan(epochs=40, batch_size=28, learning_rate=1e-3, encoder_learning_rate=1e-5),
        source="the released code",
        unlike="a batch was 4 texts, which ask about 28 questions",
    )

    def __init__(self, encoder: Encoder, n_labels: int, *, beta: Share = 0.8, marked: Weight = 3.0) -> None:
        super().__init__(encoder)
        self.encoding = BiEncoding(encoder.vocabulary, beta)
        self.start = nn.Linear(encoder.width, 2)
        self.end = nn.Linear(encoder.width, 2)
        self.sentiment = nn.Linear(encoder.width, 3)
        # most words are neither first nor last of anything
        self.weights: Tensor
        self.register_buffer("weights", torch.tensor([1.0, marked]), persistent=False)

    def forward(self, batch: QuestionBatch[Tensor]) -> Tensor:
        """Score each word as a start (2) and as an end (2), and the sentiment (3), [B, W, 7].

        Those of the sentiment are the same at every word.
        """
        states = self.encoder(batch)  # [B, T, H]
        words, _ = mean_words(states, batch.words)  # [B, W, H]
        sentiment = self.sentiment(states[:, 0])[:, None].expand(-1, words.shape[1], -1)  # [B, W, 3]
        return torch.cat([self.start(words), self.end(words), sentiment], -1)

    def loss(self, scores: Tensor, batch: QuestionBatch[Tensor]) -> Tensor:
        """Sum the cross-entropy over the words of a question, or take that of its sentiment, and average."""
        asked = batch.labels[:, 0, 2].long()  # [B] 0 for a question that is answered by marks
        _, mask = mean_words(batch.mask[..., None].to(scores.dtype), batch.words)
        flat = scores[..., :4].float().reshape(-1, 2), batch.labels[..., :2].long().flatten()
        marks = cross_entropy(*flat, weight=self.weights, reduction="none").view(*mask.shape, 2)
        marking = (marks.mean(-1) * mask).sum(1)  # [B]
        feeling = cross_entropy(scores[:, 0, 4:].float(), (asked - 1).clamp(min=0), reduction="none")  # [B]
        return weighted_mean(torch.where(asked > 0, feeling, marking), batch)
