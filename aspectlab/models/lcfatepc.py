"""LCF-ATEPC: aspect extraction and polarity by local context focus, fused (Yang et al., 2020).

Idea: one encoder tags the words that make aspects, and judges one of them. For the latter its states are
joined with two copies that keep to the neighbourhood of the aspect: one in which words out of reach are
masked (CDM), one in which they fade with their distance (CDW). The first state attends over the joined ones
and is classified. Both losses are added.
It finds aspects and judges each in a second pass (task e2e); with `given=True` it judges the aspects that it
is given (task atsc), which is how the authors, and those who compared it, scored polarities.
The authors' settings: reach 5, 12 heads, no dropout, BERT-base at 3e-5 with weight decay 1e-5, batches of 16,
5 epochs. MiniLM is smaller and needs about 1e-4 and more epochs.
Unlike the released code: distances are counted as the paper has them, in words from the middle of the aspect
(there the window sits one word too far to the left, and is too narrow on the right); local and global states
are one pass instead of two; the attention projects what it finds; the input is the sentence alone, where the
code leaves as many blanks behind it as the aspect has pieces; words are the means of their sub-words; only
words are tagged, and padding is hidden; texts without an aspect teach tags in e2e; batches are shuffled, the
epoch is chosen on dev, and a running mean of the weights is kept. The encoder is any encoder; where 12 heads
do not divide its width there are fewer.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings.focus import FocusBatch, FoundFocus, GivenFocus
from aspectlab.encodings.text import POLARITIES
from aspectlab.models.model import Model
from aspectlab.models.plan import Plan
from aspectlab.nn import mean_words
from aspectlab.nn.decoder import Attention
from aspectlab.nn.entropy import cross_entropies
from aspectlab.nn.locality import context_weights
from aspectlab.nn.tagging import counted_words, mean_where
from aspectlab.nn.transformer import fitting_heads, hide_padding
from aspectlab.nn.words import Words

_TAGS = len(POLARITIES)
"""Outside, begin, inside: as many as there are polarities, so that both fit into one tensor."""


class LCFATEPC(Model):
    """Tag aspects, and judge the one in focus by the words around it."""

    task = "e2e"
    plan = Plan(
        epochs=20,
        batch_size=16,
        learning_rate=3e-4,
        encoder_learning_rate=1e-4,
        weight_decay=1e-5,
        average=0.99,
        patience=10,
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        reach: int = 5,
        heads: int = 12,
        dropout: float = 0.0,
        given: bool = False,
    ) -> None:
        super().__init__(encoder)
        self.task = self.task_of({"given": given})
        self.encoding = (GivenFocus if given else FoundFocus)(encoder.vocabulary)
        width = encoder.width
        self.reach = reach
        self.drop = nn.Dropout(dropout)
        self.tag = nn.Linear(width, _TAGS)
        self.fuse = nn.Linear(3 * width, width)
        self.attend = Attention(width, fitting_heads(width, heads))
        self.pool = nn.Linear(width, width)
        self.classify = nn.Linear(width, len(POLARITIES))

    @classmethod
    def task_of(cls, settings: Mapping[str, object]) -> str:
        """With aspects given it judges them, else it finds them first."""
        return "atsc" if settings.get("given") else "e2e"

    def forward(self, batch: FocusBatch[Tensor]) -> Tensor:
        """Give the scores of the polarities and, behind them, of the tags of the words, [B, 1 + W, 3]."""
        states = self.drop(self.encoder(batch))  # [B, T, H]
        words, mask = mean_words(states, batch.words)  # [B, W, H], [B, W]
        rows = Words(
            # the first state stands for the sentence, one step to the left of its first word
            torch.cat([states[:, :1], words], 1),
            torch.cat([batch.mask[:, :1], mask], 1),
            torch.cat([torch.zeros_like(mask[:, :1]), batch.in_aspect], 1),
        )
        return torch.cat([self._polarities(rows)[:, None], self.tag(words)], 1)

    def _polarities(self, rows: Words) -> Tensor:
        """Judge the aspect by its surroundings, [B, 1 + W, H] -> [B, 3]."""
        states = rows.states
        near, fading = (w[..., None].to(states.dtype) for w in context_weights(rows, self.reach))
        fused = self.fuse(torch.cat([states, fading * states, near * states], -1))  # [B, 1 + W, H]
        found = self.attend(fused[:, :1], self.attend.know(fused), hide_padding(rows.mask))  # [B, 1, H]
        scores = self.classify(self.pool(found.squeeze(1).tanh()).tanh())
        assert isinstance(scores, Tensor)
        return scores

    def loss(self, scores: Tensor, batch: FocusBatch[Tensor]) -> Tensor:
        """Add the mean loss of the words' tags to that of the polarities."""
        of_tags = cross_entropies(scores[:, 1:], batch.labels)  # [B, W]
        of_polarities = cross_entropies(scores[:, 0], batch.polarity.clamp(min=0))  # [B]
        judged = (batch.polarity >= 0) & (batch.weight > 0)
        return mean_where(of_tags, counted_words(batch)) + mean_where(of_polarities, judged)
