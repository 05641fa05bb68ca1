"""Progress bars of trainings, on stderr; where that is no terminal, a line now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from aspectlab.cli.console import notice

if TYPE_CHECKING:
    from aspectlab.training.epoch import Epoch


@contextmanager
def epoch_bar(epochs: int, headline: str) -> Iterator[Callable[[int, float, Epoch | None], None]]:
    """Show epoch, loss, dev score and the time left while a model is trained."""
    with bar(epochs) as (advance, is_terminal):
        said = ""

        def report(number: int, share: float, epoch: Epoch | None) -> None:
            nonlocal said
            if epoch:
                said = f"  loss {epoch.loss:.4f}  dev {headline} {100 * epoch.dev[headline]:.2f}"
            if epoch and not is_terminal:
                notice(f"epoch {number + 1}/{epochs}:{said}  ({epoch.seconds:.1f} s)")
            advance(number + share, f"epoch {min(number + 1, epochs)}/{epochs}{said}")

        yield report


@contextmanager
def bar(total: float) -> Iterator[tuple[Callable[[float, str], None], bool]]:
    """Show a bar with a text and the time left; gives what moves it, and whether anyone sees it."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("preparing", total=total)

        def advance(done: float, text: str) -> None:
            progress.update(task, completed=done, description=text)

        yield advance, console.is_terminal
