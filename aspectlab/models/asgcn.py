"""ASGCN: aspect-specific graph convolution over the dependency tree, undirected (Zhang et al., EMNLP 2019).

Idea: an LSTM reads the sentence; two graph convolutions carry what it says along the dependency tree, words
near the aspect louder than far ones; what reaches the aspect's own words then asks the LSTM's states which of
them matter, and their sum is classified. This is the paper's ASGCN-DG: A_ij = A_ji = 1 for head and child.
Settings and plan are the authors': 300 hidden units, dropout 0.3, Adam at 1e-3, L2 1e-5, batches of 32, at
most 100 epochs, all matrices drawn Xavier-uniform.
Unlike the paper: any encoder may stand in for the frozen 300 dimensions of GloVe (a transformer's sub-words
are averaged to words, and learn at 1e-4); the parser sees the text as it is written, in our words; the epoch
is chosen on dev accuracy instead of the best test score; gradients are clipped.
Unlike the released code: padding takes no share of the attention, and a sentence that is nothing but the
aspect has position weights of zero instead of a division by zero.
"""

from typing import ClassVar

from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import GraphBatch, GraphEncoding, Layout, PairBatch
from aspectlab.language import load_parser
from aspectlab.models import Count, Dropout, Model, Plan, Published, Size, unscheduled_plan
from aspectlab.nn import (
    BiLSTM,
    GraphConvolution,
    Words,
    aspect_distance,
    dot_scores,
    masked_softmax,
    pool_words,
    weighted_sum,
)


class ASGCN(Model):
    """Classify from the sentence as the aspect's neighbourhood in the dependency tree sees it."""

    layout: ClassVar[Layout] = "sentence"
    default_encoder = "vectors:glove50"
    plan = Plan(
        epochs=100,
        batch_size=32,
        learning_rate=1e-3,
        encoder_learning_rate=1e-4,
        weight_decay=1e-5,
        optimizer="adam",
        schedule="constant",
        warmup=0.0,
    )
    published = Published(
        encoder="glove.840B.300d",
        plan=unscheduled_plan(
            epochs=100,
            batch_size=32,
            learning_rate=1e-3,
            encoder_learning_rate=0.0,
            weight_decay=1e-5,
            optimizer="adam",
            patience=5,
        ),
        source="the released code",
        unlike="the epoch was chosen on the test set",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        hidden: Size = 300,
        layers: Count = 2,
        dropout: Dropout = 0.3,
        parser: str = "en_core_web_sm",
    ) -> None:
        super().__init__(encoder)
        self.encoding = GraphEncoding(encoder.vocabulary, self.layout, load_parser(parser))
        self.drop = nn.Dropout(dropout)
        self.read = BiLSTM(encoder.width, hidden)
        self.convolve = nn.ModuleList(GraphConvolution(2 * hidden, 2 * hidden) for _ in range(layers))
        self.classify = nn.Linear(2 * hidden, n_labels)
        for parameter in (*self.read.parameters(), self.classify.weight):
            if parameter.ndim > 1:
                nn.init.xavier_uniform_(parameter)

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Return the class scores, [B, C]."""
        assert isinstance(batch, GraphBatch)
        words = pool_words(self.encoder(batch), batch)  # states [B, W, E]
        states = self.read(self.drop(words.states), words.mask)  # [B, W, 2H]
        near = position_weights(words)[..., None]  # [B, W, 1]
        adjacency = batch.relations > 0  # [B, W, W]
        carried = states
        for layer in self.convolve:
            carried = layer(carried * near, adjacency).relu()  # [B, W, 2H]
        aspect = weighted_sum(words.in_aspect, carried)  # [B, 2H] the sum over the aspect's words
        weights = masked_softmax(dot_scores(states, aspect), words.mask)  # [B, W]
        scores = self.classify(weighted_sum(weights, states))
        assert isinstance(scores, Tensor)
        return scores


def position_weights(words: Words) -> Tensor:
    """Weigh words by their distance l to the aspect, 1 - l / (n - m), [B, W]; zero on aspect and padding.

    n is the number of words and m that of the aspect's.
    """
    context = words.mask & ~words.in_aspect  # [B, W]
    size = context.sum(1, keepdim=True).clamp(min=1)  # [B, 1]
    return (1 - aspect_distance(words) / size) * context
