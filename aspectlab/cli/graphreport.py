"""What `aspectlab graph` prints: the aspects of one entity, or the comparison of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aspectlab.cli.console import print_table
from aspectlab.version import VERSION

if TYPE_CHECKING:
    from aspectlab.insight.knowledge import Entity, Knowledge
    from aspectlab.reports.graph.contrast import Contrast

_TOP = 15
_OPINIONS = 4
_NOTE = (
    "B − A: the share of blame among praise and blame, in points. Fisher's exact test decides, corrected by "
    "Holm's method;\nwhere even the most extreme counts could not show a difference, there are too few to "
    "tell."
)


def describe(graph: Knowledge, by: str | None, *, worse: bool) -> dict[str, object]:
    """Give the graph in numbers, as `--json` prints it; `by` is what a comparison joins, if one is asked for.

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


def print_graph(graph: Knowledge, by: str | None, *, worse: bool) -> None:
    """Print the one entity, or the comparison of two, for a person."""
    if by is None:
        _print_aspects(graph.entities[0])
    else:
        _print_comparison(graph, by, worse=worse)


def _describe_entity(entity: Entity) -> dict[str, object]:
    from dataclasses import asdict

    from aspectlab.insight.knowledge import balance

    return {
        "name": entity.name,
        "aspects": len(entity.aspects),
        "opinions": entity.opinions,
        **asdict(entity.counts),
        "balance": balance(entity.counts),
        "by_topic": [
            {"topic": name, **asdict(counts), "balance": balance(counts)}
            for name, counts in entity.topics.items()
        ],
        "by_aspect": [
            {
                "aspect": aspect.name,
                "topics": [name for name in aspect.topics if name],
                **asdict(aspect.counts),
                "balance": balance(aspect.counts),
            }
            for aspect in entity.aspects
        ],
    }


def _compare(graph: Knowledge, by: str, *, worse: bool) -> list[Contrast]:
    from aspectlab.insight.knowledgejoin import list_joined
    from aspectlab.reports.graph.contrast import contrast_entities

    first, second = graph.entities
    found = contrast_entities(list_joined(first, second, by_topic=by == "topic"))
    return [row for row in found if row.difference > 0] if worse else found


def _describe_contrast(row: Contrast) -> dict[str, object]:
    from dataclasses import asdict

    counts = {"a": asdict(row.first), "b": asdict(row.second)}
    numbers = {
        "difference": row.difference,
        "interval": [row.low, row.high],
        "p": row.p,
        "p_holm": row.p_holm,
    }
    return {"name": row.name, **counts, **numbers, "verdict": row.verdict.value}


def _sign(graph: Knowledge, by: str) -> str:
    """Give the signature: what was compared, on how many statements, and how."""
    sizes = "+".join(str(entity.counts.positive + entity.counts.negative) for entity in graph.entities)
    tests = "difference:newcombe|test:fisher-exact,holm|level:0.95"
    return f"graph-blame|entities:{graph.title}|by:{by}|statements:{sizes}|{tests}|v:{VERSION}"


def _print_comparison(graph: Knowledge, by: str, *, worse: bool) -> None:
    from aspectlab.reports.graph.labels import say_signs
    from aspectlab.reports.graph.tables import say_points

    found = _compare(graph, by, worse=worse)
    first, second = graph.entities
    rows = [
        (
            *(row.name, say_signs(row.first), say_signs(row.second), say_points(row.difference)),
            f"{say_points(row.low)} to {say_points(row.high)}",
            *("–" if row.p_holm is None else f"{row.p_holm:.2g}", row.verdict.value),
        )
        for row in found
    ]
    title = f"A: {first.name}   B: {second.name}" + (f"   {by}s of B that are worse" if worse else "")
    columns = [by, "A", "B", "B − A, points", "95 % interval", "p (Holm)", "conclusion on B"]
    print_table(title, columns, rows)
    print(_NOTE)
    print(_sign(graph, by))


def print_entities(graph: Knowledge) -> None:
    """Print a row for each entity, those of which most is said first."""
    from aspectlab.reports.graph.tables import say_balance

    ranked = sorted(graph.entities, key=lambda entity: -entity.counts.total)
    rows = [
        (
            *(entity.name, len(entity.aspects), entity.opinions),
            *(entity.counts.positive, entity.counts.negative, say_balance(entity.counts)),
        )
        for entity in ranked[:_TOP]
    ]
    columns = ["entity", "aspects", "distinct opinions", "positive", "negative", "balance"]
    noun = "entity" if len(ranked) == 1 else "entities"
    print_table(f"{graph.title}: what is said of {len(ranked):,} {noun}", columns, rows)
    if len(ranked) > _TOP:
        print(f"… and {len(ranked) - _TOP:,} more")


def _print_aspects(entity: Entity) -> None:
    from aspectlab.insight.knowledge import IMPLICIT
    from aspectlab.reports.graph.tables import say_balance
    from aspectlab.reports.shares import SIGNS, say_number

    rows = [
        (
            *(aspect.name or IMPLICIT, aspect.topic, aspect.counts.positive, aspect.counts.negative),
            say_balance(aspect.counts),
            ", ".join(
                f"{SIGNS[said.polarity]} {said.text or IMPLICIT}" for said in aspect.opinions[:_OPINIONS]
            ),
        )
        for aspect in entity.aspects[:_TOP]
    ]
    columns = ["aspect", "main topic", "positive", "negative", "balance", "such as"]
    print_table(f"{entity.name}: what is said of its aspects", columns, rows)
    if len(entity.aspects) > _TOP:
        print(f"… and {len(entity.aspects) - _TOP:,} more")
    said = f"{say_number(len(entity.aspects), 'aspect')}, {say_number(entity.opinions, 'distinct opinion')}"
    print(f"{said}, said {say_number(entity.counts.total, 'time')}")
