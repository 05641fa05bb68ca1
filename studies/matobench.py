"""The bench of the MATO study: one model with its encoded texts, trained again and again."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace

from followups import Material

from aspectlab.data import Quad
from aspectlab.encoders import load_encoder
from aspectlab.experiments.execute import refresh
from aspectlab.metamorphic import Findings, measure_violations
from aspectlab.models import Model, Plan, build_model
from aspectlab.tasks import TASKS
from aspectlab.training.dataset import EncodedDataset
from aspectlab.training.device import choose_device, seed_everything
from aspectlab.training.extensions.contrast import choose_followups
from aspectlab.training.extensions.violation_rates import EncodedCases
from aspectlab.training.trainer import Fitted, Trainer

CHANGES: dict[str, dict[str, object]] = {
    "base": {"mato": False},
    "mato": {"mato": True},
    **{
        name: {"mato": True, "mato_variant": name}
        for name in ("contrast", "weighting", "bias", "frozen", "negatives")
    },
}
"""What each variant changes in the plan of a model."""


class Bench:
    """Train and test the variants of a model: texts are encoded once, steps captured once a variant."""

    def __init__(
        self, name: str, encoder: str, settings: Mapping[str, object], plan: Plan, material: Material
    ) -> None:
        loaded = load_encoder(encoder)
        self.device = choose_device()
        self.build = lambda: build_model(name, copy.deepcopy(loaded), settings)
        self.model: Model = self.build().to(self.device)
        self.plan, self.material = plan, material
        more = choose_followups(material.groups.get("train", []), self.model)
        examples = [*material.train, *material.dev, *more]
        self.store = EncodedDataset(self.model.encoding, examples, self.device)
        self.questions = {
            part: EncodedCases(self.model, material.groups[part], self.device) for part in ("dev", "test")
        }
        self._trainers: dict[str, Trainer] = {}

    def train(self, variant: str, seed: int, rates: list[float] | None) -> Fitted:
        """Train a variant from fresh weights."""
        seed_everything(seed)
        refresh(self.model, self.build())
        trainer = self._find_trainer(variant)
        aspect, opinion, sentiment = rates or [None] * 3
        # a trainer reads its plan anew for every run; what is trained and how a step goes stay the same
        trainer.plan = replace(
            trainer.plan,
            **CHANGES[variant],
            mato_aspect=aspect,
            mato_opinion=opinion,
            mato_sentiment=sentiment,
        )
        middle = len(self.material.train)
        places = list(range(middle + len(self.material.dev)))
        return trainer.fit(places[:middle], places[middle:], seed=seed)

    def _find_trainer(self, variant: str) -> Trainer:
        # follow-ups are more rows for the same steps, so that the captured ones serve both
        name = "base" if variant == "contrast" else variant
        if name not in self._trainers:
            plan = replace(self.plan, **CHANGES[name])
            self._trainers[name] = Trainer(self.model, self.store, plan, self.device)
        return self._trainers[name]

    def test(self, part: str) -> tuple[Findings, list[tuple[Quad, ...]]]:
        """Test the model as it is now by the relations, and give what it finds in the sources."""
        predict = self.questions[part].answer(self.model, self.plan.precision)
        groups = self.material.groups[part]
        findings = measure_violations(groups, predict, TASKS["aste"], timeout_s=600)
        return findings, [tuple(quads) for quads in predict([source for source, _ in groups])]
