"""Tiny models of every row of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from aspectlab.data import Example
from aspectlab.registry import options_of
from tests.support.tiny_models import SENTENCES, make_example, small_encoder

if TYPE_CHECKING:
    from aspectlab.models import Model


@pytest.fixture
def eight() -> list[Example]:
    """Eight examples with one aspect and one opinion each."""
    return [make_example(str(n), *sentence) for n, sentence in enumerate(SENTENCES)]


@pytest.fixture
def torn() -> Example:
    """One sentence with two aspects of opposite polarity: a loss may be about both."""
    text = "The soup was lovely, our waiter forgot the bread."
    told = ("soup", "positive", "lovely"), ("waiter", "negative", "forgot")
    sides = (make_example("9", text, *side) for side in told)
    return Example("9", text, tuple(quad for side in sides for quad in side.quads))


@pytest.fixture
def settings_of() -> Callable[[str], dict[str, object]]:
    """Return what a row must be told beyond its defaults."""
    from aspectlab.models import MODELS

    def settings(name: str) -> dict[str, object]:
        # trees without grammar: the default parser needs a package
        told = {"parser": "chain"} if "parser" in options_of(MODELS[name]) else {}
        return MODELS[name].complete_settings(told, [make_example("0", *case) for case in SENTENCES])

    return settings


@pytest.fixture
def build_tiny(settings_of: Callable[[str], dict[str, object]]) -> Callable[[str], Model]:
    """Build a row of the table from its defaults, with a small encoder of the kind it takes."""
    torch = pytest.importorskip("torch")
    from aspectlab.models import MODELS, build_model

    def build(name: str) -> Model:
        encoder = small_encoder(MODELS[name].default_encoder)
        torch.manual_seed(7)
        return build_model(name, encoder, settings_of(name))

    return build
