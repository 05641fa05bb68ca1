"""Masking: let a model see the unknown word of its own vocabulary where a follow-up has [UNK]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aspectlab.data import Example, Quad, Term
from aspectlab.metamorphic.answers import Predict
from aspectlab.metamorphic.means import MASK


def mask_by(predict: Predict, unknown: str) -> Predict:
    """Put another mask of the same length, so that all places stay, before a model; answers get [UNK] back.

    >>> echo = mask_by(lambda examples: [[Quad(Term(examples[0].text))]], "<unk>")
    >>> echo([Example("1", "[UNK]")])[0][0].aspect
    Term(text='[UNK]', span=None)
    """
    assert len(unknown) == len(MASK), f"{unknown!r} would move the words after it"
    if unknown == MASK:
        return predict

    def ask(examples: Sequence[Example]) -> list[list[Quad]]:
        masked = [put_mask(example, unknown) for example in examples]
        return [[_swap(quad, unknown, MASK) for quad in quads] for quads in predict(masked)]

    return ask


def put_mask(example: Example, unknown: str) -> Example:
    """Put another mask of the same length where an example has [UNK].

    >>> put_mask(Example("1", "The [UNK] is nice"), "<unk>").text
    'The <unk> is nice'
    """
    quads = tuple(_swap(quad, MASK, unknown) for quad in example.quads)
    return replace(example, text=example.text.replace(MASK, unknown), quads=quads)


def _swap(quad: Quad, old: str, new: str) -> Quad:
    return replace(quad, aspect=_swap_term(quad.aspect, old, new), opinion=_swap_term(quad.opinion, old, new))


def _swap_term(term: Term | None, old: str, new: str) -> Term | None:
    return term if term is None else replace(term, text=term.text.replace(old, new))
