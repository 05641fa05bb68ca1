"""Repeats: one text may be the follow-up of several cases, and a model need read it only once."""

from __future__ import annotations

from collections.abc import Sequence

from aspectlab.data import Example, Quad
from aspectlab.metamorphic.answers import Predict


def ask_once(predict: Predict) -> Predict:
    """Ask a model, which must not look at ids, once for all examples of a call that are the same to it.

    >>> echo = ask_once(lambda examples: [[Quad(category=str(len(examples)))] for _ in examples])
    >>> [quads[0].category for quads in echo([Example("1", "Fine"), Example("2", "Fine")])]
    ['1', '1']
    """

    def ask(examples: Sequence[Example]) -> list[Sequence[Quad]]:
        different = {(example.text, example.quads): example for example in examples}
        answers = dict(zip(different, predict(list(different.values())), strict=True))
        return [answers[example.text, example.quads] for example in examples]

    return ask
