"""GRACE: gradient-harmonised and cascaded labelling (Luo et al., Findings of EMNLP 2020).

Idea: the upper layers of the encoder tag aspects. A second branch starts from a lower layer, reads the tags,
and decodes the polarity of every word: two layers that attend to each other word and to the lower states,
begun as copies of layers of the encoder. The words of an aspect share the maximum of their states, so
that they agree. Losses weigh words by how rare the length of their gradient is.
In training the second branch reads gold tags, in prediction those of the first. The authors trained tags
alone for 5 epochs at 3e-5, with adversarial noise for 1 to 3 more, then both for 10 at 3e-6, and ten times
that for everything but BERT.
Unlike the released code: one joint stage, without the adversarial noise; any encoder stands in for the
authors' post-trained BERT, with rates that suit MiniLM; the branch starts a quarter of the layers below the
top (the authors: 3 of 12); words are the means of their sub-words, and positions are counted in words; the
layers copied are the middle and the last one instead of the last two; there is no polarity "none", which was
never a label; the weights of the loss average one and a bin takes its first count whole, where the code's
first weights are four times too large and grow with the number of bins; gradients are clipped together; a
exponential moving average of the weights is kept. Where the encoder has no layers to copy, the second branch
begins at random.
"""

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder
from aspectlab.encodings import BIO, POLARITIES, TagBatch, TagEncoding, read_cascaded
from aspectlab.models import Count, Dropout, Model, Plan, Published
from aspectlab.nn import (
    DecoderLayer,
    StackedDecoder,
    build_decoder,
    counted_words,
    cross_entropies,
    fitting_heads,
    hide_padding,
    max_runs,
    mean_where,
    mean_words,
    one_hot,
)


class Harmonizer(nn.Module):
    """Weigh examples by how rare the length of their gradient is (Li et al., AAAI 2019).

    The gradient of a class score is g = |p - y|. Lengths fall into equal bins; a bin that holds many has
    little say in each: weight = N / (count of the bin * number of bins in use), so that weights average one.
    Counts are moving averages over batches. They belong to a training, not to a model, and are not saved.
    """

    def __init__(self, *, bins: int = 24, momentum: float = 0.75) -> None:
        super().__init__()
        self.momentum = momentum
        self.counts: Tensor
        self.register_buffer("counts", torch.zeros(bins), persistent=False)

    @torch.no_grad()
    def forward(self, scores: Tensor, labels: Tensor, counted: Tensor) -> Tensor:
        """Return the weight of every example, [..., C], [...] and [...] -> [...]."""
        bins = len(self.counts)
        gold = one_hot(labels, scores.shape[-1], torch.float32)  # [..., C]
        length = (scores.float().softmax(-1) - gold).abs()  # [..., C]
        hot = one_hot((length * bins).long().clamp(max=bins - 1), bins, torch.float32)  # [..., C, bins]
        found = (hot * counted[..., None, None]).flatten(0, -2).sum(0)  # [bins]
        # a bin that was empty so far takes its first count whole
        before = torch.where(self.counts > 0, self.counts, found)
        mean = torch.where(found > 0, torch.lerp(found, before, self.momentum), self.counts)
        if self.training:
            self.counts.copy_(mean)
        share = found.sum() / (mean.clamp(min=1e-6) * (found > 0).sum().clamp(min=1))  # [bins]
        right = (hot * gold[..., None]).sum(-2)  # [..., bins] the bin of the right class
        weights: Tensor = (right * share).sum(-1)
        return weights


def harmonized_loss(harmonizer: Harmonizer, scores: Tensor, labels: Tensor, counted: Tensor) -> Tensor:
    """Average the weighted cross-entropy over what counts, [..., C], [...] and [...] -> []."""
    weights = harmonizer(scores, labels, counted)
    return mean_where(weights * cross_entropies(scores, labels), counted)


_TAGS = 3
"""Outside, begin, inside."""


