"""Grammar: the order in which triplets or quads are written down, as a template and as a table of states.

What is written is a row of numbers. The first few stand for symbols: nothing, start, end, the polarities, the
words of the template and categories, each of them one symbol whatever the vocabulary makes of it. All further
numbers
stand for what a term is made of: the positions of a text, or the tokens of a vocabulary. So a comma within a
term is never mistaken for one of the template.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Polarity
from aspectlab.encodings.base import POLARITIES
from aspectlab.encodings.quads import spell_category

NOTHING, START, END = range(3)
"""Symbols that every grammar has: what follows the end, what precedes the first, and the end."""

_FIRST_POLARITY = 3
_FIRST_WORD = _FIRST_POLARITY + len(POLARITIES)


class Slot(Enum):
    """The parts of a template that differ from triplet to triplet."""

    ASPECT = 1
    OPINION = 2
    POLARITY = 3
    CATEGORY = 4


class Copy(IntEnum):
    """What of the text may be written in a state."""

    NOTHING = 0
    WORD = 1  # where a word begins
    NEXT = 2  # right behind what was copied last
    BEHIND = 3  # anywhere from what was copied last on


class WrittenTriplet(NamedTuple):
    """A triplet or quad as it was read off: what its terms are made of, nothing for one that is implicit."""

    aspect: tuple[int, ...]
    opinion: tuple[int, ...]
    polarity: Polarity
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Grammar:
    """States and what may be written in each. S: states, K: symbols. State 0 is the first."""

    symbols: tuple[str, ...]  # the words that each symbol stands for
    follows: NDArray[np.int64]  # [S, K] the state behind a symbol, -1 where it must not be written
    copies: NDArray[np.int64]  # [S] a `Copy`
    copied: NDArray[np.int64]  # [S] the state behind a position of the text


def symbol_of(polarity: Polarity) -> int:
    """Return the symbol of a polarity."""
    return _FIRST_POLARITY + POLARITIES.index(polarity)


def polarity_of(symbol: int) -> Polarity | None:
    """Return the polarity that a symbol stands for, if it stands for one.

    >>> polarity_of(symbol_of(Polarity.NEUTRAL)), polarity_of(END)
    (<Polarity.NEUTRAL: 'neutral'>, None)
    """
    position = symbol - _FIRST_POLARITY
    return POLARITIES[position] if 0 <= position < len(POLARITIES) else None


@dataclass(frozen=True, slots=True)
class Template:
    """How one triplet is written, and what stands between two of them.

    `implicit` is the word for a term that is not named; without one, every term must be. A template with a
    slot for a category knows the names that it may write.

    >>> pattern = Template(("(", Slot.ASPECT, ",", Slot.OPINION, ",", Slot.POLARITY, ")"), ";")
    >>> pattern.words
    ('(', ')', ',', ';')
    >>> triplet = WrittenTriplet((17,), (15, 16), Polarity.POSITIVE)
    >>> pattern.read(pattern.write([triplet])) == [triplet]
    True
    """

    parts: tuple[str | Slot, ...]
    joint: str
    implicit: str | None = None
    categories: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the template, each once, in an order that does not depend on theirs."""
        return tuple(
            sorted({word for word in (*self.parts, self.joint, self.implicit) if isinstance(word, str)})
        )

    @property
    def symbols(self) -> tuple[str, ...]:
        """The words that each symbol stands for; the first three stand for none."""
        polarities, categories = map(str, POLARITIES), map(spell_category, self.categories)
        return "", "", "", *polarities, *self.words, *categories

    def number(self, word: str) -> int:
        """Return the symbol of a word of the template."""
        return _FIRST_WORD + self.words.index(word)

    @property
    def first_category(self) -> int:
        """The symbol of the first category; the others follow."""
        return _FIRST_WORD + len(self.words)

    def write(self, triplets: Sequence[WrittenTriplet], room: int | None = None) -> list[int]:
        """Write triplets one after the other, and the end; those that find no room are left out."""
        written: list[int] = []
        for triplet in triplets:
            joint = [self.number(self.joint)] if written else []
            added = joint + [number for part in self.parts for number in self._fill(part, triplet)]
            if room is not None and len(written) + len(added) >= room:
                break
            written += added
        return [*written, END]

    def read(self, written: Sequence[int]) -> list[WrittenTriplet]:
        """Read triplets off what was written; what does not follow the template is passed over."""
        numbers = list(written)
        numbers = numbers[: numbers.index(END)] if END in numbers else numbers
        pieces: list[list[int]] = [[]]
        for number in numbers:
            if number == self.number(self.joint):
                pieces.append([])
            else:
                pieces[-1].append(number)
        return [triplet for piece in pieces if (triplet := self._read_piece(piece))]

    def _fill(self, part: str | Slot, triplet: WrittenTriplet) -> Sequence[int]:
        if not isinstance(part, Slot):
            return (self.number(part),)
        if part is Slot.POLARITY:
            return (symbol_of(triplet.polarity),)
        if part is Slot.CATEGORY:
            assert triplet.category is not None
            return (self.first_category + self.categories.index(triplet.category),)
        term = triplet.aspect if part is Slot.ASPECT else triplet.opinion
        return term if term or self.implicit is None else (self.number(self.implicit),)

    def _read_piece(self, piece: list[int]) -> WrittenTriplet | None:
        terms: dict[Slot, tuple[int, ...]] = {}
        polarity, category, position = None, None, 0
        for part in self.parts:
            end = position + 1
            if part is Slot.ASPECT or part is Slot.OPINION:
                end = self._find_end(piece, position)
                terms[part] = tuple(number for number in piece[position:end] if number >= len(self.symbols))
                if end == position:
                    return None
            elif part is Slot.CATEGORY:
                category = self._category_of(piece[position]) if position < len(piece) else None
                if category is None:
                    return None
            elif isinstance(part, Slot):
                polarity = polarity_of(piece[position]) if position < len(piece) else None
            elif piece[position:end] != [self.number(part)]:
                return None
            position = end
        if position != len(piece) or polarity is None:
            return None
        return WrittenTriplet(terms[Slot.ASPECT], terms[Slot.OPINION], polarity, category)

    def _find_end(self, piece: list[int], start: int) -> int:
        """Return where a term ends: behind the word for one that is not named, or before any symbol."""
        if self.implicit is not None and piece[start : start + 1] == [self.number(self.implicit)]:
            return start + 1
        return next((n for n in range(start, len(piece)) if piece[n] < len(self.symbols)), len(piece))

    def _category_of(self, symbol: int) -> str | None:
        index = symbol - self.first_category
        return self.categories[index] if 0 <= index < len(self.categories) else None


