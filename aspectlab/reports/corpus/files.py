"""The files of a data card: the page, its numbers, and every picture as SVG and, where possible, PNG."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from aspectlab.data import Corpus
from aspectlab.errors import MissingPartError
from aspectlab.reports.corpus.card import build_card
from aspectlab.reports.corpus.figures import list_clouds, list_figures
from aspectlab.reports.corpus.page import render_card
from aspectlab.reports.runs.plots.picture import Picture
from aspectlab.reports.runs.plots.raster import rasterise
from aspectlab.reports.writing import write_file

T = TypeVar("T")


def write_card(folder: Path, corpora: Sequence[Corpus], *, raw: bool = False) -> tuple[list[Path], list[str]]:
    """Write card.html, card.json and the pictures; give the files, and what could not be made and why.

    The same corpora give the same bytes.
    """
    absent: list[str] = []
    card = build_card(corpora, raw=raw)
    clouds = _try(lambda: list_clouds(card.parts), absent) or []
    pictures = [*list_figures(card.parts), *clouds]
    files = {
        "card.html": render_card(card, pictures).encode("utf-8", "xmlcharrefreplace"),
        "card.json": (json.dumps(card.to_dict(), indent=1) + "\n").encode(),
        **{f"{picture.name}.svg": picture.as_file().encode("utf-8", "replace") for picture in pictures},
        **(_try(lambda: _rasterise(pictures), absent) or {}),
    }
    return [write_file(folder / name, content) for name, content in files.items()], absent


def find_others(folder: Path, written: Sequence[Path]) -> list[Path]:
    """List the pictures in the folder of a card that are not its own, as an earlier card leaves them.

    >>> find_others(Path("absent"), [])
    []
    """
    pictures = (path for end in ("svg", "png") for path in folder.glob(f"*.{end}"))
    return sorted(set(pictures) - set(written))


def _rasterise(pictures: Sequence[Picture]) -> dict[str, bytes]:
    return {f"{picture.name}.png": rasterise(picture.as_file()) for picture in pictures}


def _try(make: Callable[[], T], absent: list[str]) -> T | None:
    """Do without what needs a package that is not installed, and remember why."""
    try:
        return make()
    except MissingPartError as error:
        absent.append(str(error))
        return None
