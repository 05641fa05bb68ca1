"""A tiny model and sentences of one pattern, for tests of the loop."""

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encoders import load_encoder
from aspectlab.models import Model, Plan, build_model
from aspectlab.training.device import seed_everything

ASPECTS = ["soup", "bread", "tea", "waiter", "terrace", "menu"]
OPINIONS = {"lovely": "positive", "awful": "negative", "there": "neutral"}
PLAN = Plan(epochs=3, batch_size=8, learning_rate=1e-3, precision="fp32")


def make_examples(start: str, polarity: str | None = None) -> list[Example]:
    """Eighteen sentences such as "Today the soup was lovely."; the start tells train from dev."""
    pairs = [(aspect, word) for aspect in ASPECTS for word in OPINIONS]
    return [
        make_example(f"{start} the {aspect} was {word}.", aspect, polarity or OPINIONS[word])
        for aspect, word in pairs
    ]


def make_example(text: str, aspect: str, polarity: str | None) -> Example:
    place = text.index(aspect)
    term = Term(aspect, Span(place, place + len(aspect)))
    return Example(text, text, (Quad(aspect=term, polarity=Polarity(polarity) if polarity else None),))


def make_model(name: str = "marked") -> Model:
    seed_everything(3)
    return build_model(name, load_encoder("tiny"))
