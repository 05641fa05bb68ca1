"""doccano JSONL: what annotators can say with labels, relations and comments, and what is wrong."""

import json
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import Source, read, write
from aspectlab.readers.doccano import read_answers

TEXT = "The hinge is loose."
HINGE = {"id": 1, "label": "Aspect", "start_offset": 4, "end_offset": 9}
LOOSE = {"id": 2, "label": "Opinion", "start_offset": 13, "end_offset": 18}


def write_line(tmp_path: Path, **fields: object) -> Path:
    path = tmp_path / "anna.jsonl"
    path.write_text(
        json.dumps({"id": 31, "text": TEXT, "entities": [], "relations": [], **fields}) + "\n", "utf-8"
    )
    return path


def test_label_says_polarity_and_category_of_a_term_alone(tmp_path: Path) -> None:
    entity = LOOSE | {"label": "Opinion negative #build #quality"}
    (example,) = read(write_line(tmp_path, entities=[entity]))
    assert example == Example(
        "31", TEXT, (Quad(None, "build #quality", Term("loose", Span(13, 18)), Polarity.NEGATIVE),)
    )


@pytest.mark.parametrize(
    "comment", ["sturdiness | loose | negative", {"comment": "sturdiness|loose|negative"}]
)
def test_comment_with_bars_is_an_opinion(comment: object, tmp_path: Path) -> None:
    (example,) = read(write_line(tmp_path, Comments=[comment, "not sure about this one"]))
    assert example.quads == (Quad(Term("sturdiness"), None, Term("loose"), Polarity.NEGATIVE),)


def test_project_without_relations_is_read_by_name(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(json.dumps({"id": 1, "text": TEXT, "label": [[4, 9, "Aspect"]]}), "utf-8")
    assert read(path, "doccano").examples[0].quads == (Quad(Term("hinge", Span(4, 9))),)


def test_opinion_that_labels_cannot_say_goes_as_a_row(tmp_path: Path) -> None:
    loose = Term("loose", Span(13, 18))
    quads = (
        Quad(Term("sturdiness"), None, loose, Polarity.NEGATIVE),
        Quad(None, None, loose, Polarity.NEGATIVE),
    )
    write(Corpus("c", "en", frozenset(Part), (Example("1", TEXT, quads),)), tmp_path / "file", "doccano")
    record = json.loads((tmp_path / "file").read_text("utf-8"))
    assert record["entities"] == [
        {"id": 1, "label": "Opinion negative", "start_offset": 13, "end_offset": 18}
    ]
    assert record["implicit"] == ["sturdiness | loose @13:18 | negative"]


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"entities": [HINGE | {"label": "Target"}]}, "unknown label"),
        ({"entities": [HINGE | {"label": "Aspect good"}]}, "unknown label"),
        ({"entities": [HINGE | {"end_offset": 99}]}, "offsets"),
        ({"entities": [HINGE, HINGE]}, "contradicting"),
        (
            {"entities": [HINGE], "relations": [{"from_id": 1, "to_id": 2, "type": "negative"}]},
            "broken relation",
        ),
        (
            {"entities": [HINGE, LOOSE], "relations": [{"from_id": 1, "to_id": 2, "type": "bad"}]},
            "unknown label",
        ),
        ({"implicit": ["soft @1:3 | - | -"]}, "offsets"),
        ({"relations": {}}, "broken record"),
        ({"entities": ["Aspect"]}, "broken record"),
        ({"label": [[1, 2]]}, "broken record"),
        ({"text": None}, "broken record"),
        ({"entities": [HINGE], "digest": "0123456789abcdef"}, "offsets"),
    ],
)
def test_wrong_line_is_named(fields: dict[str, object], fault: str, tmp_path: Path) -> None:
    path = write_line(tmp_path, **fields)
    with pytest.raises(DataError, match=r"anna.jsonl: line 1: "):
        read(path)
    (answer,) = read_answers(Source(path))
    assert str(getattr(answer.outcome, "fault", "")).startswith(fault)


def test_file_of_another_kind_does_not_lose_its_labels(tmp_path: Path) -> None:
    quads = (Quad(Term("hinge", Span(4, 9)), None, None, Polarity.NEGATIVE),)
    write(Corpus("c", "en", frozenset(Part), (Example("1", TEXT, quads),)), tmp_path / "file", "jsonl")
    with pytest.raises(DataError, match=r"line 1: found the keys id, text, quads.*: expected entities"):
        read(tmp_path / "file", "doccano")


def test_line_that_cannot_be_read_has_no_id_of_another(tmp_path: Path) -> None:
    path = write_line(tmp_path, id=2)
    path.write_text(path.read_text("utf-8") + "{\n", "utf-8")
    assert [answer.segment for answer in read_answers(Source(path))] == ["2", "line 2"]


def test_line_that_is_no_json_is_kept_apart(tmp_path: Path) -> None:
    path = write_line(tmp_path)
    path.write_text(path.read_text("utf-8") + "{\n[]\n", "utf-8")
    assert [type(answer.outcome).__name__ for answer in read_answers(Source(path))] == [
        "Example",
        *["FaultError"] * 2,
    ]
