"""A tiny model and sentences of one pattern, for tests of the loop."""

from collections.abc import Callable
from dataclasses import replace

import torch

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encoders import load_encoder
from aspectlab.experiments.execute import GroupTrainer
from aspectlab.models import Model, Plan, build_model
from aspectlab.training import fit
from aspectlab.training.step import seed_everything

ASPECTS = ["soup", "bread", "tea", "waiter", "terrace", "menu"]
OPINIONS = {"lovely": "positive", "awful": "negative", "there": "neutral"}
PLAN = replace(Plan(), epochs=3, batch_size=8, learning_rate=1e-3, precision="fp32")


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


def is_run_alone(build: Callable[[], Model], examples: list[Example], size: int, plan: Plan) -> bool:
    """Return whether the second of two runs among many gives the very weights of that run alone."""
    places = list(range(len(examples)))
    trainer = GroupTrainer(build, examples, plan, torch.device("cpu"))
    for seed in (1, 2):
        fitted = trainer.fit(places[:size], places[size:], seed=seed)
    among = fitted.model.state_dict()
    seed_everything(2)
    alone = fit(build(), examples[:size], examples[size:], plan=plan, seed=2, device="cpu").model.state_dict()
    return all(torch.equal(among[name], alone[name]) for name in alone)


def make_model(name: str = "marked") -> Model:
    seed_everything(3)
    return build_model(name, load_encoder("tiny"))
