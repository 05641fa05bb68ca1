"""Draw random gold and predicted quads over one short text, for tests against outside scorers."""

from random import Random

from aspectlab.data import Polarity, Quad, Span, Term

TEXT = "soup tea soup cake tea fine warm fine slow"
WORDS = ("soup", "tea", "cake", "fine", "warm", "slow")
POLARITIES = (Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL)


def draw_place(rng: Random) -> Term:
    """One word of the text at its place."""
    words = TEXT.split()
    index = rng.randrange(len(words))
    start = len(" ".join(words[:index])) + (index > 0)
    return Term(words[index], Span(start, start + len(words[index])))


def draw_term(rng: Random, unplaced: float) -> Term:
    """One word of the text, with the given chance without its place."""
    term = draw_place(rng)
    return Term(term.text) if rng.random() < unplaced else term


def draw_quads(rng: Random, most: int = 5, unplaced: float = 0.0) -> list[Quad]:
    """Up to `most` quads with all four parts."""
    return [
        Quad(
            draw_term(rng, unplaced),
            rng.choice(["food", "drinks"]),
            draw_term(rng, unplaced),
            rng.choice(POLARITIES),
        )
        for _ in range(rng.randint(0, most))
    ]


def draw_prediction(rng: Random, gold: list[Quad]) -> list[Quad]:
    """Keep most of the gold quads, add others, and mix the order, so that there is something to hit."""
    quads = [quad for quad in gold if rng.random() < 0.7] + draw_quads(rng, most=2)
    rng.shuffle(quads)
    return quads
