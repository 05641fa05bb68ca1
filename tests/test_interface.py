"""What a notebook calls from the top package."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import aspectlab
from aspectlab import Corpus, Example, Polarity, Quad, Span, Term
from aspectlab.errors import TaskError
from aspectlab.readers import write

ROOT = Path(__file__).parent.parent
TEXT = "The soup was hot, the waiter was rude."


def quad(word: str, polarity: str | None = None, **parts: object) -> Quad:
    start = TEXT.index(word)
    term = Term(word, Span(start, start + len(word)))
    return Quad(aspect=term, polarity=Polarity(polarity) if polarity else None, **parts)  # type: ignore[arg-type]


GOLD = [Example("1", TEXT, [quad("soup", "positive"), quad("waiter", "negative")])]
HALF = [Example("1", TEXT, [quad("soup", "positive"), quad("waiter", "positive")])]


def test_names_of_the_notebook_are_shown_and_import_nothing_heavy() -> None:
    names = {"fit", "evaluate", "load_model", "build_model", "Plan", "read"}
    assert names <= set(dir(aspectlab))
    program = "import sys, aspectlab; aspectlab.evaluate; print('torch' in sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert answer.stdout.split() == ["False"]


def test_corpora_lists_and_files_are_scored_alike(tmp_path: Path) -> None:
    corpora = [Corpus(name, "en", examples=part) for name, part in (("gold", GOLD), ("half", HALF))]
    paths = [tmp_path / f"{corpus.name}.jsonl" for corpus in corpora]
    for corpus, path in zip(corpora, paths, strict=True):
        write(corpus, path, "jsonl")
    found = [aspectlab.evaluate(*pair) for pair in (corpora, paths, map(str, paths), (GOLD, HALF))]
    # one of two polarities is right: counted by hand
    assert [each.scores["accuracy"] for each in found] == [0.5] * 4


@pytest.mark.parametrize(
    ("gold", "predicted", "task"),
    [
        (GOLD, HALF, "atsc"),
        (GOLD, [replace(HALF[0], quads=HALF[0].quads[:1])], "e2e"),  # an aspect was not found
        ([Example("1", TEXT, [quad("soup")])], [Example("1", TEXT, [quad("waiter")])], "ate"),
        (
            [Example("1", TEXT, [Quad(category="food", polarity=Polarity.POSITIVE)])],
            [Example("1", TEXT, [Quad(category="staff", polarity=Polarity.POSITIVE)])],
            "acp",
        ),
    ],
)
def test_task_is_that_which_both_sides_annotate(
    gold: list[Example], predicted: list[Example], task: str
) -> None:
    assert aspectlab.evaluate(gold, predicted).metric.task.name == task


def test_task_that_nobody_can_guess_is_asked_for() -> None:
    bare = [Example("1", TEXT)]
    with pytest.raises(TaskError, match=r"both annotate nothing.*name it"):
        aspectlab.evaluate(GOLD, bare)
    assert aspectlab.evaluate(GOLD, bare, "e2e").scores["f1"] == 0


@pytest.mark.parametrize("wrong", [3, [3], ["a text"], {"1": "positive"}])
def test_what_is_no_prediction_is_refused_with_words(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"evaluate: predictions: found .*expected a corpus"):
        aspectlab.evaluate(GOLD, wrong)  # type: ignore[arg-type]


def test_interval_needs_no_generator() -> None:
    found = aspectlab.evaluate(GOLD * 1, HALF)
    assert aspectlab.stats.bootstrap(found.counts, found.metric.score)["accuracy"] == (0.5, 0.5)


def test_model_is_scored_by_what_it_predicts() -> None:
    pytest.importorskip("torch", reason="models need the extra 'train'")
    model = aspectlab.build_model("marked", encoder="tiny")
    corpus = Corpus("mine", "en", examples=GOLD)
    found = aspectlab.evaluate(corpus, model)
    assert found.scores == aspectlab.evaluate(corpus, model.predict(corpus)).scores
    assert found.metric.task.name == "atsc"
