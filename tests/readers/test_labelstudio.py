"""Label Studio JSON: tasks there and back, several annotators, and what is wrong with a task."""

import json
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import Source, read, write
from aspectlab.readers.annotations import State
from aspectlab.readers.labelstudio import read_answers
from aspectlab.readers.marks import order
from tests.support.formats import LABEL_STUDIO
from tests.support.segments import make_corpus

TEXT = "The hinge is loose."


def comparable(corpus: Corpus) -> list[tuple[object, ...]]:
    return [(e.id, e.text, e.source, e.variant, sorted(map(repr, e.quads))) for e in corpus]


def write_tasks(tmp_path: Path, *annotations: dict[str, object], text: str = TEXT) -> Path:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{"id": 4, "data": {"text": text}, "annotations": annotations}]), "utf-8")
    return path


def region(id: str, label: str, start: int, end: int) -> dict[str, object]:
    value = {"start": start, "end": end, "text": TEXT[start:end], "labels": [label]}
    return {"id": id, "from_name": "term", "to_name": "text", "type": "labels", "value": value}


def choice(id: str, control: str, *values: str) -> dict[str, object]:
    return {
        "id": id,
        "from_name": control,
        "to_name": "text",
        "type": "choices",
        "value": {"choices": values},
    }


HINGE, LOOSE = region("a", "Aspect", 4, 9), region("b", "Opinion", 13, 18)
EMPTY = choice("e", "empty", "No opinion here")


def relation(first: str, second: str, *labels: str) -> dict[str, object]:
    return {"from_id": first, "to_id": second, "type": "relation", "direction": "right", "labels": labels}


@pytest.mark.parametrize("categories", [True, False])
@pytest.mark.parametrize("name", ["label-studio", "doccano"])
def test_every_kind_of_annotation_comes_back(name: str, categories: bool, tmp_path: Path) -> None:
    corpus = make_corpus(100, 3, categories=categories)
    write(corpus, tmp_path / "file", name)
    found = read(tmp_path / "file")
    assert found.provenance.format == name
    assert comparable(found) == comparable(corpus)
    assert (found.name, found.language, found.annotates) == (corpus.name, corpus.language, corpus.annotates)


@pytest.mark.parametrize("name", ["label-studio", "doccano"])
def test_text_without_a_topic_leaves_the_others_theirs(name: str, tmp_path: Path) -> None:
    # as a sample with a stratum of its own for texts without a topic has it, after prelabelling
    loose = Quad(None, None, Term("loose", Span(13, 18)), Polarity.NEGATIVE)
    examples = Example("1", TEXT, (loose,)), Example("2", "Yes.", (Quad(category="cost"),))
    corpus = Corpus("cars", "en", frozenset(Part), examples)
    write(corpus, tmp_path / "file", name)
    assert '"topic": "cost"' in (tmp_path / "file").read_text("utf-8")
    assert "- | - | - | cost" not in (tmp_path / "file").read_text("utf-8")
    assert read(tmp_path / "file") == corpus


@pytest.mark.parametrize("name", ["label-studio", "doccano"])
def test_topic_comes_back_also_of_a_segment_without_opinions(name: str, tmp_path: Path) -> None:
    seat = Quad(Term("seat", Span(0, 4)), "comfort", None, Polarity.POSITIVE)
    examples = (
        Example("1", "seat!", (seat,)),
        Example("2", "Yes.", (Quad(category="cost"),)),
        Example("3", "?"),
    )
    corpus = Corpus("cars", "en", frozenset(Part), examples)
    write(corpus, tmp_path / "file", name)
    assert read(tmp_path / "file") == corpus


def test_row_of_a_segment_without_opinions_is_shown_as_none_and_comes_back(tmp_path: Path) -> None:
    seat = Quad(Term("seat", Span(0, 4)), None, None, Polarity.POSITIVE)
    examples = Example("1", "seat!", (seat,)), Example("2", "Yes.", (Quad(),)), Example("3", "?")
    corpus = Corpus("cars", "en", frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY}), examples)
    write(corpus, tmp_path / "file", "label-studio")
    tasks = json.loads((tmp_path / "file").read_text("utf-8"))
    assert [task["predictions"][0]["result"][0]["from_name"] for task in tasks] == ["term", "empty", "empty"]
    assert read(tmp_path / "file") == corpus


