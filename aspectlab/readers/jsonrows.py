"""Flat JSON rows, as Hugging Face data sets have them, and the result files of PyABSA."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, islice

from aspectlab.data import Example, Part, Quad, Term
from aspectlab.readers import (
    Format,
    Head,
    Source,
    each_term,
    parse_json,
    parse_literal,
    term_of_tokens,
    token_spans,
)
from aspectlab.readers.quadrows import (
    NAMES,
    QuadRow,
    choose_columns,
    note_unread,
    read_examples,
)
from aspectlab.readers.tables.columns import parse_polarity

_LABELS = {name for part in ("aspect", "opinion", "category", "polarity") for name in NAMES[part]}
_LOOKED_AT = 1000


def _keys(head: Head) -> set[str]:
    """Return the keys of the first object, as far as its values are plain."""
    found = re.match(r"\s*\[?\s*(\{[^{}]*\})", head.text)
    return set(re.findall(r'"(\w+)"\s*:', found[1])) if found else set()


def sniff(head: Head) -> bool:
    """Recognise an object with a text, a label or a term, and nothing nested."""
    keys = {key.lower() for key in _keys(head)}
    return not keys.isdisjoint(NAMES["text"]) and not keys.isdisjoint(_LABELS)


def read(source: Source) -> Iterator[Example]:
    """Read one object a line, or a list of objects, by the names that columns of tables have."""
    records = _records(source)
    first = list(islice(records, _LOOKED_AT))
    header = list(dict.fromkeys(key for _, record in first for key in record))
    columns = choose_columns(source, header, {})
    note_unread(source, header, columns)
    names = {name: header[index] for name, index in columns.items()}
    rows = (QuadRow(where, _cells(source, where, record, names)) for where, record in chain(first, records))
    yield from read_examples(source, columns, rows)


def _records(source: Source) -> Iterator[tuple[int | str, dict[str, object]]]:
    for where, value in _values(source):
        if not isinstance(value, dict):
            raise source.error(where, f"{value!r:.60}", "an object", "correct or remove it")
        yield where, value


def _values(source: Source) -> Iterator[tuple[int | str, object]]:
    if source.head.text.lstrip().startswith("["):
        values = parse_json(source, "whole file", source.text())
        rows = values if isinstance(values, list) else [values]
        yield from ((f"row {number}", value) for number, value in enumerate(rows, start=1))
    else:
        lines = ((number, line) for number, line in source.lines() if line.strip())
        yield from ((number, parse_json(source, number, line)) for number, line in lines)


def _cells(
    source: Source, where: int | str, record: Mapping[str, object], names: Mapping[str, str]
) -> dict[str, str | None]:
    cells: dict[str, str | None] = {}
    for name, key in names.items():
        value = record.get(key)
        if isinstance(value, dict | list | bool):
            found, remedy = f"{key!r} {value!r:.60}", "write one row per quad, or canonical JSONL"
            raise source.error(where, found, "a string or a number", remedy)
        cells[name] = None if value is None else str(value)
    return cells


FORMAT = Format(
    "JSON rows (Hugging Face): one object per quad or text, keys by name", sniff, read, language="und"
)

_ARRAY = re.compile(r"array\((\[[^\[\]()]*\])(?:,\s*dtype=\w+)?\)")
_RESULT = re.compile(r"""\s*"?\s*\[\s*\{\s*\\?["'](?:text|sentence)\\?["']\s*:""")


def sniff_pyabsa(head: Head) -> bool:
    """Recognise a list of results: a text with its aspects, sentiments and their probabilities."""
    start = head.text
    keys = all(re.search(rf"""["']{key}\\?["']\\?\s*:\s*\[""", start) for key in ("aspect", "sentiment"))
    return keys and _RESULT.match(start) is not None


def read_pyabsa(source: Source) -> Iterator[Example]:
    """Read the results of aspect extraction, whose positions count tokens, or of aspect polarity.

    The latter are one JSON string with a Python literal in it. Aspects without positions are taken in order:
    the second of the same words is their second occurrence.
    """
    values = parse_json(source, "whole file", source.text())
    if isinstance(values, str):
        values = parse_literal(source, "whole file", _ARRAY.sub(r"\1", values))
    if not isinstance(values, list):
        raise source.error("whole file", f"{values!r:.60}", "a list of results", "is this a file of PyABSA?")
    for number, value in enumerate(values, start=1):
        if not isinstance(value, dict):
            raise source.error(f"result {number}", f"{value!r:.60}", "an object", "correct or remove it")
        yield _read_result(source, number, value)


def _read_result(source: Source, number: int, value: Mapping[str, object]) -> Example:
    where = f"result {number}"
    text = value.get("text", value.get("sentence"))
    if not isinstance(text, str):
        raise source.error(where, f"the text {text!r:.60}", "a string", "correct or remove it")
    aspects, sentiments, positions = (_strings(source, where, value, key) for key in _LISTS)
    if len(sentiments) not in (0, len(aspects)) or len(positions) not in (0, len(aspects)):
        found = f"{len(aspects)} aspects, {len(sentiments)} sentiments and {len(positions)} positions"
        raise source.error(where, found, "as many of each", "correct or remove it")
    seen: Counter[str] = Counter()
    quads = []
    for index, aspect in enumerate(aspects):
        if not isinstance(aspect, str):
            raise source.error(where, f"the aspect {aspect!r:.60}", "a string", "correct or remove it")
        term = _place(source, where, text, aspect, positions[index] if positions else seen[aspect])
        seen[aspect] += 1
        word = sentiments[index] if sentiments else None
        polarity = None if word is None else parse_polarity(source, where, str(word))
        quads.append(Quad(term, polarity=polarity))
    return Example(str(number), text, tuple(quads))


_LISTS = ("aspect", "sentiment", "position")


def _strings(source: Source, where: str, value: Mapping[str, object], key: str) -> list[object]:
    found = value.get(key, [])
    if not isinstance(found, list):
        raise source.error(where, f"{key!r} {found!r:.60}", "a list", "correct or remove it")
    return found


def _place(source: Source, where: str, text: str, aspect: str, position: object) -> Term:
    """Place an aspect at its tokens, or at an occurrence of its words; one that is absent has no span."""
    if isinstance(position, list):
        spans = token_spans(text)
        if not position or not all(type(index) is int and 0 <= index < len(spans) for index in position):
            found = f"the position {position!r:.60}"
            raise source.error(where, found, f"indices of the {len(spans)} tokens", "correct or remove it")
        return term_of_tokens(text, spans, min(position), max(position))
    if not isinstance(position, int):
        raise source.error(
            where, f"the position {position!r:.60}", "a list of indices", "correct or remove it"
        )
    return next(islice(each_term(text, aspect), position, None), None) or Term(aspect)


PYABSA_FORMAT = Format(
    "PyABSA results (JSON): aspects with their sentiment",
    sniff_pyabsa,
    read_pyabsa,
    annotates=frozenset({Part.ASPECT, Part.POLARITY}),
    language="und",
)
