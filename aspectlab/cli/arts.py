"""The command group `arts`: generate and augment variants, score and compare systems on them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from aspectlab import data, readers, robustness
from aspectlab.cli.console import notice, print_json, print_table, print_text, printable
from aspectlab.cli.options import notice_limits, refuse_unwritable_file
from aspectlab.errors import ConfigError
from aspectlab.metrics import Unit

COMBINATIONS = ("revtgt+adddiff", "revnon+adddiff")

Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
Plain = Annotated[
    bool, typer.Option(help='Write negations as "not very good" instead of "very not good", as released.')
]
Phrases = Annotated[
    str,
    typer.Option(
        "--aspect-phrases",
        help="How ADDDIFF makes its clauses: template, or parsed, which extracts them from the training "
        "sentences with the spaCy pipeline of the parse extra; parsed:NAME uses another pipeline.",
    ),
]


def generate(
    sentences: Annotated[Path, typer.Argument(help="Test sentences with aspects and opinion words.")],
    train: Annotated[Path, typer.Option(help="Training sentences, the source of ADDDIFF's clauses.")],
    out: Annotated[Path, typer.Option(help="Output file: .json for ARTS JSON, .jsonl for JSONL.")],
    all_aspects: Annotated[
        Path | None,
        typer.Option(help="The same sentences with all aspects, including those without opinions."),
    ] = None,
    predicted: Annotated[
        Path | None,
        typer.Option(help="Predicted triplets for SENTENCES, used for aspects without opinions."),
    ] = None,
    strategies: Annotated[str, typer.Option(help="Comma-separated names.")] = "revtgt,revnon,adddiff",
    k: Annotated[str, typer.Option(help="Number of aspects that ADDDIFF appends, or a range.")] = "1-3",
    combine: Annotated[bool, typer.Option(help="Also chain REVTGT or REVNON with ADDDIFF.")] = False,
    plain: Plain = False,
    phrases: Phrases = "template",
    seed: Seed = 1016,
    as_json: AsJson = False,
) -> None:
    """Generate variants of each aspect that keep or reverse its label, and report failures.

    The output includes the originals. The same seed gives the same file, byte for byte. Names of variants
    that rely on predicted opinions end in `-predicted`, so that they are scored separately.

    Example: `aspectlab arts generate test_sent_towe.json --train train_sent_towe.json --out arts.json`
    """
    refuse_unwritable_file(out, inputs=[sentences, train, all_aspects, predicted], kind="JSON or JSONL")
    names = parse_names(strategies)
    corpus, pool = readers.read(sentences), readers.read(train)
    notice_limits(corpus, pool)
    generation = robustness.generate(
        corpus,
        pool,
        all_aspects=readers.read(all_aspects) if all_aspects else None,
        predicted=readers.read(predicted) if predicted else None,
        strategies=[*names, *(COMBINATIONS if combine else ())],
        sizes=parse_sizes(k),
        plain=plain,
        phrases=phrases,
        seed=seed,
    )
    readers.write(generation.corpus, out, "jsonl" if out.suffix == ".jsonl" else "arts")
    report(generation, as_json=as_json)
    notice(f"{out}: {len(generation.corpus):,} examples")


def parse_names(text: str) -> list[str]:
    """Read names with commas between them.

    >>> parse_names("revtgt, revnon,")
    ['revtgt', 'revnon']
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def parse_sizes(text: str) -> tuple[int, ...]:
    """Read a number or a range of numbers.

    >>> parse_sizes("1-3"), parse_sizes("2")
    ((1, 2, 3), (2,))
    """
    found = re.fullmatch(r"([1-5])(?:-([1-5]))?", text.strip())
    if found is None or (found[2] is not None and found[2] < found[1]):
        raise ConfigError(f"--k {text!r}: expected a number from 1 to 5 or a range of them; write 2, or 1-3")
    return tuple(range(int(found[1]), int(found[2] or found[1]) + 1))


