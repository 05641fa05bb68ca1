"""Embedding: sentence vectors in one thread, while another does something else and then helps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from aspectlab.campaigns.absita.system import encoder
from aspectlab.campaigns.absita.system.parts import WIDTH, Float32Array

_BLOCK = 256

T = TypeVar("T")


def embed_beside(texts: Sequence[str], work: Callable[[], T]) -> tuple[Float32Array, T]:
    """Turn texts into vectors of length 1 [N, 512], and do some work at the same time.

    >>> embed_beside([], lambda: "done")[1]
    'done'
    """
    vectors = np.zeros((len(texts), WIDTH), dtype=np.float32)
    waiting = deque(range(0, len(texts), _BLOCK))
    if not waiting:
        return vectors, work()

    def drain() -> None:
        passage = opened.result()
        while waiting:
            try:
                start = waiting.popleft()
            except IndexError:  # the other thread was faster
                return
            end = min(start + _BLOCK, len(texts))
            vectors[start:end] = passage.encode(start, end)

    with ThreadPoolExecutor(max_workers=1) as pool:
        opened = pool.submit(encoder.open_passage, texts)
        beside = pool.submit(drain)  # by the same thread, when it has opened the passage
        done = work()
        drain()
        beside.result()
    return vectors, done
