"""ADDDIFF (Xing et al., EMNLP 2020): append aspects whose sentiment differs from the target's; alone or after
REVTGT or REVNON.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import gcd
from random import Random

from aspectlab.data import OPPOSITE, Example, Polarity, Quad, Span, Term
from aspectlab.language import apply_replacements
from aspectlab.robustness.aspects import AspectMention, AspectSentence
from aspectlab.robustness.aspectset import Expression
from aspectlab.robustness.revnon import revnon
from aspectlab.robustness.revtgt import revtgt
from aspectlab.robustness.strategies import GenerationContext


def adddiff(
    sentence: AspectSentence, target: AspectMention, means: GenerationContext, rng: Random
) -> Example | None:
    """Append one to three clauses of another polarity about terms that the sentence lacks; the label stays.

    None where too few such terms are known. The appended aspects become quads of the variant.

    >>> from aspectlab.language import AntonymLexicon
    >>> from aspectlab.robustness.aspects import sketch
    >>> tea = sketch("Good/JJ tea/NN", {"tea": ("positive", "Good")})
    >>> dark = Expression("hall", "", " is dark", Polarity.NEGATIVE)
    >>> adddiff(tea, tea.aspects[0], GenerationContext(AntonymLexicon(), [dark], [1]), Random(1)).text
    'Good tea, but hall is dark.'
    """
    size = means.sizes[int(rng.random() * len(means.sizes))]
    chosen = _draw(sentence, target.polarity, size, means.expressions, rng)
    # where the training part has too few clauses for this draw, fewer that are allowed as well will do
    chosen = chosen[: max((fewer for fewer in means.sizes if fewer <= len(chosen)), default=0)]
    if not chosen:
        return None
    example = sentence.example
    end = _end(example)
    head, tail = _join(example.text[:end], [expression.text for expression in chosen])
    # in two steps: an opinion that ends in a mark loses the mark, and does not take in the clauses
    shorter = apply_replacements(example, [(Span(end, len(example.text)), "")])
    longer = apply_replacements(shorter, [(Span(end, end), head + tail + ".")])
    return _add_quads(longer, chosen, end + len(head))


def _draw(
    sentence: AspectSentence, polarity: Polarity, size: int, expressions: Sequence[Expression], rng: Random
) -> list[Expression]:
    """Draw expressions of another polarity, each about another new term; fewer where there are no more."""
    wanted = {OPPOSITE[polarity]} if polarity in OPPOSITE else set(OPPOSITE)
    text = sentence.example.text.lower()
    chosen: list[Expression] = []
    order = _shuffle(len(expressions), rng)
    while len(chosen) < size:
        named = [text, *(other.term for other in chosen)]
        terms = [*(aspect.term.text.lower() for aspect in sentence.aspects), *named[1:]]
        heads = {term.split(" ")[-1] for term in terms}
        candidate = next(
            (
                expression
                for expression in map(expressions.__getitem__, order)
                if expression.polarity in wanted
                and not any(_mentions(known, expression.term) for known in named)
                and heads.isdisjoint(expression.others)
            ),
            None,
        )
        if candidate is None:
            break
        chosen.append(candidate)
    return chosen


def _shuffle(size: int, rng: Random) -> Iterator[int]:
    """Walk over all places in random order without shuffling a list: most walks end after a few steps."""
    if size == 0:
        return
    place, step = int(rng.random() * size), int(rng.random() * size)
    while gcd(step, size) != 1:
        step += 1
    for _ in range(size):
        yield place
        place = (place + step) % size


def _mentions(text: str, term: str) -> bool:
    """Tell whether a text has the term or its head word, or a shorter term stands in the longer."""
    return term in text or text in term or term.split(" ")[-1].removesuffix("s") in text


def _end(example: Example) -> int:
    """Find where the sentence ends before its last marks; an aspect term that has them keeps them."""
    end = len(example.text.rstrip(" \t\r\n.?!"))
    # an opinion may lose its mark, which would stand before the connective: "a cut above., but"
    terms = (quad.aspect for quad in example.quads)
    return max([end, *(term.span.end for term in terms if term and term.span)])


def _join(text: str, clauses: Sequence[str]) -> tuple[str, str]:
    """Give the connective and the clauses as a list: "a", "a and b", "a, b and c"."""
    lower = text.lower()
    if not text:
        connective = ""
    elif "but" in lower or "although" in lower:
        connective = "; " if text[-1] not in ",;:" else " "
    else:
        connective = ", but " if text[-1] not in ",;:" else " but "
    listed = ", ".join(clauses[:-1]) + " and " + clauses[-1] if len(clauses) > 1 else clauses[0]
    return connective, listed


def _add_quads(example: Example, chosen: Sequence[Expression], start: int) -> Example:
    quads = []
    for expression in chosen:
        first = example.text.index(expression.text, start) + len(expression.before)
        span = Span(first, first + len(expression.term))
        quads.append(Quad(Term(expression.term, span), polarity=expression.polarity))
        start = span.end
    return replace(example, quads=(*example.quads, *quads))


def revtgt_adddiff(
    sentence: AspectSentence, target: AspectMention, means: GenerationContext, rng: Random
) -> Example | None:
    """Reverse the target, then append aspects that differ from its new polarity."""
    return _append(sentence, target, revtgt(sentence, target, means, rng), means, rng)


def revnon_adddiff(
    sentence: AspectSentence, target: AspectMention, means: GenerationContext, rng: Random
) -> Example | None:
    """Turn the other aspects against the target, then append more that differ from it."""
    return _append(sentence, target, revnon(sentence, target, means, rng), means, rng)


def _append(
    sentence: AspectSentence,
    target: AspectMention,
    example: Example | None,
    means: GenerationContext,
    rng: Random,
) -> Example | None:
    if example is None:
        return None
    following = sentence.with_example(example)
    turned = next(aspect for aspect in following.aspects if aspect.id == target.id)
    return adddiff(following, turned, means, rng)
