"""What a perfect model would say of a batch of grids, for each codec."""

import numpy as np
from numpy.typing import NDArray

from aspectlab.encodings.grid import Codec, GridBatch
from aspectlab.models.bdtf import END, START, BoundaryCodec
from aspectlab.models.minicongts import CLASSES, GridTaggingCodec
from aspectlab.models.simstar import QUESTIONS, StarCodec

Scores = NDArray[np.float32]
Arrays = GridBatch[NDArray[np.generic]]
SURE = 10.0


def perfect_scores(codec: Codec, batch: Arrays) -> Scores:
    labels = batch.labels.astype(np.int64)
    if isinstance(codec, GridTaggingCodec):
        return np.eye(CLASSES, dtype=np.float32)[labels] * SURE
    if isinstance(codec, StarCodec):
        bits = labels[..., None] >> np.arange(QUESTIONS) & 1
        return np.where(bits, SURE, -SURE).astype(np.float32)
    assert isinstance(codec, BoundaryCodec)
    rows = [candidates(table, quads) for table, quads in zip(labels, batch.quads, strict=True)]
    scores = np.zeros((len(rows), max(map(len, rows)), 8), np.float32)
    scores[..., 4] = SURE
    for place, row in enumerate(rows):
        scores[place, : len(row)] = row
    return scores


def candidates(table: NDArray[np.int64], quads: NDArray[np.generic]) -> Scores:
    """All rectangles between two gold corners, [N, 8]; those of gold triplets have their class."""
    known = {
        (row, column, last_row, last_column): k for row, last_row, column, last_column, k in quads.tolist()
    }
    firsts, lasts = (np.argwhere(table & mark).tolist() for mark in (START, END))
    pairs = [(*f, *e) for f in firsts for e in lasts if f[0] <= e[0] and f[1] <= e[1]]
    found = [[*pair, *(SURE * (known.get(pair, 0) == kind) for kind in range(4))] for pair in pairs]
    return np.array(found, np.float32).reshape(-1, 8)