def report(generation: robustness.Generation, *, as_json: bool) -> None:
    """Print how many examples there are of each kind, and what could not be varied and why."""
    variants, skips = generation.count_variants(), generation.group_skips()
    aspectset = generation.aspectset
    notice(f"clauses that ADDDIFF may append: {len(aspectset.expressions):,}, by the {aspectset.origin}")
    if as_json:
        missing = [
            {"strategy": name, "reason": reason, "aspects": len(ids), "ids": ids}
            for (name, reason), ids in skips.items()
        ]
        clauses = {"from": aspectset.origin, "count": len(aspectset.expressions)}
        print_json({"examples": dict(variants), "not_varied": missing, "clauses": clauses})
        return
    print_table("made", ["variant", "examples"], variants.items())
    rows = [[*key, len(ids), _shorten(ids)] for key, ids in skips.items()]
    if rows:
        print_table("not varied", ["strategy", "reason", "aspects", "ids"], rows)


def _shorten(ids: Sequence[str]) -> str:
    return printable(", ".join(ids[:3])) + (", …" if len(ids) > 3 else "")


Ratio = Annotated[float | None, typer.Option(help="Variants sampled per original (default: all).")]
Exclude = Annotated[
    list[Path] | None, typer.Option(help="Dev or test files that must not share sentences with TRAIN.")
]


def augment(
    train: Annotated[Path, typer.Argument(help="Training sentences with aspects and polarities.")],
    out: Annotated[Path, typer.Option(help="Output file (canonical JSONL, one aspect per line).")],
    opinions: Annotated[
        Path | None, typer.Option(help="The same sentences with opinion words, if TRAIN has none.")
    ] = None,
    strategies: Annotated[
        str, typer.Option(help="Comma-separated names, easiest first.")
    ] = "adddiff,revnon,revtgt",
    ratio: Ratio = None,
    exclude: Exclude = None,
    drop_shared: Annotated[bool, typer.Option(help="Drop shared sentences from TRAIN.")] = False,
    curriculum: Annotated[
        bool, typer.Option(help="Also write one file per curriculum stage, adding a strategy in each.")
    ] = False,
    phrases: Phrases = "template",
    seed: Seed = 1016,
    as_json: AsJson = False,
) -> None:
    """Augment a training set with variants of its aspects, for adversarial training.

    Aspects without opinion words only get appended clauses; the report counts them. A variant names its
    original as source: keep both on the same side when you split the file.

    Example: `aspectlab arts augment train_sent_towe.json --exclude test_sent.json --out adversarial.jsonl`
    """
    names = parse_names(strategies)
    for path in [out, *(name_stages(out, len(names) + 1) if curriculum else ())]:
        refuse_unwritable_file(path, inputs=[train, opinions, *(exclude or ())], kind="JSONL")
    own = readers.read(opinions) if opinions else None
    originals = readers.read(train)
    notice_limits(originals, own)
    made = robustness.augment(
        originals,
        opinions=own,
        strategies=names,
        ratio=ratio,
        exclude=[readers.read(path) for path in exclude or ()],
        drop_shared=drop_shared,
        phrases=phrases,
        seed=seed,
    )
    readers.write(made.corpus, out, "jsonl")
    if curriculum:
        _write_stages(robustness.stages(made.corpus, names), out)
    report(made, as_json=as_json)
    notice(f"{out}: {len(made.corpus):,} examples")


def name_stages(out: Path, count: int) -> list[Path]:
    """Name the files of a curriculum beside the whole one."""
    return [out.with_name(f"{out.stem}-stage{number}{out.suffix}") for number in range(count)]


def _write_stages(stages: Sequence[data.Corpus], out: Path) -> None:
    for path, stage in zip(name_stages(out, len(stages)), stages, strict=True):
        readers.write(stage, path, "jsonl")
        notice(f"{path}: {len(stage):,} examples")


