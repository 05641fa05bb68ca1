"""Run files of DimABSA: JSON lines read leniently, with findings for whatever is wrong in them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from aspectlab.campaigns.evaluation import (
    RunFinding,
    Severity,
    check_ids,
    check_repeated,
    check_texts,
    grade,
    refuse_blockers,
    refuse_unread,
    show_names,
)
from aspectlab.data import HIGHEST, LOWEST, Intensity, Quad, Term
from aspectlab.errors import ConfigError, DataError
from aspectlab.metrics import VALUE_DECIMALS
from aspectlab.outputs import atomic_write
from aspectlab.readers import SUBTASK_LISTS, Source, dump_line, parse_json

CAMPAIGN = "dimabsa"
FIELDS = {1: ("Aspect",), 2: ("Aspect", "Opinion"), 3: ("Aspect", "Opinion", "Category")}
"""What must be equal in a prediction and in gold, by subtask."""

_ID, _TEXT, _VALUES = "ID", "Text", "VA"
_NUMBER = r"-?[0-9]{1,3}(?:\.([0-9]{1,15}))?"
_POINT = re.compile(f"({_NUMBER})#({_NUMBER})")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class RunTuple:
    """One opinion: the strings that are compared, in the order of `FIELDS`, and its valence and arousal."""

    fields: tuple[str, ...]
    intensity: Intensity

    @property
    def key(self) -> tuple[str, ...]:
        """What is compared: the strings as they are, but for case."""
        return tuple(field.lower() for field in self.fields)

    @property
    def quad(self) -> Quad:
        """The same as a quad of terms without offsets."""
        aspect, opinion, category = (*self.fields, None, None)[:3]
        terms = [None if surface is None else Term(surface) for surface in (aspect, opinion)]
        return Quad(terms[0], category, terms[1], self.intensity.polarity, intensity=self.intensity)


@dataclass(frozen=True, slots=True)
class RunLine:
    """One line: its number, the id and the text, and the opinions of it."""

    number: int
    id: str
    text: str
    tuples: tuple[RunTuple, ...]


@dataclass(frozen=True, slots=True)
class RunFile:
    """A file of the campaign: gold or run."""

    path: Path
    sha256: str
    subtask: int
    lines: tuple[RunLine, ...]
    findings: tuple[RunFinding, ...]


def read_run(path: str | Path, subtask: int | None = None) -> RunFile:
    """Read a file as far as it can be read; what is wrong with its lines becomes findings.

    The subtask is that of the first line that has a list of opinions, if it is not given.
    """
    if subtask is not None and subtask not in FIELDS:
        raise ConfigError(f"subtask {subtask}: expected 1, 2 or 3; choose one of them")
    source = Source(Path(path))
    findings: list[RunFinding] = []
    if source.head.start.startswith(_BOM):
        remedy = "save the file without it (`--fix` does): the organisers' script skips the line"
        findings.append(RunFinding(Severity.BLOCKER, 1, "a byte-order mark", "none", remedy))
    records = list(_read_records(source, findings))
    chosen = subtask or _tell_subtask(source, records)
    lines = tuple(line for each in records for line in _read_line(*each, chosen, findings))
    return RunFile(source.path, source.sha256, chosen, lines, tuple(findings))


def _read_records(source: Source, findings: list[RunFinding]) -> Iterator[tuple[int, Mapping[str, object]]]:
    for number, line in source.lines():
        if not line.strip():
            continue
        if "\r" in line:
            remedy = "remove it: the organisers' script begins a new line there"
            findings.append(_blocker(number, "a carriage return", "line feeds at the ends alone", remedy))
            continue
        try:
            record = parse_json(source, number, line)
        except DataError:
            remedy = "correct the line: the organisers' script skips it"
            findings.append(RunFinding(Severity.ERROR, number, f"{line[:40]!r}", "a JSON object", remedy))
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            remedy = "correct or remove the line"
            findings.append(RunFinding(Severity.BLOCKER, number, f"{record!r:.40}", "a JSON object", remedy))


def _tell_subtask(source: Source, records: Iterable[tuple[int, Mapping[str, object]]]) -> int:
    for _, record in records:
        for subtask, key in SUBTASK_LISTS.items():
            if key in record:
                return subtask
    expected = f"a line with one of the keys {', '.join(SUBTASK_LISTS.values())}"
    raise source.error("whole file", "none", expected, "check the path, or name the subtask")


def _read_line(
    number: int, record: Mapping[str, object], subtask: int, findings: list[RunFinding]
) -> Iterator[RunLine]:
    """Yield the line, or nothing where a part of it cannot be read: that would end the organisers' script."""
    name, items, key = record.get(_ID), record.get(SUBTASK_LISTS[subtask]), SUBTASK_LISTS[subtask]
    found: list[RunFinding] = []
    if not isinstance(name, str) or not name:
        found.append(_blocker(number, f"the {_ID} {name!r:.40}", "a string", "give the ID of the test file"))
    if not isinstance(items, list):
        shown = f"the {key} {items!r:.40}" if key in record else f"no {key}"
        found.append(_blocker(number, shown, "a list of opinions", "write an empty list where there is none"))
        items = []
    tuples = [_read_tuple(number, item, subtask, found) for item in items]
    findings += found
    kept = tuple(each for each in tuples if each is not None)
    if isinstance(name, str) and name and isinstance(record.get(key), list) and len(kept) == len(tuples):
        text = record.get(_TEXT)
        yield RunLine(number, name, text if isinstance(text, str) else "", kept)


