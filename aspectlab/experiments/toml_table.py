"""Read a table of a study file key by key; what is wrong is noted, not raised, so that all of it is found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from aspectlab.registry import suggest
from aspectlab.untrusted import as_number

_NAME = re.compile(r"\$\{(\w+)\}")

_MOST_SEEDS = 10_000
"""A larger number is a seed, such as a date: as many runs would fill the memory before the first begins."""

T = TypeVar("T", bound=object)


class TomlTable:
    """One table: every key that is asked for is known, every other one is a mistake."""

    def __init__(self, file: str, path: str, found: object, problems: list[str]) -> None:
        self.file, self.path, self.problems = file, path, problems
        self._known: list[str] = []
        self._found: Mapping[str, object] = found if isinstance(found, dict) else {}
        if not isinstance(found, dict):
            self.problems.append(f"{self.where()} = {found!r:.80}: expected a table")

    def __contains__(self, key: str) -> bool:
        return key in self._found

    @property
    def names(self) -> list[str]:
        """The keys that are there."""
        return list(self._found)

    def where(self, key: str = "") -> str:
        """Return where a key of this table stands."""
        return f"{self.file}: {self._join(key)}".removesuffix(": ")

    def complain(self, key: str, found: object, expected: str) -> None:
        """Note a mistake: where, what was found, what was expected."""
        self.problems.append(f"{self.where(key)} = {found!r:.80}: expected {expected}")

    def text(self, key: str, default: str = "") -> str:
        """Take a text."""
        return self._take(key, str, "a text", default)

    def flag(self, key: str, default: bool) -> bool:
        """Take true or false."""
        return self._take(key, bool, "true or false", default)

    def whole(self, key: str, default: int, *, least: int) -> int:
        """Take a whole number from `least` on."""
        expected = f"a whole number from {least} on"
        value = self._take(key, int, expected, default)
        if value >= least:
            return value
        self.complain(key, value, expected)
        return default

    def share(self, key: str, default: float) -> float:
        """Take a number between 0 and 1."""
        expected = "a share between 0 and 1, such as 0.1"
        value = self._take(key, float, expected, default)
        if 0 < value < 1:
            return value
        self.complain(key, value, expected)
        return default

    def texts(self, key: str) -> tuple[str, ...]:
        """Take a list of texts."""
        found = self._take(key, list, "a list of texts", [])
        if all(isinstance(item, str) for item in found):
            return tuple(found)
        self.complain(key, found, "a list of texts")
        return ()

    def seeds(self, key: str, default: tuple[int, ...]) -> tuple[int, ...]:
        """Take a list of seeds, or how many there are: they are 1, 2 and so on then."""
        expected = (
            f"how many seeds there are, up to {_MOST_SEEDS:,}, or a list of different whole numbers from 0 "
            "to 2**32 - 1; a single seed is a list too, such as [42]"
        )
        found = self.raw(key)
        if found is None:
            return default
        if type(found) is int and 0 < found <= _MOST_SEEDS:
            return tuple(range(1, found + 1))
        numbers = found if isinstance(found, list) else []
        # a larger one would leave the 64 bits of torch's generators, which every epoch multiplies it for
        is_sound = all(type(n) is int and 0 <= n < 2**32 for n in numbers)
        if numbers and is_sound and len(set(numbers)) == len(numbers):
            return tuple(numbers)
        self.complain(key, found, expected)
        return default

    def table(self, key: str) -> TomlTable:
        """Take a table within this one; an absent one is empty."""
        found = self.raw(key)
        return TomlTable(self.file, self._join(key), {} if found is None else found, self.problems)

    def tables(self, key: str) -> list[TomlTable]:
        """Take a list of tables."""
        found = self._take(key, list, f"tables, each under [[{key}]]", [])
        found_at = ((f"{self._join(key)}[{number}]", item) for number, item in enumerate(found, start=1))
        return [TomlTable(self.file, path, item, self.problems) for path, item in found_at]

    def raw(self, key: str) -> object:
        """Take whatever is there."""
        self._known.append(key)
        return self._found.get(key)

    def choose(self, key: str, names: Iterable[str], kind: str, choices: Iterable[str]) -> None:
        """Note every name that is none of the choices."""
        known = list(choices)
        unknown = (name for name in names if name not in known)
        self.problems += [f"{self.where(key)}: {kind} {n!r} is unknown: {suggest(n, known)}" for n in unknown]

    def close(self) -> None:
        """Note every key that was not asked for."""
        for key in self._found:
            if key not in self._known:
                # a key may have been asked for twice
                offer = suggest(key, dict.fromkeys(self._known))
                self.problems.append(f"{self.where()}: key {key!r} is unknown: {offer}")

    def _join(self, key: str) -> str:
        return ".".join(part for part in (self.path, key) if part)

    def _take(self, key: str, kind: type[T], expected: str, default: T) -> T:
        found = self.raw(key)
        if found is None:
            return default
        if kind is float and type(found) is int:
            found = as_number(found)
        # bool is an int to Python, but true is no number
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            self.complain(key, found, expected)
            return default
        return found


class PathResolver:
    """Turn the texts of a study file into paths: names in ${} are put in, the rest starts at the file."""

    def __init__(self, folder: Path, names: Mapping[str, str], problems: list[str]) -> None:
        self._folder, self._problems = folder, problems
        self.names = dict(names)

    def fill(self, where: str, text: str) -> str:
        """Fill in the values of names; an unknown one is noted and stays."""

        def value(match: re.Match[str]) -> str:
            name = match[1]
            if name not in self.names:
                offer = "give it with --data DIR" if name == "DATA" else suggest(name, self.names)
                self._problems.append(f"{where}: ${{{name}}} is not set: {offer}")
            return self.names.get(name, match[0])

        return _NAME.sub(value, text)

    def find(self, where: str, text: str) -> Path:
        """Return the path that a text means; one that no system can have is noted, and missing."""
        path = self._folder / self.fill(where, text)
        try:
            path.exists()
        except OSError as error:
            self._problems.append(f"{where}: path {text!r:.60}: {error.strerror}: expected that of a file")
            return self._folder / "…"
        return path
