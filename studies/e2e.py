"""Train models that find aspects with their sentiment, score them, and append a row per run.

    python studies/e2e.py --corpora FOLDER --models grace bert-tfm --encoder minilm --seeds 3 --out F

FOLDER holds what `atsc.py` reads. In ARTS the gold of a record is its target alone, so that precision is low
where a sentence has more aspects; a unit is right if every target of it is found. Columns of sets that are
not there stay blank. Rows that are in the file already are not run again.
"""

from collections.abc import Sequence

from driver import Study, Tests, main, measure, measure_robustness, name_robustness, percent

from aspectlab.data import Example
from aspectlab.experiments.execute import FitOutcome

SCORES = ["precision", "recall", "f1", "macro_f1", "ate_f1"]
COLUMNS = ["dev_f1", *SCORES, *[f"arts_{score}" for score in SCORES], "ars_aspect", "ars_sentence"]


def scores(outcome: FitOutcome, tests: Tests) -> dict[str, object]:
    """Fill the columns of one run."""
    found = {"dev_f1": outcome.fitted.best.dev["f1"]}
    for part, predicted in outcome.predictions.items():
        found |= score_part(part, tests[part], predicted)
    return {column: percent(found[column]) for column in COLUMNS if column in found}


def score_part(part: str, gold: Sequence[Example], predicted: Sequence[Example]) -> dict[str, float]:
    """Score one test set, by the names of its columns; `ate_f1` is about the aspects alone."""
    aspects = measure("ate", gold, predicted)["f1"]
    if part == "test":
        return measure("e2e", gold, predicted) | {"ate_f1": aspects}
    return name_robustness(measure_robustness("e2e", gold, predicted)) | {"arts_ate_f1": aspects}


STUDY = Study(("test", "arts"), COLUMNS, scores)

if __name__ == "__main__":
    assert __doc__
    main(STUDY, __doc__, models=["grace"], names=["rest14", "lap14", "mams"])
