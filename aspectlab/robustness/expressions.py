"""Expressions: short clauses about one aspect, made of the terms and opinion words of a training corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from aspectlab.data import Polarity
from aspectlab.language.inflection import is_plural
from aspectlab.language.tagging import TaggedWord
from aspectlab.robustness.negation import is_negation
from aspectlab.robustness.reversal import places_in
from aspectlab.robustness.sentences import Aspect, Sentence

_VERBS = {
    **dict.fromkeys(("love", "like", "enjoy", "recommend", "adore"), Polarity.POSITIVE),
    **dict.fromkeys(("hate", "dislike", "detest", "avoid"), Polarity.NEGATIVE),
}
_SHIFTERS = frozenset(
    {"too", "less", "than", "if", "without", "n't", "nt", "lack", "could", "would", "should"}
)
_VAGUE = frozenset(
    {
        *("much", "many", "few", "more", "other", "able", "wrong", "right", "worth", "ready", "due", "such"),
        *("delighted", "happy", "pleased", "impressed", "disappointed", "satisfied", "little", "enough"),
        *("same", "only", "edible", "evident", "real", "particular"),
    }
)
"""Adjectives that say little about a thing, or something about a person only."""

_LONGEST = 4
"""How many words a term may have that is named in a new sentence."""

_ENOUGH = 100
"""How many expressions of common words make those of rare words unnecessary."""

_WINDOW = 3
"""How many words before an opinion may turn it round."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A clause such as "the hall is dark": its term, the words around it, and its polarity."""

    term: str
    before: str
    after: str
    polarity: Polarity
    others: tuple[str, ...] = ()  # nouns beside the term; a sentence about one of them cannot take the clause

    @property
    def text(self) -> str:
        """The clause."""
        return f"{self.before}{self.term}{self.after}"


def collect_expressions(sentences: Iterable[Sentence]) -> tuple[Expression, ...]:
    """Make one expression of each pair of a term and an opinion word that says its polarity by itself.

    Opinion words that are negated, or that mostly express another polarity, would say the wrong thing once
    they stand alone.

    >>> from aspectlab.robustness.sentences import sketch
    >>> hall = sketch("The/DT hall/NN is/VBZ dark/JJ", {"hall": ("negative", "dark")})
    >>> beds = sketch("The/DT beds/NNS look/VBP dark/JJ", {"beds": ("negative", "dark")})
    >>> [expression.text for expression in collect_expressions([hall, beds])]
    ['the hall is dark', 'the beds are dark']
    """
    known = [(sentence, aspect) for sentence in sentences for aspect in sentence.aspects]
    signs = count_signs(known)
    found = dict.fromkeys(expression for pair in known for expression in _express(*pair, signs))
    return keep_common(found, [sentence for sentence, _ in known])


def keep_common(
    found: Iterable[Expression], sentences: Iterable[Sentence], *, whole: bool = False
) -> tuple[Expression, ...]:
    """Leave terms out that were written once, if enough is left: they may be slips of the pen.

    With `whole`, that goes for every word of an expression.
    """
    every = tuple(found)
    texts = {sentence.example.text: sentence.words for sentence in sentences}
    counts = Counter(word.lower for words in texts.values() for word in words)
    wording = ((one, one.text.lower() if whole else one.term) for one in every)
    common = tuple(one for one, text in wording if all(counts[word] > 1 for word in text.split()))
    return common if len(common) >= _ENOUGH else every


Signs = dict[str, Counter[Polarity]]
"""How often an opinion phrase was written with each polarity."""


def count_signs(pairs: Iterable[tuple[Sentence, Aspect]]) -> Signs:
    """Count the polarities of all opinion phrases."""
    signs: Signs = {}
    for sentence, aspect in pairs:
        for start, end in aspect.opinions:
            word = sentence.example.text[start:end].lower()
            signs.setdefault(word, Counter())[aspect.polarity] += 1
    return signs


def _express(sentence: Sentence, aspect: Aspect, signs: Signs) -> Iterator[Expression]:
    if aspect.polarity is Polarity.NEUTRAL:
        return
    assert aspect.term.span is not None
    inside = places_in(sentence.words, aspect.term.span)
    if not is_plain_term([sentence.words[place] for place in inside]):
        return
    term = aspect.term.text.lower()
    verb = "are" if takes_are(sentence, inside) else "is"
    for opinion in aspect.opinions:
        places = places_in(sentence.words, opinion)
        if len(places) != 1 or not _says_alone(sentence, places[0], aspect.polarity, signs):
            continue
        word = sentence.words[places[0]]
        if word.lower in term.split():
            continue  # "the fresh bread is fresh"
        if word.lower in _VERBS and word.tag in {"VB", "VBP"}:
            yield Expression(term, f"I {word.lower} the ", "", aspect.polarity)
        elif word.tag == "JJ":
            yield Expression(term, "the ", f" {verb} {word.lower}", aspect.polarity)
        elif word.tag == "JJS":
            yield Expression(term, "the ", f" {verb} the {word.lower}", aspect.polarity)


def is_plain_term(term: Sequence[TaggedWord]) -> bool:
    """Tell whether a term is a short noun phrase without marks, clauses and articles."""
    tags = [word.tag for word in term]
    return (
        len(term) <= _LONGEST
        and all(word.text.isalpha() for word in term)
        and any(tag.startswith("NN") for tag in tags)
        and not any(tag in {"DT", "PRP", "PRP$", "MD", "VBP", "VBD"} for tag in tags)
    )


def is_vague(opinion: str) -> bool:
    """Tell whether an opinion says little about a thing."""
    return opinion in _VAGUE


def takes_are(sentence: Sentence, inside: list[int]) -> bool:
    """Look at the head of a term: its last noun before a preposition; two joined by "and" are plural."""
    words = [sentence.words[place] for place in inside]
    if any(word.lower in {"and", "&"} for word in words):
        return True
    cut = next((n for n, word in enumerate(words) if n and word.tag in {"IN", "TO"}), len(words))
    return is_plural(words[cut - 1].text, words[cut - 1].tag)


def _says_alone(sentence: Sentence, place: int, polarity: Polarity, signs: Signs) -> bool:
    words = sentence.words
    window = words[max(0, place - _WINDOW) : place]
    if words[place].lower in _VAGUE or not words[place].text.isalpha():
        return False
    if any(is_negation(w) or w.lower in _SHIFTERS for w in window):
        return False
    if any(w.lower in {"neither", "nor"} for w in words[:place]):  # "neither the tea nor the cup was good"
        return False
    if _VERBS.get(words[place].lower, polarity) is not polarity:
        return False
    return is_usual(signs, words[place].lower, polarity)


def is_usual(signs: Signs, opinion: str, polarity: Polarity) -> bool:
    """Tell whether an opinion was written with this polarity more than once, and seldom with another."""
    # an annotation that cuts a word was counted as its letters, so that the whole word may be unknown
    counts = signs.get(opinion, Counter())
    return counts[polarity] >= 2 and counts[polarity] >= 0.8 * counts.total()
