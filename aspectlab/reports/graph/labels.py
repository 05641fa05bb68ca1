"""Labels: what they say, how wide they are about, and what fits.

No font is asked, so every machine draws the same.
"""

from __future__ import annotations

from unicodedata import category, east_asian_width

from aspectlab.insight.aggregate import Counts
from aspectlab.insight.knowledge import IMPLICIT, Said

PAD, SIGN = 9.0, 14.0
"""The room at either side of a label, and that of the sign before the words of an opinion."""

_MUCH = 10
_NARROW = frozenset("iljtfrI.,:;'!|()[] ")
_WIDE = frozenset("mwMW@%—…")
_BROAD = frozenset("<>=+−~#×")


def measure(text: str) -> float:
    """Guess the width of a text in pixels at 13 pixels, rather too wide than too narrow: fonts differ.

    >>> measure("seat") < measure("SEAT") < measure("座席座席")
    True
    """
    return sum(map(_measure_letter, text))


def fit(text: str, width: float) -> str:
    """Give a text on one line, cut where it would be wider.

    >>> fit("rear legroom", 200), fit("rear legroom", 50)
    ('rear legroom', 'rear l…')
    """
    plain = " ".join(text.split())
    if measure(plain) <= width:
        return plain
    room, kept = width - measure("…"), ""
    for letter in plain:
        room -= _measure_letter(letter)
        if room < 0:
            break
        kept += letter
    return f"{kept.rstrip()}…"


def width_of(label: str, note: str = "") -> float:
    """Give the width that a box needs."""
    # names may be bold, and some fonts are wide
    return measure(label) * 1.12 + 2 * PAD + (measure(note) + PAD if note else 0.0)


def width_of_opinion(said: Said, most: float) -> float:
    """Give the width that the box of an opinion needs, up to so many pixels."""
    words = measure(" ".join((said.text or IMPLICIT).split()))
    return min(most, words + 2 * PAD + SIGN + measure_times(said) + 1)


def thickness(count: int, largest: int) -> float:
    """Give the width of a link, by its count; what is said once is thin, also where nothing is said more.

    >>> thickness(1, 9), thickness(9, 9), thickness(2, 2)
    (1.3, 3.7, 1.6)
    """
    return round(1 + 3 * count / max(largest, _MUCH), 1)


def say_signs(counts: Counts) -> str:
    """Write how often something is praised and blamed.

    >>> say_signs(Counts(3, 1)), say_signs(Counts(3, 1, 2))
    ('+3 −1', '+3 −1 ○2')
    """
    neutral = f" ○{counts.neutral:,}" if counts.neutral else ""
    return f"+{counts.positive:,} −{counts.negative:,}{neutral}"


def say_times(said: Said) -> str:
    """Write how often an opinion is said.

    >>> from aspectlab.data import Polarity
    >>> say_times(Said("soft", Polarity.POSITIVE, 3))
    '×3'
    """
    return f"×{said.count:,}"


def measure_times(said: Said) -> float:
    """Give the room for how often an opinion is said; once is not said."""
    return measure(say_times(said)) + 6 if said.count > 1 else 0.0


def _measure_letter(letter: str) -> float:
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
