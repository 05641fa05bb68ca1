"""REVNON (Xing et al., EMNLP 2020): turn the other aspects against the target.

Those of the target's polarity are reversed, those of another are exaggerated. Negations are worded plainly.
"""

from __future__ import annotations

from random import Random

from aspectlab.data import Example, Polarity, Span
from aspectlab.language import Replacement, apply_replacements, match_case, reconcile, word_class
from aspectlab.robustness.aspects import AspectMention, AspectSentence, relabel
from aspectlab.robustness.negation import Words, insert_before, is_negation, lower_after
from aspectlab.robustness.negation_scope import LITTLE, is_head
from aspectlab.robustness.reversal import agree, contrast, places_in, reverse, touches_term
from aspectlab.robustness.strategies import GenerationContext

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
    sentence: AspectSentence, target: AspectMention, means: GenerationContext, rng: Random
) -> Example | None:
    """Reverse or exaggerate every other aspect that has opinion words of its own; None if none changes.

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
            edits += reverse(sentence, spans, means.lexicon, plain=True)
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
        (place for other in turned for place in other.quads),
    )


def _exaggerate(sentence: AspectSentence, opinion: Span, rng: Random) -> list[Replacement]:
    """Put a degree word before an opinion or for "a bit", or repeat one that is there ("very, very slow")."""
    places = places_in(sentence.words, opinion)
    if not places:
        return []
    first = places[0]
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


def _fitting(words: Words, place: int, before: str) -> tuple[str, ...]:
    """List the degree words that may stand before a word."""
    tag = words[place].tag
    if is_head(words, place):
        return ("absolute",)
    if is_negation(words[place]) or words[place].lower.removesuffix("ly") in _WHOLE:
        return ("absolutely",)
    if before in {"too", "not", "n't", "never"}:
        return ("really",)
    if tag in _BY_TAG:
        return _BY_TAG[tag]
    return DEGREES if word_class(tag) in {"ADJ", "ADV"} or tag == "VBN" else _ANYWHERE
