"""What annotators hand in: every fault is named, counted, and left out on request only."""

import json
from pathlib import Path

import pytest

from aspectlab.annotation import Fault, count_faults, read_panel
from aspectlab.errors import AspectlabError, ConfigError, DataError, TaskError

SEAT = {"aspect": {"text": "seat", "start": 2, "end": 6}, "opinion": None, "polarity": "positive"}


def record(id: str, *quads: object, text: str = "A seat.") -> dict[str, object]:
    return {"id": id, "text": text, "quads": list(quads)}


GOOD = [record("1", SEAT), record("2", SEAT)]

FAULTY = {
    Fault.MISSING: [record("1", SEAT)],
    Fault.TWICE: [*GOOD, record("2")],
    Fault.TEXT: [record("1", SEAT), record("2", SEAT, text="A seat!")],
    Fault.LABEL: [record("1", SEAT), record("2", {**SEAT, "polarity": "meh"})],
    Fault.OFFSET: [record("1", SEAT), record("2", SEAT, text="The seat.")],
    Fault.RECORD: [record("1", SEAT), record("2", "seat")],
}


def write(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("fault", FAULTY)
def test_panel_refuses_a_fault_and_names_it(fault: Fault, tmp_path: Path) -> None:
    paths = [write(tmp_path / "anna.jsonl", GOOD), write(tmp_path / "ben.jsonl", FAULTY[fault])]
    with pytest.raises(DataError, match=rf"1 finding\(s\): 1 {fault.value}; first: .*segment '2'.*--exclude"):
        read_panel(paths)


@pytest.mark.parametrize("fault", FAULTY)
def test_panel_leaves_out_a_fault_on_request_and_counts_it(fault: Fault, tmp_path: Path) -> None:
    paths = [write(tmp_path / "anna.jsonl", GOOD), write(tmp_path / "ben.jsonl", FAULTY[fault])]
    panel = read_panel(paths, exclude=True)
    assert [[example.id for example in examples] for examples in panel.examples] == [["1"], ["1"]]
    assert count_faults(panel.findings) == {fault.value: 1}


def test_panel_names_a_line_that_is_no_json(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.jsonl", GOOD) for name in ("anna", "ben")]
    with paths[1].open("a", encoding="utf-8") as stream:
        stream.write("{\n")
    (finding,) = read_panel(paths, exclude=True).findings
    assert (finding.fault, finding.segment) == (Fault.RECORD, "line 3")
    assert finding.detail.startswith("ben.jsonl, line 3: ")


def test_panel_puts_segments_into_one_order(tmp_path: Path) -> None:
    paths = [write(tmp_path / "anna.jsonl", GOOD), write(tmp_path / "ben.jsonl", GOOD[::-1])]
    assert [[example.id for example in examples] for examples in read_panel(paths).examples] == [
        ["1", "2"]
    ] * 2


@pytest.mark.parametrize("names", [("anna.jsonl", "ben.csv"), ("ben.csv", "anna.jsonl")])
def test_panel_language_does_not_depend_on_the_order_of_files(names: tuple[str, ...], tmp_path: Path) -> None:
    described = {**GOOD[0], "corpus": {"name": "sedie", "language": "it", "annotates": ["aspect"]}}
    write(tmp_path / "anna.jsonl", [described])
    (tmp_path / "ben.csv").write_text("id,text,aspect\n1,A seat.,seat\n", encoding="utf-8")
    assert read_panel([tmp_path / name for name in names]).language == "it"


def test_panel_takes_a_sheet_without_texts(tmp_path: Path) -> None:
    bare = [record(id, {"aspect": {"text": "seat"}, "polarity": "positive"}, text="") for id in "12"]
    paths = [write(tmp_path / "anna.jsonl", GOOD), write(tmp_path / "ben.jsonl", bare)]
    assert read_panel(paths).segments == 2


def test_panel_takes_a_sheet_in_which_nothing_was_found(tmp_path: Path) -> None:
    empty = [record("1"), record("2")]
    paths = [write(tmp_path / "anna.jsonl", GOOD), write(tmp_path / "ben.jsonl", empty)]
    assert read_panel(paths).segments == 2


@pytest.mark.parametrize(
    ("others", "error"),
    [([], ConfigError), ([[record("9", SEAT)]], DataError)],
    ids=["one annotator", "nothing shared"],
)
def test_panel_refuses_what_cannot_be_compared(
    others: list[list[dict[str, object]]], error: type[AspectlabError], tmp_path: Path
) -> None:
    paths = [write(tmp_path / f"{number}.jsonl", records) for number, records in enumerate([GOOD, *others])]
    with pytest.raises(error):
        read_panel(paths, exclude=True)


def test_panel_refuses_files_without_terms(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.jsonl", [record("1")]) for name in ("anna", "ben")]
    with pytest.raises(TaskError, match="expected terms"):
        read_panel(paths)
