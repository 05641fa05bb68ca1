"""The shapes that pictures of a knowledge graph are made of."""

from __future__ import annotations

from typing import NamedTuple

from aspectlab.data import Polarity
from aspectlab.insight.knowledge import IMPLICIT, Said
from aspectlab.reports.graph.colours import LIGHT, RULES
from aspectlab.reports.graph.labels import PAD, SIGN, fit, measure_times, say_times
from aspectlab.reports.page import show
from aspectlab.reports.runs.plots.axes import write
from aspectlab.reports.shares import SIGNS

HEIGHT = 22.0
"""Of a box."""

_CORNERS = {Polarity.POSITIVE: 11.0, Polarity.NEUTRAL: 5.0, Polarity.NEGATIVE: 0.0}
_SIDES = {"aspect": 4.0, "topic": 4.0, "entity": 4.0}


class Point(NamedTuple):
    """A place in a picture, in pixels from its upper left corner."""

    x: float
    y: float


def draw_node(kind: str, label: str, left: Point, width: float, note: str = "") -> str:
    """Draw the box of an entity, topic or aspect, from the middle of its left side; the note stands right."""
    noted = write(left.x + width - PAD, left.y + 4.5, note, "quiet end") if note else ""
    name = write(left.x + PAD, left.y + 4.5, label, "name") if label else ""
    return f'<g class="{kind}">{_rect(left, width, _SIDES[kind])}{name}{noted}</g>'


def draw_opinion(said: Said, left: Point, width: float) -> str:
    """Draw the box of an opinion: its sign, its words, and how often it is said if more than once."""
    room = width - 2 * PAD - SIGN - measure_times(said)
    times = write(left.x + width - PAD, left.y + 4.5, say_times(said), "quiet end") if said.count > 1 else ""
    return (
        f'<g class="{said.polarity.value}">{_rect(left, width, _CORNERS[said.polarity])}'
        f"{write(left.x + PAD, left.y + 4.5, SIGNS[said.polarity.value], 'sign')}"
        f"{write(left.x + PAD + SIGN, left.y + 4.5, fit(said.text or IMPLICIT, room))}{times}</g>"
    )


def draw_link(start: Point, end: Point, thick: float, polarity: Polarity | None = None) -> str:
    """Draw a curve that leaves and arrives level."""
    middle = (start.x + end.x) / 2
    kind = f"link {polarity.value}" if polarity else "link"
    return (
        f'<path class="{kind}" stroke-width="{thick:.1f}" d="M{start.x:.1f} {start.y:.1f}'
        f'C{middle:.1f} {start.y:.1f} {middle:.1f} {end.y:.1f} {end.x:.1f} {end.y:.1f}"/>'
    )


def render_svg(title: str, width: float, height: float, elements: list[str], *, inline: bool = False) -> str:
    """Put shapes into a drawing: a file of its own, on white, or part of a page that carries the style."""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    said = f'class="kg" {size} role="img" aria-label="{show(title)}"'
    body = "\n".join(elements)
    if inline:
        return f"<svg {said}>\n{body}\n</svg>"
    paper = f'<rect width="{width:.0f}" height="{height:.0f}" fill="{LIGHT["paper"]}"/>'
    style = f"<style>{_write_out(RULES)}</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {said}>\n{style}\n{paper}\n{body}\n</svg>\n'


def _write_out(rules: str) -> str:
    """Put colours in the place of their names: few programs but browsers know variables in a style."""
    for name, colour in LIGHT.items():
        rules = rules.replace(f"var(--{name})", colour)
    return rules


def _rect(left: Point, width: float, corner: float) -> str:
    return (
        f'<rect class="box" x="{left.x:.1f}" y="{left.y - HEIGHT / 2:.1f}" width="{width:.1f}" '
        f'height="{HEIGHT:g}" rx="{corner:g}"/>'
    )
