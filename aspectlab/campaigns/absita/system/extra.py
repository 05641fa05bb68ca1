"""The optional packages of the system: Italian lemmas, threads, and the pretrained encoder."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, lru_cache
from importlib import import_module
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from aspectlab.errors import MissingPartError

Float32Array = NDArray[np.float32]

_INSTALL = "pip install 'aspectlab[italian]'"
WIDTH = 512
"""The width of a sentence vector."""


@lru_cache(maxsize=1 << 16)
def lemmatize(word: str) -> str:
    """Return the Italian lemma of a word."""
    return str(_lemmatizer()(word, lang="it"))


@cache
def _lemmatizer() -> Callable[..., str]:
    found: Callable[..., str] = load_part("simplemma", "Italian lemmas").lemmatize
    return found


def limit_threads() -> AbstractContextManager[object]:
    """Keep every matrix product to one thread: the threads here are our own, and more would wait in turns."""
    limits: Callable[..., AbstractContextManager[object]]
    limits = load_part("threadpoolctl", "matrix products in two threads").threadpool_limits
    return limits(1, user_api="blas")


def load_part(module: str, purpose: str) -> ModuleType:
    """Import a package of the extra, or say how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingPartError(
            f"{module}: found no such package: expected it for {purpose}; {_INSTALL}"
        ) from None
