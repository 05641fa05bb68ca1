"""What a run measures on sets with variants and on subtasks, against published cells and counts by hand."""

import csv
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.experiments.execute import measure
from aspectlab.experiments.plan import Group
from aspectlab.robustness import read_predictions
from tests.support.published_data import ARTS_TABLE_7

Scores = dict[str, dict[str, float]]

GOOD, BAD = Polarity.POSITIVE, Polarity.NEGATIVE
PARTS = frozenset({Part.ASPECT, Part.POLARITY})
TEXTS = {"1": "Good tea, good soup.", "1_adv1": "Bad tea, good soup."}

# the cells of the ARTS paper, Restaurant
with ARTS_TABLE_7.open(encoding="utf-8") as stream:
    TABLE_7 = [row for row in csv.DictReader(stream) if row["subset"] != "entire"]


def score(
    task: str, gold: Corpus, predicted: list[Example], *, metric: str = "", also: str = ""
) -> dict[str, float]:
    metrics, tasks = (tuple(filter(None, [name])) for name in (metric, also))
    group = Group("m", "m", "tiny", "tiny", {}, {}, task, metrics, tasks, "toys", "", {})
    return measure(group, gold, gold.with_examples(predicted))[0]


@pytest.fixture(scope="module")
def published(real_data: Path) -> Scores:
    found = read_predictions(real_data / "arts" / "rest_predictions.csv")
    return {name: score("atsc", found.gold, list(run.examples)) for name, run in found.models.items()}


@pytest.mark.parametrize("row", TABLE_7, ids=lambda row: f"{row['model']}-{row['subset']}")
def test_scores_of_subsets_equal_table_7(published: Scores, row: dict[str, str]) -> None:
    found, subset = published[row["column"]], row["subset"]
    assert [f"{100 * found[f'{subset}_{side}']:.2f}" for side in ("ori", "new")] == [row["ori"], row["new"]]


def test_scores_of_both_units_equal_the_published_scores(published: Scores) -> None:
    # BERT-PT: flat accuracy and ARS by sentence were counted apart from this code, ARS by aspect is Table 7
    found = published["bert_pt"]
    shown = [f"{100 * found[name]:.2f}" for name in ("accuracy", "ars_aspect", "ars_sentence")]
    assert shown == ["80.71", "59.29", "47.17"]


def find_quad(text: str, word: str, polarity: Polarity) -> Quad:
    start = text.index(word)
    return Quad(aspect=Term(word, Span(start, start + len(word))), polarity=polarity)


def make_tea(name: str, text: str, polarity: Polarity, variant: str | None = None) -> Example:
    source = name.partition("_")[0] if variant else None
    return Example(name, text, (find_quad(text, "tea", polarity),), source, variant)


@pytest.mark.parametrize("variant", ["adddiff", "revnon+adddiff"])
def test_scores_of_made_sets_are_of_variants(variant: str) -> None:
    gold = [
        make_tea("1", "Good tea.", GOOD),
        make_tea("2", "Bad tea.", BAD),
        make_tea("3", "Poor tea.", BAD),
        make_tea("1_x", "Good tea, but the soup is cold.", GOOD, variant),
        make_tea("2_x", "Bad tea, but the soup is hot.", BAD, variant),
    ]
    predicted = [make_tea(example.id, example.text, GOOD, example.variant) for example in gold]
    found = score("atsc", Corpus("tea", "en", PARTS, tuple(gold)), predicted)
    # by hand, for a model that calls everything good: one of the two variants is, and so is one of the two
    # originals that have a variant
    assert (found[f"{variant}_ori"], found[f"{variant}_new"]) == (0.5, 0.5)


def make_record(name: str, word: str, polarity: Polarity, number: int) -> Example:
    """Make a record as ARTS has it: one for each aspect of a sentence, with its variant."""
    own = name.replace("1", f"1_{number}", 1)
    variant = ("revtgt", f"1_{number}") if "adv" in name else (None, None)
    return Example(own, TEXTS[name], (find_quad(TEXTS[name], word, polarity),), variant[1], variant[0])


RECORDS = [
    make_record("1", "tea", GOOD, 0),
    make_record("1_adv1", "tea", BAD, 0),
    make_record("1", "soup", GOOD, 1),
]
ARTS = Corpus("arts", "en", PARTS, tuple(RECORDS))


def predict_all(example: Example, tea: Polarity) -> Example:
    """Predict both aspects of a text, as a model does that is asked for none of them."""
    quads = (find_quad(example.text, "tea", tea), find_quad(example.text, "soup", GOOD))
    return Example(example.id, example.text, quads, example.source, example.variant)


def test_units_of_arts_survive_surplus_predictions() -> None:
    # by hand: 3 records, 3 targets, all found among 6 predictions; nothing is wrong with any unit
    right = [predict_all(example, BAD if example.variant else GOOD) for example in RECORDS]
    found = score("e2e", ARTS, right)
    assert found["precision"] == pytest.approx(3 / 6)
    assert found["recall"] == 1.0
    assert (found["ars_aspect"], found["ars_sentence"]) == (1.0, 1.0)


def test_unit_of_arts_falls_with_one_of_its_variants() -> None:
    # by hand: the variant's target is missed, so one of two aspects survives, and not their sentence
    found = score("e2e", ARTS, [predict_all(example, GOOD) for example in RECORDS], also="ate")
    assert found["recall"] == pytest.approx(2 / 3)
    assert (found["ars_aspect"], found["ars_sentence"]) == (0.5, 0.0)
    assert found["ate_f1"] == pytest.approx(2 * 3 / (6 + 3))  # all terms are found


@pytest.mark.parametrize(
    ("subtask", "expected"),
    # by hand: both aspects are right, with their polarity; of the opinions and all that has one, half
    [("aspect", 1.0), ("aspect_sentiment", 1.0), ("opinion", 0.5), ("aspect_opinion", 0.5), ("triple", 0.5)],
)
def test_subtasks_are_scored_each(subtask: str, expected: float) -> None:
    tea, soup, wrong = (
        Quad(Term(aspect), None, Term(opinion), polarity)
        for aspect, opinion, polarity in (("tea", "good", GOOD), ("soup", "cold", BAD), ("soup", "hot", BAD))
    )
    parts = PARTS | {Part.OPINION}
    gold = Corpus("tea", "en", parts, (Example("1", "Good tea, cold soup.", (tea, soup)),))
    predicted = [Example("1", "Good tea, cold soup.", (tea, wrong))]
    found = score("aste", gold, predicted, metric="subtasks")
    assert [found[f"subtasks_{subtask}_{name}"] for name in ("precision", "recall", "f1")] == [expected] * 3
