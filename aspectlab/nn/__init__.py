"""Blocks that models are put together from."""

from aspectlab.nn.attention import Trilinear, dot_scores, weighted_sum
from aspectlab.nn.initial import draw_uniform
from aspectlab.nn.masking import masked_max, masked_mean, masked_softmax
from aspectlab.nn.recurrent import BiLSTM, LastState, reverse
from aspectlab.nn.sides import aspect_sides
from aspectlab.nn.words import aspect_distance, gather_aspect, mean_words, pool_words

__all__ = [
    "BiLSTM",
    "LastState",
    "Trilinear",
    "aspect_distance",
    "aspect_sides",
    "dot_scores",
    "draw_uniform",
    "gather_aspect",
    "masked_max",
    "masked_mean",
    "masked_softmax",
    "mean_words",
    "pool_words",
    "reverse",
    "weighted_sum",
]
