"""Taxonomy: the categories that opinions are counted for, read strictly from `taxonomy.toml`.

A file may extend the built-in one: then it adds words and categories, and merges, renames or excludes others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from aspectlab.errors import DataError
from aspectlab.language import normalise_term
from aspectlab.readers import REST
from aspectlab.registry import suggest
from aspectlab.untrusted import parse_toml, read_file

GENERAL = "general"
"""The name of the built-in taxonomy."""

TAXONOMIES = {GENERAL: Path(__file__).with_name("general.toml")}
"""The taxonomies that come with the package."""

_LARGEST = 4 << 20
_MOST_CATEGORIES, _MOST_WORDS, _LONGEST = 500, 5_000, 100
_WORDS = ("synonyms", "opinions", "decisive", "exclude")
_KINDS = {
    **dict.fromkeys(("description", "parent"), str),
    **dict.fromkeys(_WORDS, list),
    "fallback": bool,
}
_TOP = {
    "name": str,
    "extends": str,
    "discover": bool,
    "exclude": list,
    "merge": dict,
    "rename": dict,
    "categories": dict,
}
_EXPECTED = {str: "a text", list: "a list of texts", bool: "true or false", dict: "a table"}


@dataclass(frozen=True, slots=True)
class CategoryRule:
    """One category: its words, and the category of the first level that it belongs to ("" if it is one)."""

    name: str
    description: str = ""
    parent: str = ""
    synonyms: tuple[str, ...] = ()
    opinions: tuple[str, ...] = ()
    decisive: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """Categories, whether others are discovered, and what becomes of some names, given or discovered."""

    name: str
    categories: tuple[CategoryRule, ...]
    discover: bool = True
    merge: Mapping[str, str] = field(default_factory=dict)
    rename: Mapping[str, str] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """What decides where opinions go: two files that say the same have the same."""
        return json.dumps(asdict(self), sort_keys=True)

    def resolve(self, name: str) -> str:
        """Return the name that a category, given or discovered, is shown by; "" if it has no row.

        >>> merge, rename = {"soup": "food"}, {"food": "meals"}
        >>> taxonomy = Taxonomy("mine", (), merge=merge, rename=rename, exclude=("bar",))
        >>> taxonomy.resolve("soup"), taxonomy.resolve("bar"), taxonomy.resolve("room")
        ('meals', '', 'room')
        """
        name = self.merge.get(name, name)
        return "" if name in self.exclude else self.rename.get(name, name)

    def parent_of(self, shown: str) -> str:
        """Return the category of the first level that a shown one belongs to: itself if it is of that level.

        >>> Taxonomy("mine", (CategoryRule("food"), CategoryRule("soup", parent="food"))).parent_of("soup")
        'food'
        """
        back = {new: old for old, new in self.rename.items()}
        rules = {rule.name: rule for rule in self.categories}
        rule = rules.get(back.get(shown, shown))
        # without its parent a category is of the first level
        return (self.resolve(rule.parent) if rule and rule.parent else "") or shown


def load_taxonomy(source: str | Path) -> Taxonomy:
    """Read a taxonomy: a file, or a built-in one by its name.

    >>> load_taxonomy("general").parent_of("breakfast")
    'food'
    """
    if isinstance(source, str) and source in TAXONOMIES:
        return _load_built_in(source)
    path = Path(source)
    try:
        text = read_file(path, _LARGEST).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        found = getattr(error, "strerror", None) or "no text in UTF-8"
        names = " or ".join(TAXONOMIES)
        raise DataError(
            f"{path}: {found}: expected a file of categories, or {names}; begin with: "
            f"aspectlab taxonomy show {GENERAL} > taxonomy.toml"
        ) from None
    return parse_taxonomy(text, str(path))


@lru_cache(len(TAXONOMIES))
def _load_built_in(name: str) -> Taxonomy:
    return parse_taxonomy(TAXONOMIES[name].read_text(encoding="utf-8"), TAXONOMIES[name].name)


def taxonomy_of_names(names: Iterable[str]) -> Taxonomy:
    """Make a taxonomy of names alone; one that the built-in taxonomy has brings its words, and its parts'.

    >>> [rule.name for rule in taxonomy_of_names(["Food", "wine", "food"]).categories]
    ['Food', 'wine']
    """
    built_in = {normalise_term(rule.name): rule for rule in _load_built_in(GENERAL).categories}
    wanted: dict[str, str] = {}
    for name in filter(None, map(str.strip, names)):
        # two forms of one term are one category, called as the first
        wanted.setdefault(normalise_term(name), name)
    rules = []
    for key, name in wanted.items():
        rule = built_in.get(key, CategoryRule(name))
        parts = [
            part
            for part in built_in.values()
            if part.parent == rule.name and normalise_term(part.name) not in wanted
        ]
        words: dict[str, Any] = {
            kind: _join(getattr(each, kind) for each in (rule, *parts)) for kind in _WORDS
        }
        names_of_parts = tuple(part.name for part in parts)
        words["synonyms"] = tuple(dict.fromkeys((*words["synonyms"], rule.name, *names_of_parts)))
        rules.append(replace(rule, name=name, parent="", **words))
    return Taxonomy("aspects", tuple(rules), discover=False)


def _join(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for words in lists for word in words))


def parse_taxonomy(text: str, where: str) -> Taxonomy:
    """Parse a taxonomy, or list all its mistakes at once.

    >>> parse_taxonomy('categories.food.synonyms = ["soup"]', "my.toml").categories[0].synonyms
    ('soup',)
    """
    try:
        table = parse_toml(text)
    except ValueError as error:
        raise DataError(f"{where}: {error}: expected TOML; quote names with spaces and all texts") from None
    base = _load_built_in(GENERAL) if table.get("extends") == GENERAL else None
    problems = list(_find_problems(table, base))
    if problems:
        lines = _number_keys(text)
        listed = "\n".join(f"  {_format_place(lines, key)}: {problem}" for key, problem in problems)
        raise DataError(f"{where}: {len(problems)} mistake{'s' * (len(problems) > 1)}:\n{listed}")
    return _build(table, base)


Problem = tuple[tuple[str, ...], str]
"""The key that is wrong, and what was found, what was expected, and a remedy."""


def _find_problems(table: Mapping[str, object], base: Taxonomy | None) -> Iterator[Problem]:
    """Yield the mistakes of a table: its keys and kinds first, then the names that it uses."""
    yield from _find_wrong_kinds((), table, _TOP)
    if isinstance(table.get("extends"), str) and table["extends"] != GENERAL:
        yield ("extends",), f"found {table['extends']!r:.60}: expected {GENERAL!r}; leave it out for none"
    categories = _take(table, "categories")
    known = {rule.name: rule.parent for rule in base.categories} if base else {}
    if not categories and not known:
        yield ("categories",), "found none: expected at least one table such as [categories.food]; add one"
    if len(categories) > _MOST_CATEGORIES:
        yield ("categories",), f"found {len(categories):,}: expected at most {_MOST_CATEGORIES}; merge some"
    for name, rule in categories.items():
        key = ("categories", name)
        yield from _find_wrong_name(key, name)
        if not isinstance(rule, dict):
            yield key, f"found {rule!r:.60}: expected a table; write [categories.{name}]"
            continue
        yield from _find_wrong_kinds(key, rule, _KINDS)
        known[name] = rule["parent"] if isinstance(rule.get("parent"), str) else known.get(name, "")
    yield from _find_homonyms([*known])
    yield from _find_wrong_parents(known)
    yield from _find_wrong_edits(table, known)


def _find_wrong_kinds(
    key: tuple[str, ...], table: Mapping[str, object], kinds: Mapping[str, type]
) -> Iterator[Problem]:
    for name, value in table.items():
        where = (*key, name)
        if name not in kinds:
            yield where, f"found an unknown key: {suggest(name, kinds)}"
        elif type(value) is not kinds[name]:
            yield where, f"found {value!r:.60}: expected {_EXPECTED[kinds[name]]}; change it"
        elif isinstance(value, list):
            yield from _find_wrong_words(where, value)


def _find_wrong_words(key: tuple[str, ...], words: Sequence[object]) -> Iterator[Problem]:
    if len(words) > _MOST_WORDS:
        yield key, f"found {len(words):,} words: expected at most {_MOST_WORDS:,}; shorten the list"
    for word in words[:_MOST_WORDS]:
        if not isinstance(word, str) or not word.strip() or len(word) > _LONGEST:
            yield key, f"found {word!r:.60}: expected a text of 1 to {_LONGEST} characters; change it"


def _find_wrong_name(key: tuple[str, ...], name: str) -> Iterator[Problem]:
    if name in REST:
        yield key, f"found the name {name!r}, which stands for what fits no category; choose another"
    elif name != " ".join(name.split()) or not 0 < len(name) <= _LONGEST or not name.isprintable():
        yield key, f"found the name {name!r:.60}: expected 1 to {_LONGEST} characters on a line; change it"


def _find_homonyms(names: Sequence[str]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(normalise_term(name), name)
        if other != name:
            yield ("categories", name), f"found the name of {other!r} in another form; keep one of them"


def _find_wrong_parents(parents: Mapping[str, str]) -> Iterator[Problem]:
    for name, parent in parents.items():
        key = ("categories", name, "parent")
        if parent == name:
            yield key, f"found {parent!r}, the category itself: expected another; leave it out"
        elif parent and parent not in parents:
            yield key, f"found {parent!r:.60}: {suggest(parent, parents)}"
        elif parent and parents[parent]:
            yield (
                key,
                f"found {parent!r}, which has a parent itself: expected two levels; name {parents[parent]!r}",
            )


def _find_wrong_edits(table: Mapping[str, object], known: Mapping[str, str]) -> Iterator[Problem]:
    """Yield the mistakes of merges and renames; what is merged or renamed may also be discovered later."""
    merge, rename = _take(table, "merge"), _take(table, "rename")
    for kind, edits in (("merge", merge), ("rename", rename)):
        for old, new in edits.items():
            if not isinstance(new, str):
                yield (kind, old), f"found {new!r:.60}: expected the name of a category; write it as a text"
            elif kind == "rename":
                yield from _find_wrong_name((kind, old), new)
            if table.get("discover") is False and old not in known:
                yield (kind, old), f"found a category that the file has not: {suggest(old, known)}"
    for old, new in merge.items():
        if isinstance(new, str) and (new not in known or new in merge):
            why = "which is merged itself" if new in merge else "which is no category"
            yield (
                ("merge", old),
                f"found {new!r:.60}, {why}: {suggest(new, [k for k in known if k not in merge])}",
            )
    for old, new in rename.items():
        if old in merge:
            yield ("rename", old), f"found a category that is merged into {merge[old]!r:.60}; rename that one"
        if isinstance(new, str) and (
            (new in known and new not in rename) or [*rename.values()].count(new) > 1
        ):
            yield (
                ("rename", old),
                f"found {new!r:.60}, the name of another category; use [merge] to join the two",
            )


def _take(table: Mapping[str, object], key: str) -> dict[str, object]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _build(table: Mapping[str, object], base: Taxonomy | None) -> Taxonomy:
    """Make the taxonomy of a table without mistakes."""
    rules = {rule.name: rule for rule in base.categories} if base else {}
    for name, given in _take(table, "categories").items():
        assert isinstance(given, dict)
        old = rules.get(name, CategoryRule(name))
        # words are added to those of the built-in category, all else replaces it
        words: dict[str, Any] = {kind: _join((getattr(old, kind), given.get(kind, ()))) for kind in _WORDS}
        rest = {key: value for key, value in given.items() if key not in _WORDS}
        rules[name] = replace(old, **words, **rest)
    return Taxonomy(
        name=str(table.get("name", "taxonomy")),
        categories=tuple(rules.values()),
        discover=bool(table.get("discover", base.discover if base else True)),
        merge={old: str(new) for old, new in _take(table, "merge").items()},
        rename={old: str(new) for old, new in _take(table, "rename").items()},
        exclude=tuple(map(str, table.get("exclude", ()))),  # type: ignore[call-overload]
    )


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEAD = re.compile(r"\s*\[\s*(.+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[\w-]+)\s*=""")
_PART = re.compile(r"""\s*("[^"]*"|'[^']*'|[^.\s"']+)\s*\.?""")


