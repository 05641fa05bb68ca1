"""What `aspectlab metamorphic test` prints: violation rates as JSON and as tables."""

from __future__ import annotations

from collections import Counter

from aspectlab.cli.console import notice, print_json, print_table
from aspectlab.data import Corpus
from aspectlab.metamorphic import Failure, Findings, Tally, Verdict
from aspectlab.metamorphic.tallies import Table
from aspectlab.metrics.signature import Signature
from aspectlab.tasks import Task

_SHOWN = 200
"""Violations of each relation that a page shows: it must not grow with the corpus."""


class Shelf:
    """The first violations of every relation."""

    def __init__(self) -> None:
        self.verdicts: list[Verdict] = []
        self._counts: Counter[str] = Counter()

    def add(self, verdict: Verdict) -> None:
        """Keep a violation while there is room."""
        if verdict.failure and self._counts[verdict.case.relation] < _SHOWN:
            self._counts[verdict.case.relation] += 1
            self.verdicts.append(verdict)


def sign(task: Task, corpus: Corpus, making: str) -> str:
    """Say what was measured on what; `making` says how the follow-ups were made."""
    measure = f"violation-rate-{making}"
    return str(Signature(task.name, "vr", corpus.name, corpus.sha256, measure, "exact"))


def report(title: str, findings: Findings, signature: str, *, as_json: bool) -> None:
    """Print the rates with their signature, and say what was wrong with answers."""
    for fault, message in findings.messages.items():
        notice(f"{fault}: {message}")
    if as_json:
        print_json({**to_record(findings), "signature": signature})
        return
    print_findings(title, findings)
    print(signature)


def to_record(findings: Findings) -> dict[str, object]:
    """Give the numbers as the JSON contract names them, as fractions; null where there is no case."""
    return {
        **_to_table(findings.table),
        # the names under which reports set the two side by side
        "f1": findings.f1,
        "vr": findings.table.summarise()["average"],
        "references": {name: _to_table(table) for name, table in findings.references.items()},
        "faults": findings.messages,
    }


def _to_table(table: Table) -> dict[str, object]:
    relations = {name: _to_relation(tally) for name, tally in table.tallies.items()}
    return {**relations, **table.summarise(), "conditional": table.summarise_conditional()}


def _to_relation(tally: Tally) -> dict[str, object]:
    return {
        "cases": tally.cases,
        "violations": tally.violations,
        "vr": tally.vr,
        "vr_conditional": tally.vr_conditional,
        "found": tally.found,
        "lost": tally.lost,
        "faulty": tally.faulty,
        "failures": dict(tally.failures),
        "faults": dict(tally.faults),
    }


def print_findings(title: str, findings: Findings) -> None:
    """Print a row per relation, and the averages beside those of the references, in percent.

    The kinds of violations have a table of their own: together they are too wide for a terminal.
    """
    tallies = findings.table.tallies
    rates = [
        [name, t.cases, t.violations, _percent(t.vr), t.found, _percent(t.vr_conditional)]
        for name, t in tallies.items()
    ]
    print_table(title, ["relation", "cases", "violations", "VR", "found", "conditional VR"], rates)
    kinds = [[name, *(t.failures[kind] for kind in Failure), t.faulty] for name, t in tallies.items()]
    print_table("kinds of violations, and faulty cases", ["relation", *Failure, "faulty"], kinds)
    _print_averages(findings)


def _print_averages(findings: Findings) -> None:
    elements = ["aspect", "opinion", "sentiment", "average"]
    tables = {"this model": (findings.f1, findings.table), "empty": (0.0, findings.references["empty"])}
    tables["gold"] = (1.0, findings.references["gold"])
    summaries = []
    for name, (f1, table) in tables.items():
        rates, conditional = table.summarise(), table.summarise_conditional()
        cells = [f1, *(rates[element] for element in elements), conditional["average"]]
        summaries.append([name, *map(_percent, cells)])
    heads = ["model", "F1", *elements, "conditional average"]
    print_table("averages of VR, and of the conditional VR", heads, summaries)


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value
