"""Assemble the commands and turn our errors into one message and an exit code."""

import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

import typer

from aspectlab.cli.console import notice, prepare_streams, print_text
from aspectlab.errors import AspectlabError
from aspectlab.registry import Registry
from aspectlab.version import VERSION

app = typer.Typer(
    name="aspectlab",
    help="A workbench for trustworthy aspect-based sentiment analysis.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
COMMANDS = Registry[Callable[..., None]](
    "command",
    {
        "analyze": "aspectlab.cli.analyze:analyze",
        "serve": "aspectlab.cli.serve:serve",
        "audit": "aspectlab.cli.audit:audit",
        "adapt": "aspectlab.cli.audit:adapt",
        "graph": "aspectlab.cli.graph:graph",
        "score": "aspectlab.cli.score:score",
        "models": "aspectlab.cli.listing:models",
        "encoders": "aspectlab.cli.listing:encoders",
        "train": "aspectlab.cli.train:train",
        "predict": "aspectlab.cli.predict:predict",
        "evaluate": "aspectlab.cli.predict:evaluate",
        "posttrain": "aspectlab.cli.posttrain:posttrain",
        "export": "aspectlab.cli.export:export",
        "run": "aspectlab.cli.run:run",
        "tune": "aspectlab.cli.tune:tune",
        "validate": "aspectlab.cli.run:validate",
        "report": "aspectlab.cli.report:report",
        "compare": "aspectlab.cli.report:compare",
        "doctor": "aspectlab.cli.doctor:doctor",
    },
)
"""The commands, in the order of `--help`."""

GROUPS = Registry[typer.Typer](
    "group of commands",
    {
        "taxonomy": "aspectlab.cli.taxonomy:app",
        "data": "aspectlab.cli.data:app",
        "arts": "aspectlab.cli.arts:app",
        "metamorphic": "aspectlab.cli.metamorphic:app",
        "absita": "aspectlab.cli.absita:app",
        "dimabsa": "aspectlab.cli.dimabsa:app",
        "annotate": "aspectlab.cli.annotate:app",
    },
)
"""The groups of commands, in the order of `--help`."""

for _name, _group in GROUPS.items():
    app.add_typer(_group, name=_name)
for _name, _command in COMMANDS.items():
    app.command(_name)(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print_text(f"aspectlab {VERSION}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


_PATIENCE = (50_000, 10, 10)
"""When the garbage collector looks for cycles. By default it walks again and again what a library brings,
while that is being imported (transformers has 2,000 modules): a fifth of the time of a short command."""


_SAVING = (
    "lower batch_size, max_tokens or the sizes of the model with --set, or choose another --device; "
    "a training that was saved goes on with --resume"
)


def main() -> None:
    """Run the command line: exit 0, 1 (a check failed) or 2 (usage, bad input, or an output that failed)."""
    prepare_streams()
    gc.set_threshold(*_PATIENCE)
    try:
        _call()
    except AspectlabError as error:
        _fail(f"error: {error}", 2)
    except BrokenPipeError:
        # the reader of our output went away (`| head`): stop quietly
        _discard_output()
        raise SystemExit(0) from None
    except OSError as error:
        _fail(f"error: {_explain(error)}", 2)
    except (MemoryError, RuntimeError) as error:
        if not _is_shortage(error):
            raise
        _fail(f"error: memory is short: {_shorten(error)}; {_SAVING}", 2)
    except KeyboardInterrupt:
        _fail("interrupted", 130)


def _call() -> None:
    """Run the command and see its result written: at its exit, Python could not say what went wrong there."""
    try:
        app()
    except SystemExit as stop:
        # typer answers a closed pipe by exit code 1, which here says that a check failed
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        sys.stdout.flush()
        raise


def _is_shortage(error: MemoryError | RuntimeError) -> bool:
    """Return whether memory ran out; torch has an error of its own for GPUs, and none for other memory."""
    own = type(error).__name__ == "OutOfMemoryError"  # torch may not be installed
    return isinstance(error, MemoryError) or own or "can't allocate memory" in str(error)


def _shorten(error: MemoryError | RuntimeError) -> str:
    first = next(iter(str(error).splitlines()), "") or type(error).__name__
    return f"{first[:200]}…" if len(first) > 200 else first


def _explain(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {reason}; check the path and its space"
    return f"the output cannot be written: {reason}; make room, or choose another path for it"


def _fail(message: str, code: int) -> NoReturn:
    # the disk that is full may be that of stderr
    with suppress(OSError):
        notice(message)
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()
    raise SystemExit(code) from None


def _discard_output() -> None:
    """Discard buffered output, or Python would fail on it once more at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
