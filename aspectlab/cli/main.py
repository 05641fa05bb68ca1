"""Put the commands together and turn our errors into one message and an exit code."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

import typer

from aspectlab.cli import (
    absita,
    analyze,
    annotate,
    arts,
    compare,
    data,
    doctor,
    encoders,
    evaluate,
    export,
    graph,
    metamorphic,
    models,
    posttrain,
    predict,
    report,
    run,
    score,
    serve,
    train,
    validate,
)
from aspectlab.errors import AspectlabError
from aspectlab.version import VERSION

app = typer.Typer(
    name="aspectlab",
    help="A workbench for trustworthy aspect-based sentiment analysis.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.add_typer(data.app, name="data")
app.add_typer(arts.app, name="arts")
app.add_typer(metamorphic.app, name="metamorphic")
app.add_typer(absita.app, name="absita")
app.add_typer(annotate.app, name="annotate")
app.command("analyze")(analyze.analyze)
app.command("serve")(serve.serve)
app.command("graph")(graph.graph)
app.command("score")(score.score)
app.command("models")(models.models)
app.command("encoders")(encoders.encoders)
app.command("train")(train.train)
app.command("predict")(predict.predict)
app.command("evaluate")(evaluate.evaluate)
app.command("posttrain")(posttrain.posttrain)
app.command("export")(export.export)
app.command("run")(run.run)
app.command("validate")(validate.validate)
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.command("doctor")(doctor.doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"aspectlab {VERSION}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


def main() -> None:
    """Run the command line: exit 0, 1 (a check failed) or 2 (usage or bad input)."""
    if isinstance(sys.stdout, TextIOWrapper):
        # a file name or an id may hold half a character, which no encoding has
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except SystemExit as stop:
        # typer answers a closed pipe by exit code 1, which here says that a check failed
        if not isinstance(stop.__context__, BrokenPipeError):
            raise
        # the reader of our output went away (`| head`): stop quietly, also when Python flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except AspectlabError as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        raise SystemExit(130) from None
