"""Canonical JSONL: one example a line; the first line may also describe the corpus."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, example_from_dict, example_to_dict
from aspectlab.errors import DataError
from aspectlab.readers import CorpusDescription, Format, Head, Source, parse_json


def sniff(head: Head) -> bool:
    """Recognise an object with the keys id, text and quads."""
    first = head.lines[0].lstrip() if head.lines else ""
    return first.startswith("{") and all(key in first for key in ('"id"', '"text"', '"quads"'))


def read(source: Source) -> Iterator[Example]:
    """Stream the examples; empty lines are skipped."""
    for number, line in source.lines():
        if not line.strip():
            continue
        record = parse_json(source, number, line)
        try:
            example = example_from_dict(record)
            if isinstance(record, dict) and "corpus" in record:
                _describe(source, number, _description(record["corpus"]))
        except DataError as error:
            raise DataError(f"{source.path}: line {number}: {error}") from None
        yield example


def _describe(source: Source, number: int, said: CorpusDescription) -> None:
    """Keep a description; those of files that were put one behind the other are joined."""
    before = source.description
    if before is None or before == said:
        source.description = said
        return
    source.note(number, f"describes the corpus {said.name!r:.60} after {before.name!r:.60}: joined")
    language = said.language if said.language == before.language else "und"
    version = said.version if said.version == before.version else ""
    source.description = CorpusDescription("", language, before.annotates | said.annotates, version)


def write(corpus: Corpus, path: Path) -> None:
    """Write one example a line; the first line carries the description of the corpus too."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for index, example in enumerate(corpus):
            record = example_to_dict(example)
            if index == 0:
                record["corpus"] = {
                    "name": corpus.name,
                    "language": corpus.language,
                    "annotates": sorted(corpus.annotates),
                    "version": corpus.provenance.version,
                }
            stream.write(dump_line(record) + "\n")


def dump_line(record: Mapping[str, object]) -> str:
    """Return the line of a JSON object, readable where UTF-8 has all of its characters."""
    line = json.dumps(record, ensure_ascii=False)
    # half a surrogate pair, which a JSON escape can smuggle in, has no UTF-8 form: escape it again
    return line if line.isprintable() or _is_encodable(line) else json.dumps(record)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _description(record: object) -> CorpusDescription:
    expected = "expected an object with the strings name and language and the list annotates"
    if not isinstance(record, dict) or not {"name", "language", "annotates"} <= record.keys():
        raise DataError(f"key 'corpus': found {record!r:.80}: {expected}")
    name, language, annotates = record["name"], record["language"], record["annotates"]
    version = record.get("version", "")
    strings = all(isinstance(value, str) for value in (name, language, version))
    if not strings or not isinstance(annotates, list) or not all(part in list(Part) for part in annotates):
        raise DataError(f"key 'corpus': found {record!r:.80}: {expected}; the parts are {', '.join(Part)}")
    return CorpusDescription(name, language, frozenset(Part(part) for part in annotates), version)


FORMAT = Format("canonical JSONL, one example a line", sniff, read, write, language="und", loses=frozenset())
