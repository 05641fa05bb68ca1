"""`aspectlab arts generate`: make a robustness test set from sentences with opinion words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli.console import notice, print_json, print_table, printable
from aspectlab.cli.english import notice_limits
from aspectlab.cli.settings import refuse_unwritable_file
from aspectlab.errors import ConfigError

if TYPE_CHECKING:
    from aspectlab.robustness.generating import Generation

COMBINATIONS = ("revtgt+adddiff", "revnon+adddiff")

Seed = Annotated[int, typer.Option(min=0, help="Seed of all draws.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
Plain = Annotated[
    bool, typer.Option(help='Word negations as "not very good", not as released: "very not good".')
]
Phrases = Annotated[
    str,
    typer.Option(
        "--aspect-phrases",
        help="How the clauses of ADDDIFF are made: template, or parsed, which cuts them out of the training "
        "sentences with the spaCy pipeline of the parse extra; parsed:NAME takes another one.",
    ),
]


def generate(
    sentences: Annotated[Path, typer.Argument(help="Test sentences with aspects and opinion words.")],
    train: Annotated[Path, typer.Option(help="Training sentences; ADDDIFF takes its clauses from them.")],
    out: Annotated[Path, typer.Option(help="The file to write: ARTS JSON, or JSONL by its suffix.")],
    all_aspects: Annotated[
        Path | None, typer.Option(help="The same sentences with all aspects, also those without opinions.")
    ] = None,
    predicted: Annotated[
        Path | None,
        typer.Option(help="A model's triplets for SENTENCES: opinions of the aspects that have none."),
    ] = None,
    strategies: Annotated[
        str, typer.Option(help="Names with commas between them.")
    ] = "revtgt,revnon,adddiff",
    k: Annotated[str, typer.Option(help="Aspects that ADDDIFF appends: a number, or a range.")] = "1-3",
    combine: Annotated[bool, typer.Option(help="Add chains: REVTGT or REVNON, then ADDDIFF.")] = False,
    plain: Plain = False,
    phrases: Phrases = "template",
    seed: Seed = 1016,
    as_json: AsJson = False,
) -> None:
    """Make variants of every aspect that keep or reverse its label, and report what could not be varied.

    The file holds the sources too. One seed gives one file, byte for byte. The names of variants that rest on
    predicted opinions end in `-predicted`, so that they are scored apart.

    Example: `aspectlab arts generate test_sent_towe.json --train train_sent_towe.json --out arts.json`
    """
    from aspectlab.readers import read, write
    from aspectlab.robustness import generating

    refuse_unwritable_file(out, inputs=[sentences, train, all_aspects, predicted], kind="JSON or JSONL")
    names = parse_names(strategies)
    corpus, pool = read(sentences), read(train)
    notice_limits(corpus, pool)
    generation = generating.generate(
        corpus,
        pool,
        all_aspects=read(all_aspects) if all_aspects else None,
        predicted=read(predicted) if predicted else None,
        strategies=[*names, *(COMBINATIONS if combine else ())],
        sizes=parse_sizes(k),
        plain=plain,
        phrases=phrases,
        seed=seed,
    )
    write(generation.corpus, out, "jsonl" if out.suffix == ".jsonl" else "arts")
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


def report(generation: Generation, *, as_json: bool) -> None:
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
