"""`aspectlab arts`: how far a model survives changes of the text, by the Aspect Robustness Score."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aspectlab.cli.artsaugment import augment
from aspectlab.cli.artsgenerate import generate
from aspectlab.cli.console import notice, print_json
from aspectlab.cli.settings import refuse_unwritable_file

app = typer.Typer(
    help="Robustness test sets and the Aspect Robustness Score.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.command()(generate)
app.command()(augment)


@app.command()
def table(
    predictions: Annotated[
        Path, typer.Argument(help="CSV with the columns id, sentence, term, gold_label and one per model.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: by model, in percent.")] = False,
) -> None:
    """Compare models on a robustness test set, from a table of their predicted labels.

    An id that ends in `_adv1` is a RevTgt variant of the id before it, `_adv2` RevNon, `_adv3` or `_adv4`
    AddDiff; a chain ends in its name, such as `_revnon+adddiff`. Every cell of the table is Ori → New
    (change). Entire → is the Aspect Robustness Score by aspect.

    Example: `aspectlab arts table rest_predictions.csv --json`
    """
    from aspectlab.cli import artsreport
    from aspectlab.robustness import lay_out, read_predictions, score_robustness, sign

    found = read_predictions(predictions)
    layout = lay_out(found.gold)
    scores = {
        name: score_robustness(found.gold, predicted, layout=layout)
        for name, predicted in found.models.items()
    }
    if as_json:
        print_json({name: artsreport.to_record(robustness, "aspect") for name, robustness in scores.items()})
        return
    artsreport.print_models(f"{found.gold.name}: {len(found.gold):,} examples", scores)
    print(artsreport.STARS)
    print(sign(next(iter(scores.values())), "aspect"))
    print(artsreport.show_command("table", str(predictions)))


@app.command()
def score(
    testset: Annotated[Path, typer.Argument(help="Originals and variants: ARTS JSON, JSONL, authors' CSV.")],
    predictions: Annotated[Path, typer.Argument(help="Predictions of the same texts; or the authors' CSV.")],
    column: Annotated[str | None, typer.Option(help="The model of a CSV that has several.")] = None,
    unit: Annotated[str, typer.Option(help="What must survive as a whole: aspect or sentence.")] = "aspect",
    task: Annotated[str, typer.Option(help="What is judged: atsc, e2e or aste.")] = "atsc",
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0: no intervals.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
    failures: Annotated[Path | None, typer.Option(help="Write an HTML page of the failed units.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, in percent.")] = False,
) -> None:
    """Score predictions for a robustness test set.

    A unit is right if its original and all its variants are: an aspect of a sentence with its variants, as in
    the ARTS paper, or a sentence with all its aspects. An example is right if every gold quad is found; what
    a model finds besides counts in precision alone. Models of triplets are judged by e2e where the set names
    no opinions.

    Example: `aspectlab arts score arts.json predicted.jsonl --failures failures.html`
    """
    import numpy as np

    from aspectlab import robustness as tools
    from aspectlab.cli import artsreport

    refuse_unwritable_file(failures, "--failures", inputs=[testset, predictions])
    chosen, gold = tools.check_unit(unit), tools.read_testset(testset)
    predicted = tools.read_answers(predictions, gold, column)
    robustness = tools.score_robustness(gold, predicted, task)
    rng = np.random.default_rng(seed)
    bounds = tools.intervals(robustness, chosen, rng=rng, resamples=resamples) if resamples else {}
    if failures is not None:
        from aspectlab.reports.failures import write_failures

        write_failures(failures, gold, predicted, robustness, chosen)
        notice(f"{failures}: written")
    signature = tools.sign(robustness, chosen, resamples=resamples, seed=seed)
    if as_json:
        print_json(artsreport.to_report(robustness, chosen, bounds, signature))
        return
    artsreport.print_scores(f"{task} on {gold.name}: {len(gold):,} examples", robustness, bounds)
    artsreport.print_subsets(robustness, chosen)
    print(signature)
    options = ["--unit", unit, "--task", task, "--resamples", str(resamples), "--seed", str(seed)]
    options += [] if column is None else ["--column", column]
    options += [] if failures is None else ["--failures", str(failures)]
    print(artsreport.show_command("score", str(testset), str(predictions), *options))
