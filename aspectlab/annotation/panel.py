"""Panel: what several annotators made of the same segments, with everything that does not fit named.

Nothing is merged or mended: what is wrong is a finding, and its segment is left out only on request.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from aspectlab.annotation.sheets import AnnotationSheet, SheetFinding, count_faults, read_sheet
from aspectlab.data import Example, Part
from aspectlab.errors import ConfigError, DataError, TaskError
from aspectlab.readers import Fault


@dataclass(frozen=True, slots=True)
class Panel:
    """The annotators' names and, for each of them, the same segments in the same order."""

    annotators: tuple[str, ...]
    language: str
    annotates: frozenset[Part]
    examples: tuple[tuple[Example, ...], ...]
    findings: tuple[SheetFinding, ...] = ()
    sha256: str = ""

    @property
    def segments(self) -> int:
        """How many segments are compared."""
        return len(self.examples[0])


def read_panel(paths: Sequence[Path], *, exclude: bool = False) -> Panel:
    """Read one file an annotator and keep the segments that can be compared.

    Without `exclude` any finding is refused, with all of them counted.

    >>> read_panel([Path("examples/sample_test.jsonl"), Path("examples/predictions.jsonl")]).annotators
    ('sample_test', 'predictions')
    """
    if len(paths) < 2:
        raise ConfigError(f"found {len(paths)} file(s): expected those of two annotators or more")
    return _check_panel(build_panel([read_sheet(path) for path in paths]), exclude=exclude)


def build_panel(sheets: Sequence[AnnotationSheet]) -> Panel:
    """Line up the sheets by segment; what cannot be compared becomes a finding.

    >>> one = AnnotationSheet("a", "en", frozenset(), (Example("1", "Fine."),))
    >>> build_panel([one, AnnotationSheet("b", "en", frozenset(), ())]).findings[0].detail
    'not in b'
    """
    found = [*(finding for sheet in sheets for finding in sheet.broken), *_find_twice(sheets)]
    known = {finding.segment for finding in found}
    found += [finding for finding in _find_different(sheets) if finding.segment not in known]
    left_out = {finding.segment for finding in found}
    by_id = [{example.id: example for example in sheet.examples} for sheet in sheets]
    kept = [example.id for example in sheets[0].examples if example.id not in left_out]
    return Panel(
        annotators=_name_apart(sheets),
        language=_find_language(sheets),
        annotates=frozenset[Part]().union(*(sheet.annotates for sheet in sheets)),
        examples=tuple(tuple(examples[id] for id in kept) for examples in by_id),
        findings=tuple(found),
        sha256=sha256("".join(sheet.sha256 for sheet in sheets).encode()).hexdigest(),
    )


def _check_panel(panel: Panel, *, exclude: bool) -> Panel:
    if panel.findings and not exclude:
        counted = ", ".join(f"{count} {fault}" for fault, count in count_faults(panel.findings).items())
        raise DataError(
            f"{' and '.join(panel.annotators)}: {len(panel.findings)} finding(s): {counted}; first: "
            f"{panel.findings[0]}: expected the same segments of all; correct the files, or leave these "
            "segments out with --exclude"
        )
    if not panel.segments:
        first = f" ({panel.findings[0]})" if panel.findings else ""
        raise DataError(
            f"{' and '.join(panel.annotators)}: no segment can be compared{first}: expected shared segments; "
            "check the files"
        )
    if not {Part.ASPECT, Part.OPINION} & panel.annotates:
        raise TaskError(
            f"{' and '.join(panel.annotators)}: no aspect and no opinion in any file: expected terms; "
            "agreement compares their wordings"
        )
    return panel


def _find_twice(sheets: Sequence[AnnotationSheet]) -> Iterator[SheetFinding]:
    for sheet in sheets:
        for id, count in Counter(example.id for example in sheet.examples).items():
            if count > 1:
                yield SheetFinding(Fault.TWICE, id, f"{count} times in {sheet.name}")


def _find_different(sheets: Sequence[AnnotationSheet]) -> Iterator[SheetFinding]:
    texts = [{example.id: example.text for example in sheet.examples} for sheet in sheets]
    for id in dict.fromkeys(id for known in texts for id in known):
        absent = [sheet.name for sheet, known in zip(sheets, texts, strict=True) if id not in known]
        if absent:
            yield SheetFinding(Fault.MISSING, id, f"not in {', '.join(absent)}")
        # a sheet may come without texts, as MuSe-CarASTE does: then it has no offsets that could be wrong
        elif len({known[id] for known in texts} - {""}) > 1:
            yield SheetFinding(Fault.TEXT, id, "one of them was edited, so offsets mean different words")


def _find_language(sheets: Sequence[AnnotationSheet]) -> str:
    """Return the first language that a sheet names: a table names none, and the order must not decide."""
    return next((sheet.language for sheet in sheets if sheet.language not in {"und", ""}), "und")


def _name_apart(sheets: Sequence[AnnotationSheet]) -> tuple[str, ...]:
    """Number the annotators whose files have one name."""
    counts = Counter(sheet.name for sheet in sheets)
    return tuple(
        sheet.name if counts[sheet.name] == 1 else f"{sheet.name} ({number})"
        for number, sheet in enumerate(sheets, start=1)
    )
