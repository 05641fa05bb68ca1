"""The models that `metamorphic test` and `metamorphic mutants` ask: trained, exported, mutated, chat models
and files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from threading import TIMEOUT_MAX
from typing import Annotated

import typer

from aspectlab import data, metamorphic, models, readers, runtime
from aspectlab.cli.arts import parse_names
from aspectlab.cli.console import notice, print_json, print_table, print_text
from aspectlab.cli.llm import PREFIX, Asking, open_client
from aspectlab.cli.options import (
    TIMEOUT,
    Device,
    refuse_unwritable_inside,
    require_training,
)
from aspectlab.cli.predict import open_model
from aspectlab.errors import ConfigError, DataError, MissingPartError
from aspectlab.llm import RefusedError, choose_form, default_cache, extract
from aspectlab.metrics import Signature
from aspectlab.outputs import refuse_unwritable
from aspectlab.registry import suggest
from aspectlab.tasks import TASKS, Task
from aspectlab.training import extensions


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is asked, and what for."""

    predict: metamorphic.Predict
    task: Task
    model: models.Model | None = None  # where torch runs it
    limits_itself: bool = False  # it has a time limit of its own for every text

    def measure(
        self,
        groups: Iterable[metamorphic.Group],
        timeout_s: float,
        watch: Callable[[metamorphic.CaseVerdict], None] | None,
    ) -> metamorphic.Findings:
        """Test it by the relations."""
        limit_s = TIMEOUT_MAX if self.limits_itself else timeout_s
        return metamorphic.measure_violations(groups, self.predict, self.task, timeout_s=limit_s, watch=watch)


def make_groups(
    corpus: data.Corpus, train: data.Corpus | None, *, seed: int, limit: int
) -> tuple[Iterator[metamorphic.Group], str]:
    """Return the test cases of a corpus, read or generated, and what determined them."""
    if any(map(metamorphic.is_followup, corpus)):
        if train is not None:
            raise ConfigError(
                f"--train: {corpus.name!r} has follow-ups already, so that no phrases are made of "
                f"{train.name!r}; leave the option out, or give the file without follow-ups"
            )
        if (seed, limit) != (SEED, LIMIT):
            notice(f"--seed and --limit do nothing: {corpus.name!r} has follow-ups already")
        return metamorphic.group_cases(corpus), "read"
    making = f"seed{seed}-limit{limit}" + (f"-{train.sha256[:8]}" if train else "")
    return metamorphic.generate(corpus, train, seed=seed, limit=limit), making


def sign(task: Task, corpus: data.Corpus, making: str) -> str:
    """Return the signature: what was measured on what; `making` describes how the follow-ups were made."""
    measure = f"violation-rate-{making}"
    return str(Signature(task.name, "vr", corpus.own_name, corpus.sha256, measure, "exact"))


def open_tested(name: str, corpus: data.Corpus, asking: Asking, device: str) -> Candidate:
    """Open what a name stands for: a folder, a chat model, or a file of predictions for this corpus."""
    path, task = Path(name), asking.task
    if asking.endpoint is not None and not name.startswith(PREFIX):
        raise ConfigError(
            f"--endpoint: {name!r} is not a chat model: expected {PREFIX}MODEL; leave the option out"
        )
    if path.is_dir():
        return open_folder(path, device)
    if task not in metamorphic.TESTED:
        raise ConfigError(f"--task {task!r} cannot be tested: {suggest(task, metamorphic.TESTED)}")
    if name.startswith(PREFIX):
        asked = metamorphic.ask_once(ask_llm(name.removeprefix(PREFIX), corpus, asking))
        return Candidate(asked, _judged(task), limits_itself=True)
    if not path.exists():
        raise ConfigError(
            f"{path}: found nothing there: expected a folder that `aspectlab train` or `aspectlab export` "
            f"wrote, a file of predictions, or {PREFIX}MODEL; check the path"
        )
    if not any(map(metamorphic.is_followup, corpus)):
        raise ConfigError(
            f"{path}: predictions need a file with follow-ups, and {corpus.name!r} has none; make it with "
            "`aspectlab metamorphic generate`, then predict it"
        )
    return Candidate(metamorphic.read_answers(path, corpus), _judged(task))


def open_folder(folder: Path, device: str) -> Candidate:
    """Load an exported model without torch, or a trained one with it."""
    if runtime.is_exported(folder):
        # torch runs it too, where OpenVINO is absent
        predictor = runtime.load_predictor(folder, engine="auto" if find_spec("openvino") else "torch")
        ask_texts = metamorphic.ask_once(
            lambda examples: predictor.predict([example.text for example in examples])
        )
        return Candidate(ask_texts, TASKS["aste"])
    return _open_trained(folder, device)


def _open_trained(folder: Path, device: str) -> Candidate:
    require_training("metamorphic test")
    model = open_model(folder, device)
    if model.task not in metamorphic.TESTED:
        raise ConfigError(
            f"{folder}: found a model for {model.task}: expected one for {', '.join(metamorphic.TESTED)}"
        )

    return Candidate(extensions.as_predict_fn(model), _judged(model.task), model)


