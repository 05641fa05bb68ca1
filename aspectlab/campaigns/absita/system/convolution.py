"""Convolution: two layers over windows of tokens, the first of them looked up token by token."""

from __future__ import annotations

import numpy as np

from aspectlab.campaigns.absita.system.parts import Float32Array
from aspectlab.metrics import IntArray

_REACH = 2


class Branch:
    """A window of n tokens, and what each of U distinct tokens brings to it; token U is the void beyond."""

    def __init__(
        self,
        states: Float32Array,  # [U, C]
        first: Float32Array,  # [n * C, C]
        first_bias: Float32Array,  # [C]
        second: Float32Array,  # [n * C, C]
        second_bias: Float32Array,  # [C]
    ) -> None:
        count, self.channels = states.shape
        size = len(first) // self.channels
        left = (size - 1) // 2
        self._places = slice(_REACH - left, _REACH - left + size)  # of the widest window
        self._states = np.ascontiguousarray(states)
        self._shares = np.zeros((size, count + 1, self.channels), dtype=np.float32)  # [n, U + 1, C]
        for share, part in zip(self._shares, np.split(first, size), strict=True):
            np.matmul(self._states, part, out=share[:count])
        self._shares[left] += first_bias
        self._second, self._second_bias = second, second_bias

    def convolve(self, tokens: IntArray, windows: IntArray) -> Float32Array:
        """Give the states of tokens [T] after both layers [T, C]; windows [T, 5] point at T for the void."""
        places = windows[:, self._places]  # [T, n]
        around = np.append(tokens, len(self._states))[places]  # [T, n]
        hidden = np.zeros((len(tokens) + 1, self.channels), dtype=np.float32)  # [T + 1, C]
        inner = hidden[:-1]
        for share, column in zip(self._shares, around.T, strict=True):
            inner += share.take(column, axis=0)
        np.maximum(inner, 0, out=inner)
        inner += self._states.take(tokens, axis=0)
        outer = hidden.take(places, axis=0).reshape(len(tokens), -1) @ self._second
        outer += self._second_bias
        np.maximum(outer, 0, out=outer)
        outer += inner
        return outer


def find_windows(firsts: IntArray, sizes: IntArray) -> IntArray:
    """List the places of the two tokens before, the token, and the two after; T stands for none [T, 5].

    >>> find_windows(np.array([0, 1]), np.array([1, 2])).tolist()
    [[3, 3, 0, 3, 3], [3, 3, 1, 2, 3], [3, 1, 2, 3, 3]]
    """
    count = int(sizes.sum())
    places = np.arange(count)[:, None] + np.arange(-_REACH, _REACH + 1)
    start, end = np.repeat(firsts, sizes)[:, None], np.repeat(firsts + sizes, sizes)[:, None]
    return np.where((places >= start) & (places < end), places, count)


def standardise(rows: Float32Array, epsilon: Float32Array) -> None:
    """Give each row mean 0 and variance 1, in place.

    >>> rows = np.array([[1.0, 3.0]], dtype=np.float32)
    >>> standardise(rows, np.float32(0))
    >>> rows.tolist()
    [[-1.0, 1.0]]
    """
    rows -= rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[1]
    rows *= (1 / np.sqrt(variance + epsilon))[:, None]
