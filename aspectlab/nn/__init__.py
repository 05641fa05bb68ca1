"""Blocks that models are put together from."""

from aspectlab.nn.masking import masked_max, masked_mean, masked_softmax
from aspectlab.nn.recurrent import BiLSTM, LastState
from aspectlab.nn.words import aspect_distance, gather_aspect, pool_words

__all__ = [
    "BiLSTM",
    "LastState",
    "aspect_distance",
    "gather_aspect",
    "masked_max",
    "masked_mean",
    "masked_softmax",
    "pool_words",
]
