"""Transformer layers: a decoder that keeps keys and values of what it has written, and an encoder layer.

A decoder can start from the weights of an encoder, so that any encoder can be taught to write.

N: inputs that are added at once, all of them in training and one at a time in writing. L: inputs so far.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from aspectlab.encoders import Decoder, Encoder
from aspectlab.errors import ConfigError

HIDDEN = -1e4
"""Added to the score of what must not be seen: far below any real score, and within bfloat16."""


class KeyValues(NamedTuple):
    """The keys and values of what may be attended to, [B, heads, L, H / heads] each."""

    keys: Tensor
    values: Tensor

    def extended(self, other: KeyValues) -> KeyValues:
        """Add what came after."""
        return KeyValues(torch.cat([self.keys, other.keys], 2), torch.cat([self.values, other.values], 2))

    def picked(self, rows: Tensor) -> KeyValues:
        """Return the keys and values of some rows."""
        return KeyValues(self.keys[rows], self.values[rows])


class Attention(nn.Module):
    """Attention with several heads; keys have no bias, which would cancel in the softmax."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width)
        self.join = nn.Linear(width, width)

    def keys_values(self, states: Tensor) -> KeyValues:
        """Make keys and values of some states."""
        return KeyValues(self._split(self.key(states)), self._split(self.value(states)))

    def forward(self, states: Tensor, known: KeyValues, bias: Tensor) -> Tensor:
        """Attend, [B, N, H] -> [B, N, H]; the bias is added to the scores, [..., N, L]."""
        query = self._split(self.query(states))
        found = scaled_dot_product_attention(query, *known, attn_mask=bias.to(query.dtype))
        answer = self.join(found.transpose(1, 2).flatten(2))
        assert isinstance(answer, Tensor)
        return answer

    def _split(self, states: Tensor) -> Tensor:
        batch, length, width = states.shape
        return states.view(batch, length, self.heads, width // self.heads).transpose(1, 2)


class DecoderLayer(nn.Module):
    """One layer, normalised behind each part as in BERT, so that it can take over the weights of BERT's."""

    def __init__(self, width: int, heads: int, inner: int, *, dropout: float, epsilon: float) -> None:
        super().__init__()
        self.own = Attention(width, heads)
        self.text = Attention(width, heads)
        self.inner = nn.Linear(width, inner)
        self.outer = nn.Linear(inner, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width, epsilon) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def forward(
        self, states: Tensor, before: KeyValues, text: KeyValues, biases: tuple[Tensor, Tensor]
    ) -> Tensor:
        """Transform the states, [B, N, H]; `before` holds the keys of these states too."""
        states = self.norms[0](states + self.drop(self.own(states, before, biases[0])))
        states = self.norms[1](states + self.drop(self.text(states, text, biases[1])))
        changed = self.norms[2](states + self.drop(self.outer(gelu(self.inner(states)))))
        assert isinstance(changed, Tensor)
        return changed


class StackedDecoder(nn.Module):
    """Layers over inputs with learnt positions, of which there are as many as may ever be written."""

    def __init__(
        self,
        width: int,
        layers: int,
        *,
        heads: int,
        inner: int,
        room: int,
        dropout: float = 0.1,
        epsilon: float = 1e-12,
    ) -> None:
        super().__init__()
        # positions; the name is that of the weight in saved models
        self.places = nn.Parameter(torch.randn(room, width) * 0.02)
        self.norm = nn.LayerNorm(width, epsilon)
        self.drop = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            DecoderLayer(width, heads, inner, dropout=dropout, epsilon=epsilon) for _ in range(layers)
        )

    def start(self, states: Tensor, mask: Tensor) -> StackedDecoderState:
        """Begin to write about some texts."""
        return StackedDecoderState(self, states, mask)


class StackedDecoderState:
    """What a stacked decoder remembers: the keys of the text, and those of the inputs so far."""

    def __init__(self, decoder: StackedDecoder, states: Tensor, mask: Tensor) -> None:
        self.decoder = decoder
        self.count = 0
        self.layers = [layer for layer in decoder.layers if isinstance(layer, DecoderLayer)]
        self.text = [layer.text.keys_values(states) for layer in self.layers]
        self.own: list[KeyValues] = []
        self.bias = torch.where(mask, 0.0, HIDDEN)[:, None, None, :]  # [B, 1, 1, T]

    def advance(self, inputs: Tensor) -> Tensor:
        """Add inputs and return the state behind each, [B, N, H] -> [B, N, H]."""
        start, self.count = self.count, self.count + inputs.shape[1]
        decoder = self.decoder
        states: Tensor = decoder.drop(decoder.norm(inputs + decoder.places[start : self.count]))
        now = torch.arange(start, self.count, device=inputs.device)[:, None]  # [N, 1]
        seen = torch.arange(self.count, device=inputs.device)[None] <= now  # [N, L]
        biases = torch.where(seen, 0.0, HIDDEN), self.bias
        own = []
        for number, layer in enumerate(self.layers):
            known = layer.own.keys_values(states)
            own.append(self.own[number].extended(known) if self.own else known)
            states = layer(states, own[-1], self.text[number], biases)
        self.own = own
        return states

    def reorder(self, rows: Tensor) -> None:
        """Go on from what other rows have written, [B]; the keys of the text stay."""
        self.own = [known.picked(rows) for known in self.own]


