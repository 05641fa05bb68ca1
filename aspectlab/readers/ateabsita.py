"""ATE_ABSITA (EVALITA 2020): Italian product reviews, one JSON object a line."""

from collections.abc import Iterator

from aspectlab.data import Example, Part, Polarity, Quad
from aspectlab.readers import Format, Head, Source, parse_json
from aspectlab.readers.arts import has_keys
from aspectlab.readers.jsonfields import JsonRecord

_POLARITIES = {
    (1, 0): Polarity.POSITIVE,
    (0, 1): Polarity.NEGATIVE,
    (0, 0): Polarity.NEUTRAL,
    (1, 1): Polarity.CONFLICT,
}


def sniff(head: Head) -> bool:
    """Recognise objects with the keys sentence and id_sentence."""
    return has_keys(head, "sentence", "id_sentence")


def read(source: Source) -> Iterator[Example]:
    """Stream the reviews; empty lines are skipped."""
    for number, line in source.lines():
        if not line.strip():
            continue
        values = parse_json(source, number, line)
        if not isinstance(values, dict):
            raise source.error(number, f"{values!r:.60}", "an object with the keys sentence and id_sentence")
        record = JsonRecord(source, number, values)
        yield Example(record.string("id_sentence"), record.string("sentence"), tuple(_read_quads(record)))


def _read_quads(record: JsonRecord) -> Iterator[Quad]:
    text = record.string("sentence")
    columns = [record.items(key) for key in ("aspects", "aspects_position", "polarities")]
    if len({len(column) for column in columns}) != 1:
        found = ", ".join(str(len(column)) for column in columns)
        expected = "as many of each"
        raise record.source.error(record.where, f"{found} aspects, positions and polarities", expected)
    for aspect, position, polarity in zip(*columns, strict=True):
        yield Quad(aspect=record.placed(text, aspect, position), polarity=_read_polarity(record, polarity))


def _read_polarity(record: JsonRecord, value: object) -> Polarity:
    pair = tuple(value) if isinstance(value, list) and all(type(flag) is int for flag in value) else ()
    if pair not in _POLARITIES:
        expected = "[positive, negative], each 0 or 1"
        raise record.source.error(record.where, f"the polarity {value!r:.60}", expected)
    return _POLARITIES[pair]


FORMAT = Format(
    "ATE_ABSITA NDJSON: one review a line, with aspect terms",
    sniff,
    read,
    annotates=frozenset({Part.ASPECT, Part.POLARITY}),
    language="it",
)
