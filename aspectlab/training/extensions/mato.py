"""MATO: three discerners beside a triplet model, and a loss that weighs itself (Tang et al.).

Idea: a discerner for each of aspect, opinion and sentiment must say yes to the vectors that stand for gold
terms. Their losses are weighed by how often a trained model violates the metamorphic relations about that
element, and added to the model's own; two learnt uncertainties balance both.
What the paper leaves open: a discerner gives one number for each gold triplet; follow-ups are not trained on;
the balance is that of the code which the paper cites. Discerners belong to training alone: the model that is
kept, saved and used for predicting is the one inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from aspectlab.encodings import Batch
from aspectlab.errors import ConfigError
from aspectlab.metamorphic import ELEMENTS
from aspectlab.models import MODELS, Discernible, Element, Elements, Model, Plan, Seen, watching
from aspectlab.nn import mean_where
from aspectlab.training import EncodedDataset, Extension, MatoSettings, live_tensors, select, settings_of
from aspectlab.training.extensions.violation_rates import find_rates, measure_rates

if TYPE_CHECKING:
    from aspectlab.training.trainer import Trainer


class Mato(Model):
    """A model in training, with what MATO adds to it."""

    def __init__(self, model: Model, plan: Plan, batch: Batch[Tensor]) -> None:
        """Take any batch of the model, from which the widths of its vectors are told."""
        super().__init__(model.encoder)
        self.model, self.encoding, self.task = model, model.encoding, model.task
        self.variant = settings_of(plan, MatoSettings).mato_variant
        # a captured step reads them from the device, so they must be a tensor
        self.rates: Tensor
        self.register_buffer("rates", torch.ones(3), persistent=False)
        self._seen: Seen = {}
        widths = () if self.variant == "weighting" else self._find_widths(batch)
        layers = [nn.Linear(width, 1) for width in widths]
        self.discerners = nn.ModuleList(layers)
        self.uncertainty = nn.Parameter(torch.ones(2))
        for discern in layers:
            # what gets no gradient must not be in the optimizer
            discern.weight.requires_grad_(self.variant in ("published", "negatives"))
            discern.bias.requires_grad_(self.variant != "frozen")
        self.to(batch.weight.device)

    @torch.no_grad()
    def restart(self, seed: int, rates: Sequence[float]) -> None:
        """Draw the discerners anew and set their rates: no run may depend on those before it."""
        generator = torch.Generator().manual_seed(seed)
        self.rates.copy_(torch.tensor(rates))
        self.uncertainty.fill_(1.0)
        for weight, bias in (discern.parameters() for discern in self.discerners):
            bound = 1 / math.sqrt(weight.shape[1])
            for part in (weight, bias):
                part.copy_(torch.empty(part.shape).uniform_(-bound, bound, generator=generator))

    def forward(self, batch: Batch[Tensor]) -> Tensor:
        """Return the scores of the model inside, and note what stands for its elements."""
        with watching(self.model, self._watched) as seen:
            scores = self.model(batch)
        assert isinstance(scores, Tensor)
        self._seen = seen
        return scores

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Return what the model inside answers."""
        return self.model.answer(batch)

    def loss(self, scores: Tensor, batch: Batch[Tensor]) -> Tensor:
        """Balance the loss of the model inside and that of the discerners for its last batch."""
        own = self.model.loss(scores, batch)
        # the vectors are let go, so that nothing of a step is kept behind it
        seen, self._seen = self._seen, {}
        aware = self._discern(scores, seen, batch) if self.discerners else torch.zeros_like(own)
        return balance(torch.stack([own, aware]), self.uncertainty)

    def _discern(self, scores: Tensor, seen: Seen, batch: Batch[Tensor]) -> Tensor:
        """Sum the losses of the discerners, each times its violation rate."""
        elements = self._elements(scores, seen, batch)
        losses = [self._miss(*pair) for pair in zip(self.discerners, elements, strict=True)]
        return (torch.stack(losses) * self.rates).sum()

    def _miss(self, discern: nn.Module, element: Element) -> Tensor:
        """Return the mean loss of a discerner that should accept gold and, with negatives, no others."""
        # the loss has only yes for an answer, so that a bias alone can satisfy it: `bias` shows how far
        states = torch.zeros_like(element.states) if self.variant == "bias" else element.states
        given = discern(states)[..., 0].float()  # [...]
        loss = mean_where(softplus(-given), element.gold)
        return loss + mean_where(softplus(given), element.others) if self.variant == "negatives" else loss

    @property
    def _watched(self) -> tuple[str, ...]:
        return self.model.watched if isinstance(self.model, Discernible) else ()

    def _elements(self, scores: Tensor, seen: Seen, batch: Batch[Tensor]) -> Elements:
        if not isinstance(self.model, Discernible):
            raise ConfigError(
                f"mato = true: {type(self.model).__name__} does not say which vectors stand for aspect, "
                f"opinion and sentiment: expected one of {', '.join(discernible_models())}; leave mato out"
            )
        return self.model.elements(scores, seen, batch)

    @torch.no_grad()
    def _find_widths(self, batch: Batch[Tensor]) -> tuple[int, ...]:
        was_training = self.model.training
        self.model.train()  # some layers are there in training only
        elements = self._elements(self(batch), self._seen, batch)
        self.model.train(was_training)
        self._seen = {}
        return tuple(element.states.shape[-1] for element in elements)


