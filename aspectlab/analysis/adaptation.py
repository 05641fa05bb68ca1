"""Adaptation: read reviews as the people do who judged some, by the annotation style that fits them best.

A model of several annotation styles cuts the same opinion in as many ways. A few judged sentences say which
of them a user means. Nothing is trained, so that nothing is forgotten.
"""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.errors import ConfigError, DataError
from aspectlab.metrics import METRICS, Metric
from aspectlab.outputs import atomic_directory
from aspectlab.runtime import HOUSE, SHIPPED, QuadSettings, load_predictor, read_description
from aspectlab.stats import bootstrap
from aspectlab.tasks import TASKS

FEWEST = 20
"""Fewer sentences cannot tell styles apart."""

_LEAST = (0.0, 0.3, 0.35, 0.4)
"""Minima of the probability over which the scores of a style are averaged: a single one hangs on luck."""

_FOLDS = 5


@dataclass(frozen=True, slots=True)
class StyleScore:
    """A style, and its F1 of exact triplets on the judged sentences, implicit terms counted."""

    style: str
    f1: float


@dataclass(frozen=True, slots=True)
class Adaptation:
    """The style that fits best, and what to expect of it on other sentences of the same kind.

    `before` and `after` are F1 on sentences that the choice did not see, by cross-validation; `gain` is their
    difference with its 95 % confidence interval.
    """

    sentences: int
    style: str
    before: float
    after: float
    gain: float
    low: float
    high: float
    styles: tuple[StyleScore, ...]

    @property
    def helps(self) -> bool:
        """Whether another style than the present one is expected to be better."""
        return self.style != HOUSE and self.gain > 0


def choose_style(
    examples: Sequence[Example],
    model: Path | None = None,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Adaptation:
    """Read judged sentences in every style of a model, and choose the one whose opinions agree best."""
    if len(examples) < FEWEST or not any(example.quads for example in examples):
        raise DataError(
            f"adapt: found {len(examples)} sentences, {sum(bool(each.quads) for each in examples)} of them "
            f"with opinions: expected {FEWEST} or more, better 100; judge more with `aspectlab audit`"
        )
    settings = _read_settings(model or SHIPPED)
    styles = (HOUSE, *(style for style in settings.styles if style != settings.house_style))
    metric = METRICS["tuple-f1"](TASKS["aste-all"])
    counts = []
    for number, style in enumerate(styles):
        if progress:
            progress(number, len(styles))
        predictor = load_predictor(model, style=style, threads=threads, categories=())
        counts.append(count_agreement(metric, examples, predictor.predict([each.text for each in examples])))
    return _judge(metric, styles, np.stack(counts))


def count_agreement(
    metric: Metric, examples: Sequence[Example], answers: Sequence[Sequence[Quad]]
) -> NDArray[np.int64]:
    """Count for each minimum of the probability and each sentence what agrees, [T, N, K]."""
    return np.stack(
        [
            [
                metric.count(example.quads, [quad for quad in found if _probability(quad) >= least])
                for example, found in zip(examples, answers, strict=True)
            ]
            for least in _LEAST
        ]
    )


def pick_style(metric: Metric, counts: NDArray[np.int64], rows: NDArray[np.int64]) -> int:
    """Return the index of the best style on some of the sentences, [S, T, N, K] and [n]."""
    return int(metric.score(counts[:, :, rows].sum(2))["f1"].mean(1).argmax())


def _judge(metric: Metric, styles: Sequence[str], counts: NDArray[np.int64]) -> Adaptation:
    every = np.arange(counts.shape[2])
    chosen = pick_style(metric, counts, every)
    folds = np.random.default_rng(0).permutation(every) % _FOLDS
    held_out = counts[0, 0].copy()  # [N, K] by the style that is chosen on the other folds
    for fold in range(_FOLDS):
        inside = folds == fold
        held_out[inside] = counts[pick_style(metric, counts, every[~inside]), 0][inside]

    def gain(totals: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
        width = totals.shape[-1] // 2
        return {"gain": _f1(metric, totals[..., width:]) - _f1(metric, totals[..., :width])}

    both = np.concatenate([counts[0, 0], held_out], -1)
    low, high = bootstrap(both, gain, rng=np.random.default_rng(0), resamples=2_000)["gain"]
    before, after = (float(_f1(metric, each.sum(0))) for each in (counts[0, 0], held_out))
    scores = [float(_f1(metric, each[0].sum(0))) for each in counts]
    ranked = sorted(zip(scores, styles, strict=True), reverse=True)
    return Adaptation(
        len(every),
        styles[chosen],
        before,
        after,
        after - before,
        low,
        high,
        tuple(StyleScore(style, score) for score, style in ranked),
    )


def _f1(metric: Metric, totals: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(metric.score(totals)["f1"], np.float64)


def _probability(quad: Quad) -> float:
    return 1.0 if quad.confidence is None else max(quad.confidence.values())


def _read_settings(folder: Path) -> QuadSettings:
    description = read_description(folder)
    if description.model != "quad-span":
        raise ConfigError(
            f"{folder}: a model of kind {description.model!r} has one annotation style: expected an export "
            "of quad-span; train one with `aspectlab train --model quad-span`, or adapt the shipped model"
        )
    settings = QuadSettings.parse(description.settings)
    if not settings.styles:
        raise ConfigError(f"{folder}: the model knows no annotation styles: expected several; adapt another")
    return settings


def save_adapted(adaptation: Adaptation, out: Path, model: Path | None = None) -> None:
    """Copy the model to a new folder where `house` is the chosen style; its categories stay as they were."""
    source = model or SHIPPED
    settings = _read_settings(source)
    with atomic_directory(out) as draft:
        shutil.copytree(source, draft, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        config = json.loads((draft / "config.json").read_text(encoding="utf-8"))
        if settings.house_style is not None:
            config["settings"]["categories"][adaptation.style] = list(
                settings.categories.get(settings.house_style, ())
            )
        config["settings"]["house_style"] = adaptation.style
        config["adapted"] = {"sentences": adaptation.sentences, "style": adaptation.style}
        (draft / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
