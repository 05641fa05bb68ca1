"""`aspectlab graph` as a user meets it; expected numbers are counted by hand."""

import csv
import json
import sys
from pathlib import Path

import pytest
from defusedxml import ElementTree
from typer.testing import CliRunner, Result

from aspectlab.analysis.pipeline import analyze, prepare
from aspectlab.cli.main import app
from aspectlab.errors import AspectlabError, ConfigError, DataError, MissingPartError
from aspectlab.readers.opiniontable import COLUMNS
from tests.support.keyword_predictor import KeywordPredictor
from tests.support.quad_predictor import FAILED, NEVER, PRICEY, QuadPredictor

HEADER = "id,segment_id,label_topic,aspect,opinion,sentiment"
# car 1: seat +2 −0, boot −1, and a neutral colour; car 2: seats −2, a door +1
ROWS = (
    "1,1,3,back seat,soft,pos\n1,1,3,back seat,soft,pos\n1,2,1,boot,tiny,neg\n1,3,2,colour,red,neu\n"
    "1,4,3,-,-,-\n"
    "2,1,3,Backseats,hard,neg\n2,1,3,backseat,narrow,neg\n2,2,1,door,wide,pos\n"
)


@pytest.fixture(autouse=True)
def cars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cars.csv").write_text(f"{HEADER}\n{ROWS}", encoding="utf-8")


def call(*words: str) -> Result:
    return CliRunner().invoke(app, ["graph", *words])


def read_json(*words: str) -> dict[str, list[dict[str, object]]]:
    answer = call(*words, "--json")
    assert answer.exit_code == 0, answer.output
    found: dict[str, list[dict[str, object]]] = json.loads(answer.stdout)
    return found


def test_graph_writes_all_but_png_unless_asked(tmp_path: Path) -> None:
    answer = call("cars.csv", "--entity", "1", "--out", "made/here")
    assert answer.exit_code == 0, answer.output
    names = {path.name for path in (tmp_path / "made" / "here").iterdir()}
    assert names == {"graph.graphml", "graph.jsonld", "graph.html", "graph.svg"}
    assert "empty rows left out: 1" in answer.stderr
    assert "2 aspects, 2 distinct opinions, said 3 times" in answer.stdout


def test_graph_json_is_the_contract() -> None:
    [entity] = read_json("cars.csv", "--entity", "1")["entities"]
    counts = {
        key: entity[key] for key in ("aspects", "opinions", "positive", "negative", "neutral", "balance")
    }
    assert counts == {"aspects": 2, "opinions": 2, "positive": 2, "negative": 1, "neutral": 0, "balance": 1}
    assert entity["by_aspect"][0] == {  # type: ignore[index]
        "aspect": "back seat",
        "topics": ["comfort"],
        "positive": 2,
        "negative": 0,
        "neutral": 0,
        "balance": 2,
    }


def test_graph_prints_what_is_not_named_as_implicit(tmp_path: Path) -> None:
    (tmp_path / "bare.csv").write_text("product,aspect,sentiment\nLamp,light,positive\n", encoding="utf-8")
    answer = call("bare.csv", "--entity-column", "product")
    assert "+ (implicit)" in answer.stdout


def test_graph_takes_neutral_statements_on_request() -> None:
    [entity] = read_json("cars.csv", "--entity", "1", "--neutral")["entities"]
    assert entity["neutral"] == 1


@pytest.mark.parametrize(("option", "aspects"), [("--no-merge", 2), ("--merge", 1)])
def test_graph_merges_forms_on_request(option: str, aspects: int) -> None:
    [entity] = read_json("cars.csv", "--entity", "2", "--topic", "comfort", option)["entities"]
    assert entity["aspects"] == aspects


def test_graph_says_that_forms_could_be_merged_and_entities_are_one() -> None:
    answer = call("cars.csv")
    # back seat, Backseats and backseat are one
    assert "2 aspects are another one in another form: --merge" in answer.stderr
    assert "2 entities are taken as one" in answer.stderr


def test_compare_joins_forms_and_names_what_is_worse() -> None:
    found = read_json("cars.csv", "--compare", "1", "2", "--worse")
    [row] = found["comparisons"]
    assert (row["name"], row["verdict"]) == ("back seat", "too few to tell")
    # 2 of 2 against 0 of 2: one of six ways each end, so 1/6 + 1/6
    assert (row["difference"], row["p"]) == (1.0, pytest.approx(1 / 3))
    assert "test:fisher-exact,holm" in str(found["signature"])
    assert read_json("cars.csv", "--compare", "2", "1", "--worse")["comparisons"] == []


