"""Train models that find aspects with their sentiment, score them, and append a row per run.

    python studies/e2e.py --corpora FOLDER --models grace bert-tfm --encoder minilm --seeds 3 --out F

FOLDER holds what `atsc.py` reads. Rows that are in the file already are not run again.
"""

from driver import Study, Tests, main, measure, percent

from aspectlab.training.many import Outcome

COLUMNS = ["dev_f1", "precision", "recall", "f1", "macro_f1", "ate_f1"]


def scores(outcome: Outcome, tests: Tests) -> dict[str, object]:
    """Fill the columns of one run; `ate_f1` is about the aspects alone."""
    measured = measure("e2e", tests["test"], outcome.predictions["test"])
    aspects = measure("ate", tests["test"], outcome.predictions["test"])
    found = {name: percent(measured[name]) for name in COLUMNS[1:5]}
    return {"dev_f1": percent(outcome.fitted.best.dev["f1"]), **found, "ate_f1": percent(aspects["f1"])}


if __name__ == "__main__":
    assert __doc__
    main(Study(("test",), COLUMNS, scores), __doc__, models=["grace"], names=["rest14", "lap14"])
