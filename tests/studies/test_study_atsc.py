"""What a run of studies/atsc.py measures on the sets with variants."""

import csv
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="studies need the extra 'train'")

from atsc import COLUMNS, STUDY, score_part
from driver import main, percent, read_rows

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import write
from aspectlab.robustness import read_predictions

Scores = dict[str, dict[str, str]]

GOOD, BAD = Polarity.POSITIVE, Polarity.NEGATIVE
PARTS = frozenset({Part.ASPECT, Part.POLARITY})

# the cells of the ARTS paper, Restaurant
with (Path(__file__).parent.parent / "robustness" / "table7_restaurant.csv").open(encoding="utf-8") as stream:
    TABLE_7 = [row for row in csv.DictReader(stream) if row["subset"] != "entire"]


@pytest.fixture(scope="module")
def published(real_data: Path) -> Scores:
    found = read_predictions(real_data / "arts" / "rest_predictions.csv")
    gold = found.gold.examples
    measured = {name: score_part("arts", gold, run.examples) for name, run in found.models.items()}
    return {name: {column: percent(value) for column, value in row.items()} for name, row in measured.items()}


@pytest.mark.parametrize("row", TABLE_7, ids=lambda row: f"{row['model']}-{row['subset']}")
def test_columns_of_subsets_equal_table_7(published: Scores, row: dict[str, str]) -> None:
    found, subset = published[row["column"]], row["subset"]
    assert (found[f"{subset}_ori"], found[f"{subset}_new"]) == (row["ori"], row["new"])


def test_columns_of_both_units_equal_the_published_scores(published: Scores) -> None:
    # BERT-PT: flat accuracy and ARS by sentence were counted apart from this code, ARS by aspect is Table 7
    found = published["bert_pt"]
    assert [found[name] for name in ("arts_accuracy", "ars_aspect", "ars_sentence")] == [
        "80.71",
        "59.29",
        "47.17",
    ]


def make_example(name: str, text: str, polarity: Polarity, variant: str | None = None) -> Example:
    start = text.index("tea")
    quad = Quad(aspect=Term("tea", Span(start, start + 3)), polarity=polarity)
    return Example(name, text, (quad,), name.partition("_")[0] if variant else None, variant)


def make_set(variant: str) -> list[Example]:
    """Three originals, two of which have a variant."""
    return [
        make_example("1", "Good tea.", GOOD),
        make_example("2", "Bad tea.", BAD),
        make_example("3", "Poor tea.", BAD),
        make_example("1_x", "Good tea, but the soup is cold.", GOOD, variant),
        make_example("2_x", "Bad tea, but the soup is hot.", BAD, variant),
    ]


def predict_good(examples: list[Example]) -> list[Example]:
    return [make_example(example.id, example.text, GOOD, example.variant) for example in examples]


@pytest.mark.parametrize(
    ("part", "variant", "expected"),
    [
        # by hand, for a model that calls everything good: one of the two variants is
        ("adddiff-3", "adddiff", {"adddiff_3": 0.5}),
        # and so is one of the two originals that have a variant
        (
            "combined",
            "revnon+adddiff",
            {"combined_revnon+adddiff_ori": 0.5, "combined_revnon+adddiff_new": 0.5},
        ),
    ],
)
def test_columns_of_made_sets_are_of_variants(part: str, variant: str, expected: dict[str, float]) -> None:
    gold = make_set(variant)
    assert score_part(part, gold, predict_good(gold)) == expected
    assert set(expected) <= set(COLUMNS)


def test_row_has_the_columns_of_those_sets_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"train": "Good tea.", "dev": "Lovely tea.", "test": "Nice tea."}
    sets = {part: [make_example("1", text, GOOD)] for part, text in texts.items()}
    for part, examples in {**sets, "adddiff-2": make_set("adddiff")}.items():
        write(Corpus("tea", "en", PARTS, tuple(examples)), tmp_path / f"tea-{part}.jsonl", "jsonl")
    words = ["--corpora", str(tmp_path), "--encoder", "tiny", "--seeds", "1", "--set", "epochs=1"]
    monkeypatch.setattr(sys, "argv", ["atsc.py", *words, "--out", str(tmp_path / "rows.csv")])
    main(STUDY, "", models=["marked"], names=["tea"])
    (row,) = read_rows(tmp_path / "rows.csv")
    filled = {"dev_accuracy", "accuracy", "macro_f1", "weighted_f1", "adddiff_2"}
    assert {name for name in COLUMNS if row[name]} == filled
