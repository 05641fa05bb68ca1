"""RGAT-BERT: relational graph attention beside BERT (Bai et al., IEEE/ACM TASLP 2021; arXiv 2020).

Idea: two layers of attention along the dependency tree, where the kind of an arc has a part in keys and
values, rewrite the states of the words. A gate mixes the aspect's words after and before that; the mix and
the pooled sentence `[CLS] sentence [SEP] aspect [SEP]` are classified. Arcs count both ways under one
relation; every word has a loop, and the aspect's words are all linked, both by the relation "self".
Settings are the authors' for restaurants: 100 wide, 4 heads, relations of 80, dropout 0.1 (for laptops they
had relations of 100 and attention dropout 0.1). They trained BERT-base at 2e-5 and the rest at 1e-5 with
Adam, L2 1e-5, batches of 16, 10 epochs; MiniLM is smaller and needs about 1e-4.
Unlike the paper: any encoder may stand in for BERT; the parser is spaCy's small English one; the rate warms
up and falls, gradients are clipped, and the epoch is chosen on a dev set that is not the test set.
Unlike the released code: a word is the mean of its sub-words (the code lets graph position i read BERT
position i, shifted by [CLS] and by every word that is split: `faithful_quirk=True` does the same); the text
is not lower-cased or cut at 90; segments follow the tokens and padding is masked; the pre-trained pooler is
kept; an arc inside the aspect keeps its relation both ways.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import LOOP, N_RELATIONS, GraphBatch, GraphEncoding, Layout, PairBatch
from aspectlab.language import load_parser
from aspectlab.models import Count, Dropout, Model, Plan, Published, Size, unscheduled_plan
from aspectlab.nn import RelationalLayer, masked_mean, one_hot, pool_words


class RGATBERT(Model):
    """Classify from the aspect's words, rewritten along the dependency tree, beside the pooled sentence."""

    layout: ClassVar[Layout] = "sentence-aspect"
    plan = Plan(epochs=10, batch_size=16, learning_rate=1e-4, weight_decay=1e-5, optimizer="adam")
    published = Published(
        encoder="bert-base-uncased",
        plan=unscheduled_plan(
            epochs=10,
            batch_size=16,
            learning_rate=1e-5,
            encoder_learning_rate=2e-5,
            weight_decay=1e-5,
            optimizer="adam",
        ),
        source="the released code",
        unlike="these are for restaurants; laptops had 15 epochs; the epoch was chosen on the test set",
    )

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        hidden: Size = 100,
        layers: Count = 2,
        heads: Size = 4,
        inner: Size = 768,
        relation_width: Size = 80,
        dropout: Dropout = 0.1,
        attention_dropout: Dropout = 0.0,
        faithful_quirk: bool = False,
        parser: str = "en_core_web_sm",
    ) -> None:
        super().__init__(encoder)
        self.encoding = GraphEncoding(encoder.vocabulary, self.layout, load_parser(parser))
        self.faithful_quirk = faithful_quirk
        self.drop = nn.Dropout(dropout)
        self.reduce = nn.Linear(encoder.width, hidden)
        self.relations = nn.Parameter(torch.empty(N_RELATIONS, relation_width).normal_())
        self.layers = nn.ModuleList(
            RelationalLayer(hidden, heads, relation_width, inner=inner, attention_dropout=attention_dropout)
            for _ in range(layers)
        )
        self.normalize = nn.LayerNorm(hidden)
        self.gate = nn.Linear(2 * hidden, hidden)
        self.classify = nn.Linear(hidden + encoder.width, n_labels)

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        """Return the class scores, [B, C]."""
        assert isinstance(batch, GraphBatch)
        states = self.encoder(batch)  # [B, T, H]
        words = pool_words(states, batch)
        seen = states if self.faithful_quirk else words.states  # [B, W, H]
        plain = self.reduce(self.drop(seen))  # [B, W, N]
        walked = self._walk(plain, link_aspect(batch.relations, words.in_aspect))  # [B, W, N]
        after, before = (masked_mean(part, words.in_aspect) for part in (walked, plain))  # [B, N]
        gate = self.gate(torch.cat([after, before], -1)).sigmoid()  # [B, N]
        mixed = gate * after + (1 - gate) * before  # [B, N]
        scores = self.classify(self.drop(torch.cat([mixed, self.encoder.pool(states)], -1)))
        assert isinstance(scores, Tensor)
        return scores

    def _walk(self, states: Tensor, relations: Tensor) -> Tensor:
        """Pass the states along the arcs, [B, W, N] -> [B, W, N]."""
        hot = one_hot(relations, N_RELATIONS, states.dtype)  # [B, W, W, R]
        for layer in self.layers:
            states = layer(states, hot, self.relations)
        normal = self.normalize(states)
        assert isinstance(normal, Tensor)
        return normal


def link_aspect(relations: Tensor, in_aspect: Tensor) -> Tensor:
    """Link all words of the aspect that no arc links yet by the relation "self", [B, W, W]."""
    both = in_aspect[:, :, None] & in_aspect[:, None, :]  # [B, W, W]
    return torch.where(both & (relations == 0), LOOP, relations)
