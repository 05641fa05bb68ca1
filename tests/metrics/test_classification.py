"""Given aspects, looked-up answers; expected cells are counted by hand (rows gold, columns predicted)."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

from aspectlab.data import Polarity, Quad, Span, Term
from aspectlab.errors import TaskError
from aspectlab.metrics import METRICS, Match
from aspectlab.tasks import TASKS

GOOD, BAD, SOSO, MIXED = Polarity
HERE, THERE, NOWHERE = Term("tea", Span(0, 3)), Term("tea", Span(9, 12)), Term("tea")
CLASSES = ["positive", "negative", "neutral"]
LABELS = st.lists(st.tuples(st.sampled_from([GOOD, BAD, SOSO]), st.sampled_from(list(Polarity))), min_size=1)

Labelled = tuple[Term, Polarity]


def count(gold: list[Labelled], predicted: list[Labelled], match: Match = Match.EXACT) -> dict[str, int]:
    """The cells of the confusion matrix that are not 0, as gold>predicted."""
    sides = [[Quad(aspect=term, polarity=label) for term, label in side] for side in (gold, predicted)]
    cells = METRICS["classification"](TASKS["atsc"], match=match).count(*sides).reshape(3, 4)
    columns = [*CLASSES, "none"]
    return {
        f"{CLASSES[row]}>{columns[column]}": int(cells[row, column]) for row, column in np.argwhere(cells)
    }


@pytest.mark.parametrize(
    ("gold", "predicted", "cells"),
    [
        ([(HERE, GOOD)], [(HERE, BAD)], {"positive>negative": 1}),
        ([(HERE, GOOD)], [], {"positive>none": 1}),
        ([(HERE, GOOD)], [(THERE, GOOD)], {"positive>none": 1}),
        ([(HERE, GOOD)], [(HERE, MIXED)], {"positive>none": 1}),
        ([(HERE, GOOD)], [(THERE, BAD), (HERE, GOOD)], {"positive>positive": 1}),
        # by text where the place is missing, in the order of the text
        (
            [(HERE, GOOD), (THERE, BAD)],
            [(NOWHERE, GOOD), (NOWHERE, BAD)],
            {"positive>positive": 1, "negative>negative": 1},
        ),
        ([(HERE, GOOD), (THERE, GOOD)], [(NOWHERE, GOOD)], {"positive>positive": 2}),
        (
            [(NOWHERE, GOOD), (NOWHERE, BAD)],
            [(NOWHERE, GOOD), (NOWHERE, BAD)],
            {"positive>positive": 1, "negative>negative": 1},
        ),
        # one aspect with two gold labels and one answer: right once
        ([(HERE, GOOD), (HERE, BAD)], [(HERE, GOOD)], {"positive>positive": 1, "negative>positive": 1}),
        # the answer at the very place goes before one without a place
        ([(HERE, GOOD)], [(NOWHERE, BAD), (HERE, GOOD)], {"positive>positive": 1}),
    ],
)
def test_classification_looks_up_the_answer(
    gold: list[Labelled], predicted: list[Labelled], cells: dict[str, int]
) -> None:
    assert count(gold, predicted) == cells


def test_classification_by_text_takes_answers_in_order() -> None:
    gold, predicted = [(HERE, GOOD), (THERE, BAD)], [(THERE, GOOD), (HERE, BAD)]
    assert count(gold, predicted) == {"positive>negative": 1, "negative>positive": 1}
    assert count(gold, predicted, Match.TEXT) == {"positive>positive": 1, "negative>negative": 1}


def test_classification_refuses_conflict_in_gold() -> None:
    with pytest.raises(TaskError, match=r"gold aspect 'tea' is conflict: .* `aspectlab data clean`"):
        count([(HERE, MIXED)], [(HERE, GOOD)])


@given(LABELS)
def test_classification_equals_scikit_learn(labels: list[tuple[Polarity, Polarity]]) -> None:
    terms = [Term("a", Span(index, index + 1)) for index in range(len(labels))]
    gold = [Quad(aspect=term, polarity=label) for term, (label, _) in zip(terms, labels, strict=True)]
    predicted = [Quad(aspect=term, polarity=label) for term, (_, label) in zip(terms, labels, strict=True)]
    metric = METRICS["classification"](TASKS["atsc"])
    counts = metric.count(gold, predicted)
    wanted, found = ([label.value for label in side] for side in zip(*labels, strict=True))
    assert (
        counts.reshape(3, 4).tolist()
        == confusion_matrix(wanted, found, labels=[*CLASSES, "conflict"])[:3].tolist()
    )
    f1 = [
        f1_score(wanted, found, labels=CLASSES, average=kind, zero_division=0)
        for kind in ("micro", "macro", "weighted")
    ]
    scores = [float(value) for value in metric.score(counts).values()]
    assert scores == pytest.approx([accuracy_score(wanted, found), *f1])
