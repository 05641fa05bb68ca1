"""The part of `aspectlab predict` that asks a chat model: `llm:MODEL` in place of a folder."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab import data, llm, readers, runtime
from aspectlab.cli.console import bar, notice, print_json, print_table
from aspectlab.cli.options import read_judged, refuse_unwritable_file
from aspectlab.errors import ConfigError
from aspectlab.progress import Progress, ProgressCallback

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PREFIX = "llm:"

PANEL = "Chat model (llm:MODEL)"
"""The heading of these options in a --help."""

Task = Annotated[str, typer.Option(help="Task: aste, e2e or asqp.", rich_help_panel=PANEL)]
Categories = Annotated[
    str | None,
    typer.Option(
        help="Category names for asqp, separated by commas (default: those of --examples, else free).",
        rich_help_panel=PANEL,
    ),
]
Url = Annotated[
    str | None,
    typer.Option(help="Base URL of an OpenAI-compatible API, usually ending in /v1.", rich_help_panel=PANEL),
]
Shots = Annotated[
    int,
    typer.Option(
        min=0, help="Few-shot examples in the prompt, sampled from --examples.", rich_help_panel=PANEL
    ),
]
Examples = Annotated[Path | None, typer.Option(help="Annotated training corpus.", rich_help_panel=PANEL)]
Seed = Annotated[int, typer.Option(min=0, help="Random seed of the few-shot sample.", rich_help_panel=PANEL)]
DropShared = Annotated[
    bool,
    typer.Option(
        "--drop-shared", help="Drop texts from --examples that also occur in FILE.", rich_help_panel=PANEL
    ),
]
Concurrency = Annotated[
    int, typer.Option(min=1, max=256, help="Maximum number of concurrent requests.", rich_help_panel=PANEL)
]
KeyVariable = Annotated[
    str | None,
    typer.Option(
        help="Environment variable with the API key (default: OPENAI_API_KEY).", rich_help_panel=PANEL
    ),
]
PriceIn = Annotated[
    float | None, typer.Option(min=0, help="Price per million input tokens.", rich_help_panel=PANEL)
]
PriceOut = Annotated[
    float | None, typer.Option(min=0, help="Price per million output tokens.", rich_help_panel=PANEL)
]
MaxCost = Annotated[
    float | None, typer.Option(min=0, help="Stop before the cost exceeds this.", rich_help_panel=PANEL)
]
MaxTokens = Annotated[
    int, typer.Option(min=1, help="Maximum number of tokens per answer.", rich_help_panel=PANEL)
]
TimeoutS = Annotated[
    float, typer.Option(min=0.1, max=86_400, help="Timeout per request, in seconds.", rich_help_panel=PANEL)
]
Tries = Annotated[
    int,
    typer.Option(min=1, help="Maximum number of attempts when the endpoint is busy.", rich_help_panel=PANEL),
]


@dataclass(frozen=True, slots=True)
class Asking:
    """What the options that start with `llm:` in the help say; the defaults stand here."""

    task: str = "aste"
    endpoint: str | None = None
    shots: int = 0
    examples: Path | None = None
    seed: int = 1
    drop_shared: bool = False
    concurrency: int = 8
    key_variable: str | None = None
    price_in: float | None = None
    price_out: float | None = None
    max_cost: float | None = None
    max_tokens: int = 1024
    timeout_s: float = 60.0
    tries: int = 6
    categories: str | None = None


USUAL = Asking()


def refuse_asking(model: str, context: typer.Context) -> None:
    """Refuse options that a trained model does not have, also where they say what is usual."""
    for field in fields(Asking):
        source = context.get_parameter_source(field.name)
        if source is not None and source.name == "COMMANDLINE":
            name = field.name.replace("_", "-")
            raise ConfigError(
                f"--{name}: {model!r} is a folder: expected {PREFIX}MODEL; leave the option out"
            )


def ask_for_opinions(model: str, file: Path, out: Path, asking: Asking, *, as_json: bool) -> None:
    """Predict a corpus with a chat model, write it, and account for what that took."""
    client = open_client(model, asking)
    refuse_unwritable_file(out, inputs=[file, asking.examples], kind="JSONL")
    budget = _choose_budget(asking)
    corpus = readers.read(file)
    shots = _choose_shots(corpus, asking)
    categories = _choose_categories(asking)
    with _text_bar() as progress:
        found = llm.extract(
            corpus,
            client,
            task=asking.task,
            categories=categories,
            shots=shots,
            concurrency=asking.concurrency,
            cache=llm.default_cache(),
            budget=budget,
            progress=progress,
        )
    readers.write(found.corpus, out, "jsonl")
    _print(found.report, as_json=as_json)
    notice(f"{out}: {found.report.predictions:,} predictions for {found.report.examples:,} examples")


def open_client(model: str, asking: Asking) -> llm.Client:
    """Return a client for the chat model, or raise an error that names what is missing."""
    if not model:
        raise ConfigError(f"model {PREFIX!r}: the name of the model is missing; write {PREFIX}NAME")
    if asking.endpoint is None:
        raise ConfigError(
            f"{PREFIX}{model}: --endpoint is missing; name one such as http://localhost:8000/v1, or for "
            f"analyze write {PREFIX}{model}@URL"
        )
    endpoint = llm.Endpoint(asking.endpoint, asking.key_variable)
    return llm.Client(
        endpoint, model, max_tokens=asking.max_tokens, timeout_s=asking.timeout_s, tries=asking.tries
    )


class ChatPredictor:
    """A chat model in the place of one that `aspectlab analyze` loads; vectors come from that one."""

    def __init__(self, name: str, vectors: runtime.Predictor) -> None:
        """Take the name behind `llm:` and the endpoint behind @, as in `qwen3@http://localhost:8000/v1`."""
        model, _, endpoint = name.partition("@")
        self._client = open_client(model, replace(USUAL, endpoint=endpoint or None))
        self._vectors = vectors
        self.identity = f"{PREFIX}{name}, vectors of {vectors.identity}"

    def predict(self, texts: Sequence[str]) -> list[tuple[data.Quad, ...]]:
        """Ask for the opinions of each text; answers are kept, so that none is asked for twice."""
        examples = tuple(data.Example(str(number), text) for number, text in enumerate(texts))
        corpus = data.Corpus("reviews", "und", frozenset(), examples)
        found = llm.extract(corpus, self._client, concurrency=USUAL.concurrency, cache=llm.default_cache())
        return [example.quads for example in found.corpus]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, [N, D]."""
        return self._vectors.embed(texts)