def _read_tuple(number: int, item: object, subtask: int, findings: list[RunFinding]) -> RunTuple | None:
    if not isinstance(item, dict):
        findings.append(_blocker(number, f"{item!r:.40}", "an object", "correct or remove it"))
        return None
    fields = [item.get(key) for key in FIELDS[subtask]]
    for key, value in zip(FIELDS[subtask], fields, strict=True):
        if not isinstance(value, str):
            shown = f"the {key} {value!r:.40}" if key in item else f"an opinion without {key}"
            findings.append(_blocker(number, shown, "a string", "write NULL for what is implicit"))
    intensity = _read_values(number, item.get(_VALUES), subtask, findings)
    if intensity is None or not all(isinstance(value, str) for value in fields):
        return None
    return RunTuple(tuple(map(str, fields)), intensity)


def _read_values(number: int, values: object, subtask: int, findings: list[RunFinding]) -> Intensity | None:
    point = _POINT.fullmatch(values) if isinstance(values, str) else None
    if point is None:
        expected = "valence#arousal, as in 6.75#5.50"
        findings.append(_blocker(number, f"the {_VALUES} {values!r:.40}", expected, "correct it"))
        return None
    intensity = Intensity(float(point[1]), float(point[3]))
    if not intensity.in_range:
        remedy = "clip them (`--fix` does)" + (": such a hit has closeness 0" if subtask > 1 else "")
        shown = f"the {_VALUES} {values!r:.40}"
        findings.append(RunFinding(Severity.ERROR, number, shown, "both from 1 to 9", remedy))
    decimals = [len(part or "") for part in (point[2], point[4])]
    if decimals != [2, 2]:
        exact = subtask > 1 or max(decimals) <= VALUE_DECIMALS
        severity = Severity.WARNING if exact else Severity.BLOCKER
        remedy = "round them (`--fix` does)"
        if not exact:
            remedy += f": more than {VALUE_DECIMALS} are not scored exactly"
        shown = f"the {_VALUES} {values!r:.40}"
        findings.append(RunFinding(severity, number, shown, "two decimals each", remedy))
    return intensity


def _blocker(number: int, found: str, expected: str, remedy: str) -> RunFinding:
    return RunFinding(Severity.BLOCKER, number, found, expected, remedy)


def validate(run: RunFile, gold: RunFile | None = None) -> tuple[RunFinding, ...]:
    """List what is wrong with a run, in the order of its lines; `gold` says what the test file has.

    It is refused if not all of its lines can be read, since what it lacks would be held against the run.
    """
    findings = [*run.findings, *check_repeated(run.lines, key=_ID), *_check_tuples(run)]
    if not run.lines and not findings:
        remedy = "add a line for each text of the test file"
        findings.append(RunFinding(Severity.ERROR, None, "no lines", "at least one", remedy))
    if gold is not None:
        _check_gold(gold, run)
        surplus = "passed over" if run.subtask == 1 else "counted as wrong"
        remedy = f"remove the line: what it predicts is {surplus}"
        ids = list(check_ids(gold.lines, run.lines, key=_ID, surplus=remedy))
        # the ids of gold and run are joined: what is missing lowers the recall, but ends subtask 1
        findings += ids if run.subtask == 1 else grade(ids, at_least=Severity.BLOCKER, as_=Severity.ERROR)
        findings += [*check_texts(gold.lines, run.lines), *_check_aspects(gold, run)]
    return tuple(sorted(findings, key=lambda finding: finding.line or 0))


