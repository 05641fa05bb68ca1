"""Result: one run as a report sees it, wherever it was read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

BASE = "base"
"""The variant of a training that others are compared with."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one run says: who ran, on what, and its scores in percent by test set and metric."""

    label: str  # the model, and its variant where a study has several
    model: str
    encoder: str
    settings: Mapping[str, str]  # all that may tell two runs of one label apart
    task: str  # empty where a file does not say
    corpus: str
    split: int
    seed: int
    scores: Mapping[str, Mapping[str, float]]
    signatures: Mapping[str, str] = field(default_factory=dict)  # how each test set was measured
    origin: str = ""  # the name of the CSV file, without its ending, that holds the row
    run: str = ""  # the id of the run, where it has a folder of its own
    variant: str = ""  # of the training, where a file has several for each model: base or another
