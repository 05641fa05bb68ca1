"""Earlier runs: what finished ones lack of what a study asks for now, though it decides no result."""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.experiments.folder import RunFolder
from aspectlab.experiments.planning import Group, Schedule
from aspectlab.reports.runs.record import RunRecord


def tell_earlier(schedule: Schedule, folder: RunFolder) -> Iterator[str]:
    """Say which finished runs are kept although the study would now name them otherwise, or keep more."""
    records = [(run, record) for run in schedule.runs if (record := folder.find(run.id))]
    renamed = [(run, record) for run, record in records if _name(record) != _name(run.group)]
    if renamed:
        run, record = renamed[0]
        yield (
            f"{folder.path}: runs finished under another name: {len(renamed):,}, such as "
            f"{_name(record)!r} for {_name(run.group)!r}: a report goes by the name they have; to have "
            "them made anew under the new one, choose another --out"
        )
    bare = sum(not folder.has_model(run.id) for run, _ in records)
    if schedule.study.keep_models and bare:
        yield (
            f"{folder.path}: runs finished without their model: {bare:,}: keep_models is for those made from "
            "now on; to have all models, choose another --out"
        )


def _name(runs: RunRecord | Group) -> str:
    return f"{runs.label}/{runs.encoder} on {runs.corpus}"
