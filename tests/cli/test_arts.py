"""`aspectlab arts score` and `arts table` as a user meets them; expected numbers are counted by hand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.errors import ConfigError, DataError, TaskError

# two aspects of one sentence, each with a variant; id: text, aspect, polarity, source, strategy
ROWS = {
    "1_0": ("Fine tea, cold cup.", "tea", "positive", None),
    "1_1": ("Fine tea, cold cup.", "cup", "negative", None),
    "1_0_adv1": ("Awful tea, cold cup.", "tea", "negative", "revtgt"),
    "1_1_adv3": ("Fine tea, cold cup, nice spoon.", "cup", "negative", "adddiff"),
}
TABLE = """id,sentence,term,gold_label,good,bad
1_0,Fine tea.,tea,positive,positive,positive
1_1,Fine tea.,cup,negative,negative,positive
1_0_adv1,Awful tea.,tea,negative,negative,positive
1_1_adv4,"Fine tea, but.",cup,negative,negative,negative
"""


def arts_file(path: Path) -> str:
    records = {
        name: {
            "id": name.removesuffix("_adv1").removesuffix("_adv3"),
            "sentence": text,
            "term": term,
            "polarity": polarity,
            "from": text.index(term),
            "to": text.index(term) + len(term),
        }
        for name, (text, term, polarity, _) in ROWS.items()
    }
    path.write_text(json.dumps(records), encoding="utf-8")
    return str(path)


def predicted_file(path: Path, changed: dict[str, str]) -> str:
    lines = []
    for name, (text, term, polarity, _) in ROWS.items():
        place = {"text": term, "start": text.index(term), "end": text.index(term) + len(term)}
        quad = {"aspect": place, "polarity": changed.get(name, polarity)}
        lines.append(json.dumps({"id": name, "text": text, "quads": [quad]}))
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A test set, and predictions that are wrong on one variant."""
    wrong = {"1_0_adv1": "positive"}
    return [arts_file(tmp_path / "set.json"), predicted_file(tmp_path / "run.jsonl", wrong)]


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "my table.csv"
    path.write_text(TABLE, encoding="utf-8")
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["arts", *words])


def test_arts_score_gives_both_units(files: list[str]) -> None:
    report = json.loads(run("score", *files, "--resamples", "200", "--json").stdout)
    assert report["accuracy"] == 75
    assert (report["ori"], report["ars"]) == (100, 50)
    assert (report["ars_aspect"], report["ars_sentence"]) == (50, 0)
    assert (report["revtgt"]["ori"], report["revtgt"]["new"]) == (100, 0)
    assert (report["adddiff"]["ori"], report["adddiff"]["new"]) == (100, 100)
    assert report["revnon"] is None
    assert report["counts"] == {
        "examples": 4,
        "units_aspect": 2,
        "units_sentence": 1,
        "revtgt": 1,
        "adddiff": 1,
    }


def test_arts_score_headline_follows_the_unit(files: list[str]) -> None:
    report = json.loads(run("score", *files, "--unit", "sentence", "--json", "--resamples", "50").stdout)
    assert (report["unit"], report["ars"], report["interval"]["ars"]) == ("sentence", 0, [0, 0])
    assert report["signature"].startswith("atsc-ars-sentence|corpus:")
    assert "|bs:50|seed:0|" in report["signature"]


def test_arts_score_intervals_hold_the_scores(files: list[str]) -> None:
    report = json.loads(run("score", *files, "--json", "--resamples", "500").stdout)
    low, high = report["interval"]["ars_aspect"]
    assert 0 <= low <= 50 <= high <= 100
    assert report["interval"]["ars"] == report["interval"]["ars_aspect"]


