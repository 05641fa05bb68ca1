"""Card: everything that is known of a corpus, ready to be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from aspectlab.data import Corpus
from aspectlab.data.statistics import Breakdown, Statistics, Tally, break_down, describe, tally_rows
from aspectlab.metrics.signature import Signature


@dataclass(frozen=True, slots=True)
class Card:
    """The numbers of each file, of all together, and what reading them had to mend."""

    name: str
    files: tuple[Statistics, ...]
    rows: tuple[Tally, ...]
    total: Statistics
    parts: Breakdown
    notes: tuple[str, ...]
    raw: bool

    @property
    def signature(self) -> str:
        """What was counted and how."""
        found = [one.sha256 for one in self.files]
        digest = found[0] if len(found) == 1 else sha256("".join(found).encode()).hexdigest()
        name = "+".join(dict.fromkeys(one.name for one in self.files))
        match = "as-it-is" if self.raw else "unique-sentences"
        return str(Signature("data", "card", name, digest, "counts", match))

    def to_dict(self) -> dict[str, object]:
        """Give all numbers for a program to read."""
        return {
            "name": self.name,
            "files": [one.to_dict() for one in self.files],
            "total": self.total.to_dict(),
            "rows": [asdict(one) for one in self.rows],
            "parts": asdict(self.parts),
            "signature": self.signature,
        }


def build_card(corpora: Sequence[Corpus], *, raw: bool = False) -> Card:
    """Count the corpora one by one and together.

    >>> from aspectlab.readers import read
    >>> build_card([read(Path("examples/sample.jsonl"))]).parts.whole.segments
    132
    """
    files = tuple(describe(corpus, raw=raw) for corpus in corpora)
    notes = tuple(
        f"{_file_name(corpus.provenance.path)}: {note}"
        for corpus in corpora
        for note in corpus.provenance.notes
    )
    return Card(
        name=" + ".join(dict.fromkeys(corpus.name for corpus in corpora)),
        files=files,
        rows=tuple(tally_rows(corpus) for corpus in corpora),
        total=files[0] if len(files) == 1 else describe(*corpora, raw=raw),
        parts=break_down(*corpora, raw=raw),
        notes=notes,
        raw=raw,
    )


def _file_name(path: str) -> str:
    # a card is published: where the file lay on this machine is nobody's business
    return Path(path).name
