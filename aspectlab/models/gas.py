"""GAS: generative aspect-based sentiment analysis, in its extraction style (Zhang et al., ACL 2021).

Idea: triplets are written as text, `(aspect, opinion, polarity); (…)`, in the order of the corpus.
Unlike the released code: any encoder writes, through a small decoder that starts from its layers, where the
authors took T5-base; a sequence-to-sequence model brings its own decoder. Brackets, commas and polarities are
symbols of their own, so that a comma within a term breaks nothing. Terms are copied from the text: the choice
is between its tokens and the symbols, in training too, a token is scored by its vector and by its states
(as in BART-ABSA), and what is written follows the template. `constrained=false` is the authors' way: every
token of the vocabulary, no grammar, and with `normalise` words that are not in the text are replaced by the
nearest ones. It alone can write terms that do not stand in the text; where a corpus has such terms, turn
`normalise` off. What does not follow the template is passed over, where the authors count an empty triplet.
Of several positions of a term, the pair of aspect and opinion with the fewest words between them is taken.
Training: the rate of 3e-4 is the authors', that of the encoder suits MiniLM; 30 epochs of batches of 16 and a
choice on dev, where the authors had 20 epochs of 32 and the last state; an exponential moving
average of the weights is kept.
"""

from torch import Tensor

from aspectlab.encoders import Encoder
from aspectlab.encodings import EXTRACTION, Batch, Template, Text2TextEncoding, WrittenBatch, build_grammar
from aspectlab.models import Count, Dropout, Model, Plan, Published, Size, weighted_mean
from aspectlab.nn import Writer, text_losses, token_positions


class GAS(Model):
    """Write triplets one after the other."""

    task = "aste"
    plan = Plan(
        epochs=30,
        batch_size=16,
        learning_rate=3e-4,
        encoder_learning_rate=1e-4,
        weight_decay=0.0,
        average=0.99,
        patience=10,
    )
    published = Published(
        encoder="t5-base",
        plan=Plan(epochs=20, batch_size=32, learning_rate=3e-4, weight_decay=0.0, warmup=0.0),
        source="the released code",
        settings={"constrained": False, "dropout": 0.1},
        unlike="the last state was taken, where here dev chooses",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        layers: Count = 3,
        dropout: Dropout = 0.3,
        constrained: bool = True,
        normalise: bool = True,
        max_length: Size = 128,
    ) -> None:
        super().__init__(encoder)
        self.constrained, self.max_length = constrained, max_length
        self.encoding = Text2TextEncoding(encoder.vocabulary, constrained, normalise, self.template)
        self.writer = Writer(
            encoder, build_grammar(self.template), layers=layers, dropout=dropout, copies=constrained
        )

    @property
    def template(self) -> Template:
        """How a triplet is written."""
        return EXTRACTION

    def forward(self, batch: WrittenBatch[Tensor]) -> Tensor:
        """Return the scores of what may be written at each step, [B, Y, C]."""
        states = self.encoder(batch)  # [B, T, H]
        outputs = self.writer.output_space(self.encoder, states, batch)
        return outputs.score(self.writer.teacher_force(states, batch.mask, outputs, batch.labels))

    def loss(self, scores: Tensor, batch: WrittenBatch[Tensor]) -> Tensor:
        """Average over the steps of each text, then over the texts that count."""
        positions = token_positions(batch.tokens, batch.words) if self.constrained else None
        return weighted_mean(text_losses(scores, batch.labels, positions), batch)

    def answer(self, batch: Batch[Tensor]) -> Tensor:
        """Write, [B, Y]."""
        states = self.encoder(batch)
        outputs = self.writer.output_space(self.encoder, states, batch)
        return self.writer.generate(states, batch.mask, outputs, self.max_length)
