"""What every metric of the table promises, checked for every task that it fits."""

import re
from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import accuracy_score, f1_score

from aspectlab.data import Intensity, Polarity, Quad, Span, Term
from aspectlab.encodings.base import POLARITIES as TABLE
from aspectlab.encodings.grid import WordTriplet
from aspectlab.errors import ConfigError, TaskError
from aspectlab.metrics import METRICS, IntArray, Metric, default_metric
from aspectlab.models.emcgcn import CLASSES, WordTable
from aspectlab.tasks import TASKS
from tests.support.random_quads import TEXT, draw_prediction, draw_quads

FITS = [(name, task) for name in METRICS for task in sorted(METRICS[name].tasks)]
every_metric = pytest.mark.parametrize(("name", "task"), FITS)

Side = Sequence[Quad]
Sides = list[tuple[Side, Side]]


def build(name: str, task: str) -> Metric:
    return METRICS[name](TASKS[task])


def make_quads() -> list[Quad]:
    """Five quads of distinct parts, with every polarity, and with valence and arousal that vary."""
    labels = [*Polarity][:3] * 2
    return [
        Quad(
            Term(f"sou{k}", Span(9 * k, 9 * k + 4)),
            f"c{k}",
            Term("fine", Span(9 * k + 5, 9 * k + 9)),
            labels[k],
            intensity=Intensity(1.0 + k, 9.0 - k * k / 3),
        )
        for k in range(5)
    ]


def draw_sides(seed: int, examples: int = 30) -> Sides:
    rng = Random(seed)
    golds = [draw_quads(rng) for _ in range(examples)]
    sides = [(gold, draw_prediction(rng, gold)) for gold in golds]
    return [(with_intensities(rng, gold), with_intensities(rng, predicted)) for gold, predicted in sides]


def with_intensities(rng: Random, quads: Side) -> Side:
    """Add a valence and an arousal to each quad, some of them out of range."""
    return [
        replace(q, intensity=Intensity(rng.randint(50, 920) / 100, rng.randint(100, 900) / 100))
        for q in quads
    ]


NEEDS_ANSWERS = {"valence-arousal"}
"""Metrics that refuse a gold quad without a prediction, as the scorers they follow do."""


def answer_all(name: str, sides: Sides) -> Sides:
    """Where a metric refuses missing predictions, add one for each gold quad."""
    return [(gold, [*predicted, *gold]) for gold, predicted in sides] if name in NEEDS_ANSWERS else sides


def count_all(metric: Metric, sides: Sides) -> IntArray:
    return np.stack([metric.count(gold, predicted) for gold, predicted in sides])


@every_metric
def test_metric_gives_a_perfect_prediction_one(name: str, task: str) -> None:
    metric = build(name, task)
    scores = metric.score(metric.count(make_quads(), make_quads()))
    assert {score: float(value) for score, value in scores.items()} == pytest.approx(
        {score: float(score not in metric.errors) for score in scores}
    )


@every_metric
@pytest.mark.parametrize("gold", [make_quads(), []], ids=["some gold", "no gold"])
def test_metric_gives_an_empty_prediction_zero(name: str, task: str, gold: list[Quad]) -> None:
    metric = build(name, task)
    if gold and name in NEEDS_ANSWERS:
        with pytest.raises(TaskError, match="has no prediction"):
            metric.count(gold, [])
        return
    scores = metric.score(metric.count(gold, []))
    assert {float(value) for value in scores.values()} == {0.0}


@pytest.mark.parametrize(("name", "task"), [fit for fit in FITS if fit[0] not in NEEDS_ANSWERS])
def test_metric_gives_wrong_predictions_zero(name: str, task: str) -> None:
    metric = build(name, task)
    wrong = [Quad(Term("x"), "other", Term("y"), Polarity.CONFLICT, intensity=Intensity(5, 5))]
    assert {float(value) for value in metric.score(metric.count(make_quads(), wrong)).values()} == {0.0}


