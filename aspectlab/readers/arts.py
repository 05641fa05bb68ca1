"""ARTS (Xing et al., EMNLP 2020): JSON with one record per aspect, and the source data by sentence."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, Quad, Term
from aspectlab.errors import DataError
from aspectlab.readers import Format, Head, Source, parse_json
from aspectlab.readers.jsonfields import JsonRecord, records_of

VARIANTS = {"adv1": "revtgt", "adv2": "revnon", "adv3": "adddiff"}
"""What the suffix of a key says about how the sentence was made from its source."""

SUFFIXES = {variant: suffix for suffix, variant in VARIANTS.items()}


def sniff(head: Head) -> bool:
    """Recognise an object of objects with the keys sentence and term."""
    nested = re.match(r'\s*\{\s*"[^"]*"\s*:\s*\{', head.text) is not None
    return nested and has_keys(head, "sentence", "term") and not has_keys(head, "term_list")


def has_keys(head: Head, *keys: str) -> bool:
    """Return whether a file begins like a JSON object and has all of these keys near its beginning.

    >>> has_keys(Head("a.json", b"", ('{"1": {"sentence": "Nice."}}',)), "sentence")
    True
    """
    text = head.text
    return text.lstrip().startswith("{") and all(re.search(rf'"{key}"\s*:', text) for key in keys)


def read(source: Source) -> Iterator[Example]:
    """Return one example per key; the `id` inside a variant is that of its source."""
    for key, record in read_object(source):
        text = record.string("sentence")
        quad = Quad(aspect=record.term(text), polarity=record.polarity())
        origin, variant = _read_origin(key, record)
        yield Example(key, text, (quad,), origin, variant)


def read_object(source: Source) -> Iterator[tuple[str, JsonRecord]]:
    """Parse a file that is one JSON object and give its records by key."""
    values = parse_json(source, "whole file", source.text(), unique=True)
    if not isinstance(values, dict):
        raise source.error("whole file", f"{values!r:.60}", "an object of records", "is this an ARTS file?")
    return zip(values, records_of(source, values), strict=True)


def _read_origin(key: str, record: JsonRecord) -> tuple[str | None, str | None]:
    return _find_origin(key, record.string("id") if "id" in record.values else key)


def _find_origin(key: str, origin: str) -> tuple[str | None, str | None]:
    if origin == key:
        return None, None
    suffix = key.removeprefix(f"{origin}_")
    return origin, None if suffix == key else VARIANTS.get(suffix, suffix)


def write(corpus: Corpus, path: Path) -> None:
    """Write one record per example; a variant's key is the id of its source with a suffix."""
    records: dict[str, dict[str, object]] = {}
    for example in corpus:
        key = _key(example)
        if key in records:
            raise DataError(
                f"example {example.id!r}: found the key {key!r} twice: expected one of each variant"
            )
        _refuse_origin(example, key)
        records[key] = _to_record(example)
    # ASCII, as the original: a lone surrogate in a text survives too
    path.write_text(json.dumps(records, indent=4) + "\n", encoding="ascii", newline="\n")


def _refuse_origin(example: Example, key: str) -> None:
    """Refuse a variant that would be read as another one, or as none."""
    origin = example.id if example.source is None else example.source
    if _find_origin(key, origin) != (example.source, example.variant):
        raise DataError(
            f"example {example.id!r}: found source {example.source!r} and variant {example.variant!r}: "
            f"expected both, the variant not {' or '.join(VARIANTS)}, or neither; write it as jsonl"
        )


def _key(example: Example) -> str:
    if example.source is None or example.variant is None:
        return example.id
    return f"{example.source}_{SUFFIXES.get(example.variant, example.variant)}"


def _to_record(example: Example) -> dict[str, object]:
    quad = example.quads[0] if len(example.quads) == 1 else None
    if quad is None or quad.aspect is None or quad.category is not None or quad.opinion is not None:
        raise DataError(
            f"example {example.id!r}: found {len(example.quads)} quads {example.quads!r:.120}: expected one, "
            "with an aspect and no category or opinion; write the corpus as jsonl, or one aspect an example"
        )
    start, end = quad.aspect.span or (None, None)
    return {
        "sentence": example.text,
        "term": quad.aspect.text,
        "polarity": quad.polarity,
        "id": example.id if example.source is None else example.source,
        "from": start,
        "to": end,
    }


FORMAT = Format(
    "ARTS JSON: one record per aspect, with robustness variants",
    sniff,
    read,
    write,
    annotates=frozenset({Part.ASPECT, Part.POLARITY}),
)


def sniff_sentences(head: Head) -> bool:
    """Recognise an object of objects with the keys sentence and term_list."""
    return has_keys(head, "sentence", "term_list")


def read_sentences(source: Source) -> Iterator[Example]:
    """Return one example per sentence, with a quad per pair of a term and one of its opinion words."""
    for key, record in read_object(source):
        text = record.string("sentence")
        quads = [quad for entry in record.records("term_list") for quad in _read_quads(entry, text)]
        yield Example(key, text, tuple(quads))


def _read_quads(entry: JsonRecord, text: str) -> Iterator[Quad]:
    aspect, polarity = entry.term(text), entry.polarity()
    for opinion in _read_opinions(entry, text) or [None]:
        yield Quad(aspect=aspect, opinion=opinion, polarity=polarity)


def _read_opinions(entry: JsonRecord, text: str) -> list[Term | None]:
    words, positions = entry.items("opinion_words"), entry.items("opinion_position")
    if len(words) != len(positions):
        found = f"{len(words)} opinion words and {len(positions)} positions"
        raise entry.source.error(entry.where, found, "as many of one as of the other")
    return [entry.placed(text, word, position) for word, position in zip(words, positions, strict=True)]


SENTENCES_FORMAT = Format(
    "ARTS JSON by sentence, with or without opinion words", sniff_sentences, read_sentences
)
