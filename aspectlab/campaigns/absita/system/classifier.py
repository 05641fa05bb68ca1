"""The classifier: kernel ridge regression with thresholds per label; train, cross-validate, save and load."""

import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.campaigns.absita.submission import TASKS
from aspectlab.campaigns.absita.system.extra import WIDTH, Float32Array
from aspectlab.campaigns.absita.system.features import Features, relate
from aspectlab.campaigns.absita.system.sparse_terms import KINDS, SparseRows, TermVocabulary, learn_vocabulary
from aspectlab.data import Corpus, Example, Polarity, Quad
from aspectlab.errors import ConfigError, DataError
from aspectlab.metrics import BoolArray, FloatArray, evaluate
from aspectlab.readers import CATEGORIES
from aspectlab.untrusted import open_file, read_json
from aspectlab.version import VERSION

_SMALL = 128
"""Triangles up to this size are inverted as they are."""


def fit_ridge(
    kernel: Float32Array, targets: Float32Array, penalty: float
) -> tuple[Float32Array, Float32Array]:
    """Solve (K + penalty I) a = targets [N, L]; give the coefficients and the leave-one-out scores [N, L].

    With C the inverse, the score of example i by a model that never saw it is y_i - a_i / C_ii. The inverse
    itself is not needed: with K + penalty I = G G', C_ii is the squared length of column i of G's inverse.
    """
    system = kernel.copy()
    system[np.diag_indices_from(system)] += np.float32(penalty)
    try:
        factor = np.linalg.cholesky(system)  # [N, N], lower triangle
    except np.linalg.LinAlgError:
        raise DataError("kernel: found a singular one: expected a larger penalty") from None
    invert_triangle(factor)
    coefficients = factor.T @ (factor @ targets)
    diagonal = np.einsum("ij,ij->j", factor, factor)
    left_out = targets - coefficients / diagonal[:, None]
    return coefficients.astype(np.float32), left_out.astype(np.float32)


def invert_triangle(factor: Float32Array) -> None:
    """Invert a lower triangle in place, half by half: the work is in matrix products, a third of the usual.

    >>> lower = np.array([[2.0, 0.0], [1.0, 4.0]], dtype=np.float32)
    >>> invert_triangle(lower)
    >>> lower.tolist()
    [[0.5, 0.0], [-0.125, 0.25]]
    """
    size = len(factor)
    if size <= _SMALL:
        factor[:] = np.tril(np.linalg.inv(factor))
        return
    half = size // 2
    upper, lower = factor[:half, :half], factor[half:, half:]
    invert_triangle(upper)
    invert_triangle(lower)
    factor[half:, :half] = -(lower @ (factor[half:, :half] @ upper))


_CANDIDATES = np.linspace(0.3, 0.995, 80)
_ROUNDS = 4
_SLACKS = np.linspace(0, 0.3, 13)


def decide(scores: Float32Array, thresholds: Float32Array, slack: float) -> BoolArray:
    """Choose labels [N, L]: those above their threshold, or else the nearest within the slack.

    >>> decide(np.array([[0.9, 0.4], [0.1, 0.3]]), np.array([0.5, 0.5]), 0.25).tolist()
    [[True, False], [False, True]]
    """
    margins = scores - thresholds
    chosen: BoolArray = margins > 0
    nearest = margins.argmax(axis=1)
    empty = np.flatnonzero(~chosen.any(axis=1) & (margins.max(axis=1) > -slack))
    chosen[empty, nearest[empty]] = True
    return chosen


def choose_slack(scores: Float32Array, thresholds: Float32Array, gold: BoolArray) -> tuple[float, float]:
    """Choose the slack with the best micro-F1, the smallest of equals, and say which F1 that is."""
    reached = []
    for slack in _SLACKS:
        chosen = decide(scores, thresholds, slack)
        reached.append(float(_f1((chosen & gold).sum(), chosen.sum(), gold.sum())))
    best = int(np.argmax(reached))
    return float(_SLACKS[best]), reached[best]


