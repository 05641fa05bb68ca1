"""What pictures of a knowledge graph are made of: boxes, links, labels that fit, their colours and the
legend.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import category, east_asian_width

from aspectlab.data import Polarity, PolarityCounts
from aspectlab.graph.model import IMPLICIT, CountedOpinion
from aspectlab.reports import POLARITY_SIGNS, draw_text, escape_html

ASSETS = Path(__file__).with_name("assets")
"""Styles and scripts of pictures and of the page."""

PICTURE_STYLES = (ASSETS / "colours.css", ASSETS / "picture.css")
"""What a page that holds pictures must carry.

Colour is never the only sign of a polarity: boxes differ in their corners, links in their dashes, and every
opinion has its sign. People with any kind of colour blindness can tell blue from orange-brown.
"""

HEIGHT = 22.0
"""Of a box."""

_CORNERS = {Polarity.POSITIVE: 11.0, Polarity.NEUTRAL: 5.0, Polarity.NEGATIVE: 0.0}
_SIDES = {"aspect": 4.0, "topic": 4.0, "entity": 4.0}


class Point(NamedTuple):
    """A position in a picture, in pixels from its upper left corner."""

    x: float
    y: float


def draw_node(kind: str, label: str, left: Point, width: float, note: str = "") -> str:
    """Draw the box of an entity, topic or aspect, from the middle of its left side; the note stands right."""
    noted = draw_text(left.x + width - PAD, left.y + 4.5, note, "quiet end") if note else ""
    name = draw_text(left.x + PAD, left.y + 4.5, label, "name") if label else ""
    return f'<g class="{kind}">{_rect(left, width, _SIDES[kind])}{name}{noted}</g>'


def draw_opinion(said: CountedOpinion, left: Point, width: float) -> str:
    """Draw the box of an opinion: its sign, its words, and how often it is said if more than once."""
    room = width - 2 * PAD - SIGN - times_width(said)
    times = (
        draw_text(left.x + width - PAD, left.y + 4.5, format_times(said), "quiet end")
        if said.count > 1
        else ""
    )
    return (
        f'<g class="{said.polarity.value}">{_rect(left, width, _CORNERS[said.polarity])}'
        f"{draw_text(left.x + PAD, left.y + 4.5, POLARITY_SIGNS[said.polarity.value], 'sign')}"
        f"{draw_text(left.x + PAD + SIGN, left.y + 4.5, truncate(said.text or IMPLICIT, room))}{times}</g>"
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
    """Render shapes as a picture: a file of its own, on white, or part of a page that carries the style."""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    said = f'class="kg" {size} role="img" aria-label="{escape_html(title)}"'
    body = "\n".join(elements)
    if inline:
        return f"<svg {said}>\n{body}\n</svg>"
    paper = f'<rect width="{width:.0f}" height="{height:.0f}" fill="{_light_colours()["paper"]}"/>'
    style = f"<style>{_render_style()}</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {said}>\n{style}\n{paper}\n{body}\n</svg>\n'


@cache
def _light_colours() -> dict[str, str]:
    light = (ASSETS / "colours.css").read_text(encoding="utf-8").partition("@media")[0]
    return dict(re.findall(r"--(\w+): (#\w+);", light))


@cache
def _render_style() -> str:
    """Return the style with colours instead of their names: few programs but browsers know variables."""
    rules = (ASSETS / "picture.css").read_text(encoding="utf-8")
    return re.sub(r"var\(--(\w+)\)", lambda found: _light_colours()[found[1]], rules)


def _rect(left: Point, width: float, corner: float) -> str:
    return (
        f'<rect class="box" x="{left.x:.1f}" y="{left.y - HEIGHT / 2:.1f}" width="{width:.1f}" '
        f'height="{HEIGHT:g}" rx="{corner:g}"/>'
    )


_WORDS = {Polarity.POSITIVE: "praise", Polarity.NEGATIVE: "blame", Polarity.NEUTRAL: "neither"}
_TITLE = 560.0


def draw_head(title: str, lines: Sequence[str], left: float) -> tuple[list[str], float]:
    """Draw a title and lines below it; return them and where the picture may begin."""
    # letters of the title are larger than those that are measured
    parts = [draw_text(left, 28, truncate(title, _TITLE), "title")]
    parts += [draw_text(left, 48 + 17 * number, text, "quiet") for number, text in enumerate(lines)]
    return parts, 48 + 17 * len(lines) + 6


def draw_legend(left: float, top: float, *, neutral: bool) -> Iterator[str]:
    """Show how praise and blame look; thicker links are said more often."""
    x, y = left, top + 11
    for polarity, word in list(_WORDS.items())[: 3 if neutral else 2]:
        said = CountedOpinion(word, polarity, 1)
        width = opinion_box_width(said, 200)
        yield draw_link(Point(x, y), Point(x + 30, y), 2.0, polarity)
        yield draw_opinion(said, Point(x + 30, y), width)
        x += 30 + width + 18
    yield draw_text(x, y + 4.5, "+3 −1: praised 3 times, blamed once; a thick link: said often", "quiet")


PAD, SIGN = 9.0, 14.0
"""The room at either side of a label, and that of the sign before the words of an opinion."""

_MUCH = 10
_NARROW = frozenset("iljtfrI.,:;'!|()[] ")
_WIDE = frozenset("mwMW@%—…")
_BROAD = frozenset("<>=+−~#×")


def text_width(text: str) -> float:
    """Guess the width of a text in pixels at 13 pixels, rather too wide than too narrow: fonts differ.

    >>> text_width("seat") < text_width("SEAT") < text_width("座席座席")
    True
    """
    return sum(map(_letter_width, text))


def truncate(text: str, width: float) -> str:
    """Return a text on one line, cut where it would be wider.

    >>> truncate("rear legroom", 200), truncate("rear legroom", 50)
    ('rear legroom', 'rear l…')
    """
    plain = " ".join(text.split())
    if text_width(plain) <= width:
        return plain
    room, kept = width - text_width("…"), ""
    for letter in plain:
        room -= _letter_width(letter)
        if room < 0:
            break
        kept += letter
    return f"{kept.rstrip()}…"


def box_width(label: str, note: str = "") -> float:
    """Return the width that a box needs."""
    # names may be bold, and some fonts are wide
    return text_width(label) * 1.12 + 2 * PAD + (text_width(note) + PAD if note else 0.0)


def opinion_box_width(said: CountedOpinion, most: float) -> float:
    """Return the width that the box of an opinion needs, up to so many pixels."""
    words = text_width(" ".join((said.text or IMPLICIT).split()))
    return min(most, words + 2 * PAD + SIGN + times_width(said) + 1)


def link_width(count: int, largest: int) -> float:
    """Return the width of a link, by its count; what is said once is thin, also where nothing is said more.

    >>> link_width(1, 9), link_width(9, 9), link_width(2, 2)
    (1.3, 3.7, 1.6)
    """
    return round(1 + 3 * count / max(largest, _MUCH), 1)


def format_signs(counts: PolarityCounts) -> str:
    """Format how often something is praised and blamed.

    >>> format_signs(PolarityCounts(3, 1)), format_signs(PolarityCounts(3, 1, 2))
    ('+3 −1', '+3 −1 ○2')
    """
    neutral = f" ○{counts.neutral:,}" if counts.neutral else ""
    return f"+{counts.positive:,} −{counts.negative:,}{neutral}"


def format_times(said: CountedOpinion) -> str:
    """Format how often an opinion is said.

    >>> from aspectlab.data import Polarity
    >>> format_times(CountedOpinion("soft", Polarity.POSITIVE, 3))
    '×3'
    """
    return f"×{said.count:,}"


def times_width(said: CountedOpinion) -> float:
    """Return the width of how often an opinion is said; once is not said."""
    return text_width(format_times(said)) + 6 if said.count > 1 else 0.0


def _letter_width(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 14.0
    if category(letter) in ("Mn", "Me", "Cf"):
        return 0.0
    if letter in _NARROW:
        return 5.1
    if letter in _WIDE:
        return 13.0
    if letter in _BROAD:
        return 11.0
    return 9.8 if letter.isupper() else 8.1
