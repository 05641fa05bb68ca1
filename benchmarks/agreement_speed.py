"""Time agreement of 2 annotators on 5,000 made segments: python benchmarks/agreement_speed.py.

Embedding is that of the shipped model where it is installed, and letters otherwise. Must stay under 60 s.
"""

from __future__ import annotations

from random import Random
from time import perf_counter

from aspectlab.annotation import (
    AgreementPlan,
    AnnotationSheet,
    Panel,
    Similarity,
    build_panel,
    choose_wording,
    load_similarity,
    measure_agreement,
)
from aspectlab.data import Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import MissingPartError
from aspectlab.runtime import load_predictor

SEGMENTS, LIMIT_S = 5_000, 60
ASPECTS = ["seat", "engine", "rear door", "boot", "steering wheel", "gearbox", "ride", "screen", "price"]
OPINIONS = ["soft", "loud", "very solid", "hard to reach", "smooth", "cheap", "bright", "too high", "fine"]


def make_panel(segments: int, rng: Random) -> Panel:
    """Make segments of about 60 words and up to 6 triples; the second annotator changes about a third."""
    anna, ben = [], []
    for number in range(segments):
        phrases = [(rng.choice(ASPECTS), rng.choice(OPINIONS)) for _ in range(rng.randrange(7))]
        noun = f"model {number % 997}"
        text = "".join(f"On the {noun} the {aspect} is {opinion}. " for aspect, opinion in phrases)
        text += "And so we drive on along the coast road in the rain. " * 3
        quads = [make_quad(text, *phrase, rng) for phrase in phrases]
        kept = [quad for quad in quads if rng.random() > 0.15]
        anna.append(Example(str(number), text, tuple(quads)))
        ben.append(Example(str(number), text, tuple(shorten(quad, rng) for quad in kept)))
    parts = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
    return build_panel(
        [AnnotationSheet("anna", "en", parts, tuple(anna)), AnnotationSheet("ben", "en", parts, tuple(ben))]
    )


def make_quad(text: str, aspect: str, opinion: str, rng: Random) -> Quad:
    """Place a triple at its first occurrence."""
    terms = [Term(word, Span(text.index(word), text.index(word) + len(word))) for word in (aspect, opinion)]
    return Quad(terms[0], None, terms[1], rng.choice([Polarity.POSITIVE, Polarity.NEGATIVE]))


def shorten(quad: Quad, rng: Random) -> Quad:
    """Name only the last word of an opinion now and then, as people do."""
    if quad.opinion is None or rng.random() > 0.2:
        return quad
    return Quad(quad.aspect, None, Term(quad.opinion.text.split()[-1]), quad.polarity)


def choose_similarity() -> Similarity:
    """Return the shipped model's vectors, or letters."""
    try:
        return Similarity("embedded", load_predictor().embed)
    except MissingPartError:
        return load_similarity("letters")


def main() -> None:
    """Print the seconds and what was found."""
    panel = make_panel(SEGMENTS, Random(0))
    similarity = choose_similarity()
    start = perf_counter()
    found = measure_agreement(panel, similarity, choose_wording("en"), AgreementPlan())
    seconds = perf_counter() - start
    level = found.levels[0]
    print(f"{SEGMENTS:,} segments, {sum(found.triples):,} triples, similarity {similarity.name}")
    print(f"TPA {100 * level.scores['tpa']:.1f} %, by chance {100 * (level.chance or {})['tpa']:.1f} %")
    print(f"{seconds:.1f} s, limit {LIMIT_S} s: {'kept' if seconds < LIMIT_S else 'MISSED'}")


if __name__ == "__main__":
    main()
