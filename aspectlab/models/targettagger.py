"""Target tagger: our own baseline for the opinion words of a given aspect, whose sentence has it marked.

Idea: `[CLS] left @ target # right [SEP] target [SEP]`; every word of the sentence is tagged as outside, the
beginning or the inside of an opinion word or phrase for this target. Each target of a sentence is asked about
by itself, so that the same words may be tagged for one and not for another.
No paper describes the model. The task and its first model, IOG, are Fan et al. (NAACL 2019), who read the
sentence towards the target and away from it by LSTMs; here the encoder and the marks tell where it is.
"""

from typing import ClassVar

from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import TARGET_TAGS, Layout, TargetBatch, TargetTagEncoding
from aspectlab.models import Dropout, Model, Plan
from aspectlab.nn import counted_words, cross_entropies, mean_where, mean_words


class TargetTagger(Model):
    """Tag the words of a sentence in which the target is marked."""

    task = "towe"
    layout: ClassVar[Layout] = "marked"
    plan = Plan(epochs=20, batch_size=32, learning_rate=1e-3, encoder_learning_rate=1e-4, average=0.99)

    def __init__(self, encoder: Encoder, n_labels: int, *, dropout: Dropout = 0.1) -> None:
        super().__init__(encoder)
        self.encoding = TargetTagEncoding(encoder.vocabulary)
        self.drop = nn.Dropout(dropout)
        self.tag = nn.Linear(encoder.width, TARGET_TAGS)

    def forward(self, batch: TargetBatch[Tensor]) -> Tensor:
        """Return the scores of the tags of every word, [B, W, 3]."""
        words, _ = mean_words(self.encoder(batch), batch.words)  # [B, W, H]
        scores = self.tag(self.drop(words))
        assert isinstance(scores, Tensor)
        return scores

    def loss(self, scores: Tensor, batch: TargetBatch[Tensor]) -> Tensor:
        """Average the cross-entropy over all words."""
        return mean_where(cross_entropies(scores, batch.labels), counted_words(batch))