@every_metric
def test_metric_ignores_the_order_of_quads(name: str, task: str) -> None:
    metric = build(name, task)
    extra = Quad(Term("x"), "c9", Term("y"), Polarity.NEGATIVE, intensity=Intensity(2, 7))
    gold, predicted = answer_all(name, [(make_quads(), [*make_quads()[1:], extra])])[0]
    assert (metric.count(gold, predicted) == metric.count(gold[::-1], predicted[::-1])).all()


@every_metric
def test_metric_counts_whole_numbers_of_one_shape(name: str, task: str) -> None:
    metric = build(name, task)
    counts = count_all(metric, answer_all(name, draw_sides(seed=1)))
    assert counts.ndim == 2
    assert counts.dtype == np.int64
    assert (counts >= 0).all()


@every_metric
def test_metric_scores_many_totals_at_once(name: str, task: str) -> None:
    metric = build(name, task)
    counts = count_all(metric, answer_all(name, draw_sides(seed=2)))
    many = metric.score(counts.reshape(5, 6, -1))
    single = [metric.score(row) for row in counts]
    assert {score: values.shape for score, values in many.items()} == dict.fromkeys(single[0], (5, 6))
    assert np.array([*many.values()]).reshape(len(many), -1).T.tolist() == [
        [*map(float, s.values())] for s in single
    ]


@every_metric
def test_metric_counts_add_up(name: str, task: str) -> None:
    # two copies of a corpus score as one: sums decide, not means of examples
    metric = build(name, task)
    total = count_all(metric, answer_all(name, draw_sides(seed=3))).sum(0)
    once, twice = metric.score(total), metric.score(total + total)
    assert {score: float(value) for score, value in twice.items()} == pytest.approx(
        {score: float(value) for score, value in once.items()}
    )


@every_metric
@pytest.mark.parametrize("seed", range(5))
def test_metric_equals_the_outside_scorer(name: str, task: str, seed: int) -> None:
    metric, sides = build(name, task), answer_all(name, draw_sides(seed))
    scores = metric.score(count_all(metric, sides).sum(0))
    assert {score: float(value) for score, value in scores.items()} == pytest.approx(
        OUTSIDE[name](task, sides)
    )


@pytest.mark.parametrize("task", TASKS)
def test_task_has_a_default_metric(task: str) -> None:
    assert task in METRICS[default_metric(task)].tasks


def test_default_metric_of_an_unknown_task_is_refused() -> None:
    with pytest.raises(ConfigError, match="no metric fits it"):
        default_metric("parsing")


def test_metric_refuses_a_task_that_it_does_not_fit() -> None:
    with pytest.raises(ConfigError, match=r"'classification' does not fit task 'aste': it fits atsc"):
        build("classification", "aste")


TOY = '''
"""A metric that counts quads."""
import numpy as np
from aspectlab.metrics import Metric

class HowMany(Metric):
    name = "how-many"
    tasks = frozenset({"ate"})
    headline = "share"

    def count(self, gold, predicted):
        return np.array([len(predicted), len(gold)])

    def score(self, total):
        return {"share": total[..., 0] / total[..., 1]}
'''


def test_metric_is_added_by_one_module_and_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toymetric.py").write_text(TOY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(METRICS, "_targets", dict(METRICS._targets))
    METRICS.add("how-many", "toymetric:HowMany")
    metric = build("how-many", "ate")
    assert metric.score(metric.count(make_quads(), make_quads()[:1])) == {"share": 0.2}


# ---- outside scorers: written for the test, with nothing of the package's own matching ----

PARTS = {
    "ate": ["aspect"],
    "ote": ["opinion"],
    "atsc": ["aspect", "polarity"],
    "e2e": ["aspect", "polarity"],
    "pairs": ["aspect", "polarity"],
    "aope": ["aspect", "opinion"],
    "aste": ["aspect", "opinion", "polarity"],
    "aste-explicit": ["aspect", "opinion", "polarity"],
    "aste-all": ["aspect", "opinion", "polarity"],
    "acd": ["category"],
    "acp": ["category", "polarity"],
    "acsc": ["category", "polarity"],
    "tasd": ["aspect", "category", "polarity"],
    "towe": ["aspect", "opinion"],
    "asqp": ["aspect", "category", "opinion", "polarity"],
    "quads": ["aspect", "category", "opinion", "polarity"],
}


