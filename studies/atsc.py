"""Train ATSC models over splits and seeds, score them on the test set and on ARTS, and append a row per run.

    python studies/atsc.py --corpora FOLDER --models marked --encoder minilm --splits 1 --seeds 3 --out F

FOLDER holds canonical JSONL: rest14-train, rest14-test, rest14-arts, lap14-…, and mams-train, mams-dev,
mams-test (`aspectlab data clean` makes them). Rows that are in the file already are not run again.
"""

from driver import Study, Tests, main, measure, percent

from aspectlab.metrics import robustness_counts
from aspectlab.training.many import Outcome

COLUMNS = [
    *["dev_accuracy", "accuracy", "macro_f1", "weighted_f1"],
    *["arts_accuracy", "arts_macro_f1", "ars_aspect", "ars_sentence"],
]


def scores(outcome: Outcome, tests: Tests) -> dict[str, object]:
    """Fill the columns of one run."""
    found: dict[str, object] = {"dev_accuracy": percent(outcome.fitted.best.dev["accuracy"])}
    for part, predicted in outcome.predictions.items():
        prefix = "arts_" if part == "arts" else ""
        for name, value in measure("atsc", tests[part], predicted).items():
            if prefix + name in COLUMNS:
                found[prefix + name] = percent(value)
        if part == "arts":
            for unit in ("aspect", "sentence"):
                right, units = robustness_counts(tests[part], predicted, unit=unit).sum(0)
                found[f"ars_{unit}"] = percent(right / units)
    return found


if __name__ == "__main__":
    assert __doc__
    study = Study(("test", "arts"), COLUMNS, scores)
    main(study, __doc__, models=["marked"], names=["rest14", "lap14", "mams"])
