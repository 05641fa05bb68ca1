"""A predictor without a model: it knows a few words, so that what it finds can be checked by eye."""

import re
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Polarity, Quad, Span, Term
from tests.support.quad_predictor import QUADS

WORDS = {
    "lovely": Polarity.POSITIVE,
    "great": Polarity.POSITIVE,
    "curt": Polarity.NEGATIVE,
    "loud": Polarity.NEGATIVE,
    "plain": Polarity.NEUTRAL,
}
_PAIR = re.compile(rf"\b(\w+) (?:was|is) ({'|'.join(WORDS)})\b")
_MANY = re.compile(r"^many (\d+)")
_PAUSE = re.compile(r"^pause (\d+) ms")


class PhrasePredictor:
    """Finds `ASPECT was WORD`; `pause 50 ms` takes as long as that, `many 50` finds as many, `fail` fails.

    Of a few sentences it gives quads with what is not named.
    """

    identity = "keywords"

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        return [tuple(_find(text)) for text in texts]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # as many directions as letters: other words, other vectors
        rows = [[text.lower().count(letter) + 0.01 for letter in "aeiorstn"] for text in texts]
        return np.array(rows, np.float32).reshape(-1, 8)


def _find(text: str) -> list[Quad]:
    if text == "fail":
        raise RuntimeError("as asked for")
    if text in QUADS:
        return list(QUADS[text])
    if pause := _PAUSE.match(text):
        time.sleep(int(pause[1]) / 1000)
    if many := _MANY.match(text):
        return [Quad(aspect=Term(text[:4], Span(0, 4)), polarity=Polarity.NEUTRAL)] * int(many[1])
    return [
        Quad(
            aspect=Term(match[1], Span(*match.span(1))),
            opinion=Term(match[2], Span(*match.span(2))),
            polarity=WORDS[match[2]],
            confidence={WORDS[match[2]].value: 0.9},
        )
        for match in _PAIR.finditer(text)
    ]
