"""Word vectors as an encoder: every word has one vector, whatever stands around it."""

from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from aspectlab.encoders.encoder import Encoder, TokenBatch
from aspectlab.encoders.weights import PRETRAINED, find_weights
from aspectlab.encodings import WordList
from aspectlab.errors import DataError, MissingPartError
from aspectlab.readers import Source
from aspectlab.readers.tables import read_cells


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

    def forward(self, batch: TokenBatch, shift: Tensor | None = None) -> Tensor:
        """Look the vectors up, [B, T, H]."""
        states = self.table(batch.tokens)
        if shift is not None:
            states = states + shift[:, None]
        assert isinstance(states, Tensor)
        return states

    def pool(self, states: Tensor) -> Tensor:
        """Return the mean over the words that have a vector, [B, T, H] -> [B, H]."""
        known = (states != 0).any(-1, keepdim=True)  # [B, T, 1] padding and unknown words are zero
        return states.sum(1) / known.sum(1).clamp(min=1)

    def input_vectors(self) -> Tensor:
        """Return the table, [V, H]."""
        table: nn.Embedding = self.table
        return table.weight

    def describe(self) -> dict[str, object]:
        """Return name and size."""
        return {"kind": "vectors", "name": self.name, "words": len(self.words), "width": self.width}

    def save_files(self, folder: Path) -> None:
        """Write the word list; the vectors go with the weights."""
        (folder / "words.txt").write_bytes("\n".join(self.words).encode())


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
    vectors, words = _read_array(path) if path.suffix == ".npy" else _read_text(path)
    return VectorEncoder(name, vectors, words)


def restore(description: Mapping[str, object], folder: Path) -> VectorEncoder:
    """Build the table of a saved model, without values."""
    words = _read_words(folder / "words.txt")
    width = description["width"]
    if type(width) is not int or width < 1:
        raise TypeError("width is no whole number from 1 on")
    weights = folder / "model.safetensors"
    if weights.is_file() and len(words) * width * np.dtype(np.float32).itemsize > weights.stat().st_size:
        raise ValueError(f"{len(words):,} vectors of {width:,} numbers are more than the weights hold")
    return VectorEncoder(str(description["name"]), np.zeros((len(words), width), np.float32), words)


def _read_words(path: Path) -> list[str]:
    try:
        # read as bytes: a text stream would turn other line ends into this one
        content = path.read_bytes().removeprefix(BOM_UTF8)
        words = content.decode().removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {error}: expected the words of the vectors, one a line, in UTF-8") from None
    # a word may hold any sign, but if all end alike the lines do
    return [word[:-1] for word in words] if all(word.endswith("\r") for word in words) else words


def _read_array(path: Path) -> tuple[NDArray[np.float32], list[str]]:
    words = _read_words(path.with_suffix(".txt"))
    try:
        vectors = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path}: {error}: expected an array written by numpy.save") from None
    if not isinstance(vectors, np.ndarray) or vectors.dtype.kind not in "fiu":
        raise DataError(f"{path}: found no array of numbers: expected one that numpy.save wrote")
    if vectors.ndim != 2 or len(vectors) != len(words) or not vectors.size:
        raise DataError(
            f"{path}: found an array of shape {vectors.shape} for {len(words):,} words: expected a row for "
            f"each line of {path.with_suffix('.txt').name}"
        )
    return _refuse_endless(path, vectors.astype(np.float32), words), words


def _read_text(path: Path) -> tuple[NDArray[np.float32], list[str]]:
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    for number, line in enumerate(path.read_bytes().removeprefix(BOM_UTF8).split(b"\n"), start=1):
        fields = line.rstrip().split(b" ") if line.strip() else []  # word2vec ends each line with a space
        if not fields or (number == 1 and len(fields) == 2):
            continue  # word2vec's text form opens with the two sizes
        width = rows[0].size if rows else max(len(fields) - 1, 1)
        if len(fields) <= width:
            raise DataError(
                f"{path}: line {number}: found {len(fields) - 1} values: expected {width}, each after a space"
            )
        try:
            # a word may hold spaces, so the values are counted from the end
            with np.errstate(over="ignore"):  # what is too large is told below
                row = np.array(fields[len(fields) - width :], np.float32)
            word = b" ".join(fields[: len(fields) - width]).decode()
        except ValueError as error:
            raise DataError(f"{path}: line {number}: {error}: expected a word and {width} values") from None
        words.append(word)
        rows.append(row)
    if not rows:
        raise DataError(f"{path}: found no vectors: expected a word and its values on each line")
    return _refuse_endless(path, np.stack(rows), words), words


def _refuse_endless(path: Path, vectors: NDArray[np.float32], words: list[str]) -> NDArray[np.float32]:
    """Refuse values that are no finite numbers: a training would find no number either."""
    broken = np.flatnonzero(~np.isfinite(vectors).all(1))
    if len(broken):
        raise DataError(
            f"{path}: word {words[broken[0]]!r}: found a value that is not a finite number, the first of "
            f"{len(broken):,} such words: expected numbers; leave these words out"
        )
    return vectors


def _load_glove50(name: str) -> VectorEncoder:
    folder = find_weights(name)
    vectors = np.load(folder / PRETRAINED[name].weights, allow_pickle=False).astype(np.float32)
    rows = read_cells(Source(folder / "glove_6B_index.parquet"), {"word": "index"})
    return VectorEncoder(name, vectors, [row["word"] or "" for row in rows])
