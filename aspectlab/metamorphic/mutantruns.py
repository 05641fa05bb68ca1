"""Runs of the mutant protocol as files: one model on one corpus each, and several of them put together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from aspectlab.errors import ConfigError, DataError
from aspectlab.metamorphic.mutants import ALPHA, Comparison, Reading, correct, needed_mutants


@dataclass(frozen=True, slots=True)
class MutantRun:
    """What the mutants of one model did on one corpus, and the signature of that."""

    model: str
    corpus: str
    signature: str
    comparisons: tuple[Comparison, ...]
    reading: Reading = Reading.SATISFIED

    @property
    def name(self) -> str:
        """What a table or a picture calls it."""
        way = ", by what is found" if self.reading is Reading.FOUND else ""
        return f"{self.model} on {self.corpus}{way}"


def join_runs(runs: Sequence[MutantRun]) -> list[MutantRun]:
    """Put runs side by side: p is corrected for the tests of all of them together.

    >>> one = MutantRun("a", "c", "", (Comparison("MR1-1", "GF", 0.2, 0.1, 0.02, 0.01, 0.02),))
    >>> [run.comparisons[0].p_holm for run in join_runs([one, replace(one, model="b")])]
    [0.04, 0.04]
    """
    names = [run.name for run in runs]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"mutants of {name!r}: found {names.count(name)} results: expected one of each")
    corrected = iter(correct([each for run in runs for each in run.comparisons]))
    return [replace(run, comparisons=tuple(next(corrected) for _ in run.comparisons)) for run in runs]


def warn_of_weakness(runs: Sequence[MutantRun]) -> str | None:
    """Say that there are too few mutants for the number of tests; None if there are enough.

    >>> row = Comparison("MR1-1", "GF", 0.2, 0.1, 0.02, 0.01, 0.02, (0.2,) * 10, (0.1,) * 10)
    >>> warn_of_weakness([MutantRun("a", "c", "", (row,))]) is None
    True
    >>> print(warn_of_weakness([MutantRun("a", "c", "", (row,) * 32)]))
    with 10 mutants and 32 tests no corrected p can be below 0.05: it takes 11 mutants of each operator
    """
    rows = [each for run in runs for each in run.comparisons]
    most, needed = max(len(each.values) for each in rows), needed_mutants(len(rows))
    if most >= needed:
        return None
    return (
        f"with {most} mutants and {len(rows)} tests no corrected p can be below {ALPHA}: "
        f"it takes {needed} mutants of each operator"
    )


def run_to_dict(run: MutantRun) -> dict[str, object]:
    """Give a run as JSON has it: fractions, with the verdicts in words."""
    rows = [
        {**asdict(each), "verdict": each.standing.value, "verdict_holm": each.standing_holm.value}
        for each in run.comparisons
    ]
    return {
        "model": run.model,
        "corpus": run.corpus,
        "cases": run.reading.value,
        "signature": run.signature,
        "comparisons": rows,
    }


def read_mutant_runs(path: Path) -> list[MutantRun]:
    """Read what `aspectlab metamorphic mutants --json` printed: one run, or a list of them."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        records = found if isinstance(found, list) else [found]
        if not records:
            raise DataError(f"found no result: {_WANTED}")
        return [_read_run(record) for record in records]
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: found no JSON ({error}): {_WANTED}") from None


_WANTED = "expected what `aspectlab metamorphic mutants --json` prints"


def _read_run(record: object) -> MutantRun:
    rows = record.get("comparisons") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(rows, list) or not rows:
        raise DataError(f"found {record!r:.80}: {_WANTED}")
    names = [record.get(key) for key in ("model", "corpus", "signature", "cases")]
    if not all(isinstance(name, str) for name in names) or names[-1] not in set(Reading):
        raise DataError(f"found the model, corpus, signature and cases {names!r:.80}: {_WANTED}")
    model, corpus, signature, cases = map(str, names)
    return MutantRun(model, corpus, signature, tuple(_read_row(row) for row in rows), Reading(cases))


def _read_row(row: object) -> Comparison:
    """Read one comparison; verdicts are not read, they follow from its p."""
    if not isinstance(row, Mapping):
        raise DataError(f"found the comparison {row!r:.80}: {_WANTED}")
    values = [_read_value(row.get(field.name), str(field.type)) for field in fields(Comparison)]
    return Comparison(*values)  # type: ignore[arg-type]


def _read_value(value: object, kind: str) -> str | float | tuple[float, ...]:
    if kind == "str" and isinstance(value, str):
        return value
    if kind == "float" and _is_share(value):
        return float(value)  # type: ignore[arg-type]
    if kind.startswith("tuple") and isinstance(value, list) and all(map(_is_share, value)):
        return tuple(map(float, value))
    raise DataError(f"found {value!r:.80} in a comparison, expected {kind}: {_WANTED}")


def _is_share(value: object) -> bool:
    """Tell whether a value is a fraction: rates and p both are."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
