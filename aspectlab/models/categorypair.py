"""Category pair: our own baseline, the text and the name of a category as a sentence pair.

Idea: `[CLS] text [SEP] category [SEP]`, as in natural language inference: what does the text say about this?
Classified from the mean state of the category's words, as absent or as a set of polarities. The name is read,
so that a given category (task `acsc`) need not stand in the training corpus. Every category is one more pass.
"""

from __future__ import annotations

from torch import Tensor, nn

from aspectlab.encodings import PairBatch
from aspectlab.encodings.categorypair import CategoryPairEncoding
from aspectlab.encodings.verdicts import Verdicts
from aspectlab.models.categorymodel import CategoryModel
from aspectlab.models.plan import Plan
from aspectlab.nn import masked_mean


class CategoryPair(CategoryModel):
    """Ask about one category after the other."""

    plan = Plan(epochs=10, batch_size=32, learning_rate=1e-4, average=0.99)

    def lay_out(self, verdicts: Verdicts) -> None:
        """Classify what stands at the name of the category."""
        self.encoding = CategoryPairEncoding(self.encoder.vocabulary, verdicts)
        self.classify = nn.Linear(self.encoder.width, len(verdicts.classes))

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Give the class scores, [B, C]."""
        states = self.encoder(batch)  # [B, T, H]
        scores = self.classify(self.drop(masked_mean(states, batch.in_second)))
        assert isinstance(scores, Tensor)
        return scores
