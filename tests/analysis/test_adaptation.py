"""Adaptation: a style is chosen where it agrees best, and only another model folder changes."""

import json
from pathlib import Path

import numpy as np
import pytest

from aspectlab.analysis import Adaptation, StyleScore, choose_style, pick_style, save_adapted
from aspectlab.data import Example, Polarity, Quad
from aspectlab.errors import DataError
from aspectlab.metrics import METRICS
from aspectlab.readers import find_term
from aspectlab.runtime import SHIPPED, load_predictor
from aspectlab.tasks import TASKS

METRIC = METRICS["tuple-f1"](TASKS["aste-all"])

NOUNS = ("soup", "waiter", "room", "battery", "screen", "course", "teacher", "shirt", "zip", "story")
TEXTS = [
    f"The {noun} was {word}." for noun in NOUNS for word in ("not very good", "really great", "too small")
]


def test_style_with_the_most_agreement_is_picked() -> None:
    right = (Quad(find_term("Good tea.", "tea"), polarity=Polarity.POSITIVE),)
    wrong = (Quad(find_term("Good tea.", "tea"), polarity=Polarity.NEGATIVE),)
    # three styles, one minimum and two sentences; the second style is right
    answers = [(wrong, right), (right, right), ((), ())]
    counts = np.array([[[METRIC.count(right, each) for each in style]] for style in answers])
    assert pick_style(METRIC, counts, np.array([0, 1])) == 1


def test_judgements_in_a_known_style_choose_it() -> None:
    judged = load_predictor(style="aste", categories=()).predict(TEXTS)
    examples = [Example(str(number), text, judged[number]) for number, text in enumerate(TEXTS)]
    found = choose_style(examples, threads=1)
    assert found.style == "aste"
    assert found.styles[0] == StyleScore("aste", 1.0)
    assert found.after > found.before
    assert found.low <= found.gain <= found.high


def test_adapted_model_reads_as_the_chosen_style(tmp_path: Path) -> None:
    adaptation = Adaptation(30, "aste", 0.3, 0.5, 0.2, 0.1, 0.3, ())
    save_adapted(adaptation, tmp_path / "mine")
    texts = TEXTS[:6]
    adapted = load_predictor(tmp_path / "mine", threads=1).predict(texts)
    styled = load_predictor(style="aste", threads=1).predict(texts)
    parts = [
        [[(quad.aspect, quad.opinion, quad.polarity) for quad in each] for each in side]
        for side in (adapted, styled)
    ]
    assert parts[0] == parts[1]
    before = json.loads((SHIPPED / "config.json").read_text(encoding="utf-8"))
    assert before["settings"]["house_style"] != "aste"


def test_too_few_sentences_are_refused() -> None:
    example = Example("1", "Good tea.", [Quad(find_term("Good tea.", "tea"), polarity=Polarity.POSITIVE)])
    with pytest.raises(DataError, match="expected 20 or more"):
        choose_style([example] * 3)
