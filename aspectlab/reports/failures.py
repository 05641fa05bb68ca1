"""What pages of failures share: the page, its filter, and words that differ from another text, marked."""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from aspectlab.data import Span
from aspectlab.reports.html import ASSETS, BASE_STYLE, escape_html, load_assets, render_page

_WORD = re.compile(r"\w+|[^\w\s]")
_MAX_WORDS = 1000
"""Texts with more words are not compared: the time grows with the square of their length."""


@dataclass(frozen=True, slots=True)
class WordDiff:
    """What a text has that another has not, by span, and what it lacks, by the offset where that stood."""

    added: tuple[Span, ...] = ()
    removed: tuple[tuple[int, str], ...] = ()


def diff_words(old: str, new: str) -> WordDiff:
    """Find the words in which a text differs from an older one.

    >>> diff_words("The tea is good.", "The tea is not bad.")
    WordDiff(added=(Span(start=11, end=18),), removed=((11, 'good'),))
    """
    before, after = list(_WORD.finditer(old)), list(_WORD.finditer(new))
    if max(len(before), len(after)) > _MAX_WORDS:
        return WordDiff()
    words = [match.group() for match in before], [match.group() for match in after]
    added: list[Span] = []
    removed: list[tuple[int, str]] = []
    for kind, i, j, k, m in difflib.SequenceMatcher(None, *words, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if k < m:
            added.append(Span(after[k].start(), after[m - 1].end()))
        if i < j:
            offset = after[k].start() if k < len(after) else len(new)
            removed.append((offset, old[before[i].start() : before[j - 1].end()]))
    return WordDiff(tuple(added), tuple(removed))


def render_diff(text: str, terms: Iterable[Span], difference: WordDiff) -> str:
    """Return a text as HTML: added words in `ins`, removed ones in `del`, terms in `b`.

    >>> render_diff("Bad <tea>", [Span(5, 8)], WordDiff((Span(0, 3),), ((0, "Good"),)))
    '<del>Good</del> <ins>Bad</ins> &lt;<b>tea</b>&gt;'
    """
    spans = list(terms)
    cuts = {0, len(text), *(offset for offset, _ in difference.removed)}
    cuts.update(offset for span in (*spans, *difference.added) for offset in span)
    offsets = sorted(cuts)
    pieces = [_removed_at(0, text, difference)]
    for start, end in pairwise(offsets):
        piece = escape_html(text[start:end])
        piece = f"<b>{piece}</b>" if _covers(spans, start) else piece
        piece = f"<ins>{piece}</ins>" if _covers(difference.added, start) else piece
        pieces += [piece, _removed_at(end, text, difference)]
    return "".join(pieces)


def _covers(spans: Sequence[Span], offset: int) -> bool:
    return any(span.start <= offset < span.end for span in spans)


def _removed_at(offset: int, text: str, difference: WordDiff) -> str:
    """Return the words that stood here, with the space that the text no longer has."""
    words = [old for at, old in difference.removed if at == offset]
    if not words:
        return ""
    struck = "".join(f"<del>{escape_html(old)}</del>" for old in words)
    if not offset or text[offset - 1].isspace():
        return f"{struck} "
    return f" {struck}" if text[offset - 1].isalnum() and words[0][0].isalnum() else struck


def render_filter(kinds: Iterable[str], what: str = "units that fail on", marked: str = "aspect") -> str:
    """Return the choice of a kind of failure; it is hidden until the script shows that it runs."""
    options = "".join(f'<option value="{escape_html(kind)}">{escape_html(kind)}</option>' for kind in kinds)
    legend = f"<p class=legend><b>{marked}</b> <ins>added</ins> <del>removed</del></p>"
    return (
        f'<div id="filter" hidden><label>Show {what} '
        f'<select id="kind"><option value="">anything</option>{options}</select></label> '
        f'<output id="shown"></output></div>\n{legend}'
    )


def render_failures_page(title: str, parts: Iterable[str]) -> str:
    """Return a page of failures from its parts, which must be escaped; one of them may be the filter."""
    body = "<main>\n" + "\n".join(parts) + "\n</main>"
    style = load_assets(BASE_STYLE, ASSETS / "failures.css")
    return render_page(title, body, style=style, script=load_assets(ASSETS / "failures.js"))
