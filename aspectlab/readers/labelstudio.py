"""Label Studio JSON: a list of tasks, with the annotations of each person or the predictions of a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from aspectlab.data import Corpus, Example, Part, Quad, annotated_parts
from aspectlab.readers.answers import (
    Answer,
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
from aspectlab.readers.faults import FaultError
from aspectlab.readers.format import Format
from aspectlab.readers.labelstudioresult import read_result, write_result
from aspectlab.readers.source import Head, Source, parse_json

MODEL = "aspectlab"
"""The model version that predictions carry."""

_DIGITS = 4

Record = Mapping[str, object]


def sniff(head: Head) -> bool:
    """Recognise a list of objects with the key data or, since that may come late, annotations."""
    text = head.text
    return bool(re.match(r"\s*\[\s*\{", text)) and ('"data"' in text or '"annotations"' in text)


def read(source: Source, *, annotator: str | None = None) -> Iterator[Example]:
    """Give one example per task: of one annotator or, where nobody has annotated, of the predictions."""
    yield from read_examples(source, choose_answers(source, read_answers(source), annotator))


def read_answers(source: Source) -> Iterator[Answer]:
    """Give what each annotator made of each task, in the order of the file; what is wrong is kept apart."""
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
    """Give a prediction; its score is the confidence of the opinion that is least sure."""
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
    """Give the address of who annotated or, as plain exports have it, the number."""
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
    loses=frozenset(),
)
