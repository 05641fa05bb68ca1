"""`aspectlab annotate prelabel`, `export` and `import` as a user meets them; counts are made by hand."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.data import Quad, Span, Term
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import read, write
from aspectlab.readers.labelstudio import write_result
from tests.support.segments import make_corpus

TEXT = "The hinge is loose."
RESULT = write_result([Quad(Term("hinge", Span(4, 9)))])
UNKNOWN = [RESULT[0] | {"from_name": "mood"}]


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["annotate", *map(str, words)])


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Two people and two tasks; the first person skipped the second task."""
    people = [
        [{"completed_by": 1, "result": RESULT}, {"completed_by": 2, "result": RESULT}],
        [{"completed_by": 1, "result": [], "was_cancelled": True}, {"completed_by": 2, "result": []}],
    ]
    tasks = [
        {"id": n, "data": {"text": TEXT, "segment": f"s{n}"}, "annotations": annotations}
        for n, annotations in enumerate(people)
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), "utf-8")
    return path


def test_import_writes_one_file_a_person(export: Path, tmp_path: Path) -> None:
    answer = call("import", export, "--split-by-annotator", "--out", tmp_path / "back.jsonl", "--json")
    record = json.loads(answer.stdout)
    assert record["annotators"] == {
        "1": {"out": str(tmp_path / "back-1.jsonl"), "segments": 1, "empty": 0, "opinions": 1, "unmarked": 0},
        "2": {"out": str(tmp_path / "back-2.jsonl"), "segments": 2, "empty": 1, "opinions": 1, "unmarked": 1},
    }
    assert record["left_out"] == {"skipped by the annotator": 1}
    assert [len(read(tmp_path / f"back-{name}.jsonl")) for name in "12"] == [1, 2]


def test_import_goes_straight_into_agreement(export: Path, tmp_path: Path) -> None:
    call("import", export, "--split-by-annotator", "--out", tmp_path / "back.jsonl")
    files = [tmp_path / f"back-{name}.jsonl" for name in "12"]
    found = call("agreement", *files, "--similarity", "letters", "--resamples", "0", "--exclude", "--json")
    # the one segment that both have, with the same aspect
    assert json.loads(found.stdout)["thresholds"]["0.6"]["aspects"] == 1.0


def test_import_of_several_people_asks_which(export: Path, tmp_path: Path) -> None:
    refused = call("import", export, "--out", tmp_path / "back.jsonl")
    assert isinstance(refused.exception, ConfigError)
    assert "'1', '2'" in str(refused.exception)
    answer = call("import", export, "--annotator", "2", "--out", tmp_path / "back.jsonl")
    assert "s0" in (tmp_path / "back.jsonl").read_text("utf-8")
    assert answer.exit_code == 0


def test_import_names_what_is_wrong_and_leaves_it_out_on_request(export: Path, tmp_path: Path) -> None:
    tasks = json.loads(export.read_text("utf-8"))
    tasks[0]["annotations"][1]["result"] = UNKNOWN
    export.write_text(json.dumps(tasks), "utf-8")
    words = ["import", export, "--annotator", "2", "--out", tmp_path / "back.jsonl"]
    refused = call(*words)
    assert isinstance(refused.exception, DataError)
    assert "unknown label: segment 's0': export.json, task 0, annotator 2: found the control 'mood'" in str(
        refused.exception
    )
    assert not (tmp_path / "back.jsonl").exists()
    answer = call(*words, "--skip-bad")
    assert "left out: 1 unknown label" in answer.stdout
    assert [example.id for example in read(tmp_path / "back.jsonl")] == ["s1"]


@pytest.mark.parametrize(
    "words",
    [["--annotator", "1", "--split-by-annotator"], ["--from", "brat"]],
    ids=["one and all", "unknown tool"],
)
def test_import_refuses_options_that_do_not_fit(words: list[str], export: Path, tmp_path: Path) -> None:
    assert isinstance(call("import", export, "--out", tmp_path / "x.jsonl", *words).exception, ConfigError)


def test_import_refuses_tasks_that_nobody_has_annotated(tmp_path: Path) -> None:
    write(make_corpus(4), tmp_path / "tasks.json", "label-studio")
    refused = call("import", tmp_path / "tasks.json", "--out", tmp_path / "x.jsonl")
    assert "nobody has annotated anything" in str(refused.exception)


@pytest.mark.parametrize(("tool", "files"), [("label-studio", 3), ("doccano", 1)])
def test_export_says_what_it_wrote(tool: str, files: int, tmp_path: Path) -> None:
    write(make_corpus(10), tmp_path / "corpus.jsonl", "jsonl")
    answer = call("export", tmp_path / "corpus.jsonl", "--format", tool, "--out", tmp_path / "out", "--json")
    record = json.loads(answer.stdout)
    assert len(record["files"]) == files
    assert (record["segments"], record["empty"]) == (10, 1)


