"""Made-up segments with every kind of annotation, by seed: what goes to annotation tools."""

import random
from collections.abc import Callable, Sequence

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term

ASPECTS = ["seat", "boot", "gear stick", "naïve app", "screen 📱", "Lüftung", "手刹", "👩‍🚗 mode"]
OPINIONS = ["soft", "far too loud", "not bad", "😍", "a joke", "größer", "solid as a rock", "«so-so»"]
IMPLICIT = ["comfort", "height", "value for money", "a | b", '12" rim', "-", "café 🚗", " padded "]
CATEGORIES = [None, "quality", "cost & value", "<style>"]
OPENINGS = ["Well, ", "🚗 ", "On a wet day\n", "", "So – ", "“Look!” ", "e\u0301tonnant: ", "\t"]
PARTS = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})

Make = Callable[[random.Random, str], tuple[str, list[Quad]]]


def make_segments(number: int, seed: int, *, categories: bool = True) -> tuple[Example, ...]:
    """Make so many segments; every kind comes equally often."""
    rng = random.Random(f"segments {seed}")
    return tuple(_make(rng, index, KINDS[index % len(KINDS)], categories) for index in range(number))


def make_corpus(number: int = 40, seed: int = 1, *, categories: bool = True) -> Corpus:
    """Make a corpus of segments."""
    examples = make_segments(number, seed, categories=categories)
    parts = PARTS | ({Part.CATEGORY} if categories else set())
    return Corpus("made up", "en", frozenset(parts), examples)


def change(example: Example, rng: random.Random) -> Example:
    """Return what a second annotator might make of a segment: a label less, or another polarity."""
    quads = list(example.quads)
    if quads and rng.random() < 0.3:
        quads.pop(rng.randrange(len(quads)))
    if quads and rng.random() < 0.4:
        last = quads.pop()
        quads.append(Quad(last.aspect, last.category, last.opinion, Polarity.NEUTRAL))
    return Example(example.id, example.text, tuple(quads), example.source, example.variant)


def _make(rng: random.Random, index: int, kind: Make, categories: bool) -> Example:
    text, quads = kind(rng, rng.choice(OPENINGS))
    if categories:
        quads = [Quad(q.aspect, rng.choice(CATEGORIES), q.opinion, q.polarity) for q in quads]
    source = "first" if index % 20 == 7 else None
    return Example(f"made-{index}", text, tuple(quads), source, source and "revtgt")


def _place(text: str, term: str, after: int = 0) -> Term:
    start = text.index(term, after)
    return Term(term, Span(start, start + len(term)))


def _polarity(rng: random.Random) -> Polarity:
    return rng.choice(list(Polarity))


def _pair(rng: random.Random, opening: str) -> tuple[str, list[Quad]]:
    """One aspect, one opinion."""
    aspect, opinion = rng.choice(ASPECTS), rng.choice(OPINIONS)
    text = f"{opening}the {aspect} is {opinion} 🙂."
    start = len(opening)
    return text, [Quad(_place(text, aspect, start), None, _place(text, opinion, start), _polarity(rng))]


def _shared_aspect(rng: random.Random, opening: str) -> tuple[str, list[Quad]]:
    """Two opinions about one aspect, with polarities of their own."""
    aspect, (one, other) = rng.choice(ASPECTS), rng.sample(OPINIONS, 2)
    text = f"{opening}the {aspect}: {one}, but {other}."
    start = len(opening)
    return text, [
        Quad(_place(text, aspect, start), None, _place(text, opinion, start), polarity)
        for opinion, polarity in ((one, Polarity.POSITIVE), (other, Polarity.NEGATIVE))
    ]


def _shared_opinion(rng: random.Random, opening: str) -> tuple[str, list[Quad]]:
    """One opinion about two aspects."""
    (one, other), opinion = rng.sample(ASPECTS, 2), rng.choice(OPINIONS)
    text = f"{opening}{one} and {other}, {opinion}!"
    last = _place(text, opinion, len(opening) + len(one) + len(other))
    return text, [Quad(_place(text, aspect), None, last, _polarity(rng)) for aspect in (one, other)]


def _overlapping(rng: random.Random, opening: str) -> tuple[str, list[Quad]]:
    """An aspect within its opinion, and the same words twice with two polarities."""
    aspect = rng.choice(ASPECTS)
    phrase = f"a proper {aspect} 👍"
    text = f"{opening}That is {phrase}."
    quad = Quad(_place(text, aspect, len(opening)), None, _place(text, phrase), Polarity.POSITIVE)
    return text, [quad, Quad(quad.aspect, None, quad.opinion, Polarity.NEUTRAL)]


def _implicit_aspect(rng: random.Random, opening: str) -> tuple[str, list[Quad]]:
    """An opinion whose aspect is not said, once named and once not, beside one that is said."""
    aspect, opinion = rng.choice(ASPECTS), rng.choice(OPINIONS)
    text = f"{opening}{aspect}? It is {opinion}."
    term, named = _place(text, opinion, len(opening) + len(aspect)), Term(rng.choice(IMPLICIT))
    return text, [Quad(aspect, None, term, _polarity(rng)) for aspect in (_place(text, aspect), named, None)]


def _implicit_opinion(rng: random.Random, opening: str) -> tuple[str, list[Quad]]:
    """An aspect whose opinion is not said, once named and once not."""
    aspect = rng.choice(ASPECTS)
    text = f"{opening}as for the {aspect} 🤷…"
    term = _place(text, aspect, len(opening))
    return text, [Quad(term, None, opinion, _polarity(rng)) for opinion in (Term(rng.choice(IMPLICIT)), None)]


def _unplaced(rng: random.Random, opening: str) -> tuple[str, list[Quad]]:
    """Opinions of which nothing stands in the text."""
    named = [Term(name) for name in rng.sample(IMPLICIT, 3)]
    return f"{opening}I would buy it again.", [
        Quad(named[0], None, named[1], _polarity(rng)),
        Quad(named[2], None, None, _polarity(rng)),
        Quad(None, None, None, Polarity.NEGATIVE),
        Quad(None, None, named[0], None),
    ]


def _without_polarity(rng: random.Random, opening: str) -> tuple[str, list[Quad]]:
    """Terms that nobody has judged yet."""
    aspect, opinion = rng.choice(ASPECTS), rng.choice(OPINIONS)
    text = f"{opening}{aspect}: {opinion}"
    terms = _place(text, aspect), _place(text, opinion, len(opening) + len(aspect))
    return text, [Quad(terms[0], None, terms[1]), Quad(terms[0])]


def _empty(rng: random.Random, opening: str) -> tuple[str, list[Quad]]:
    """A text without opinions."""
    return f"{opening}we set off at {rng.randint(5, 11)} 🕖.", []


KINDS: Sequence[Make] = [
    *(_pair, _shared_aspect, _shared_opinion, _overlapping, _implicit_aspect, _implicit_opinion),
    *(_unplaced, _without_polarity, _empty, _pair),
]
