"""BERT+TFM: a transformer layer on top of BERT tags every word (Li et al., W-NUT at EMNLP 2019).

Idea: one more layer of self-attention over the states of the encoder, and one class a word that says both
where in an aspect the word stands (begin, inside, end, single) and which polarity the aspect has.
The authors' settings: 12 heads, four times the width inside, ReLU, dropout 0.1 before and behind the layer.
They trained BERT-base at 2e-5 for 1,500 steps with batches of 32 or 16; MiniLM is smaller and needs about
1e-4, and the new layer learns faster than the encoder.
Unlike the released code: tags are for words, which are the means of their sub-words, so that there is no
class for the rest of a word and no loss at [CLS] and [SEP]; padding is hidden from the layer; tags are
written aspect by aspect, so that neighbours do not merge; a run of tags that a word outside breaks is no
aspect (there it went on); an exponential moving average of the weights is kept. The encoder is any encoder;
where 12 heads do not divide its width there are fewer.
"""

from torch import Tensor, nn
from torch.nn.functional import relu

from aspectlab.encoders import Encoder
from aspectlab.encodings import BIEOS, TagBatch, TagEncoding, count_classes, read_collapsed
from aspectlab.models import Dropout, Model, Plan, Published, Size
from aspectlab.nn import EncoderLayer, counted_words, cross_entropies, fitting_heads, mean_where, mean_words


class BERTTFM(Model):
    """Tag every word with position and polarity."""

    task = "e2e"
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
        encoder="bert-base-uncased",
        plan=Plan(epochs=9, batch_size=16, learning_rate=2e-5, weight_decay=0.0, warmup=0.0),
        source="the released code",
        unlike="they took 1,500 steps, with batches of 32 for laptops",
    )

    def __init__(self, encoder: Encoder, n_labels: int, *, heads: Size = 12, dropout: Dropout = 0.1) -> None:
        super().__init__(encoder)
        self.encoding = TagEncoding(encoder.vocabulary, BIEOS, read_collapsed)
        width = encoder.width
        self.drop = nn.Dropout(dropout)
        self.transform = EncoderLayer(
            width, fitting_heads(width, heads), inner=4 * width, dropout=dropout, activation=relu
        )
        self.classify = nn.Linear(width, count_classes(BIEOS))

    def forward(self, batch: TagBatch[Tensor]) -> Tensor:
        """Return the class scores of every word, [B, W, C]."""
        words, mask = mean_words(self.encoder(batch), batch.words)  # [B, W, H], [B, W]
        scores = self.classify(self.drop(self.transform(self.drop(words), mask)))
        assert isinstance(scores, Tensor)
        return scores

    def loss(self, scores: Tensor, batch: TagBatch[Tensor]) -> Tensor:
        """Average the cross-entropy over the words."""
        return mean_where(cross_entropies(scores, batch.labels), counted_words(batch))