@pytest.mark.slow
@pytest.mark.parametrize("name", ["label-studio", "doccano"])
@pytest.mark.parametrize("file", ["annotations/train.csv", "with_transcripts/devel.csv"])
def test_published_corpus_comes_back(name: str, file: str, real_data: Path, tmp_path: Path) -> None:
    corpus = read(real_data / "muse_caraste" / file)
    write(corpus, tmp_path / "file", name)
    assert comparable(read(tmp_path / "file")) == comparable(corpus)


def test_texts_without_labels_go_without_predictions(tmp_path: Path) -> None:
    blank = Corpus(
        "cars", "en", frozenset({Part.CATEGORY}), (Example("1", "Yes.", (Quad(category="cost"),)),)
    )
    write(blank, tmp_path / "file", "label-studio")
    (task,) = json.loads((tmp_path / "file").read_text("utf-8"))
    assert task == {
        "data": {
            "text": "Yes.",
            "segment": "1",
            "corpus": "cars",
            "language": "en",
            "annotates": "category",
            "topic": "cost",
        }
    }
    assert read(tmp_path / "file").examples == blank.examples


def test_prediction_has_the_score_of_the_opinion_that_is_least_sure(tmp_path: Path) -> None:
    quads = [
        Quad(None, None, Term(word, Span(start, start + 4)), Polarity.POSITIVE, {"positive": score})
        for word, start, score in (("Good", 0, 0.9), ("fine", 6, 0.75))
    ]
    corpus = Corpus(
        "c", "en", frozenset({Part.OPINION, Part.POLARITY}), (Example("1", "Good, fine", tuple(quads)),)
    )
    write(corpus, tmp_path / "file", "label-studio")
    (task,) = json.loads((tmp_path / "file").read_text("utf-8"))
    assert task["predictions"][0]["score"] == 0.75
    assert [quad.confidence for quad in read(tmp_path / "file").examples[0].quads] == [
        {"positive": 0.9},
        {"positive": 0.75},
    ]


def test_relation_drawn_backwards_is_the_same_opinion(tmp_path: Path) -> None:
    path = write_tasks(
        tmp_path, {"completed_by": 1, "result": [HINGE, LOOSE, relation("b", "a", "negative")]}
    )
    assert read(path).examples[0].quads == (
        Quad(Term("hinge", Span(4, 9)), None, Term("loose", Span(13, 18)), Polarity.NEGATIVE),
    )


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        ([region("a", "Aspct", 4, 9)], "unknown label"),
        ([HINGE, LOOSE, relation("a", "b", "bad")], "unknown label"),
        ([HINGE, choice("a", "polarity", "good")], "unknown label"),
        ([choice("a", "polarity", "positive")], "unknown label"),
        ([choice("a", "mood", "positive")], "unknown label"),
        ([choice("e", "empty", "Nothing")], "unknown label"),
        ([HINGE, LOOSE, relation("a", "c", "negative")], "broken relation"),
        ([HINGE, relation("a", "a", "negative")], "broken relation"),
        ([HINGE, LOOSE, relation("a", "b", "negative", "positive")], "contradicting labels"),
        ([HINGE, EMPTY], "contradicting labels"),
        ([HINGE, HINGE], "contradicting labels"),
        ([HINGE, choice("a", "category", "cost", "style")], "contradicting labels"),
        ([region("a", "Aspect", 4, 9) | {"value": {"start": 4, "end": 90, "labels": ["Aspect"]}}], "offsets"),
        (["Aspect"], "broken record"),
        ([HINGE | {"value": None}], "broken record"),
        (None, "broken record"),
    ],
)
def test_wrong_annotation_is_named_with_its_task(result: object, fault: str, tmp_path: Path) -> None:
    path = write_tasks(tmp_path, {"completed_by": 1, "result": result})
    with pytest.raises(DataError, match=r"export.json: task 4: "):
        read(path)
    (answer,) = read_answers(Source(path))
    assert str(getattr(answer.outcome, "fault", "")).startswith(fault)


def test_edited_text_is_named(tmp_path: Path) -> None:
    path = write_tasks(tmp_path, {"completed_by": 1, "result": [HINGE]}, text="The old hinge is loose.")
    with pytest.raises(
        DataError, match=r"task 4: found 'old h' at 4:9: expected 'hinge'; was the text edited"
    ):
        read(path)


def test_marks_of_one_annotation_are_counted_one_way(tmp_path: Path) -> None:
    # older versions count UTF-16 units; "seat" stands where unit 11 and where character 11 is
    text = "🚗🚗🚗🚗🚗 seat seat is soft"
    marks = [("a", "Aspect", 11, 15, "seat"), ("b", "Opinion", 24, 28, "soft")]
    result = [
        region(id, label, 0, 0) | {"value": {"start": start, "end": end, "text": said, "labels": [label]}}
        for id, label, start, end, said in marks
    ]
    path = write_tasks(tmp_path, {"completed_by": 1, "result": result}, text=text)
    assert [term.span for quad in read(path).examples[0].quads for term in quad.terms] == [
        Span(6, 10),
        Span(19, 23),
    ]


