"""What goes to a real Label Studio comes back equal; opt-in: it starts one, which takes a minute."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aspectlab.annotation import write_label_studio
from aspectlab.cli.main import app
from aspectlab.data import Corpus, Example
from aspectlab.readers import read
from aspectlab.readers.labelstudio import write_result
from aspectlab.readers.marks import order
from tests.support.label_studio import Server, start
from tests.support.segments import change, make_corpus

VARIABLE = "ASPECTLAB_LABEL_STUDIO"
SEGMENTS = 200
SKIPPED = {"made-3", "made-77"}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    program = os.environ.get(VARIABLE)
    if not program:
        pytest.skip(f"no Label Studio: pip install it anywhere, and set {VARIABLE} to its program")
    with start(program, tmp_path_factory.mktemp("label-studio")) as running:
        yield running


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_corpus(SEGMENTS, 9)


@pytest.fixture(scope="module")
def second(corpus: Corpus) -> Corpus:
    rng = random.Random(5)
    return corpus.with_examples(change(example, rng) for example in corpus)


@pytest.fixture(scope="module")
def export(server: Server, corpus: Corpus, second: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a project as the pages of Label Studio do, let two people annotate it, and export it."""
    folder = tmp_path_factory.mktemp("project")
    config, tasks, instructions = write_label_studio(corpus, folder)
    project = server.call(
        "POST",
        "/api/projects/",
        {
            "title": "made up",
            "label_config": config.read_text("utf-8"),
            "expert_instruction": instructions.read_text("utf-8"),
        },
    )
    address = f"/api/projects/{project['id']}"
    shown = json.loads(tasks.read_text("utf-8"))
    ids = server.call("POST", f"{address}/import?return_task_ids=true", shown)["task_ids"]
    ben = server.sign_up("ben@example.org")
    for id, one, other in zip(ids, corpus, second, strict=True):
        server.call("POST", f"/api/tasks/{id}/annotations/", {"result": write_result(one.quads)})
        answer = {"result": write_result(other.quads), "was_cancelled": other.id in SKIPPED}
        server.call("POST", f"/api/tasks/{id}/annotations/", answer, ben)
    found = server.call("GET", f"{address}/export?exportType=JSON&download_all_tasks=true")
    path = folder / "export.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


def in_order(examples: tuple[Example, ...]) -> list[Example]:
    """Return the opinions in the order in which they come back."""
    return [Example(e.id, e.text, order(e.quads), e.source, e.variant) for e in examples]


def equal(found: Corpus, expected: list[Example]) -> bool:
    """Compare segment by segment; equal opinions of one place may have changed places."""
    return [_key(example) for example in found] == [_key(example) for example in expected]


def _key(example: Example) -> tuple[object, ...]:
    return example.id, example.text, example.source, example.variant, sorted(map(repr, example.quads))


def test_project_shows_the_predictions_and_the_instructions(server: Server, export: Path) -> None:
    tasks = json.loads(export.read_text("utf-8"))
    assert len(tasks) == SEGMENTS
    project = server.call("GET", f"/api/projects/{tasks[0]['project']}")
    assert project["expert_instruction"].startswith("<h1>Annotation guidelines</h1>")
    assert project["total_predictions_number"] == SEGMENTS


def test_segments_of_two_annotators_come_back_equal(
    export: Path, corpus: Corpus, second: Corpus, tmp_path: Path
) -> None:
    command = ["annotate", "import", str(export), "--out", str(tmp_path / "back.jsonl"), "--json"]
    answer = CliRunner().invoke(app, [*command, "--split-by-annotator"])
    assert answer.exit_code == 0, answer.output
    record = json.loads(answer.stdout)
    assert record["excluded"]["counts"] == {}
    assert record["left_out"] == {"skipped by the annotator": len(SKIPPED)}
    assert list(record["annotators"]) == ["1", "2"]
    assert equal(read(tmp_path / "back-1.jsonl"), in_order(corpus.examples))
    kept = tuple(example for example in second if example.id not in SKIPPED)
    assert equal(read(tmp_path / "back-2.jsonl"), in_order(kept))
    files = [str(tmp_path / f"back-{name}.jsonl") for name in "12"]
    options = ["--similarity", "letters", "--resamples", "0", "--exclude", "--json"]
    agreement = json.loads(CliRunner().invoke(app, ["annotate", "agreement", *files, *options]).stdout)
    assert agreement["segments"] == SEGMENTS - len(SKIPPED)
    assert 0.5 < agreement["thresholds"]["0.6"]["tpa"] < 1
