"""What annotators hand in: one corpus each, and everything that is wrong counted and named."""

import json
from pathlib import Path

import pytest

from aspectlab.annotation import Fault, read_annotations
from aspectlab.data import Part
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers.annotations import State
from aspectlab.readers.labelstudio import write_result

TEXT = "The hinge is loose."
EMPTY = write_result([])
WRONG = [
    {
        "id": "a",
        "from_name": "term",
        "to_name": "text",
        "type": "labels",
        "value": {"start": 4, "end": 9, "text": "hinges", "labels": ["Aspect"]},
    }
]


def write_export(path: Path, answers: list[tuple[str, object, list[dict[str, object]]]]) -> Path:
    """Write tasks of one annotation each: segment, annotator, result."""
    tasks = [
        {
            "id": number,
            "data": {"text": TEXT, "segment": segment, "corpus": "hinges", "language": "en"},
            "annotations": [{"completed_by": person, "result": result}],
        }
        for number, (segment, person, result) in enumerate(answers, start=101)
    ]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def test_annotators_are_taken_apart(tmp_path: Path) -> None:
    handed = read_annotations(
        write_export(tmp_path / "e.json", [("1", 7, EMPTY), ("1", 8, EMPTY), ("2", 8, EMPTY)])
    )
    assert {name: [example.id for example in corpus] for name, corpus in handed.corpora.items()} == {
        "7": ["1"],
        "8": ["1", "2"],
    }
    assert handed.corpora["7"].name == "hinges-7"
    assert handed.corpora["7"].language == "en"
    assert handed.corpora["7"].annotates == {Part.ASPECT, Part.OPINION, Part.POLARITY}


def test_findings_are_refused_with_their_counts_and_the_first_named(tmp_path: Path) -> None:
    answers = [("1", 7, WRONG), ("2", 7, EMPTY), ("2", 7, EMPTY), ("3", 7, EMPTY)]
    path = write_export(tmp_path / "e.json", answers)
    expected = r"2 finding\(s\): 1 annotated twice by one person, 1 offsets do not fit.*task 101, annotator 7"
    with pytest.raises(DataError, match=expected):
        read_annotations(path)


def test_findings_are_left_out_on_request_and_never_merged(tmp_path: Path) -> None:
    answers = [("1", 7, WRONG), ("2", 7, EMPTY), ("2", 7, EMPTY), ("3", 7, EMPTY), ("1", 8, EMPTY)]
    handed = read_annotations(write_export(tmp_path / "e.json", answers), skip_bad=True)
    assert [(finding.fault, finding.segment) for finding in handed.findings] == [
        (Fault.OFFSET, "1"),
        (Fault.TWICE, "2"),
    ]
    assert [example.id for example in handed.corpora["7"]] == ["3"]
    # what one person did wrong is not held against the other
    assert [example.id for example in handed.corpora["8"]] == ["1"]


def test_findings_of_others_do_not_matter_to_a_chosen_annotator(tmp_path: Path) -> None:
    path = write_export(tmp_path / "e.json", [("1", 7, WRONG), ("1", 8, EMPTY)])
    assert list(read_annotations(path, annotator="8").corpora) == ["8"]
    with pytest.raises(ConfigError, match="annotator '9' has no annotation: There are: 7, 8"):
        read_annotations(path, annotator="9")


def test_segment_with_nothing_marked_is_told_from_one_marked_empty(tmp_path: Path) -> None:
    handed = read_annotations(write_export(tmp_path / "e.json", [("1", 7, EMPTY), ("2", 7, [])]))
    assert handed.unmarked == {"7": 1}
    assert len(handed.corpora["7"]) == 2


def test_skipped_and_open_tasks_are_counted(tmp_path: Path) -> None:
    path = write_export(tmp_path / "e.json", [("1", 7, EMPTY), ("2", 7, []), ("3", 7, [])])
    tasks = json.loads(path.read_text("utf-8"))
    tasks[1]["annotations"][0]["was_cancelled"] = True
    del tasks[2]["annotations"]
    path.write_text(json.dumps(tasks), "utf-8")
    assert read_annotations(path).left_out == {State.CANCELLED: 1, State.OPEN: 1}


@pytest.mark.parametrize(("annotator", "name"), [(None, "anna"), ("ben", "ben")])
def test_doccano_file_is_of_one_annotator(annotator: str | None, name: str, tmp_path: Path) -> None:
    path = tmp_path / "anna.jsonl"
    path.write_text('{"id": 1, "text": "Fine.", "entities": [], "relations": []}\n', "utf-8")
    assert list(read_annotations(path, annotator=annotator).corpora) == [name]


def test_file_of_no_tool_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('{"id": "1", "text": "Fine.", "quads": []}\n', "utf-8")
    with pytest.raises(ConfigError, match="format 'jsonl' is of no annotation tool"):
        read_annotations(path)