def choose_thresholds(scores: Float32Array, gold: BoolArray) -> tuple[Float32Array, float]:
    """Choose a threshold per label [L] for scores [N, L], and say which micro-F1 they reach.

    Each label begins with its own best F1; then the labels take turns, since what counts is the F1 of all.
    """
    offered = np.quantile(scores, _CANDIDATES, axis=0)  # [Q, L]
    chosen = scores[None] > offered[:, None]  # [Q, N, L]
    hits = (chosen & gold[None]).sum(axis=1).astype(np.float64)  # [Q, L]
    predicted = chosen.sum(axis=1).astype(np.float64)  # [Q, L]
    wanted = gold.sum(axis=0)  # [L]
    labels = np.arange(scores.shape[1])
    best = np.argmax(_f1(hits, predicted, wanted), axis=0)  # [L]
    for label in np.tile(labels, _ROUNDS):
        others = labels != label
        hit, guess = (counts[best, labels][others].sum() for counts in (hits, predicted))
        best[label] = np.argmax(_f1(hit + hits[:, label], guess + predicted[:, label], wanted.sum()))
    reached = _f1(hits[best, labels].sum(), predicted[best, labels].sum(), wanted.sum())
    return offered[best, labels].astype(np.float32), float(reached)


def _f1(hits: FloatArray, predicted: FloatArray, wanted: FloatArray) -> FloatArray:
    found: FloatArray = 2 * hits / np.maximum(predicted + wanted, 1)
    return found


LABELS = {
    "acd": tuple(Quad(category=category) for category in CATEGORIES),
    "acp": tuple(
        Quad(category=category, polarity=polarity)
        for category in CATEGORIES
        for polarity in (Polarity.POSITIVE, Polarity.NEGATIVE)
    ),
}
"""What each task decides, one by one: a mixed aspect is two labels of acp."""

PENALTIES = (0.7,)
_FEWEST = 20
_BLOCK = 4096


@dataclass(frozen=True, eq=False, slots=True)
class Decider:
    """What was learnt for one task; `f1` is the leave-one-out score by which it was chosen."""

    penalty: float
    slack: float
    f1: float
    coefficients: Float32Array  # [N, L]
    thresholds: Float32Array  # [L]


@dataclass(frozen=True, eq=False, slots=True)
class AbsitaSystem:
    """A trained system: the features of the training texts, and a decider per task."""

    vocabularies: tuple[TermVocabulary, ...]
    known: Features
    deciders: dict[str, Decider]

    def predict(self, corpus: Corpus, task: str) -> Corpus:
        """Return every example the labels of a task; what the corpus was labelled with is not looked at."""
        if task not in self.deciders:
            raise ConfigError(f"task {task!r} is unknown: expected one of {', '.join(TASKS)}")
        examples: list[Example] = []
        for start in range(0, len(corpus), _BLOCK):
            examples += self._predict(corpus.examples[start : start + _BLOCK], task)
        return corpus.with_examples(examples)

    def _predict(self, examples: Sequence[Example], task: str) -> list[Example]:
        decider, labels = self.deciders[task], LABELS[task]
        _, kernel = relate(self.vocabularies, [example.text for example in examples], self.known)
        scores = kernel @ decider.coefficients  # [N, L]
        chosen = decide(scores, decider.thresholds, decider.slack)
        return [
            Example(example.id, example.text, tuple(labels[label] for label in np.flatnonzero(row)))
            for example, row in zip(examples, chosen, strict=True)
        ]


def train_system(corpus: Corpus, penalties: Sequence[float] = PENALTIES) -> AbsitaSystem:
    """Learn both tasks from a training file; all choices are made by leave-one-out scores."""
    if len(corpus) < _FEWEST:
        raise DataError(
            f"corpus {corpus.name!r}: found {len(corpus)} examples: expected at least {_FEWEST}; "
            "name the training file"
        )
    texts = [example.text for example in corpus]
    vocabularies = tuple(learn_vocabulary(kind, texts) for kind in KINDS)
    known, kernel = relate(vocabularies, texts)
    return AbsitaSystem(vocabularies, known, learn(corpus, kernel, penalties))


