"""doccano JSONL for sequence labelling with relations: entities and relations, one text a line.

doccano has labels for terms and for relations, and no text fields. So the label of a term also says the
polarity where the other term is implicit, and the category: `Aspect positive #service`. Opinions that no
label can say are under `implicit`, and annotators write them as comments: `aspect | opinion | polarity`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from aspectlab.data import Corpus, Example, Quad, Term
from aspectlab.errors import DataError
from aspectlab.readers import Format, Head, Source, parse_json
from aspectlab.readers.annotations import (
    TEXT,
    Answer,
    Fault,
    FaultError,
    State,
    describe,
    find_segment,
    find_text,
    make_example,
    pack,
    read_examples,
)
from aspectlab.readers.labelstudio import LABELS
from aspectlab.readers.marks import (
    Marking,
    MarkLink,
    TextMark,
    draw,
    find_polarity,
    from_cells,
    gather,
    locate_mark,
    pair,
    to_cells,
)

_PARTS = {label: part for part, label in LABELS.items()}
_IMPLICIT, _DIGEST = "implicit", "digest"
_CATEGORY = " #"
_MARKED = frozenset({"entities", "label", "labels"})

Record = Mapping[str, object]


def sniff(head: Head) -> bool:
    """Recognise an object with the keys text, entities and relations."""
    first = head.lines[0].lstrip() if head.lines else ""
    return first.startswith("{") and all(key in first for key in ('"text"', '"entities"', '"relations"'))


def read(source: Source) -> Iterator[Example]:
    """Stream the texts; empty lines are skipped."""
    yield from read_examples(source, read_answers(source))


def read_answers(source: Source) -> Iterator[Answer]:
    """Return what the one annotator of a file made of each text; what is wrong is kept apart."""
    for number, line in source.lines():
        if line.strip():
            yield _read_answer(source, number, line)


def write(corpus: Corpus, path: Path) -> None:
    """Write one text a line, to be imported into a project with relations."""
    # ASCII: a lone surrogate in a text survives too
    with path.open("w", encoding="ascii", newline="\n") as stream:
        for record, quads in pack(corpus):
            marking = _keep_sayable(quads)
            record[_DIGEST] = _digest(record[TEXT])
            record["entities"] = [_write_mark(mark) for mark in marking.marks]
            record["relations"] = [_write_link(number, link) for number, link in enumerate(marking.links)]
            if marking.unplaced:
                record[_IMPLICIT] = [to_cells(quad) for quad in marking.unplaced]
            stream.write(json.dumps(record) + "\n")


def _digest(text: object) -> str:
    return sha256(str(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _keep_sayable(quads: Sequence[Quad]) -> Marking:
    """Draw the opinions that labels can say; the others stay as they are."""
    said: dict[tuple[Term | None, Term | None], Quad] = {}
    rest = []
    for quad in quads:
        # doccano refuses a label that the same span has already
        if _is_sayable(quad) and (quad.aspect, quad.opinion) not in said:
            said[quad.aspect, quad.opinion] = quad
        else:
            rest.append(quad)
    marking = draw(said.values())
    return Marking(marking.marks, marking.links, tuple(rest))


def _is_sayable(quad: Quad) -> bool:
    """Return whether no implicit term has a name, and a relation has its type, which doccano demands."""
    terms = quad.terms
    is_placed = bool(terms) and all(term.span for term in terms)
    return is_placed and (len(terms) == 1 or quad.polarity is not None)


def _write_mark(mark: TextMark) -> dict[str, object]:
    start, end = mark.term.span or (0, 0)
    label = f"{LABELS[mark.part]} {mark.polarity or ''}".rstrip()
    label += "" if mark.category is None else f"{_CATEGORY}{mark.category}"
    return {"id": int(mark.key), "label": label, "start_offset": start, "end_offset": end}


def _write_link(number: int, link: MarkLink) -> dict[str, object]:
    return {"id": number, "from_id": int(link.aspect), "to_id": int(link.opinion), "type": link.polarity}


def _read_answer(source: Source, number: int, line: str) -> Answer:
    # of a line that cannot be read no id is known, and its number may be the id of another
    where = segment = f"line {number}"
    outcome: Example | FaultError
    try:
        record = _parse(source, number, line)
        source.description = source.description or describe(record)
        segment = find_segment(record, record.get("id", number))
        text = find_text(record)
        if record.get(_DIGEST, _digest(text)) != _digest(text):
            # doccano does not say which words were marked, so only this tells that they may be others now
            raise FaultError(
                Fault.OFFSET, f"found {text!r:.60}: expected the text as it left; was it edited?"
            )
        quads = gather(_read_marking(record, text))
        outcome = make_example(segment, quads, record)
    except FaultError as error:
        outcome = error
    return Answer(where, segment, "", State.ANNOTATED, outcome)


def _parse(source: Source, number: int, line: str) -> Record:
    try:
        record = parse_json(source, number, line)
    except DataError as error:
        raise FaultError(Fault.RECORD, str(error)) from None
    if not isinstance(record, dict):
        raise FaultError(Fault.RECORD, f"found {record!r:.60}: expected an object")
    return record


def _read_marking(record: Record, text: str) -> Marking:
    marks: dict[str, TextMark] = {}
    for number, entity in enumerate(_find_entities(record)):
        mark = _read_mark(entity, str(entity.get("id", f"entity {number}")), text)
        if mark.key in marks:
            raise FaultError(Fault.CLASH, f"entity {mark.key!r:.40}: found this id twice: expected it once")
        marks[mark.key] = mark
    links = []
    for relation in _objects(record, "relations"):
        first, second, kind = (relation.get(key) for key in ("from_id", "to_id", "type"))
        where = f"relation {first!r:.40} – {second!r:.40}"
        labels = [] if kind is None else [kind]
        links.append(MarkLink(*pair(marks, first, second), find_polarity(labels, where)))
    rows = [*_list(record, _IMPLICIT), *_comments(record)]
    return Marking(tuple(marks.values()), tuple(links), tuple(from_cells(row) for row in rows))


def _find_entities(record: Record) -> list[Record]:
    """Return the entities; a project without relations has them as lists of start, end and label."""
    if not _MARKED & record.keys():
        # a file of another kind, whose labels would be lost without a word
        found_keys = ", ".join(map(str, record))
        raise FaultError(Fault.RECORD, f"found the keys {found_keys:.80}: expected entities, or label")
    found = _objects(record, "entities")
    keys = ("start_offset", "end_offset", "label")
    for row in [*_list(record, "label"), *_list(record, "labels")]:
        if not isinstance(row, list) or len(row) != len(keys):
            raise FaultError(Fault.RECORD, f"label: found {row!r:.60}: expected start, end and label")
        found.append(dict(zip(keys, row, strict=True)))
    return found


def _read_mark(entity: Record, key: str, text: str) -> TextMark:
    where = f"entity {key!r:.40}"
    head, mark, category = str(entity.get("label")).partition(_CATEGORY)
    name, _, polarity = head.partition(" ")
    if name not in _PARTS:
        expected = f"expected {' or '.join(_PARTS)}, with or without a polarity and a #category"
        raise FaultError(Fault.LABEL, f"{where}: found the label {entity.get('label')!r:.60}: {expected}")
    term = locate_mark(text, entity.get("start_offset"), entity.get("end_offset"))
    chosen = find_polarity([polarity] if polarity else [], where)
    return TextMark(key, _PARTS[name], term, chosen, category if mark else None)


def _comments(record: Record) -> list[object]:
    """Return the comments that are opinions; others are remarks between people."""
    comments = [
        comment.get("comment", comment.get("text")) if isinstance(comment, dict) else comment
        for comment in _list(record, "Comments")
    ]
    return [comment for comment in comments if isinstance(comment, str) and "|" in comment]


def _objects(record: Record, key: str) -> list[Record]:
    found: list[Record] = []
    for item in _list(record, key):
        if not isinstance(item, dict):
            raise FaultError(Fault.RECORD, f"{key}: found {item!r:.60}: expected an object")
        found.append(item)
    return found


def _list(record: Record, key: str) -> list[object]:
    value = record.get(key, [])
    if not isinstance(value, list):
        raise FaultError(Fault.RECORD, f"{key}: found {value!r:.60}: expected a list")
    return value


FORMAT = Format("doccano JSONL: entities and relations, one text a line", sniff, read, write, language="und")