def test_arts_score_prints_signature_and_command_last(files: list[str]) -> None:
    answer = run("score", *files, "--task", "e2e", "--resamples", "0")
    assert answer.exit_code == 0
    *_, signature, command = answer.stdout.splitlines()
    assert signature.startswith("e2e-ars-aspect|corpus:")
    assert command.startswith("aspectlab arts score ")
    assert "--task e2e" in command
    assert "100.00 → 50.00 (↓50.00)" in answer.stdout


def test_arts_score_writes_the_failures(tmp_path: Path, files: list[str]) -> None:
    page = tmp_path / "failures.html"
    answer = run("score", *files, "--resamples", "0", "--failures", str(page))
    assert answer.exit_code == 0
    assert "1 of 2 units fail" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (["--unit", "word"], ConfigError, "unit 'word' is unknown"),
        (["--task", "atcs"], ConfigError, "did you mean 'atsc'"),
        (["--task", "aste"], TaskError, "task 'aste' needs"),
    ],
)
def test_arts_score_refuses_what_does_not_fit(
    files: list[str], options: list[str], error: type[Exception], message: str
) -> None:
    answer = run("score", *files, *options)
    assert isinstance(answer.exception, error)
    assert message in str(answer.exception)


def test_arts_score_names_missing_predictions(tmp_path: Path, files: list[str]) -> None:
    lines = Path(files[1]).read_text(encoding="utf-8").splitlines()
    Path(files[1]).write_text("\n".join(lines[:-1]), encoding="utf-8")
    answer = run("score", *files)
    assert isinstance(answer.exception, DataError)
    assert "1 example(s) missing ('1_1_adv3')" in str(answer.exception)


@pytest.fixture
def authors(tmp_path: Path) -> str:
    """The test set as the authors' table, with adv4 for AddDiff, another spelling, and two models."""
    path = tmp_path / "authors.csv"
    lines = ["id,sentence,term,gold_label,sure,unsure"]
    for name, (text, term, polarity, _) in ROWS.items():
        spelt = "TEA" if name == "1_0_adv1" else term
        unsure = "neutral" if name == "1_0_adv1" else polarity
        lines.append(f'{name.replace("adv3", "adv4")},"{text}",{spelt},{polarity},{polarity},{unsure}')
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


# by hand: of two aspects, the first fails by its variant
@pytest.mark.parametrize(("column", "ars"), [("sure", 100), ("unsure", 50)])
@pytest.mark.parametrize("is_testset", [False, True])
def test_arts_score_reads_a_column_of_the_authors_table(
    files: list[str], authors: str, column: str, ars: float, is_testset: bool
) -> None:
    testset = authors if is_testset else files[0]
    answer = run("score", testset, authors, "--column", column, "--resamples", "0", "--json")
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["ars"] == ars


def test_arts_score_failures_of_the_authors_table_name_the_aspect(tmp_path: Path, authors: str) -> None:
    page = tmp_path / "failures.html"
    options = ["--column", "unsure", "--resamples", "0", "--failures", str(page)]
    assert run("score", authors, authors, *options).exit_code == 0
    # the table says no places, so that nothing can be marked in the text
    assert "TEA: negative" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "found the models sure, unsure: expected one; name its column"),
        (["--column", "unsur"], "column 'unsur' is unknown: did you mean 'unsure'?"),
    ],
)
def test_arts_score_of_a_table_needs_one_model(
    files: list[str], authors: str, options: list[str], message: str
) -> None:
    answer = run("score", files[0], authors, *options)
    assert isinstance(answer.exception, ConfigError)
    assert message in str(answer.exception)


