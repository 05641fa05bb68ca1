"""Picture: one drawing with its words, the same within a page, as an SVG file and as PNG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from aspectlab.errors import MissingPartError
from aspectlab.reports.html import escape_html


class HasName(Protocol):
    """What a file or a label is named after."""

    @property
    def name(self) -> str:
        """A name that may stand in a file name."""


T = TypeVar("T", bound=HasName)

WIDTH = 360
"""All pictures are as wide as the column of a phone: none has to shrink below a size that can be read."""

# after Okabe and Ito: colours that people with any kind of colour blindness can tell apart
_LIGHT = {
    "ink": "#1a1a1a",
    "quiet": "#5a5a5a",
    "grid": "#d8d8d8",
    "paper": "#ffffff",
    "gold": "#e3b23c",
}
_DARK = {
    "ink": "#eeeeee",
    "quiet": "#b4b4b4",
    "grid": "#474747",
    "paper": "#1e1e1e",
    "gold": "#c99a2e",
}
_LIGHT_HUES = ["#0072b2", "#d55e00", "#00795a", "#a2507f", "#946b00", "#3b3b3b", "#2b8cc4", "#8a2f00"]
_DARK_HUES = ["#56b4e9", "#ff9d5c", "#3fcaa0", "#e29ac4", "#f0c05a", "#d0d0d0", "#9fd4f5", "#ffc39b"]

HUES = len(_LIGHT_HUES)
"""So many series have a colour of their own; shapes and dashes tell them apart as well."""

_RULES = """\
.plot text { font-size: 11px; fill: var(--ink);
  font-family: system-ui, "Segoe UI", Roboto, Helvetica, Arial, "Liberation Sans", "DejaVu Sans",
    sans-serif; }
.plot .quiet { fill: var(--quiet); font-size: 10px; } .plot .end { text-anchor: end; }
.plot .middle { text-anchor: middle; } .plot .strong { font-weight: 600; } .plot .small { font-size: 8.5px; }
.plot .grid { stroke: var(--grid); } .plot .axis { stroke: var(--quiet); }
.plot .band { fill: var(--hue0); fill-opacity: 0.2; } .plot .mean { stroke: var(--ink); stroke-width: 1.5; }
.plot .run { fill: var(--hue0); fill-opacity: 0.75; } .plot .tick { stroke: var(--hue0); stroke-width: 1.5; }
.plot .print { fill: var(--paper); stroke: var(--hue1); stroke-width: 1.6; }
.plot .here { fill: var(--hue0); } .plot .again { fill: var(--gold); }
.plot .printed { fill: var(--paper); stroke: var(--ink); } .plot .reach { stroke: var(--ink); fill: none; }
.plot .group { stroke: var(--ink); stroke-width: 4; stroke-linecap: round; }
.plot .fine { stroke-width: 2; }
.plot .positive { fill: var(--hue0); } .plot .negative { fill: var(--hue1); }
.plot .neutral { fill: var(--quiet); } .plot .conflict { fill: var(--hue3); }
.plot .unlabelled { fill: var(--hue4); } .plot .empty { fill: var(--grid); }
.plot rect.neutral { fill-opacity: 0.5; }
.plot .better { fill: var(--hue0); } .plot .worse { fill: var(--hue1); } .plot .similar { fill: var(--grid); }
.plot .sign { fill: var(--paper); } .plot .dim { fill: var(--quiet); }
.plot .curve { fill: none; stroke-width: 2; } .plot .point { stroke-width: 2; fill: var(--paper); }
"""


def _name_colours(colours: dict[str, str], hues: list[str]) -> str:
    pairs = {**colours, **{f"hue{number}": hue for number, hue in enumerate(hues)}}
    return " ".join(f"--{name}: {colour};" for name, colour in pairs.items())


_HUE_RULES = "".join(f".plot .hue{k} {{ stroke: var(--hue{k}); }}\n" for k in range(HUES))

PICTURE_STYLE = (
    f":root {{ {_name_colours(_LIGHT, _LIGHT_HUES)} }}\n"
    "@media (prefers-color-scheme: dark) {\n"
    f"  :root {{ {_name_colours(_DARK, _DARK_HUES)} }}\n}}\n{_RULES}{_HUE_RULES}"
)
"""What a page that holds pictures must carry."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing: its name for a file, its title, what it shows in words, its height and its elements."""

    name: str
    title: str
    words: str
    height: float
    elements: tuple[str, ...]

    def inline(self) -> str:
        """Give the drawing for a page, with its words for those who do not see it."""
        return f'<svg class="plot" viewBox="0 0 {WIDTH} {self.height:g}" {self._said()}>{self._body()}</svg>'

    def as_file(self) -> str:
        """Give the drawing as a file of its own, on white."""
        size = f'width="{WIDTH}" height="{self.height:g}" viewBox="0 0 {WIDTH} {self.height:g}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" {size} {self._said()}>\n'
            f"<style>{_write_out(_RULES + _HUE_RULES)}</style>\n"
            f'<rect width="{WIDTH}" height="{self.height:g}" fill="{_LIGHT["paper"]}"/>\n'
            f"{self._body()}\n</svg>\n"
        )

    def _said(self) -> str:
        return f'role="img" aria-label="{escape_html(f"{self.title}. {self.words}")}"'

    def _body(self) -> str:
        return "\n".join(self.elements)


def _write_out(rules: str) -> str:
    """Put colours in the place of their names: few programs but browsers know variables in a style."""
    colours = {**_LIGHT, **{f"hue{number}": hue for number, hue in enumerate(_LIGHT_HUES)}}
    for name, colour in colours.items():
        rules = rules.replace(f"var(--{name})", colour)
    return rules


def unique_names(things: Iterable[T]) -> Iterator[tuple[str, T]]:
    """Give every picture or table a name of its own, also where two are alike but for odd characters."""
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