def test_graph_keeps_all_entities_apart_on_request(tmp_path: Path) -> None:
    (tmp_path / "cars.csv").write_text(
        f"{HEADER}\n{ROWS}3,1,3,seat,red,neu\n4,1,3,seat,soft,pos\n", encoding="utf-8"
    )
    answer = call("cars.csv", "--each", "--out", "out")
    assert answer.exit_code == 0, answer.output
    # car 3 has a neutral statement only
    assert "what is said of 3 entities" in answer.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"graph.graphml", "graph.jsonld"}
    found = read_json("cars.csv", "--each")
    assert [(entity["name"], entity["balance"]) for entity in found["entities"]] == [
        ("1", 1),
        ("2", -1),
        ("4", 1),
    ]


@pytest.mark.parametrize(("kept", "said"), [(1, "1 entity"), (2, "2 entities")])
def test_each_lists_the_entities_however_many_there_are(kept: int, said: str, tmp_path: Path) -> None:
    rows = "1,1,3,seat,soft,pos\n2,1,3,seat,hard,neg\n".splitlines()[:kept]
    (tmp_path / "cars.csv").write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
    assert f"what is said of {said}" in call("cars.csv", "--each").stdout
    assert "comparisons" not in read_json("cars.csv", "--each")


def test_graph_says_which_part_nobody_was_asked_for(tmp_path: Path) -> None:
    quad = {"aspect": {"text": "seat"}, "polarity": "positive"}
    record = {"id": "1", "text": "Fine.", "quads": [quad]}
    (tmp_path / "aspects.jsonl").write_text(json.dumps(record), encoding="utf-8")
    assert "aspects labels no opinion: shown as (implicit)" in call("aspects.jsonl").stderr


def test_rows_without_an_entity_are_counted(tmp_path: Path) -> None:
    (tmp_path / "said.csv").write_text(
        "product,aspect,opinion,polarity\nA,seat,soft,positive\n,boot,big,positive\n", encoding="utf-8"
    )
    answer = call("said.csv", "--entity-column", "product", "--each")
    assert "1 row(s) without an entity are taken as 'said'" in answer.stderr