def build_grammar(template: Template) -> Grammar:
    """Make the table of states of a template: a term is a run of the text that begins and ends with a word.

    A term must be followed by a word of the template, which closes it.
    """
    count = len(template.parts)
    full, joined, done, inside = (
        count,
        count + 1,
        count + 2,
        count + 3,
    )  # inside + n: within the term at part n
    follows = np.full((inside + count, len(template.symbols)), -1, np.int64)
    copies, copied = np.zeros((2, inside + count), np.int64)
    for position, part in enumerate(template.parts):
        if isinstance(part, str):
            follows[position, template.number(part)] = position + 1
        elif part is Slot.POLARITY:
            follows[position, _FIRST_POLARITY:_FIRST_WORD] = position + 1
        elif part is Slot.CATEGORY:
            follows[position, template.first_category :] = position + 1
        else:
            if template.implicit is not None:
                follows[position, template.number(template.implicit)] = position + 1
            closing = template.parts[position + 1]
            assert isinstance(closing, str)
            copies[[position, inside + position]] = Copy.WORD, Copy.NEXT
            copied[[position, inside + position]] = inside + position
            follows[inside + position, template.number(closing)] = position + 2
    # behind a joint there must be another triplet, while the first one may be missing
    follows[joined], copies[joined], copied[joined] = follows[0], copies[0], copied[0]
    follows[full, template.number(template.joint)] = joined
    follows[[0, full], END] = done
    follows[done, NOTHING] = done
    return Grammar(template.symbols, follows, copies, copied)
