"""Hand-made files of the campaign, and the organisers' scoring written a second time, in the plainest way."""

import csv
from pathlib import Path

from aspectlab.campaigns.absita import RunScore, read_sheet, score_run
from aspectlab.readers.absita import CATEGORIES

FLAGS = ("presence", "positive", "negative")
COLUMNS = [f"{category}_{flag}" for category in CATEGORIES for flag in FLAGS]
HEADER = ";".join(["sentence_id", *COLUMNS, "sentence"])

POS, NEG, MIXED, NEUTRAL = "110", "101", "111", "100"

GOLD = {
    "11": {"cleanliness": POS, "staff": POS},
    "12": {"comfort": NEG},
    "13": {"location": MIXED, "other": NEG},
    "14": {},
}
"""Six aspects (five without other) and seven pairs (six without other), counted by hand."""


def row(name: str, labels: dict[str, str], text: str = "Bello.") -> str:
    cells = [flag for category in CATEGORIES for flag in labels.get(category, "000")]
    return ";".join([name, *cells, f'"{text}"'])


def content(labels: dict[str, dict[str, str]]) -> str:
    return "\n".join([HEADER, *(row(name, said) for name, said in labels.items())]) + "\n"


def make(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def score(folder: Path, text: str | bytes, gold: str | None = None, **options: bool) -> RunScore:
    wanted = make(folder / "gold.csv", content(GOLD) if gold is None else gold)
    return score_run(read_sheet(wanted), read_sheet(make(folder / "absita_acp_t_1.csv", text)), **options)


def official(gold: Path, run: Path, with_other: bool) -> list[float]:
    """Score as the organisers' script is known to: cells that are exactly 1, the last row of an id."""
    numbers: list[float] = []
    for flags in (("presence",), ("positive", "negative")):
        wanted, given = (_sets(path, flags, with_other) for path in (gold, run))
        hits = sum(len(wanted[name] & given[name]) for name in wanted)
        sizes = [sum(len(sets[name]) for name in wanted) for sets in (given, wanted)]
        numbers += _harmonic(*(hits / size if size else 0.0 for size in sizes))
        shares = [
            [len(wanted[n] & given[n]) / len(side[n]) if side[n] else 0.0 for n in wanted]
            for side in (given, wanted)
        ]
        numbers += _harmonic(*(sum(share) / len(share) for share in shares))
    return numbers


def twelve(found: RunScore) -> list[float]:
    """Return our numbers in the same order; a task that was not scored has zeros there."""
    numbers: list[float] = []
    for tally in (found.acd, found.acp):
        for values in (tally.micro, tally.macro) if tally else ():
            numbers += values.values()
    return numbers + [0.0] * (12 - len(numbers))


def _sets(path: Path, flags: tuple[str, ...], with_other: bool) -> dict[str, set[str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream, delimiter=";")
        # blanks around a name are forgiven, as they are around an id
        reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
        rows = list(reader)
    columns = [f"{name}_{flag}" for name in CATEGORIES for flag in flags if with_other or name != "other"]
    return {line["sentence_id"].strip(): {c for c in columns if line.get(c) == "1"} for line in rows}


def _harmonic(precision: float, recall: float) -> list[float]:
    both = precision + recall
    return [precision, recall, 2 * precision * recall / both if both else 0.0]