def _judged(task: str) -> Task:
    """Return the task that a model is evaluated on; for a quad model, triplets."""
    return TASKS["aste" if task == "asqp" else task]


def ask_llm(model: str, corpus: data.Corpus, asking: Asking) -> metamorphic.Predict:
    """Return a function that asks a chat model for the opinions of texts; answers are cached.

    One text without a usable answer fails the whole call: the test then asks for parts of it, which costs
    nothing for the texts that are answered by then, until that text stands alone.
    """
    choose_form(asking.task)
    open_client(model, asking)  # what is missing is told before the first question
    cache = default_cache()

    def ask(examples: Sequence[data.Example]) -> list[tuple[data.Quad, ...]]:
        # a client that had to stop asks no more, so each call has its own
        client = open_client(model, asking)
        asked = corpus.with_examples(examples)
        try:
            found = extract(asked, client, task=asking.task, concurrency=asking.concurrency, cache=cache)
        except RefusedError as error:
            raise DataError(str(error)) from None
        for problem in (*found.report.malformed, *found.report.refused):
            raise DataError(f"example {problem.id!r}: {problem.reason}")
        return [example.quads for example in found.corpus]

    return ask


SEED, LIMIT = 0, 10
"""What follow-ups are made with unless told otherwise."""

Limit = Annotated[int, typer.Option(min=1, max=100, help="Maximum number of candidates per replacement.")]
Quality = Annotated[
    float, typer.Option(min=0, max=1, help="Redraw mutants that keep less than this share of the model's F1.")
]
Sources = Annotated[int | None, typer.Option(min=1, help="Use only the first N sentences.")]
Cases = Annotated[
    str, typer.Option(help="What counts as a loss: `satisfied` cases, or triplets `found` in follow-ups.")
]
Plots = Annotated[
    Path | None, typer.Option(help="Output folder for plots (SVG), a page (HTML) and the numbers (JSON).")
]
Png = Annotated[bool, typer.Option("--png", help="Also write plots as PNG (needs the extra `png`).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON (as fractions).")]


