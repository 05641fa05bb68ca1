"""What annotators handed in, segment by segment, whatever tool they used, and what can be wrong with it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from aspectlab.data import Corpus, Example, Part, Quad, annotated_parts
from aspectlab.errors import DataError
from aspectlab.readers.source import CorpusDescription, Source

TEXT, SEGMENT, CORPUS, LANGUAGE, ANNOTATES = "text", "segment", "corpus", "language", "annotates"
TOPIC, SOURCE, VARIANT, EMPTY_ROW = "topic", "source", "variant", "empty_row"
"""What goes to the tool and comes back: the text, and what goes along with it."""

TRIPLET = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})


class Fault(StrEnum):
    """What can be wrong with a segment."""

    MISSING = "not annotated by all"
    TWICE = "annotated twice by one person"
    TEXT = "texts differ"
    LABEL = "unknown label"
    RELATION = "broken relation"
    OFFSET = "offsets do not fit the text"
    CLASH = "contradicting labels"
    RECORD = "broken record"


class FaultError(DataError):
    """Report one segment that cannot be read, with the kind of fault, so that it can be counted.

    >>> FaultError(Fault.LABEL, "task 7: found 'Aspct'").fault.name
    'LABEL'
    """

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


class State(StrEnum):
    """How far a segment is."""

    ANNOTATED = "annotated"
    CANCELLED = "skipped by the annotator"
    PREDICTED = "predicted, not annotated"
    OPEN = "not annotated"


@dataclass(frozen=True, slots=True)
class Answer:
    """One segment of one annotator: the example, or what is wrong with it.

    `is_marked_empty` tells a segment that somebody said has no opinion from one where nothing was marked.
    """

    where: str
    segment: str
    annotator: str
    state: State
    outcome: Example | FaultError
    is_marked_empty: bool = False


def find_topics(corpus: Corpus) -> dict[str, str]:
    """Return the topic of each example, by id, if categories are topics: one, or none, for all of its quads.

    Otherwise the category is a label of each opinion, and there are no topics.
    """
    topics: dict[str, str] = {}
    for example in corpus:
        found = {quad.category for quad in example.quads}
        # an empty topic could not be distinguished from none
        if len(found) > 1 or "" in found:
            return {}
        topics.update((example.id, topic) for topic in found if topic)
    return topics


def pack(corpus: Corpus) -> Iterator[tuple[dict[str, object], tuple[Quad, ...]]]:
    """Return each text with what goes along with it to the tool, and the opinions to be shown there.

    A topic goes along with the text, and so does that a segment without opinions has a quad that says so.
    """
    topics = find_topics(corpus)
    for example in corpus:
        topic = topics.get(example.id)
        record: dict[str, object] = {TEXT: example.text, SEGMENT: example.id}
        record |= {CORPUS: corpus.name, LANGUAGE: corpus.language, ANNOTATES: _list_parts(corpus)}
        if topics:
            record[TOPIC] = topic or ""
        origin = {SOURCE: example.source, VARIANT: example.variant}
        record |= {key: value for key, value in origin.items() if value is not None}
        bare = tuple(replace(quad, category=None) if topic else quad for quad in example.quads)
        if bare == (Quad(),):
            # the row of a segment without opinions, as MuSe-CarASTE has it, is nothing to be shown
            bare, record = (), record if topic else record | {EMPTY_ROW: "yes"}
        yield record, bare


def find_text(record: Mapping[str, object]) -> str:
    """Return the text, which must be there."""
    text = record.get(TEXT)
    if not isinstance(text, str):
        expected = f"expected a string under the key {TEXT!r}, as `aspectlab annotate export` writes it"
        raise FaultError(Fault.RECORD, f"found the text {text!r:.60}: {expected}")
    return text


def make_example(segment: str, quads: Iterable[Quad], record: Mapping[str, object]) -> Example:
    """Make the example of a record that came back from the tool: with its topic and its origin."""
    topic = record.get(TOPIC)
    found = tuple(quads)
    if topic or EMPTY_ROW in record:
        found = found or (Quad(),)
    if isinstance(topic, str) and topic:
        found = tuple(replace(quad, category=quad.category or topic) for quad in found)
    origin, variant = (
        value if isinstance(value, str) else None for value in map(record.get, (SOURCE, VARIANT))
    )
    try:
        return Example(segment, find_text(record), found, origin, variant)
    except DataError as error:
        raise FaultError(Fault.OFFSET, str(error)) from None


def find_segment(record: Mapping[str, object], otherwise: object) -> str:
    """Return the id that an example had when it left, or else the number that the tool gave it."""
    segment = record.get(SEGMENT)
    return segment if isinstance(segment, str) else str(otherwise)


def choose_answers(
    source: Source, answers: Iterable[Answer], annotator: str | None = None
) -> Iterator[Answer]:
    """Return one answer a segment, for reading the file as one corpus; several annotators are refused.

    Where nobody has annotated anything yet, predictions are taken. What is left out is noted.
    """
    every = list(answers)
    done = [answer for answer in every if answer.state is State.ANNOTATED]
    names = list(dict.fromkeys(answer.annotator for answer in done))
    if annotator is not None and annotator not in names:
        found = f"no annotator {annotator!r:.60}"
        known = f"one of {', '.join(map(repr, names))}" if names else "a file that somebody has annotated"
        raise source.error("whole file", found, known, "choose another, or none")
    if annotator is None and len(names) > 1:
        command = f"aspectlab annotate import {source.path} --split-by-annotator --out annotated.jsonl"
        found = f"the annotators {', '.join(map(repr, names))}"
        raise source.error("whole file", found, "one", f"take them apart with: {command}")
    taken = {State.ANNOTATED} if done else {State.PREDICTED, State.OPEN}
    for answer in every:
        if answer.state not in taken:
            source.note(answer.where, f"{answer.state}: left out")
        elif annotator in (None, answer.annotator):
            yield answer


def read_examples(source: Source, answers: Iterable[Answer]) -> Iterator[Example]:
    """Return the examples of answers; the first one that is wrong is refused."""
    examples: list[Example] = []
    for answer in answers:
        if isinstance(answer.outcome, FaultError):
            raise DataError(f"{source.path}: {answer.where}: {answer.outcome}")
        examples.append(answer.outcome)
    if source.description:
        found = source.description.annotates | annotated_parts(examples)
        source.description = replace(source.description, annotates=found)
    yield from examples


def describe(record: Mapping[str, object]) -> CorpusDescription | None:
    """Describe the corpus as it was when it left; None if the tool was fed otherwise."""
    name, language = record.get(CORPUS), record.get(LANGUAGE)
    if not isinstance(name, str) or not isinstance(language, str):
        return None
    return CorpusDescription(name, language, _find_parts(record.get(ANNOTATES)))


def _list_parts(corpus: Corpus) -> str:
    return " ".join(sorted(corpus.annotates))


def _find_parts(listed: object) -> frozenset[Part]:
    """Return the parts that were labelled when the corpus left; of bare texts, triplets are asked for."""
    words = listed.split() if isinstance(listed, str) else []
    parts = frozenset(part for part in Part if part in words)
    return parts if parts - {Part.CATEGORY} else TRIPLET
