"""`aspectlab metamorphic mutants`: how well the relations notice damage to a model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli.artsgenerate import parse_names
from aspectlab.cli.console import notice, print_json, print_table
from aspectlab.cli.settings import Device, require_training
from aspectlab.errors import ConfigError

if TYPE_CHECKING:
    from aspectlab.cli.metamorphicmodels import Candidate
    from aspectlab.metamorphic.cases import Group
    from aspectlab.metamorphic.mutants import Comparison, Rates


def mutants(
    model: Annotated[Path, typer.Argument(help="A folder that `aspectlab train` wrote; it is not changed.")],
    corpus: Annotated[
        Path, typer.Argument(help="A file that `metamorphic generate` wrote, or sentences with triplets.")
    ],
    operators: Annotated[str, typer.Option(help="Names with commas between them.")] = "GF,WS,NEB,NS",
    count: Annotated[int, typer.Option(min=1, max=1000, help="Mutants of each operator.")] = 10,
    ratio: Annotated[float, typer.Option(min=0, max=1, help="Share of the neurons that change.")] = 0.01,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Candidates of every replacement.")] = 10,
    timeout_s: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds for one call.")] = 120.0,
    device: Device = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: fractions, not percent.")] = False,
) -> None:
    """Compare relations with gold labels: which notice more often that a few neurons of a model are damaged?

    GF adds noise to weights, WS shuffles them, NEB blocks neurons, NS switches them. p is Wilcoxon's over the
    mutants; the last column corrects it for the number of tests by Holm's method.

    Example: `aspectlab metamorphic mutants my-model followups.jsonl --json`
    """
    require_training("metamorphic mutants")
    from aspectlab.cli.metamorphicmodels import make_groups, open_folder
    from aspectlab.metamorphic.mutants import compare_relations
    from aspectlab.readers import read

    candidate = open_folder(model, device)
    if candidate.model is None:
        raise ConfigError(
            f"{model}: found an exported model: expected a trained one, whose weights can change"
        )
    groups = list(make_groups(read(corpus), None, seed=0, limit=limit)[0])
    rates = _breed(candidate, groups, parse_names(operators), count, ratio, timeout_s)
    report(compare_relations(rates), as_json=as_json)


def _breed(
    candidate: Candidate,
    groups: list[Group],
    operators: list[str],
    count: int,
    ratio: float,
    timeout_s: float,
) -> dict[str, list[Rates]]:
    """Test all mutants against the whole model, one after the other."""
    from aspectlab.metamorphic.mutants import compare_outcomes, find_outcomes
    from aspectlab.training.mutation import mutated

    assert candidate.model is not None
    whole = find_outcomes(groups, candidate.predict, candidate.task, timeout_s=timeout_s)
    rates: dict[str, list[Rates]] = {}
    for operator in operators:
        for seed in range(count):
            with mutated(candidate.model, operator, seed=seed, ratio=ratio):
                found = find_outcomes(groups, candidate.predict, candidate.task, timeout_s=timeout_s)
            rates.setdefault(operator, []).append(compare_outcomes(whole, found))
            notice(f"{operator}: mutant {seed + 1} of {count}")
    return rates


def report(comparisons: list[Comparison], *, as_json: bool) -> None:
    """Print a row per relation and operator."""
    if as_json:
        print_json([_to_record(each) for each in comparisons])
        return
    columns = ["relation", "mutants", "VR", "gold", "p", "verdict", "p Holm", "verdict Holm"]
    rows = [
        (each.relation, each.operator, 100 * each.vr, 100 * each.reference, *_show(each))
        for each in comparisons
    ]
    print_table("relations against gold labels, percent", columns, rows)


def _show(each: Comparison) -> tuple[str, str, str, str]:
    return f"{each.p:.4f}", each.standing.value, f"{each.p_holm:.4f}", each.standing_holm.value


def _to_record(each: Comparison) -> dict[str, object]:
    verdicts = {"verdict": each.standing.value, "verdict_holm": each.standing_holm.value}
    return {**asdict(each), **verdicts}