class GRACE(Model):
    """Tag aspects, and decode the polarity of what was tagged."""

    task = "e2e"
    plan = Plan(
        epochs=30,
        batch_size=16,
        learning_rate=3e-4,
        encoder_learning_rate=1e-4,
        average=0.99,
        patience=10,
    )
    published = Published(
        encoder="bert-base-uncased",
        plan=Plan(epochs=10, batch_size=32, learning_rate=3e-5, encoder_learning_rate=3e-6),
        source="the released code",
        unlike="two stages of tags alone came before: without them these rates are low",
    )

    def __init__(self, encoder: Encoder, n_labels: int, *, layers: Count = 2, dropout: Dropout = 0.1) -> None:
        super().__init__(encoder)
        self.encoding = TagEncoding(encoder.vocabulary, BIO, read_cascaded)
        width = encoder.width
        self.tag = nn.Linear(width, _TAGS)
        self.tag_vectors = nn.Parameter(torch.empty(_TAGS, width).normal_(std=0.02))
        self.decoder = _decoder(encoder, layers)
        hidden = nn.Linear(width, width)
        self.judge = nn.Sequential(hidden, nn.GELU(), nn.Dropout(dropout), nn.Linear(width, len(POLARITIES)))
        self.of_tags, self.of_polarities = Harmonizer(), Harmonizer()

    def forward(self, batch: TagBatch[Tensor]) -> Tensor:
        """Return the scores of tags and polarities side by side, [B, W, 3 + 3]."""
        layers = self.encoder.layers(batch)  # each [B, T, H]
        words, mask = mean_words(layers[-1], batch.words)  # [B, W, H], [B, W]
        shared, _ = mean_words(layers[-1 - len(layers) // 4], batch.words)  # [B, W, H]
        tags = self.tag(words)  # [B, W, 3]
        chosen = tag_of(batch.labels) if self.training else tags.argmax(-1)  # [B, W]
        return torch.cat([tags, self._polarities(shared, mask, chosen)], -1)

    def _polarities(self, shared: Tensor, mask: Tensor, tags: Tensor) -> Tensor:
        """Decode the polarity of every word, [B, W, H], [B, W] and [B, W] -> [B, W, 3]."""
        named = one_hot(tags, _TAGS, shared.dtype) @ self.tag_vectors.to(shared.dtype)  # [B, W, H]
        decoder, bias = self.decoder, hide_padding(mask)
        states = decoder.drop(decoder.norm(shared + named + decoder.places[: tags.shape[1]]))
        for layer in decoder.layers:
            assert isinstance(layer, DecoderLayer)
            # every word sees every other, unlike in a decoder that writes
            states = layer(
                states, layer.own.keys_values(states), layer.text.keys_values(shared), (bias, bias)
            )
        # inside goes on with what came before it, whatever that is: a stray one is never read
        polarities = self.judge(max_runs(states, (tags != 2) | ~mask))
        assert isinstance(polarities, Tensor)
        return polarities

    def loss(self, scores: Tensor, batch: TagBatch[Tensor]) -> Tensor:
        """Add the loss of the tags of all words to that of the polarities of words in aspects."""
        tags, polarities = scores.split([_TAGS, len(POLARITIES)], -1)
        counted = counted_words(batch)
        inside = counted & (batch.labels > 0)
        gold = (batch.labels - 1).clamp(min=0) % len(POLARITIES)  # [B, W]
        return harmonized_loss(self.of_tags, tags, tag_of(batch.labels), counted) + harmonized_loss(
            self.of_polarities, polarities, gold, inside
        )


def tag_of(labels: Tensor) -> Tensor:
    """Return the tag of BIO classes: 0 outside, 1 begin, 2 inside.

    >>> tag_of(torch.tensor([0, 1, 3, 4, 6])).tolist()
    [0, 1, 1, 2, 2]
    """
    return (labels > 0).long() + (labels > len(POLARITIES)).long()


def _decoder(encoder: Encoder, layers: int) -> StackedDecoder:
    decoder = build_decoder(encoder, layers)
    if isinstance(decoder, StackedDecoder):
        return decoder
    # that of a pre-trained pair writes word by word, and cannot see what comes after
    width, heads = encoder.width, fitting_heads(encoder.width, 12)
    room = encoder.vocabulary.max_length
    return StackedDecoder(width, layers, heads=heads, inner=4 * width, room=room)
