"""Which settings are tried, and which is best on dev."""

from pathlib import Path

import pytest

from aspectlab.experiments.plan import Group, Run
from aspectlab.experiments.record import RunRecord, Timing, write_record
from aspectlab.experiments.search import SAMPLERS, Candidate, Contest, rank
from aspectlab.experiments.store import RunFolder

RATES, WIDTHS = [1e-5, 1e-4, 1e-3, 1e-2], [16, 32, 64]


def make_candidate(rate: float, width: int) -> Candidate:
    label = f"bert rate={rate} width={width}"
    group = Group(label, "bert", "tiny", "tiny", {}, {}, "atsc", (), (), "toys", "", {})
    runs = tuple(Run(f"{rate}-{width}-{seed}", group, 1, seed) for seed in (1, 2))
    return Candidate(group, {"rate": rate, "width": width}, runs)


CANDIDATES = tuple(make_candidate(rate, width) for rate in RATES for width in WIDTHS)
CONTEST = Contest("bert", "tiny", "toys", "accuracy", CANDIDATES)


def score(candidate: Candidate) -> float:
    """A hill with its top at the third rate and the largest width."""
    rate, width = candidate.settings["rate"], candidate.settings["width"]
    return 0.9 - 0.1 * abs(RATES.index(rate) - 2) + 0.01 * WIDTHS.index(width)  # type: ignore[arg-type]


def tried(method: str, trials: int, seed: int = 1) -> list[str]:
    rounds = SAMPLERS[method](CONTEST, trials, seed, score)
    return [candidate.title for some in rounds for candidate in some]


def test_grid_tries_every_setting_in_the_order_of_the_file() -> None:
    assert tried("grid", 12) == [candidate.title for candidate in CANDIDATES]


def test_random_search_goes_on_with_more_trials() -> None:
    assert tried("random", 3) == tried("random", 7)[:3]
    assert len(set(tried("random", 7))) == 7
    assert tried("random", 7) != tried("random", 7, seed=2)


def test_optuna_asks_for_the_same_settings_again() -> None:
    """What makes a killed search resume: with the same scores it proposes the same."""
    pytest.importorskip("optuna", reason="needs the extra 'tune'")
    assert tried("optuna", 5) == tried("optuna", 8)[:5]
    assert len(set(tried("optuna", 8))) == 8


def test_optuna_ends_when_all_settings_are_tried() -> None:
    pytest.importorskip("optuna", reason="needs the extra 'tune'")
    assert sorted(tried("optuna", 100)) == sorted(candidate.title for candidate in CANDIDATES)


def test_optuna_goes_on_after_a_setting_that_failed() -> None:
    pytest.importorskip("optuna", reason="needs the extra 'tune'")
    rounds = SAMPLERS["optuna"](CONTEST, 4, 1, lambda candidate: None)
    assert len([*rounds]) == 4


def write_run(folder: Path, run: Run, accuracy: float) -> None:
    (folder / run.id).mkdir(parents=True)
    what = ("study", run.group.label, "bert", "tiny", {}, "toys", run.split, run.seed, "atsc", {}, {})
    record = RunRecord(run.id, *what, {"accuracy": accuracy}, Timing(1.0, 1, 1), {}, {}, "")
    write_record(record, folder / run.id)


def test_best_mean_wins_ties_by_order_and_unfinished_ones_are_out(tmp_path: Path) -> None:
    scores = [(0.5, 0.7), (0.9, 0.4), (0.6, 0.6), (0.99,)]  # means 0.6, 0.65, 0.6; one run is missing
    for candidate, values in zip(CANDIDATES, scores, strict=False):
        for run, value in zip(candidate.runs, values, strict=False):
            write_run(tmp_path, run, value)
    ranked = rank(RunFolder(tmp_path), CONTEST, CANDIDATES[:4])
    assert ranked == [CANDIDATES[1], CANDIDATES[0], CANDIDATES[2]]
