"""`aspectlab graph`: the knowledge graph of what is said of an entity, or of two beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aspectlab.cli import graphreport
from aspectlab.cli.console import notice, print_json
from aspectlab.cli.settings import refuse_unwritable
from aspectlab.errors import ConfigError
from aspectlab.registry import suggest

if TYPE_CHECKING:
    from aspectlab.insight.knowledge import Knowledge
    from aspectlab.insight.knowledgesource import Gathered

FORMATS = ("graphml", "jsonld", "html", "svg", "png")


Files = Annotated[
    list[Path],
    typer.Argument(
        help="Data sets in any known format, taken as one, or what `aspectlab analyze` wrote: its folder, "
        "opinions.parquet or opinions.csv.",
        show_default=False,
    ),
]
Compare = Annotated[tuple[str, str] | None, typer.Option(metavar="A B", help="Two entities, side by side.")]
Formats = Annotated[
    str | None,
    typer.Option("--format", help=f"Some of {', '.join(FORMATS)}, with commas; all but png if unset."),
]
Merge = Annotated[
    bool | None,
    typer.Option(
        help="Take aspects as one that differ in case, number, article, blanks or hyphens only. "
        "Always with --compare; if unset, also with --each and for what `aspectlab analyze` wrote."
    ),
]
Pattern = Annotated[
    str | None, typer.Option(help="A regular expression that finds the entity in the id of an example.")
]
Column = Annotated[
    str | None, typer.Option(help="FILES are tables of opinions, and this column is the entity.")
]


def graph(
    files: Files,
    entity: Annotated[str | None, typer.Option(help="Only this entity; all, taken as one, if unset.")] = None,
    topic: Annotated[list[str] | None, typer.Option(help="Only this topic; may be repeated.")] = None,
    compare: Compare = None,
    each: Annotated[bool, typer.Option("--each", help="All entities, apart; no picture or page.")] = False,
    worse: Annotated[bool, typer.Option("--worse", help="With --compare: only where B is worse.")] = False,
    by: Annotated[str, typer.Option(help="What --compare joins: aspect or topic.")] = "aspect",
    out: Annotated[Path | None, typer.Option(help="The folder to write; if unset, none.")] = None,
    formats: Formats = None,
    neutral: Annotated[bool, typer.Option(help="Also take what neither praises nor blames.")] = False,
    merge: Merge = None,
    entity_pattern: Pattern = None,
    entity_column: Column = None,
    most: Annotated[int, typer.Option(min=1, help="So many aspects in the picture.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; shares from 0 to 1.")] = False,
) -> None:
    r"""Draw what is said of an entity: its topics, their aspects, and the opinions on them, counted.

    In MuSe-CarASTE the entity is the video. In other data sets --entity-pattern finds it in the id, as in
    `--entity-pattern '(\w+)-'`; in what `aspectlab analyze` wrote it is the column of --group-by.

    Example: `aspectlab graph reviews-analysis --compare "Hotel Belmora" "Pension Iris" --out graph`
    """
    from aspectlab.insight.knowledgechoice import Choice, build_knowledge
    from aspectlab.insight.knowledgesource import gather_statements

    entities = compare or ((entity,) if entity is not None else ())
    _check(entity, compare, worse=worse, each=each, by=by)
    chosen = _choose_formats(formats, out, each=each)
    gathered = gather_statements(files, pattern=entity_pattern, column=entity_column)
    joins = compare is not None or (gathered.is_table or each if merge is None else merge)
    choice = Choice(entities, tuple(topic or ()), neutral, joins, each)
    found = build_knowledge(gathered.title, gathered.statements, choice)
    _give_notices(gathered, found, choice.merge)
    written = _write(found, out, chosen, most)
    joined = by if compare else None
    if as_json:
        print_json(graphreport.describe(found, joined, worse=worse) | {"files": list(map(str, written))})
    elif each:
        graphreport.print_entities(found)
    else:
        graphreport.print_graph(found, joined, worse=worse)


def _check(entity: str | None, compare: tuple[str, str] | None, *, worse: bool, each: bool, by: str) -> None:
    """Refuse options that do not fit together, before anything is read."""
    if worse and compare is None:
        raise ConfigError("--worse without --compare: expected two entities; name them: --compare A B")
    if [compare is not None, entity is not None, each].count(True) > 1:
        raise ConfigError("--entity, --compare and --each: found more than one: expected one at most")
    if compare is not None and compare[0] == compare[1]:
        raise ConfigError(f"--compare {compare[0]!r} twice: expected two different entities")
    if by not in ("aspect", "topic"):
        raise ConfigError(f"--by {by!r} is unknown: {suggest(by, ('aspect', 'topic'))}")
    if by == "topic" and compare is None:
        raise ConfigError("--by topic without --compare: expected two entities; name them: --compare A B")


def _choose_formats(formats: str | None, out: Path | None, *, each: bool) -> list[str]:
    """Read the list of formats; refuse one that does not exist or has no place to go."""
    if out is None and formats is not None:
        raise ConfigError(f"--format {formats!r} without --out: expected a folder; name one with --out")
    known = FORMATS[:2] if each else FORMATS
    usual = ",".join(known if each else FORMATS[:-1])
    chosen = list(dict.fromkeys(name.strip() for name in (formats or usual).split(",")))
    for name in chosen:
        if name not in known:
            raise ConfigError(f"--format {name!r} is unknown{' to --each' * each}: {suggest(name, known)}")
    if out is not None:
        refuse_unwritable(out)
    return chosen


def _give_notices(gathered: Gathered, found: Knowledge, merged: bool) -> None:
    from aspectlab.insight.knowledgechoice import count_variants

    for message in gathered.notices:
        notice(message)
    known = {statement.entity for statement in gathered.statements}
    if len(known) > 1 and [entity.name for entity in found.entities] == [gathered.title]:
        remedy = "choose one with --entity, or keep them apart with --each"
        notice(f"{len(known):,} entities are taken as one: {remedy}")
    variants = 0 if merged else count_variants(found)
    if variants:
        notice(f"{variants:,} aspects are another one in another form: --merge takes them as one")


def _write(found: Knowledge, out: Path | None, forms: list[str], most: int) -> list[Path]:
    if out is None:
        return []
    from aspectlab.reports.graph.files import write_graph

    written = write_graph(found, out, forms, most)
    for path in written:
        notice(f"wrote {path}")
    return written
