"""The format table: files are recognised by content, read into a corpus, and written atomically."""

import codecs
import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path

from aspectlab.data import EXCHANGE, Corpus, Example, Part, Provenance, annotated_parts
from aspectlab.errors import ConfigError, DataError
from aspectlab.outputs import atomic_write
from aspectlab.readers.source import CorpusDescription, Head, Source, advise_recoding, find_packing
from aspectlab.registry import Registry, check_options

Read = Callable[..., Iterator[Example]]
"""`read(source, *, option=...)`: a generator of examples; keyword-only parameters are options."""

Write = Callable[[Corpus, Path], None]
"""`write(corpus, path)`: writes a new file; `aspectlab.readers.write` makes that atomic."""


class Loss(StrEnum):
    """What a written file may lack, without being refused for it."""

    IDS = "ids"
    CATEGORIES = "categories"
    ORIGINS = "sources of variants"
    CONFIDENCES = "confidences"
    INTENSITIES = "valence and arousal"
    OFFSETS = "offsets of terms that recur"
    DESCRIPTION = "name and language of the corpus"


@dataclass(frozen=True, slots=True)
class Format:
    """One line of the format table: what it is, and the functions that know it.

    `annotates` lists what files of this format label; None means that the file itself shows it.
    `language` is "und" where the format does not say. `loses` lists what writing leaves out.
    """

    title: str
    sniff: Callable[[Head], bool]
    read: Read
    write: Write | None = None
    annotates: frozenset[Part] | None = None
    language: str = "en"
    loses: frozenset[Loss] = frozenset({Loss.CONFIDENCES, Loss.INTENSITIES, Loss.DESCRIPTION})


READERS: Registry[Format] = Registry(
    "format",
    {
        "jsonl": "aspectlab.readers.jsonl:FORMAT",
        "label-studio": "aspectlab.readers.labelstudio:FORMAT",
        "doccano": "aspectlab.readers.doccano:FORMAT",
        "semeval14": "aspectlab.readers.semeval14:FORMAT",
        "oats": "aspectlab.readers.oats:FORMAT",
        "semeval16": "aspectlab.readers.semeval16:FORMAT",
        "semeval16-text": "aspectlab.readers.semeval16:TEXT_FORMAT",
        "arts": "aspectlab.readers.arts:FORMAT",
        "arts-sentences": "aspectlab.readers.arts:SENTENCES_FORMAT",
        "memd": "aspectlab.readers.memd:FORMAT",
        "dimabsa": "aspectlab.readers.dimabsa:FORMAT",
        "ate-absita": "aspectlab.readers.ateabsita:FORMAT",
        "dmaste": "aspectlab.readers.dmaste:FORMAT",
        "aste-entire": "aspectlab.readers.dmaste:ENTIRE_FORMAT",
        "aste": "aspectlab.readers.aste:FORMAT",
        "aste-v1": "aspectlab.readers.astev1:FORMAT",
        "en-phone": "aspectlab.readers.enphone:FORMAT",
        "asqp": "aspectlab.readers.asqp:FORMAT",
        "acos": "aspectlab.readers.acos:FORMAT",
        "bert-e2e": "aspectlab.readers.berte2e:FORMAT",
        "towe": "aspectlab.readers.towe:FORMAT",
        "three-line": "aspectlab.readers.threeline:FORMAT",
        "absita": "aspectlab.readers.absita:FORMAT",
        "muse": "aspectlab.readers.muse:FORMAT",
        "pyabsa": "aspectlab.readers.jsonrows:PYABSA_FORMAT",
        "json-rows": "aspectlab.readers.jsonrows:FORMAT",
        "parquet": "aspectlab.readers.table:PARQUET_FORMAT",
        "table": "aspectlab.readers.table:FORMAT",
    },
    group="aspectlab.readers",
    base=Format,
)


def read(
    path: str | Path, format: str | None = None, *, name: str | None = None, **options: object
) -> Corpus:
    """Read a file of any known format; the format is recognised by content unless it is named.

    A folder is read that the library `datasets` saved. `options` go to the format's reader, whose
    keyword-only parameters they must be.

    >>> read("examples/sample.jsonl").language
    'en'
    """
    if any((Path(path) / name).is_file() for name in _SAVED):
        corpus: Corpus = EXCHANGE["read_folder"](Path(path), name=name, **options)
        return corpus
    source = Source(Path(path))
    chosen = format or sniff(source)
    kind = READERS[chosen]
    check_options(f"format {chosen}", kind.read, options)
    examples = tuple(kind.read(source, **options))
    _refuse_repeated_ids(source, examples)
    said = source.description or _describe(source, kind, examples)
    return Corpus(
        name=name or said.name or source.path.stem,
        language=said.language,
        annotates=said.annotates,
        examples=examples,
        provenance=Provenance(
            str(path), chosen, source.sha256, said.version, tuple(source.notes), name or said.name
        ),
    )


