"""What can be wrong with a segment that an annotator handed in, and the error that says so."""

from __future__ import annotations

from enum import StrEnum

from aspectlab.errors import DataError


class Fault(StrEnum):
    """What can be wrong with a segment."""

    MISSING = "not annotated by all"
    TWICE = "annotated twice by one person"
    TEXT = "texts differ"
    LABEL = "unknown label"
    RELATION = "broken relation"
    OFFSET = "offsets do not fit the text"
    CLASH = "contradicting labels"
    RECORD = "broken record"


class FaultError(DataError):
    """Report one segment that cannot be read, with the kind of fault, so that it can be counted.

    >>> FaultError(Fault.LABEL, "task 7: found 'Aspct'").fault.name
    'LABEL'
    """

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault
