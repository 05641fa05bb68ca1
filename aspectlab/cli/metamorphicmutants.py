"""`aspectlab metamorphic mutants` and `verdicts`: how well the relations notice damage to a model."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli.artsgenerate import parse_names
from aspectlab.cli.console import notice, print_json, print_table
from aspectlab.cli.settings import (
    TIMEOUT,
    Device,
    refuse_unwritable,
    refuse_unwritable_inside,
    require_training,
)
from aspectlab.errors import ConfigError, MissingPartError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aspectlab.metamorphic.mutantruns import MutantRun
    from aspectlab.metamorphic.mutants import Comparison

SEED, LIMIT = 0, 10
"""What follow-ups are made with unless told otherwise."""

Limit = Annotated[int, typer.Option(min=1, max=100, help="Most candidates of a replacement that is made.")]
Quality = Annotated[
    float, typer.Option(min=0, max=1, help="Draw mutants again that keep less than this share of F1.")
]
Sources = Annotated[int | None, typer.Option(min=1, help="Take only so many sentences, the first ones.")]
Cases = Annotated[
    str, typer.Option(help="What a mutant can lose: `satisfied` cases, or triplets `found` in follow-ups.")
]
Plots = Annotated[
    Path | None, typer.Option(help="Folder for pictures (SVG), a page (HTML) and the numbers (JSON).")
]
Png = Annotated[bool, typer.Option("--png", help="Pictures as PNG as well; needs the extra `png`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON: fractions, not percent.")]


def mutants(
    model: Annotated[Path, typer.Argument(help="A folder that `aspectlab train` wrote; it is not changed.")],
    corpus: Annotated[
        Path, typer.Argument(help="A file that `metamorphic generate` wrote, or sentences with triplets.")
    ],
    operators: Annotated[str, typer.Option(help="Names with commas between them.")] = "GF,WS,NEB,NS",
    count: Annotated[int, typer.Option(min=1, max=1000, help="Mutants of each operator.")] = 10,
    ratio: Annotated[float, typer.Option(min=0, max=1, help="Share of the neurons that change.")] = 0.01,
    quality: Quality = 0.0,
    limit: Limit = LIMIT,
    sources: Sources = None,
    cases: Cases = "satisfied",
    timeout_s: Annotated[
        float, typer.Option(*TIMEOUT, min=0.1, max=86_400, help="Seconds for one call.")
    ] = 120.0,
    plots: Plots = None,
    png: Png = False,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Compare relations with gold labels: which notice more often that a few neurons of a model are damaged?

    GF adds noise to weights, WS shuffles them, NEB blocks neurons, NS switches them; mutants have the seeds
    0, 1, 2 and so on. p is Wilcoxon's over the mutants; the last columns correct it for the number of tests
    by Holm's method. A mutant that finds nothing satisfies every case: see also `--cases found`.

    Example: `aspectlab metamorphic mutants my-model followups.jsonl --plots pictures --json`
    """
    require_training("metamorphic mutants")
    from aspectlab.cli.metamorphicbreeding import Breeding, breed
    from aspectlab.cli.metamorphicmodels import make_groups, open_folder
    from aspectlab.cli.metamorphicreport import sign
    from aspectlab.metamorphic.mutantruns import MutantRun
    from aspectlab.metamorphic.mutants import compare_relations, find_reading
    from aspectlab.readers import read

    refuse_pictures(plots, png=png)
    # one that is named twice would be tested twice, for the same numbers
    names = list(dict.fromkeys(parse_names(operators)))
    breeding = Breeding(names, count, ratio, quality, find_reading(cases), timeout_s)
    candidate, material = open_folder(model, device), read(corpus)
    made, making = make_groups(material, None, seed=0, limit=limit)
    rates = breed(candidate, list(islice(made, sources)), breeding)
    signature = sign(
        candidate.task, material, f"{making}-first{sources}-{breeding}".replace("-firstNone", "")
    )
    comparisons = tuple(compare_relations(rates))
    run = MutantRun(model.resolve().name, material.name, signature, comparisons, breeding.reading)
    report([run], plots, png=png, as_json=as_json)


def verdicts(
    results: Annotated[
        list[Path], typer.Argument(help="JSON files that `metamorphic mutants` printed or wrote.")
    ],
    plots: Plots = None,
    png: Png = False,
    as_json: AsJson = False,
) -> None:
    """Put the mutants of several models, or on several corpora, into one table and one picture.

    p is corrected for the tests of all of them together, so a verdict may differ from that of a single run.

    Example: `aspectlab metamorphic verdicts one/mutants.json two/mutants.json --plots pictures`
    """
    from aspectlab.metamorphic.mutantruns import join_runs, read_mutant_runs

    refuse_pictures(plots, png=png)
    if plots is not None:
        refuse_unwritable_inside(plots, ["mutants.json"], inputs=results)
    runs = join_runs([run for path in results for run in read_mutant_runs(path)])
    report(runs, plots, png=png, as_json=as_json)


def refuse_pictures(plots: Path | None, *, png: bool) -> None:
    """Refuse pictures that could not be written, before the work is done."""
    if plots is not None:
        refuse_unwritable(plots, "--plots")
    elif png:
        raise ConfigError("--png without --plots: name a folder for the pictures with --plots")
    if png and not find_spec("resvg_py"):
        raise MissingPartError("--png: resvg-py is not installed: get it with: pip install 'aspectlab[png]'")


def report(runs: Sequence[MutantRun], plots: Path | None, *, png: bool, as_json: bool) -> None:
    """Print a row per run, relation and operator, and draw them where that is asked for."""
    from aspectlab.metamorphic.mutantruns import run_to_dict, warn_of_weakness

    if warning := warn_of_weakness(runs):
        notice(warning)
    if plots is not None:
        from aspectlab.reports.metamorphicmutants.files import write_mutants

        written = write_mutants(plots, runs, with_png=png)
        notice(f"wrote {len(written)} files to {plots}")
    if as_json:
        records = [run_to_dict(run) for run in runs]
        print_json(records[0] if len(records) == 1 else records)
        return
    columns = ["relation", "mutants", "VR", "gold", "p", "verdict", "p Holm", "verdict Holm"]
    for run in runs:
        rows = [
            (each.relation, each.operator, 100 * each.vr, 100 * each.reference, *_show(each))
            for each in run.comparisons
        ]
        print_table(f"{run.name}: relations against gold labels, percent", columns, rows)
        print(run.signature)


def _show(each: Comparison) -> tuple[str, str, str, str]:
    return f"{each.p:.4f}", each.standing.value, f"{each.p_holm:.4f}", each.standing_holm.value