def test_arts_score_of_a_table_without_places_goes_by_the_words(tmp_path: Path) -> None:
    # the aspect is the second tea; a table cannot say so, and its reader took the first, which was wrong
    text, variant = "Tea is tea: the tea was good.", "Tea is tea: the tea was bad."
    place = {"text": "tea", "start": 16, "end": 19}
    rows = [("1_0", text, "positive", {}), ("1_0_adv1", variant, "negative", {"source": "1_0"})]
    testset, answers = tmp_path / "set.jsonl", tmp_path / "run.csv"
    lines = [
        {"id": name, "text": text, "quads": [{"aspect": place, "polarity": label}], "variant": "revtgt"}
        | more
        for name, text, label, more in rows
    ]
    lines[0].pop("variant")
    testset.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    cells = [f"{name},{text},tea,{label}" for name, text, label, _ in rows]
    answers.write_text("\n".join(["id,sentence,term,label", *cells]), encoding="utf-8")
    answer = run("score", str(testset), str(answers), "--resamples", "0", "--json")
    assert json.loads(answer.stdout)["ars"] == 100


def test_arts_score_of_the_table_of_another_test_set_names_the_texts(files: list[str], table: str) -> None:
    # ids agree and texts do not; before, the message was about the place of a term
    answer = run("score", files[0], table, "--column", "good")
    assert isinstance(answer.exception, DataError)
    assert "predictions 'good' for corpus 'set': found" in str(answer.exception)


def test_arts_score_refuses_a_page_that_cannot_be_written_before_the_work(
    tmp_path: Path, files: list[str]
) -> None:
    answer = run("score", "no-such-set.json", files[1], "--failures", str(tmp_path / "none" / "page.html"))
    assert isinstance(answer.exception, ConfigError)
    assert "choose another --failures" in str(answer.exception)


def test_arts_score_refuses_a_column_of_what_is_no_table(files: list[str]) -> None:
    answer = run("score", *files, "--column", "sure")
    assert isinstance(answer.exception, ConfigError)
    assert "is not a table of predictions" in str(answer.exception)


def triplet_line(name: str, text: str, *triplets: tuple[str, str, str], variant: str | None = None) -> str:
    quads = [
        {
            "aspect": {"text": aspect, "start": text.index(aspect), "end": text.index(aspect) + len(aspect)},
            "opinion": {
                "text": opinion,
                "start": text.index(opinion),
                "end": text.index(opinion) + len(opinion),
            },
            "polarity": polarity,
        }
        for aspect, opinion, polarity in triplets
    ]
    tie = {"source": "1", "variant": variant} if variant else {}
    return json.dumps({"id": name, "text": text, "quads": quads, **tie})


TEA, CUP, SPOON = ("tea", "Fine", "positive"), ("cup", "cold", "negative"), ("spoon", "nice", "positive")
LONG = "Fine tea, cold cup, nice spoon."


# by hand: all three triplets of the variant must be found, surplus ones do no harm
@pytest.mark.parametrize(
    ("found", "task", "ars"),
    [
        ([TEA, CUP, SPOON], "aste", 100),
        ([TEA, CUP], "aste", 0),
        ([TEA, CUP, ("spoon", "cold", "positive")], "aste", 0),
        ([TEA, CUP, ("spoon", "cold", "positive")], "e2e", 100),  # the opinion is not judged
        ([TEA, CUP, ("spoon", "nice", "negative")], "e2e", 0),
        ([TEA, CUP, SPOON, ("tea", "cold", "positive")], "aste", 100),
    ],
)
def test_arts_score_of_triplets_needs_every_gold_tuple(
    tmp_path: Path, found: list[tuple[str, str, str]], task: str, ars: float
) -> None:
    gold, predicted = tmp_path / "gold.jsonl", tmp_path / "predicted.jsonl"
    first = triplet_line("1", ROWS["1_0"][0], TEA, CUP)
    gold.write_text(f"{first}\n{triplet_line('1_adv3', LONG, TEA, CUP, SPOON, variant='adddiff')}\n")
    predicted.write_text(f"{first}\n{triplet_line('1_adv3', LONG, *found)}\n")
    answer = run("score", str(gold), str(predicted), "--task", task, "--resamples", "0", "--json")
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["ars"] == ars


