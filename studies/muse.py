"""Train triplet models on MuSe-CarASTE, score five subtasks on the test set, and append a row per run.

    python studies/muse.py --corpora FOLDER --models span-aste bmrc --encoder minilm --seeds 3 --out F

FOLDER holds canonical JSONL: muse-strict-train, muse-strict-dev, muse-strict-test: the processed subset with
the triplets whose terms are spans of the text (`aspectlab data clean --drop-implicit` makes them). Dev only
chooses the epoch. Rows that are in the file already are not run again.
"""

from driver import Study, Tests, main, measure, percent

from aspectlab.experiments.execute import FitOutcome
from aspectlab.metrics.tuplef1 import SUBTASKS

MODELS_OF_PAPER = ["gas", "bart-absa", "bmrc", "span-aste"]
METRIC = "subtasks"
COLUMNS = [
    *["task", "dev_f1"],
    *[f"{METRIC}_{name}_{score}" for name in SUBTASKS for score in ("precision", "recall", "f1")],
]


def scores(outcome: FitOutcome, tests: Tests) -> dict[str, object]:
    """Fill the columns of one run."""
    measured = measure("aste", tests["test"], outcome.predictions["test"], metric=METRIC)
    found = {f"{METRIC}_{name}": percent(value) for name, value in measured.items()}
    # the name of the file of rows is no task, so each row says its own
    return {"task": "aste", "dev_f1": percent(outcome.fitted.best.dev["f1"]), **found}


if __name__ == "__main__":
    assert __doc__
    main(Study(("test",), COLUMNS, scores), __doc__, models=MODELS_OF_PAPER, names=["muse-strict"])
