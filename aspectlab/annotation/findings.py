"""What is wrong with a segment that annotators handed in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from aspectlab.readers.faults import Fault

__all__ = ["Fault", "Finding", "count_faults"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One segment that cannot be compared, and why."""

    fault: Fault
    segment: str
    detail: str

    def __str__(self) -> str:
        return f"{self.fault}: segment {self.segment!r}: {self.detail}"


def count_faults(findings: Sequence[Finding]) -> dict[str, int]:
    """Count findings by fault.

    >>> count_faults([Finding(Fault.TEXT, "1", "a, b")])
    {'texts differ': 1}
    """
    counts = Counter(finding.fault for finding in findings)
    return {fault.value: counts[fault] for fault in Fault if counts[fault]}
