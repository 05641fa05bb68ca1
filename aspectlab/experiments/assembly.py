"""The corpora of a study, read and cleaned once, with the splits and test sets that runs use."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from aspectlab.data import (
    Corpus,
    Split,
    apply_split,
    clean,
    join,
    leave_out,
    prefix_ids,
    read_split,
    refuse_overlap,
    split,
)
from aspectlab.errors import DataError
from aspectlab.experiments.study import (
    VARIANTS,
    CorpusConfig,
    CorpusFile,
    SharedTests,
    SplitIndices,
    Splitting,
)
from aspectlab.readers import read

RELATIONS = "metamorphic"
"""The name of the violation rates among the test sets of a run."""


@dataclass(frozen=True, slots=True)
class PreparedCorpus:
    """What the runs on one corpus need; `digests` name its contents."""

    name: str
    corpus: Corpus  # train and dev
    splits: Mapping[int, SplitIndices]
    tests: Mapping[str, Corpus]
    digests: Mapping[str, str]
    followups: Corpus | None = None  # with their sources, to measure violation rates
    candidates: int = 0  # of every replacement

    @property
    def key(self) -> str:
        """Name the content, so that a worker knows what it has got already."""
        return hash_texts(*(f"{name}={digest}" for name, digest in sorted(self.digests.items())))

    def without_tests(self) -> PreparedCorpus:
        """Return what is needed to train and to choose on dev; texts of tests stay out of train."""
        digests = {name: digest for name, digest in self.digests.items() if not name.startswith("test:")}
        return replace(self, tests={}, digests=digests, followups=None)

    def count_shared(self) -> dict[str, int]:
        """Count the examples of each test set whose text a run learns from, or chooses its epoch by."""
        texts = {example.text for example in _used(self.corpus, self.splits) if example.text.strip()}
        counts = {name: sum(example.text in texts for example in test) for name, test in self.tests.items()}
        return {name: count for name, count in counts.items() if count}


class CorpusCache:
    """Read every file once, however many corpora of a study use it."""

    def __init__(self) -> None:
        self._corpora: dict[CorpusFile, Corpus] = {}

    def read(self, source: CorpusFile) -> Corpus:
        """Read and clean a file."""
        if source not in self._corpora:
            reading = source.reading
            self._corpora[source], _ = clean(
                read(source.path, source.format),
                join_records=reading.join_records,
                keep_duplicates=not reading.deduplicate,
                keep_conflict=reading.keep_conflict,
                drop_implicit=reading.drop_implicit,
            )
        return self._corpora[source]

    def collect(self, plan: CorpusConfig, splitting: Splitting) -> PreparedCorpus:
        """Read all files of a corpus and split it, or say what is wrong."""
        tests = {name: self.read(source) for name, source in plan.tests.items()}
        train, dev = self.read(plan.train), self.read(plan.dev) if plan.dev else None
        if plan.shared_tests is SharedTests.DROP:
            train, dev = _leave_out(train, *tests.values()), dev and _leave_out(dev, *tests.values())
        if dev is not None:
            corpus, splits = _join(train, dev, drop_shared=plan.drop_shared)
        else:
            corpus, splits = train, _index_splits(train, _find_splits(train, plan, splitting))
        if wanted := plan.adversarial:
            opinions = self.read(wanted.opinions) if wanted.opinions else None
            corpus, splits = VARIANTS["arts"]().add(corpus, splits, list(tests.values()), wanted, opinions)
        if plan.others:
            others = [self.read(source) for source in plan.others]
            corpus, splits = _add_others(corpus, splits, others, tests)
        if plan.shared_tests is SharedTests.REFUSE:
            parts = {"train": _used(corpus, splits)} if dev is None else _separate_parts(corpus, splits)
            _refuse_shared_tests(parts, tests)
        digests = {"train": corpus.sha256}
        digests |= {f"test:{name}": test.sha256 for name, test in tests.items()}
        digests |= {f"split:{number}": _hash_indices(corpus, indices) for number, indices in splits.items()}
        if plan.relations is None:
            return PreparedCorpus(plan.name, corpus, splits, tests, digests)
        followups, candidates = self.read(plan.relations.file), plan.relations.candidates
        digests[f"test:{RELATIONS}"] = hash_texts(followups.sha256, str(candidates))
        return PreparedCorpus(plan.name, corpus, splits, tests, digests, followups, candidates)


def hash_texts(*texts: str) -> str:
    """Hash texts so that no other list of texts has the same hash.

    >>> hash_texts("a", "b") == hash_texts("ab")
    False
    """
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"{len(text)}:".encode() + text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _join(train: Corpus, dev: Corpus, *, drop_shared: bool) -> tuple[Corpus, dict[int, SplitIndices]]:
    if drop_shared:
        train = _leave_out(train, dev)
    try:
        refuse_overlap(train, dev)
    except DataError as error:
        raise DataError(f"{error}; or set drop_shared = true") from None
    # files without ids are numbered, each from 1
    if not {example.id for example in train}.isdisjoint(example.id for example in dev):
        dev = prefix_ids(dev, 2)
    first, end = len(train), len(train) + len(dev)
    return train.with_examples([*train, *dev]), {1: (tuple(range(first)), tuple(range(first, end)))}


def _add_others(
    corpus: Corpus, splits: Mapping[int, SplitIndices], others: Sequence[Corpus], tests: Mapping[str, Corpus]
) -> tuple[Corpus, dict[int, SplitIndices]]:
    """Add to the training part of every split what is new in other corpora."""
    joined = join(corpus, others, tests.values())
    examples = [example for part in joined for example in part]
    more = tuple(range(len(corpus), len(examples)))
    together = replace(
        corpus,
        name=" + ".join(part.name for part in joined),
        annotates=frozenset.intersection(*(part.annotates for part in joined)),
        examples=tuple(examples),
    )
    return together, {number: (train + more, dev) for number, (train, dev) in splits.items()}


def _leave_out(corpus: Corpus, *others: Corpus) -> Corpus:
    """Leave out the texts that other corpora have too, or say that nothing would be left."""
    kept = leave_out(corpus, *others)
    if not len(kept) and len(corpus):
        raise DataError(
            f"corpus {corpus.name!r}: every text stands in {', '.join(repr(other.name) for other in others)} "
            "too: expected some that do not; name another file"
        )
    return kept


def _separate_parts(corpus: Corpus, splits: Mapping[int, SplitIndices]) -> dict[str, Corpus]:
    """Return the train and the dev part of a corpus whose dev part is a file of its own."""
    sides = zip(("train", "dev"), splits[1], strict=True)
    return {part: corpus.with_examples(corpus.examples[index] for index in side) for part, side in sides}


def _refuse_shared_tests(parts: Mapping[str, Corpus], tests: Mapping[str, Corpus]) -> None:
    for (name, test), (part, used) in product(tests.items(), parts.items()):
        try:
            refuse_overlap(used, test, part=part)
        except DataError as error:
            raise DataError(
                f'tests.{name}: {error}; or set shared_tests = "drop" to leave them out of train and dev, or '
                '"keep" to measure on them all the same'
            ) from None


def _used(corpus: Corpus, splits: Mapping[int, SplitIndices]) -> Corpus:
    """Leave out what is in no split: a corpus with variants holds its originals twice."""
    indices = {index for sides in splits.values() for side in sides for index in side}
    return corpus.with_examples(corpus.examples[index] for index in sorted(indices))


def _find_splits(corpus: Corpus, plan: CorpusConfig, splitting: Splitting) -> tuple[Split, ...]:
    if not plan.split_files:
        return split(corpus, splits=splitting.splits, dev=splitting.dev, seed=splitting.seed)
    parts = tuple(read_split(path) for path in plan.split_files)
    for part in parts:
        apply_split(corpus, part)  # refuses a file that was made for another corpus
    numbers = [part.number for part in parts]
    if len(set(numbers)) < len(numbers):
        raise DataError(f"corpus {plan.name!r}: found the splits {numbers}: expected different numbers")
    return parts


def _index_splits(corpus: Corpus, parts: tuple[Split, ...]) -> dict[int, SplitIndices]:
    index_of = {example.id: index for index, example in enumerate(corpus)}
    return {
        part.number: (
            tuple(index_of[name] for name in part.train),
            tuple(index_of[name] for name in part.dev),
        )
        for part in parts
    }


def _hash_indices(corpus: Corpus, indices: SplitIndices) -> str:
    return hash_texts(*(",".join(corpus.examples[index].id for index in side) for side in indices))
