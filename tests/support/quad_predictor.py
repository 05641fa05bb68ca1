"""A predictor of quads without a model: it knows six sentences, four with what is not named, and keywords."""

from collections.abc import Sequence

from aspectlab.data import Polarity, Quad, Span, Term
from tests.support.keyword_predictor import KeywordPredictor

POSITIVE, NEGATIVE = Polarity.POSITIVE, Polarity.NEGATIVE


def locate(text: str, words: str | None) -> Term | None:
    return Term(words, Span(text.index(words), text.index(words) + len(words))) if words else None


def make_quad(
    text: str, aspect: str | None, category: str | None, opinion: str | None, polarity: Polarity, sure: float
) -> Quad:
    """Make a quad as a model of quads gives it: its highest probability is that of the whole opinion."""
    low = round((1 - sure) / 2, 4)
    shares = dict.fromkeys(("positive", "negative", "neutral"), low) | {polarity.value: sure}
    return Quad(locate(text, aspect), category, locate(text, opinion), polarity, shares)


PRICEY = "Way too expensive."
TASTY = "Simply delicious!"
CALLED = "The waiter called twice, but the pizza was good."
FAILED = "We liked the room, but the bed broke down: never again."
NEVER = "Never again."
WORTH = "Worth every penny."
QUADS = {
    PRICEY: (make_quad(PRICEY, None, "RESTAURANT#PRICES", "Way too expensive", NEGATIVE, 0.9),),
    TASTY: (make_quad(TASTY, None, "FOOD#QUALITY", "delicious", POSITIVE, 0.8),),
    CALLED: (
        make_quad(CALLED, "waiter", "SERVICE#GENERAL", None, NEGATIVE, 0.6),
        make_quad(CALLED, "pizza", "FOOD#QUALITY", "good", POSITIVE, 0.95),
    ),
    FAILED: (make_quad(FAILED, "bed", "ROOM#QUALITY", None, NEGATIVE, 0.7),),
    NEVER: (make_quad(NEVER, None, None, None, NEGATIVE, 0.4),),
    WORTH: (make_quad(WORTH, None, "price", "Worth", POSITIVE, 0.55),),
}


class QuadPredictor(KeywordPredictor):
    """Predicts the quads of the sentences it knows, and pairs of keywords of all others."""

    def __init__(self, style: str = "house") -> None:
        super().__init__()
        self.identity = f"quads-1 {style}"

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        found = super().predict(texts)
        return [QUADS.get(text, pairs) for text, pairs in zip(texts, found, strict=True)]