def balance(losses: Tensor, uncertainty: Tensor) -> Tensor:
    """Weigh losses by learnt uncertainties, [N] and [N] -> [].

    >>> round(float(balance(torch.tensor([1.0, 1.0]), torch.ones(2))), 4)  # 0.5 + 0.5 + 2 ln 2
    2.3863
    """
    squares = uncertainty.square()
    return (losses / (2 * squares) + torch.log1p(squares)).sum()


def discernible_models() -> list[str]:
    """Name the models that can be trained with MATO."""
    return [name for name in MODELS if hasattr(MODELS[name], "elements")]


class MatoExtension(Extension):
    """Train a model with discerners beside it."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._learner: Mato

    def find_problem(self, model: str, task: str) -> str | None:
        """Report a model that does not say which vectors stand for its elements."""
        if settings_of(self._plan, MatoSettings).mato_variant == "weighting" or model in discernible_models():
            return None
        return f"mato = True: expected one of {', '.join(discernible_models())}"

    def wrap(self, model: Model, dataset: EncodedDataset) -> Model:
        """Place the discerners beside the model."""
        length = int(dataset.lengths[dataset.lengths > 0].min(initial=dataset.batch.tokens.shape[1]))
        filler = torch.tensor([dataset.filler], device=dataset.device)
        self._learner = Mato(model, self._plan, select(dataset.batch, filler, length))
        return self._learner

    def begin(self, trainer: Trainer, train: list[int], dev: list[int], seed: int) -> None:
        """Draw discerners anew; rates that are not given are measured after a training without them."""
        rates = find_rates(self._plan)
        if rates is None:
            model, dataset = trainer.model, trainer.dataset
            weights = [tensor.clone() for tensor in live_tensors(model)]
            without = {**trainer.plan.extensions, "mato": False}
            plan = replace(trainer.plan, extensions=without)
            plain = type(trainer)(model, dataset, plan, trainer.device)
            plain.fit(train, dev, seed=seed, progress=trainer.progress)
            parts = ([dataset.examples[index] for index in part] for part in (train, dev))
            rates = measure_rates(model, *parts)
            for tensor, value in zip(live_tensors(model), weights, strict=True):
                tensor.copy_(value)
        self._learner.restart(seed, rates)

    def notes(self) -> dict[str, float]:
        """Return the violation rates that weighed the discerners, by element."""
        if not self._learner.discerners:
            return {}
        rates = self._learner.rates.tolist()
        # the tensor has single precision: its last digits mean nothing
        return {name: round(rate, 6) for name, rate in zip(ELEMENTS, rates, strict=True)}
