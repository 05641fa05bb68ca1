"""Train triplet models without MATO, with it, and on follow-ups; score each and test it by the relations.

    python studies/mato.py --corpora FOLDER --followups FOLDER --models stage bdtf --seeds 3 --out F

Both folders hold canonical JSONL: 14lap-train, 14lap-dev, 14lap-test, 14res-… The second one is made of the
first by studies/followups.sh; without it follow-ups are made here, which needs WordNet. The violation rates
that weigh MATO are those of the base run of the same seed on dev. Rows that are there are not run again.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch
from driver import KEY, append_row, describe_options, measure, percent, read_rows, settle
from followups import Material, read_material
from matobench import CHANGES, Bench

from aspectlab.data import Quad
from aspectlab.metamorphic import ELEMENTS, RELATIONS, Findings
from aspectlab.training.trainer import Fitted, TrainingError

RATES = [f"dev_{element}" for element in ELEMENTS]
COLUMNS = [
    *["epoch", "dev_f1", "precision", "recall", "f1", "vr", "vr_conditional"],
    *[f"vr_{element}" for element in ELEMENTS],
    *[f"{kind}_{name.lower()}" for kind in ("vr", "vr_conditional") for name in RELATIONS],
    *[*RATES, "train_seconds", "test_seconds"],
]
MODELS_OF_PAPER = ["emcgcn", "bdtf", "minicongts", "stage", "simstar", "com-mrc", "slgm"]


def main() -> None:
    """Work through corpora x models x seeds x variants."""
    options = read_options()
    torch.set_float32_matmul_precision("high")
    for name in options.names:
        material = None
        for model in options.models:
            runs = find_missing(model, name, options)
            if runs:
                material = material or read_material(options, name)
                work(model, name, material, runs, options)


def read_options() -> argparse.Namespace:
    """Read the options."""
    assert __doc__
    parser = describe_options(__doc__, MODELS_OF_PAPER, ["14lap", "14res", "15res", "16res"])
    parser.add_argument("--followups", type=Path, help="folder of files made by studies/followups.sh")
    parser.add_argument("--variants", nargs="+", default=["base", "mato", "contrast"], choices=CHANGES)
    parser.add_argument("--candidates", type=int, default=10, help="of every replacement, on dev and test")
    return parser.parse_args()


def find_missing(model: str, name: str, options: argparse.Namespace) -> dict[int, list[str]]:
    """Give the variants that are still to be run for each seed; all of a seed are run by one process."""
    done = {tuple(row[key] for key in [*KEY, "variant"]) for row in read_rows(options.out)}
    part, parts = map(int, options.share.split("/"))
    missing = {
        seed: [
            variant
            for variant in CHANGES  # base comes first: the others need its rates
            if variant in options.variants
            and (*make_key(model, name, seed, options).values(), variant) not in done
        ]
        for seed in itertools.islice(range(1, options.seeds + 1), part - 1, None, parts)
    }
    return {seed: variants for seed, variants in missing.items() if variants}


def make_key(model: str, name: str, seed: int, options: argparse.Namespace) -> dict[str, str]:
    """Give the columns that tell the runs of one seed from all others."""
    settings = " ".join(sorted([*options.set, f"candidates={options.candidates}"]))
    return dict(
        zip(KEY, [model, options.label or options.encoder, name, "1", str(seed), settings], strict=True)
    )


def work(
    model: str, name: str, material: Material, runs: dict[int, list[str]], options: argparse.Namespace
) -> None:
    """Carry out the missing runs of one model on one corpus."""
    plan, settings = settle(model, material.train, options)
    bench = Bench(model, options.encoder, settings, plan, material)
    for seed, variants in runs.items():
        key = make_key(model, name, seed, options)
        for variant in variants:
            rates = find_rates(key, options.out)
            if variant not in ("base", "contrast") and rates is None:
                sys.exit(f"{options.out}: {variant} needs the rates of the base run: add base to --variants")
            try:
                row = run(bench, variant, seed, rates)
            except TrainingError as error:
                print(f"{model} on {name}, seed {seed}, {variant}: {error}", file=sys.stderr)
                break
            append_row(
                options.out,
                [*KEY, "task", "variant", *COLUMNS],
                {**key, "task": "mato", "variant": variant, **row},
            )


def find_rates(key: dict[str, str], path: Path) -> list[float] | None:
    """Find the rates that the base run measured on dev."""
    for row in read_rows(path):
        if row["variant"] == "base" and key.items() <= row.items():
            return [float(row[column]) / 100 for column in RATES]
    return None


def run(bench: Bench, variant: str, seed: int, rates: list[float] | None) -> dict[str, object]:
    """Train and test one variant."""
    started = time.perf_counter()
    fitted = bench.train(variant, seed, rates)
    trained = time.perf_counter()
    if variant == "base":
        found, _ = bench.test("dev")
        rates = [found.table.summarise()[element] or 0.0 for element in ELEMENTS]
    findings, quads = bench.test("test")
    shown = dict(zip(RATES, rates or [], strict=False))
    return {
        **describe(bench, fitted, findings, quads),
        **{column: percent(value) for column, value in shown.items() if variant != "contrast"},
        "train_seconds": f"{trained - started:.1f}",
        "test_seconds": f"{time.perf_counter() - trained:.1f}",
    }


def describe(
    bench: Bench, fitted: Fitted, findings: Findings, quads: list[tuple[Quad, ...]]
) -> dict[str, object]:
    """Fill the columns of one run."""
    gold = [source for source, _ in bench.material.groups["test"]]
    predicted = [replace(example, quads=found) for example, found in zip(gold, quads, strict=True)]
    scores = measure("aste", gold, predicted)
    tallies = findings.table.tallies.items()
    found = findings.table.summarise()
    rates = {
        "vr": found["average"],
        "vr_conditional": findings.table.summarise_conditional()["average"],
        **{f"vr_{element}": found[element] for element in ELEMENTS},
        **{f"vr_{name.lower()}": tally.vr for name, tally in tallies},
        **{f"vr_conditional_{name.lower()}": tally.vr_conditional for name, tally in tallies},
    }
    return {
        "epoch": fitted.best.number + 1,
        "dev_f1": percent(fitted.best.dev["f1"]),
        **{name: percent(scores[name]) for name in ("precision", "recall", "f1")},
        **{name: "" if rate is None else percent(rate) for name, rate in rates.items()},
    }


if __name__ == "__main__":
    main()
