"""Split a corpus into train and dev, several times, reproducibly, and keep the splits as lists of ids."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TypeVar

from aspectlab.data.cleaning import group_by_sentence
from aspectlab.data.corpus import Corpus
from aspectlab.data.example import Example
from aspectlab.errors import ConfigError, DataError
from aspectlab.outputs import atomic_write
from aspectlab.untrusted import read_json

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Split:
    """One train/dev split of one corpus, which its content hash names."""

    corpus: str
    sha256: str
    seed: int
    number: int
    train: tuple[str, ...]
    dev: tuple[str, ...]


def split(corpus: Corpus, *, splits: int = 5, dev: float = 0.1, seed: int = 1) -> tuple[Split, ...]:
    """Draw independent train/dev splits of sentences; examples with the same text stay on one side.

    The protocol of the reproducibility paper: five 90/10 splits. Sentences are the unit, so that no sentence
    is on both sides; a variant (ARTS, metamorphic) stays with the sentence that it was made from.

    >>> from aspectlab.data.corpus import Corpus
    >>> ten = Corpus("ten", "en", frozenset(), tuple(Example(str(n), f"Sentence {n}.") for n in range(10)))
    >>> [part.dev for part in split(ten, splits=3, dev=0.2)]
    [('2', '6'), ('5', '7'), ('3', '5')]
    """
    if splits < 1:
        raise ConfigError(f"splits = {splits!r}: expected at least 1; the protocol uses 5")
    if not 0 < dev < 1:
        raise ConfigError(f"dev = {dev!r}: expected a share between 0 and 1, such as 0.1")
    _refuse_repeated_ids(corpus)
    groups = _join_origins(group_by_sentence(corpus))
    if len(groups) < 2:
        raise DataError(
            f"corpus {corpus.name!r}: found {len(groups)} different texts: expected at least 2 to split, "
            "not counting variants of a text"
        )
    digest = corpus.sha256
    parts = []
    for number in range(1, splits + 1):
        rng = Random(f"{seed}:{number}")  # noqa: S311 (not for secrets)
        chosen = _draw(groups, dev, rng)
        parts.append(_split_of(corpus, digest, seed=seed, number=number, chosen=chosen))
    return tuple(parts)


def apply_split(corpus: Corpus, part: Split) -> tuple[Corpus, Corpus]:
    """Return train and dev of a split, or refuse a corpus that is not the one that was split.

    >>> from aspectlab.data.corpus import Corpus
    >>> ten = Corpus("ten", "en", frozenset(), tuple(Example(str(n), f"Sentence {n}.") for n in range(10)))
    >>> [len(side) for side in apply_split(ten, split(ten)[0])]
    [9, 1]
    """
    found = corpus.sha256
    if found != part.sha256:
        raise DataError(
            f"split {part.number} of {part.corpus!r}: the corpus {corpus.name!r} has the content hash "
            f"{found[:12]}…: expected {part.sha256[:12]}…; split it again or read the corpus that was split"
        )
    sides = {"train": part.train, "dev": part.dev}
    train, dev = (_take(corpus, ids, f"{side} of split {part.number}") for side, ids in sides.items())
    return train, dev


def _take(corpus: Corpus, ids: Iterable[str], what: str) -> Corpus:
    """Take a part of a corpus, and say so in its version: it is no longer the published one."""
    wanted = frozenset(ids)
    version = ", ".join(name for name in (corpus.provenance.version, what) if name)
    taken = corpus.with_examples(example for example in corpus if example.id in wanted)
    return replace(taken, provenance=replace(taken.provenance, version=version))


def split_to_dict(part: Split) -> dict[str, object]:
    """Turn a split into the object that its file holds.

    >>> split_to_dict(Split("c", "0" * 8, 1, 1, ("a",), ("b",)))
    {'corpus': 'c', 'sha256': '00000000', 'seed': 1, 'split': 1, 'train': ['a'], 'dev': ['b']}
    """
    return {
        "corpus": part.corpus,
        "sha256": part.sha256,
        "seed": part.seed,
        "split": part.number,
        "train": list(part.train),
        "dev": list(part.dev),
    }


def split_from_dict(record: object) -> Split:
    """Turn the object of a split file into a split, or say which key is wrong.

    >>> split_from_dict({"corpus": "c"})
    Traceback (most recent call last):
    aspectlab.errors.DataError: split: key 'sha256': found None: expected str
    """
    if not isinstance(record, dict):
        raise DataError(
            f"split: found {record!r:.80}: expected an object with the keys corpus, train and dev"
        )
    part = Split(
        corpus=_typed(record, "corpus", str),
        sha256=_typed(record, "sha256", str),
        seed=_typed(record, "seed", int),
        number=_typed(record, "split", int),
        train=_ids(record, "train"),
        dev=_ids(record, "dev"),
    )
    shared = sorted(set(part.train) & set(part.dev))
    if shared:
        raise DataError(f"split: id {shared[0]!r} is in train and in dev: expected it in one; split again")
    return part


def write_splits(parts: Iterable[Split], folder: Path) -> tuple[Path, ...]:
    """Write split-1.json, split-2.json and so on; each file is written atomically.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_splits([Split("c", "0" * 8, 1, 1, ("a",), ("b",))], Path(folder))
    ...     read_split(paths[0]).dev
    ('b',)
    """
    paths = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for part in parts:
            path = folder / f"split-{part.number}.json"
            content = json.dumps(split_to_dict(part), ensure_ascii=False, indent=1) + "\n"
            with atomic_write(path) as draft:
                # half a surrogate pair has no UTF-8 form; its replacement is the escape that JSON has for it
                draft.write_text(content, "utf-8", "backslashreplace")
            paths.append(path)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}; choose another folder") from None
    return tuple(paths)


def list_files(folder: Path, splits: int, *, texts: bool) -> tuple[Path, ...]:
    """Name the files that so many splits are written to.

    >>> [path.name for path in list_files(Path("splits"), 1, texts=True)]
    ['split-1.json', 'split-1-train.jsonl', 'split-1-dev.jsonl']
    """
    ends = (".json", "-train.jsonl", "-dev.jsonl") if texts else (".json",)
    return tuple(folder / f"split-{number}{end}" for number in range(1, splits + 1) for end in ends)


def find_leftovers(folder: Path, splits: int, *, texts: bool) -> tuple[Path, ...]:
    """List the files of earlier splits in a folder that writing so many would leave there.

    A file counts only if its content says that it is a split of that number, or if it holds one of its parts.

    >>> find_leftovers(Path("absent"), 5, texts=False)
    ()
    """
    left: list[Path] = []
    for number in sorted(_known_numbers(folder)):
        own = [folder / f"split-{number}.json"] if number > splits else []
        parts = [folder / f"split-{number}-{side}.jsonl" for side in ("train", "dev")]
        left += own + [path for path in parts if path.is_file() and (own or not texts)]
    return tuple(left)


def _known_numbers(folder: Path) -> Iterator[int]:
    for path in folder.glob("split-*.json"):
        try:
            number = read_split(path).number
        except DataError:
            continue  # not ours
        if path.name == f"split-{number}.json":
            yield number


def read_split(path: Path) -> Split:
    """Read one split file.

    >>> read_split(Path("absent.json"))
    Traceback (most recent call last):
    aspectlab.errors.DataError: absent.json: cannot be read: No such file or directory; check the path
    """
    try:
        return split_from_dict(read_json(path))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    except ValueError as error:
        raise DataError(
            f"{path}: found no JSON ({error}): expected a file of `aspectlab data split`"
        ) from None
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def _join_origins(groups: list[list[Example]]) -> list[list[Example]]:
    """Join the groups of a text and of what was made from it, in the order of the first of each."""
    roots = list(range(len(groups)))
    holders: dict[str, int] = {}
    for index, group in enumerate(groups):
        for name in (name for example in group for name in (example.id, example.source) if name is not None):
            first, second = (_find_root(roots, holders.setdefault(name, index)), _find_root(roots, index))
            roots[max(first, second)] = min(first, second)
    joined: dict[int, list[Example]] = {}
    for index, group in enumerate(groups):
        joined.setdefault(_find_root(roots, index), []).extend(group)
    return list(joined.values())


def _find_root(roots: list[int], index: int) -> int:
    while roots[index] != index:
        roots[index] = roots[roots[index]]  # shorter next time
        index = roots[index]
    return index


def _draw(groups: list[list[Example]], dev: float, rng: Random) -> frozenset[str]:
    """Choose the ids of dev: whole groups in random order until the share is reached."""
    # Python promises that random() alone never changes between versions, so shuffle by it
    order = [
        group for _, _, group in sorted((rng.random(), index, group) for index, group in enumerate(groups))
    ]
    wanted = max(1, round(dev * sum(map(len, groups))))
    chosen: list[str] = []
    # the last group is never taken: train must not be empty
    for group in order[:-1]:
        if len(chosen) >= wanted:
            break
        chosen += [example.id for example in group]
    return frozenset(chosen)


def _split_of(corpus: Corpus, digest: str, *, seed: int, number: int, chosen: frozenset[str]) -> Split:
    train = tuple(example.id for example in corpus if example.id not in chosen)
    dev = tuple(example.id for example in corpus if example.id in chosen)
    return Split(corpus.name, digest, seed, number, train, dev)


def _refuse_repeated_ids(corpus: Corpus) -> None:
    seen: set[str] = set()
    for example in corpus:
        if example.id in seen:
            raise DataError(
                f"corpus {corpus.name!r}: id {example.id!r} occurs twice: expected unique ids; rename one"
            )
        seen.add(example.id)


def _typed(record: Mapping[str, object], key: str, kind: type[T]) -> T:
    value = record.get(key)
    # bool is an int to Python, but true is not a seed
    if not isinstance(value, kind) or isinstance(value, bool):
        raise DataError(f"split: key {key!r}: found {value!r:.80}: expected {kind.__name__}")
    return value


def _ids(record: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = record.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise DataError(f"split: key {key!r}: found {value!r:.80}: expected a list of ids")
    return tuple(value)
