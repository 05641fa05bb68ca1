"""Label Studio JSON: a list of tasks, with the annotations of each person or the predictions of a model."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from aspectlab.data import Corpus, Example, Part, Quad, annotated_parts
from aspectlab.readers import Format, Head, Loss, Source, parse_json
from aspectlab.readers.annotations import (
    TEXT,
    Answer,
    Fault,
    FaultError,
    State,
    choose_answers,
    describe,
    find_segment,
    find_text,
    find_topics,
    make_example,
    pack,
    read_examples,
)
from aspectlab.readers.marks import (
    Marking,
    MarkLink,
    TextMark,
    counts_units,
    draw,
    find_polarity,
    from_cells,
    gather,
    locate_mark,
    pair,
    read_category,
    to_cells,
)
from aspectlab.untrusted import as_number

MODEL = "aspectlab"
"""The model version that predictions carry."""

_DIGITS = 4

Record = Mapping[str, object]


def sniff(head: Head) -> bool:
    """Recognise a list of objects with the key data or, since that may come late, annotations."""
    text = head.text
    return bool(re.match(r"\s*\[\s*\{", text)) and ('"data"' in text or '"annotations"' in text)


def read(source: Source, *, annotator: str | None = None) -> Iterator[Example]:
    """Return one example per task: of one annotator or, where nobody has annotated, of the predictions."""
    yield from read_examples(source, choose_answers(source, read_answers(source), annotator))


def read_answers(source: Source) -> Iterator[Answer]:
    """Return what each annotator made of each task, in the order of the file; what is wrong is kept apart."""
    tasks = _read_tasks(source)
    source.description = describe(_object(tasks[0], "data")) if tasks else None
    for number, task in enumerate(tasks, start=1):
        yield from _answer(task, number)


def write(corpus: Corpus, path: Path) -> None:
    """Write tasks to import into Label Studio, with the quads as predictions if there are opinions at all."""
    is_topic = bool(find_topics(corpus))
    # what the corpus says that it annotates does not count: a sheet to be filled in has no opinions yet, and
    # must not go out with "no opinion here" in every task
    is_labelled = bool(annotated_parts(corpus) - ({Part.CATEGORY} if is_topic else set()))
    # ASCII: a lone surrogate in a text survives too
    with path.open("w", encoding="ascii", newline="\n") as stream:
        stream.write("[")
        for index, (record, quads) in enumerate(pack(corpus)):
            task: dict[str, object] = {"data": record}
            if is_labelled:
                task["predictions"] = [_predict(quads)]
            stream.write((",\n" if index else "\n") + json.dumps(task))
        stream.write("\n]\n")


def _predict(quads: Sequence[Quad]) -> dict[str, object]:
    """Return a prediction; its score is the confidence of the opinion that is least sure."""
    scores = [quad.confidence.get(quad.polarity, 0.0) for quad in quads if quad.confidence and quad.polarity]
    prediction: dict[str, object] = {"model_version": MODEL, "result": write_result(quads)}
    return {**prediction, "score": round(min(scores), _DIGITS)} if scores else prediction


def _read_tasks(source: Source) -> list[Record]:
    tasks = parse_json(source, "whole file", source.text())
    if not isinstance(tasks, list):
        raise source.error("whole file", f"{tasks!r:.60}", "a list of tasks", "export them as JSON")
    for number, task in enumerate(tasks, start=1):
        if not isinstance(task, dict):
            raise source.error(f"task number {number}", f"{task!r:.60}", "an object", "export them as JSON")
    return cast(list[Record], tasks)


def _answer(task: Record, number: int) -> Iterator[Answer]:
    id = task.get("id", number)
    where, record = f"task {id!r:.40}", _object(task, "data")
    segment = find_segment(record, id)
    given = _objects(task, "annotations")
    for annotation in given:
        state = State.CANCELLED if annotation.get("was_cancelled") else State.ANNOTATED
        yield _read_answer(where, segment, state, record, annotation)
    if not given:
        # of several models the first is taken
        predictions = _objects(task, "predictions") or [{"result": []}]
        state = State.PREDICTED if task.get("predictions") else State.OPEN
        yield _read_answer(where, segment, state, record, predictions[0])


def _read_answer(where: str, segment: str, state: State, record: Record, annotation: Record) -> Answer:
    annotator = _find_annotator(annotation) if state in (State.ANNOTATED, State.CANCELLED) else ""
    is_empty = False
    outcome: Example | FaultError
    try:
        quads, is_empty = read_result(annotation.get("result"), find_text(record))
        outcome = make_example(segment, quads, record)
    except FaultError as error:
        outcome = error
    return Answer(where, segment, annotator, state, outcome, is_empty)


def _find_annotator(annotation: Record) -> str:
    """Return the address of who annotated or, as plain exports have it, the number."""
    person = annotation.get("completed_by")
    if isinstance(person, dict):
        person = person.get("email") or person.get("id")
    return "unknown" if person is None else str(person)


def _object(task: Record, key: str) -> Record:
    value = task.get(key)
    return value if isinstance(value, dict) else {}


def _objects(task: Record, key: str) -> list[Record]:
    value = task.get(key)
    # what is no object has no result, which is then said
    return [item if isinstance(item, dict) else {} for item in value] if isinstance(value, list) else []


FORMAT = Format(
    "Label Studio JSON: tasks with annotations or predictions",
    sniff,
    read,
    write,
    language="und",
    # the score of the polarity that was chosen is kept
    loses=frozenset({Loss.INTENSITIES}),
)


TERM, POLARITY, CATEGORY, IMPLIED = "term", "polarity", "category", "implied"
"""The controls of the project configuration that say something of a region."""

UNPLACED, EMPTY = "unplaced", "empty"
"""The controls that say something of the whole text."""

NO_OPINION = "No opinion here"
LABELS = {Part.ASPECT: "Aspect", Part.OPINION: "Opinion"}

_PARTS = {label: part for part, label in LABELS.items()}
_RELATION = "relation"

Item = Mapping[str, object]


def write_result(quads: Sequence[Quad]) -> list[dict[str, object]]:
    """Return the items that show opinions; a text without any is marked as such.

    >>> [item["value"] for item in write_result([])]
    [{'choices': ['No opinion here']}]
    """
    if not quads:
        return [_item("e", EMPTY, "choices", {"choices": [NO_OPINION]})]
    marking = draw(quads)
    items = [item for mark in marking.marks for item in _write_mark(mark)]
    items += [_write_link(link) for link in marking.links]
    rows = [to_cells(quad) for quad in marking.unplaced]
    return [*items, _item("u", UNPLACED, "textarea", {"text": rows})] if rows else items


def _write_mark(mark: TextMark) -> Iterator[dict[str, object]]:
    start, end = mark.term.span or (0, 0)
    offsets = {"start": start, "end": end}
    shown: list[tuple[str, str, dict[str, object]]] = [
        (TERM, "labels", {"text": mark.term.text, "labels": [LABELS[mark.part]]})
    ]
    choices = ((POLARITY, mark.polarity), (CATEGORY, mark.category))
    shown += [
        (name, "choices", {"text": mark.term.text, "choices": [value]})
        for name, value in choices
        if value is not None
    ]
    if mark.implied:
        shown.append((IMPLIED, "textarea", {"text": list(mark.implied)}))
    for name, kind, value in shown:
        item = _item(mark.key, name, kind, {**offsets, **value})
        yield item if mark.score is None else {**item, "score": mark.score}


def _write_link(link: MarkLink) -> dict[str, object]:
    labels = [] if link.polarity is None else [link.polarity.value]
    item: dict[str, object] = {
        "type": _RELATION,
        "from_id": link.aspect,
        "to_id": link.opinion,
        "direction": "right",
        "labels": labels,
    }
    return item if link.score is None else {**item, "score": link.score}


def _item(key: str, control: str, kind: str, value: dict[str, object]) -> dict[str, object]:
    return {"id": key, "from_name": control, "to_name": TEXT, "type": kind, "value": value}


def read_result(result: object, text: str) -> tuple[tuple[Quad, ...], bool]:
    """Return the opinions of a result, and whether it says that there is none.

    >>> read_result(write_result([]), "We drive on.")
    ((), True)
    """
    items = [_check_item(item) for item in _list(result, "result")]
    marks = {mark.key: mark for mark in _read_marks(items, text)}
    links = [_read_link(item, marks) for item in items if item.get("type") == _RELATION]
    whole = [item for item in items if item.get("from_name") in (UNPLACED, EMPTY)]
    rows = [row for item in whole if item["from_name"] == UNPLACED for row in _said(item, "text")]
    chosen = [choice for item in whole if item["from_name"] == EMPTY for choice in _said(item, "choices")]
    if set(map(str, chosen)) - {NO_OPINION}:
        raise FaultError(Fault.LABEL, f"found the choice {chosen[0]!r:.60}: expected {NO_OPINION!r}")
    quads = gather(Marking(tuple(marks.values()), tuple(links), tuple(from_cells(row) for row in rows)))
    if chosen and quads:
        raise FaultError(
            Fault.CLASH, f"found {NO_OPINION!r} and {len(quads)} opinion(s): expected one of both"
        )
    return quads, bool(chosen)


def _check_item(item: object) -> Item:
    if not isinstance(item, dict):
        raise FaultError(Fault.RECORD, f"result: found {item!r:.60}: expected an object")
    if item.get("type") == _RELATION:
        return item
    if item.get("from_name") not in (TERM, POLARITY, CATEGORY, IMPLIED, UNPLACED, EMPTY):
        found = f"found the control {item.get('from_name')!r:.60}"
        expected = "expected those of the configuration that `aspectlab annotate export` writes"
        raise FaultError(Fault.LABEL, f"{found}: {expected}")
    return item


def _read_marks(items: Sequence[Item], text: str) -> Iterator[TextMark]:
    regions: dict[str, dict[str, Item]] = {}
    for item in items:
        name = item.get("from_name")
        if name in (TERM, POLARITY, CATEGORY, IMPLIED):
            controls = regions.setdefault(str(item.get("id")), {})
            if name in controls:
                found = f"region {item.get('id')!r:.40}: found the control {name!r} twice"
                raise FaultError(Fault.CLASH, f"{found}: expected it once")
            controls[str(name)] = item
    terms = [_value(controls[TERM]) for controls in regions.values() if TERM in controls]
    # a term that is named twice may be where units and where characters lead: one tool counts one way
    units = counts_units(text, [(term.get("start"), term.get("end"), term.get("text")) for term in terms])
    for key, controls in regions.items():
        yield _read_mark(key, controls, text, units=units)


def _read_mark(key: str, controls: Mapping[str, Item], text: str, *, units: bool) -> TextMark:
    where = f"region {key!r:.40}"
    item = controls.get(TERM)
    if item is None:
        expected = f"expected {' or '.join(_PARTS)}"
        raise FaultError(Fault.LABEL, f"{where}: found no label of the term: {expected}")
    value = _value(item)
    term = locate_mark(text, value.get("start"), value.get("end"), value.get("text"), units=units)
    categories = [read_category(value, where) for value in _of(controls, CATEGORY, "choices")]
    if len(categories) > 1:
        raise FaultError(Fault.CLASH, f"{where}: found {len(categories)} categories: expected one")
    return TextMark(
        key,
        _find_part(_said(item, "labels"), where),
        term,
        find_polarity(_of(controls, POLARITY, "choices"), where),
        categories[0] if categories else None,
        tuple(_read_implied(name, where) for name in _of(controls, IMPLIED, "text")),
        _read_score(item),
    )


def _find_part(labels: Sequence[object], where: str) -> Part:
    for label in labels:
        if not isinstance(label, str) or label not in _PARTS:
            expected = f"expected {' or '.join(_PARTS)}"
            raise FaultError(Fault.LABEL, f"{where}: found the label {label!r:.60}: {expected}")
    if len(labels) != 1:
        raise FaultError(Fault.CLASH, f"{where}: found {len(labels)} labels: expected one")
    return _PARTS[str(labels[0])]


def _read_implied(name: object, where: str) -> str:
    if not isinstance(name, str):
        raise FaultError(Fault.RECORD, f"{where}: found the implied term {name!r:.60}: expected a text")
    return name


def _read_link(item: Item, marks: Mapping[str, TextMark]) -> MarkLink:
    first, second = item.get("from_id"), item.get("to_id")
    keys = pair(marks, first, second)
    where = f"relation {first!r:.40} – {second!r:.40}"
    # labels are null where the annotator opened the list and closed it again
    return MarkLink(*keys, find_polarity(_list(item.get("labels") or [], where), where), _read_score(item))


def _of(controls: Mapping[str, Item], name: str, key: str) -> list[object]:
    return _said(controls[name], key) if name in controls else []


def _said(item: Item, key: str) -> list[object]:
    """Return the list that the value of an item has under a key; one string may replace its list."""
    value = _value(item).get(key)
    return [value] if isinstance(value, str) else _list(value, f"{item.get('from_name')}: {key}")


def _value(item: Item) -> Item:
    value = item.get("value")
    if not isinstance(value, dict):
        raise FaultError(Fault.RECORD, f"{item.get('from_name')}: found {value!r:.60}: expected an object")
    return value


def _list(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise FaultError(Fault.RECORD, f"{where}: found {value!r:.60}: expected a list")
    return cast(list[object], value)


def _read_score(item: Item) -> float | None:
    return as_number(item.get("score"))
