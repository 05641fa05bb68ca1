"""The files of a knowledge graph: GraphML, JSON-LD, a page, and a picture as SVG or PNG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from aspectlab.insight.knowledge import Knowledge
from aspectlab.reports.graph.butterfly import draw_butterfly
from aspectlab.reports.graph.graphml import render_graphml
from aspectlab.reports.graph.jsonld import render_jsonld
from aspectlab.reports.graph.page import render_graph_page
from aspectlab.reports.graph.tree import draw_tree
from aspectlab.reports.runs.plots.raster import rasterise
from aspectlab.reports.writing import write_file

NAME = "graph"
"""Of all files but for their endings."""


def write_graph(graph: Knowledge, folder: Path, forms: Sequence[str], most: int) -> list[Path]:
    """Write one file a format; a picture shows the `most` frequent aspects, everything else holds all."""
    # half a surrogate pair has no UTF-8 form
    render: dict[str, Callable[[], bytes]] = {
        "graphml": lambda: render_graphml(graph).encode("utf-8", "replace"),
        "jsonld": lambda: render_jsonld(graph).encode(),
        "html": lambda: render_graph_page(graph, most).encode("utf-8", "xmlcharrefreplace"),
        "svg": lambda: draw_picture(graph, most).encode("utf-8", "replace"),
        "png": lambda: rasterise(draw_picture(graph, most)),
    }
    # all is made before anything is written, so that a missing package leaves no half of the files
    made = {folder / f"{NAME}.{form}": render[form]() for form in forms}
    return [write_file(path, content) for path, content in made.items()]


def draw_picture(graph: Knowledge, most: int) -> str:
    """Draw the graph as SVG: one entity as a tree, two of them joined at their aspects."""
    if graph.is_pair:
        first, second = graph.entities
        return draw_butterfly(first, second, most)
    return draw_tree(graph.entities[0], most)
