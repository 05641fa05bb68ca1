"""Sentences of our own with known opinions: adjectives × nouns × frames over many domains.

The words and the frames stand in `words/*.tsv`; a fixed hash puts each into one of two halves. Training data
are made from the `train` half (`synthetic.py`); the probe (`benchmarks/probe.py`) judges the `held-out` half.

A frame is a sentence with marks and slots:

    <{n}>           an aspect; `<2{n2}>` is the second one
    [*{adj}]        an opinion of the first aspect with the polarity that was drawn; `!` has the opposite one,
                    `+` and `-` a fixed one; digits before it name other aspects, `0` one that is not named
    {was|were}      agrees in number with the first noun; `{2:was|were}` with the second
    {July/March}    one of these
    {a}             "a" or "an", or nothing before plurals and what cannot be counted
"""

import csv
import hashlib
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

FOLDER = Path(__file__).with_name("words")
HALVES = TRAIN, HELD_OUT = "train", "held-out"
OPPOSITE = {"positive": "negative", "negative": "positive"}
_SIGNS = {"+": "positive", "-": "negative"}
_FIXED = {"pos": "positive", "neg": "negative", "un": "negative"}
_ARTICLE = "\0"
_SLOT = re.compile(r"\{([^{}]+)\}")
_MARK = re.compile(r"<(?P<aspect>\d?)(?P<named>[^<>]*)>|\[(?P<about>\d*)(?P<sign>[-+*!])(?P<said>[^][]*)\]")
# what is spelt with a vowel and spoken with a consonant
_CONSONANT = re.compile(r"(?:us[eau]|uni[^nm]|one\b)", re.IGNORECASE)
_VOWEL = re.compile(r"(?:[aeiou]|hon(?:est|our)|hour|X-)", re.IGNORECASE)
_FORM = re.compile(r"(?P<form>adj|opp|mild|more|attr|un|neg|pos|shared)(?P<about>[b02]?)(?P<sign>[-+]?)")
_UN = re.compile(r"(?:un|in|im|dis|ir)(?=\w{4})")


@dataclass(frozen=True, slots=True)
class Noun:
    """An aspect term of a domain; its kind says which adjectives and frames suit it."""

    text: str
    domain: str
    item: str
    kind: str
    is_plural: bool
    is_countable: bool
    half: str


@dataclass(frozen=True, slots=True)
class Adjective:
    """An opinion word; `comparative` is empty for what cannot be compared, as "spotless".

    `is_misleading` marks those whose parts point the other way: spot-less, un-friendly.
    """

    text: str
    polarity: str
    kinds: frozenset[str]
    comparative: str
    is_misleading: bool
    half: str

    def suits(self, noun: Noun) -> bool:
        """Return whether a noun may be called so."""
        return "*" in self.kinds or noun.kind in self.kinds


@dataclass(frozen=True, slots=True)
class Frame:
    """A sentence with slots; `kinds` are the kinds of nouns for the first one."""

    kind: str
    kinds: frozenset[str]
    template: str
    half: str

    def suits(self, noun: Noun) -> bool:
        """Return whether the first slot may hold a noun."""
        return "*" in self.kinds or noun.kind in self.kinds or ("any" in self.kinds and noun.kind != "cost")


