"""The files on mutants: a page, its pictures, and the numbers, from which all can be made again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from aspectlab.data.drafting import drafted
from aspectlab.errors import DataError
from aspectlab.metamorphic.mutantruns import MutantRun, run_to_dict
from aspectlab.reports.metamorphicmutants.grid import draw_grid
from aspectlab.reports.metamorphicmutants.page import render_mutants
from aspectlab.reports.metamorphicmutants.rates import draw_rates
from aspectlab.reports.metamorphicmutants.stacks import list_stacks
from aspectlab.reports.runs.plots.picture import Picture, name_apart
from aspectlab.reports.runs.plots.raster import rasterise


def write_mutants(folder: Path, runs: Sequence[MutantRun], *, with_png: bool = False) -> list[Path]:
    """Write mutants.html, mutants.json and the pictures; files of an earlier time are replaced."""
    records = [run_to_dict(run) for run in runs]
    numbers = json.dumps(records[0] if len(records) == 1 else records, ensure_ascii=False, indent=1) + "\n"
    contents = {
        "mutants.html": render_mutants(runs).encode("utf-8", "xmlcharrefreplace"),
        "mutants.json": numbers.encode("utf-8", "backslashreplace"),
    }
    for name, picture in name_pictures(runs).items():
        drawing = picture.as_file()
        contents[f"{name}.svg"] = drawing.encode("utf-8", "xmlcharrefreplace")
        if with_png:
            contents[f"{name}.png"] = rasterise(drawing)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            with drafted(folder / name) as draft:
                draft.write_bytes(content)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written to: {error.strerror}; check the folder") from None
    return [folder / name for name in contents]


def name_pictures(runs: Sequence[MutantRun]) -> dict[str, Picture]:
    """Give all pictures, each with a name of its own."""
    own = (draw(run) for run in runs for draw in (draw_grid, draw_rates))
    return dict(name_apart([*list_stacks(runs), *own]))
