"""Again: the command that runs a row of a table once more, for rows that a script of studies/ made."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aspectlab.reports.runs.result import Result

_ENCODERS = {"glove50": "vectors:glove50"}
"""How an encoder is asked for, where that is not its name in the rows."""

_OPTIONS = {"candidates"}
"""Settings that a script takes as an option of its own."""


@dataclass(slots=True)
class _Extent:
    """What the runs of one system and one set of settings cover."""

    corpora: set[str] = field(default_factory=set)
    splits: int = 1
    seeds: int = 1


def list_commands(results: Sequence[Result], script: str) -> list[str]:
    """Give a command per model, encoder and settings of the rows that a script made, in a fixed order.

    >>> runs = [Result("bert", "bert", "minilm", {}, "", "rest14", 1, n, {}, origin="atsc") for n in (1, 2)]
    >>> print(*list_commands(runs, "atsc"))
    python studies/atsc.py --models bert --names rest14 --encoder minilm --seeds 2 --corpora FOLDER --out F
    """
    extents: dict[tuple[str, str, str], _Extent] = defaultdict(_Extent)
    for result in results:
        if result.origin == script:
            extent = extents[result.model, result.encoder, _write(result.settings)]
            extent.corpora.add(result.corpus)
            extent.splits = max(extent.splits, result.split)
            extent.seeds = max(extent.seeds, result.seed)
    return [_command(script, *who, extent) for who, extent in sorted(extents.items())]


def _command(script: str, model: str, encoder: str, settings: str, extent: _Extent) -> str:
    asked = _ENCODERS.get(encoder, encoder)
    words = [f"studies/{script}.py", "--models", model, "--names", *sorted(extent.corpora)]
    words += ["--encoder", asked, *(["--label", encoder] if asked != encoder else [])]
    words += ["--splits", str(extent.splits)] if extent.splits > 1 else []
    words += ["--seeds", str(extent.seeds)]
    pairs = [pair.split("=", 1) for pair in settings.split()]
    words += [word for name, value in pairs if name in _OPTIONS for word in (f"--{name}", value)]
    rest = [f"{name}={value}" for name, value in pairs if name not in _OPTIONS]
    words += ["--set", *rest] if rest else []
    return f"python {shlex.join(words)} --corpora FOLDER --out F"


def _write(settings: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(settings.items()))
