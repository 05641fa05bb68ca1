"""Align an annotated term with the text: the one module where offsets are checked and mended."""

import difflib
import re
from collections.abc import Iterator, Sequence

from aspectlab.data import Span, Term, is_mark, is_of_word, is_unspaced
from aspectlab.readers.source import Source

_LIKE = 0.75
"""How alike term and text must be to count as a misspelling of one another (`delivary`, `delivery`)."""

_LONG = 200
"""Longer terms are looked for exactly or not at all: comparing letter by letter takes long."""

_AHEAD = 6, 60
"""How many tokens, and how many characters, `align` may pass over before it gives up."""

_PIECES = re.compile(r"\w+|[^\w\s]")
_WHITESPACE = re.compile(r"\s*")
_SIGNS = re.compile(r"\W{0,60}")


def locate_term(source: Source, where: int | str, text: str, surface: str, start: int, end: int) -> Term:
    """Return the term at start:end; where the text differs, look for it nearby and note what was changed.

    Tried in order: the offsets as given; the nearest exact occurrence; the nearest one that differs only in
    case or whitespace; a misspelling at the given offsets. A term found nowhere keeps its name and has no
    span, unless its offsets lie outside the text: then the file is broken.

    >>> from pathlib import Path
    >>> source = Source(Path("x.json"))
    >>> locate_term(source, 3, "The Seat broke.", "seat", 5, 9)
    Term(text='Seat', span=Span(start=4, end=8))
    >>> source.notes
    ["line 3: term 'seat' moved from 5:9 to 4:8 ('Seat')"]
    """
    if 0 <= start < end <= len(text) and text[start:end] == surface:
        return Term(surface, Span(start, end))
    span = _search(text, surface, start) or _misspelt(text, surface, start, end)
    if span is not None:
        found = text[span.start : span.end]
        source.note(
            where, f"term {surface!r} moved from {start}:{end} to {span.start}:{span.end} ({found!r})"
        )
        return Term(found, span)
    if not surface or not 0 <= start <= end <= len(text):
        raise source.error(
            where,
            f"the term {surface!r} at {start}:{end}",
            f"offsets within 0:{len(text)} of the text {text[:60]!r}",
            "correct the offsets or remove the term",
        )
    source.note(where, f"term {surface!r} is not in the text at {start}:{end}: kept without a span")
    return Term(surface)


def find_term(text: str, surface: str) -> Term:
    """Return the first whole-word occurrence of a term, or the term without a span.

    >>> find_term("The seats seat five.", "seat")
    Term(text='seat', span=Span(start=10, end=14))
    >>> find_term("The seats seat five.", "couch")
    Term(text='couch', span=None)
    """
    return next(each_term(text, surface), Term(surface))


def each_term(text: str, surface: str) -> Iterator[Term]:
    """Yield the whole-word occurrences of a term from left to right.

    In scripts that write without spaces (Chinese, Thai), any occurrence is one.

    >>> [term.span.start for term in each_term("A seat is a seat, not seats.", "seat")]
    [2, 12]
    """
    start = text.find(surface) if surface else -1
    while start >= 0:
        end = start + len(surface)
        # one character each: slices of all that precedes would cost the square of a long text
        edges = (text[max(start - 1, 0) : start], surface[0]), (surface[-1], text[end : end + 1])
        if not any(_goes_on(left, right) for left, right in edges):
            yield Term(surface, Span(start, end))
        start = text.find(surface, end)


def find_term_caseless(text: str, surface: str) -> Term:
    """Return the first whole-word occurrence of a term, in any case if need be, as the text has it.

    >>> find_term_caseless("Seats seat five.", "seats")
    Term(text='Seats', span=Span(start=0, end=5))
    """
    term = find_term(text, surface)
    if term.span is not None:
        return term
    folded = find_term(_lower(text), _lower(surface))
    return Term(text[slice(*folded.span)], folded.span) if folded.span else term