def _check_gold(gold: RunFile, run: RunFile) -> None:
    """Refuse gold that cannot be read whole, has no opinions, or is of another subtask."""
    if gold.subtask != run.subtask:
        raise DataError(
            f"{run.path}: found a run of subtask {run.subtask} and gold of subtask {gold.subtask}: expected "
            "both of one; name the other file"
        )
    read = {line.number for line in gold.lines}
    lost = [found for found in gold.findings if found.line not in read]
    kept = [found for found in gold.findings if found.line in read]
    findings = [*grade(lost, at_least=Severity.ERROR, as_=Severity.BLOCKER), *kept]
    if not any(line.tuples for line in gold.lines):
        remedy = "name a file that has them"
        findings.append(RunFinding(Severity.BLOCKER, None, "no opinions", "some of them", remedy))
    findings += check_repeated(gold.lines, key=_ID)
    refuse_blockers(str(gold.path), findings, campaign=CAMPAIGN, use="compared with")


def _check_tuples(run: RunFile) -> Iterator[RunFinding]:
    """Find opinions that stand twice in a line: the gold tuple is missed then, and both count as wrong."""
    for line in run.lines if run.subtask > 1 else ():
        counts = Counter(each.key for each in line.tuples)
        for key, count in counts.items():
            if count > 1:
                found = f"{count} predictions of {show_names(key)}"
                remedy = "keep one of them (`--fix` does): as it is, none of them counts as right"
                yield RunFinding(Severity.ERROR, line.number, found, "one of each", remedy)


def _check_aspects(gold: RunFile, run: RunFile) -> Iterator[RunFinding]:
    """Compare the aspects of subtask 1, which are given, with those of gold."""
    wanted = {line.id: {each.key for each in line.tuples} for line in gold.lines}
    for line in run.lines if run.subtask == 1 else ():
        own, found = wanted.get(line.id, set()), {each.key for each in line.tuples}
        if missing := sorted(key[0] for key in own - found):
            shown = f"no prediction for {show_names(missing)}"
            yield _blocker(line.number, shown, "one for each aspect of the test file", "add it")
        if surplus := sorted(key[0] for key in found - own):
            remedy = "remove them: they are passed over"
            shown = f"the aspects {show_names(surplus)}"
            yield RunFinding(Severity.WARNING, line.number, shown, "those of the test file", remedy)


def fix_run(run: RunFile, path: Path) -> None:
    """Write a run again with values of two decimals from 1 to 9, and each opinion of a line once."""
    unread = grade(run.findings, at_least=Severity.ERROR, as_=Severity.BLOCKER)
    refuse_unread(str(run.path), run.lines, unread, str(path))
    with atomic_write(path, remedy="check the folder") as draft:
        lines = "".join(f"{dump_line(_to_record(line, run.subtask))}\n" for line in run.lines)
        draft.write_text(lines, encoding="utf-8", newline="\n")


def _to_record(line: RunLine, subtask: int) -> dict[str, object]:
    # aspects of subtask 1 may recur in gold, and are all asked for
    kept = {each.key: each for each in reversed(line.tuples)}
    tuples = [each for each in line.tuples if subtask == 1 or kept[each.key] is each]
    items = [
        {**dict(zip(FIELDS[subtask], each.fields, strict=True)), _VALUES: _spell(each.intensity)}
        for each in tuples
    ]
    text = {_TEXT: line.text} if line.text else {}
    return {_ID: line.id, **text, SUBTASK_LISTS[subtask]: items}


def _spell(intensity: Intensity) -> str:
    values = (intensity.valence, intensity.arousal)
    return "#".join(f"{min(max(value, LOWEST), HIGHEST):.2f}" for value in values)
