"""The model card: what a model is, what it was trained on, and how well it did on dev."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from aspectlab.data import Corpus
from aspectlab.metrics import Evaluation
from aspectlab.training.fitting import Fitted
from aspectlab.training.recipe import Recipe
from aspectlab.version import VERSION


def model_card(recipe: Recipe, parts: Mapping[str, Corpus], fitted: Fitted, dev: Evaluation) -> str:
    """Write the card in Markdown; `parts` are the corpora by what they were used for."""
    sections = [
        f"# {recipe.model}",
        f"A model for {fitted.model.task}, trained with aspectlab {VERSION}.",
        _table(
            "setting",
            {"model": recipe.model, "encoder": recipe.encoder, "seed": recipe.seed, **recipe.all_settings},
        ),
        "## Corpora",
        *(
            f"- {use}: {corpus.name}, {len(corpus):,} examples, sha256 of the file {corpus.provenance.sha256}"
            for use, corpus in parts.items()
        ),
        "## Training",
        _table("plan", asdict(recipe.plan)),
        f"Chosen on dev: epoch {fitted.best.number + 1} of {len(fitted.history)}, "
        f"loss {fitted.best.loss:.4f}.",
        *_show_rates(fitted.rates),
        "## Dev scores in percent",
        _table("score", {name: f"{100 * value:.2f}" for name, value in dev.scores.items()}),
        f"`{dev.signature}`",
        "The epoch was chosen by these scores, so they flatter the model: judge it on a test set with "
        "`aspectlab evaluate`.",
    ]
    return "\n\n".join(sections) + "\n"


def _show_rates(rates: Mapping[str, float]) -> list[str]:
    """Give the violation rates that weighed MATO, where it was used."""
    if not rates:
        return []
    shown = {name: f"{100 * rate:.2f}" for name, rate in rates.items()}
    return ["## Violation rates on dev that MATO was weighed by, in percent", _table("element", shown)]


def _table(title: str, values: Mapping[str, object]) -> str:
    rows = [f"| {name} | {value} |" for name, value in values.items()]
    return "\n".join([f"| {title} | value |", "|---|---|", *rows])