def test_arts_table_prints_the_keys_of_the_contract(table: str) -> None:
    report = json.loads(run("table", table, "--json").stdout)
    assert [*report] == ["good", "bad"]
    bad = report["bad"]
    assert {"ori", "ars", "ars_sentence", "revtgt", "revnon", "adddiff", "p", "mcnemar"} <= bad.keys()
    assert bad["revtgt"].keys() == {"ori", "new", "p", "mcnemar"}
    # 1_0 is right and 1_1 wrong; both fail with their variants
    assert (bad["ori"], bad["ars"], bad["ars_sentence"]) == (50, 0, 0)
    assert (bad["adddiff"]["ori"], bad["adddiff"]["new"]) == (0, 100)
    assert (report["good"]["ars"], report["good"]["p"]) == (100, 1)


def test_arts_table_prints_models_average_signature_and_command(table: str) -> None:
    answer = run("table", table)
    assert answer.exit_code == 0
    average = next(line for line in answer.stdout.splitlines() if "average" in line)
    assert "75.00 → 50.00 (↓25.00)" in average
    assert "0.00 → 100.00 (↑100.00)" in answer.stdout
    *_, star, signature, command = answer.stdout.splitlines()
    assert star.startswith("* p <= 0.05")
    assert signature.startswith("atsc-ars-aspect|corpus:")
    assert command == f"aspectlab arts table '{table}'"


def test_arts_table_stars_significant_changes_only(tmp_path: Path) -> None:
    lines = ["id,sentence,term,gold_label,fragile,sturdy"]
    for n in range(20):
        lines += [f"{n}_0,Tea.,tea,positive,positive,positive"]
        lines += [f"{n}_0_adv1,No tea.,tea,negative,positive,{'positive' if n == 0 else 'negative'}"]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    printed = run("table", str(path)).stdout.splitlines()
    fragile, sturdy = (next(line for line in printed if name in line) for name in ("fragile", "sturdy"))
    assert "100.00 → 0.00 (↓100.00)*" in fragile
    # one of twenty: p = 0.33 by hand (t = 1 at 19 degrees of freedom)
    assert "100.00 → 95.00 (↓05.00)" in sturdy
    assert "*" not in sturdy


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1_0_adv1", "1_0_adv7", "line 4: found the id '1_0_adv7'"),
        ("1_0_adv1", "9_0_adv1", "example '9_0_adv1': found the source '9_0'"),
        ("1_1,", "1_0,", "line 3: found the id '1_0' again"),
        ("tea,positive,positive,positive", "tea,nice,positive,positive", "column 'gold_label'"),
        ("negative,negative\n", "negative,unsure\n", "line 5, column 'bad': found the polarity 'unsure'"),
    ],
    ids=["suffix", "orphan", "twice", "gold", "label"],
)
def test_arts_table_names_what_is_wrong(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(TABLE.replace(old, new, 1), encoding="utf-8")
    answer = run("table", str(path))
    assert isinstance(answer.exception, DataError)
    assert message in str(answer.exception)


def test_arts_table_ends_with_code_2_and_one_line(tmp_path: Path) -> None:
    program = "from aspectlab.cli import main; main()"
    command = [sys.executable, "-c", program, "arts", "table", str(tmp_path / "absent.csv")]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["score", "table"])
def test_arts_help_has_an_example(command: str) -> None:
    assert "Example" in run(command, "--help").stdout


def test_arts_score_explains_a_star(tmp_path: Path) -> None:
    # four of four against none of four differ without doubt: then p is 0
    rows = [f"{n},Fine tea.,tea,positive,positive" for n in range(4)]
    rows += [f"{n}_adv1,Awful tea.,tea,negative,positive" for n in range(4)]
    path = tmp_path / "run.csv"
    path.write_text("\n".join(["id,sentence,term,gold_label,mine", *rows]), encoding="utf-8")
    lines = run("score", str(path), str(path), "--resamples", "0").stdout.splitlines()
    assert "* p <= 0.05, Welch's two-sided t-test" in lines