_SAVED = ("state.json", "dataset_dict.json")
"""What lies in a folder that the library `datasets` saved."""


def _describe(source: Source, kind: Format, examples: tuple[Example, ...]) -> CorpusDescription:
    """Describe a file that does not describe itself: by the table of known files, and its content."""
    name, version = identify(source.sha256)
    annotates = kind.annotates if kind.annotates is not None else annotated_parts(examples)
    language = _known().get(source.sha256, {}).get("language") or kind.language
    return CorpusDescription(name, language, annotates, version)


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
    """Make the error for a file of no known format: it may be packed, or not in UTF-8."""
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


BY_SUFFIX = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".csv": "table",
    ".xml": "semeval14",
    ".json": "arts",
    ".txt": "aste",
}
"""The output format that a file name stands for, unless another is named."""


def format_of(path: Path, remedy: str) -> str:
    """Return the output format that the suffix of a file name stands for.

    >>> format_of(Path("test.csv"), "name the format")
    'table'
    """
    if path.suffix.lower() not in BY_SUFFIX:
        raise ConfigError(f"{path}: suffix {path.suffix!r}: expected one of {', '.join(BY_SUFFIX)}; {remedy}")
    return BY_SUFFIX[path.suffix.lower()]


def write(corpus: Corpus, path: str | Path, format: str | None = None) -> None:
    """Write a corpus in the named output format, or in that of the suffix; the file is written atomically."""
    chosen = format or format_of(Path(path), 'name the format: write(corpus, path, "aste")')
    # "csv" is a suffix, and what many would call the format
    kind = READERS[chosen if chosen in READERS else BY_SUFFIX.get(f".{chosen}", chosen)]
    if kind.write is None:
        writable = ", ".join(name for name in READERS if READERS[name].write is not None)
        raise ConfigError(f"format {chosen!r} can only be read: expected one of {writable}")
    # some writers compare what they are given with what would be read again
    given = (
        corpus.with_examples(map(_without_intensity, corpus)) if Loss.INTENSITIES in kind.loses else corpus
    )
    with atomic_write(Path(path)) as draft:
        kind.write(given, draft)


def _without_intensity(example: Example) -> Example:
    if not any(quad.intensity for quad in example.quads):
        return example
    return replace(example, quads=tuple(replace(quad, intensity=None) for quad in example.quads))


def _refuse_repeated_ids(source: Source, examples: Iterable[Example]) -> None:
    seen: set[str] = set()
    for example in examples:
        if example.id in seen:
            raise source.error(f"example {example.id!r}", "this id twice", "unique ids", "rename one of them")
        seen.add(example.id)


def find_losses(corpus: Corpus, format: str) -> tuple[Loss, ...]:
    """Name what a corpus has and a file of this format cannot hold.

    >>> from aspectlab.data import Example, Quad
    >>> corpus = Corpus("c", "en", frozenset(), (Example("7", "Nice.", (Quad(category="tea"),)),))
    >>> [loss.value for loss in find_losses(corpus, "aste")], find_losses(corpus, "jsonl")
    (['ids', 'categories'], ())
    """
    quads = [quad for example in corpus for quad in example.quads]
    found = {
        Loss.IDS: len(corpus) > 0,
        Loss.CATEGORIES: any(quad.category is not None for quad in quads),
        Loss.ORIGINS: any((example.source, example.variant) != (None, None) for example in corpus),
        Loss.CONFIDENCES: any(quad.confidence is not None for quad in quads),
        Loss.INTENSITIES: any(quad.intensity is not None for quad in quads),
        Loss.OFFSETS: any(_recurs(example) for example in corpus),
        Loss.DESCRIPTION: bool(corpus.provenance.name)
        or corpus.language not in {"und", READERS[format].language},
    }
    return tuple(loss for loss in Loss if loss in READERS[format].loses and found[loss])


def _recurs(example: Example) -> bool:
    """Return whether the words of a term alone do not say where it is."""
    terms = (term for quad in example.quads for term in quad.terms if term.span is not None)
    return any(example.text.count(term.text) > 1 for term in terms)


def identify(sha256: str) -> tuple[str, str]:
    """Name a file and its version by its hash; a file that is not in the table has no name but its own.

    >>> identify("0" * 64)
    ('', '')
    """
    row = _known().get(sha256, {})
    return row.get("name", ""), row.get("version", "")


@cache
def _known() -> dict[str, dict[str, str]]:
    """Return the rows of the table by hash; a row names the language where its format cannot."""
    table = files("aspectlab.readers").joinpath("known.tsv").read_text(encoding="utf-8")
    return {row["sha256"]: row for row in csv.DictReader(table.splitlines(), delimiter="\t", restval="")}
