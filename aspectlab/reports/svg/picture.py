"""Picture: one drawing with its words, the same within a page, as an SVG file and as PNG."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Protocol, TypeVar

from aspectlab.errors import MissingPartError
from aspectlab.reports import PICTURE_STYLES, escape_html


class HasName(Protocol):
    """What a file or a label is named after."""

    @property
    def name(self) -> str:
        """A name that may stand in a file name."""


T = TypeVar("T", bound=HasName)

WIDTH = 360
"""All pictures are as wide as the column of a phone: none has to shrink below a size that can be read."""

HUES = 8
"""So many series have a colour of their own; shapes and dashes tell them apart as well.

The colours, in colours.css, are after Okabe and Ito: any kind of colour blindness can tell them apart.
"""

_PAPER = "#ffffff"
_VARIABLE = re.compile(r"--(\w+): (#\w+);")


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing: its name for a file, its title, what it shows in words, its height and its elements."""

    name: str
    title: str
    words: str
    height: float
    elements: tuple[str, ...]

    def inline(self) -> str:
        """Return the drawing for a page, with its words for those who do not see it."""
        return f'<svg class="plot" viewBox="0 0 {WIDTH} {self.height:g}" {self._said()}>{self._body()}</svg>'

    def as_file(self) -> str:
        """Return the drawing as a file of its own, on white."""
        size = f'width="{WIDTH}" height="{self.height:g}" viewBox="0 0 {WIDTH} {self.height:g}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" {size} {self._said()}>\n'
            f"<style>{_file_style()}</style>\n"
            f'<rect width="{WIDTH}" height="{self.height:g}" fill="{_PAPER}"/>\n'
            f"{self._body()}\n</svg>\n"
        )

    def _said(self) -> str:
        return f'role="img" aria-label="{escape_html(f"{self.title}. {self.words}")}"'

    def _body(self) -> str:
        return "\n".join(self.elements)


@cache
def _file_style() -> str:
    """Return the rules with colours instead of their names: few programs but browsers know variables."""
    colours, rules = (path.read_text(encoding="utf-8") for path in PICTURE_STYLES)
    for name, colour in _VARIABLE.findall(colours.partition("@media")[0]):
        rules = rules.replace(f"var(--{name})", colour)
    return rules


def unique_names(things: Iterable[T]) -> Iterator[tuple[str, T]]:
    """Return every picture or table with a name of its own, also where two differ by odd characters only."""
    seen: Counter[str] = Counter()
    for thing in things:
        seen[thing.name] += 1
        number = seen[thing.name]
        yield (thing.name if number == 1 else f"{thing.name}-{number}"), thing


_ZOOM = 2
"""Twice the size in pixels, for screens and print of today."""


def render_png(svg: str) -> bytes:
    """Draw an SVG as PNG with resvg; the default install does without it."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise MissingPartError(
            "--format png: resvg-py is not installed: get it with: pip install 'aspectlab[png]'; or use svg"
        ) from None
    return bytes(svg_to_bytes(svg_string=svg, zoom=_ZOOM))