def test_prelabel_warns_of_texts_that_the_shipped_model_cannot_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(model: str | None) -> None:
        raise ConfigError("the warning comes before the model is loaded")

    monkeypatch.setattr("aspectlab.runtime.load_predictor", stop)
    italian = Path(__file__).parent.parent.parent / "examples" / "sample_it.jsonl"
    answer = call("prelabel", italian, "--out", tmp_path / "out.jsonl")
    assert "are not English (mostly Italian)" in answer.stderr


def test_export_of_reviews_with_topics_counts_no_opinions(tmp_path: Path) -> None:
    (tmp_path / "reviews.csv").write_text("topic,text\nroom,The room was clean.\n", encoding="utf-8")
    sample = tmp_path / "sample.jsonl"
    call("sample", tmp_path / "reviews.csv", "--group-by", "topic", "--size", "1", "--out", sample)
    answer = call("export", sample, "--out", tmp_path / "project", "--json")
    counts = json.loads(answer.stdout)
    assert (counts["segments"], counts["opinions"], counts["empty"]) == (1, 0, 1)


def test_export_refuses_an_unknown_tool(tmp_path: Path) -> None:
    write(make_corpus(4), tmp_path / "corpus.jsonl", "jsonl")
    refused = call("export", tmp_path / "corpus.jsonl", "--format", "docano", "--out", tmp_path / "out")
    assert "did you mean 'doccano'?" in str(refused.exception)


def test_prelabel_refuses_a_folder_that_is_not_there_before_it_begins(tmp_path: Path) -> None:
    refused = call("prelabel", tmp_path / "absent.jsonl", "--out", tmp_path / "new" / "out.jsonl")
    assert "is not a folder" in str(refused.exception)


def test_prelabel_writes_opinions_with_confidence_and_counts_empty_segments(tmp_path: Path) -> None:
    pytest.importorskip("openvino", reason="the shipped model needs its engine")
    lines = [
        '{"id": "1", "text": "The soup was delicious, but the waiter was rude.", "quads": []}',
        '{"id": "2", "text": "We came by tram at seven.", "quads": []}',
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    answer = call("prelabel", tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl", "--json")
    record = json.loads(answer.stdout)
    assert (record["segments"], record["empty"], record["opinions"]) == (2, 1, 2)
    first, second = read(tmp_path / "out.jsonl")
    assert [quad.aspect and quad.aspect.text for quad in first.quads] == ["soup", "waiter"]
    assert all(quad.confidence for quad in first.quads)
    assert second.quads == ()


def write_segments(folder: Path) -> Path:
    path = folder / "corpus.jsonl"
    write(make_corpus(4), path, "jsonl")
    return path


def test_export_does_not_write_over_what_it_reads(tmp_path: Path) -> None:
    call("export", write_segments(tmp_path), "--out", tmp_path / "project")
    tasks = tmp_path / "project" / "tasks.json"
    before = tasks.read_bytes()
    assert isinstance(call("export", tasks, "--out", tmp_path / "project").exception, ConfigError)
    assert tasks.read_bytes() == before


def test_blank_sample_goes_to_label_studio_without_predictions(tmp_path: Path) -> None:
    blank = tmp_path / "blank.jsonl"
    call("sample", write_segments(tmp_path), "--size", "2", "--blank", "--out", blank)
    call("export", blank, "--out", tmp_path / "project")
    # "No opinion here" in every task would be what annotators begin with
    assert "predictions" not in (tmp_path / "project" / "tasks.json").read_text("utf-8")


@pytest.mark.parametrize(
    "words", [["import", "--annotator", "1"], ["export", "--format", "doccano"]], ids=lambda words: words[0]
)
def test_exchange_writes_no_jsonl_under_the_name_of_a_table(words: list[str], export: Path) -> None:
    answer = call(*words, export, "--out", export.with_suffix(".csv"))
    assert "JSONL is written here" in str(answer.exception)


def test_import_of_nothing_but_faults_writes_no_empty_file(tmp_path: Path) -> None:
    task = {"id": 1, "data": {"text": TEXT}, "annotations": [{"completed_by": 1, "result": UNKNOWN}]}
    (tmp_path / "export.json").write_text(json.dumps([task]), "utf-8")
    answer = call("import", tmp_path / "export.json", "--skip-bad", "--out", tmp_path / "back.jsonl")
    assert "1 finding(s), and no segment is left" in str(answer.exception)
    assert not (tmp_path / "back.jsonl").exists()
