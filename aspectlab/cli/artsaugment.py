"""`aspectlab arts augment`: make adversarial training data from a training part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli.artsgenerate import AsJson, Phrases, Seed, parse_names, report
from aspectlab.cli.console import notice
from aspectlab.cli.english import notice_limits
from aspectlab.cli.settings import refuse_unwritable_file

if TYPE_CHECKING:
    from aspectlab.data import Corpus


Ratio = Annotated[float | None, typer.Option(help="Variants per original, drawn at random. Default: all.")]
Exclude = Annotated[
    list[Path] | None, typer.Option(help="Dev or test files that must share no sentence with TRAIN.")
]


def augment(
    train: Annotated[Path, typer.Argument(help="Training sentences with aspects and polarities.")],
    out: Annotated[Path, typer.Option(help="The file to write: canonical JSONL, one aspect a line.")],
    opinions: Annotated[
        Path | None, typer.Option(help="The same sentences with opinion words, where TRAIN has none.")
    ] = None,
    strategies: Annotated[
        str, typer.Option(help="Names with commas between them, the easiest to learn first.")
    ] = "adddiff,revnon,revtgt",
    ratio: Ratio = None,
    exclude: Exclude = None,
    drop_shared: Annotated[bool, typer.Option(help="Leave shared sentences out of TRAIN.")] = False,
    curriculum: Annotated[
        bool, typer.Option(help="Write a file per stage too: originals, then one strategy more in each.")
    ] = False,
    phrases: Phrases = "template",
    seed: Seed = 1016,
    as_json: AsJson = False,
) -> None:
    """Add variants of the training aspects to them, for models that should resist such changes.

    Aspects without opinion words get only appended clauses; the report counts them. A variant names its
    original as source: whoever splits the file must keep the two on one side.

    Example: `aspectlab arts augment train_sent_towe.json --exclude test_sent.json --out adversarial.jsonl`
    """
    from aspectlab.readers import read, write
    from aspectlab.robustness import augmentation

    names = parse_names(strategies)
    for path in [out, *(name_stages(out, len(names) + 1) if curriculum else ())]:
        refuse_unwritable_file(path, inputs=[train, opinions, *(exclude or ())], kind="JSONL")
    own = read(opinions) if opinions else None
    originals = read(train)
    notice_limits(originals, own)
    made = augmentation.augment(
        originals,
        opinions=own,
        strategies=names,
        ratio=ratio,
        exclude=[read(path) for path in exclude or ()],
        drop_shared=drop_shared,
        phrases=phrases,
        seed=seed,
    )
    write(made.corpus, out, "jsonl")
    if curriculum:
        _write_stages(augmentation.stages(made.corpus, names), out)
    report(made, as_json=as_json)
    notice(f"{out}: {len(made.corpus):,} examples")


def name_stages(out: Path, count: int) -> list[Path]:
    """Name the files of a curriculum beside the whole one."""
    return [out.with_name(f"{out.stem}-stage{number}{out.suffix}") for number in range(count)]


def _write_stages(stages: Sequence[Corpus], out: Path) -> None:
    from aspectlab.readers import write

    for path, stage in zip(name_stages(out, len(stages)), stages, strict=True):
        write(stage, path, "jsonl")
        notice(f"{path}: {len(stage):,} examples")