def learn(corpus: Corpus, kernel: Float32Array, penalties: Sequence[float]) -> dict[str, Decider]:
    """Learn every task with every penalty, and keep the penalty with the best leave-one-out micro-F1."""
    gold = {task: _gold(corpus, task) for task in TASKS}
    targets = np.hstack([np.where(gold[task], 1, -1) for task in TASKS]).astype(np.float32)  # [N, 24]
    width = len(LABELS["acd"])
    columns = {"acd": slice(0, width), "acp": slice(width, None)}
    best: dict[str, Decider] = {}
    for penalty in penalties:
        coefficients, left_out = fit_ridge(kernel, targets, penalty)
        for task, part in columns.items():
            thresholds, _ = choose_thresholds(left_out[:, part], gold[task])
            slack, f1 = choose_slack(left_out[:, part], thresholds, gold[task])
            if task not in best or f1 > best[task].f1:
                best[task] = Decider(penalty, slack, f1, coefficients[:, part].copy(), thresholds)
    return best


def _gold(corpus: Corpus, task: str) -> BoolArray:
    """Mark the labels of each example [N, L]; presence is what any polarity says."""
    rows = []
    for example in corpus:
        said = {(quad.category, quad.polarity if task == "acp" else None) for quad in example.quads}
        rows.append([(label.category, label.polarity) in said for label in LABELS[task]])
    gold = np.array(rows, dtype=np.bool_)
    if not gold.any():
        raise DataError(
            f"corpus {corpus.name!r}: found no label for {task}: expected annotated sentences; "
            "name the training file"
        )
    return gold


def cross_validate(corpus: Corpus, *, folds: int, seed: int) -> Iterator[dict[str, float]]:
    """Train on all folds but one, and give the micro-F1 of each task on that one, with `other`."""
    if not 2 <= folds <= len(corpus):
        raise ConfigError(f"folds = {folds}: expected 2 to {len(corpus)}; 5 is usual")
    fold = np.random.default_rng(seed).permutation(len(corpus)) % folds  # [N]
    for number in range(folds):
        parts = (
            [e for e, chosen in zip(corpus, fold == number, strict=True) if chosen == held]
            for held in (False, True)
        )
        train, test = (corpus.with_examples(part) for part in parts)
        system = train_system(train)
        yield {task: evaluate(test, system.predict(test, task), task).scores["f1"] for task in TASKS}


FORMAT = "absita-system-2"
_CONFIG, _ARRAYS = "config.json", "arrays.npz"

Number = TypeVar("Number", np.float32, np.float64, np.int64)
Arrays = Mapping[str, NDArray[np.generic]]


def save_system(system: AbsitaSystem, folder: Path) -> None:
    """Write config.json and arrays.npz into a folder; the configuration comes last and makes it whole."""
    known = system.known
    arrays: dict[str, NDArray[np.generic]] = {"vectors": known.vectors, "owners": known.owners}
    arrays |= {name: getattr(known.terms, name) for name in ("values", "columns", "ends")}
    for vocabulary in system.vocabularies:
        arrays[f"weights_{vocabulary.kind}"] = vocabulary.weights
    for task, decider in system.deciders.items():
        arrays |= {f"coefficients_{task}": decider.coefficients, f"thresholds_{task}": decider.thresholds}
    config = {
        "format": FORMAT,
        "aspectlab": VERSION,
        "tasks": {
            task: {"penalty": d.penalty, "slack": d.slack, "f1": d.f1} for task, d in system.deciders.items()
        },
        "terms": {vocabulary.kind: [*vocabulary.columns] for vocabulary in system.vocabularies},
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _CONFIG).unlink(missing_ok=True)
        with (folder / _ARRAYS).open("wb") as stream:
            np.savez_compressed(stream, allow_pickle=False, **arrays)
        (folder / _CONFIG).write_text(json.dumps(config, ensure_ascii=False), encoding="utf-8")
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}; name another folder") from None


