"""What can be exported: how a model is taken apart into networks, and put together again."""

from collections.abc import Mapping
from typing import Protocol

from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.models import MODELS, Model
from aspectlab.registry import Registry


class Part(nn.Module):
    """A network that is exported: it takes arrays by name and gives several."""

    def example(self) -> dict[str, Tensor]:
        """Return two rows of inputs of different lengths, so that nothing is taken for fixed."""
        raise NotImplementedError


class Exporter(Protocol):
    """How one kind of model is exported."""

    def take_apart(self, model: Model) -> dict[str, Part]:
        """Return the networks of a model, by the file that each is written to; the first has the encoder."""
        ...

    def list_settings(self, model: Model) -> dict[str, object]:
        """Return what config.json says only of models of this kind."""
        ...

    def rebuild(self, encoder: Encoder, settings: Mapping[str, object]) -> dict[str, Part]:
        """Return the same networks without weights."""
        ...


EXPORTERS = Registry[Exporter](
    "kind of exported model",
    {
        "quad-span": "aspectlab.training.quadexport:QUADSPAN",
        "stage": "aspectlab.training.stageexport:STAGES",
    },
)
"""How each kind of model is exported; `aspectlab.runtime.KINDS` says how it is read."""


def find_kind(model: Model) -> str | None:
    """Return the kind that a model is exported as; None if it is none of them."""
    return next((kind for kind in EXPORTERS if isinstance(model, MODELS[kind])), None)
