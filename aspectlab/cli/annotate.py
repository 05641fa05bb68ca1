"""The command group `annotate`: sampling, guidelines, agreement and rehearsal."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import annotation, data, readers, runtime
from aspectlab.cli import annotate_exchange
from aspectlab.cli.console import notice, print_json, print_table, print_text
from aspectlab.cli.options import refuse_unwritable_file
from aspectlab.data import statistics
from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.readers import tables


def rehearse(
    file: Annotated[Path, typer.Argument(help="Annotated data set; serves as the first annotator.")],
    size: Annotated[int, typer.Option(min=1, help="Segments in the first round (pilot).")] = 100,
    step: Annotated[int, typer.Option(min=0, help="Segments added in each further round.")] = 50,
    noise: Annotated[
        float, typer.Option(min=0, max=1, help="Share of triples changed in the first round.")
    ] = 0.9,
    learning: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the noise removed per round by better guidelines.")
    ] = 0.3,
    threshold: Annotated[float, typer.Option(help="Minimum similarity of matching triples.")] = 0.6,
    accept: Annotated[float, typer.Option(min=0, max=1, help="Stop when TPA exceeds this value.")] = 0.7,
    rounds: Annotated[int, typer.Option(min=1, help="Maximum number of rounds.")] = 20,
    similarity: Annotated[
        str | None, typer.Option(help="As in `annotate agreement` (default: embedded if available).")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 1,
    out: Annotated[Path | None, typer.Option(help="New folder for both annotations of each round.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (as fractions).")] = False,
) -> None:
    """Simulate rounds of annotation, agreement and better guidelines until the agreement is accepted.

    The second annotator is the first with noise: triples are missed, split, or get another opinion of the
    same polarity. Exits with 1 if the agreement is not accepted after the last round.

    Example: `aspectlab annotate rehearse train.jsonl --size 100 --accept 0.7 --out rehearsal`
    """
    course = annotation.RehearsalConfig(size, step, noise, learning, accept, rounds, seed)
    measure = annotation.AgreementPlan((threshold,), permutations=1, resamples=0, seed=seed)
    _refuse_earlier(out)
    corpus, vectors = readers.read(file), load_vectors(similarity)
    done: list[annotation.Round] = []
    for turn in annotation.rehearse(
        corpus, course, vectors, annotation.choose_wording(corpus.language), measure
    ):
        done.append(turn)
        if out is not None:
            _write(out, turn)
    if as_json:
        rows = [_to_record(turn) for turn in done]
        print_json({"accepted": done[-1].is_accepted, "similarity": vectors.name, "rounds": rows})
    else:
        _print(done, vectors.name)
    verdict = "accepted" if done[-1].is_accepted else "not accepted"
    notice(f"{verdict} in round {done[-1].number}: TPA at {threshold:g} is {100 * done[-1].tpa:.1f} %")
    if not done[-1].is_accepted:
        raise typer.Exit(1)


def _refuse_earlier(folder: Path | None) -> None:
    """Refuse a folder with rounds: some would be written over, perhaps the very input, and others stay."""
    if folder is not None and any(folder.glob("round-*.jsonl")):
        raise ConfigError(
            f"--out {folder}: found rounds of an earlier rehearsal: expected none; name another folder"
        )


def _write(folder: Path, turn: annotation.Round) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--out {folder}: cannot be made: {error.strerror}; name another folder") from None
    for name, corpus in (("first", turn.first), ("second", turn.second)):
        readers.write(corpus, folder / f"round-{turn.number}-{name}.jsonl", "jsonl")


def _to_record(turn: annotation.Round) -> dict[str, object]:
    level = turn.agreement.levels[0]
    return {
        "round": turn.number,
        "segments": turn.agreement.segments,
        "noise": turn.noise,
        "slips": turn.slips,
        "triples": list(turn.agreement.triples),
        "tpa": turn.tpa,
        "sga": level.scores["sga"],
        "chance": None if level.chance is None else level.chance["tpa"],
        "accepted": turn.is_accepted,
    }


def _print(done: list[annotation.Round], similarity: str) -> None:
    names = ["round", "segments", "triples", "noise", *done[0].slips, "TPA", "SGA", "chance"]
    rows = []
    for turn in done:
        level = turn.agreement.levels[0]
        chance = None if level.chance is None else 100 * level.chance["tpa"]
        counts = [turn.number, turn.agreement.segments, turn.agreement.triples[0], 100 * turn.noise]
        scores = [100 * turn.tpa, 100 * level.scores["sga"], chance]
        rows.append([*counts, *turn.slips.values(), *scores])
    print_table(f"similarity {similarity}; noise and agreement in percent", names, rows)


app = typer.Typer(
    help="Build a data set: sample, prelabel, exchange with annotation tools, measure agreement.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Accept = Annotated[
    float | None,
    typer.Option(
        min=0, max=1, help="Exit with 1 unless TPA at the first threshold exceeds this, such as 0.7."
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Random seed (results do not depend on the machine).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON (as fractions).")]


@app.command()
def sample(
    files: Annotated[
        list[Path],
        typer.Argument(help="Data sets in any known format, read as one corpus.", show_default=False),
    ],
    size: Annotated[int, typer.Option(min=1, help="Number of examples to sample.")],
    out: Annotated[Path, typer.Option(help="Output file (canonical JSONL).")],
    pilot: Annotated[int, typer.Option(min=0, help="Number of first rows that form the pilot.")] = 0,
    blank: Annotated[bool, typer.Option("--blank", help="Keep only the topic label.")] = False,
    group_by: Annotated[
        str | None, typer.Option(help="Read FILES as tables of reviews, with this column as the topic.")
    ] = None,
    text_column: Annotated[str | None, typer.Option(help="Text column, with --group-by.")] = None,
    seed: Seed = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Draw a random sample, stratified by topic, and show the topic balance before and after.

    The topic of an example is the category of its quads, or, for a review, the column of --group-by.
    Examples without a topic form their own stratum.

    Example: `aspectlab annotate sample train.csv devel.csv --size 550 --pilot 100 --out sample.jsonl`
    """
    if text_column is not None and group_by is None:
        raise ConfigError("--text-column is for tables of reviews: expected --group-by COLUMN beside it")
    refuse_unwritable_file(out, inputs=files, kind="JSONL")
    corpus = _read(files) if group_by is None else _read_reviews(files, group_by, text_column)
    drawn = annotation.draw_sample(corpus, size, seed=seed)
    strata = annotation.balance(corpus, drawn, pilot=pilot)
    readers.write(annotation.remove_labels(drawn) if blank else drawn, out, "jsonl")
    notice(f"{out}: {len(drawn):,} of {len(corpus):,} examples written, the first {pilot:,} are the pilot")
    if as_json:
        rows = [asdict(stratum) for stratum in strata]
        print_json({"out": str(out), "size": len(drawn), "pilot": pilot, "seed": seed, "topics": rows})
    else:
        annotate_exchange.print_balance(strata)