class EncoderLayer(nn.Module):
    """Attend to every word of the text, then two linear layers; each part is added and normalised."""

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        inner: int,
        dropout: float,
        activation: Callable[[Tensor], Tensor],
    ) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.inner, self.outer = nn.Linear(width, inner), nn.Linear(inner, width)
        self.activation = activation
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.drop = nn.Dropout(dropout)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Transform the states, [B, W, H] and [B, W] -> [B, W, H]."""
        found = self.attention(states, self.attention.keys_values(states), hide_padding(mask))
        states = self.norms[0](states + self.drop(found))
        changed = self.outer(self.drop(self.activation(self.inner(states))))
        answer = self.norms[1](states + self.drop(changed))
        assert isinstance(answer, Tensor)
        return answer


def hide_padding(mask: Tensor) -> Tensor:
    """Return what is added to the scores of an attention, so that padding draws none, [B, K] -> [B, 1, 1, K].

    >>> hide_padding(torch.tensor([[True, False]])).flatten().tolist()
    [0.0, -10000.0]
    """
    # finite, so that a text without words gives numbers too
    return torch.where(mask, 0.0, HIDDEN)[:, None, None]


def fitting_heads(width: int, wanted: int) -> int:
    """Return the largest number of heads, at most the one wanted, that divides a width.

    >>> fitting_heads(384, 12), fitting_heads(50, 12)
    (12, 10)
    """
    return next(heads for heads in range(min(wanted, width), 0, -1) if width % heads == 0)


def build_decoder(encoder: Encoder, layers: int) -> Decoder:
    """Return the decoder of a pre-trained pair, else a new one on the model of the encoder's own layers.

    Its layers start from those of the encoder, evenly chosen up to the last one; attention to the text starts
    from the same weights as attention to what was written (cf. Rothe et al., 2020). Where the encoder has no
    layers of a known kind, the start is random.
    """
    if encoder.decoder is not None:
        return encoder.decoder
    model = encoder.library_model
    if model is None:
        width, room = encoder.width, encoder.vocabulary.max_length
        return StackedDecoder(width, layers, heads=fitting_heads(width, 4), inner=4 * width, room=room)
    if (found := encoder.input_vectors().shape[1]) != encoder.width:
        raise ConfigError(
            f"encoder {encoder.name!r}: its word vectors are {found} wide: expected the width of its states, "
            f"{encoder.width}, since it is to write with them; take another, such as 'minilm'"
        )
    config = model.config
    decoder = StackedDecoder(
        encoder.width,
        layers,
        heads=int(config.num_attention_heads),
        inner=int(getattr(config, "intermediate_size", 4 * encoder.width)),
        room=encoder.vocabulary.max_length,
        dropout=float(getattr(config, "hidden_dropout_prob", 0.1)),
        epsilon=float(getattr(config, "layer_norm_eps", 1e-12)),
    )
    _take_over(decoder, model)
    return decoder


@torch.no_grad()
def _take_over(decoder: StackedDecoder, model: nn.Module) -> None:
    stack = getattr(getattr(model, "encoder", None), "layer", [])
    embeddings = getattr(model, "embeddings", None)
    if not len(stack) or embeddings is None:
        return
    _take_positions(decoder, embeddings)
    count = len(decoder.layers)
    for number, layer in enumerate(decoder.layers):
        assert isinstance(layer, DecoderLayer)
        source = stack[(number + 1) * len(stack) // count - 1 if count <= len(stack) else number % len(stack)]
        _take_layer(layer, source)


def _take_positions(decoder: StackedDecoder, embeddings: nn.Module) -> None:
    positions = getattr(embeddings, "position_embeddings", None)
    if isinstance(positions, nn.Embedding):
        # families that count from the padding on leave the first positions out
        first = positions.num_embeddings - len(decoder.places)
        kinds = getattr(embeddings, "token_type_embeddings", None)
        kind = kinds.weight[0] if isinstance(kinds, nn.Embedding) else 0.0
        decoder.places.copy_(positions.weight[first:] + kind)
    norm = getattr(embeddings, "LayerNorm", None)
    if isinstance(norm, nn.LayerNorm):
        decoder.norm.load_state_dict(norm.state_dict())


def _take_layer(layer: DecoderLayer, source: nn.Module) -> None:
    """Copy the weights of a layer of BERT's or MPNet's kind; one of another kind is passed over."""
    parts = dict(source.named_modules())
    names = next((names for names in (_BERT, _MPNET) if set(names.values()) <= parts.keys()), None)
    if names is None:
        return
    for attention in (layer.own, layer.text):
        for ours in ("query", "key", "value", "join"):
            _copy(getattr(attention, ours), parts[names[ours]])
    _copy(layer.inner, parts[names["inner"]])
    _copy(layer.outer, parts[names["outer"]])
    for norm, name in zip(layer.norms, ("after", "after", "last"), strict=True):
        _copy(norm, parts[names[name]])


def _copy(target: nn.Module, source: nn.Module) -> None:
    values = source.state_dict()
    target.load_state_dict({name: values[name] for name in target.state_dict()})


_SHARED = {"inner": "intermediate.dense", "outer": "output.dense", "last": "output.LayerNorm"}
_BERT = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "join": "attention.output.dense",
    "after": "attention.output.LayerNorm",
    **_SHARED,
}
_MPNET = {
    "query": "attention.attn.q",
    "key": "attention.attn.k",
    "value": "attention.attn.v",
    "join": "attention.attn.o",
    "after": "attention.LayerNorm",
    **_SHARED,
}