def load_system(folder: Path) -> AbsitaSystem:
    """Load a system that `save_system` wrote, or say what is wrong with the folder."""
    try:
        config = read_json(folder / _CONFIG)
        if not isinstance(config, dict) or config["format"] != FORMAT:
            raise ValueError(f"no object of format {FORMAT}")
        return _assemble(config, _read_arrays(folder / _ARRAYS))
    except OSError as error:
        raise _refuse(folder, f"no readable {_CONFIG} and {_ARRAYS} ({error.strerror})") from None
    except (LookupError, TypeError, ValueError, ArithmeticError, EOFError, MemoryError, *_BROKEN) as error:
        raise _refuse(folder, f"a broken model ({error!s:.120})") from None


_MOST_BYTES = 256 << 20
_BROKEN = zipfile.BadZipFile, zlib.error, NotImplementedError


def _read_arrays(path: Path) -> Arrays:
    """Read the arrays, unless they are larger than any training corpus makes them: zeros are packed well."""
    # numpy leaves a broken file open if it was given the path
    with open_file(path) as stream, zipfile.ZipFile(stream) as members:
        size = sum(member.file_size for member in members.infolist())
        if size > _MOST_BYTES:
            raise ValueError(f"arrays of {size:,} bytes, over {_MOST_BYTES:,}")
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}


def _assemble(config: Mapping[str, Mapping[str, Mapping[str, float]]], arrays: Arrays) -> AbsitaSystem:
    """Assemble the parts and check that they fit each other."""
    vocabularies = tuple(_vocabulary(kind, [*config["terms"][kind]], arrays) for kind in KINDS)
    width = sum(len(vocabulary.columns) for vocabulary in vocabularies)
    texts, clauses = len(arrays["ends"]) - 1, len(arrays["vectors"])
    owners = _take(arrays, "owners", (clauses,), np.int64)
    if not np.array_equal(np.unique(owners), np.arange(texts)) or bool((np.diff(owners) < 0).any()):
        raise ValueError("texts without clauses, or clauses of no text")
    vectors = _take(arrays, "vectors", (clauses, WIDTH), np.float32)
    known = Features(_rows(arrays, (texts, width)), vectors, owners)
    deciders = {task: _decider(task, config["tasks"][task], texts, arrays) for task in LABELS}
    return AbsitaSystem(vocabularies, known, deciders)


def _vocabulary(kind: str, terms: list[str], arrays: Arrays) -> TermVocabulary:
    weights = _take(arrays, f"weights_{kind}", (len(terms),), np.float64)
    return TermVocabulary(kind, {term: column for column, term in enumerate(terms)}, weights)


def _decider(task: str, said: Mapping[str, float], texts: int, arrays: Arrays) -> Decider:
    count = len(LABELS[task])
    coefficients = _take(arrays, f"coefficients_{task}", (texts, count), np.float32)
    thresholds = _take(arrays, f"thresholds_{task}", (count,), np.float32)
    penalty, slack, f1 = (float(said[name]) for name in ("penalty", "slack", "f1"))
    return Decider(penalty, slack, f1, coefficients, thresholds)


def _rows(arrays: Arrays, shape: tuple[int, int]) -> SparseRows:
    size = len(arrays["values"])
    columns = _take(arrays, "columns", (size,), np.int64)
    ends = _take(arrays, "ends", (shape[0] + 1,), np.int64)
    if size and not (columns.min() >= 0 and columns.max() < shape[1]):
        raise ValueError("terms in columns that are not there")
    if ends[0] != 0 or ends[-1] != size or not bool((np.diff(ends) >= 0).all()):
        raise ValueError("terms in rows that do not fit")
    return SparseRows(columns, _take(arrays, "values", (size,), np.float32), ends, shape[1])


def _take(arrays: Arrays, name: str, shape: tuple[int, ...], kind: type[Number]) -> NDArray[Number]:
    found = arrays[name]
    if found.shape != shape or found.dtype != np.dtype(kind):
        raise ValueError(f"{name} of shape {found.shape} and type {found.dtype}, not {shape}")
    numbers = found.astype(kind, copy=False)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} that are no finite numbers")
    return numbers


def _refuse(folder: Path, found: str) -> DataError:
    return DataError(f"{folder}: found {found}: expected a system; `aspectlab absita train` makes one")
