"""Vocabularies: how a text becomes numbered tokens, each with its offsets in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from aspectlab.errors import DataError
from aspectlab.language import Offsets, word_offsets
from aspectlab.untrusted import parse_json, read_file

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one text: their numbers and the characters that each one covers."""

    ids: list[int]
    spans: Sequence[Offsets]


class Vocabulary(Protocol):
    """What an encoding asks of a vocabulary.

    `first`, `between` and `last` frame a sequence of one or two segments; a word vocabulary has none of them.
    `marks` enclose a marked target.
    """

    pad: int
    first: tuple[int, ...]
    between: tuple[int, ...]
    last: tuple[int, ...]
    marks: tuple[int, int]
    max_length: int

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        """Turn texts into tokens without any frame."""
        ...


class Subwords:
    """The sub-word vocabulary of a transformer, as its `tokenizer.json` defines it."""

    def __init__(self, tokenizer: Tokenizer, max_length: int) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.tokenizer = tokenizer
        self.max_length = max_length
        self.pad = self._special("[PAD]", "<pad>") or 0
        self.mask = self._special("[MASK]", "<mask>")  # None: nothing hides a token
        self.first, self.between, self.last = self._frame()
        # punctuation stands in every vocabulary and needs no new vector (Zhou & Chen, 2022)
        opening, closing = self.tokenize(["@", "#"])
        if not opening.ids or not closing.ids:
            raise ValueError("its vocabulary has no token for '@' or '#'")
        self.marks = (opening.ids[-1], closing.ids[-1])
        if max_length <= (framed := len(self.first) + len(self.between) + len(self.last)):
            raise ValueError(f"the length {max_length} leaves no room beside {framed} special tokens")

    @classmethod
    def from_file(cls, path: Path, max_length: int) -> Subwords:
        """Read a `tokenizer.json`."""
        try:
            return cls(read_tokenizer(path), max_length)
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else error
            raise DataError(
                f"{path}: {said}: expected the tokenizer as JSON; copy the folder again"
            ) from None

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        """Turn texts into sub-words; a sub-word that covers no character is left out."""
        with _explained_panic():
            encodings = self.tokenizer.encode_batch(_make_encodable(texts), add_special_tokens=False)
        return [_with_spans(text, e.ids, e.offsets) for text, e in zip(texts, encodings, strict=True)]

    def number(self, texts: Sequence[str]) -> list[list[int]]:
        """Turn texts into sub-word numbers alone, which is faster than with their offsets."""
        with _explained_panic():
            encodings = self.tokenizer.encode_batch_fast(_make_encodable(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def _frame(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Read off a pair what the vocabulary itself puts before, between and behind two segments."""
        with _explained_panic():
            pair = self.tokenizer.encode("a", "b")
        segments = list(pair.sequence_ids)  # 0 and 1 for the segments, None for the frame
        if not {0, 1} <= set(segments) or len(segments) > _LONGEST_FRAME:
            raise ValueError("it makes no tokens, or far too many, of the texts 'a' and 'b'")
        start, end = segments.index(0), len(segments) - segments[::-1].index(1)
        inner = [token for token, segment in zip(pair.ids, segments, strict=True) if segment is None]
        between = inner[start : len(inner) - (len(segments) - end)]
        return tuple(pair.ids[:start]), tuple(between), tuple(pair.ids[end:])

    def _special(self, *names: str) -> int | None:
        """Find a special token; a vocabulary may hold an unused namesake of another family's."""
        special = {
            token.content: number for number, token in self.tokenizer.get_added_tokens_decoder().items()
        }
        return next((special[name] for name in names if name in special), None)


_LONGEST_FRAME = 64
_MOST_GROWTH = 64
_LONGEST_PATTERN = 2_000
_REPEATED_GROUP = re.compile(r"(?<!\\)\)[*+{]")
"""A repeated group may be matched in so many ways that no text ever gets through; tokenizers do without."""


def read_tokenizer(path: Path) -> Tokenizer:
    """Read a `tokenizer.json`; a ValueError if it is none, or its rules never end or blow texts up."""
    from tokenizers import Tokenizer

    content = read_file(path).decode()
    record = parse_json(content)
    model = record.get("model") if isinstance(record, dict) else None
    # the library raises a bare Exception on what is no tokenizer
    if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict | list):
        raise ValueError("it has no key 'model' with a vocabulary")
    if _growth_of(record) > _MOST_GROWTH:
        raise ValueError(f"its replacements make texts over {_MOST_GROWTH} times as long")
    with _explained_panic():
        return Tokenizer.from_str(content)


def _growth_of(part: object) -> int:
    """Return how many times as long a tokenizer may make a text; refuse patterns that may take for ever."""
    growth = 1
    if isinstance(part, list):
        for item in part:
            growth *= _growth_of(item)
    elif isinstance(part, dict):
        for key in ("normalizer", "normalizers", "pre_tokenizer", "pretokenizers"):
            growth *= _growth_of(part.get(key))
        pattern = part.get("pattern")
        regex = pattern.get("Regex") if isinstance(pattern, dict) else None
        if isinstance(regex, str) and (len(regex) > _LONGEST_PATTERN or _REPEATED_GROUP.search(regex)):
            raise ValueError(f"found the pattern {regex!r:.60}, which may take for ever")
        added = part.get("content", part.get("prepend", ""))
        growth *= max(1, len(added)) if isinstance(added, str) else 1
    return min(growth, _MOST_GROWTH + 1)


@contextmanager
def _explained_panic() -> Iterator[None]:
    """Turn a failure of the library, of which a panic is no Exception, into an error."""
    try:
        yield
    except BaseException as error:
        # the library has no type of its own, for a panic or for what a text shows to be wrong
        if type(error) is not Exception and type(error).__name__ != "PanicException":
            raise
        raise DataError(
            f"tokenizer.json: the tokenizer gave up on a text ({error!s:.120}): expected one that takes any "
            "text; copy the folder again, or use another encoder"
        ) from None


class WordList:
    """A list of lower-cased words, as word-vector files have it; 0 is padding, 1 an unknown word."""

    pad = 0
    first: tuple[int, ...] = ()
    between: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    marks = (1, 1)
    max_length = 512

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self.numbers = numbers

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        """Turn texts into words.

        >>> WordList({"nice": 2}).tokenize(["Nice one"])[0].ids
        [2, 1]
        """
        return [self._tokens(text) for text in texts]

    def _tokens(self, text: str) -> Tokens:
        spans = word_offsets(text)
        return Tokens([self.numbers.get(text[start:end].lower(), 1) for start, end in spans], spans)


def _make_encodable(texts: Sequence[str]) -> list[str]:
    """Replace half a surrogate pair, which no sub-word can stand for, by a question mark; all offsets stay.

    >>> _make_encodable(["Nice", f"Nice {chr(0xD83D)}"])
    ['Nice', 'Nice ?']
    """
    return [text if text.isascii() else text.encode("utf-8", "replace").decode() for text in texts]


def _with_spans(text: str, ids: list[int], offsets: list[Offsets]) -> Tokens:
    if all(start < end and not text[start].isspace() for start, end in offsets):
        return Tokens(ids, offsets)
    covering = [index for index, (start, end) in enumerate(offsets) if start < end]
    spans = [_without_spaces(text, *offsets[index]) for index in covering]
    return Tokens([ids[index] for index in covering], spans)


def _without_spaces(text: str, start: int, end: int) -> Offsets:
    """Leave out the spaces before a word, which byte-level vocabularies count as part of it."""
    return (end - len(text[start:end].lstrip()), end) if text[start].isspace() else (start, end)


def has_alphanumeric(text: str) -> bool:
    """Return whether there is a letter or digit: without one nothing is named.

    >>> has_alphanumeric("?! 5"), has_alphanumeric("... :-)")
    (True, False)
    """
    return any(map(str.isalnum, text))
