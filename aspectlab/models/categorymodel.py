"""What the models of categories share: their settings, and what they read from the training corpus."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from torch import nn

from aspectlab.data import Example
from aspectlab.encoders import Encoder
from aspectlab.encodings import CategoryLabels, check_category_labels, complete_category_labels
from aspectlab.models import Dropout, Model, Share


class CategoryModel(Model):
    """A model that finds categories with their polarity, finds them alone, or judges given ones."""

    task = "acp"

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        task: Literal["acp", "acd", "acsc"] = "acp",
        categories: Sequence[str] = (),
        classes: Sequence[str] = (),
        threshold: Share = 0.5,
        dropout: Dropout = 0.1,
    ) -> None:
        super().__init__(encoder)
        self.task = task
        self.drop = nn.Dropout(dropout)
        self.build_layers(check_category_labels(task, categories, classes, threshold))

    @abstractmethod
    def build_layers(self, category_labels: CategoryLabels) -> None:
        """Build the encoding and the layers for these categories and classes."""

    @classmethod
    def task_of(cls, settings: Mapping[str, object]) -> str:
        """Return which of the three tasks it is."""
        return str(settings.get("task", cls.task))

    @classmethod
    def complete_settings(
        cls, settings: Mapping[str, object], examples: Iterable[Example]
    ) -> dict[str, object]:
        """Read the categories and the classes from the training corpus where they are left open."""
        return complete_category_labels(settings, examples)
