"""Read quads off a quad-span model: an encoder gives parts of each token, and a head its candidates."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings import (
    CATEGORY,
    CORNERS,
    NAME_TOKENS,
    UNKNOWN_STYLE,
    Calibrate,
    Item,
    QuadEncoding,
    Vocabulary,
    are_rivals,
    encode_names,
    pad_field,
    spell_category,
)
from aspectlab.errors import ConfigError, DataError
from aspectlab.registry import suggest
from aspectlab.runtime.networkpredictor import Networks, Runner, full_size, padded_length
from aspectlab.runtime.predictor import HOUSE, ExportDescription, PredictOptions
from aspectlab.stats import Platt, calibrator_from_dict, log_odds

HEAD = "head.xml"
"""The network that scores spans and pairs; it always computes in float32."""

READING = "quads 1"
"""Raised when the same scores give other quads than before."""

_NEAR = 0.03
"""A difference of scores that bfloat16 may turn round: it moved 99 of 100 candidates by less than 0.044."""

_NEAR_NAMES = 0.03
"""The same for the similarities to two names."""

_MARGIN = CATEGORY + 2
"""Where a candidate has the difference of its two likeliest names."""


@dataclass(frozen=True, slots=True)
class QuadSettings:
    """What an exported quad-span model says about itself, beside what all models say."""

    styles: tuple[str, ...]
    categories: Mapping[str, tuple[str, ...]]  # by style, those that it was trained with
    threshold: float
    scale: float  # of the similarities to names
    sizes: Mapping[str, int]  # of the head
    house_style: str | None = None  # the style of `house`; the unknown one if None
    calibrator: Mapping[str, object] | None = None

    @classmethod
    def parse(cls, settings: Mapping[str, object]) -> "QuadSettings":
        """Read the settings of a description, which may come from anywhere."""
        styles = _strings("styles", settings.get("styles"))
        categories = _mapping("categories", settings.get("categories"))
        sizes = _mapping("sizes", settings.get("sizes"))
        house, calibrator = settings.get("house_style"), settings.get("calibrator")
        if house is not None and house not in styles:
            raise _strange("house_style", house, f"one of {', '.join(styles) or 'no styles'}, or null")
        threshold, scale = (_number(key, settings.get(key)) for key in ("threshold", "scale"))
        if not 0 < threshold < 1:
            raise _strange("threshold", threshold, "a probability between 0 and 1")
        return cls(
            styles=styles,
            categories={style: _strings(f"categories.{style}", names) for style, names in categories.items()},
            threshold=threshold,
            scale=scale,
            sizes={key: _size(key, sizes.get(key)) for key in SIZES},
            house_style=None if house is None else str(house),
            calibrator=None if calibrator is None else _mapping("calibrator", calibrator),
        )

    def number_of(self, style: str) -> int:
        """Return the number of a style by its name."""
        if style == HOUSE:
            style = self.house_style or HOUSE
        if style == HOUSE:
            return UNKNOWN_STYLE
        if style not in self.styles:
            raise ConfigError(f"style {style!r} is unknown: {suggest(style, [HOUSE, *self.styles])}")
        return self.styles.index(style) + 1

    def names_of(self, number: int) -> tuple[str, ...]:
        """Return the categories of a style by its number; an unknown style may have any."""
        if number == UNKNOWN_STYLE:
            return tuple(sorted({name for names in self.categories.values() for name in names}))
        return self.categories.get(self.styles[number - 1], ())


SIZES = ("hidden", "rank", "kept", "longest", "answers")
"""What says how large the head is, each at most `LARGEST`."""

LARGEST = 4096


def _strange(key: str, found: object, expected: str) -> DataError:
    return DataError(
        f"config.json: settings.{key} = {found!r:.60}: expected {expected}; export the model again"
    )


def _strings(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise _strange(key, value, "a list of names")
    return tuple(value)


def _mapping(key: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _strange(key, value, "an object")
    return value


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise _strange(key, value, "a number")
    return float(value)


def _size(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= LARGEST:
        raise _strange(f"sizes.{key}", value, f"a whole number from 1 to {LARGEST}")
    return value


class QuadReader:
    """Score the pairs of the likeliest spans, and find the category of each by its name."""

    others: ClassVar[tuple[str, ...]] = (HEAD,)

    def __init__(
        self,
        vocabulary: Vocabulary,
        settings: QuadSettings,
        networks: Networks,
        *,
        number: int,
        names: Sequence[str],
    ) -> None:
        self.settings = settings
        (self.head,) = networks.others
        calibrate = _read_calibrator(settings.calibrator)
        self.encoding = QuadEncoding(vocabulary, settings.styles, tuple(names), settings.threshold, calibrate)
        self.style = None if number == UNKNOWN_STYLE else settings.styles[number - 1]
        self.decides = [READING, json.dumps([number, list(names), repr(settings)])]
        self.names = self._read_names(networks.second or networks.first)
        # a text with fewer words than spans that are kept would have too few to choose from
        fewest = ceil(max(settings.sizes["kept"] ** 0.5, settings.sizes["answers"] ** 0.5))
        self._shortest = padded_length(fewest, vocabulary.max_length)
        self._odds = log(settings.threshold / (1 - settings.threshold))

    @classmethod
    def open(
        cls,
        description: ExportDescription,
        vocabulary: Vocabulary,
        networks: Networks,
        options: PredictOptions,
    ) -> "QuadReader":
        """Build the reader of an exported model, for one style and some names of categories."""
        settings = QuadSettings.parse(description.settings)
        number = settings.number_of(options.style)
        names = settings.names_of(number) if options.categories is None else options.categories
        return cls(vocabulary, settings, networks, number=number, names=_drop_homonyms(names))

    def _read_names(self, runner: Runner) -> NDArray[np.float32]:
        """Return the vectors of the names of categories, each of length 1, [N, D]."""
        vocabulary = self.encoding.vocabulary
        rows = encode_names(vocabulary, self.encoding.categories)
        longest = len(vocabulary.first) + NAME_TOKENS + len(vocabulary.last)
        length = padded_length(longest, vocabulary.max_length)
        size = full_size(length)
        found = []
        for part in (rows[start : start + size] for start in range(0, len(rows), size)):
            tokens = pad_field(part, length, vocabulary.pad, np.int32)
            mask = pad_field([[1] * len(row) for row in part], length, 0, np.bool_)
            # a name is in no style: the last vector of the table of styles is 0
            none = np.full(len(part), len(self.settings.styles) + 1, np.int32)
            found.append(_normalize(runner.run(tokens, mask, none)[2]))
        return np.concatenate(found) if found else np.zeros((0, 1), np.float32)

    def score(self, runner: Runner, items: Sequence[Item], length: int) -> NDArray[np.float32]:
        """Return candidates with their corners, scores, category and how sure that is, [B, P, 11]."""
        batch = self.encoding.collate(items, max(length, self._shortest))
        parts = runner.run(np.asarray(batch.tokens), np.asarray(batch.mask), np.asarray(batch.style))[0]
        candidates, meanings = self.head.run(parts, np.asarray(batch.words))
        scores = np.full((*candidates.shape[:2], _MARGIN + 1), -1, np.float32)
        scores[..., :CATEGORY] = candidates
        scores[..., _MARGIN] = np.inf
        if len(self.names):
            rows = measure_odds(scores) > self._odds - _NEAR  # [B, P] nobody asks for the others
            scores[rows, CATEGORY:] = self._choose_names(meanings[rows])
        return scores

    def _choose_names(self, meanings: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the number, the probability and the lead of the likeliest name, [N, D] -> [N, 3]."""
        likeness = self.settings.scale * (_normalize(meanings) @ self.names.T)  # [N, C]
        best = likeness.argmax(-1)
        top = likeness[np.arange(len(best)), best]
        shares = 1 / np.exp(likeness - top[:, None]).sum(-1)
        likeness[np.arange(len(best)), best] = -np.inf
        return np.stack([best, shares, top - likeness.max(-1)], -1).astype(np.float32)

    def has_tie(self, scores: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Mark items where a candidate is nearly one, or nearly another one, [B, P, 11] -> [B]."""
        odds = measure_odds(scores)  # [B, P]
        likely = odds > self._odds - _NEAR
        polarities = np.sort(scores[..., CORNERS + 1 : CATEGORY], -1)
        unsure = np.abs(odds - self._odds) < _NEAR
        unsure |= polarities[..., -1] - polarities[..., -2] < _NEAR
        unsure |= scores[..., _MARGIN] < _NEAR_NAMES
        tied: NDArray[np.bool_] = (unsure & likely).any(-1)
        for row in np.flatnonzero(~tied & (likely.sum(-1) > 1)).tolist():
            tied[row] = _have_equal_rivals(scores[row, likely[row], :CORNERS], odds[row, likely[row]])
        return tied

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the quads of each item."""
        return self.encoding.decode(scores, items, examples)

    def pool(self, runner: Runner, items: Sequence[Item], length: int) -> NDArray[np.float32]:
        """Return the mean state of each item, [B, H]."""
        batch = self.encoding.collate(items, length)
        return runner.run(np.asarray(batch.tokens), np.asarray(batch.mask), np.asarray(batch.style))[1]


def measure_odds(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the logarithm of the odds that each candidate is a quad, [B, P, …] -> [B, P].

    >>> measure_odds(np.array([[[0, 0, 0, 0, 0, 1, 1, 1]]], np.float32)).round(2)
    array([[2.1]], dtype=float32)
    """
    none, polarities = scores[..., CORNERS], scores[..., CORNERS + 1 : CATEGORY]
    top = polarities.max(-1)
    odds: NDArray[np.float32] = top + np.log(np.exp(polarities - top[..., None]).sum(-1)) - none
    return odds


def _have_equal_rivals(corners: NDArray[np.float32], odds: NDArray[np.float32]) -> bool:
    """Return whether of two candidates that exclude each other either may be the likelier one."""
    pairs = ((one, other) for other in range(len(odds)) for one in range(other))
    return any(
        abs(odds[one] - odds[other]) < _NEAR and are_rivals(corners[one].tolist(), corners[other].tolist())
        for one, other in pairs
    )


def _drop_homonyms(names: Sequence[str]) -> list[str]:
    """Keep the first of the names that are read alike: between them every quad would be a tie.

    >>> _drop_homonyms(["FOOD#QUALITY", "FOOD#PRICES", "Food#Quality"])
    ['FOOD#QUALITY', 'FOOD#PRICES']
    """
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(spell_category(name), name)
    return list(kept.values())


def _normalize(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: NDArray[np.float32] = vectors / np.maximum(lengths, 1e-12)
    return unit


def _read_calibrator(record: Mapping[str, object] | None) -> Calibrate | None:
    if record is None:
        return None
    calibrator = calibrator_from_dict(record)
    if isinstance(calibrator, Platt):
        return lambda probabilities: calibrator.apply(log_odds(probabilities))
    return calibrator.apply