def mutants(
    model: Annotated[
        Path, typer.Argument(help="Model folder written by `aspectlab train`; it is not changed.")
    ],
    corpus: Annotated[
        Path, typer.Argument(help="File written by `metamorphic generate`, or sentences with triplets.")
    ],
    operators: Annotated[str, typer.Option(help="Comma-separated names.")] = "GF,WS,NEB,NS",
    count: Annotated[int, typer.Option(min=1, max=1000, help="Mutants per operator.")] = 10,
    ratio: Annotated[float, typer.Option(min=0, max=1, help="Share of neurons to mutate.")] = 0.01,
    quality: Quality = 0.0,
    limit: Limit = LIMIT,
    sources: Sources = None,
    cases: Cases = "satisfied",
    timeout_s: Annotated[
        float, typer.Option(*TIMEOUT, min=0.1, max=86_400, help="Timeout per prediction call, in seconds.")
    ] = 120.0,
    plots: Plots = None,
    png: Png = False,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Compare metamorphic relations with gold labels: which detect more mutants of a model?

    GF adds noise to weights, WS shuffles them, NEB blocks neurons, NS switches them; mutants have the seeds
    0, 1, 2 and so on. p is Wilcoxon's over the mutants; the last columns correct it for the number of tests
    by Holm's method. A mutant that finds nothing satisfies every case: see also `--cases found`.

    Example: `aspectlab metamorphic mutants my-model followups.jsonl --plots pictures --json`
    """
    require_training("metamorphic mutants")
    refuse_pictures(plots, png=png)
    # one that is named twice would be tested twice, for the same numbers
    names = list(dict.fromkeys(parse_names(operators)))
    breeding = MutationConfig(names, count, ratio, quality, metamorphic.find_criterion(cases), timeout_s)
    candidate, material = open_folder(model, device), readers.read(corpus)
    made, making = make_groups(material, None, seed=0, limit=limit)
    rates = run_mutants(candidate, list(islice(made, sources)), breeding)
    signature = sign(
        candidate.task, material, f"{making}-first{sources}-{breeding}".replace("-firstNone", "")
    )
    comparisons = tuple(metamorphic.compare_relations(rates))
    run = metamorphic.MutantRun(model.resolve().name, material.name, signature, comparisons, breeding.reading)
    report([run], plots, png=png, as_json=as_json)


def verdicts(
    results: Annotated[
        list[Path], typer.Argument(help="JSON files printed or written by `metamorphic mutants`.")
    ],
    plots: Plots = None,
    png: Png = False,
    as_json: AsJson = False,
) -> None:
    """Combine the mutants of several models or corpora in one table and one plot.

    p is corrected for the tests of all of them together, so a verdict may differ from that of a single run.

    Example: `aspectlab metamorphic verdicts one/mutants.json two/mutants.json --plots pictures`
    """
    refuse_pictures(plots, png=png)
    if plots is not None:
        refuse_unwritable_inside(plots, ["mutants.json"], inputs=results)
    runs = metamorphic.join_runs([run for path in results for run in metamorphic.read_mutant_runs(path)])
    report(runs, plots, png=png, as_json=as_json)


def refuse_pictures(plots: Path | None, *, png: bool) -> None:
    """Refuse pictures that could not be written, before the work is done."""
    if plots is not None:
        refuse_unwritable(plots, "--plots")
    elif png:
        raise ConfigError("--png without --plots; name a folder for the pictures with --plots")
    if png and not find_spec("resvg_py"):
        raise MissingPartError("--png: resvg-py is not installed; get it with: pip install 'aspectlab[png]'")


def report(runs: Sequence[metamorphic.MutantRun], plots: Path | None, *, png: bool, as_json: bool) -> None:
    """Print a row per run, relation and operator, and draw them where that is asked for."""
    if warning := metamorphic.warn_of_weakness(runs):
        notice(warning)
    if plots is not None:
        written = metamorphic.write_mutants(plots, runs, with_png=png)
        notice(f"wrote {len(written)} files to {plots}")
    if as_json:
        records = [metamorphic.run_to_dict(run) for run in runs]
        print_json(records[0] if len(records) == 1 else records)
        return
    columns = ["relation", "mutants", "VR", "gold", "p", "verdict", "p Holm", "verdict Holm"]
    for run in runs:
        rows = [
            (each.relation, each.operator, 100 * each.vr, 100 * each.reference, *_show(each))
            for each in run.comparisons
        ]
        print_table(f"{run.name}: relations against gold labels, percent", columns, rows)
        print_text(run.signature)


def _show(each: metamorphic.MutantComparison) -> tuple[str, str, str, str]:
    return f"{each.p:.4f}", each.standing.value, f"{each.p_holm:.4f}", each.standing_holm.value


_DRAWS = 10
"""So many mutants are drawn at most for each that is wanted, where some are not good enough."""


@dataclass(frozen=True, slots=True)
class MutationConfig:
    """Which mutants are made, and how they are judged."""

    operators: Sequence[str]
    count: int
    ratio: float
    quality: float  # the least F1 of a mutant, as a share of the whole model's
    reading: metamorphic.PassCriterion
    timeout_s: float

    def __str__(self) -> str:
        quality = f"-quality{self.quality:g}" if self.quality else ""
        return f"mutants{self.count}-ratio{self.ratio:g}{quality}-{self.reading}"

    def test(self, candidate: Candidate, groups: Sequence[metamorphic.Group]) -> metamorphic.Outcomes:
        """Test a model as it is now."""
        return metamorphic.find_outcomes(
            groups, candidate.predict, candidate.task, timeout_s=self.timeout_s, reading=self.reading
        )


def run_mutants(
    candidate: Candidate, groups: Sequence[metamorphic.Group], breeding: MutationConfig
) -> dict[str, list[metamorphic.Rates]]:
    """Test all mutants against the whole model, one after the other."""
    if candidate.model is None:
        raise ConfigError(
            "mutants: found an exported model: expected a trained one, whose weights can change"
        )
    if not breeding.operators:
        raise ConfigError(f"--operators: found none: expected some of {', '.join(extensions.OPERATORS)}")
    for operator in breeding.operators:
        extensions.find_operator(operator)  # a wrong name is told before the work
    whole = breeding.test(candidate, groups)
    if not whole.right:
        raise ConfigError(
            f"mutants: the model gets 0 of {len(groups)} sentences wholly right (those without opinions "
            "do not count): expected at least one; take a model that is trained for such sentences, or more "
            "of them"
        )
    if not any(whole.satisfied.values()):
        raise ConfigError(
            "mutants: the model passes no follow-up: expected at least one that a mutant could lose; take "
            "more sentences"
        )
    rates: dict[str, list[metamorphic.Rates]] = {}
    for operator in breeding.operators:
        good = islice(_find_good(candidate, groups, breeding, operator, whole.f1), breeding.count)
        rates[operator] = [metamorphic.compare_outcomes(whole, mutant) for mutant in good]
        if len(rates[operator]) < breeding.count:
            raise ConfigError(
                f"mutants: {operator}: found {len(rates[operator])} with {breeding.quality:.0%} of the "
                f"model's F1: expected {breeding.count}; lower --quality or --ratio"
            )
    return rates


def _find_good(
    candidate: Candidate,
    groups: Sequence[metamorphic.Group],
    breeding: MutationConfig,
    operator: str,
    f1: float,
) -> Iterator[metamorphic.Outcomes]:
    """Return the mutants with seeds 0, 1, 2 and so on, without those below the F1 threshold."""
    assert candidate.model is not None
    for seed in range(breeding.count * _DRAWS):
        with extensions.mutated(candidate.model, operator, seed=seed, ratio=breeding.ratio):
            found = breeding.test(candidate, groups)
        is_good = found.f1 >= breeding.quality * f1
        notice(
            f"{operator}: mutant with seed {seed}: F1 {100 * found.f1:.2f}{'' if is_good else ', dropped'}"
        )
        if is_good:
            yield found
