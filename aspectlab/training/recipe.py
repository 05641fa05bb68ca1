"""Recipe: everything besides the corpora that decides a trained model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aspectlab.encoders import load_encoder
from aspectlab.models import MODELS, Model, Plan, build_model
from aspectlab.registry import options_of
from aspectlab.training.device import seed_everything


@dataclass(frozen=True, slots=True)
class Recipe:
    """A model and its encoder by name, its settings, how it is trained, and the seed."""

    model: str
    encoder: str
    settings: Mapping[str, object]
    plan: Plan
    seed: int

    @property
    def all_settings(self) -> dict[str, object]:
        """The settings with the defaults of today: a saved model must not change when a default does."""
        defaults = {name: option.default for name, option in options_of(MODELS[self.model]).items()}
        return {**defaults, **self.settings}

    def build(self) -> Model:
        """Build the untrained model; its fresh weights are drawn from the seed."""
        encoder = load_encoder(self.encoder)
        seed_everything(self.seed)
        return build_model(self.model, encoder, self.all_settings)
