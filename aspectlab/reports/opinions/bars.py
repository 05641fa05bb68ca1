"""Bars: counts of opinions by polarity, and shares with their interval, as small pictures within a page."""

from __future__ import annotations

from aspectlab.insight.aggregate import Counts
from aspectlab.reports.shares import SIGNS, Share, in_order

HATCH = (
    '<svg class="defs" aria-hidden="true" width="0" height="0"><defs>'
    '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect class="ground" width="6" height="6"/><rect class="stripe" width="2" height="6"/>'
    "</pattern></defs></svg>"
)
"""The stripes of negative parts; a page carries them once."""


def draw_bar(counts: Counts, largest: int) -> str:
    """Draw the counts of one row side by side, on a scale on which the largest row fills the width.

    >>> draw_bar(Counts(positive=3), 8)
    '<svg class="bar" aria-hidden="true"><rect class="positive" x="0%" width="37.5%" height="100%"/></svg>'
    """
    parts, start = [], 0
    for polarity, count in in_order(counts).items():
        if count:
            place, width = _percent(start, largest), _percent(count, largest)
            parts.append(f'<rect class="{polarity}" x="{place}" width="{width}" height="100%"/>')
            start += count
    return f'<svg class="bar" aria-hidden="true">{"".join(parts)}</svg>'


def draw_share(share: Share) -> str:
    """Draw a share as a dot and its interval as a line, on a scale from 0 to 100 %."""
    low, high, value = (_percent(part, 1) for part in (share.low, share.high, share.value))
    return (
        '<svg class="share" aria-hidden="true"><line class="axis" x1="0" x2="100%" y1="50%" y2="50%"/>'
        '<line class="axis" x1="50%" x2="50%" y1="10%" y2="90%"/>'
        f'<line class="reach" x1="{low}" x2="{high}" y1="50%" y2="50%"/>'
        f'<circle class="dot" cx="{value}" cy="50%" r="4"/></svg>'
    )


def say_counts(counts: Counts) -> str:
    """Write the counts of one row with their signs, and with words for those who listen."""
    parts = (
        f'<span class="{polarity}"><span aria-hidden="true">{SIGNS[polarity]}</span>'
        f'<span class="heard">{polarity} </span>{count:,}</span>'
        for polarity, count in in_order(counts).items()
    )
    return f'<span class="counts">{" ".join(parts)}</span>'


def _percent(part: float, whole: float) -> str:
    return f"{round(100 * part / max(whole, 1), 2):g}%"
