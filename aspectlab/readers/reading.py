"""Read any known file into a Corpus, and write a Corpus so that it appears whole or not at all."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from pathlib import Path

from aspectlab.data import Corpus, Example, Provenance, annotated_parts
from aspectlab.data.drafting import drafted
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers.format import Format
from aspectlab.readers.formats import READERS
from aspectlab.readers.identity import identify
from aspectlab.readers.source import Description, Source, advise_recoding, find_packing
from aspectlab.registry import check_options


def read(
    path: str | Path, format: str | None = None, *, name: str | None = None, **options: object
) -> Corpus:
    """Read a file of any known format; the format is recognised by content unless it is named.

    `options` go to the format's reader, whose keyword-only parameters they must be.

    >>> read("examples/sample.jsonl").language
    'en'
    """
    source = Source(Path(path))
    chosen = format or sniff(source)
    kind = READERS[chosen]
    check_options(f"format {chosen}", kind.read, options)
    examples = tuple(kind.read(source, **options))
    _refuse_repeated_ids(source, examples)
    said = source.description or _describe(source, kind, examples)
    return Corpus(
        name=name or said.name,
        language=said.language,
        annotates=said.annotates,
        examples=examples,
        provenance=Provenance(str(path), chosen, source.sha256, said.version, tuple(source.notes)),
    )


def _describe(source: Source, kind: Format, examples: tuple[Example, ...]) -> Description:
    """Say what a file is that does not describe itself: by the table of known files, and its content."""
    name, version = identify(source.sha256, source.path)
    annotates = kind.annotates if kind.annotates is not None else annotated_parts(examples)
    return Description(name, kind.language, annotates, version)


def sniff(source: Source) -> str:
    """Name the format of a file from its first lines.

    >>> sniff(Source(Path("examples/sample.jsonl")))
    'jsonl'
    """
    if not source.head.start.strip():
        raise source.error("whole file", "nothing", "a data set", "check the path")
    for name in READERS:
        if READERS[name].sniff(source.head):
            return name
    raise _unknown(source)


def _unknown(source: Source) -> DataError:
    """Say what to do with a file of no known format: it may be packed, or not in UTF-8."""
    start = source.head.start
    if packing := find_packing(start):
        remedy = f"unpack it with: {packing.tool} --keep FILE"
        return source.error("whole file", "a packed file", "a data set", remedy)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return source.error("whole file", "UTF-16", "UTF-8", advise_recoding(start))
    first = source.head.lines[0] if source.head.lines else ""
    remedy = (
        "convert it: `aspectlab data convert FILE OUT --from FORMAT`; `aspectlab data formats` lists them"
    )
    return source.error(1, f"{first[:60]!r}", "a known format", remedy)


def write(corpus: Corpus, path: str | Path, format: str) -> None:
    """Write a corpus in one of the output formats; the file appears whole or not at all."""
    kind = READERS[format]
    if kind.write is None:
        writable = ", ".join(name for name in READERS if READERS[name].write is not None)
        raise ConfigError(f"format {format!r} can only be read: to write there are: {writable}")
    with drafted(Path(path)) as draft:
        kind.write(corpus, draft)


def _refuse_repeated_ids(source: Source, examples: Iterable[Example]) -> None:
    seen: set[str] = set()
    for example in examples:
        if example.id in seen:
            raise source.error(f"example {example.id!r}", "this id twice", "unique ids", "rename one of them")
        seen.add(example.id)
