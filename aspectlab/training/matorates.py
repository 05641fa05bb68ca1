"""The violation rates that weigh the discerners of MATO: given, or measured on dev before the training."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from aspectlab.data import Corpus, Example
from aspectlab.errors import ConfigError
from aspectlab.metamorphic import ELEMENTS, generate, measure_violations
from aspectlab.models import Model, Plan
from aspectlab.tasks import TASKS
from aspectlab.training.asking import asking

_LOG = logging.getLogger(__name__)


def find_rates(plan: Plan) -> list[float] | None:
    """Give the rates of aspect, opinion and sentiment that a plan holds; None if they must be measured.

    >>> find_rates(Plan(mato_aspect=0.3, mato_opinion=0.2, mato_sentiment=0.4))
    [0.3, 0.2, 0.4]
    """
    settings = {
        "mato_aspect": plan.mato_aspect,
        "mato_opinion": plan.mato_opinion,
        "mato_sentiment": plan.mato_sentiment,
    }
    rates = [rate for rate in settings.values() if rate is not None]
    if wrong := [rate for rate in rates if not 0 <= rate <= 1]:
        raise ConfigError(f"plan: a violation rate of {wrong[0]!r}: expected a share from 0 to 1")
    if len(rates) not in (0, len(settings)):
        raise ConfigError(f"plan: found {len(rates)} violation rates: expected all of {', '.join(settings)}")
    if plan.mato_variant == "weighting":
        return [0.0] * len(settings)  # nothing is discerned, so nothing is weighed
    return rates or None


def measure_rates(model: Model, train: Sequence[Example], dev: Sequence[Example]) -> list[float]:
    """Test a trained model by the relations on dev; phrases of MR1-3 are made of train."""
    task, parts = TASKS["aste"], {"dev": dev, "train": train}
    source, pool = (Corpus(name, "und", task.parts, tuple(part)) for name, part in parts.items())
    found = measure_violations(generate(source, pool), asking(model), task).table.summarise()
    rates = [rate for element in ELEMENTS if (rate := found[element]) is not None]
    if len(rates) < len(ELEMENTS):
        raise ConfigError(
            f"mato: no relation about each of {', '.join(ELEMENTS)} applies to dev: expected more triplets; "
            "give mato_aspect, mato_opinion and mato_sentiment"
        )
    if not any(rates):
        raise ConfigError(
            "mato: the model without it violates no relation on dev, mostly because it finds nothing yet: "
            "expected a rate above 0, for they weigh MATO; train longer, or give mato_aspect, mato_opinion "
            "and mato_sentiment"
        )
    _LOG.info("violation rates on dev: %s", ", ".join(f"{rate:.3f}" for rate in rates))
    return rates