def _number_keys(text: str) -> dict[tuple[str, ...], int]:
    """Return the lines of tables and keys; one that is written in another way has none."""
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if head := _HEAD.match(line):
            table = tuple(part.strip("\"'") for part in _PART.findall(head[1]))
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, key[1].strip("\"'")), number)
    return found


def _format_place(lines: Mapping[tuple[str, ...], int], key: tuple[str, ...]) -> str:
    """Return the line, if it is known, and the key."""
    line = lines.get(key) or lines.get(key[:-1])
    spelled = ".".join(map(_spell_key, key))
    return f"line {line}: {spelled}" if line else spelled


def find_overlaps(taxonomy: Taxonomy) -> list[tuple[str, tuple[str, ...]]]:
    """Return the words that several categories claim in one way, with these categories.

    A fallback may share words: they mean it where they are frequent, as "bar" does in reviews of bars.

    >>> rules = CategoryRule("food", synonyms=("Tea",)), CategoryRule("drinks", synonyms=("teas",))
    >>> find_overlaps(Taxonomy("mine", rules))
    [('tea', ('food', 'drinks'))]
    """
    claims: dict[tuple[str, str], dict[str, None]] = {}
    for rule in (each for each in taxonomy.categories if not each.fallback):
        for kind in ("synonyms", "opinions", "decisive"):
            for word in (*getattr(rule, kind), *((rule.name,) if kind == "synonyms" else ())):
                claims.setdefault((kind, normalise_term(word)), {})[rule.name] = None
    return [(word, tuple(names)) for (_, word), names in claims.items() if len(names) > 1]


def _spell_key(name: str) -> str:
    """Write a name as a key of TOML.

    >>> print(_spell_key("food"), _spell_key("waiting time"))
    food "waiting time"
    """
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def format_proposal(proposed: Sequence[tuple[CategoryRule, int]]) -> str:
    """Write proposed categories as a file that extends the built-in ones.

    >>> print(format_proposal([(CategoryRule("lift", synonyms=("lift", "elevator")), 3)]), end="")
    extends = "general"
    <BLANKLINE>
    [categories.lift]  # 3 opinions
    synonyms = ["lift", "elevator"]
    """
    lines = [f'extends = "{GENERAL}"']
    for rule, count in proposed:
        lines += ["", f"[categories.{_spell_key(rule.name)}]  # {count:,} opinions"]
        lines.append(f"synonyms = {json.dumps(rule.synonyms, ensure_ascii=False)}")
    return "".join(f"{line}\n" for line in lines)
