"""The command `graph`: the knowledge graph of a corpus or of an analysis."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import graph as knowledge, reports
from aspectlab.cli.console import notice, print_json, print_table, print_text
from aspectlab.errors import ConfigError
from aspectlab.outputs import refuse_unwritable
from aspectlab.registry import suggest
from aspectlab.version import VERSION

FORMATS = ("graphml", "jsonld", "html", "svg", "png")


Files = Annotated[
    list[Path],
    typer.Argument(
        help="Data sets in any known format, read as one corpus, or `aspectlab analyze` output: its folder, "
        "opinions.parquet or opinions.csv.",
        show_default=False,
    ),
]
Compare = Annotated[tuple[str, str] | None, typer.Option(metavar="A B", help="Two entities, side by side.")]
By = Annotated[
    str | None,
    typer.Option(help="What --compare aligns: aspect, or topic (default for output of `aspectlab analyze`)."),
]
Formats = Annotated[
    str | None,
    typer.Option("--format", help=f"Comma-separated: {', '.join(FORMATS)} (default: all but png)."),
]
Merge = Annotated[
    bool | None,
    typer.Option(
        help="Merge aspects that differ only in case, number, article, whitespace or hyphens. "
        "Always on with --compare; by default also with --each and for output of `aspectlab analyze`."
    ),
]
Pattern = Annotated[
    str | None, typer.Option(help="Regular expression that matches the entity in an example's id.")
]
Column = Annotated[
    str | None, typer.Option(help="Read FILES as tables of opinions, with this column as the entity.")
]


def graph(
    files: Files,
    entity: Annotated[str | None, typer.Option(help="Show only this entity (default: all as one).")] = None,
    topic: Annotated[list[str] | None, typer.Option(help="Show only this topic (repeatable).")] = None,
    compare: Compare = None,
    each: Annotated[
        bool, typer.Option("--each", help="List each entity separately, without plots or pages.")
    ] = False,
    worse: Annotated[
        bool, typer.Option("--worse", help="With --compare: show only where B is worse.")
    ] = False,
    by: By = None,
    out: Annotated[Path | None, typer.Option(help="Output folder (default: write no files).")] = None,
    formats: Formats = None,
    neutral: Annotated[bool, typer.Option(help="Include neutral opinions.")] = False,
    merge: Merge = None,
    entity_pattern: Pattern = None,
    entity_column: Column = None,
    most: Annotated[int, typer.Option(min=1, help="Maximum number of aspects in the plot.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; shares from 0 to 1.")] = False,
) -> None:
    r"""Draw the opinion graph of an entity: its topics, their aspects, and counts of opinions.

    In MuSe-CarASTE the entity is the video. In other data sets --entity-pattern matches it in the id, as in
    `--entity-pattern '(\w+)-'`; in output of `aspectlab analyze` it is the column of --group-by.

    Example: `aspectlab graph reviews-analysis --compare "Hotel Belmora" "Pension Iris" --out graph`
    """
    entities = compare or ((entity,) if entity is not None else ())
    _check(entity, compare, worse=worse, each=each, by=by or "aspect")
    chosen = _choose_formats(formats, out, each=each)
    gathered = knowledge.gather_statements(files, pattern=entity_pattern, column=entity_column)
    joins = compare is not None or (gathered.is_table or each if merge is None else merge)
    choice = knowledge.GraphSelection(entities, tuple(topic or ()), neutral, joins, each)
    found = knowledge.build_graph(gathered.title, gathered.statements, choice)
    _print_notices(gathered, found, choice.merge)
    written = _write(found, out, chosen, most)
    # the terms of two products differ, the categories that an analysis gives them do not
    joined = (by or ("topic" if gathered.is_table else "aspect")) if compare else None
    if as_json:
        print_json(describe(found, joined, worse=worse) | {"files": list(map(str, written))})
    elif each:
        print_entities(found)
    else:
        print_graph(found, joined, worse=worse)


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
    """Read the list of formats; refuse one that does not exist or cannot be written."""
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


def _print_notices(
    gathered: knowledge.GatheredStatements, found: knowledge.KnowledgeGraph, merged: bool
) -> None:
    for message in gathered.notices:
        notice(message)
    known = {statement.entity for statement in gathered.statements}
    if len(known) > 1 and [entity.name for entity in found.entities] == [gathered.title]:
        remedy = "choose one with --entity, or keep them apart with --each"
        notice(f"{len(known):,} entities are taken as one: {remedy}")
    variants = 0 if merged else knowledge.count_variants(found)
    if variants:
        notice(f"{variants:,} aspects are another one in another form: --merge takes them as one")


def _write(found: knowledge.KnowledgeGraph, out: Path | None, forms: list[str], most: int) -> list[Path]:
    if out is None:
        return []

    written = knowledge.write_graph(found, out, forms, most)
    for path in written:
        notice(f"wrote {path}")
    return written


_TOP = 15
_OPINIONS = 4
_NOTE = (
    "B − A: the share of blame among praise and blame, in points. Fisher's exact test decides, corrected by "
    "Holm's method;\nwhere even the most extreme counts could not show a difference, there are too few to "
    "tell."
)


def describe(graph: knowledge.KnowledgeGraph, by: str | None, *, worse: bool) -> dict[str, object]:
    """Return the graph in numbers, as `--json` prints it; `by` is what a comparison joins, if there is one.

    Two entities alone ask for none: `--each` may happen to find two.
    """
    record: dict[str, object] = {
        "title": graph.title,
        "entities": [_describe_entity(entity) for entity in graph.entities],
    }
    if by is not None:
        found = _compare(graph, by, worse=worse)
        record |= {
            "by": by,
            "comparisons": list(map(_describe_contrast, found)),
            "signature": _sign(graph, by),
        }
    return record


def print_graph(graph: knowledge.KnowledgeGraph, by: str | None, *, worse: bool) -> None:
    """Print the one entity, or the comparison of two, for a person."""
    if by is None:
        _print_aspects(graph.entities[0])
    else:
        _print_comparison(graph, by, worse=worse)


def _describe_entity(entity: knowledge.Entity) -> dict[str, object]:
    return {
        "name": entity.name,
        "aspects": len(entity.aspects),
        "opinions": entity.opinions,
        **asdict(entity.counts),
        "balance": knowledge.balance(entity.counts),
        "by_topic": [
            {"topic": name, **asdict(counts), "balance": knowledge.balance(counts)}
            for name, counts in entity.topics.items()
        ],
        "by_aspect": [
            {
                "aspect": aspect.name,
                "topics": [name for name in aspect.topics if name],
                **asdict(aspect.counts),
                "balance": knowledge.balance(aspect.counts),
            }
            for aspect in entity.aspects
        ],
    }


def _compare(graph: knowledge.KnowledgeGraph, by: str, *, worse: bool) -> list[knowledge.AspectComparison]:
    first, second = graph.entities
    found = knowledge.compare_joined(knowledge.join_counts(first, second, by_topic=by == "topic"))
    return [row for row in found if row.difference > 0] if worse else found


def _describe_contrast(row: knowledge.AspectComparison) -> dict[str, object]:
    counts = {"a": asdict(row.first), "b": asdict(row.second)}
    numbers = {
        "difference": row.difference,
        "interval": [row.low, row.high],
        "p": row.p,
        "p_holm": row.p_holm,
    }
    return {"name": row.name, **counts, **numbers, "verdict": row.verdict.value}


def _sign(graph: knowledge.KnowledgeGraph, by: str) -> str:
    """Return the signature: what was compared, on how many statements, and how."""
    sizes = "+".join(str(entity.counts.positive + entity.counts.negative) for entity in graph.entities)
    tests = "difference:newcombe|test:fisher-exact,holm|level:0.95"
    return f"graph-blame|entities:{graph.title}|by:{by}|statements:{sizes}|{tests}|v:{VERSION}"


def _print_comparison(graph: knowledge.KnowledgeGraph, by: str, *, worse: bool) -> None:
    found = _compare(graph, by, worse=worse)
    first, second = graph.entities
    rows = [
        (
            *(
                row.name,
                knowledge.format_signs(row.first),
                knowledge.format_signs(row.second),
                knowledge.format_points(row.difference),
            ),
            f"{knowledge.format_points(row.low)} to {knowledge.format_points(row.high)}",
            *("–" if row.p_holm is None else f"{row.p_holm:.2g}", row.verdict.value),
        )
        for row in found
    ]
    title = f"A: {first.name}   B: {second.name}" + (f"   {by}s of B that are worse" if worse else "")
    columns = [by, "A", "B", "B − A, points", "95 % CI", "p (Holm)", "conclusion on B"]
    print_table(title, columns, rows)
    print_text(_NOTE)
    print_text(_sign(graph, by))


def print_entities(graph: knowledge.KnowledgeGraph) -> None:
    """Print a row for each entity, those of which most is said first."""
    ranked = sorted(graph.entities, key=lambda entity: -entity.counts.total)
    rows = [
        (
            *(entity.name, len(entity.aspects), entity.opinions),
            *(entity.counts.positive, entity.counts.negative, knowledge.format_balance(entity.counts)),
        )
        for entity in ranked[:_TOP]
    ]
    columns = ["entity", "aspects", "distinct opinions", "positive", "negative", "balance"]
    noun = "entity" if len(ranked) == 1 else "entities"
    print_table(f"{graph.title}: what is said of {len(ranked):,} {noun}", columns, rows)
    if len(ranked) > _TOP:
        print_text(f"… and {len(ranked) - _TOP:,} more")


def _print_aspects(entity: knowledge.Entity) -> None:
    rows = [
        (
            *(
                aspect.name or knowledge.IMPLICIT,
                aspect.topic,
                aspect.counts.positive,
                aspect.counts.negative,
            ),
            knowledge.format_balance(aspect.counts),
            ", ".join(
                f"{reports.POLARITY_SIGNS[said.polarity]} {said.text or knowledge.IMPLICIT}"
                for said in aspect.opinions[:_OPINIONS]
            ),
        )
        for aspect in entity.aspects[:_TOP]
    ]
    columns = ["aspect", "main topic", "positive", "negative", "balance", "such as"]
    print_table(f"{entity.name}: what is said of its aspects", columns, rows)
    if len(entity.aspects) > _TOP:
        print_text(f"… and {len(entity.aspects) - _TOP:,} more")
    aspects = reports.format_count(len(entity.aspects), "aspect")
    opinions = reports.format_count(entity.opinions, "distinct opinion")
    print_text(f"{aspects}, {opinions}, said {reports.format_count(entity.counts.total, 'time')}")
