"""Compare a model with its export: the same opinions, and how far their probabilities differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aspectlab.data import Example, Quad
from aspectlab.insight.predictor import Predictor
from aspectlab.models import Model
from aspectlab.training.predicting import predict

ENOUGH = 0.95
"""Share of equal texts below which an export is broken: rounding alone changes far fewer."""

SAMPLES = (
    "The soup was lovely, but our waiter forgot the bread twice.",
    "Great battery life and a crisp screen, though the fans are loud.",
    "I would not come back for the pasta.",
    "Friendly staff.",
    "We waited forty minutes for two lukewarm coffees!",
    "The keyboard feels cheap and the hinge already squeaks.",
    "Neither the view nor the wine made up for the rude hostess.",
    "Everything came on one plate.",
    "Best dumplings in town, and the prices are more than fair.",
    "Setup took five minutes; support answered the same day.",
    "A cosy little room, nicely lit, with music that is never too loud, a short but clever menu, and "
    "desserts that you will want to order twice.",
    "It's ok.",
    "The seats are comfortable, the boot is huge, the navigation is a bad joke.",
    "My daughter loved the slides; I loved that it was clean.",
    "Delivery was quick, packaging poor.",
    "Don't expect miracles from the camera at night, but by day photos look sharp.",
)
"""Sentences to compare on where a user names none."""


@dataclass(frozen=True, slots=True)
class Parity:
    """How far two ways to run a model agree."""

    texts: int
    equal: float  # share of texts with the same triplets
    largest: float  # difference of a probability, among the triplets that both found

    @property
    def is_enough(self) -> bool:
        """Whether the two are one model."""
        return self.equal >= ENOUGH


def compare(model: Model, predictor: Predictor, texts: Sequence[str]) -> Parity:
    """Predict some texts both ways."""
    examples = [Example(str(number), text) for number, text in enumerate(texts)]
    pairs = [
        (example.quads, found)
        for example, found in zip(predict(model, examples), predictor.predict(texts), strict=True)
    ]
    equal = sum(set(expected) == set(found) for expected, found in pairs)
    largest = max((_distance(*pair) for pair in pairs), default=0.0)
    return Parity(len(texts), equal / max(len(texts), 1), round(largest, 6))


def _distance(expected: Sequence[Quad], found: Sequence[Quad]) -> float:
    """Give the largest difference of a probability among quads that stand on both sides."""
    known = {quad: quad.confidence or {} for quad in expected}
    return max(
        (
            abs(share - known[quad].get(name, 0.0))
            for quad in found
            if quad in known
            for name, share in (quad.confidence or {}).items()
        ),
        default=0.0,
    )