def _lower(text: str) -> str:
    """Lower the case of each character that stays one character, so that offsets hold."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def _goes_on(left: str, right: str) -> bool:
    """Return whether a word goes on from one character to the next."""
    if not is_of_word(left) or not is_of_word(right):
        return False
    return is_mark(right) or not (is_unspaced(left) or is_unspaced(right))


def token_spans(text: str) -> list[Span]:
    """Return the span of each whitespace-separated token, as `str.split` separates them.

    >>> token_spans("Nice  pen")
    [Span(start=0, end=4), Span(start=6, end=9)]
    """
    spans, cursor = [], 0
    for token in text.split():
        start = text.index(token, cursor)
        cursor = start + len(token)
        spans.append(Span(start, cursor))
    return spans


def term_of_tokens(text: str, spans: Sequence[Span], first: int, last: int) -> Term:
    """Return the term that runs from token `first` to token `last`, both included.

    >>> term_of_tokens("Nice  red pen", token_spans("Nice  red pen"), 1, 2)
    Term(text='red pen', span=Span(start=6, end=13))
    """
    start, end = spans[first].start, spans[last].end
    return Term(text[start:end], Span(start, end))


def align(text: str, tokens: Sequence[str]) -> list[Span | None]:
    """Return the span of each token, scanning from left to right; None for one that is not there.

    The tokens may leave out characters of the text or differ from it (`,` for `-`); a single misspelt token
    gets the word between its neighbours.

    >>> align("A well-made pencil", ["A", "well", "made", "pensil"])
    [Span(start=0, end=1), Span(start=2, end=6), Span(start=7, end=11), Span(start=12, end=18)]
    >>> align("A pen", ["One", "nice", "pen"])
    [None, None, Span(start=2, end=5)]
    """
    spans: list[Span | None] = []
    cursor = 0
    while len(spans) < len(tokens):
        start = _follow(text, tokens[len(spans)], cursor)
        if start is None:
            resumed = _resume(text, tokens, len(spans), cursor)
            if resumed is None:
                spans += [None] * (len(tokens) - len(spans))
                break
            passed, start = resumed
            spans += [None] * passed
        cursor = start + len(tokens[len(spans)])
        spans.append(Span(start, cursor))
    return _fill(text, tokens, spans)


def _follow(text: str, token: str, cursor: int) -> int | None:
    """Return the start of a token that comes next, but for whitespace or punctuation that was left out."""
    for pattern in (_WHITESPACE, _SIGNS):
        match = pattern.match(text, cursor)
        if match and text.startswith(token, match.end()):
            return match.end()
    return None


def _resume(text: str, tokens: Sequence[str], first: int, cursor: int) -> tuple[int, int] | None:
    """Find the nearest offset where two tokens in a row agree with the text: tokens skipped, and start."""
    found = []
    for passed in range(min(_AHEAD[0], len(tokens) - first)):
        for start in _occurrences(text, tokens[first + passed], cursor):
            if _agrees(text, tokens, first + passed, start):
                lost = sum(len(token) for token in tokens[first : first + passed])
                found.append((start - cursor + lost, passed, start))
                break
    if not found:
        return None
    _, passed, start = min(found)
    return passed, start


def _occurrences(text: str, token: str, cursor: int) -> Iterator[int]:
    end = cursor + _AHEAD[1] + len(token)
    start = text.find(token, cursor, end)
    while start >= 0:
        yield start
        start = text.find(token, start + 1, end)


def _agrees(text: str, tokens: Sequence[str], index: int, start: int) -> bool:
    """Return whether what follows this token is the next one, or the end where it is the last."""
    end = start + len(tokens[index])
    if index + 1 == len(tokens):
        return not any(character.isalnum() for character in text[end:])
    return _follow(text, tokens[index + 1], end) is not None


def _fill(text: str, tokens: Sequence[str], spans: list[Span | None]) -> list[Span | None]:
    """Align a single misspelt token with the one word between its neighbours."""
    filled = list(spans)
    for index in (index for index, span in enumerate(spans) if span is None):
        left = spans[index - 1] if index else Span(0, 0)
        right = spans[index + 1] if index + 1 < len(spans) else Span(len(text), len(text))
        if left is None or right is None:
            continue
        words = text[left.end : right.start].split(maxsplit=1)
        if len(words) == 1:
            start = text.index(words[0], left.end)
            filled[index] = _misspelt(text, tokens[index], start, start + len(words[0]))
    return filled


def _search(text: str, surface: str, start: int) -> Span | None:
    """Find the nearest occurrence: exact, or else differing in case and in whitespace around words."""
    # whitespace may also be around a sign (`"tools" menu`, `" tools " menu`), but never within a word
    pieces = [re.escape(piece) for piece in _PIECES.findall(surface)]
    if not pieces:
        return None
    patterns = [re.compile(re.escape(surface))]
    if len(surface) <= _LONG:
        patterns.append(re.compile(r"\s*".join(pieces), re.IGNORECASE))
    for pattern in patterns:
        spans = [Span(*match.span()) for match in pattern.finditer(text)]
        if spans:
            return min(spans, key=lambda span: abs(span.start - start))
    return None


def _misspelt(text: str, surface: str, start: int, end: int) -> Span | None:
    if not 0 <= start < end <= len(text) or max(end - start, len(surface)) > _LONG:
        return None
    matcher = difflib.SequenceMatcher(None, text[start:end].lower(), surface.lower())
    # the quick ratios are upper bounds: most terms need no full comparison
    is_like = all(
        ratio() >= _LIKE for ratio in (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)
    )
    return Span(start, end) if is_like else None