def test_compare_prints_a_table() -> None:
    answer = call("cars.csv", "--compare", "1", "2", "--by", "topic")
    assert "A: 1   B: 2" in answer.stdout
    assert "interior-features" in answer.stdout


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (["--entity", "11"], ConfigError, "entity '11' is unknown: did you mean '1'? There are: 1, 2"),
        (["--compare", "1", "3"], ConfigError, "entity '3' is unknown"),
        (["--compare", "1", "1"], ConfigError, "twice: expected two different entities"),
        (["--compare", "1", "2", "--entity", "1"], ConfigError, "expected one at most"),
        (["--each", "--format", "svg", "--out", "x"], ConfigError, "'svg' is unknown to --each"),
        (["--worse"], ConfigError, "--worse without --compare"),
        (["--by", "topic"], ConfigError, "--by topic without --compare"),
        (["--compare", "1", "2", "--by", "topics"], ConfigError, "did you mean 'topic'?"),
        (["--format", "svg"], ConfigError, "without --out"),
        (["--format", "svgg", "--out", "x"], ConfigError, "did you mean 'svg'?"),
        (["--topic", "comfrt"], ConfigError, "did you mean 'comfort'?"),
        (["--entity", "2", "--topic", "quality-aesthetic"], DataError, "2: found no opinion in quality-"),
        (["--out", "cars.csv/x"], ConfigError, "choose another --out"),
        (["--entity-pattern", "car"], ConfigError, "found in no id, such as '1-1'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_graph_refuses_what_does_not_fit(words: list[str], error: type[AspectlabError], message: str) -> None:
    answer = call("cars.csv", *words)
    assert isinstance(answer.exception, error)
    assert message in str(answer.exception)


def test_graph_of_a_file_without_opinions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.csv").write_text(f"{HEADER}\n1,1,3,-,-,-\n", encoding="utf-8")
    answer = call("none.csv")
    assert isinstance(answer.exception, DataError)
    assert "none: found no opinion: expected at least one" in str(answer.exception)


def test_png_without_its_package_is_refused_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    answer = call("cars.csv", "--format", "svg,png", "--out", "out")
    assert isinstance(answer.exception, MissingPartError)
    assert not (tmp_path / "out").exists()


def test_png_is_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="pictures as PNG need the extra 'png'")
    call("cars.csv", "--compare", "1", "2", "--format", "png", "--out", "out")
    assert (tmp_path / "out" / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_graph_reads_what_analyze_wrote(tmp_path: Path) -> None:
    reviews = "id,product,text\n1,Nook,Good pizza. Rude staff!\n2,Vale,Bad pizzas.\n"
    (tmp_path / "reviews.csv").write_text(reviews, encoding="utf-8")
    analyze(prepare([tmp_path / "reviews.csv"]), KeywordPredictor(), tmp_path / "reviews-analysis")
    found = read_json("reviews-analysis", "--compare", "Nook", "Vale", "--worse")
    # the terms differ from product to product; the categories that the analysis gave them do not
    assert [row["name"] for row in found["comparisons"]] == ["food"]
    by_aspect = read_json("reviews-analysis", "--compare", "Nook", "Vale", "--worse", "--by", "aspect")
    assert [row["name"] for row in by_aspect["comparisons"]] == ["pizza"]
    whole = read_json("reviews-analysis/opinions.csv")
    assert [(entity["name"], entity["opinions"]) for entity in whole["entities"]] == [("opinions", 3)]


def test_pattern_for_ids_is_not_passed_over_where_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("product,aspect,polarity\nNook,pizza,1\n", encoding="utf-8")
    answer = call("a.csv", "--entity-column", "product", "--entity-pattern", r"(\w+)-")
    assert isinstance(answer.exception, ConfigError)
    assert "found a table of opinions, whose entity is a column" in str(answer.exception)


@pytest.mark.parametrize("name", ["opinions.csv", "opinions.parquet"])
def test_graph_finds_an_entity_that_looks_like_a_formula_in_both_tables(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text("id,product,text\n1,@home,Good pizza.\n", encoding="utf-8")
    analyze(prepare([tmp_path / "a.csv"]), KeywordPredictor(), tmp_path / "out")
    assert read_json(f"out/{name}", "--entity", "@home")["entities"][0]["positive"] == 1


def test_graph_reads_the_table_of_a_version_with_fewer_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # an analysis of today, read by a version that has added a column
    header = (
        "review,group,date,rating,sentence,sentence_start,aspect,aspect_start,aspect_end,"
        "opinion,opinion_start,opinion_end,polarity,probability,category,text"
    )
    row = "1,'@home,,,0,0,pizza,5,10,Good,0,4,positive,0.9,pizza,Good pizza."
    (tmp_path / "opinions.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    for module in ("aspectlab.readers.opiniontable", "aspectlab.graph.sources"):
        monkeypatch.setattr(f"{module}.COLUMNS", (*COLUMNS, "language"), raising=False)
    assert read_json("opinions.csv", "--entity", "@home")["entities"][0]["positive"] == 1


@pytest.mark.parametrize("name", ["opinions.csv", "opinions.parquet"])
def test_graph_shows_the_category_of_an_aspect_that_is_not_named(tmp_path: Path, name: str) -> None:
    text = f"{PRICEY} {FAILED} {NEVER} Good pizza."
    (tmp_path / "a.csv").write_text(f'id,text\n1,"{text}"\n', encoding="utf-8")
    analyze(prepare([tmp_path / "a.csv"]), QuadPredictor(), tmp_path / "out")
    assert call(f"out/{name}", "--out", "graph").exit_code == 0
    nodes = ElementTree.parse(tmp_path / "graph" / "graph.graphml").iter()
    shown = {(node.text or "").strip() for node in nodes}
    # "Never again" is about the whole
    assert {"(price)", "Way too expensive", "bed", "(implicit)", "pizza"} <= shown


def test_graph_survives_hostile_strings(tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script>\"'\u202e" + "x" * 5000
    blank = dict.fromkeys(COLUMNS, "")
    with (tmp_path / "opinions.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        for polarity in ("positive", "negative"):
            strange = dict.fromkeys(("group", "category", "aspect", "opinion"), hostile)
            writer.writerow(blank | strange | {"polarity": polarity, "text": hostile})
    answer = call("opinions.csv", "--entity", hostile, "--out", "out")
    assert answer.exit_code == 0, answer.output
    texts = [
        path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir() if path.suffix != ".jsonld"
    ]
    assert [text.count("<script>alert") for text in texts] == [0, 0, 0]