@dataclass(frozen=True, slots=True)
class Opinion:
    """Half-open character spans of an aspect, None if it is not named, and of the words that judge it."""

    aspect: tuple[int, int] | None
    opinion: tuple[int, int]
    polarity: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with all its opinions, and what it was made from."""

    text: str
    opinions: tuple[Opinion, ...]
    kind: str
    domain: str
    adjectives: tuple[Adjective, ...] = ()


@dataclass(frozen=True)
class Lexicon:
    """The words and frames of both halves, or of one."""

    nouns: tuple[Noun, ...]
    adjectives: tuple[Adjective, ...]
    frames: tuple[Frame, ...]
    praise: frozenset[str] = field(repr=False)

    def keep(self, half: str) -> "Lexicon":
        """Return the words and frames of one half."""
        return Lexicon(
            tuple(noun for noun in self.nouns if noun.half == half),
            tuple(word for word in self.adjectives if word.half == half),
            tuple(frame for frame in self.frames if frame.half == half),
            self.praise,
        )

    @cached_property
    def domains(self) -> tuple[str, ...]:
        """The domains of the nouns, in the order of the file."""
        return tuple(dict.fromkeys(noun.domain for noun in self.nouns))

    def frames_of(self, kind: str) -> tuple[Frame, ...]:
        """Return the frames of a kind."""
        return tuple(frame for frame in self.frames if frame.kind == kind)

    def is_negated(self, adjective: Adjective) -> bool:
        """Return whether a word of blame is a word of praise with a prefix that negates it."""
        stem, count = _UN.subn("", adjective.text, count=1)
        return bool(count) and adjective.polarity == "negative" and stem in self.praise


def choose_half(kind: str, text: str) -> str:
    """Return the half of a word or a frame, by a hash that never changes.

    >>> choose_half("adjective", "spotless"), choose_half("adjective", "effortless")
    ('held-out', 'train')
    """
    return HALVES[hashlib.sha256(f"{kind}:{text}".encode()).digest()[0] % 2]


def load_lexicon(folder: Path = FOLDER) -> Lexicon:
    """Read the words and frames; what names an adjective of the held-out half is held out too."""
    adjectives = tuple(_read_adjectives(folder / "adjectives.tsv"))
    named = _match_words(word for word in adjectives if word.half == HELD_OUT)

    # "easy to use" goes with "easy"; a word with a hyphen is one of its own
    adjectives = tuple(
        replace(word, half=HELD_OUT) if " " in word.text and named.search(word.text) else word
        for word in adjectives
    )

    def half(kind: str, text: str) -> str:
        return HELD_OUT if named.search(text) else choose_half(kind, text)

    frames = tuple(
        Frame(row["kind"], frozenset(row["classes"].split()), row["template"], half("frame", row["template"]))
        for row in _read_rows(folder / "frames.tsv")
    )
    nouns = (replace(noun, half=half("noun", noun.text)) for noun in _read_nouns(folder / "nouns.tsv"))
    praise = frozenset(word.text for word in adjectives if word.polarity == "positive")
    return Lexicon(tuple(nouns), adjectives, frames, praise)


def _match_words(adjectives: Iterable[Adjective]) -> re.Pattern[str]:
    """Match adjectives as whole words, and their comparatives where these are the same word ("kinder")."""
    texts = [
        text for word in adjectives for text in (word.text, word.comparative) if text[:3] == word.text[:3]
    ]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, texts))})\b", re.IGNORECASE)


def _read_rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)


def _read_nouns(path: Path) -> Iterator[Noun]:
    for row in _read_rows(path):
        for word in row["nouns"].split(", "):
            text = word.rstrip("+~")
            plural, countable = word.endswith("+"), text == word
            place = row["domain"], row["item"], row["class"]
            yield Noun(text, *place, plural, countable, TRAIN)


def _read_adjectives(path: Path) -> Iterator[Adjective]:
    """Read the adjectives; one that stands in several rows is one adjective with all their kinds."""
    found: dict[tuple[str, str], tuple[set[str], str, bool]] = {}
    for row in _read_rows(path):
        for word in row["adjectives"].split(", "):
            text, _, comparative = word.rstrip("!").partition("/")
            kinds, other, misleading = found.get((row["polarity"], text), (set(), "", False))
            kinds.update(row["classes"].split())
            comparative = f"more {text}" if comparative == "more" else comparative or other
            found[row["polarity"], text] = kinds, comparative, misleading or word.endswith("!")
    for (polarity, text), (kinds, comparative, misleading) in found.items():
        half = choose_half("adjective", text)
        yield Adjective(text, polarity, frozenset(kinds), comparative, misleading, half)


class NothingFitsError(Exception):
    """No word of the lexicon suits a slot of the frame: draw another frame or noun."""


def fill(
    frame: Frame,
    lexicon: Lexicon,
    rng: random.Random,
    *,
    domain: str | None = None,
    adjective: Adjective | None = None,
) -> Sentence:
    """Make a sentence of a frame with words drawn from a lexicon; an adjective given takes the first slot."""
    return _Filling(frame, lexicon, rng, domain, adjective).make()


class _Filling:
    """The words that one sentence has drawn so far."""

    def __init__(
        self,
        frame: Frame,
        lexicon: Lexicon,
        rng: random.Random,
        domain: str | None,
        adjective: Adjective | None,
    ) -> None:
        self.frame, self.lexicon, self.rng, self.given = frame, lexicon, rng, adjective
        self.polarity = adjective.polarity if adjective else rng.choice(("positive", "negative"))
        self.used: list[Adjective] = []
        self.first = self._draw_noun(
            lambda noun: (
                frame.suits(noun)
                and (domain is None or noun.domain == domain)
                and (adjective is None or adjective.suits(noun))
            )
        )
        self.second: Noun | None = None
        if "{n2}" in frame.template:
            self.second = self._draw_noun(
                lambda n: n.domain == self.first.domain and n.text != self.first.text
            )

    def make(self) -> Sentence:
        marked = _SLOT.sub(lambda found: self._fill_slot(found[1]), self.frame.template)
        marked = re.sub(rf"{_ARTICLE} (?=[\[<]?\d?[-+*!]?(\w+))", self._article, marked)
        text, opinions = self._parse(_capitalise(marked))
        return Sentence(text, opinions, self.frame.kind, self.first.domain, tuple(self.used))

    def _fill_slot(self, slot: str) -> str:
        if "|" in slot:
            is_second = slot.startswith("2:")
            noun = self.second if is_second and self.second else self.first
            return slot.removeprefix("2:").split("|")[noun.is_plural]
        if "/" in slot:
            return self.rng.choice(slot.split("/"))
        item = self.first.item
        plain = {"n": self.first.text, "item": item, "items": _pluralise(item), "a": _ARTICLE}
        plain["an"] = "an" if _starts_with_vowel(item) else "a"
        if slot in plain:
            return plain[slot]
        if slot == "n2" and self.second:
            return self.second.text
        return self._draw_adjective(slot)

    def _draw_adjective(self, slot: str) -> str:
        """Draw an adjective; `b` is a second one for the first noun, `2` one for the second, `0` for any."""
        found = _FORM.fullmatch(slot)
        assert found, f"{self.frame.template!r}: no such slot: {slot!r}"
        form, about, sign = found["form"], found["about"], found["sign"]
        polarity = _SIGNS.get(sign) or _FIXED.get(form) or self.polarity
        if form == "opp":
            polarity = OPPOSITE[self.polarity]
        nouns = [] if about == "0" else [self.second if about == "2" else self.first]
        if form == "shared":
            nouns = [self.first, self.second]

        def fits(word: Adjective) -> bool:
            suitable = all(noun is None or word.suits(noun) for noun in nouns) and (
                about != "0" or "*" in word.kinds
            )
            return suitable and word.polarity == polarity and word not in self.used and self._has(form, word)

        if self.given and self.given not in self.used and fits(self.given):
            chosen = self.given
        else:
            fitting = [word for word in self.lexicon.adjectives if fits(word)]
            if not fitting:
                raise NothingFitsError(slot)
            chosen = self.rng.choice(fitting)
        self.used.append(chosen)
        return chosen.comparative if form == "more" else chosen.text

    def _has(self, form: str, word: Adjective) -> bool:
        """Return whether an adjective has a form; "a rip-off" stands behind a verb only."""
        if form == "un":
            return self.lexicon.is_negated(word)
        if form in ("mild", "more"):
            return bool(word.comparative)
        return " " not in word.text or form != "attr"

    def _draw_noun(self, suits: Callable[[Noun], bool]) -> Noun:
        fitting = [noun for noun in self.lexicon.nouns if suits(noun)]
        if not fitting:
            raise NothingFitsError(self.frame.template)
        return self.rng.choice(fitting)

    def _article(self, found: re.Match[str]) -> str:
        if self.first.is_plural or not self.first.is_countable:
            return ""
        return "an " if _starts_with_vowel(found[1]) else "a "

    def _parse(self, marked: str) -> tuple[str, tuple[Opinion, ...]]:
        """Take the marks out of a text and turn them into spans."""
        text, end = "", 0
        aspects: dict[str, tuple[int, int] | None] = {"0": None}
        said: list[tuple[str, str, tuple[int, int]]] = []
        for mark in _MARK.finditer(marked):
            text += marked[end : mark.start()]
            words = mark["named"] or mark["said"]
            span = len(text), len(text) + len(words)
            if mark["named"]:
                aspects[mark["aspect"] or "1"] = span
            else:
                sign = mark["sign"]
                polarity = _SIGNS.get(sign) or (self.polarity if sign == "*" else OPPOSITE[self.polarity])
                said += [(about, polarity, span) for about in mark["about"] or "1"]
            text += words
            end = mark.end()
        opinions = (Opinion(aspects[about], span, polarity) for about, polarity, span in said)
        return text + marked[end:], tuple(opinions)


def _capitalise(marked: str) -> str:
    """Capitalise the first letter, which may stand behind a mark."""
    return re.sub(r"^([\[<]?\d*[-+*!]?)(\w)", lambda found: found[1] + found[2].upper(), marked)


def _pluralise(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"


def _starts_with_vowel(word: str) -> bool:
    return bool(_VOWEL.match(word)) and not _CONSONANT.match(word)
