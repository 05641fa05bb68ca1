"""Stacked bars: one bar per name, in parts that lie one after another, with the number at its end."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from unicodedata import east_asian_width

from aspectlab.reports import POLARITY_SIGNS
from aspectlab.reports.svg.picture import WIDTH, Picture
from aspectlab.reports.svg.shapes import draw_box, draw_line, draw_text, fit_label

_NAME, _START, _END = 121, 127, 268
_TOP, _ROW, _BAR = 24, 18, 12

_WIDE, _FULL = 0.22, 0.8  # how much wider than an average letter


class StackedBar(NamedTuple):
    """A row of the picture: its name, its parts by kind, and what is written at its end."""

    name: str
    parts: Mapping[str, float]
    said: str


def draw_stacked_bars(
    name: str, title: str, bars: Sequence[StackedBar], *, whole: float | None = None, note: str = ""
) -> Picture | None:
    """Draw the bars on a scale that ends at `whole`, or at the longest bar; None without bars.

    The kinds of the parts are the classes of the style. A key names them where there is more than one.
    """
    if not bars:
        return None
    longest = whole or max(sum(bar.parts.values()) for bar in bars) or 1
    kinds = list(dict.fromkeys(kind for bar in bars for kind in bar.parts))
    bottom = _TOP + _ROW * len(bars)
    elements = [draw_text(0, 12, fit_label(title, WIDTH), "strong")]
    for number, bar in enumerate(bars):
        elements += _draw_bar(bar, longest, _TOP + _ROW * number)
    elements.append(draw_line((_START, _TOP - 4), (_START, bottom), "axis"))
    has_key = len(kinds) > 1
    if has_key:
        elements += draw_legend(kinds, bottom + 16)
    if note:
        elements.append(draw_text(0, bottom + 16 * has_key + 14, fit_label(note, WIDTH), "quiet"))
    height = bottom + 20 * has_key + 18 * bool(note) + 6
    said = (f"{bar.name}: {bar.said}" + ("" if whole else _describe_parts(bar)) for bar in bars)
    return Picture(name, title, "; ".join(said) + ".", height, tuple(elements))


def fit_name(text: str, width: float) -> str:
    """Cut a name that would be wider than so many pixels; capitals are wider than other letters.

    >>> fit_name("interior-features", 118), fit_name("HOTEL#LOBBY#BAR#SEATS", 118)
    ('interior-features', 'HOTEL#LO…SEATS')
    """
    wide = sum(_FULL if east_asian_width(letter) in "WF" else _WIDE * _is_wide(letter) for letter in text)
    room = width / (1 + wide / max(len(text), 1))
    # the mark of a cut is as wide as two letters
    return text if fit_label(text, room) == text else fit_label(text, room - 8)


def _is_wide(letter: str) -> bool:
    return letter.isupper() or letter in "#%&@_"


def _draw_bar(bar: StackedBar, longest: float, y: float) -> Iterator[str]:
    yield draw_text(_NAME, y + 10, fit_name(bar.name, _NAME), "end")
    x, unit = float(_START), (_END - _START) / longest
    for kind, value in bar.parts.items():
        if value:
            yield draw_box(x, y, value * unit, _BAR, kind)
            x += value * unit
    yield draw_text(x + 5, y + 10, bar.said, "quiet")


def draw_legend(kinds: Iterable[str], y: float, lead: str = "") -> Iterator[str]:
    """Draw the legend of the kinds, with the sign of a polarity: colour is never the only sign."""
    x = 4.0
    for kind in kinds:
        text = f"{lead}{_name_kind(kind)} {POLARITY_SIGNS.get(kind, '')}".strip()
        yield draw_box(x, y - 9, 10, 10, kind)
        yield draw_text(x + 14, y, text, "quiet")
        x += 28 + 5.2 * len(text)


def _name_kind(kind: str) -> str:
    return {"here": "with opinions", "empty": "without"}.get(kind, kind)


def _describe_parts(bar: StackedBar) -> str:
    parts = ", ".join(f"{_name_kind(kind)} {value:,g}" for kind, value in bar.parts.items())
    return f" ({parts})" if len(bar.parts) > 1 else ""
