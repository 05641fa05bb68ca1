"""Encodings that write: a vocabulary of all words of some texts, and the way there and back."""

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from aspectlab.data import Example, Quad
from aspectlab.encodings import Encoding, WordList
from aspectlab.encodings.base import MultiTurnEncoding, Turn
from aspectlab.language import word_spans
from aspectlab.metrics import METRICS
from aspectlab.readers import read
from aspectlab.tasks import TASKS


def words_of(examples: Iterable[Example]) -> WordList:
    """Number every word, so that two tokens are equal if and only if the words are."""
    texts = [example.text.lower() for example in examples]
    words = {text[start:end]: None for text in texts for start, end in word_spans(text)}
    return WordList({word: number for number, word in enumerate(words, start=2)})


def there_and_back(encoding: Encoding, examples: list[Example]) -> list[tuple[Quad, ...]]:
    """Write what gold says, and read it again."""
    items = encoding.encode(examples)
    written = encoding.collate(items).labels.astype(np.float32)
    if isinstance(encoding, MultiTurnEncoding):
        return encoding.conclude([[Turn(*turn) for turn in zip(items, written, strict=True)]], examples)
    found: list[dict[Quad, None]] = [{} for _ in examples]
    for item, quads in zip(items, encoding.decode(written, items, examples), strict=True):
        found[item.example] |= dict.fromkeys(quads)
    return [tuple(quads) for quads in found]


def ceiling(build: Callable[[WordList], Encoding], folder: Path, name: str) -> float:
    """Measure the F1 of gold that was written and read again, on a published test set."""
    corpus = list(read(folder / "aste" / "ASTE-Data-V2-EMNLP2020" / name / "test_triplets.txt"))
    metric = METRICS["tuple-f1"](TASKS["aste"])
    found = there_and_back(build(words_of(corpus)), corpus)
    total = sum(metric.count(gold.quads, quads) for gold, quads in zip(corpus, found, strict=True))
    return round(100 * float(metric.score(total)["f1"]), 2)
