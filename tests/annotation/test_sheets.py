"""Tables and XML of annotators: no fault is mended or merged unseen, and one fault costs one segment."""

from pathlib import Path

import pytest

from aspectlab.annotation import Fault, count_faults, read_panel, read_sheet
from aspectlab.errors import DataError

HEADER = "id,text,aspect,start,end,opinion,polarity"
LAMP = "1,The lamp is bright.,lamp,4,8,bright,positive"
SWITCH = "2,The switch sticks.,switch,4,10,sticks,negative"
GOOD = [LAMP, SWITCH, "3,We left.,,,,,"]

# each file has one fault, in segment 1
FAULTY = {
    "another text": (Fault.TEXT, ["1,The lamp is bright!,lamp,4,8,bright,positive", *GOOD[1:]]),
    "two texts": (Fault.TEXT, [LAMP, "1,A lamp.,lamp,2,6,,positive", *GOOD[1:]]),
    "missing": (Fault.MISSING, GOOD[1:]),
    "rows come back": (Fault.TWICE, [*GOOD, "1,The lamp is bright.,lamp,4,8,bright,negative"]),
    "unknown label": (Fault.LABEL, ["1,The lamp is bright.,lamp,4,8,bright,good", *GOOD[1:]]),
    "offsets of another text": (Fault.OFFSET, ["1,Well the lamp is bright.,lamp,4,8,,positive", *GOOD[1:]]),
    "offsets outside": (Fault.OFFSET, ["1,The lamp is bright.,bulb,40,44,bright,positive", *GOOD[1:]]),
    "no offset": (Fault.RECORD, ["1,The lamp is bright.,lamp,four,8,bright,positive", *GOOD[1:]]),
}


def write(path: Path, lines: list[str], header: str = HEADER) -> Path:
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


def test_ids_that_end_like_a_number_are_kept_apart(tmp_path: Path) -> None:
    lines = ["v2.0,The lamp is bright.,lamp,4,8,bright,positive", "v2,A lamp.,lamp,2,6,,positive"]
    sheet = read_sheet(write(tmp_path / "anna.csv", lines))
    assert ([example.id for example in sheet.examples], sheet.broken) == (["v2.0", "v2"], ())


def panel_paths(folder: Path, lines: list[str]) -> list[Path]:
    return [write(folder / "anna.csv", GOOD), write(folder / "ben.csv", lines)]


@pytest.mark.parametrize("name", FAULTY)
def test_table_with_a_fault_is_refused_and_the_segment_named(name: str, tmp_path: Path) -> None:
    fault, lines = FAULTY[name]
    with pytest.raises(DataError, match=rf"1 finding\(s\): 1 {fault.value}; first: .*segment '1'.*--exclude"):
        read_panel(panel_paths(tmp_path, lines))


@pytest.mark.parametrize("name", FAULTY)
def test_table_loses_the_faulty_segment_on_request(name: str, tmp_path: Path) -> None:
    fault, lines = FAULTY[name]
    panel = read_panel(panel_paths(tmp_path, lines), exclude=True)
    assert [example.id for example in panel.examples[1]] == ["2", "3"]
    assert count_faults(panel.findings) == {fault.value: 1}


def test_table_counts_every_fault(tmp_path: Path) -> None:
    lines = [LAMP.replace("positive", "good"), SWITCH.replace("negative", "bad"), GOOD[2]]
    panel = read_panel(panel_paths(tmp_path, lines), exclude=True)
    assert count_faults(panel.findings) == {"unknown label": 2}


def test_table_says_in_which_lines_a_segment_stands_twice(tmp_path: Path) -> None:
    panel = read_panel(panel_paths(tmp_path, FAULTY["rows come back"][1]), exclude=True)
    assert panel.findings[0].detail == "ben.csv: its rows begin again in lines 2, 5"


def test_table_without_faults_keeps_all_rows_of_a_segment(tmp_path: Path) -> None:
    lines = [LAMP, "1,The lamp is bright.,lamp,4,8,is,neutral", *GOOD[1:]]
    sheet = read_sheet(write(tmp_path / "anna.csv", lines))
    assert [len(example.quads) for example in sheet.examples] == [2, 1, 0]
    assert sheet.broken == ()


def test_table_without_ids_is_numbered(tmp_path: Path) -> None:
    sheet = read_sheet(write(tmp_path / "anna.csv", ["Fine tea.,tea,positive"], "text,aspect,polarity"))
    assert [example.id for example in sheet.examples] == ["1"]


MUSE = "id,segment_id,label_topic,text,aspect,opinion,sentiment"
DOOR = "7,1,3,The door creaks.,door,creaks,neg"


@pytest.mark.parametrize(
    ("fault", "row"),
    [
        (Fault.TWICE, "7,1,3,The door creaks.,door,creaks,pos"),
        (Fault.LABEL, "7,3,3,The seat is soft.,seat,soft,good"),
        (Fault.RECORD, "7,3,99,The seat is soft.,seat,soft,pos"),
    ],
)
def test_muse_rows_name_their_faults(fault: Fault, row: str, tmp_path: Path) -> None:
    sheet = read_sheet(write(tmp_path / "anna.csv", [DOOR, "7,2,3,We drive.,-,-,-", row], MUSE))
    assert [finding.fault for finding in sheet.broken] == [fault]
    assert sheet.language == "en"


def test_muse_rows_with_two_texts_are_a_fault(tmp_path: Path) -> None:
    lines = [DOOR, "7,1,3,The doors creak.,doors,creak,neg"]
    (finding,) = read_sheet(write(tmp_path / "anna.csv", lines, MUSE)).broken
    assert (finding.fault, finding.segment) == (Fault.TEXT, "7-1")


def test_xml_offsets_that_were_mended_are_a_fault(tmp_path: Path) -> None:
    term = '<aspectTerm term="lamp" polarity="positive" from="9" to="13"/>'
    path = tmp_path / "anna.xml"
    path.write_text(
        '<sentences><sentence id="a 1"><text>The lamp is bright.</text>'
        f"<aspectTerms>{term}</aspectTerms></sentence></sentences>",
        encoding="utf-8",
    )
    (finding,) = read_sheet(path).broken
    assert (finding.fault, finding.segment) == (Fault.OFFSET, "a 1")