def spell(quad: Quad, task: str) -> str:
    return " / ".join(repr(getattr(quad, part)) for part in PARTS[task])


def brute_force(task: str, sides: Sides, polarity: Polarity | None = None) -> tuple[float, float, float]:
    hits = n_gold = n_predicted = 0
    for gold, predicted in sides:
        of_label = [[q for q in side if polarity in (None, q.polarity)] for side in (gold, predicted)]
        wanted, found = ({spell(quad, task) for quad in side} for side in of_label)
        hits += sum(item in wanted for item in found)
        n_gold, n_predicted = n_gold + len(wanted), n_predicted + len(found)
    precision, recall = hits / n_predicted, hits / n_gold
    return precision, recall, 2 * precision * recall / (precision + recall)


def score_tuples(task: str, sides: Sides) -> dict[str, float]:
    scores = dict(zip(("precision", "recall", "f1"), brute_force(task, sides), strict=True))
    if "polarity" in PARTS[task]:
        by_label = [brute_force(task, sides, polarity)[2] for polarity in list(Polarity)[:3]]
        scores["macro_f1"] = sum(by_label) / 3
    return scores


def score_subtasks(task: str, sides: Sides) -> dict[str, float]:
    names = {
        "aspect": "ate",
        "opinion": "ote",
        "aspect_sentiment": "e2e",
        "aspect_opinion": "aope",
        "triple": "aste",
    }
    return {
        f"{name}_{kind}": value
        for name, part in names.items()
        for kind, value in zip(("precision", "recall", "f1"), brute_force(part, sides), strict=True)
    }


def score_with_sklearn(task: str, sides: Sides) -> dict[str, float]:
    gold_labels: list[str] = []
    labels: list[str] = []
    for gold, predicted in sides:
        # the k-th different label of an aspect is answered by the k-th different answer, or by the last one
        for name in {getattr(quad, PARTS[task][0]) for quad in gold}:
            wanted, found = (
                list(
                    dict.fromkeys(
                        q.polarity.value for q in side if getattr(q, PARTS[task][0]) == name and q.polarity
                    )
                )
                for side in (gold, predicted)
            )
            hit: list[str] = []
            if task == "acsc":
                # of a category the labels are sets: as many answers count as there are labels
                found = found[: len(wanted)]
                hit = [label for label in wanted if label in found]
                wanted = [label for label in wanted if label not in hit]
                found = [label for label in found if label not in hit] or found
            answers = [*found, *[found[-1]] * len(wanted)] if found else ["none"] * len(wanted)
            gold_labels += [*hit, *wanted]
            labels += [*hit, *answers[: len(wanted)]]
    classes = ["positive", "negative", "neutral"]
    f1 = {
        kind: f1_score(gold_labels, labels, labels=classes, average=kind)
        for kind in ("micro", "macro", "weighted")
    }
    accuracy = accuracy_score(gold_labels, labels)
    return {"accuracy": accuracy, "f1": f1["micro"], "macro_f1": f1["macro"], "weighted_f1": f1["weighted"]}


def score_starts(task: str, sides: Sides) -> dict[str, float]:
    hits = n_gold = n_predicted = 0
    for gold, predicted in sides:
        wanted, found = (
            {(start(q.aspect), start(q.opinion), q.polarity) for q in s} for s in (gold, predicted)
        )
        exact = {start(one.aspect) for one in gold for other in predicted if one.aspect == other.aspect}
        exact |= {start(one.opinion) for one in gold for other in predicted if one.opinion == other.opinion}
        hits += len([pair for pair in wanted & found if {pair[0], pair[1]} <= exact])
        n_gold, n_predicted = n_gold + len(wanted), n_predicted + len(found)
    return {
        "precision": hits / n_predicted,
        "recall": hits / n_gold,
        "f1": 2 * hits / (n_gold + n_predicted),
    }


def start(term: Term | None) -> int:
    assert term is not None
    assert term.span is not None
    return term.span.start


def score_without_first(task: str, sides: Sides) -> dict[str, float]:
    # terms here are single words, so that two overlap only where they are the same
    def seen(side: Side) -> Side:
        return [q for q in side if 0 < start(q.aspect) != start(q.opinion) > 0]

    return score_tuples(task, [(seen(gold), seen(predicted)) for gold, predicted in sides])


