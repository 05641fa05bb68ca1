"""PARAPHRASE: quads written as sentences (Zhang et al., EMNLP 2021), with implicit terms.

Idea: a quad is a sentence; a term that is not named is `it`, as the authors have it for aspects, and here for
opinions too. With `order="category"` it is theirs, `CATEGORY is POLARITY because ASPECT is OPINION.`; by
default `ASPECT is OPINION so CATEGORY is POLARITY.`, since a small decoder judges better what it has named:
Hu et al. (EMNLP 2022) found that the order matters.
Unlike the released code: what is said of GAS holds here, whose writer this is. Terms are copied from the
text; categories, polarities and the words between them are symbols of their own, which start from the vectors
of their words, so that a category that was not trained on cannot be written. Polarities keep their names,
where the authors write great, ok and bad. T5-base writes more fluently than a decoder that starts from an
encoder's layers: a sequence-to-sequence encoder brings its own.
With `task="tasd"` every opinion is `it`: corpora need not annotate opinions.
Training: as GAS, twice the length, for sentences are longer than brackets.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from aspectlab.data import Example
from aspectlab.encoders import Encoder
from aspectlab.encodings import PARAPHRASE, TERMS_FIRST, Template
from aspectlab.models import Count, Dropout, Plan, Published, Size, fill_open
from aspectlab.models.gas import GAS


class Paraphrase(GAS):
    """Write quads one after the other, as sentences."""

    task = "asqp"
    published = Published(
        encoder="t5-base",
        plan=Plan(epochs=20, batch_size=16, learning_rate=3e-4, weight_decay=0.0, warmup=0.0),
        source="the released code",
        settings={"order": "category"},
        unlike="the last state was taken, where here dev chooses",
    )
    later = frozenset({"task"})

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        categories: Sequence[str] = (),
        order: Literal["terms", "category"] = "terms",
        layers: Count = 3,
        dropout: Dropout = 0.1,
        max_length: Size = 256,
        task: Literal["asqp", "tasd"] = "asqp",
    ) -> None:
        # before the rest, which asks for the template
        self.categories, self.order = tuple(categories), order
        super().__init__(encoder, n_labels, layers=layers, dropout=dropout, max_length=max_length)
        self.task = task

    @property
    def template(self) -> Template:
        """How a quad is written, with the categories of the corpus."""
        return replace(TERMS_FIRST if self.order == "terms" else PARAPHRASE, categories=self.categories)

    @classmethod
    def task_of(cls, settings: Mapping[str, object]) -> str:
        """Return the task that is asked for."""
        return str(settings.get("task", cls.task))

    @classmethod
    def complete_settings(
        cls, settings: Mapping[str, object], examples: Iterable[Example]
    ) -> dict[str, object]:
        """Read the categories from the training corpus where they are left open."""
        found = {quad.category for example in examples for quad in example.quads if quad.category}
        return fill_open(settings, {"categories": sorted(found)})
