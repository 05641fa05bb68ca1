"""Average linkage: join what is alike on average, until nothing is alike enough."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def average_linkage(similarity: NDArray[np.float32], threshold: float) -> NDArray[np.int64]:
    """Give the cluster of each item, [N, N] -> [N], named by its first member.

    Two clusters are joined while the mean similarity of their members reaches the threshold. Chains of
    nearest neighbours find the same clusters as always joining the closest pair, in time N².

    >>> alike = np.array([[1, 0.9, 0.1], [0.9, 1, 0.3], [0.1, 0.3, 1]], np.float32)
    >>> average_linkage(alike, 0.5).tolist()
    [0, 0, 2]
    """
    count = len(similarity)
    between = np.array(similarity, np.float32)  # [N, N] mean similarity of clusters
    np.fill_diagonal(between, -np.inf)
    sizes = np.ones(count, np.int64)
    cluster = np.arange(count)
    waiting = np.ones(count, bool)
    chain: list[int] = []
    while waiting.any():
        last = chain[-1] if chain else int(np.argmax(waiting))
        chain = chain or [last]
        near = _nearest(between[last], chain)
        if between[last, near] < threshold:
            # a mean of values below the threshold stays below it, so this cluster is complete
            waiting[last] = False
            between[last], between[:, last] = -np.inf, -np.inf
            chain.pop()
        elif len(chain) > 1 and near == chain[-2]:
            del chain[-2:]
            _join(between, sizes, *sorted((near, last)))
            cluster[cluster == max(near, last)] = min(near, last)
            waiting[max(near, last)] = False
        else:
            chain.append(near)
    return cluster


def _nearest(row: NDArray[np.float32], chain: list[int]) -> int:
    """Find the nearest cluster; among equals the one before in the chain, lest the chain run in circles."""
    near = int(np.argmax(row))
    return chain[-2] if len(chain) > 1 and row[chain[-2]] >= row[near] else near


def _join(between: NDArray[np.float32], sizes: NDArray[np.int64], kept: int, gone: int) -> None:
    """Put one cluster into another; its similarities are means weighted by the number of members."""
    total = sizes[kept] + sizes[gone]
    joined = (sizes[kept] * between[kept] + sizes[gone] * between[gone]) / total  # [N]
    between[kept], between[:, kept] = joined, joined
    between[gone], between[:, gone] = -np.inf, -np.inf
    between[kept, kept] = -np.inf
    sizes[kept] = total
