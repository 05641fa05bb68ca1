"""The page of a knowledge graph: one file that needs no network, to look around in.

The table holds all there is and needs no script; the tree is drawn by the script, so that it can be searched,
filtered and unfolded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aspectlab.insight.aggregate import Counts
from aspectlab.insight.knowledge import IMPLICIT, Entity, Knowledge
from aspectlab.insight.knowledgejoin import join_aspects, list_joined
from aspectlab.reports.graph.butterfly import draw_butterfly
from aspectlab.reports.graph.contrast import contrast_entities
from aspectlab.reports.graph.labels import say_signs
from aspectlab.reports.graph.look import STYLE
from aspectlab.reports.graph.script import SCRIPT
from aspectlab.reports.graph.tables import MAX_LABEL, render_aspects, render_contrast, render_pairs
from aspectlab.reports.page import embed_json, render_page, shorten, show
from aspectlab.reports.shares import SIGNS, say_number

_POLARITIES = ("positive", "negative", "neutral")
_TREE = (
    '<div id="view" hidden><svg id="picture" class="kg" role="tree" aria-label="Entity, topics, aspects and '
    'opinions"></svg></div>\n<p id="none" hidden>Nothing fits: choose less.</p>\n'
    '<output id="detail" aria-live="polite"></output>\n'
    "<noscript><p>The tree needs JavaScript; the table below holds all of it.</p></noscript>"
)
_BUTTONS = (
    '<button id="farther" type="button" aria-label="zoom out">−</button>'
    '<button id="nearer" type="button" aria-label="zoom in">+</button>'
    '<button id="fit" type="button">Fit</button>'
    '<button id="all" type="button" aria-pressed="false">Unfold all</button>'
    '<button id="reset" type="button">Reset</button><output id="shown" aria-live="polite"></output>'
)
_KEYS = (
    "Drag or scroll to move, Ctrl and wheel to zoom. With the keyboard: arrows go from node to node, Enter "
    "folds and unfolds, + − 0 zoom. An aspect of several topics stands under the one in which most is said."
)
_METHOD = (
    "Blame is the share of negative among positive and negative statements; the difference is the second "
    "less the first, with Newcombe's 95 % interval. Fisher's exact test decides, corrected by Holm's method "
    "for all rows that were tested; where even the most extreme counts could not show a difference, there "
    "are too few to tell. Statements are taken as independent; those of one review are not quite."
)


def render_graph_page(graph: Knowledge, most: int) -> str:
    """Give the graph as one HTML page; of two entities with their comparison."""
    title = f"Knowledge graph of {shorten(graph.title, MAX_LABEL)}"
    sections = "\n".join(
        f"<section>\n<h2>{heading}</h2>\n{body}\n</section>" for heading, body in _parts(graph, most)
    )
    lines = "".join(f"<p><bdi>{show(e.name, MAX_LABEL)}</bdi>: {_say_size(e)}</p>" for e in graph.entities)
    body = (
        f"<header>\n<h1><bdi>{show(title)}</bdi></h1>\n{lines}\n</header>\n<main>\n{sections}\n</main>\n"
        f"{embed_json('graph', _pack(graph))}"
    )
    return render_page(title, body, style=STYLE, script=SCRIPT)


def _parts(graph: Knowledge, most: int) -> Iterator[tuple[str, str]]:
    """Give the heading and body of each part."""
    if graph.is_pair:
        first, second = graph.entities
        names = shorten(first.name, MAX_LABEL), shorten(second.name, MAX_LABEL)
        tables = (
            render_contrast(contrast_entities(list_joined(first, second, by_topic=by_topic)), what, names)
            for what, by_topic in (("topic", True), ("aspect", False))
        )
        yield "Compared", "\n".join(tables) + f'\n<p class="note">{_METHOD}</p>'
        drawn = draw_butterfly(first, second, most, inline=True)
        narrow = render_pairs(join_aspects(first, second)[:most], names)
        yield "Side by side", f'<div class="wide">{drawn}</div>\n<div class="narrow">{narrow}</div>'
    yield "Graph", f'{_render_tools(graph)}\n{_TREE}\n<p class="note">{_KEYS}</p>'
    for number, entity in enumerate(graph.entities):
        table = render_aspects(entity, number)
        summary = f"All aspects of <bdi>{show(entity.name, MAX_LABEL)}</bdi>"
        yield "Table", f"<details><summary>{summary}</summary>\n{table}</details>"


def _say_size(entity: Entity) -> str:
    return (
        f"{say_number(len(entity.aspects), 'aspect')}, {say_number(entity.opinions, 'distinct opinion')}, "
        f"said {say_number(entity.counts.total, 'time')}: {say_signs(entity.counts)}"
    )


def _render_tools(graph: Knowledge) -> str:
    kinds = [kind for kind in _POLARITIES if any(getattr(e.counts, kind) for e in graph.entities)]
    topics = [(str(number), name) for number, name in enumerate(_list_topics(graph)) if name]
    choices = [
        ("entity", "Entity", [(str(k), each.name) for k, each in enumerate(graph.entities)]),
        ("topic", "Topic", topics),
        ("polarity", "Sentiment", [(kind, f"{SIGNS[kind]} {kind}") for kind in kinds]),
    ]
    selects = "".join(_render_select(*choice) for choice in choices if len(choice[2]) > 1)
    search = '<label>Search <input id="search" type="search"></label>'
    return f'<div id="tools" class="tools" hidden>{search}{selects}{_BUTTONS}</div>'


def _render_select(name: str, label: str, choices: Sequence[tuple[str, str]]) -> str:
    options = "".join(f'<option value="{value}">{show(text, MAX_LABEL)}</option>' for value, text in choices)
    return f'<label>{label} <select id="{name}"><option value="">all</option>{options}</select></label>'


def _list_topics(graph: Knowledge) -> list[str]:
    return list(dict.fromkeys(topic for entity in graph.entities for topic in entity.topics))


def _pack(graph: Knowledge) -> dict[str, object]:
    """Give what the script draws, as short as it may be."""
    topics = {name: number for number, name in enumerate(_list_topics(graph))}
    return {
        "topics": [_plain(name) for name in topics],
        "entities": [_pack_entity(entity, topics) for entity in graph.entities],
    }


def _pack_entity(entity: Entity, topics: dict[str, int]) -> dict[str, object]:
    return {
        "name": _plain(entity.name),
        "counts": _list_counts(entity.counts),
        "topics": {topics[name]: _list_counts(counts) for name, counts in entity.topics.items()},
        "aspects": [
            {
                "name": _plain(aspect.name or IMPLICIT),
                "counts": _list_counts(aspect.counts),
                "topics": [[topics[name], *_list_counts(found)] for name, found in aspect.topics.items()],
                "opinions": [
                    [_plain(said.text or IMPLICIT), _POLARITIES.index(said.polarity), said.count]
                    for said in aspect.opinions
                ],
            }
            for aspect in entity.aspects
        ],
    }


def _list_counts(counts: Counts) -> list[int]:
    return [getattr(counts, kind) for kind in _POLARITIES]


def _plain(text: str) -> str:
    """Give a text for the script, without halves of surrogate pairs: browsers stumble over them."""
    return shorten(text, MAX_LABEL).encode("utf-8", "replace").decode()
