"""`aspectlab metamorphic`: does a model find the same when a sentence says the same in other words?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli import llm
from aspectlab.cli.console import notice, print_json, print_table
from aspectlab.cli.english import notice_foreign
from aspectlab.cli.metamorphicmutants import LIMIT, SEED, Limit, mutants, verdicts
from aspectlab.cli.settings import TIMEOUT, Device, refuse_unwritable_file

if TYPE_CHECKING:
    from aspectlab.data import Corpus

app = typer.Typer(
    help="Metamorphic relations and violation rates.", no_args_is_help=True, rich_markup_mode="markdown"
)
app.command()(mutants)
app.command()(verdicts)

Train = Annotated[
    Path | None,
    typer.Option(help="The training split: MR1-3 makes its phrases of it, else of the corpus itself."),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the draws of MR1-3, where follow-ups are made.")]
Task = Annotated[
    str, typer.Option(help="What predictions, or answers of llm, are for: aste, asqp, e2e or atsc.")
]
Timeout = Annotated[
    float,
    typer.Option(
        *TIMEOUT, min=0.1, max=86_400, help="Seconds for 256 texts, or for one; llm: for an answer."
    ),
]


@app.command()
def generate(
    corpus: Annotated[Path, typer.Argument(help="Sentences with triplets, in any format.")],
    out: Annotated[Path, typer.Option(help="The JSONL file to write.")],
    train: Train = None,
    seed: Seed = SEED,
    limit: Limit = LIMIT,
    senses: Annotated[
        int | None,
        typer.Option(min=1, help="Senses of a word whose synonyms are used: the first ones, or all."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the number of cases as JSON.")] = False,
) -> None:
    """Write the sources and all follow-ups of the eight relations, for any model to predict.

    The only quad of a follow-up is the expected one. Its variant says what was replaced by what, and where
    that comes from. One seed gives one file, byte for byte.

    Example: `aspectlab metamorphic generate test.jsonl --train train.jsonl --out followups.jsonl`
    """
    from aspectlab import metamorphic
    from aspectlab.readers import read, write

    refuse_unwritable_file(out, inputs=[corpus, train], kind="JSONL")
    source = read(corpus)
    pool = read(train) if train else None
    notice_foreign(source, pool)
    groups = list(metamorphic.generate(source, pool, seed=seed, limit=limit, senses=senses))
    counts = dict.fromkeys(metamorphic.RELATIONS, 0)
    for _, cases in groups:
        for case in cases:
            counts[case.relation] += 1
    examples = [e for origin, cases in groups for e in (origin, *(case.followup for case in cases))]
    write(_rename(source.with_examples(examples)), out, "jsonl")
    if as_json:
        print_json({"sources": len(groups), "cases": counts})
    else:
        print_table(f"{source.name}: {len(groups):,} sources", ["relation", "cases"], counts.items())
    notice(f"{out}: {len(examples):,} examples")


def _rename(corpus: Corpus) -> Corpus:
    from dataclasses import replace

    return replace(corpus, name=f"{corpus.name}-metamorphic")


@app.command("test")
def measure(
    model: Annotated[
        str, typer.Argument(help="A model folder (trained or exported), predictions in JSONL, or llm:MODEL.")
    ],
    corpus: Annotated[
        Path, typer.Argument(help="A file that `metamorphic generate` wrote, or sentences with triplets.")
    ],
    train: Train = None,
    seed: Seed = SEED,
    limit: Limit = LIMIT,
    task: Task = "aste",
    timeout_s: Timeout = 120.0,
    endpoint: llm.Url = llm.USUAL.endpoint,
    key_variable: llm.KeyVariable = llm.USUAL.key_variable,
    concurrency: llm.Concurrency = llm.USUAL.concurrency,
    tries: llm.Tries = 3,
    failures: Annotated[Path | None, typer.Option(help="Write an HTML page of violations.")] = None,
    device: Device = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: fractions, not percent.")] = False,
) -> None:
    """Count how often a triplet that was found is lost, or one that was not is found, in a follow-up.

    VR has all cases in its denominator, so that a model that finds nothing violates nothing: look at the
    conditional VR, of the triplets that were found, and at the row of the empty model. Trained models choose
    their task themselves. A sentence for which a model fails counts as one without opinions, and is reported.
    With llm:MODEL a chat model is asked, without examples; the texts go to --endpoint.

    Example: `aspectlab metamorphic test my-model followups.jsonl --failures failures.html`
    """
    from aspectlab.cli import metamorphicreport
    from aspectlab.cli.metamorphicmodels import make_groups, open_tested
    from aspectlab.readers import read

    refuse_unwritable_file(failures, "--failures", inputs=[Path(model), corpus, train])
    material, pool = read(corpus), read(train) if train else None
    asking = llm.Asking(
        task, endpoint, key_variable=key_variable, concurrency=concurrency, timeout_s=timeout_s, tries=tries
    )
    tested = open_tested(model, material, asking, device)
    groups, making = make_groups(material, pool, seed=seed, limit=limit)
    shelf = metamorphicreport.Shelf()
    findings = tested.measure(groups, timeout_s, shelf.add if failures else None)
    signature = metamorphicreport.sign(tested.task, material, making)
    # first of all the numbers: they took long, and a page may fail for want of space
    metamorphicreport.report(f"{tested.task.name} on {material.name}", findings, signature, as_json=as_json)
    if failures is not None:
        from aspectlab.reports.followups import write_followups

        write_followups(failures, material.name, findings, shelf.verdicts, signature)
        notice(f"{failures}: written")
