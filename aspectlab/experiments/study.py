"""Study: what a study file asks for, in values that nothing has been read for yet."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol

from aspectlab.data import Corpus
from aspectlab.metrics import Evaluation
from aspectlab.registry import Registry

SELECTION = "dev"
"""The one rule that chooses an epoch: the task's own score on dev, ties by macro-F1."""


@dataclass(frozen=True, slots=True)
class CleaningOptions:
    """What is done to a file after reading, as `aspectlab data clean` does it."""

    deduplicate: bool = True
    keep_conflict: bool = False
    drop_implicit: bool = False
    join_records: bool = False


class SharedTests(StrEnum):
    """What is done about texts of a test set that also stand in train or dev."""

    REFUSE = "refuse"
    DROP = "drop"  # out of train and dev
    KEEP = "keep"  # files as published: the score is a little too good


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of a corpus and how it is read; an optional one may be absent."""

    path: Path
    format: str | None = None
    reading: CleaningOptions = CleaningOptions()
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class AdversarialConfig:
    """Which variants are added to train: strategies, how many per aspect (None: all), and made of what."""

    strategies: tuple[str, ...]
    ratio: float | None = None
    opinions: CorpusFile | None = None  # of the same sentences, where train names no opinion words
    phrases: str = "template"  # or parsed: how the clauses of ADDDIFF are made


SplitIndices = tuple[tuple[int, ...], tuple[int, ...]]
"""Where the train and the dev examples of a split stand among all examples."""


class Variants(Protocol):
    """A feature that makes variants of sentences, and scores what models make of them."""

    @property
    def strategies(self) -> Collection[str]:
        """The names that a study may ask for."""

    def check_phrases(self, text: str) -> None:
        """Refuse a way to make added clauses that does not exist."""

    def add(
        self,
        corpus: Corpus,
        splits: Mapping[int, SplitIndices],
        tests: Sequence[Corpus],
        adversarial: AdversarialConfig,
        opinions: Corpus | None,
    ) -> tuple[Corpus, dict[int, SplitIndices]]:
        """Replace the training part of each split by its aspects and their variants."""

    def score(self, gold: Corpus, predicted: Corpus, task: str) -> tuple[Evaluation, dict[str, float]]:
        """Evaluate a test set with variants; the second value holds what the variants changed, by name."""


VARIANTS = Registry[type[Variants]]("variants", {"arts": "aspectlab.experiments.variants:ArtsVariants"})


@dataclass(frozen=True, slots=True)
class RelationsConfig:
    """Sources and follow-ups as `aspectlab metamorphic generate` writes them."""

    file: CorpusFile
    candidates: int = 10  # of every replacement


@dataclass(frozen=True, slots=True)
class CorpusConfig:
    """A corpus of a study: dev is a file of its own, or is split off train."""

    name: str
    train: CorpusFile
    dev: CorpusFile | None
    split_files: tuple[Path, ...]
    tests: Mapping[str, CorpusFile]
    drop_shared: bool = False  # leave out of train what also stands in dev
    adversarial: AdversarialConfig | None = None
    shared_tests: SharedTests = SharedTests.REFUSE
    others: tuple[CorpusFile, ...] = ()  # corpora that help to learn this one
    relations: RelationsConfig | None = None  # measure violation rates too


class EncoderConfig(NamedTuple):
    """An encoder as the study file writes it, which names its rows, and where it is loaded from."""

    name: str
    location: str  # a path from here, or the name


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A model of a study with settings of its own or of its training, and the corpora that it is for."""

    where: str  # in the study file, for messages
    name: str
    label: str
    encoders: tuple[EncoderConfig, ...]  # none: the model's own
    settings: Mapping[str, object]
    corpora: tuple[str, ...]
    seeds: tuple[int, ...] = ()  # none: those of the study
    splits: int | None = None  # only the first so many of a corpus; None: all
    recipe: str = "ours"  # which settings those that are not named are


@dataclass(frozen=True, slots=True)
class Splitting:
    """How dev is split off where a corpus has none."""

    splits: int = 5
    dev: float = 0.1
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Study:
    """Models x settings x encoders x corpora x splits x seeds."""

    name: str
    path: Path
    corpora: Mapping[str, CorpusConfig]
    models: tuple[ModelConfig, ...]
    seeds: tuple[int, ...]
    splitting: Splitting = Splitting()
    threads: int = 1  # of a run on a CPU: another number may round sums otherwise
    task: str | None = None
    metrics: tuple[str, ...] = ()  # besides the task's own
    also: tuple[str, ...] = ()  # tasks that the same predictions are judged by
    keep_models: bool = False
    notices: list[str] = field(default_factory=list)
