"""Constants of an exported network, read from its files without any engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from defusedxml import ElementTree
from numpy.typing import NDArray

from aspectlab.runtime.exportfolder import GRAPH, WEIGHTS

Constant = NDArray[np.float16] | NDArray[np.float32]

_KINDS = {"f16": np.float16, "f32": np.float32}
_TABLE = "embeddings.word_embeddings.weight"


def read_constants(folder: Path) -> dict[str, Constant]:
    """Find the weights by the names they had in torch; nothing is in memory before it is looked at."""
    content = np.memmap(folder / WEIGHTS, np.uint8, "r")
    found = {}
    for layer in ElementTree.parse(folder / GRAPH).iterfind(".//layer[@type='Const']"):
        port, place = layer.find("output/port"), layer.find("data")
        if port is None or place is None or place.get("element_type") not in _KINDS:
            continue
        start, size = int(place.get("offset", 0)), int(place.get("size", 0))
        values = content[start : start + size].view(_KINDS[place.get("element_type", "")])
        shape = [int(side) for side in place.get("shape", "").split(",") if side.strip()]
        for name in port.get("names", "").split(","):
            if name.startswith("self."):
                found[name.removeprefix("self.")] = values.reshape(shape)
    return found


def read_table(folder: Path) -> Constant | None:
    """Find the vectors of the word pieces, [V, D], that the network begins with."""
    return next((table for name, table in read_constants(folder).items() if name.endswith(_TABLE)), None)
