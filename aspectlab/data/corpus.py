"""Corpus: examples with a name, a language, what they annotate and where they come from.

The canonical form of an example is one JSON object per line.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from aspectlab.data.example import Example, Intensity, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.registry import Registry

if TYPE_CHECKING:
    from datasets import Dataset
    from pandas import DataFrame

_EXAMPLE_KEYS = {"id", "text", "quads", "source", "variant", "style", "corpus"}
_QUAD_KEYS = {"aspect", "category", "opinion", "polarity", "intensity", "confidence"}


def example_to_dict(example: Example) -> dict[str, object]:
    """Return the JSON object of an example.

    >>> example_to_dict(Example("7", "Nice."))
    {'id': '7', 'text': 'Nice.', 'quads': []}
    """
    record: dict[str, object] = {
        "id": example.id,
        "text": example.text,
        "quads": [_quad_to_dict(quad) for quad in example.quads],
    }
    if example.source is not None:
        record["source"] = example.source
    if example.variant is not None:
        record["variant"] = example.variant
    if example.style is not None:
        record["style"] = example.style
    return record


def example_from_dict(record: object) -> Example:
    """Turn the object of one line into an example, or say which key is wrong.

    >>> example_from_dict({"id": "7", "text": "Nice.", "quads": []})
    Example(id='7', text='Nice.', quads=(), origin=None, style=None)
    """
    if not isinstance(record, dict):
        raise DataError(f"found {record!r:.80}: expected an object with the keys id, text and quads")
    _refuse_unknown("example", record, _EXAMPLE_KEYS)
    quads = record.get("quads", [])
    if not isinstance(quads, list):
        raise DataError(f"key 'quads': found {quads!r:.80}: expected a list of quads")
    return Example(
        id=_string(record, "id"),
        text=_string(record, "text"),
        quads=tuple(quad_from_dict(quad) for quad in quads),
        source=_optional_string(record, "source"),
        variant=_optional_string(record, "variant"),
        style=_optional_string(record, "style"),
    )


def _quad_to_dict(quad: Quad) -> dict[str, object]:
    record: dict[str, object] = {
        "aspect": _term_to_dict(quad.aspect),
        "category": quad.category,
        "opinion": _term_to_dict(quad.opinion),
        "polarity": quad.polarity.value if quad.polarity else None,
    }
    if quad.intensity is not None:
        record["intensity"] = asdict(quad.intensity)
    if quad.confidence is not None:
        record["confidence"] = dict(quad.confidence)
    return record


def _term_to_dict(term: Term | None) -> dict[str, object] | None:
    if term is None:
        return None
    if term.span is None:
        return {"text": term.text}
    return {"text": term.text, "start": term.span.start, "end": term.span.end}


def quad_from_dict(record: object) -> Quad:
    """Parse the JSON object of one quad; its terms are not checked against the text here.

    >>> quad_from_dict({"aspect": {"text": "tea"}}).aspect
    Term(text='tea', span=None)
    """
    if not isinstance(record, dict):
        raise DataError(f"key 'quads': found {record!r:.80}: expected an object")
    _refuse_unknown("quad", record, _QUAD_KEYS)
    label = _optional_string(record, "polarity")
    if label is not None and label not in set(Polarity):
        raise DataError(f"key 'polarity': found {label!r}: expected one of {', '.join(Polarity)} or null")
    return Quad(
        aspect=_term_from_dict(record.get("aspect"), "aspect"),
        category=_optional_string(record, "category"),
        opinion=_term_from_dict(record.get("opinion"), "opinion"),
        polarity=Polarity(label) if label is not None else None,
        confidence=_numbers_from_dict(record, "confidence"),
        intensity=_intensity_from_dict(record),
    )


def _term_from_dict(record: object, key: str) -> Term | None:
    if record is None:
        return None
    if not isinstance(record, dict):
        raise DataError(f"key {key!r}: found {record!r:.80}: expected an object with a text, or null")
    _refuse_unknown(key, record, {"text", "start", "end"})
    text = _string(record, "text")
    start, end = record.get("start"), record.get("end")
    if start is None and end is None:
        return Term(text)
    # bool is an int to Python, but true is not an offset
    if type(start) is not int or type(end) is not int:
        raise DataError(f"key {key!r}: found start {start!r} and end {end!r}: expected two whole numbers")
    return Term(text, Span(start, end))


def _intensity_from_dict(record: Mapping[str, object]) -> Intensity | None:
    values = _numbers_from_dict(record, "intensity")
    if values is None:
        return None
    if values.keys() != {"valence", "arousal"}:
        found = f"found the keys {', '.join(map(repr, values)) or 'none'}"
        raise DataError(f"key 'intensity': {found:.80}: expected valence and arousal")
    return Intensity(**values)


def _numbers_from_dict(record: Mapping[str, object], key: str) -> dict[str, float] | None:
    values = record.get(key)
    if values is None:
        return None
    if not isinstance(values, dict) or not all(type(value) in (int, float) for value in values.values()):
        raise DataError(f"key {key!r}: found {values!r:.80}: expected an object of numbers")
    # Python reads NaN and Infinity, which are not JSON, and whole numbers beyond any float
    if not all(abs(value) <= sys.float_info.max for value in values.values()):
        raise DataError(f"key {key!r}: found {values!r:.80}: expected finite numbers, as 0.9")
    return {str(name): float(value) for name, value in values.items()}


def _string(record: Mapping[str, object], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise DataError(f"key {key!r}: found {value!r:.80}: expected a string")
    return value


def _optional_string(record: Mapping[str, object], key: str) -> str | None:
    return None if record.get(key) is None else _string(record, key)


def _refuse_unknown(what: str, record: Mapping[str, object], known: set[str]) -> None:
    for key in record:
        if key not in known:
            raise DataError(f"{what}: unknown key {key!r:.80}: expected only {', '.join(sorted(known))}")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a corpus comes from: the file, its format, its sha256, and what reading it had to mend.

    `name` is what the content or a user calls it; empty where only its file has a name.
    """

    path: str = ""
    format: str = ""
    sha256: str = ""
    version: str = ""
    notes: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Corpus:
    """A data set, or one part of it, in memory: a sequence of examples.

    Two corpora are equal if they say the same; where they were read from is not compared. What the examples
    label is found if it is not said.

    >>> corpus = Corpus(examples=[Example("1", "Fine tea.", [Quad(category="drinks")]), Example("2", "Hm.")])
    >>> corpus
    Corpus('corpus', 2 examples, language 'und', annotates category)
    >>> corpus[0].text, len(corpus[:1]), len(corpus.filter(lambda example: not example.quads))
    ('Fine tea.', 1, 1)
    """

    name: str
    language: str
    annotates: frozenset[Part]
    examples: tuple[Example, ...]
    provenance: Provenance = field(default=Provenance(), compare=False)

    def __init__(
        self,
        name: str = "corpus",
        language: str = "und",
        annotates: Iterable[Part | str] | None = None,
        examples: Iterable[Example] = (),
        provenance: Provenance = Provenance(),
    ) -> None:
        held = tuple(examples)
        if foreign := [example for example in held if not isinstance(example, Example)]:
            raise DataError(
                f"corpus {name!r}: found {foreign[0]!r:.60}: expected examples; write "
                "Example('1', 'Good soup.', [Quad(...)]), or read a file with aspectlab.read"
            )
        parts = annotated_parts(held) if annotates is None else _as_parts(name, annotates)
        for slot, value in zip(self.__slots__, (name, language, parts, held, provenance), strict=True):
            object.__setattr__(self, slot, value)

    def __repr__(self) -> str:
        parts = ", ".join(part for part in Part if part in self.annotates) or "nothing"
        found = f"{len(self):,} example{'s' * (len(self) != 1)}"
        return f"Corpus({self.name!r}, {found}, language {self.language!r}, annotates {parts})"

    def __len__(self) -> int:
        return len(self.examples)

    def __iter__(self) -> Iterator[Example]:
        return iter(self.examples)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Example: ...

    @overload
    def __getitem__(self, index: slice) -> Corpus: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Example | Corpus:
        if isinstance(index, slice):
            return self.with_examples(self.examples[index])
        if isinstance(index, SupportsIndex):
            return self.examples[index]
        raise TypeError(
            f"corpus {self.name!r}: found the index {index!r}: expected a number or a slice; "
            "corpus.filter(lambda example: example.id == '7') finds an id"
        )

    def with_examples(self, examples: Iterable[Example]) -> Corpus:
        """Keep everything but the examples."""
        return replace(self, examples=tuple(examples))

    def filter(self, keep: Callable[[Example], object]) -> Corpus:
        """Return the corpus of those examples for which the function returns true."""
        return self.with_examples(example for example in self.examples if keep(example))

    def to_pandas(self) -> DataFrame:
        """Return a pandas table, one row per quad, from which `from_pandas` makes the same corpus.

        Name, language and what is annotated are in its `attrs`.
        """
        return EXCHANGE["to_pandas"](self)

    @classmethod
    def from_pandas(cls, frame: DataFrame, **known: object) -> Corpus:
        """Take a pandas table: one row per quad or text, columns found by their usual names.

        `known` may name columns (`text_column="comment"`), and the corpus: its name, language, annotates.
        """
        corpus: Corpus = EXCHANGE["from_pandas"](frame, **known)
        return corpus

    def to_datasets(self) -> Dataset:
        """Return a data set of the Hugging Face library `datasets`, one row per example, its quads nested."""
        return EXCHANGE["to_datasets"](self)

    @classmethod
    def from_datasets(cls, dataset: Dataset, **known: object) -> Corpus:
        """Take a data set of the library `datasets`: of `to_datasets`, or one row per quad or text.

        `known` is that of `from_pandas`.
        """
        corpus: Corpus = EXCHANGE["from_datasets"](dataset, **known)
        return corpus

    @property
    def own_name(self) -> str:
        """The name, unless only the file is called so: a copy of the file has another name then."""
        return self.name if not self.provenance.path or self.provenance.name else ""

    @property
    def sha256(self) -> str:
        """Identify the content: the same examples give the same digest, whatever file they came from."""
        digest = hashlib.sha256()
        for example in self.examples:
            line = json.dumps(example_to_dict(example), ensure_ascii=False, sort_keys=True)
            digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
        return digest.hexdigest()


_EXCHANGES = "to_pandas", "from_pandas", "to_datasets", "from_datasets", "read_folder"
EXCHANGE = Registry[Callable[..., Any]](
    "exchange", {name: f"aspectlab.readers.frames:{name}" for name in _EXCHANGES}
)
"""Ways to other libraries: columns are what readers know, and they stand above the data."""


def _as_parts(name: str, annotates: Iterable[Part | str]) -> frozenset[Part]:
    words = {annotates} if isinstance(annotates, str) else set(annotates)
    if foreign := sorted(str(word) for word in words if word not in set(Part)):
        raise DataError(
            f"corpus {name!r}: annotates {foreign[0]!r}: expected parts of a quad: {', '.join(Part)}"
        )
    return frozenset(map(Part, words))


def annotated_parts(examples: Iterable[Example]) -> frozenset[Part]:
    """Find which parts of a quad any of the examples labels."""
    found: set[Part] = set()
    for example in examples:
        for quad in example.quads:
            found.update(part for part in Part if getattr(quad, part.value) is not None)
    return frozenset(found)
