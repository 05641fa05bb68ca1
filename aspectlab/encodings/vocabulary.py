"""Vocabularies: how a text becomes numbered tokens, each with its offsets in the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from aspectlab.language import Offsets, word_offsets

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
        self.pad = self._special("[PAD]", "<pad>")
        self.mask = self._special("[MASK]", "<mask>")
        self.first, self.between, self.last = self._frame()
        # punctuation stands in every vocabulary and needs no new vector (Zhou & Chen, 2022)
        opening, closing = self.tokenize(["@", "#"])
        self.marks = (opening.ids[-1], closing.ids[-1])

    @classmethod
    def from_file(cls, path: Path, max_length: int) -> Subwords:
        """Read a `tokenizer.json`."""
        from tokenizers import Tokenizer

        return cls(Tokenizer.from_file(str(path)), max_length)

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        """Turn texts into sub-words; a sub-word that covers no character is left out."""
        encodings = self.tokenizer.encode_batch(_make_encodable(texts), add_special_tokens=False)
        return [_with_spans(text, e.ids, e.offsets) for text, e in zip(texts, encodings, strict=True)]

    def number(self, texts: Sequence[str]) -> list[list[int]]:
        """Turn texts into sub-word numbers alone, which is faster than with their offsets."""
        encodings = self.tokenizer.encode_batch_fast(_make_encodable(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def _frame(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Read off a pair what the vocabulary itself puts before, between and behind two segments."""
        pair = self.tokenizer.encode("a", "b")
        segments = list(pair.sequence_ids)  # 0 and 1 for the segments, None for the frame
        start, end = segments.index(0), len(segments) - segments[::-1].index(1)
        inner = [token for token, segment in zip(pair.ids, segments, strict=True) if segment is None]
        between = inner[start : len(inner) - (len(segments) - end)]
        return tuple(pair.ids[:start]), tuple(between), tuple(pair.ids[end:])

    def _special(self, *names: str) -> int:
        """Find a special token; a vocabulary may hold an unused namesake of another family's."""
        special = {
            token.content: number for number, token in self.tokenizer.get_added_tokens_decoder().items()
        }
        return next((special[name] for name in names if name in special), 0)


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
