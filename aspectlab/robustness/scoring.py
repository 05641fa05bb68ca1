"""Score robustness: accuracy before and after each change, and the share of units that survive all."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from aspectlab.data import Corpus, Example
from aspectlab.errors import ConfigError, DataError
from aspectlab.metrics import (
    UNITS,
    BoolArray,
    Evaluation,
    FloatArray,
    IntArray,
    Unit,
    count_units,
    evaluate,
    find_right,
    number_units,
    ratio,
)
from aspectlab.readers import VARIANTS
from aspectlab.registry import suggest
from aspectlab.stats import bootstrap, mcnemar, welch
from aspectlab.tasks import TASKS

SUFFIXES = {**VARIANTS, "adv4": "adddiff"}
"""What the end of an id says; the authors' prediction files call AddDiff adv4, their test sets adv3."""

PUBLISHED_STRATEGIES = tuple(VARIANTS.values())
"""The strategies of the ARTS paper, in its order."""

_SUFFIX = re.compile(r"adv\d*")


@dataclass(frozen=True, eq=False)
class TestsetLayout:
    """Positions in a test set of N examples.

    `origins` holds the position of each example's original: its own if it is one.
    """

    origins: IntArray  # [N]
    variants: dict[str, IntArray]  # by strategy, [V]
    units: dict[Unit, IntArray]  # [N]

    @property
    def is_original(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether an example is an original: [N]."""
        return np.equal(self.origins, np.arange(len(self.origins)))


def lay_out(corpus: Corpus) -> TestsetLayout:
    """Find the originals of a test set and their variants, or say what does not fit.

    >>> tea = Example("1", "Good tea."), Example("1_adv1", "Bad tea.", source="1", variant="revtgt")
    >>> lay_out(Corpus("mine", "en", frozenset(), tea)).origins
    array([0, 0])
    """
    positions = {example.id: position for position, example in enumerate(corpus) if example.source is None}
    origins = [_find_origin(corpus, example, positions) for example in corpus]
    strategies = [_name_strategy(corpus, example) for example in corpus]
    if not any(strategies):
        raise DataError(
            f"corpus {corpus.name!r}: found {len(corpus)} example(s) and no variant: expected originals with "
            "variants that name their source; make them with `aspectlab arts generate`"
        )
    units = {unit: number_units(corpus.examples, unit) for unit in UNITS}
    return TestsetLayout(np.array(origins, np.int64), _group(strategies), units)


def _find_origin(corpus: Corpus, example: Example, positions: dict[str, int]) -> int:
    origin = example.id if example.source is None else example.source
    if origin not in positions:
        raise DataError(
            f"corpus {corpus.name!r}: example {example.id!r}: found the source {origin!r}: expected the id "
            "of an original in the same file; add the original or remove its variants"
        )
    return positions[origin]


def _name_strategy(corpus: Corpus, example: Example) -> str | None:
    if example.source is None:
        return None
    name = SUFFIXES.get(example.variant or "", example.variant or "")
    if not name or _SUFFIX.fullmatch(name):
        raise DataError(
            f"corpus {corpus.name!r}: example {example.id!r}: found the variant {example.variant!r}: "
            f"expected the name of a strategy, such as {', '.join(PUBLISHED_STRATEGIES)}; rename the variant"
        )
    return name


def _group(strategies: Sequence[str | None]) -> dict[str, IntArray]:
    """Return the positions of each strategy, those of the paper first."""
    found = dict.fromkeys(name for name in strategies if name)
    names = [
        *(name for name in PUBLISHED_STRATEGIES if name in found),
        *(n for n in found if n not in PUBLISHED_STRATEGIES),
    ]
    return {name: np.array([i for i, other in enumerate(strategies) if other == name]) for name in names}


Side = BoolArray | IntArray | FloatArray
"""One side of a comparison: right or not, or a share."""


@dataclass(frozen=True, slots=True)
class AccuracyChange:
    """The share that is right on originals and on what was made of them, and how likely chance explains it.

    `p` is Welch's, as in the paper; it takes the two sides for independent, and needs two of each. `mcnemar`
    is the p value that knows the pairs, where there are such. `count` is how many originals there are,
    `variants` how many of the other side.
    """

    ori: float
    new: float
    p: float | None
    mcnemar: float | None
    count: int
    variants: int

    @property
    def is_significant(self) -> bool:
        """Whether the paper would give it a star."""
        return self.p is not None and self.p <= 0.05


@dataclass(frozen=True, eq=False)
class Robustness:
    """How one set of predictions fares on a test set.

    `evaluation` scores all examples alike. `entire` compares units whose originals are right with units of
    which everything is: the Aspect Robustness Score. `subsets` compares the variants of one strategy with the
    originals that have one.
    """

    evaluation: Evaluation
    layout: TestsetLayout
    right: BoolArray  # [N]
    entire: dict[Unit, AccuracyChange]
    subsets: dict[str, AccuracyChange]


def score_robustness(
    gold: Corpus, predicted: Corpus, task: str = "atsc", *, layout: TestsetLayout | None = None
) -> Robustness:
    """Score predictions for a test set of originals and variants; every example needs one.

    `layout` saves the work of finding it again where several models are scored.

    >>> from aspectlab.data import Example, Part, Polarity, Quad, Term
    >>> tea = Quad(aspect=Term("tea"), polarity=Polarity.POSITIVE)
    >>> pair = Example("1", "Fine.", (tea,)), Example("1_adv3", "Fine, but.", (tea,), "1", "adddiff")
    >>> gold = Corpus("mine", "en", frozenset({Part.ASPECT, Part.POLARITY}), pair)
    >>> score_robustness(gold, gold).entire["aspect"].new
    1.0
    """
    layout = layout or lay_out(gold)
    _refuse_empty_gold(gold, task)
    evaluation = evaluate(gold, predicted, task)
    right = find_right(gold.examples, evaluation.metric, evaluation.counts)
    entire = {unit: _compare_units(right, layout, unit) for unit in UNITS}
    subsets = {
        name: _compare_variants(right, layout, positions) for name, positions in layout.variants.items()
    }
    return Robustness(evaluation, layout, right, entire, subsets)


def average_changes(changes: Sequence[AccuracyChange]) -> AccuracyChange:
    """Average the same comparison over models; p is Welch's of their shares, a value per model.

    >>> average_changes([AccuracyChange(0.8, 0.25, 0.01, 0.01, 9, 9), AccuracyChange(0.6, 0.75,
    ...     0.01, 0.01, 9, 9)]).new
    0.5
    """
    old, new = zip(*((change.ori, change.new) for change in changes), strict=True)
    return _compare(np.array(old), np.array(new), None)


def intervals(
    robustness: Robustness, unit: Unit, *, rng: np.random.Generator, resamples: int = 10_000
) -> dict[str, tuple[float, float]]:
    """Return the bootstrap interval of every flat score and of the Aspect Robustness Score in both units.

    Units are drawn, not examples: an original and its variants are not independent of each other.
    """
    metric, numbers = robustness.evaluation.metric, robustness.layout.units
    totals = np.zeros((numbers[unit].max() + 1, robustness.evaluation.counts.shape[1]), np.int64)
    np.add.at(totals, numbers[unit], robustness.evaluation.counts)
    found = bootstrap(totals, metric.score, rng=rng, resamples=resamples)
    for name in UNITS:
        counts = count_units(robustness.right, numbers[name])
        found[f"ars_{name}"] = bootstrap(counts, _score_units, rng=rng, resamples=resamples)["ars"]
    return found


def check_unit(name: str) -> Unit:
    """Take a word as a unit, or say which there are.

    >>> check_unit("aspect")
    'aspect'
    """
    for unit in UNITS:
        if name == unit:
            return unit
    raise ConfigError(f"unit {name!r} is unknown: {suggest(name, UNITS)}")


def sign(robustness: Robustness, unit: Unit, *, resamples: int = 0, seed: int = 0) -> str:
    """Return the signature of the Aspect Robustness Score."""
    signature = robustness.evaluation.signature
    return str(replace(signature, headline=f"ars-{unit}", resamples=resamples, seed=seed))


def _refuse_empty_gold(gold: Corpus, task: str) -> None:
    """Refuse an example that would be right whatever is predicted."""
    chosen = TASKS[task]
    chosen.check(gold)
    for example in gold:
        if not chosen.select(example.quads):
            raise DataError(
                f"corpus {gold.name!r}: example {example.id!r}: found no gold quad that task {task!r} "
                "judges: expected one at least; label the example, or remove it and its variants"
            )


def _compare_units(right: BoolArray, layout: TestsetLayout, unit: Unit) -> AccuracyChange:
    numbers = layout.units[unit]
    whole = count_units(right, numbers)[:, 0]
    # a variant cannot spoil its unit here: it counts as right
    originals = count_units(right | ~layout.is_original, numbers)[:, 0]
    return _compare(originals, whole, mcnemar(originals, whole).p)


def _compare_variants(right: BoolArray, layout: TestsetLayout, positions: IntArray) -> AccuracyChange:
    origins = layout.origins[positions]
    paired = mcnemar(right[origins], right[positions]).p
    # an original counts once, also if the strategy made several variants of it
    return _compare(right[np.unique(origins)], right[positions], paired)


def _compare(old: Side, new: Side, paired: float | None) -> AccuracyChange:
    p = welch(old, new).p if min(len(old), len(new)) > 1 else None
    return AccuracyChange(float(old.mean()), float(new.mean()), p, paired, len(old), len(new))


def _score_units(total: IntArray) -> dict[str, FloatArray]:
    return {"ars": ratio(total[..., 0], total[..., 1])}
