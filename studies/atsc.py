"""Train ATSC models over splits and seeds, score them on the test set and on ARTS, and append a row per run.

    python studies/atsc.py --corpora FOLDER --models marked --encoder minilm --splits 1 --seeds 3 --out F

FOLDER holds canonical JSONL: rest14-train, rest14-test, rest14-arts, lap14-…, and mams-train, mams-dev,
mams-test (`aspectlab data clean` makes them). `aspectlab arts generate` makes further sets: rest14-adddiff-1
to rest14-adddiff-5, with that many aspects appended, and rest14-combined, by RevNon and AddDiff.
Columns of sets that are not there stay blank. Rows that are in the file already are not run again.
"""

from collections.abc import Sequence

from driver import Study, Tests, main, measure, measure_robustness, name_robustness, percent

from aspectlab.data import Example
from aspectlab.experiments.execute import FitOutcome
from aspectlab.robustness import PUBLISHED_STRATEGIES, Robustness

APPENDED = [f"adddiff-{k}" for k in range(1, 6)]
COMBINATION = "revnon+adddiff"
COLUMNS = [
    *["dev_accuracy", "accuracy", "macro_f1", "weighted_f1"],
    *["arts_accuracy", "arts_macro_f1", "ars_aspect", "ars_sentence"],
    *[f"{strategy}_{side}" for strategy in PUBLISHED_STRATEGIES for side in ("ori", "new")],
    *[part.replace("-", "_") for part in APPENDED],
    *[f"combined_{COMBINATION}_{side}" for side in ("ori", "new")],
]


def scores(outcome: FitOutcome, tests: Tests) -> dict[str, object]:
    """Fill the columns of one run."""
    found = {"dev_accuracy": outcome.fitted.best.dev["accuracy"]}
    for part, predicted in outcome.predictions.items():
        found |= score_part(part, tests[part], predicted)
    return {column: percent(found[column]) for column in COLUMNS if column in found}


def score_part(part: str, gold: Sequence[Example], predicted: Sequence[Example]) -> dict[str, float]:
    """Score one test set, by the names of its columns; some may be no column of a row."""
    if part == "test":
        return measure("atsc", gold, predicted)
    robustness = measure_robustness("atsc", gold, predicted)
    if part == "arts":
        return name_robustness(robustness) | list_subsets(robustness)
    if part == "combined":
        return {f"combined_{name}": value for name, value in list_subsets(robustness).items()}
    return {part.replace("-", "_"): robustness.subsets["adddiff"].new}


def list_subsets(robustness: Robustness) -> dict[str, float]:
    """Give the accuracy on the variants of each strategy, and on the originals that have one."""
    return {
        f"{name}_{side}": value
        for name, change in robustness.subsets.items()
        for side, value in (("ori", change.ori), ("new", change.new))
    }


STUDY = Study(("test", "arts", *APPENDED, "combined"), COLUMNS, scores)

if __name__ == "__main__":
    assert __doc__
    main(STUDY, __doc__, models=["marked"], names=["rest14", "lap14", "mams"])
