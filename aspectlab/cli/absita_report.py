"""What `aspectlab absita score` prints: the numbers, how they were counted, and their signature."""

from __future__ import annotations

import numpy as np

from aspectlab.campaigns import absita
from aspectlab.cli.console import print_table
from aspectlab.version import VERSION


def describe_mode(with_other: bool, official: bool = False, missing: int = 0) -> str:
    """Return which of the two scoring modes was used, and what was allowed."""
    mode = "with other, as in the published results" if with_other else "without other, as in the guidelines"
    taken = "; last row of an id, blank as 0" if official else ""
    return mode + taken + (f"; {missing:,} missing sentences count as empty" if missing else "")


def sign(sha256: str, score: absita.RunScore, *, resamples: int, seed: int) -> str:
    """Return the signature of the numbers."""
    aspects = 8 if score.with_other else 7
    allowed = ["official"] * score.official + [f"missing:{score.missing}"] * bool(score.missing)
    bootstrap = [f"bs:{resamples}", f"seed:{seed}"] if resamples else []
    parts = ["absita-f1", f"gold:{sha256[:8]}", f"aspects:{aspects}", *allowed, *bootstrap, f"v:{VERSION}"]
    return "|".join(parts)


def to_record(score: absita.RunScore, *, resamples: int, seed: int) -> dict[str, object]:
    """Return the numbers under the JSON contract's keys, as fractions; null for a task not scored."""
    tasks = {
        name: {
            **tally.micro,
            "macro": tally.macro,
            "by_aspect": tally.by_category,
            "interval": _interval(tally, resamples, seed),
            **_sizes(tally),
        }
        for name, tally in score.tallies.items()
    }
    return {"acd": None, "acp": None, **tasks, "with_other": score.with_other, "run": score.run}


def print_score(score: absita.RunScore, mode: str, *, resamples: int, seed: int) -> None:
    """Print the twelve numbers of the organisers' script, the intervals, and the aspects one by one."""
    rows = []
    for name, tally in score.tallies.items():
        interval = _interval(tally, resamples, seed).get("f1", [None, None])
        bounds = [None if bound is None else f"{bound:.4f}" for bound in interval]
        rows.append([name, "micro", *_four(tally.micro), *bounds])
        rows.append([name, "macro", *_four(tally.macro), None, None])
    columns = ["task", "mean", "P", "R", "F1", "95% from", "to"]
    print_table(f"{score.run}: {len(score.acd.counts):,} sentences", columns, rows)
    print(f"mode: {mode}")
    if score.acp is None:
        print("acp: not scored: the run gives no polarity")
    parts = [
        [category, name, *_four(values)]
        for name, tally in score.tallies.items()
        for category, values in tally.by_category.items()
    ]
    print_table("", ["aspect", "task", "P", "R", "F1"], parts)


def _interval(tally: absita.RunCounts, resamples: int, seed: int) -> dict[str, list[float]]:
    if not resamples:
        return {}
    found = tally.interval(rng=np.random.default_rng(seed), resamples=resamples)
    return {name: list(bounds) for name, bounds in found.items()}


def _sizes(tally: absita.RunCounts) -> dict[str, int]:
    hit, extra, missed = (int(count) for count in tally.counts.sum(axis=(0, 1)))
    return {"hits": hit, "predicted": hit + extra, "gold": hit + missed}


def _four(values: dict[str, float]) -> list[str]:
    return [f"{values[name]:.4f}" for name in ("precision", "recall", "f1")]
