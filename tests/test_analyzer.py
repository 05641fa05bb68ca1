"""The Analyzer as a Python user meets it."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from aspectlab import Analyzer
from aspectlab.data import Polarity, Span
from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.readers.opiniontable import COLUMNS
from tests.support.keyword_predictor import KeywordPredictor
from tests.support.quad_predictor import CALLED, NEVER, PRICEY, QuadPredictor

TEXTS = ["Good food. Rude staff.", "", "We came by bus."]
MODEL = Path(__file__).parent.parent / "aspectlab" / "runtime" / "model"


@pytest.fixture
def analyzer() -> Analyzer:
    return Analyzer(predictor=KeywordPredictor())


def test_analyzer_gives_one_result_a_text_in_order(analyzer: Analyzer) -> None:
    results = analyzer.analyze(TEXTS)
    assert [result.text for result in results] == TEXTS
    assert [len(result.opinions) for result in results] == [2, 0, 0]
    assert results[0].sentences == (Span(0, 10), Span(11, 22))


def test_analyzer_gives_rows_with_the_columns_of_the_table(analyzer: Analyzer) -> None:
    rows = analyzer.analyze(TEXTS).to_rows()
    assert [tuple(row) for row in rows] == [COLUMNS, COLUMNS]
    assert [(row["review"], row["aspect"], row["aspect_start"], row["polarity"]) for row in rows] == [
        ("0", "food", 5, "positive"),
        ("0", "staff", 16, "negative"),
    ]


def test_analyzer_gives_one_result_for_one_text(analyzer: Analyzer) -> None:
    assert analyzer.analyze("Good food.").to_rows()[0]["opinion"] == "Good"


def test_analyzer_predicts_quads_of_the_whole_text(analyzer: Analyzer) -> None:
    (first, second), *_ = analyzer.predict(TEXTS)
    assert first.polarity is Polarity.POSITIVE
    assert second.aspect is not None
    assert second.aspect.span == Span(16, 21)


def test_analyzer_names_given_categories(analyzer: Analyzer) -> None:
    rows = analyzer.analyze(["Good pizza. Slow waiter."], aspects=["Food", "Service"]).to_rows()
    assert [row["category"] for row in rows] == ["Food", "Service"]


def test_analyzer_gives_what_is_not_named_by_its_category() -> None:
    rows = Analyzer(predictor=QuadPredictor()).analyze([PRICEY, CALLED, NEVER]).to_rows()
    assert [(row["aspect"], row["opinion"], row["category"], row["probability"]) for row in rows] == [
        ("", "Way too expensive", "price", 0.9),
        ("waiter", "", "staff", 0.6),
        ("pizza", "good", "food", 0.95),
        ("", "", "overall", 0.4),
    ]


def test_analyzer_predicts_quads_with_what_is_not_named() -> None:
    (priced,), (_, pizza), (never,) = Analyzer(predictor=QuadPredictor()).predict([PRICEY, CALLED, NEVER])
    assert (priced.aspect, priced.category) == (None, "RESTAURANT#PRICES")
    assert (pizza.category, never.category, never.opinion) == ("FOOD#QUALITY", None, None)


def test_analyzer_leaves_out_improbable_opinions() -> None:
    analyzer = Analyzer(predictor=QuadPredictor(), min_probability=0.9)
    assert [[each.opinion for each in result.opinions] for result in analyzer.analyze([PRICEY, CALLED])] == [
        *(["Way too expensive"], ["good"])
    ]
    assert list(map(len, analyzer.predict([PRICEY, NEVER]))) == [1, 0]


def test_analyzer_refuses_a_style_that_the_model_does_not_know() -> None:
    with pytest.raises(ConfigError, match="style 'laptops' is unknown: There are: house, acos, aste"):
        Analyzer(style="laptops", threads=1).analyze("Good food.")


@pytest.mark.parametrize("least", [2, -0.5])
def test_analyzer_refuses_a_minimum_that_is_no_probability(least: float) -> None:
    with pytest.raises(ConfigError, match="min_probability"):
        Analyzer(min_probability=least)


@pytest.mark.parametrize("texts", [[None, "Good food."], [float("nan"), "Good food."]])
def test_analyzer_takes_what_is_missing_as_empty(analyzer: Analyzer, texts: list[str | None]) -> None:
    assert [len(result.opinions) for result in analyzer.analyze(texts)] == [0, 1]


def test_analyzer_refuses_what_is_no_text(analyzer: Analyzer) -> None:
    with pytest.raises(ConfigError, match="text 1: found 3: expected a string"):
        analyzer.analyze(["Good food.", 3])  # type: ignore[list-item]


@pytest.mark.parametrize("texts", ["Good food.", 5, None])
def test_analyzer_predicts_lists_only(analyzer: Analyzer, texts: list[str]) -> None:
    with pytest.raises(ConfigError, match=r"texts: found .*: expected .*; write them as a list"):
        analyzer.predict(texts)


def test_analyzer_takes_no_keys_for_texts(analyzer: Analyzer) -> None:
    with pytest.raises(ConfigError, match=r"texts: found a dictionary, .*; give its values as a list"):
        analyzer.analyze({"7": "Good food."})


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[0]])
def test_analyzer_does_not_pass_over_the_name_of_a_column(analyzer: Analyzer, texts: list[str] | str) -> None:
    with pytest.raises(ConfigError, match="text_column = 'comment': the texts are not a table"):
        analyzer.analyze(texts, text_column="comment")


def test_analyzer_takes_no_string_for_names_of_categories(analyzer: Analyzer) -> None:
    with pytest.raises(ConfigError, match="aspects: found one string, 'food,price'"):
        analyzer.analyze(TEXTS, aspects="food,price")


def test_analyzer_keeps_offsets_past_half_a_character(analyzer: Analyzer) -> None:
    (row,) = analyzer.analyze(["\ud83d Good food."]).to_rows()
    assert (row["opinion_start"], row["opinion_end"]) == (2, 6)


def test_analyzer_takes_and_gives_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"stars": [5, 1], "comment": ["Good food here.", None]}, index=["x", "y"])
    analyzer = Analyzer(predictor=KeywordPredictor())
    by_frame, by_column = analyzer.analyze(frame), analyzer.analyze(frame["comment"])
    assert by_frame == by_column
    table = by_frame.to_pandas()
    assert list(table.columns) == list(COLUMNS)
    assert list(table["review"]) == ["x"]
    assert list(analyzer.analyze(["Nothing."]).to_pandas().columns) == list(COLUMNS)


def test_analyzer_finds_the_texts_of_a_table_whose_columns_have_numbers(analyzer: Analyzer) -> None:
    pandas = pytest.importorskip("pandas")
    (row,) = analyzer.analyze(pandas.DataFrame([[5, "Good food here."]])).to_rows()
    assert row["opinion"] == "Good"


@pytest.mark.parametrize(
    ("names", "text_column", "message"),
    [
        (
            ["stars", "comment"],
            "comments",
            "text_column = 'comments': the table has no such column: There are: st",
        ),
        (["comment", "comment"], "comment", "the table has several such columns"),
        (["comment", "comment"], None, "found several columns of one name: comment, comment: expected"),
    ],
)
def test_analyzer_names_the_column_that_cannot_be_taken(
    analyzer: Analyzer, names: list[str], text_column: str | None, message: str
) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([["5", "Good food here."]], columns=names)
    with pytest.raises(ConfigError, match=message):
        analyzer.analyze(frame, text_column=text_column)


def test_analyzer_refuses_a_table_that_calls_its_cells_columns(analyzer: Analyzer) -> None:
    # as the tables of Arrow do
    table = SimpleNamespace(columns=[["Good food.", "Rude staff."]])
    with pytest.raises(
        ConfigError, match=r"whose column names are not strings: .* convert it first: to_pandas\(\)"
    ):
        analyzer.analyze(table)


def test_analyzer_without_pandas_says_how_to_get_it(
    analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingPartError, match="pip install pandas"):
        analyzer.analyze(TEXTS).to_pandas()


def test_analyzer_saves_its_model_for_later(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}", encoding="utf-8")
    Analyzer.from_pretrained(tmp_path / "model").save_pretrained(tmp_path / "copy")
    assert (tmp_path / "copy" / "config.json").read_text(encoding="utf-8") == "{}"
    with pytest.raises(ConfigError, match="exists already"):
        Analyzer.from_pretrained(tmp_path / "model").save_pretrained(tmp_path / "copy")


def test_analyzer_does_not_save_another_model_than_its_own(analyzer: Analyzer, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="was given its predictor: expected one with a folder to copy"):
        analyzer.save_pretrained(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_analyzer_of_an_absent_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such folder"):
        Analyzer.from_pretrained(tmp_path / "absent")


def test_import_leaves_the_analyzer_alone() -> None:
    program = "import sys, aspectlab; print('aspectlab.analyzer' in sys.modules); aspectlab.Analyzer"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"


@pytest.mark.skipif(not MODEL.is_dir(), reason="the shipped model is not there")
def test_analyzer_with_the_shipped_model_finds_plain_opinions() -> None:
    results = Analyzer(threads=1).analyze(
        ["The soup was delicious but the waiter was rude.", "We came by bus."]
    )
    found = {(opinion.aspect, opinion.opinion, opinion.polarity) for opinion in results[0].opinions}
    assert found == {("soup", "delicious", "positive"), ("waiter", "rude", "negative")}
    assert results[1].opinions == ()
