"""`aspectlab annotate rehearse`: the annotation loop with a made-up second annotator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli.console import notice, print_json, print_table
from aspectlab.errors import ConfigError

if TYPE_CHECKING:
    from aspectlab.annotation.rehearsal import Round


def rehearse(
    file: Annotated[Path, typer.Argument(help="An annotated data set: the first annotator.")],
    size: Annotated[int, typer.Option(min=1, help="Segments of the first round: the pilot.")] = 100,
    step: Annotated[int, typer.Option(min=0, help="Segments that every further round adds.")] = 50,
    noise: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the triples that differ in the first round.")
    ] = 0.9,
    learning: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the noise that better guidelines take away a round.")
    ] = 0.3,
    threshold: Annotated[float, typer.Option(help="Least similarity of triples that agree.")] = 0.6,
    accept: Annotated[float, typer.Option(min=0, max=1, help="Stop when TPA is above this.")] = 0.7,
    rounds: Annotated[int, typer.Option(min=1, help="Stop after so many rounds in any case.")] = 20,
    similarity: Annotated[
        str | None, typer.Option(help="As in `annotate agreement`; embedded if it is there.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed; the same seed gives the same rounds.")] = 1,
    out: Annotated[Path | None, typer.Option(help="New folder for both annotations of every round.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: fractions, not percent.")] = False,
) -> None:
    """Run the loop of annotating, measuring agreement and mending guidelines until it is accepted.

    The second annotator is the first with noise: triples are missed, split, or said with another opinion of
    the same polarity. Exit code 1: not accepted after the last round.

    Example: `aspectlab annotate rehearse train.jsonl --size 100 --accept 0.7 --out rehearsal`
    """
    from aspectlab.annotation import Plan, choose_wording
    from aspectlab.annotation.rehearsal import Course, rehearse
    from aspectlab.cli.annotate import load_vectors
    from aspectlab.readers import read

    course = Course(size, step, noise, learning, accept, rounds, seed)
    measure = Plan((threshold,), permutations=1, resamples=0, seed=seed)
    _refuse_earlier(out)
    corpus, vectors = read(file), load_vectors(similarity)
    done: list[Round] = []
    for turn in rehearse(corpus, course, vectors, choose_wording(corpus.language), measure):
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


def _write(folder: Path, turn: Round) -> None:
    from aspectlab.readers import write

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--out {folder}: cannot be made: {error.strerror}; name another folder") from None
    for name, corpus in (("first", turn.first), ("second", turn.second)):
        write(corpus, folder / f"round-{turn.number}-{name}.jsonl", "jsonl")


def _to_record(turn: Round) -> dict[str, object]:
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


def _print(done: list[Round], similarity: str) -> None:
    names = ["round", "segments", "triples", "noise", *done[0].slips, "TPA", "SGA", "chance"]
    rows = []
    for turn in done:
        level = turn.agreement.levels[0]
        chance = None if level.chance is None else 100 * level.chance["tpa"]
        counts = [turn.number, turn.agreement.segments, turn.agreement.triples[0], 100 * turn.noise]
        scores = [100 * turn.tpa, 100 * level.scores["sga"], chance]
        rows.append([*counts, *turn.slips.values(), *scores])
    print_table(f"similarity {similarity}; noise and agreement in percent", names, rows)
