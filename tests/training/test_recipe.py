"""The card of a model."""

from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

from aspectlab.models import MODELS
from aspectlab.training import Recipe, model_card
from aspectlab.training.checkpoint import Epoch


def test_card_counts_categories_that_are_too_many_to_list() -> None:
    names = {style: [f"{style.upper()}#{n}" for n in range(40)] for style in ("memd", "oats")}
    settings = {"styles": ["memd", "oats"], "categories": names}
    recipe = Recipe("quad-span", "tiny", settings, MODELS["quad-span"].plan, 1)
    epoch = Epoch(0, 1.0, {"f1": 0.5}, 1.0)
    fitted = SimpleNamespace(model=SimpleNamespace(task="asqp"), best=epoch, history=[epoch], rates={})
    card = model_card(recipe, {}, fitted, SimpleNamespace(scores={"f1": 0.5}, signature="asqp-f1"))
    assert "| categories | memd: 40 names, oats: 40 names |" in card
    assert "MEMD#7" not in card
