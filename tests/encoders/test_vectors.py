"""Word vectors from files: text, word2vec's text form, and arrays."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="encoders need the extra 'train'")

import torch

from aspectlab.encoders import load_encoder, restore_encoder
from aspectlab.encoders.vectors import VectorEncoder
from aspectlab.errors import AspectlabError, DataError, MissingPartError


def vector(encoder: object, word: str) -> list[float]:
    assert isinstance(encoder, VectorEncoder)
    return encoder.table.weight[encoder.vocabulary.tokenize([word])[0].ids[0]].tolist()


def write(tmp_path: Path, text: str) -> str:
    path = tmp_path / "vectors.txt"
    path.write_text(text, encoding="utf-8")
    return f"vectors:{path}"


@pytest.mark.parametrize(
    "text",
    [
        "tea 1 2.5\nsoup -1 0\n",
        "tea 1 2.5\nsoup -1 0",
        "2 2\ntea 1 2.5\nsoup -1 0\n",
        "tea 1 2.5\r\nsoup -1 0\r\n",
        "2 2\ntea 1 2.5 \nsoup -1 0 \n",
        "\ufefftea 1 2.5\nsoup -1 0\n",
    ],
    ids=["glove", "no last line end", "word2vec", "crlf", "word2vec's last blanks", "byte-order mark"],
)
def test_vectors_are_read_from_text(tmp_path: Path, text: str) -> None:
    encoder = load_encoder(write(tmp_path, text))
    assert (encoder.width, vector(encoder, "Tea"), vector(encoder, "soup")) == (2, [1, 2.5], [-1, 0])
    assert vector(encoder, "unknown") == [0, 0]


def test_vectors_of_words_with_blanks_are_read_from_the_end(tmp_path: Path) -> None:
    # the 840B file of GloVe has such words
    encoder = load_encoder(write(tmp_path, "tea 1 2\n. . . 3 4\nsoup 5 6\n"))
    assert isinstance(encoder, VectorEncoder)
    assert encoder.words == ["tea", ". . .", "soup"]
    assert vector(encoder, "soup") == [5, 6]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"tea 1 2\nsoup 1\n", "line 2: found 1 values: expected 2"),
        (b"tea\n", "line 1: found 0 values"),
        (b"tea 1 2\nsoup 1 x\n", "line 2: .*expected a word and 2 values"),
        (b"tea 1 2\nsoup 1 nan\n", "word 'soup': found a value that is not a finite number"),
        (b"tea 1 2\nsoup 1 1e99\n", "word 'soup': found a value that is not a finite number"),
        (b"tea\t1\t2\n", "line 1: found 0 values: expected 1, each after a space"),
        (b"", "found no vectors"),
        (b"2 2\n", "found no vectors"),
        (b"t\xffa 1 2\n", "line 1: .*utf-8"),
    ],
)
def test_vectors_that_are_broken_name_the_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "broken.txt"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        load_encoder(f"vectors:{path}")


def test_vectors_are_read_from_an_array_with_its_words(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([[1, 2], [3, 4]], np.float16))
    (tmp_path / "v.txt").write_text("tea\nsoup\n", encoding="utf-8")
    encoder = load_encoder(f"vectors:{tmp_path / 'v.npy'}")
    assert (vector(encoder, "tea"), vector(encoder, "soup")) == ([1, 2], [3, 4])


def test_vectors_without_their_words_name_the_file(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.zeros((2, 2)))
    with pytest.raises(DataError, match=r"v\.txt: .*expected the words of the vectors"):
        load_encoder(f"vectors:{tmp_path / 'v.npy'}")


@pytest.mark.parametrize("shape", [(3, 2), (2,)])
def test_vectors_that_do_not_fit_their_words_are_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    np.save(tmp_path / "v.npy", np.zeros(shape))
    (tmp_path / "v.txt").write_text("tea\nsoup\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"expected a row for each line of v\.txt"):
        load_encoder(f"vectors:{tmp_path / 'v.npy'}")


def test_vectors_never_unpickle(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    (tmp_path / "v.txt").write_text("tea", encoding="utf-8")
    with pytest.raises(DataError, match=r"expected an array written by numpy\.save"):
        load_encoder(f"vectors:{tmp_path / 'v.npy'}")


def test_vectors_that_do_not_exist_say_what_may_be_named() -> None:
    with pytest.raises(MissingPartError, match="expected glove50, a GloVe-style text file"):
        load_encoder("vectors:nowhere.txt")


def test_vectors_come_back_from_their_files(tmp_path: Path) -> None:
    words = ["tea", "so\u2028up", "a\rb", ". ."]
    encoder = VectorEncoder("vectors:made", np.ones((4, 3), np.float32), words)
    encoder.save_files(tmp_path)
    restored = restore_encoder(encoder.describe(), tmp_path)
    assert isinstance(restored, VectorEncoder)
    assert (restored.words, restored.width, restored.name) == (words, 3, "vectors:made")


def test_vectors_pool_ignores_padding_and_unknown_words() -> None:
    encoder = VectorEncoder("vectors:made", np.array([[2.0, 4.0], [4.0, 0.0]], np.float32), ["tea", "soup"])
    states = encoder.table(torch.tensor([[2, 3, 1, 0, 0], [2, 0, 0, 0, 0]]))
    # the mean of (2, 4) and (4, 0), and (2, 4) alone
    assert encoder.pool(states).tolist() == [[3, 2], [2, 4]]


def test_vectors_are_frozen() -> None:
    encoder = VectorEncoder("vectors:made", np.ones((1, 2), np.float32), ["tea"])
    assert [parameter.requires_grad for parameter in encoder.parameters()] == [False]


def test_encoder_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AspectlabError, match="found an encoder of kind 'magic'"):
        restore_encoder({"kind": "magic"}, tmp_path)


@pytest.mark.parametrize("words", ["tea\r\nsoup\r\n", "\ufefftea\nsoup\n"], ids=["crlf", "byte-order mark"])
def test_words_beside_an_array_are_found_whatever_their_line_ends(tmp_path: Path, words: str) -> None:
    np.save(tmp_path / "v.npy", np.array([[1, 2.5], [-1, 0]]))
    (tmp_path / "v.txt").write_bytes(words.encode())
    encoder = load_encoder(f"vectors:{tmp_path / 'v.npy'}")
    assert (vector(encoder, "tea"), vector(encoder, "soup")) == ([1, 2.5], [-1, 0])


@pytest.mark.parametrize(
    "array", [np.array([["a", "b"]]), np.ones((1, 2), complex)], ids=["texts", "complex"]
)
def test_array_of_no_numbers_is_refused(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "v.npy", array)
    (tmp_path / "v.txt").write_text("tea\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"v\.npy: found no array of numbers"):
        load_encoder(f"vectors:{tmp_path / 'v.npy'}")


def test_several_arrays_in_one_file_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "v.npz", first=np.ones((1, 2)))
    (tmp_path / "v.npz").rename(tmp_path / "v.npy")
    (tmp_path / "v.txt").write_text("tea\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"v\.npy: found no array of numbers"):
        load_encoder(f"vectors:{tmp_path / 'v.npy'}")
