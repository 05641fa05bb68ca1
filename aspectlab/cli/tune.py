"""`aspectlab tune`: choose settings on dev, train the choice on all seeds, and only then show test scores."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from aspectlab import experiments, stats
from aspectlab.cli.console import notice, print_json, print_table, print_text
from aspectlab.cli.options import Device, require_training
from aspectlab.cli.run import (
    DataFolder,
    EngineName,
    LiveWatch,
    LogWatch,
    Quiet,
    StudyFile,
    name_folder,
    run_command,
    watch_study,
)
from aspectlab.cluster import EngineChoice, parse_engine
from aspectlab.errors import ConfigError
from aspectlab.outputs import atomic_write

RESULT_FILE = "tune.json"

Method = Annotated[Literal["grid", "random", "optuna"], typer.Option(help="How to choose what to try.")]
Trials = Annotated[
    int, typer.Option(min=1, help="Budget: settings to try, of each model, encoder and corpus.")
]
SearchSeeds = Annotated[
    int, typer.Option(min=1, help="Judge every setting on the first so many seeds of the study.")
]


@dataclass(frozen=True, slots=True)
class _Search:
    """What the options ask for."""

    method: str
    trials: int
    seeds: int
    seed: int
    engine: EngineChoice
    device: str
    out: Path


def tune(
    study: StudyFile,
    search: Method = "grid",
    trials: Trials = 100,
    search_seeds: SearchSeeds = 3,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the search.")] = 1,
    engine: EngineName = "local",
    out: Annotated[Path | None, typer.Option(help="Output folder (default: runs/NAME-tune).")] = None,
    data: DataFolder = None,
    device: Device = "auto",
    quiet: Quiet = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON (as fractions).")] = False,
) -> None:
    """Choose among the settings that a study varies: rank them on dev, and test the choice once.

    Every setting is trained on all splits and the first seeds; these runs see no test set. The best mean on
    dev is chosen, trained on all seeds of the study, and only then measured on its test sets. Each model,
    encoder and corpus has a choice of its own. The runs stand in OUT/search and OUT/chosen, as `aspectlab
    run` writes them; run the same command to resume after an interruption. Exits with 1 if a run failed.

    Example: `aspectlab tune study.toml --search random --trials 20 --engine local:2 --out tuned`
    """
    require_training("tune")

    asked, problems = experiments.read_study(study, data=data)
    folder = out or name_folder(f"{asked.name}-tune")
    wanted = _Search(
        search, trials, search_seeds, seed, parse_engine(engine, takes_workers=True), device, folder
    )
    # a supervisor's stop is the user's: workers and locks go too
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        result = _Tuning(asked, problems, wanted, quiet=quiet).carry_out()
    except KeyboardInterrupt:
        notice(f"{folder}: stopped; the same command goes on with what is missing")
        raise
    with atomic_write(folder / RESULT_FILE) as draft:
        draft.write_text(json.dumps(asdict(result), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if as_json:
        print_json(asdict(result))
    else:
        _print_result(result)
    for reason in result.failed:
        notice(f"failed: {reason}")
    if result.failed:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of some runs as a fraction, with its 95 % interval, which a single run has not."""

    mean: float
    ci: tuple[float, float] | None
    runs: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """A setting with its rank on dev, and by how much the best one is better."""

    rank: int
    settings: dict[str, object]
    dev: Estimate
    behind: Estimate | None


