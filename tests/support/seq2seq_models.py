"""Tiny random sequence-to-sequence models over the characters of the tiny encoder."""

from torch import nn
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    PreTrainedModel,
    T5Config,
    T5ForConditionalGeneration,
)

from aspectlab.encoders.transformer import load_tiny

VOCABULARY = load_tiny().subwords
SIZE = VOCABULARY.tokenizer.get_vocab_size()


def build_t5() -> PreTrainedModel:
    """Word vectors are shared, and states made smaller before they are compared with them."""
    config = T5Config(
        vocab_size=SIZE,
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=0,
    )
    return T5ForConditionalGeneration(config)


def build_bart() -> PreTrainedModel:
    """Word vectors are made larger before they are read."""
    config = BartConfig(
        vocab_size=SIZE,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=128,
        decoder_start_token_id=3,
        scale_embedding=True,
    )
    return BartForConditionalGeneration(config)


def build_untied() -> PreTrainedModel:
    """Like T5 1.1: tokens are written with vectors of their own."""
    model = build_t5()
    model.set_output_embeddings(nn.Linear(32, SIZE, bias=False))
    model.config.scale_decoder_outputs = False
    return model
