"""Lines of text formats, taken apart and written: the `####` mark, lists, polarity codes, tagged tokens."""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from aspectlab.data import Example, Polarity, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers.alignment import align, term_of_tokens, token_spans
from aspectlab.readers.source import Head, Source, parse_literal

MARK = "####"
"""What separates the sentence from its annotation."""

CODES = {"POS": Polarity.POSITIVE, "NEG": Polarity.NEGATIVE, "NEU": Polarity.NEUTRAL}
"""The polarity codes of triplets and tags."""

MAX_FIELD = 64 << 10
"""Longer sentences and lists are refused: those of all known data sets have under 10,000 characters."""

MAX_PAIRS = 1000
"""More pairs of aspect and opinion in one line are refused: a broken file could ask for billions."""

REMEDY = "leave this quad out, or write the format jsonl, which keeps everything"
"""What to do with a quad that a format cannot hold."""

_REACH = 2000
"""How far from its first token a phrase is looked for: the longest known text has 1,480."""


def named_lines(source: Source) -> Iterator[tuple[int, str, str]]:
    """Stream the lines that are not empty: the number, the line, and an id for its example.

    The id is a running number: a copy of the file under another name must give the same examples.
    """
    filled = ((number, line) for number, line in source.lines() if line.strip())
    for count, (number, line) in enumerate(filled, start=1):
        yield number, line, str(count)


def first_line(head: Head) -> str:
    """Return the first line that is not empty, or nothing.

    >>> first_line(Head("x.txt", b"", (" ", "Hello .####[]")))
    'Hello .####[]'
    """
    return next((line for line in head.lines if line.strip()), "")


def first_list(head: Head) -> str:
    """Return the first list behind a mark that is not empty; the empty list where all are.

    >>> first_list(Head("x.txt", b"", ("Hello .####[]", "Nice pen .####[([1], [0], 'POS')]")))
    "[([1], [0], 'POS')]"
    """
    if MARK not in first_line(head):
        return ""
    lists = [line.rpartition(MARK)[2].strip() for line in head.lines if MARK in line]
    return next((text for text in lists if text != "[]"), "[]")


def check_length(source: Source, number: int | str, field: str) -> None:
    """Refuse a field that is far longer than any sentence or its annotation.

    >>> from pathlib import Path
    >>> check_length(Source(Path("x.txt")), 1, "Nice pen .")
    """
    if len(field) > MAX_FIELD:
        found = f"a field of {len(field):,} characters"
        raise source.error(number, found, f"at most {MAX_FIELD:,}", "split the text into sentences")


def parse_list(source: Source, number: int, text: str) -> list[object]:
    """Parse the annotation list of one line.

    >>> from pathlib import Path
    >>> parse_list(Source(Path("x.txt")), 1, " [([1], [0], 'POS')]")
    [([1], [0], 'POS')]
    """
    check_length(source, number, text)
    # a stray backslash or `1or` in a broken list makes the parser warn; the list is judged by its shape
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = parse_literal(source, number, text)
    if not isinstance(value, list):
        raise source.error(number, f"{text.strip()[:60]!r}", "a list in square brackets")
    return value


def is_whole(text: str) -> bool:
    r"""Return whether the text has no half of a character, which an escape like `\ud800` makes.

    >>> is_whole("soup"), is_whole("\ud83c")
    (True, False)
    """
    return not any("\ud800" <= character <= "\udfff" for character in text)


def split_tags(
    source: Source, number: int, field: str, mark: str, known: re.Pattern[str]
) -> list[tuple[str, str]]:
    """Split `token<mark>tag` items at their last mark; a tag that is not known is an error.

    >>> from pathlib import Path
    >>> split_tags(Source(Path("x.txt")), 1, "a=b=O", "=", re.compile("O|T"))
    [('a=b', 'O')]
    """
    pairs = []
    # spaces only: a token may hold a no-break space or a line separator
    for item in filter(None, field.split(" ")):
        token, found, tag = item.rpartition(mark)
        if not found or not token or not known.fullmatch(tag):
            expected = f"a token, {mark!r} and a tag like {known.pattern}"
            raise source.error(number, f"{item[:60]!r}", expected, "correct the tag or remove the line")
        pairs.append((token, tag))
    return pairs


def tagged_terms(text: str, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, Term]]:
    """Return each run of equal tags other than `O` as a term of the text, with its tag.

    A run whose tokens do not occur in the text, one after the other, becomes a term without a span.

    >>> tagged_terms("Nice red pen!", [("Nice", "O"), ("red", "T"), ("pen", "T"), ("!", "O")])
    [('T', Term(text='red pen', span=Span(start=5, end=12)))]
    """
    spans = align(text, [token for token, _ in pairs])
    terms = []
    for tag, run in groupby(range(len(pairs)), key=lambda index: pairs[index][1]):
        if tag != "O":
            indices = list(run)
            words = " ".join(pairs[index][0] for index in indices)
            terms.append((tag, _join(text, [spans[index] for index in indices]) or Term(words)))
    return terms


def _join(text: str, spans: Sequence[Span | None]) -> Term | None:
    """Make one term of the spans of its tokens, unless one is missing or another word is in between."""
    placed = [span for span in spans if span is not None]
    gaps = (text[left.end : right.start] for left, right in pairwise(placed))
    if len(placed) < len(spans) or any(character.isalnum() for gap in gaps for character in gap):
        return None
    return term_of_tokens(text, placed, 0, len(placed) - 1)


def check_pairs(source: Source, number: int | str, count: int) -> None:
    """Refuse a line that pairs far more aspects and opinions than any sentence holds.

    >>> from pathlib import Path
    >>> check_pairs(Source(Path("x.txt")), 1, 12)
    """
    if count > MAX_PAIRS:
        found = f"{count:,} pairs of aspect and opinion"
        raise source.error(number, found, f"at most {MAX_PAIRS:,}", "are the tags correct?")


def note_lines(source: Source, numbers: Sequence[int], message: str, unit: str = "line") -> None:
    """Note once what happened on many lines, or other units; nothing where it never happened.

    >>> from pathlib import Path
    >>> source = Source(Path("x.txt"))
    >>> note_lines(source, [3, 3, 8], "terms without a span")
    >>> source.notes
    ['whole file: terms without a span: 3, first on line 3']
    """
    if numbers:
        source.note("whole file", f"{message}: {len(numbers):,}, first on {unit} {numbers[0]}")


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
