"""BART-ABSA: a unified generative framework, with pointers for terms (Yan et al., ACL 2021).

Idea: a triplet is written as five numbers: pointers to the first and the last word of its aspect and of its
opinion, and its polarity. A pointer is scored by the vector and by the state of what it points to.
Unlike the released code: any encoder writes, through a small decoder that starts from its layers, where the
authors took BART-base; a sequence-to-sequence model brings its own decoder. Pointers are to words, by the
means of their tokens' vectors and states, not to sub-words. What is written follows the grammar, and no term
ends before it begins; the authors drop such triplets afterwards. As theirs, it is written with four beams
(`beams`) and without a preference for length. Polarities have vectors of their own from the start.
Training: 30 epochs instead of 50; rates suit MiniLM and a new decoder, where BART-base took 5e-5; a running
mean of the weights is kept. Terms that do not stand in the text cannot be found, nor learnt from.
"""

from __future__ import annotations

from torch import Tensor

from aspectlab.encoders import Encoder
from aspectlab.encodings import Batch
from aspectlab.encodings.pointers import PointerEncoding, build_pointer_grammar
from aspectlab.encodings.text2text import WrittenBatch
from aspectlab.models.model import Model, weighted_mean
from aspectlab.models.plan import Plan
from aspectlab.nn import mean_words
from aspectlab.nn.choices import Copies, Vectors, text_losses
from aspectlab.nn.course import word_places
from aspectlab.nn.writing import Writer, token_vectors


class BARTABSA(Model):
    """Write pointers to words."""

    task = "aste"
    plan = Plan(
        epochs=30,
        batch_size=16,
        learning_rate=3e-4,
        encoder_learning_rate=1e-4,
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
        beams: int = 4,
        max_length: int = 128,
    ) -> None:
        super().__init__(encoder)
        self.encoding = PointerEncoding(encoder.vocabulary)
        self.beams, self.max_length = beams, max_length
        self.writer = Writer(encoder, build_pointer_grammar(), layers=layers, dropout=dropout)

    def forward(self, batch: WrittenBatch[Tensor]) -> Tensor:
        """Give the scores of what may be written at each step, [B, Y, C]."""
        states, choices = self._read(batch)
        return choices.score(self.writer.follow(states, batch.mask, choices, batch.labels))

    def loss(self, scores: Tensor, batch: WrittenBatch[Tensor]) -> Tensor:
        """Average over the steps of each text, then over the texts that count."""
        _, mask = mean_words(batch.mask[..., None].float(), batch.words)
        return weighted_mean(text_losses(scores, batch.labels, word_places(mask)), batch)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Write, [B, Y]."""
        states, choices = self._read(batch)
        if self.beams < 2:
            return self.writer.write(states, batch.mask, choices, self.max_length)
        return self.writer.search(states, batch.mask, choices, self.max_length, self.beams)

    def _read(self, batch: Batch[Tensor]) -> tuple[Tensor, Copies]:
        states = self.encoder(batch)  # [B, T, H]
        words, mask = mean_words(states, batch.words)  # [B, W, H], [B, W]
        tokens = token_vectors(self.encoder, batch.tokens)
        content = Vectors(*(mean_words(part, batch.words)[0] for part in tokens))
        return states, self.writer.copies(words, content, word_places(mask))
