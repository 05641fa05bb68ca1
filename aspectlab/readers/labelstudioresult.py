"""The `result` of a Label Studio annotation or prediction: regions, what they say, and relations.

Region items share an id: one says the label, others the polarity, the category and the implied terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from aspectlab.data import Part, Quad
from aspectlab.readers.answers import TEXT
from aspectlab.readers.faults import Fault, FaultError
from aspectlab.readers.marking import (
    Link,
    Mark,
    Marking,
    counts_units,
    draw,
    find_polarity,
    gather,
    pair,
    place_mark,
    read_category,
)
from aspectlab.readers.quadcells import from_cells, to_cells

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
    """Give the items that show opinions; a text without any is marked as such.

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


def _write_mark(mark: Mark) -> Iterator[dict[str, object]]:
    start, end = mark.term.span or (0, 0)
    place = {"start": start, "end": end}
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
        item = _item(mark.key, name, kind, {**place, **value})
        yield item if mark.score is None else {**item, "score": mark.score}


def _write_link(link: Link) -> dict[str, object]:
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
    """Give the opinions of a result, and whether it says that there is none.

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


def _read_marks(items: Sequence[Item], text: str) -> Iterator[Mark]:
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
    # a term that is said twice may stand where units and where characters lead: one tool counts one way
    units = counts_units(text, [(term.get("start"), term.get("end"), term.get("text")) for term in terms])
    for key, controls in regions.items():
        yield _read_mark(key, controls, text, units=units)


def _read_mark(key: str, controls: Mapping[str, Item], text: str, *, units: bool) -> Mark:
    where = f"region {key!r:.40}"
    item = controls.get(TERM)
    if item is None:
        expected = f"expected {' or '.join(_PARTS)}"
        raise FaultError(Fault.LABEL, f"{where}: found no label of the term: {expected}")
    value = _value(item)
    term = place_mark(text, value.get("start"), value.get("end"), value.get("text"), units=units)
    categories = [read_category(value, where) for value in _of(controls, CATEGORY, "choices")]
    if len(categories) > 1:
        raise FaultError(Fault.CLASH, f"{where}: found {len(categories)} categories: expected one")
    return Mark(
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
        if label not in _PARTS:
            expected = f"expected {' or '.join(_PARTS)}"
            raise FaultError(Fault.LABEL, f"{where}: found the label {label!r:.60}: {expected}")
    if len(labels) != 1:
        raise FaultError(Fault.CLASH, f"{where}: found {len(labels)} labels: expected one")
    return _PARTS[str(labels[0])]


def _read_implied(name: object, where: str) -> str:
    if not isinstance(name, str):
        raise FaultError(Fault.RECORD, f"{where}: found the implied term {name!r:.60}: expected a text")
    return name


def _read_link(item: Item, marks: Mapping[str, Mark]) -> Link:
    first, second = item.get("from_id"), item.get("to_id")
    keys = pair(marks, first, second)
    where = f"relation {first!r:.40} – {second!r:.40}"
    # labels are null where the annotator opened the list and closed it again
    return Link(*keys, find_polarity(_list(item.get("labels") or [], where), where), _read_score(item))


def _of(controls: Mapping[str, Item], name: str, key: str) -> list[object]:
    return _said(controls[name], key) if name in controls else []


def _said(item: Item, key: str) -> list[object]:
    """Give the list that the value of an item has under a key; one string may stand for its list."""
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
    score = item.get("score")
    return float(score) if isinstance(score, float | int) and not isinstance(score, bool) else None
