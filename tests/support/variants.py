"""A robustness test set small enough to count by hand."""

from dataclasses import replace

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term

PARTS = frozenset({Part.ASPECT, Part.POLARITY})
POSITIVE, NEGATIVE, NEUTRAL = Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL

BOTH = "The tea is fine but the cup is dirty."
# id, text, aspect, polarity, source, variant
ROWS = [
    ("s1_0", BOTH, "tea", POSITIVE, None, None),
    ("s1_0_adv1", "The tea is not fine and the cup is dirty.", "tea", NEGATIVE, "s1_0", "revtgt"),
    ("s1_0_adv2", "The tea is fine and the cup is clean.", "tea", POSITIVE, "s1_0", "revnon"),
    ("s1_0_adv3", BOTH + " I hate the spoon.", "tea", POSITIVE, "s1_0", "adddiff"),
    ("s1_1", BOTH, "cup", NEGATIVE, None, None),
    ("s1_1_adv3", BOTH + " I like the spoon.", "cup", NEGATIVE, "s1_1", "adddiff"),
    ("s2_0", "We had the soup.", "soup", NEUTRAL, None, None),
    ("s2_0_adv1", "We had not the soup.", "soup", NEUTRAL, "s2_0", "revtgt"),
    ("s2_0_adv3", "We had the soup, but I hate the bowl.", "soup", NEUTRAL, "s2_0", "adddiff"),
]
WRONG = ("s1_0_adv1", "s2_0")


def make_example(
    name: str, text: str, aspect: str, polarity: Polarity, source: str | None, variant: str | None
) -> Example:
    start = text.index(aspect)
    quad = Quad(Term(aspect, Span(start, start + len(aspect))), polarity=polarity)
    return Example(name, text, (quad,), source, variant)


GOLD = Corpus("made", "en", PARTS, tuple(make_example(*row) for row in ROWS))


def relabel(example: Example, polarity: Polarity) -> Example:
    return replace(example, quads=tuple(replace(quad, polarity=polarity) for quad in example.quads))


def predict_wrongly(*names: str) -> Corpus:
    """The gold labels, but for these examples."""
    flipped = (
        relabel(e, NEGATIVE if e.quads[0].polarity is POSITIVE else POSITIVE) if e.id in names else e
        for e in GOLD
    )
    return GOLD.with_examples(flipped)
