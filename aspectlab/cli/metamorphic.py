"""The command group `metamorphic`: follow-ups, violation rates and mutants."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import metamorphic, readers
from aspectlab.cli import llm
from aspectlab.cli.console import notice, print_json, print_table, print_text
from aspectlab.cli.metamorphic_models import (
    LIMIT,
    SEED,
    Limit,
    make_groups,
    mutants,
    open_tested,
    sign,
    verdicts,
)
from aspectlab.cli.options import TIMEOUT, Device, notice_foreign, refuse_unwritable_file
from aspectlab.data import Corpus

app = typer.Typer(
    help="Test models by metamorphic relations and measure violation rates.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Train = Annotated[
    Path | None,
    typer.Option(help="Training split, the source of phrases for MR1-3 (default: the corpus itself)."),
]
Seed = Annotated[int, typer.Option(min=0, help="Random seed of MR1-3, if follow-ups are generated.")]
TaskOption = Annotated[
    str, typer.Option(help="Task of a predictions file or of llm: aste, asqp, e2e or atsc.")
]
Timeout = Annotated[
    float,
    typer.Option(
        *TIMEOUT,
        min=0.1,
        max=86_400,
        help="Timeout per call (up to 256 texts), in seconds; llm: per request.",
    ),
]


@app.command()
def generate(
    corpus: Annotated[Path, typer.Argument(help="Sentences with triplets, in any known format.")],
    out: Annotated[Path, typer.Option(help="Output file (JSONL).")],
    train: Train = None,
    seed: Seed = SEED,
    limit: Limit = LIMIT,
    senses: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of WordNet senses per word to take synonyms from (default: all).",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the number of cases as JSON.")] = False,
) -> None:
    """Generate the follow-ups of the eight metamorphic relations, with their sources, for any model.

    The only quad of a follow-up is the expected one. Its variant records what was replaced by what, and
    the source of the replacement. The same seed gives the same file, byte for byte.

    Example: `aspectlab metamorphic generate test.jsonl --train train.jsonl --out followups.jsonl`
    """
    refuse_unwritable_file(out, inputs=[corpus, train], kind="JSONL")
    source = readers.read(corpus)
    pool = readers.read(train) if train else None
    notice_foreign(source, pool)
    groups = list(metamorphic.generate(source, pool, seed=seed, limit=limit, senses=senses))
    counts = dict.fromkeys(metamorphic.RELATIONS, 0)
    for _, cases in groups:
        for case in cases:
            counts[case.relation] += 1
    examples = [e for origin, cases in groups for e in (origin, *(case.followup for case in cases))]
    readers.write(_rename(source.with_examples(examples)), out, "jsonl")
    if as_json:
        print_json({"sources": len(groups), "cases": counts})
    else:
        print_table(f"{source.name}: {len(groups):,} sources", ["relation", "cases"], counts.items())
    notice(f"{out}: {len(examples):,} examples")


def _rename(corpus: Corpus) -> Corpus:
    return replace(corpus, name=f"{corpus.name}-metamorphic")


@app.command("test")
def measure(
    model: Annotated[
        str, typer.Argument(help="Model folder (trained or exported), predictions (JSONL), or llm:MODEL.")
    ],
    corpus: Annotated[
        Path, typer.Argument(help="File written by `metamorphic generate`, or sentences with triplets.")
    ],
    train: Train = None,
    seed: Seed = SEED,
    limit: Limit = LIMIT,
    task: TaskOption = "aste",
    timeout_s: Timeout = 120.0,
    endpoint: llm.Url = llm.USUAL.endpoint,
    key_variable: llm.KeyVariable = llm.USUAL.key_variable,
    concurrency: llm.Concurrency = llm.USUAL.concurrency,
    tries: llm.Tries = 3,
    failures: Annotated[Path | None, typer.Option(help="Write violations to an HTML page.")] = None,
    device: Device = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (as fractions).")] = False,
) -> None:
    """Measure violation rates: how often a model's triplet is lost, or a missed one found, in a follow-up.

    VR counts all cases, so that a model that predicts nothing violates nothing: look at the conditional VR,
    over the triplets that were found, and at the row of the empty model. Trained models set the task
    themselves. If a model fails on a sentence, it counts as having no opinions, and is reported. With
    llm:MODEL a chat model is asked, zero-shot; the texts are sent to --endpoint.

    Example: `aspectlab metamorphic test my-model followups.jsonl --failures failures.html`
    """
    refuse_unwritable_file(failures, "--failures", inputs=[Path(model), corpus, train])
    material, pool = readers.read(corpus), readers.read(train) if train else None
    asking = llm.Asking(
        task, endpoint, key_variable=key_variable, concurrency=concurrency, timeout_s=timeout_s, tries=tries
    )
    tested = open_tested(model, material, asking, device)
    groups, making = make_groups(material, pool, seed=seed, limit=limit)
    shelf = Shelf()
    findings = tested.measure(groups, timeout_s, shelf.add if failures else None)
    signature = sign(tested.task, material, making)
    # first of all the numbers: they took long, and a page may fail for want of space
    report(f"{tested.task.name} on {material.name}", findings, signature, as_json=as_json)
    if failures is not None:
        metamorphic.write_violations(failures, material.name, findings, shelf.verdicts, signature)
        notice(f"{failures}: written")


_SHOWN = 200
"""Violations of each relation that a page shows: it must not grow with the corpus."""


class Shelf:
    """The first violations of every relation."""

    def __init__(self) -> None:
        self.verdicts: list[metamorphic.CaseVerdict] = []
        self._counts: Counter[str] = Counter()

    def add(self, verdict: metamorphic.CaseVerdict) -> None:
        """Keep a violation while there is room."""
        if verdict.failure and self._counts[verdict.case.relation] < _SHOWN:
            self._counts[verdict.case.relation] += 1
            self.verdicts.append(verdict)


def report(title: str, findings: metamorphic.Findings, signature: str, *, as_json: bool) -> None:
    """Print the rates with their signature, and say what was wrong with answers."""
    for fault, message in findings.messages.items():
        notice(f"{fault}: {message}")
    if as_json:
        print_json({**to_record(findings), "signature": signature})
        return
    print_findings(title, findings)
    print_text(signature)


def to_record(findings: metamorphic.Findings) -> dict[str, object]:
    """Return the numbers under the JSON contract's keys, as fractions; null where there is no case."""
    return {
        **_to_table(findings.table),
        # the names under which reports set the two side by side
        "f1": findings.f1,
        "vr": findings.table.summarise()["average"],
        "references": {name: _to_table(table) for name, table in findings.references.items()},
        "faults": findings.messages,
    }


