"""SLGM: sequence-labelling guided generation (Zhou et al., Findings of ACL 2023).

Idea: triplets are written twice, aspect first and opinion first, and only what both copies hold is kept. In
training the state that writes "aspect" or "opinion" must also tag the words of that term in the text.
Unlike the released code: any encoder writes, through a small decoder that starts from its layers, where the
authors took T5-base; a sequence-to-sequence model brings its own decoder. Words and marks of the template are
symbols of their own; the one between triplets starts from the vector of a semicolon. The choice is between
the tokens of the text and the symbols in training too, and a token is scored by its vector and by its states
(as in BART-ABSA). A term is a run of whole words of the text; the authors check only pairs of neighbouring
tokens, and so can leap. `constrained=false` lifts both and is the way to terms that do not stand in the text,
with `normalise` as in GAS. The state of a word is the mean of its tokens', not the maximum. Losses are means
for each copy. What does not follow the template is passed over. Of several places of a term, the pair of
aspect and opinion with the fewest words between them is taken.
Training: the rate of 3e-4 is the authors', that of the encoder suits MiniLM; 30 epochs and a choice on dev,
where the authors had 20 and the last state; a running mean of the weights is kept. 32 copies are 16 texts.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, selu

from aspectlab.encoders import Encoder
from aspectlab.encodings import Batch
from aspectlab.encodings.grammar import NOTHING
from aspectlab.encodings.twins import TEMPLATES, TwinBatch, TwinEncoding, build_twin_grammar
from aspectlab.models.elements import Element, Elements, Seen
from aspectlab.models.model import Model, weighted_mean
from aspectlab.models.plan import Plan
from aspectlab.nn import mean_words
from aspectlab.nn.choices import Choices, text_losses
from aspectlab.nn.course import token_places
from aspectlab.nn.writing import Writer

_TAGS = 3
"""Outside a term, inside it, and its first word."""


class SLGM(Model):
    """Write triplets in two orders, guided by tags in training."""

    task = "aste"
    watched = ()
    plan = Plan(
        epochs=30,
        batch_size=32,
        learning_rate=3e-4,
        encoder_learning_rate=1e-4,
        weight_decay=0.0,
        average=0.99,
        patience=10,
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        layers: int = 3,
        dropout: float = 0.3,
        guidance: float = 1.0,
        constrained: bool = True,
        normalise: bool = True,
        max_length: int = 256,
    ) -> None:
        super().__init__(encoder)
        self.encoding = TwinEncoding(encoder.vocabulary, constrained, normalise)
        self.constrained, self.guidance, self.max_length = constrained, guidance, max_length
        self.writer = Writer(
            encoder, build_twin_grammar(), layers=layers, dropout=dropout, copies=constrained
        )
        width = encoder.width
        self.views = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.marker = nn.Linear(width, width)
        self.word = nn.Linear(width, width, bias=False)
        self.tag = nn.Linear(width, _TAGS)

    def forward(self, batch: TwinBatch[Tensor]) -> Tensor:
        """Give the states of the text beside the states of the steps, [B, T, 2 * H]; they share an axis."""
        states = self.encoder(batch)
        written = self.writer.follow(states, batch.mask, self._choices(states, batch), batch.labels)
        return torch.cat([states, written], -1)

    def loss(self, both: Tensor, batch: TwinBatch[Tensor]) -> Tensor:
        """Add the loss of writing and that of tagging, each a mean for every copy."""
        states, written = both.chunk(2, -1)
        places = token_places(batch.tokens, batch.words) if self.constrained else None
        scores = self._choices(states, batch).score(written)
        losses = text_losses(scores, batch.labels, places) + self.guidance * self._tagging(
            states, written, batch
        )
        return weighted_mean(losses, batch)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Write, [B, Y]."""
        states = self.encoder(batch)
        return self.writer.write(states, batch.mask, self._choices(states, batch), self.max_length)

    def elements(self, both: Tensor, seen: Seen, batch: TwinBatch[Tensor]) -> Elements:
        """Let the states that write "aspect", "opinion" and "sentiment" stand for them, in the first copy."""
        written = both.chunk(2, -1)[1]  # [B, T, H]
        counted = (batch.labels != NOTHING) & ((batch.copy == 0) & (batch.weight > 0))[:, None]  # [B, T]
        marked = (batch.labels == TEMPLATES[0].number(word) for word in ("aspect", "opinion", "sentiment"))
        return Elements(*(Element(written, counted & here, counted & ~here) for here in marked))

    def _choices(self, states: Tensor, batch: Batch[Tensor]) -> Choices:
        assert isinstance(batch, TwinBatch)
        half = len(self.writer.rules.copies) // 2
        return self.writer.choices(self.encoder, states, batch, batch.copy * half)

    def _tagging(self, states: Tensor, written: Tensor, batch: TwinBatch[Tensor]) -> Tensor:
        """Give the mean loss of the tags of aspects plus that of opinions, for every copy, [B]."""
        words, mask = mean_words(states, batch.words)  # [B, W, H], [B, W]
        steps = torch.arange(written.shape[1], device=written.device)
        total = torch.zeros_like(batch.weight)
        for role, view in enumerate(self.views):
            marker, first, last = batch.guides[:, :, role].unbind(-1)  # [B, M] each
            markers = (marker[..., None] == steps).to(written.dtype) @ written  # [B, M, H]
            mixed = self.marker(markers)[:, :, None] + self.word(view(words))[:, None]  # [B, M, W, H]
            scores = self.tag(selu(mixed)).float()  # [B, M, W, 3]
            place = steps[None, None]  # [1, 1, W]
            inside = (place >= first[..., None]) & (place <= last[..., None])
            tags = inside.long() + (place == first[..., None])
            losses = cross_entropy(scores.flatten(0, 2), tags.flatten(), reduction="none").view(tags.shape)
            counts = (mask[:, None] & (marker >= 0)[..., None]).float()  # [B, M, W]
            total = total + (losses * counts).sum((1, 2)) / counts.sum((1, 2)).clamp(min=1)
        return total