app.command()(annotate_exchange.prelabel)
app.command()(annotate_exchange.export)
app.command("import")(annotate_exchange.import_)
app.command()(rehearse)


@app.command()
def agreement(
    files: Annotated[
        list[Path], typer.Argument(help="One file per annotator, two or more.", show_default=False)
    ],
    similarity: Annotated[
        str | None,
        typer.Option(
            help="embedded, letters, or a spaCy pipeline with vectors (default: embedded if available)."
        ),
    ] = None,
    threshold: Annotated[
        list[float] | None, typer.Option(help="Minimum similarity (repeatable). Default: 0.6, 0.65, 0.7.")
    ] = None,
    share: Annotated[float, typer.Option(help="Share of a segment's triples that must match for SGA.")] = 0.6,
    exclude: Annotated[bool, typer.Option("--exclude", help="Skip incomparable segments.")] = False,
    permutations: Annotated[int, typer.Option(min=0, help="Random pairings for chance agreement.")] = 3,
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples (0: no CI).")] = 1_000,
    worst: Annotated[int, typer.Option(min=0, help="Number of worst segments to list.")] = 10,
    accept: Accept = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Measure inter-annotator agreement on triples, with chance agreement and confidence intervals.

    TPA is the share of triples that match one of the other annotator, SGA the share of segments that agree.
    Segments that are missing or repeated in a file, or whose text, labels or offsets do not match, are listed
    as errors; with --exclude they are counted and skipped.

    Example: `aspectlab annotate agreement anna.jsonl ben.jsonl --threshold 0.6 --json`
    """
    plan = annotation.AgreementPlan(
        tuple(threshold or annotation.AgreementPlan().thresholds), share, permutations, resamples, seed
    )
    panel = annotation.read_panel(files, exclude=exclude)
    chosen, wording = load_vectors(similarity), annotation.choose_wording(panel.language)
    if not wording.stop_words:
        notice(f"post-processing is {wording.name}: stop words and lemmas are English, not {panel.language}")
    elif not wording.lemmas:
        notice(f"post-processing is {wording.name}: lemmas need: pip install 'aspectlab[parse]'")
    found = annotation.measure_agreement(panel, chosen, wording, plan)
    signature = annotate_exchange.sign(panel, chosen.name, wording.name, plan)
    if as_json:
        print_json({**annotate_exchange.to_record(found, panel, worst), "signature": signature})
    else:
        annotate_exchange.print_agreement(found, panel, worst)
        print_text(signature)
    if accept is not None and found.levels[0].scores["tpa"] <= accept:
        notice(f"not accepted: TPA at {plan.thresholds[0]:g} is not above {accept:g}")
        raise typer.Exit(1)


def _read(files: list[Path]) -> data.Corpus:
    return statistics.pool([readers.read(file) for file in files])


def _read_reviews(files: list[Path], group: str, text: str | None) -> data.Corpus:
    """Make a corpus of reviews: nothing is annotated yet but the topic."""
    reviews, tally = (
        readers.open_reviews(files, readers.ReviewOptions(text=text, group=group)),
        tables.ReadCounts(),
    )
    examples = tuple(
        data.Example(review.id, review.text, (data.Quad(category=review.group),) if review.group else ())
        for review in reviews.read(tally)
    )
    for message in (*reviews.notices, *tally.notices()):
        notice(message)
    return data.Corpus("reviews", "und", frozenset({data.Part.CATEGORY}), examples)


def load_vectors(name: str | None) -> annotation.Similarity:
    """Return the similarity of a name (by default the shipped model's, or else plain spelling)."""
    if name not in (None, "embedded"):
        return annotation.load_similarity(str(name))
    try:
        return annotation.Similarity("embedded", runtime.load_predictor().embed)
    except MissingPartError as error:
        if name is not None:
            raise
        notice(f"similarity is 'letters', which knows spelling alone: {error}")
        return annotation.load_similarity("letters")
