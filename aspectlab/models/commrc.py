"""COM-MRC: a context-masked machine reading comprehension framework (Zhai et al., EMNLP 2022).

Idea: one question asks for the first aspect, its opinions and its sentiment. An aspect that was found is
hidden from attention and the question asked again, until the model says that there is none; then each aspect
is shown alone, and its opinions and sentiment are read off. In training, every subset of the aspects is
hidden once, and all of them, which leaves nothing to be found.
Unlike the released code: the first aspect is that which comes first in the text, not in the file; of more
than six aspects some subsets are drawn; hidden words cannot be the next aspect, so that nothing has to be
merged; the model must say that there is an aspect from the first round on, for texts may have none; spans are
picked by their probabilities within the text, not by sums of scores, whose scale depends on the encoder;
padding takes no part in maxima and softmaxes; sub-words are averaged to words; items are shuffled; the rate
falls linearly; an exponential moving average of the weights is kept. The learning rate of the encoder suits
MiniLM, the rest learns faster; the authors' BERT-base took 9e-5 for all. The question is worded anew.
Three opinions that are equally sure have a probability of log -2.2 each, so the floor lies below that; on the
dev part of Restaurants 2014 and a model of 150 sentences, F1 hardly changed from -2 to -4.
An aspect has one polarity and at most three opinions, a text at most eleven aspects: limits of the scheme.
Terms that do not stand in the text cannot be found, nor learnt from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, product

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, log_softmax

from aspectlab.data import Example, Quad
from aspectlab.encoders import Encoder
from aspectlab.encodings import (
    Array,
    Item,
    Picker,
    Question,
    QuestionBatch,
    QuestionItem,
    Scores,
    TextItem,
    Turn,
    Vocabulary,
    build_quads,
    collate_questions,
    encode_questions,
    gather_quads,
    opinions_of,
    question_of,
    question_texts,
)
from aspectlab.models import Dropout, Element, Elements, Model, Number, Plan, Published, Seen, weighted_mean
from aspectlab.nn import masked_max, masked_mean, mean_words

NEXT = "Find the first aspect term and its opinion terms in the text"

_ALL_SUBSETS = 6
"""Aspects of a text up to which every subset of them is hidden in training; of more, some are drawn."""


@dataclass(frozen=True, slots=True)
class MaskedEncoding:
    """Ask one question over and over, while the aspects that were found are hidden from the text.

    First the next aspect is asked for, round after round, until there is none. Then each aspect is shown
    alone, the others hidden, and its opinions and its sentiment are read off. Hidden words keep their
    positions; the encoder pays no attention to them.

    `aspects.most` is the number of aspects of a text at most, found one at a time.
    """

    vocabulary: Vocabulary
    aspects: Picker
    opinions: Picker

    def encode(self, examples: Sequence[Example]) -> list[QuestionItem]:
        """Hide the aspects of every text in turn; where all are hidden there is nothing to be found."""
        texts = question_texts(self.vocabulary, examples, gold=True)
        questions = [question for text in texts for question in _gold_questions(text)]
        return encode_questions(self.vocabulary, questions, examples)

    def collate(self, items: Sequence[Item], length: int | None = None) -> QuestionBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        return collate_questions(self.vocabulary, items, length, kinds=2)

    def open(self, examples: Sequence[Example]) -> list[QuestionItem]:
        """Ask for the first aspect of every text."""
        texts = question_texts(self.vocabulary, examples, gold=False)
        return encode_questions(self.vocabulary, [Question(text, NEXT) for text in texts], examples)

    def follow(self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]) -> list[QuestionItem]:
        """Ask for the next aspect while there is one, then about each of them with the others hidden."""
        questions = [question for turn in rounds[-1] for question in self._go_on(turn)]
        return encode_questions(self.vocabulary, questions, examples)

    def conclude(
        self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the predicted quads of each example."""
        return gather_quads(lambda turn: self._decode(turn, examples), rounds, len(examples))

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the quads that each question settles: none where the next aspect is asked for."""
        return [self._decode(Turn(item, row), examples) for item, row in zip(items, scores, strict=True)]

    def _go_on(self, turn: Turn) -> Iterator[Question]:
        question = question_of(turn)
        if question.asked:
            return
        text, found = question.text, question.hidden
        absent, present = turn.scores[0, 7:]
        picked = self.aspects.pick(turn.scores[: len(text.offsets), :2], question.hidden_words)
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
        opinions = self.opinions.pick(turn.scores[: len(question.text.offsets), 2:4])
        return build_quads(question, examples[turn.item.example], opinions, turn.scores[0, 4:7])


def _gold_questions(text: TextItem) -> Iterator[Question]:
    """Return the questions that the triplets of a text answer."""
    gold = opinions_of(text)
    for index, (aspect, (opinions, polarity)) in enumerate(gold.items()):
        answers = (aspect,), opinions
        for pattern in hiding_patterns(len(gold), index):
            hidden = tuple(compress(gold, pattern))
            yield Question(text, NEXT, (aspect,), hidden=hidden, answers=answers, polarity=polarity)
    yield Question(text, NEXT, hidden=tuple(gold))


def hiding_patterns(count: int, index: int) -> list[tuple[bool, ...]]:
    """Return which aspects to hide when the one at an index is to be found: all before it, any behind it.

    >>> hiding_patterns(3, 1)
    [(True, False, False), (True, False, True)]
    """
    behind = count - index - 1
    lead = (*[True] * index, False)
    wanted = 2**_ALL_SUBSETS // count  # of many aspects no one has more than its share of the subsets
    if count <= _ALL_SUBSETS or 2**behind <= wanted:
        return [(*lead, *tail) for tail in product((False, True), repeat=behind)]
    rng = np.random.default_rng([count, index])
    drawn = rng.integers(0, 2, (max(wanted - 2, 0), behind)).astype(bool).tolist()
    # all shown is how the next aspect is asked for, all hidden how its opinions are
    tails = dict.fromkeys([(False,) * behind, (True,) * behind, *map(tuple, drawn)])
    return [(*lead, *tail) for tail in tails]


_LOW = -1e4
"""The score of a word that cannot be an answer: finite in bfloat16, and without any share."""


class COMMRC(Model):
    """Mark the first aspect in sight and its opinions, and tell its sentiment and whether there is one."""

    task = "aste"
    watched = ("aspect", "opinion", "sentiment")
    # a text has two items for one aspect, and twice as many for each more
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
        plan=Plan(epochs=100, batch_size=60, learning_rate=9e-5),
        source="the released code",
        unlike="a batch was 15 texts, which have about 60 items; the rate fell along a cosine",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        dropout: Dropout = 0.1,
        aspect_floor: Number = -3.0,
        aspect_cost: Number = 0.2,
        opinion_floor: Number = -3.0,
        opinion_cost: Number = 0.2,
    ) -> None:
        super().__init__(encoder)
        aspects, opinions = Picker(aspect_floor, aspect_cost, 11), Picker(opinion_floor, opinion_cost, 3)
        self.encoding = MaskedEncoding(encoder.vocabulary, aspects, opinions)
        width = encoder.width
        self.aspect, self.opinion = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.mark_aspect, self.mark_opinion = (nn.Linear(width, 2, bias=False) for _ in range(2))
        self.attend = nn.MultiheadAttention(width, 2, batch_first=True)
        self.drop = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(width)
        self.sentiment = nn.Linear(width, 3)
        self.exists = nn.Linear(3 * width, 2)

    def forward(self, batch: QuestionBatch[Tensor]) -> Tensor:
        """Score first and last words of the aspect and of opinions, sentiment and existence, [B, W, 9].

        The three scores of the sentiment and the two of the existence are the same at every word.
        """
        states = self.encoder(batch)  # [B, T, H]
        words, mask = mean_words(states, batch.words)  # [B, W, H], [B, W]
        visible, _ = mean_words(batch.mask[..., None].to(states.dtype), batch.words)  # [B, W, 1]
        aspect, opinion = self.aspect(words), self.opinion(words)  # [B, W, H]
        marks = [
            self.mark_aspect(aspect).masked_fill(visible < 0.5, _LOW),  # neither padding nor hidden words
            self.mark_opinion(opinion).masked_fill(~mask[..., None], _LOW),
        ]
        repeated = [
            self.sentiment(self._feeling(words, aspect, opinion, mask)),
            self.exists(torch.cat([states[:, 0], _highest(aspect, mask), _highest(opinion, mask)], -1)),
        ]
        return torch.cat([*marks, *(part[:, None].expand(-1, words.shape[1], -1) for part in repeated)], -1)

    def loss(self, scores: Tensor, batch: QuestionBatch[Tensor]) -> Tensor:
        """Add up the authors' four losses; where there is no aspect, only its existence counts."""
        scores = scores.float()
        polarity = batch.labels[:, 0, 4].long()  # [B] 0 where there is no aspect
        missed = -(log_softmax(scores[..., :4], 1) * batch.labels[..., :4]).sum(1)  # [B, 4]
        with_aspect = batch.weight * (polarity > 0)  # [B]
        opinions = (batch.labels[..., 2].sum(1) * batch.weight).sum().clamp(min=1)
        feeling = cross_entropy(scores[:, 0, 4:7], (polarity - 1).clamp(min=0), reduction="none")  # [B]
        exists = cross_entropy(scores[:, 0, 7:], (polarity > 0).long(), reduction="none")  # [B]
        about_aspects = ((3.2 * missed[:, :2].mean(1) + feeling) * with_aspect).sum()
        return (
            8 * weighted_mean(exists, batch)
            + about_aspects / with_aspect.sum().clamp(min=1)
            + (missed[:, 2:].sum(1) * with_aspect).sum() / opinions
        )

    def elements(self, scores: Tensor, seen: Seen, batch: QuestionBatch[Tensor]) -> Elements:
        """Represent an answer by the mean of its words, a sentiment by what is pooled before it."""
        _, mask = mean_words(batch.mask[..., None].float(), batch.words)  # [B, W]
        counted = batch.weight > 0  # [B]
        with_aspect = counted & (batch.labels[:, 0, 4] > 0)  # [B]
        gold = torch.stack([with_aspect, torch.zeros_like(with_aspect)], 1)  # [B, 2]
        aspects, opinions = (
            Element(_mean_sides(seen[name][1], marks, mask), gold, gold.flip(1))
            for name, marks in (("aspect", batch.labels[..., :2]), ("opinion", batch.labels[..., 2:4]))
        )
        sentiment = Element(seen["sentiment"][0], with_aspect, counted & ~with_aspect)
        return Elements(aspects, opinions, sentiment)

    def _feeling(self, words: Tensor, aspect: Tensor, opinion: Tensor, mask: Tensor) -> Tensor:
        """Attend from every word to the aspect, fetch opinions, and pool the words, [B, H]."""
        # attention over nothing at all would give no number: a text without words attends to zeros
        ignored = ~mask & mask.any(1, keepdim=True)
        fetched, _ = self.attend(words, aspect, opinion, key_padding_mask=ignored, need_weights=False)
        return _highest(self.norm(words + self.drop(fetched)), mask)


def _mean_sides(states: Tensor, marks: Tensor, mask: Tensor) -> Tensor:
    """Average the words of the marked terms, and the rest of the text beside them, [B, W, H] -> [B, 2, H]."""
    starts, ends = marks.int().unbind(-1)  # [B, W] 1 at first words, 1 at last words
    inside = starts.cumsum(1) - ends.cumsum(1) + ends > 0
    return torch.stack([masked_mean(states, part) for part in (mask & inside, mask & ~inside)], 1)


def _highest(states: Tensor, mask: Tensor) -> Tensor:
    """Take the maximum over the words of a text, [B, W, H] -> [B, H]; zero where there are none."""
    return masked_max(states, mask) * mask.any(1, keepdim=True)
