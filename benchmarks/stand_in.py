"""A stand-in for the model, and `aspectlab analyze` with it: all the work but the model's.

Run it as: python benchmarks/stand_in.py FILE OUT ENGINE SECONDS; so long it takes for a block.
"""

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from generated import BLAME, KINDS, NOUNS, PRAISE
from numpy.typing import NDArray

from aspectlab.cli import analyze
from aspectlab.data import Polarity, Quad, Span, Term

ASPECT = re.compile(rf"\b(?:(?:{'|'.join(KINDS)}) )?(?:x\d+ )?(?:{'|'.join(NOUNS)})\b")
OPINION = re.compile(rf"\b({'|'.join((*PRAISE, *BLAME))})\b", re.IGNORECASE)


class StandIn:
    """Finds the words that generated reviews are made of, at no cost but a pause."""

    identity = "stand-in"

    def __init__(self, pause_s: float = 0.0) -> None:
        self.pause_s = pause_s

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Pair aspects and opinions in their order."""
        time.sleep(self.pause_s)
        return [tuple(map(_pair, ASPECT.finditer(t), OPINION.finditer(t))) for t in texts]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Draw a vector for each text, [N, 32]; equal last words are alike."""
        return np.stack([_draw(text) + 2 * _draw(text.split(" ")[-1]) for text in texts])


class Loader(analyze.Loader):
    """Opens the stand-in, here and on the workers of a cluster."""

    def __call__(self) -> StandIn:
        """Open it."""
        # to a worker the name of a model comes as a whole path
        return StandIn(float(Path(self.model or "0").name))


def _pair(aspect: re.Match[str], opinion: re.Match[str]) -> Quad:
    polarity = Polarity.POSITIVE if opinion[0].lower() in PRAISE else Polarity.NEGATIVE
    share = 0.5 + crc32(aspect.string.encode()) % 5_000 / 10_000
    return Quad(
        aspect=Term(aspect[0], Span(*aspect.span())),
        opinion=Term(opinion[0], Span(*opinion.span())),
        polarity=polarity,
        confidence={polarity.value: share},
    )


def _draw(text: str) -> NDArray[np.float32]:
    return np.random.default_rng(crc32(text.encode())).standard_normal(32, np.float32)


def main() -> None:
    """Analyse a file, if one is named: this is a part of other benchmarks."""
    if len(sys.argv) == 1:
        print(__doc__)
        return
    source, out, engine, pause_s = sys.argv[1:]
    analyze.analyze([Path(source)], Path(out), engine=engine, model=pause_s)


if __name__ == "__main__":
    import stand_in  # by this name the workers know it too

    analyze.Loader = stand_in.Loader
    main()
