"""Findings: what is wrong with a run file, where, and what to do; all of them, not only the first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from aspectlab.errors import DataError

_SHOWN = 5
"""How many findings, or ids in one of them, a message shows."""


class Severity(IntEnum):
    """How bad a finding is: worth a look, against the rules, or no score can be trusted."""

    WARNING = 0
    ERROR = 1
    BLOCKER = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a file; `line` is None where it concerns more than one line.

    >>> print(Finding(Severity.ERROR, 3, "'2' in staff_presence", "0 or 1", "correct the cell"))
    line 3: found '2' in staff_presence: expected 0 or 1; correct the cell
    """

    severity: Severity
    line: int | None
    found: str
    expected: str
    remedy: str
    place: str = "whole file"

    def __str__(self) -> str:
        place = self.place if self.line is None else f"line {self.line}"
        return f"{place}: found {self.found}: expected {self.expected}; {self.remedy}"


def grade(findings: Iterable[Finding], *, at_least: Severity, as_: Severity) -> list[Finding]:
    """Give findings that are as bad as `at_least` another severity, and leave the others."""
    return [replace(found, severity=as_) if found.severity >= at_least else found for found in findings]


def refuse_blockers(path: str, findings: Iterable[Finding], *, use: str = "scored") -> None:
    """Raise one error that names every reason (up to five) why a file cannot be put to its use."""
    blockers = [finding for finding in findings if finding.severity is Severity.BLOCKER]
    if not blockers:
        return
    shown = "\n".join(f"  {finding}" for finding in blockers[:_SHOWN])
    rest = len(blockers) - _SHOWN
    more = f"\n  and {rest} more; `aspectlab absita validate` lists all of them" if rest > 0 else ""
    raise DataError(f"{path}: cannot be {use}:\n{shown}{more}")


def show_names(names: Sequence[str]) -> str:
    """List some names, the first few of many.

    >>> show_names(["1", "2"])
    "'1', '2'"
    """
    return ", ".join(f"{name!r:.40}" for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