def score_against_table(task: str, sides: Sides) -> dict[str, float]:
    # the table of the model itself, over the words of the one text that is drawn from
    words = [found.span() for found in re.finditer(r"\S+", TEXT)]

    def reread(side: Side) -> Side:
        found = [(start(q.aspect), start(q.opinion), q.polarity) for q in side]
        firsts = [first for first, _ in words]
        triplets = [
            WordTriplet(
                (firsts.index(a), firsts.index(a)), (firsts.index(o), firsts.index(o)), TABLE.index(p)
            )
            for a, o, p in found
            if p
        ]
        table = np.zeros((len(words), len(words), CLASSES), np.float32)
        for cell, kind in WordTable().paint(triplets).items():
            table[*cell, kind] = 1
        spans = (found.triplet for found in WordTable().read(table, len(words)))
        return [Quad(term(a[0]), None, term(o[0]), TABLE[p]) for a, o, p in spans]

    def term(word: int) -> Term:
        first, last = words[word]
        return Term(TEXT[first:last], Span(first, last))

    return score_tuples(task, [(reread(gold), predicted) for gold, predicted in sides])


def score_continuously(task: str, sides: Sides) -> dict[str, float]:
    fields = [part for part in PARTS[task] if part != "polarity"]

    def rows(side: Side) -> list[tuple[str, float, float]]:
        return [
            (" / ".join(str(getattr(getattr(q, f), "text", getattr(q, f))) for f in fields), *astuple(i))
            for q in side
            if (i := q.intensity)
        ]

    near = hits = extra = missed = 0.0
    for gold, predicted in sides:
        found = rows(predicted)
        used = set()
        for key, v, a in rows(gold):
            same = [other for other in found if other[0] == key]
            if len(same) != 1:
                missed += 1
                continue
            used.add(same[0])
            hits += 1
            _, other_v, other_a = same[0]
            if 1 <= other_v <= 9 and 1 <= other_a <= 9:
                near += max(0.0, 1 - ((v - other_v) ** 2 + (a - other_a) ** 2) ** 0.5 / 128**0.5)
        extra += len(found) - len(used)
    precision, recall = near / (hits + extra), near / (hits + missed)
    return {
        "cprecision": precision,
        "crecall": recall,
        "cf1": 2 * precision * recall / (precision + recall),
    }


def correlate_given(task: str, sides: Sides) -> dict[str, float]:
    values: list[tuple[tuple[float, ...], tuple[float, ...]]] = []
    for gold, predicted in sides:
        for name in {quad.aspect.text for quad in gold if quad.aspect}:
            own, answers = (
                [astuple(q.intensity) for q in side if q.aspect and q.aspect.text == name and q.intensity]
                for side in (gold, predicted)
            )
            values += zip(own, [*answers, *[answers[-1]] * len(own)], strict=False)
    one, other = np.array([pair[0] for pair in values]), np.array([pair[1] for pair in values])
    return {
        "pearson_valence": pearsonr(one[:, 0], other[:, 0]).statistic,
        "pearson_arousal": pearsonr(one[:, 1], other[:, 1]).statistic,
        "rmse": float(np.sqrt(((one - other) ** 2).sum() / len(one)) / np.sqrt(128)),
    }


OUTSIDE: dict[str, Callable[[str, Sides], dict[str, float]]] = {
    "classification": score_with_sklearn,
    "category-classification": score_with_sklearn,
    "tuple-f1": score_tuples,
    "subtasks": score_subtasks,
    "continuous-f1": score_continuously,
    "valence-arousal": correlate_given,
    "simstar-lenient": score_starts,
    "minicongts-released": score_without_first,
    "emcgcn-released": score_against_table,
}


@pytest.mark.parametrize("name", METRICS)
def test_reference_page_names_the_tasks_of_each_metric(name: str) -> None:
    page = Path("docs/reference/metrics.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
    said = row.split("|")[2].strip()
    assert METRICS[name].tasks == (set(TASKS) if said == "all" else set(said.split(", ")))
