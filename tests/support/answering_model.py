"""A model that knows the answers: it talks with an encoding through every round, as predicting does."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings import WordList
from aspectlab.encodings.base import MultiTurnEncoding, Turn, WordQuad, WordSpan, encode_texts
from aspectlab.encodings.mrc import Question, QuestionItem
from aspectlab.metrics import METRICS
from aspectlab.readers import read
from aspectlab.tasks import TASKS

VOCABULARY = WordList({})
SURE = 20.0

Answer = Callable[[Question, Sequence[WordQuad]], NDArray[np.float32]]
"""Scores for a question, from the question and the gold quads of its text."""


def triplets(text: str, *told: tuple[str, str, str]) -> Example:
    """Make an example of aspects, opinions and polarities; a term stands where it first occurs."""
    terms = {
        word: Term(word, Span(text.index(word), text.index(word) + len(word))) for t in told for word in t[:2]
    }
    return Example("1", text, tuple(Quad(terms[a], None, terms[o], Polarity(p)) for a, o, p in told))


def marks(question: Question, *answers: Sequence[WordSpan]) -> NDArray[np.float32]:
    """Assign a sure score to the first and the last words of some answers, [W, 2 * answers]."""
    scores = np.zeros((len(question.text.offsets), 2 * len(answers)), np.float32)
    for kind, spans in enumerate(answers):
        for first, last in spans:
            scores[first, 2 * kind] = scores[last, 2 * kind + 1] = SURE
    return scores


def converse(
    encoding: MultiTurnEncoding, examples: Sequence[Example], answer: Answer
) -> tuple[list[list[Turn]], list[tuple[Quad, ...]]]:
    """Ask and answer until nothing is left to ask; give all rounds, and the conclusion."""
    gold = {
        (item.example, start): item.quads
        for item in encode_texts(VOCABULARY, examples, with_opinions=True)
        for start, _ in item.offsets[:1]
    }
    rounds: list[list[Turn]] = []
    items = encoding.open(examples)
    while items:
        asked = [item for item in items if isinstance(item, QuestionItem)]
        known = (gold.get(item.question.window, ()) for item in asked)
        turns = zip(asked, known, strict=True)
        rounds.append([Turn(item, answer(item.question, quads)) for item, quads in turns])
        items = encoding.follow(rounds, examples)
    return rounds, encoding.conclude(rounds, examples)


def ceiling(encoding: MultiTurnEncoding, folder: Path, name: str, answer: Answer) -> float:
    """Measure the F1 of a model that knows all answers, on a published test set."""
    corpus = read(folder / "aste" / "ASTE-Data-V2-EMNLP2020" / name / "test_triplets.txt")
    metric = METRICS["tuple-f1"](TASKS["aste"])
    _, found = converse(encoding, list(corpus), answer)
    pairs = zip(corpus, found, strict=True)
    total = sum(metric.count(example.quads, quads) for example, quads in pairs)
    return round(100 * float(metric.score(total)["f1"]), 2)


def f1_without(lost: int, count: int) -> float:
    """Return the F1 of a model that finds all of some triplets but a few, and nothing else."""
    return round(200 * (count - lost) / (2 * count - lost), 2)
