"""Terms as tokens: find a phrase by its words, and write terms and lines for formats that count tokens."""

from collections.abc import Mapping, Sequence

from aspectlab.data import Example, Polarity, Term
from aspectlab.errors import DataError
from aspectlab.readers.alignment import token_spans
from aspectlab.readers.textfields import MAX_FIELD

REMEDY = "leave this quad out, or write the format jsonl, which keeps everything"
"""What to do with a quad that a format cannot hold."""

_REACH = 2000
"""How far from its first token a phrase is looked for: the longest known text has 1,480."""


def find_phrase(words: Sequence[str], phrase: Sequence[str], first: int) -> int | None:
    """Return the token where a phrase begins, nearest to `first`; None where it is not in the text.

    >>> find_phrase("a red pen , a red cap".split(), ["red"], 4)
    5
    """
    size = len(phrase)
    starts = range(max(first - _REACH, 0), min(first + _REACH, len(words) - size + 1))
    found = [at for at in starts if words[at] == phrase[0] and [*words[at : at + size]] == [*phrase]]
    return min(found, key=lambda at: abs(at - first)) if found else None


class TokenSpans:
    """The whitespace-separated tokens of an example by their offsets.

    >>> from aspectlab.data import Span
    >>> TokenSpans(Example("1", "Nice red pen")).locate(Term("red pen", Span(5, 12)), "aspect")
    (1, 2)
    """

    def __init__(self, example: Example) -> None:
        self._name = example.id
        spans = token_spans(example.text)
        self._firsts = {span.start: index for index, span in enumerate(spans)}
        self._lasts = {span.end: index for index, span in enumerate(spans)}

    def locate(self, term: Term | None, part: str) -> tuple[int, int]:
        """Return the first and the last token of a term, or refuse a term that is not made of tokens."""
        span = term.span if term is not None else None
        if span is None or span.start not in self._firsts or span.end not in self._lasts:
            shown = "without a span" if span is None else f"at {span.start}:{span.end}"
            found = "an implicit one" if term is None else f"{term.text!r} {shown}"
            expected = "a term that begins and ends with a whitespace-separated token"
            raise DataError(f"example {self._name!r}: {part}: found {found}: expected {expected}; {REMEDY}")
        return self._firsts[span.start], self._lasts[span.end]


def polarity_code(example: Example, polarity: Polarity | None, codes: Mapping[str, Polarity | None]) -> str:
    """Return the code of a polarity, or refuse one that the format has no code for.

    >>> polarity_code(Example("1", "Nice."), Polarity.POSITIVE, {"POS": Polarity.POSITIVE})
    'POS'
    """
    code = next((code for code, known in codes.items() if known is polarity), None)
    if code is None:
        expected = f"expected one of {', '.join(filter(None, codes.values()))}"
        raise DataError(f"example {example.id!r}: found the polarity {polarity}: {expected}")
    return code


def encode_line(example: Example, line: str, listed: str, *, same: bool) -> bytes:
    r"""Encode the line of an example, unless it could not be read again: `same` says that its parts can.

    >>> encode_line(Example("1", "Nice."), "Nice.####[]", "[]", same=True)
    b'Nice.####[]\n'
    """
    try:
        encoded = f"{line}\n".encode()
    except UnicodeEncodeError:
        raise DataError(f"example {example.id!r}: found half a character: expected Unicode text") from None
    torn = "\n" in line or line.startswith("\ufeff") or max(len(example.text), len(listed)) > MAX_FIELD
    if torn or not same:
        found, expected = f"{example.text[:60]!r}", "one line of text that the format can hold"
        raise DataError(f"example {example.id!r}: found {found}: expected {expected}; {REMEDY}")
    return encoded
