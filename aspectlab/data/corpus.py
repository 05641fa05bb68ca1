"""Corpus: examples with a name, a language, what they annotate, and where they come from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from aspectlab.data.example import Example, Part
from aspectlab.data.serialization import example_to_dict


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a corpus comes from: the file, its format, its sha256, and what reading it had to mend."""

    path: str = ""
    format: str = ""
    sha256: str = ""
    version: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Corpus:
    """A data set, or one part of it, in memory.

    Two corpora are equal if they say the same; where they were read from is not compared.
    """

    name: str
    language: str
    annotates: frozenset[Part]
    examples: tuple[Example, ...]
    provenance: Provenance = field(default=Provenance(), compare=False)

    def __len__(self) -> int:
        return len(self.examples)

    def __iter__(self) -> Iterator[Example]:
        return iter(self.examples)

    def with_examples(self, examples: Iterable[Example]) -> Corpus:
        """Keep everything but the examples."""
        return replace(self, examples=tuple(examples))

    @property
    def sha256(self) -> str:
        """Identify the content: the same examples give the same digest, whatever file they came from."""
        digest = hashlib.sha256()
        for example in self.examples:
            line = json.dumps(example_to_dict(example), ensure_ascii=False, sort_keys=True)
            digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
        return digest.hexdigest()


def annotated_parts(examples: Iterable[Example]) -> frozenset[Part]:
    """Find which parts of a quad any of the examples labels."""
    found: set[Part] = set()
    for example in examples:
        for quad in example.quads:
            found.update(part for part in Part if getattr(quad, part.value) is not None)
    return frozenset(found)
