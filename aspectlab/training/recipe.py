"""Recipe: everything besides the corpora that decides a trained model; and the model card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aspectlab.data import Corpus
from aspectlab.encoders import load_encoder
from aspectlab.metrics import Evaluation
from aspectlab.models import MODELS, Model, Plan, build_model
from aspectlab.registry import options_of
from aspectlab.training.schema import plan_to_dict
from aspectlab.training.step import seed_everything
from aspectlab.training.trainer import Fitted
from aspectlab.version import VERSION


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


def model_card(recipe: Recipe, parts: Mapping[str, Corpus], fitted: Fitted, dev: Evaluation) -> str:
    """Write the card in Markdown; `parts` are the corpora by what they were used for."""
    sections = [
        f"# {recipe.model}",
        f"A model for {fitted.model.task}, trained with aspectlab {VERSION}.",
        _format_table(
            "setting",
            {"model": recipe.model, "encoder": recipe.encoder, "seed": recipe.seed, **recipe.all_settings},
        ),
        "## Corpora",
        *(
            f"- {use}: {corpus.name}, {len(corpus):,} examples, sha256 of the file {corpus.provenance.sha256}"
            for use, corpus in parts.items()
        ),
        "## Training",
        _format_table("plan", plan_to_dict(recipe.plan)),
        f"Chosen on dev: epoch {fitted.best.number + 1} of {len(fitted.history)}, "
        f"loss {fitted.best.loss:.4f}.",
        *_show_rates(fitted.rates),
        "## Dev scores in percent",
        _format_table("score", {name: f"{100 * value:.2f}" for name, value in dev.scores.items()}),
        f"`{dev.signature}`",
        "The epoch was chosen by these scores, so they flatter the model: judge it on a test set with "
        "`aspectlab evaluate`.",
    ]
    return "\n\n".join(sections) + "\n"


def _show_rates(rates: Mapping[str, float]) -> list[str]:
    """Return the violation rates that weighed MATO, where it was used."""
    if not rates:
        return []
    shown = {name: f"{100 * rate:.2f}" for name, rate in rates.items()}
    return ["## Violation rates on dev that MATO was weighed by, in percent", _format_table("element", shown)]


def _format_table(title: str, values: Mapping[str, object]) -> str:
    rows = [f"| {name} | {value} |" for name, value in values.items()]
    return "\n".join([f"| {title} | value |", "|---|---|", *rows])