def _to_table(table: metamorphic.ViolationTable) -> dict[str, object]:
    relations = {name: _to_relation(tally) for name, tally in table.tallies.items()}
    return {**relations, **table.summarise(), "conditional": table.summarise_conditional()}


def _to_relation(tally: metamorphic.RelationCounts) -> dict[str, object]:
    return {
        "cases": tally.cases,
        "violations": tally.violations,
        "vr": tally.vr,
        "vr_conditional": tally.vr_conditional,
        "found": tally.found,
        "lost": tally.lost,
        "faulty": tally.faulty,
        "failures": dict(tally.failures),
        "faults": dict(tally.faults),
    }


def print_findings(title: str, findings: metamorphic.Findings) -> None:
    """Print a row per relation, and the averages beside those of the references, in percent.

    The kinds of violations have a table of their own: together they are too wide for a terminal.
    """
    tallies = findings.table.tallies
    rates = [
        [name, t.cases, t.violations, _percent(t.vr), t.found, _percent(t.vr_conditional)]
        for name, t in tallies.items()
    ]
    print_table(title, ["relation", "cases", "violations", "VR", "found", "conditional VR"], rates)
    kinds = [
        [name, *(t.failures[kind] for kind in metamorphic.Failure), t.faulty] for name, t in tallies.items()
    ]
    print_table("kinds of violations, and faulty cases", ["relation", *metamorphic.Failure, "faulty"], kinds)
    _print_averages(findings)


def _print_averages(findings: metamorphic.Findings) -> None:
    elements = ["aspect", "opinion", "sentiment", "average"]
    tables = {"this model": (findings.f1, findings.table), "empty": (0.0, findings.references["empty"])}
    tables["gold"] = (1.0, findings.references["gold"])
    summaries = []
    for name, (f1, table) in tables.items():
        rates, conditional = table.summarise(), table.summarise_conditional()
        cells = [f1, *(rates[element] for element in elements), conditional["average"]]
        summaries.append([name, *map(_percent, cells)])
    heads = ["model", "F1", *elements, "conditional average"]
    print_table("averages of VR, and of the conditional VR", heads, summaries)


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


# listed last: few need them
app.command()(mutants)
app.command()(verdicts)
