"""The strategies of ARTS (Xing et al., EMNLP 2020): one function and one line in the table each.

REVTGT reverses the target, REVNON turns the other aspects against it, ADDDIFF appends aspects that differ.
Unlike the paper: the most common antonym is taken, not a random one; verbs are negated with do-support; the
clauses of ADDDIFF are templates of term and opinion word, as in the released files, unless others are asked
for.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd
from random import Random

from aspectlab.data import OPPOSITE, Example, Polarity, Quad, Span, Term
from aspectlab.language import AntonymLexicon, match_case, word_class
from aspectlab.registry import Registry
from aspectlab.robustness.aspects import AspectMention, AspectSentence, relabel
from aspectlab.robustness.aspectset import Expression
from aspectlab.robustness.edits import LITTLE, Replacement, Words, apply_replacements, is_head, reconcile
from aspectlab.robustness.negation import insert_before, is_negation, lower_after
from aspectlab.robustness.reversal import (
    agree,
    contrast,
    drop_too,
    positions_in,
    reverse,
    stands_alone,
    touches_term,
)


@dataclass(frozen=True, slots=True)
class GenerationContext:
    """The antonyms, the expressions that ADDDIFF may append and how many of them, and the wording.

    REVTGT puts "not" right before the opinion ("is very not good", "a not gem"), as the released test sets
    mostly do, and negates inflected words ("not slower"); plain wording puts it where English does ("is not
    very good") and exchanges inflected words too ("faster").
    """

    lexicon: AntonymLexicon
    expressions: Sequence[Expression] = ()
    sizes: Sequence[int] = (1, 2, 3)
    plain: bool = False


Strategy = Callable[[AspectSentence, AspectMention, GenerationContext, Random], Example | None]
"""`strategy(sentence, target, means, rng)`: a pure function; None where it does not apply."""

STRATEGIES: Registry[Strategy] = Registry(
    "strategy",
    {
        "revtgt": "aspectlab.robustness.strategies:revtgt",
        "revnon": "aspectlab.robustness.strategies:revnon",
        "adddiff": "aspectlab.robustness.strategies:adddiff",
        "revtgt+adddiff": "aspectlab.robustness.strategies:revtgt_adddiff",
        "revnon+adddiff": "aspectlab.robustness.strategies:revnon_adddiff",
    },
)


def revtgt(
    sentence: AspectSentence, target: AspectMention, context: GenerationContext, rng: Random
) -> Example | None:
    """REVTGT: reverse all opinions of the target and its label; None if it has none. A neutral label stays.

    >>> from aspectlab.language import AntonymLexicon
    >>> from aspectlab.robustness.aspects import sketch
    >>> lamp = sketch("A/DT cheap/JJ lamp/NN", {"lamp": ("positive", "cheap")})
    >>> revtgt(lamp, lamp.aspects[0], GenerationContext(AntonymLexicon()), Random(1)).text
    'An expensive lamp'
    """
    edits = reverse(sentence, target.opinions, context.lexicon, plain=context.plain)
    if not edits:
        return None
    edits += agree(sentence, set(target.opinions), edits)
    if stands_alone(sentence, target):
        contrasts = contrast(sentence, target, set(target.opinions))
        edits += [*contrasts, *drop_too(sentence, target.opinions)] if contrasts else []
    return relabel(apply_replacements(sentence.example, reconcile(edits)), target.quads)


DEGREES = ("absolutely", "awfully", "decidedly", "extremely", "incredibly", "really", "very")
"""The degree words of the original that exaggerate any adjective: "fairly" does not, "fully slow" is odd."""

_BY_TAG = {"JJS": ("very",), "RBS": ("very",), "JJR": ("decidedly",), "RBR": ("decidedly",)}
_ANYWHERE = ("really",)
_WHOLE = (
    "free",
    "perfect",
    "excellent",
    "delicious",
    "amazing",
    "superb",
    "outstanding",
    "fantastic",
    "wonderful",
)
"""Words that say the utmost by themselves: "absolutely perfect", but hardly "very perfect"."""


def revnon(
    sentence: AspectSentence, target: AspectMention, context: GenerationContext, rng: Random
) -> Example | None:
    """REVNON: turn every other aspect that has opinion words of its own; None if none changes.

    Those of the target's polarity are reversed, those of another are exaggerated. Negations are worded
    plainly.

    >>> from aspectlab.language import AntonymLexicon
    >>> from aspectlab.robustness.aspects import sketch
    >>> opinions = {"tea": ("positive", "good"), "cup": ("positive", "clean")}
    >>> pair = sketch("The/DT tea/NN is/VBZ good/JJ and/CC the/DT cup/NN clean/JJ", opinions)
    >>> revnon(pair, pair.aspects[0], GenerationContext(AntonymLexicon()), Random(1)).text
    'The tea is good but the cup dirty'
    """
    turned: list[AspectMention] = []
    reversed_opinions: list[Span] = []
    edits: list[Replacement] = []
    touched: set[Span] = set()
    for other in sentence.aspects:
        spans = [span for span in other.opinions if span not in touched]
        if other is target or set(other.opinions) & set(target.opinions):
            continue
        if other.polarity is not target.polarity:
            degrees = [_exaggerate(sentence, span, rng) for span in spans]
            # an opinion may stand inside a term: its degree word, which comes first, would be a part of it
            edits += [edit for some in degrees if not touches_term(sentence, some[:1]) for edit in some]
        elif target.polarity is Polarity.NEUTRAL:
            continue
        else:
            edits += reverse(sentence, spans, context.lexicon, plain=True)
            reversed_opinions += spans
            # its words may have been reversed already, for an aspect that shares them
            turned += [other] if set(other.opinions) & set(reversed_opinions) else []
        touched.update(spans)
    if not edits:
        return None
    edits += agree(sentence, set(reversed_opinions), edits)
    if turned:
        edits += contrast(sentence, target, set(reversed_opinions), torn=True)
    return relabel(
        apply_replacements(sentence.example, reconcile(edits)),
        (position for other in turned for position in other.quads),
    )


def _exaggerate(sentence: AspectSentence, opinion: Span, rng: Random) -> list[Replacement]:
    """Insert a degree word before an opinion or for "a bit", or repeat one there ("very, very slow")."""
    positions = positions_in(sentence.words, opinion)
    if not positions:
        return []
    first = positions[0]
    before = sentence.words[first - 1].lower if first else ""
    if before in {*DEGREES, "so"}:
        end = sentence.words[first - 1].span.end
        return [(Span(end, end), f", {before}")]
    fitting = _fitting(sentence.words, first, before)
    chosen = fitting[int(rng.random() * len(fitting))]
    if before in LITTLE and first > 1 and sentence.words[first - 2].lower == "a":
        little = Span(sentence.words[first - 2].span.start, sentence.words[first - 1].span.end)
        return [(little, match_case(chosen, sentence.words[first - 2].text))]
    edits = insert_before(sentence.words, first, chosen)
    return [*edits, *lower_after(sentence.words, edits)]


def _fitting(words: Words, position: int, before: str) -> tuple[str, ...]:
    """List the degree words that may stand before a word."""
    tag = words[position].tag
    if is_head(words, position):
        return ("absolute",)
    if is_negation(words[position]) or words[position].lower.removesuffix("ly") in _WHOLE:
        return ("absolutely",)
    if before in {"too", "not", "n't", "never"}:
        return ("really",)
    if tag in _BY_TAG:
        return _BY_TAG[tag]
    return DEGREES if word_class(tag) in {"ADJ", "ADV"} or tag == "VBN" else _ANYWHERE


def adddiff(
    sentence: AspectSentence, target: AspectMention, context: GenerationContext, rng: Random
) -> Example | None:
    """ADDDIFF: append one to three clauses of another polarity about terms that the sentence lacks.

    The label stays. The appended aspects become quads of the variant. None where too few terms are known.

    >>> from aspectlab.language import AntonymLexicon
    >>> from aspectlab.robustness.aspects import sketch
    >>> tea = sketch("Good/JJ tea/NN", {"tea": ("positive", "Good")})
    >>> dark = Expression("hall", "", " is dark", Polarity.NEGATIVE)
    >>> adddiff(tea, tea.aspects[0], GenerationContext(AntonymLexicon(), [dark], [1]), Random(1)).text
    'Good tea, but hall is dark.'
    """
    size = context.sizes[int(rng.random() * len(context.sizes))]
    chosen = _draw(sentence, target.polarity, size, context.expressions, rng)
    # where the training part has too few clauses for this draw, fewer that are allowed as well will do
    chosen = chosen[: max((fewer for fewer in context.sizes if fewer <= len(chosen)), default=0)]
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
    """Walk over all positions in random order without shuffling a list: most walks end after a few steps."""
    if size == 0:
        return
    position, step = int(rng.random() * size), int(rng.random() * size)
    while gcd(step, size) != 1:
        step += 1
    for _ in range(size):
        yield position
        position = (position + step) % size


def _mentions(text: str, term: str) -> bool:
    """Return whether a text has the term or its head word, or a shorter term stands in the longer."""
    return term in text or text in term or term.split(" ")[-1].removesuffix("s") in text


def _end(example: Example) -> int:
    """Find where the sentence ends before its last marks; an aspect term that has them keeps them."""
    end = len(example.text.rstrip(" \t\r\n.?!"))
    # an opinion may lose its mark, which would stand before the connective: "a cut above., but"
    terms = (quad.aspect for quad in example.quads)
    return max([end, *(term.span.end for term in terms if term and term.span)])


def _join(text: str, clauses: Sequence[str]) -> tuple[str, str]:
    """Return the connective and the clauses as a list: "a", "a and b", "a, b and c"."""
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
    sentence: AspectSentence, target: AspectMention, context: GenerationContext, rng: Random
) -> Example | None:
    """Reverse the target, then append aspects that differ from its new polarity."""
    return _append(sentence, target, revtgt(sentence, target, context, rng), context, rng)


def revnon_adddiff(
    sentence: AspectSentence, target: AspectMention, context: GenerationContext, rng: Random
) -> Example | None:
    """Turn the other aspects against the target, then append more that differ from it."""
    return _append(sentence, target, revnon(sentence, target, context, rng), context, rng)


def _append(
    sentence: AspectSentence,
    target: AspectMention,
    example: Example | None,
    context: GenerationContext,
    rng: Random,
) -> Example | None:
    if example is None:
        return None
    following = sentence.with_example(example)
    turned = next(aspect for aspect in following.aspects if aspect.id == target.id)
    return adddiff(following, turned, context, rng)
