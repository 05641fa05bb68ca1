"""Embedding: sentence vectors in one thread, while another does something else and then helps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from aspectlab.campaigns.absita.system import parts
from aspectlab.campaigns.absita.system.parts import WIDTH, Float32Array

_BLOCK = 128

T = TypeVar("T")


def embed_beside(texts: Sequence[str], work: Callable[[], T]) -> tuple[Float32Array, T]:
    """Turn texts into vectors of length 1 [N, 512], and do some work at the same time.

    >>> embed_beside([], lambda: "done")[1]
    'done'
    """
    vectors = np.zeros((len(texts), WIDTH), dtype=np.float32)
    waiting = deque(range(0, len(texts), _BLOCK))

    def drain() -> None:
        while waiting:
            try:
                start = waiting.popleft()
            except IndexError:  # the other thread was faster
                return
            vectors[start : start + _BLOCK] = parts.embed(texts[start : start + _BLOCK])

    with ThreadPoolExecutor(max_workers=1) as pool:
        beside = pool.submit(drain)
        done = work()
        drain()
        beside.result()
    return vectors, done