app = typer.Typer(
    help="Generate robustness test sets and compute the Aspect Robustness Score.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.command()(generate)
app.command()(augment)


@app.command()
def table(
    predictions: Annotated[
        Path, typer.Argument(help="CSV with columns id, sentence, term, gold_label and one per model.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (by model, in percent).")] = False,
) -> None:
    """Compare models on a robustness test set, from a table of their predicted labels.

    An id that ends in `_adv1` is a RevTgt variant of the id before it, `_adv2` RevNon, `_adv3` or `_adv4`
    AddDiff; a chain ends in its name, such as `_revnon+adddiff`. Every cell of the table is Ori → New
    (change). Entire → is the Aspect Robustness Score by aspect.

    Example: `aspectlab arts table rest_predictions.csv --json`
    """
    found = robustness.read_predictions(predictions)
    layout = robustness.lay_out(found.gold)
    scores = {
        name: robustness.score_robustness(found.gold, predicted, layout=layout)
        for name, predicted in found.models.items()
    }
    if as_json:
        print_json({name: to_record(result, "aspect") for name, result in scores.items()})
        return
    print_models(f"{found.gold.name}: {len(found.gold):,} examples", scores)
    print_text(STARS)
    print_text(robustness.sign(next(iter(scores.values())), "aspect"))
    print_text(show_command("table", str(predictions)))


@app.command()
def score(
    testset: Annotated[
        Path, typer.Argument(help="Originals and variants (ARTS JSON, JSONL or the authors' CSV).")
    ],
    predictions: Annotated[Path, typer.Argument(help="Predictions for the same texts, or the authors' CSV.")],
    column: Annotated[str | None, typer.Option(help="Model column of a CSV with several models.")] = None,
    unit: Annotated[str, typer.Option(help="Unit to score: aspect or sentence.")] = "aspect",
    task: Annotated[str, typer.Option(help="Task to evaluate: atsc, e2e or aste.")] = "atsc",
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples (0: no CI).")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap.")] = 0,
    failures: Annotated[Path | None, typer.Option(help="Write failed units to an HTML page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (in percent).")] = False,
) -> None:
    """Score predictions for a robustness test set.

    A unit is correct if its original and all its variants are: an aspect with its variants, as in the ARTS
    paper, or a sentence with all its aspects. An example is correct if every gold quad is found; extra
    predictions only lower precision. Use e2e for triplet models where the test set has no opinions.

    Example: `aspectlab arts score arts.json predicted.jsonl --failures failures.html`
    """
    refuse_unwritable_file(failures, "--failures", inputs=[testset, predictions])
    chosen, gold = robustness.check_unit(unit), robustness.read_testset(testset)
    predicted = robustness.read_answers(predictions, gold, column)
    result = robustness.score_robustness(gold, predicted, task)
    rng = np.random.default_rng(seed)
    bounds = robustness.intervals(result, chosen, rng=rng, resamples=resamples) if resamples else {}
    if failures is not None:
        robustness.write_failures(failures, gold, predicted, result, chosen)
        notice(f"{failures}: written")
    signature = robustness.sign(result, chosen, resamples=resamples, seed=seed)
    if as_json:
        print_json(to_report(result, chosen, bounds, signature))
        return
    print_scores(f"{task} on {gold.name}: {len(gold):,} examples", result, bounds)
    print_subsets(result, chosen)
    print_text(signature)
    options = ["--unit", unit, "--task", task, "--resamples", str(resamples), "--seed", str(seed)]
    options += [] if column is None else ["--column", column]
    options += [] if failures is None else ["--failures", str(failures)]
    print_text(show_command("score", str(testset), str(predictions), *options))


Intervals = Mapping[str, tuple[float, float]]

STAR = "* p <= 0.05, Welch's two-sided t-test"
STARS = f"{STAR}: per model over examples, in the last row over models"


def to_record(result: robustness.Robustness, unit: Unit) -> dict[str, object]:
    """Return the numbers of one model under the JSON contract's keys, in percent."""
    entire = result.entire[unit]
    return {
        # a strategy that the test set does not use is null, so that every key of the contract is there
        **dict.fromkeys(robustness.PUBLISHED_STRATEGIES),
        **{name: _to_pair(change) for name, change in result.subsets.items()},
        **{name: 100 * value for name, value in result.evaluation.scores.items()},
        "ori": 100 * entire.ori,
        "ars": 100 * entire.new,
        "ars_aspect": 100 * result.entire["aspect"].new,
        "ars_sentence": 100 * result.entire["sentence"].new,
        "p": entire.p,
        "mcnemar": entire.mcnemar,
        "counts": _count(result),
        "signature": robustness.sign(result, unit),
    }


