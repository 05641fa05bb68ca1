"""Validate a run: every violation of the campaign's format, all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aspectlab.campaigns.absita.filename import MAX_RUNS, Submission, parse_filename
from aspectlab.campaigns.absita.findings import Finding, Severity, refuse_blockers, show_names
from aspectlab.campaigns.absita.sheet import Line, Sheet
from aspectlab.readers.absita import CATEGORIES


def validate(run: Sheet, gold: Sheet | None = None, *, task: str | None = None) -> tuple[Finding, ...]:
    """List what is wrong with a run, in the order of its lines; the task is told by its name if not given.

    `gold` needs no labels: its ids and texts are compared with those of the run. It is refused if not all of
    its rows can be read, since what it lacks would be held against the run.
    """
    said = parse_filename(run.path.name)
    chosen = task or (said.task if said else "acp" if run.has_polarity else "acd")
    findings = [*run.findings, *_check_filename(run, said), *check_repeated(run)]
    for line in run.lines:
        findings += check_flags(line, with_polarity=chosen == "acp")
    if not run.lines and all(finding.severity < Severity.BLOCKER for finding in run.findings):
        found, remedy = "no rows below the header", "add a row for each sentence of the test file"
        findings.append(Finding(Severity.ERROR, None, found, "at least one", remedy))
    if gold is not None:
        refuse_blockers(str(gold.path), gold.findings, use="compared with")
        findings += [*check_ids(gold, run), *_check_texts(gold, run)]
    return tuple(sorted(findings, key=lambda finding: finding.line or 0))


def check_flags(line: Line, *, with_polarity: bool) -> Iterator[Finding]:
    """Compare the three flags of each category: blanks, and polarity and presence that do not agree."""
    for place, category in enumerate(CATEGORIES):
        present, positive, negative = flags = line.flags[3 * place : 3 * place + 3]
        if category == "other" and not any(flags):
            continue
        number = line.number
        if present == "":
            found, remedy = f"a blank {category}_presence", "write 1 if the aspect is there, 0 if not"
            yield Finding(Severity.BLOCKER, number, found, "0 or 1", remedy)
        elif present == "0" and "1" in (positive, negative):
            found, remedy = f"a polarity of {category} without its presence", "set the presence or clear it"
            yield Finding(Severity.ERROR, number, found, f"{category}_presence 1, or no polarity", remedy)
        if present != "1" or not with_polarity:
            continue
        if "" in (positive, negative):
            found, remedy = f"a blank polarity of {category}", "write both as 0 or 1; acd runs may leave them"
            yield Finding(Severity.ERROR, number, found, "0 or 1", remedy)
        elif (positive, negative) == ("0", "0"):
            found, expected = f"{category} without a polarity", "a polarity, unless it is meant as neutral"
            remedy = "nothing has to be done: it counts for acd and gives no pair for acp"
            yield Finding(Severity.WARNING, number, found, expected, remedy)


def check_repeated(run: Sheet) -> Iterator[Finding]:
    """Find ids that stand in more than one row."""
    counts = Counter(line.id for line in run.lines if line.id)
    seen: set[str] = set()
    for line in run.lines:
        if line.id in seen and counts[line.id] > 1:
            found = f"the sentence_id {line.id!r:.40} again"
            yield Finding(Severity.BLOCKER, line.number, found, "every id once", "remove one of the rows")
        seen.add(line.id)


def check_ids(gold: Sheet, run: Sheet) -> Iterator[Finding]:
    """Compare the ids of a run with those of the test file."""
    wanted, found = ({line.id: line.number for line in sheet.lines} for sheet in (gold, run))
    if missing := [name for name in wanted if name not in found]:
        shown = f"{len(missing)} sentence_id(s) missing ({show_names(missing)})"
        remedy = f"add a row for each, also if it has no aspect; the first is line {wanted[missing[0]]} there"
        yield Finding(Severity.BLOCKER, None, shown, "every id of the test file", remedy)
    for name, number in found.items():
        if name and name not in wanted:
            shown, remedy = f"the sentence_id {name!r:.40}", "remove the row: it is passed over"
            yield Finding(Severity.ERROR, number, shown, "an id of the test file", remedy)


def _check_texts(gold: Sheet, run: Sheet) -> Iterator[Finding]:
    texts = {line.id: line.text for line in gold.lines}
    for line in run.lines:
        if line.text and texts.get(line.id, line.text) != line.text:
            found, remedy = f"another text for {line.id!r:.40}", "check that ids and rows belong together"
            yield Finding(Severity.WARNING, line.number, found, "that of the test file, or none", remedy)


def _check_filename(run: Sheet, said: Submission | None) -> Iterator[Finding]:
    place, name = "file name", run.path.name
    if said is None:
        expected = "absita_<acd or acp>_<team>_<run>.csv"
        remedy = "rename the file before you hand it in"
        yield Finding(Severity.WARNING, None, repr(name), expected, remedy, place)
        return
    if name != said.filename:
        found, expected = repr(name), repr(said.filename)
        yield Finding(Severity.WARNING, None, found, expected, "write it in lower case", place)
    if said.run not in map(str, range(1, MAX_RUNS + 1)):
        expected = f"a number from 1 to {MAX_RUNS}, the runs that a team may hand in"
        yield Finding(Severity.WARNING, None, f"the run {said.run!r:.40}", expected, "renumber it", place)
