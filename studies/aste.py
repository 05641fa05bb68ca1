"""Train triplet models over seeds, score them on the test set, and append a row per run.

    python studies/aste.py --corpora FOLDER --models stage span-aste --encoder minilm --seeds 3 --out F

FOLDER holds canonical JSONL: 14lap-train, 14lap-dev, 14lap-test, 14res-…, 15res-…, 16res-… (`aspectlab data
convert` makes them from ASTE-Data-V2). Texts of dev are left out of train. Rows that are in the file already
are not run again.
"""

from driver import Study, Tests, main, measure, percent

from aspectlab.experiments.execute import FitOutcome

COLUMNS = ["dev_f1", "precision", "recall", "f1"]


def scores(outcome: FitOutcome, tests: Tests) -> dict[str, object]:
    """Fill the columns of one run."""
    measured = measure("aste", tests["test"], outcome.predictions["test"])
    found = {name: percent(measured[name]) for name in COLUMNS[1:]}
    return {"dev_f1": percent(outcome.fitted.best.dev["f1"]), **found}


if __name__ == "__main__":
    assert __doc__
    corpora = ["14lap", "14res", "15res", "16res"]
    main(Study(("test",), COLUMNS, scores), __doc__, models=["stage"], names=corpora)
