"""Train category models over seeds, score them on the test set, and append a row per run.

    python studies/categories.py --corpora FOLDER --models category-pair --seeds 3 --out F

FOLDER holds canonical JSONL, categories alone: mams-acsa-train, mams-acsa-dev, mams-acsa-test, rest14-cat-…,
rest15-cat-…, rest16-cat-…, lap16-cat-…, muse-topics-… A model finds categories with their polarity (`acp`)
unless --set task=acsc, which judges given ones, or task=acd, which finds them alone (muse-topics has
no polarity). Rows that are in the file already are not run again. `majority.py` gives the row of a baseline.
"""

from driver import Study, Tests, main, measure, percent

from aspectlab.experiments.execute import FitOutcome

NAMES = ["mams-acsa", "rest14-cat", "rest15-cat", "rest16-cat", "lap16-cat"]
COLUMNS = [
    *["dev", "acd_precision", "acd_recall", "acd_f1", "acp_precision", "acp_recall", "acp_f1"],
    *["accuracy", "macro_f1"],
]


def scores(outcome: FitOutcome, tests: Tests) -> dict[str, object]:
    """Fill the columns of the task: F1 of what was found, or accuracy of what was given."""
    task, gold, predicted = outcome.fitted.model.task, tests["test"], outcome.predictions["test"]
    headline = "accuracy" if task == "acsc" else "f1"
    found: dict[str, object] = {"dev": percent(outcome.fitted.best.dev[headline])}
    if task == "acsc":
        measured = measure(task, gold, predicted)
        return found | {name: percent(measured[name]) for name in ("accuracy", "macro_f1")}
    for judged in ("acd", "acp") if task == "acp" else ("acd",):
        measured = measure(judged, gold, predicted)
        found |= {f"{judged}_{name}": percent(measured[name]) for name in ("precision", "recall", "f1")}
    return found


if __name__ == "__main__":
    assert __doc__
    main(Study(("test",), COLUMNS, scores), __doc__, models=["category-pair"], names=NAMES)