@pytest.mark.parametrize("parts", [{"aspect", "polarity"}, {"category", "polarity"}, set(Part)], ids=sorted)
@pytest.mark.parametrize("name", ["label-studio", "doccano"])
def test_corpus_that_labels_some_parts_claims_no_more_when_it_comes_back(
    name: str, parts: set[str], tmp_path: Path
) -> None:
    quad = Quad(
        Term("hinge", Span(4, 9)) if "aspect" in parts else None,
        "build" if "category" in parts else None,
        None,
        Polarity.NEGATIVE,
    )
    labelled = frozenset(map(Part, parts))
    write(Corpus("c", "en", labelled, (Example("1", TEXT, (quad,)),)), tmp_path / "file", name)
    assert read(tmp_path / "file").annotates == labelled


def test_sheet_to_be_filled_in_goes_without_predictions_whatever_it_claims_to_annotate(
    tmp_path: Path,
) -> None:
    # a sample without its labels still says what its corpus annotates
    sheet = Corpus("cars", "en", frozenset(Part), (Example("1", "Yes.", (Quad(category="cost"),)),))
    write(sheet, tmp_path / "file", "label-studio")
    assert "predictions" not in json.loads((tmp_path / "file").read_text("utf-8"))[0]


def test_two_annotators_are_refused_unless_one_is_chosen(tmp_path: Path) -> None:
    one = {"completed_by": {"id": 7, "email": "anna@example.org"}, "result": [HINGE]}
    path = write_tasks(tmp_path, one, {"completed_by": 8, "result": [EMPTY]})
    with pytest.raises(
        DataError, match=r"annotators 'anna@example.org', '8': expected one; .*--split-by-annotator"
    ):
        read(path)
    assert len(read(path, annotator="anna@example.org").examples[0].quads) == 1
    assert read(path, annotator="8").examples[0].quads == ()
    with pytest.raises(DataError, match="no annotator '9': expected one of"):
        read(path, annotator="9")


def test_states_of_tasks_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    skipped = {"completed_by": 1, "was_cancelled": True, "result": []}
    tasks = [
        {"id": 1, "annotations": [{"completed_by": 1, "result": [EMPTY]}]},
        {"id": 2, "annotations": [skipped]},
        {"id": 3, "predictions": [{"result": [EMPTY]}]},
        {"id": 4, "annotations": []},
    ]
    path.write_text(json.dumps([task | {"data": {"text": TEXT}} for task in tasks]), "utf-8")
    assert [answer.state for answer in read_answers(Source(path))] == list(State)
    corpus = read(path)
    assert [example.id for example in corpus] == ["1"]
    assert len(corpus.provenance.notes) == 3


def test_skipped_task_is_noted_where_nobody_has_annotated_anything(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    tasks = [
        {"id": 1, "annotations": [{"completed_by": 1, "was_cancelled": True, "result": []}]},
        {"id": 2, "predictions": [{"result": [EMPTY]}]},
    ]
    path.write_text(json.dumps([task | {"data": {"text": TEXT}} for task in tasks]), "utf-8")
    corpus = read(path)
    assert [example.id for example in corpus] == ["2"]
    assert corpus.provenance.notes == ("task 1: skipped by the annotator: left out",)


def test_opinions_come_in_the_order_of_the_text() -> None:
    quads = [Quad(Term(word, Span(start, start + 1))) for word, start in (("b", 5), ("a", 0))]
    assert order([Quad(Term("c")), *quads]) == (quads[1], quads[0], Quad(Term("c")))


def test_imitation_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(LABEL_STUDIO, "utf-8")
    (example,) = read(tmp_path / "file")
    assert example.id == "s-4"
    assert example.quads[0].polarity is Polarity.NEGATIVE


@pytest.mark.parametrize("label", [["Aspect"], {"name": "Aspect"}, [], None, 3])
def test_label_that_is_no_text_is_named(tmp_path: Path, label: object) -> None:
    nested = {**HINGE, "value": {"start": 4, "end": 9, "text": "hinge", "labels": [label]}}
    with pytest.raises(DataError, match=r"region 'a': found the label .*: expected Aspect or Opinion"):
        read(write_tasks(tmp_path, {"completed_by": "ann", "result": [nested]}))