def to_report(
    result: robustness.Robustness, unit: Unit, bounds: Intervals, signature: str
) -> dict[str, object]:
    """Return the numbers of one model with their confidence intervals."""
    percent = {name: [100 * bound for bound in interval] for name, interval in bounds.items()}
    if percent:
        percent["ars"] = percent[f"ars_{unit}"]
    task = result.evaluation.metric.task.name
    record = to_record(result, unit)
    return {**record, "task": task, "unit": unit, "interval": percent, "signature": signature}


def print_models(title: str, scores: Mapping[str, robustness.Robustness]) -> None:
    """Print a row per model, as in the paper, and their average."""
    changes = {name: [result.entire["aspect"], *result.subsets.values()] for name, result in scores.items()}
    by_sentence = {name: result.entire["sentence"] for name, result in scores.items()}
    rows = [[name, *map(_arrow, changes[name]), 100 * by_sentence[name].new] for name in scores]
    averages = [robustness.average_changes(column) for column in zip(*changes.values(), strict=True)]
    sentence = robustness.average_changes(list(by_sentence.values()))
    rows.append(["average", *map(_arrow, averages), 100 * sentence.new])
    subsets = next(iter(scores.values())).subsets
    print_table(title, ["model", "entire (ARS)", *subsets, "ARS by sentence"], rows)


def print_scores(title: str, result: robustness.Robustness, bounds: Intervals) -> None:
    """Print the flat scores and the Aspect Robustness Score in both units, with their intervals."""
    ars = {f"ars_{unit}": change.new for unit, change in result.entire.items()}
    rows = []
    for name, value in {**result.evaluation.scores, **ars}.items():
        interval = [100 * bound for bound in bounds[name]] if name in bounds else [None, None]
        rows.append([name, 100 * value, *interval])
    print_table(title, ["score", "percent", "95% from", "to"], rows)


def print_subsets(result: robustness.Robustness, unit: Unit) -> None:
    """Print what the changes of each strategy did."""
    changes = {f"entire, by {unit}": result.entire[unit], **result.subsets}
    rows = [
        [name, change.count, change.variants, _arrow(change), _show(change.p), _show(change.mcnemar)]
        for name, change in changes.items()
    ]
    columns = ["subset", "originals", "compared", "Ori → New (change)", "p Welch", "p McNemar"]
    print_table("", columns, rows)
    if any(change.is_significant for change in changes.values()):
        print_text(STAR)


def show_command(*words: str) -> str:
    """Return the command line that reproduces the same numbers.

    >>> show_command("table", "my runs.csv")
    "aspectlab arts table 'my runs.csv'"
    """
    return shlex.join(["aspectlab", "arts", *words])


def _to_pair(change: robustness.AccuracyChange) -> dict[str, object]:
    percent = {"ori": 100 * change.ori, "new": 100 * change.new}
    return {**percent, "p": change.p, "mcnemar": change.mcnemar}


def _count(result: robustness.Robustness) -> dict[str, int]:
    units = {f"units_{name}": change.count for name, change in result.entire.items()}
    subsets = {name: change.variants for name, change in result.subsets.items()}
    return {"examples": len(result.right), **units, **subsets}


def _arrow(change: robustness.AccuracyChange) -> str:
    """Write a change as the paper does: the difference is that of the two printed numbers."""
    before, after = round(100 * change.ori, 2), round(100 * change.new, 2)
    direction = "↓" if before >= after else "↑"
    star = "*" if change.is_significant else ""
    return f"{before:.2f} → {after:.2f} ({direction}{abs(before - after):05.2f}){star}"


def _show(p: float | None) -> str | None:
    return None if p is None else f"{p:.2g}"