@dataclass(frozen=True, slots=True)
class TestScore:
    """A score of the choice on a test set."""

    test: str
    metric: str
    score: Estimate


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen of one contest, out of what, and how good it is."""

    model: str
    encoder: str
    corpus: str
    metric: str
    ranking: list[Ranked]
    chosen: dict[str, object] | None
    test: list[TestScore]
    signatures: list[str]


@dataclass(frozen=True, slots=True)
class TuneResult:
    """All that a search tells."""

    study: str
    search: dict[str, object]
    choices: list[Choice]
    failed: list[str]


class _Tuning:
    """A search from its plan to the test of what it chose."""

    def __init__(
        self, study: experiments.Study, problems: Sequence[str], wanted: _Search, *, quiet: bool
    ) -> None:
        self._study, self._wanted, self._quiet = replace(study, keep_models=False), wanted, quiet
        self._keep_models = study.keep_models
        self._problems = [*problems]
        self._failures: dict[str, str] = {}

    def carry_out(self) -> TuneResult:
        """Search, choose, train the choices, and return all there is to tell."""
        folders = [experiments.RunFolder(self._wanted.out / part) for part in ("search", "chosen")]
        for folder in folders:
            folder.open()
        search, chosen = folders
        with watch_study(quiet=self._quiet) as watch:
            contests, tests, tried = self._search(search, watch)
            ranked = [
                experiments.rank(search, contest, some) for contest, some in zip(contests, tried, strict=True)
            ]
            final = [
                [run for run in tests.runs if _is_of(run.group, some[0].group)] if some else []
                for some in ranked
            ]
            self._test(tests.only([run for runs in final for run in runs]), chosen, watch)
        _notice_other_choices(chosen, [run for runs in final for run in runs])
        described = [
            _describe(contest, search, chosen, some, runs)
            for contest, some, runs in zip(contests, ranked, final, strict=True)
        ]
        names = ("method", "trials", "seeds", "seed")
        asked = {name: getattr(self._wanted, name) for name in names}
        return TuneResult(self._study.name, asked, described, [*self._failures.values()])

    def _search(
        self, folder: experiments.RunFolder, watch: LogWatch | LiveWatch
    ) -> tuple[list[experiments.Contest], experiments.Schedule, list[list[experiments.Candidate]]]:
        """Try settings; return what competed, the runs with tests of every setting, and what was tried."""
        wanted, study = self._wanted, self._study
        engine = experiments.open_engine(wanted.engine, folder, device=wanted.device, threads=study.threads)
        try:
            tests, problems = experiments.plan_runs(study, engine.inspect)
            for text in study.notices:
                notice(text)
            experiments.refuse_problems(study, [*self._problems, *problems])
            bare, _ = experiments.plan_runs(study, engine.inspect, with_tests=False)
            contests = experiments.find_contests(study, bare, wanted.seeds)
            if all(len(contest.candidates) == 1 for contest in contests):
                raise ConfigError(
                    f"{study.path}: found one setting of every model: expected some to choose among; add "
                    "vary = { SETTING = [VALUES] } to a table [[models]]"
                )
            tried: list[list[experiments.Candidate]] = [[] for _ in contests]
            samplers = [self._start(folder, contest) for contest in contests]
            watch.foresee(_count_runs(contests, tests, wanted.trials))
            while rounds := [[*next(sampler, ())] for sampler in samplers]:
                if not any(rounds):
                    break
                for known, new in zip(tried, rounds, strict=True):
                    known += new
                runs = [run for new in rounds for candidate in new for run in candidate.runs]
                self._drive(bare.only(runs), folder, engine, watch, closes=False)
            return contests, tests, tried
        finally:
            engine.close()

    def _start(
        self, folder: experiments.RunFolder, contest: experiments.Contest
    ) -> Iterator[list[experiments.Candidate]]:
        sampler = experiments.SAMPLERS[self._wanted.method]

        def tell(candidate: experiments.Candidate) -> float | None:
            return experiments.mean_dev(folder, candidate, contest.metric)

        return sampler(contest, self._wanted.trials, self._wanted.seed, tell)

    def _test(
        self, schedule: experiments.Schedule, folder: experiments.RunFolder, watch: experiments.Watch
    ) -> None:
        """Train the choices on all seeds, and measure them on the test sets."""
        wanted, study = self._wanted, replace(schedule.study, keep_models=self._keep_models)
        engine = experiments.open_engine(wanted.engine, folder, device=wanted.device, threads=study.threads)
        self._drive(replace(schedule, study=study), folder, engine, watch, closes=True)

    def _drive(
        self,
        schedule: experiments.Schedule,
        folder: experiments.RunFolder,
        engine: experiments.Engine,
        watch: experiments.Watch,
        *,
        closes: bool,
    ) -> None:
        driver = experiments.Driver(schedule, folder, engine, watch, command=run_command(), closes=closes)
        self._failures |= driver.drive().failures


def _is_of(group: experiments.Group, other: experiments.Group) -> bool:
    names = ("label", "encoder", "corpus")
    return all(getattr(group, name) == getattr(other, name) for name in names)


def _count_runs(contests: Sequence[experiments.Contest], tests: experiments.Schedule, trials: int) -> int:
    """Count the runs of the whole search, and of the choices that follow."""
    total = 0
    for contest in contests:
        first = contest.candidates[0]
        total += sum(len(candidate.runs) for candidate in contest.candidates[:trials])
        total += sum(_is_of(run.group, first.group) for run in tests.runs)
    return total


def _notice_other_choices(folder: experiments.RunFolder, runs: Sequence[experiments.Run]) -> None:
    """Report test scores of other choices: who has seen several of them chooses by test."""
    own = {run.id for run in runs}
    others = [record for record in experiments.read_runs(folder.path) if record.id not in own]
    if others:
        rows = sorted({f"{record.label}/{record.encoder} on {record.corpus}" for record in others})
        notice(
            f"{folder.path}: holds runs of other choices, whose test scores were shown: {', '.join(rows)}; "
            "dev has chosen this time too, but say so where you publish"
        )


def _estimate(values: Mapping[tuple[int, int], float]) -> Estimate:
    splits: dict[int, list[float]] = {}
    for (split, _), value in sorted(values.items()):
        splits.setdefault(split, []).append(value)
    spread = stats.decompose([*splits.values()])
    error = stats.standard_error(spread)
    return Estimate(spread.mean, None if error is None else stats.gap_interval(spread.mean, error), spread.n)


def _describe(
    contest: experiments.Contest,
    search: experiments.RunFolder,
    chosen: experiments.RunFolder,
    ranked: Sequence[experiments.Candidate],
    runs: Sequence[experiments.Run],
) -> Choice:
    dev = [experiments.read_dev(search, candidate.runs, contest.metric) for candidate in ranked]
    # paired: the same splits and seeds
    behind = [
        _estimate({key: dev[0][key] - own[key] for key in own}) if rank else None
        for rank, own in enumerate(dev)
    ]
    ranking = [
        Ranked(rank, dict(candidate.settings), _estimate(own), gap)
        for rank, (candidate, own, gap) in enumerate(zip(ranked, dev, behind, strict=True), start=1)
    ]
    records = experiments.read_finished(chosen, runs)
    scores: dict[tuple[str, str], dict[tuple[int, int], float]] = {}
    for record in records:
        for test, found in record.metrics.items():
            for metric, value in found.items():
                scores.setdefault((test, metric), {})[record.split, record.seed] = value
    return Choice(
        *(contest.model, contest.encoder, contest.corpus, contest.metric, ranking),
        chosen=ranking[0].settings if ranking else None,
        test=[TestScore(*names, _estimate(values)) for names, values in scores.items()],
        signatures=sorted({text for record in records for text in record.signatures.values()}),
    )


def _print_result(result: TuneResult) -> None:
    for choice in result.choices:
        on = f"{choice.model}/{choice.encoder} on {choice.corpus}"
        columns = [
            "rank",
            "setting",
            f"{choice.metric} on dev [95 % CI]",
            "behind the best [95 % CI]",
            "runs",
        ]
        rows = [
            [each.rank, _spell(each.settings), _percent(each.dev), _percent(each.behind), each.dev.runs]
            for each in choice.ranking
        ]
        print_table(f"{on}: settings by dev", columns, rows)
        if choice.chosen is None:
            print_text(f"{on}: no setting could be trained")
            continue
        print_text(f"chosen on dev: {_spell(choice.chosen)}")
        columns = ["test set", "metric", "score [95 % CI]", "runs"]
        tests = [[each.test, each.metric, _percent(each.score), each.score.runs] for each in choice.test]
        print_table(f"{on}: the choice on test", columns, tests)
        print_text("\n".join(choice.signatures))
        print_text()


def _spell(settings: Mapping[str, object]) -> str:
    return " ".join(f"{key}={value}" for key, value in settings.items()) or "as it is"


def _percent(found: Estimate | None) -> str:
    if found is None:
        return "–"
    mean = f"{100 * found.mean:.2f}"
    return f"{mean} [{100 * found.ci[0]:.2f}, {100 * found.ci[1]:.2f}]" if found.ci else mean