def describe_llm() -> dict[str, object]:
    """Describe chat models as `aspectlab models` describes trained ones."""
    text = inspect.cleandoc(llm.__doc__ or "")
    settings = {name: value for name, value in asdict(USUAL).items() if name != "task"}
    return {
        "model": "llm",
        "task": ", ".join(llm.FORMS),
        "paper": text.partition("\n")[0],
        "encoder": "an endpoint",
        "settings": settings,
        "plan": {},
        "description": text,
    }


def _choose_budget(asking: Asking) -> llm.Budget:
    if (asking.price_in is None) != (asking.price_out is None):
        raise ConfigError("--price-in and --price-out: only one is given: expected both or none")
    if asking.price_in is None or asking.price_out is None:
        return llm.Budget(None, asking.max_cost)
    return llm.Budget(llm.Prices(asking.price_in, asking.price_out), asking.max_cost)


def _choose_shots(corpus: data.Corpus, asking: Asking) -> tuple[data.Example, ...]:
    """Draw examples from a corpus that shares no text with the one to predict."""
    # a wrong name is told before a file is read
    llm.choose_form(asking.task, _choose_categories(replace(asking, examples=None)))
    if not asking.shots and asking.examples is None:
        return ()
    if not asking.shots or asking.examples is None:
        raise ConfigError(
            "--shots and --examples: only one is given: expected a number and a corpus to draw from"
        )
    train = read_judged(asking.examples, asking.task)
    if asking.drop_shared:
        train = data.leave_out(train, corpus)
    data.refuse_overlap(train, corpus)
    return llm.draw_shots(train, asking.task, asking.shots, asking.seed)


def _choose_categories(asking: Asking) -> tuple[str, ...]:
    """Return the categories that are named, or those of the examples where quads are asked for."""
    if asking.categories is not None:
        return tuple(filter(None, map(str.strip, asking.categories.split(","))))
    if asking.task != "asqp" or asking.examples is None:
        return ()
    known = {quad.category for example in read_judged(asking.examples, asking.task) for quad in example.quads}
    return tuple(sorted(filter(None, known)))


@contextmanager
def _text_bar() -> Iterator[ProgressCallback[None]]:
    """Show how many texts are done; where nobody sees it, a line for each tenth of them."""
    with bar() as (advance, is_terminal):
        tenths = 0

        def report(progress: Progress[None]) -> None:
            nonlocal tenths
            if not is_terminal and int(10 * progress.share) > tenths:
                tenths = int(10 * progress.share)
                notice(progress.text)
            advance(progress)

        yield report


def _print(report: llm.Report, *, as_json: bool) -> None:
    record = asdict(report)
    if as_json:
        print_json(record)
        return
    shown = {name: len(value) if isinstance(value, tuple) else value for name, value in record.items()}
    if report.cost is not None:
        shown["cost"] = f"{report.cost:.4f}"  # mostly far below a cent a text
    print_table("", ["what", "value"], shown.items())
    for what, problems in (("no usable answer", report.malformed), ("refused", report.refused)):
        for problem in problems[:5]:
            notice(f"example {problem.id!r}: {what}, counted as empty: {problem.reason}")
        if len(problems) > 5:
            notice(f"{what}: {len(problems) - 5:,} more; --json lists them all")
