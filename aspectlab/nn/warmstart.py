"""A decoder that starts from the weights of an encoder, so that any encoder can be taught to write."""

import torch
from torch import nn

from aspectlab.encoders import Decoder, Encoder
from aspectlab.errors import ConfigError
from aspectlab.nn.transformer_layers import DecoderLayer, StackedDecoder, fitting_heads


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
