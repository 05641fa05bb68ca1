r"""Make the corpora of opinions in many domains that the shipped model is trained on and chosen on.

    python studies/quads.py DATA --out FOLDER [--leave-out books fashion courses]
    aspectlab train --model quad-span --train FOLDER/train.jsonl --dev FOLDER/dev.jsonl --out FOLDER/model

    python studies/quads.py DATA --out FOLDER --each
    aspectlab run studies/results/quads.toml --data FOLDER --out RUNS

Every data set keeps its annotation style, by name. Left out of train are the texts of all test files given
in DATA and of all dev parts, whatever their case, marks and whitespace. A domain that is left out is left
out of every data set: its train and dev parts become `unseen-STYLE-DOMAIN.jsonl`, to be tested on. `--each`
leaves out one domain after the other, each in a folder `without-DOMAIN`. `--synthetic` adds sentences of our
own (`synthetic.py`); `--labelled` adds texts that a teacher has labelled (`unlabelled.py`): all.jsonl, or
without-DOMAIN.jsonl to the folder of that name. Sentences with parted contractions ("do n't"), which reviews
do not have, are added a second time with their contractions joined.
"""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from aspectlab.data import Corpus, Example, Exclusion, Part, Provenance, Quad, Span, Term
from aspectlab.readers import read, write


@dataclass(frozen=True, slots=True)
class Source:
    """A part of a data set: one domain in one annotation style."""

    style: str
    domain: str
    train: str
    dev: str = ""  # without one, a tenth of train by review

    @property
    def name(self) -> str:
        """Style and domain."""
        return f"{self.style}-{self.domain}"


_ASTE = {"14lap": "laptop", "14res": "restaurant", "15res": "restaurant", "16res": "restaurant"}
_ASTE_FILE = "aste/ASTE-Data-V2-EMNLP2020/{part}/{kind}_triplets.txt"
_SPACE_FILE = "aste_entire_space/{part}/{kind}.txt"

SOURCES = (
    *(
        Source("aste", domain, *(_ASTE_FILE.format(part=part, kind=kind) for kind in ("train", "dev")))
        for part, domain in _ASTE.items()
    ),
    *(
        Source("aste", domain, *(_SPACE_FILE.format(part=part, kind=kind) for kind in ("train", "dev")))
        for part, domain in _ASTE.items()
    ),
    *(
        Source("dmaste", domain, f"dmaste/{domain}/train.txt", f"dmaste/{domain}/dev.txt")
        for domain in ("beauty", "electronics", "fashion", "home")
    ),
    *(
        Source("memd", part.lower(), f"memd/{part}/Train.json", f"memd/{part}/Dev.json")
        for part in ("Books", "Clothing", "Laptop", "Restaurant")
    ),
    *(
        Source("acos", domain, f"acos/{part}_quad_train.tsv", f"acos/{part}_quad_dev.tsv")
        for part, domain in (("laptop", "laptop"), ("rest16", "restaurant"))
    ),
    Source("oats", "courses", "oats/Coursera_train_dev.xml"),
    Source("oats", "fine-foods", "oats/Amazon_FF_train_dev.xml"),
    Source("en-phone", "phones", "en_phone/train.txt", "en_phone/dev.txt"),
    *(
        Source("dimabsa", domain, f"dimabsa2026/eng/eng_{domain}_train_alltasks.jsonl")
        for domain in ("restaurant", "laptop")
    ),
)
"""All parts, those first whose labels stand where two of one style hold the same text."""

ONE_DOMAIN = {"clothing": "fashion"}
"""Names of what is one domain to a reader."""

TEST_FILES = (
    *("aste/*/*/*test*.txt", "asqp/*/test.txt", "mams/**/*test*", "towe/**/*test*"),
    *("semeval2014/*Test_Gold*", "semeval2015/*Test*", "semeval2016/*", "arts/**/test*.json"),
)
"""Where the test files lie; training files among them are passed over by name."""

_TENTH = 10

_FEW = 0.01
"""A share of texts without opinions that is an oversight of a data set, not its rule."""

_GAP = re.compile(r" (?=(?:n't|'(?:s|re|ve|ll|m|d))\b)", re.IGNORECASE)
"""The space before a parted contraction."""


def main() -> None:
    """Write train, dev and what is left out, and count what each source gave."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="the folder with the data sets")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--leave-out", nargs="*", default=[], help="domains to test on, such as books")
    parser.add_argument("--each", action="store_true", help="leave out one domain after the other")
    parser.add_argument("--synthetic", type=Path, help="JSONL of synthetic.py")
    parser.add_argument("--labelled", type=Path, help="folder with texts that a teacher has labelled")
    options = parser.parse_args()
    if unknown := set(options.leave_out) - set(domains()):
        parser.error(f"no such domain: {', '.join(unknown)}; there are {', '.join(domains())}")
    folders = {options.out: set(options.leave_out)}
    if options.each:
        folders = {options.out / f"without-{domain}": {domain} for domain in domains()}
    corpora = read_sources(options.data)
    tests = list(test_texts(options.data))
    leaked = Exclusion(tests)  # even a sentence of our own may be one of a test set
    own = [e for e in read(options.synthetic) if e.text not in leaked] if options.synthetic else []
    for folder, left_out in folders.items():
        parts = collect(corpora, tests, left_out)
        parts["train"] += [replace(example, style="synthetic") for example in own]
        if options.labelled:
            path = options.labelled / f"{folder.name if options.each else 'all'}.jsonl"
            parts["train"] += keep_labelled(read(path), parts["train"])
        folder.mkdir(parents=True, exist_ok=True)
        for name, examples in parts.items():
            write(as_corpus(name, examples), folder / f"{name}.jsonl", "jsonl")
            shares = Counter(example.style for example in examples).most_common()
            counts = ", ".join(f"{style} {count:,}" for style, count in shares)
            print(f"{folder.name}/{name}: {len(examples):,} texts, {counts}")


def domains() -> list[str]:
    """List the domains that can be left out."""
    return list(dict.fromkeys(map(domain_of, SOURCES)))


def domain_of(source: Source) -> str:
    """Return the domain under which a source is left out."""
    return ONE_DOMAIN.get(source.domain, source.domain)


Parts = tuple[list[Example], list[Example]]


def read_sources(folder: Path) -> dict[Source, Parts]:
    """Read the train and dev part of every source."""
    return {source: _read_source(folder, source) for source in SOURCES}


def collect(
    corpora: Mapping[Source, Parts], tests: Sequence[str], left_out: set[str]
) -> dict[str, list[Example]]:
    """Put the sources together, and keep train clear of what it is judged by."""
    parts: dict[str, list[Example]] = {"train": [], "dev": []}
    pools: list[list[Example]] = []
    for source, (train, dev) in corpora.items():
        if domain_of(source) in left_out:
            parts.setdefault(f"unseen-{source.name}", []).extend([*train, *dev])
        else:
            parts["dev"] += dev
            pools.append(train)
    for name, examples in parts.items():
        parts[name] = list(_once_per_style(examples))
    judged = [example.text for examples in parts.values() for example in examples]
    leaked = Exclusion([*judged, *tests])
    trained = [example for pool in pools for example in pool if example.text not in leaked]
    parts["train"] = list(_once_per_style(trained))
    parts["train"] += [joined for joined in map(join_contractions, parts["train"]) if joined]
    return parts


def keep_labelled(labelled: Iterable[Example], train: Sequence[Example]) -> list[Example]:
    """Leave out texts without opinions in the styles whose data sets have none such."""
    counts = Counter(example.style for example in train)
    empty = Counter(example.style for example in train if not example.quads)
    with_empty = {style for style in counts if empty[style] > _FEW * counts[style]}
    return [example for example in labelled if example.quads or example.style in with_empty]


def _read_source(folder: Path, source: Source) -> Parts:
    train = list(_label(read(folder / source.train), source))
    if source.dev:
        return train, list(_label(read(folder / source.dev), source))
    # the sentences of a review stay together
    reviews: dict[str, list[Example]] = defaultdict(list)
    for example in train:
        reviews[example.id.rpartition(":")[0] or example.id].append(example)
    rng = np.random.default_rng(1)
    dev = set(rng.choice(sorted(reviews), len(reviews) // _TENTH, replace=False).tolist())
    return (
        [example for review, examples in reviews.items() if review not in dev for example in examples],
        [example for review in sorted(dev) for example in reviews[review]],
    )


def _label(corpus: Corpus, source: Source) -> Iterator[Example]:
    """Name the style of each example; a term that does not stand in the text cannot be learnt from."""
    stem = source.train.replace("/", "-").partition(".")[0]
    for example in corpus:
        if all(term.span for quad in example.quads for term in quad.terms):
            quads = tuple(quad for quad in example.quads if quad.polarity)
            if Part.CATEGORY in corpus.annotates:
                quads = tuple(quad for quad in quads if "#" in (quad.category or "#"))
            yield replace(example, id=f"{stem}-{example.id}", style=source.style, quads=quads)


def _once_per_style(examples: Iterable[Example]) -> Iterator[Example]:
    """Keep the first of equal texts of a style."""
    known = set()
    for example in examples:
        key = example.style, example.text.casefold()
        if key not in known:
            known.add(key)
            yield example


def test_texts(folder: Path) -> Iterator[str]:
    """Read the texts of all test files."""
    for pattern in TEST_FILES:
        paths = [path for path in sorted(folder.glob(pattern)) if path.is_file()]
        tests = [path for path in paths if "train" not in path.name.lower()]
        if not tests:  # a test set that is passed over unseen would be a leak
            raise FileNotFoundError(f"{folder / pattern}: no test files there")
        for path in tests:
            yield from (example.text for example in read(path))


def as_corpus(name: str, examples: Sequence[Example]) -> Corpus:
    """Make a corpus of examples of several styles."""
    seen: Counter[str] = Counter()
    unique = []
    for example in examples:
        seen[example.id] += 1
        number = seen[example.id]
        unique.append(replace(example, id=f"{example.id}-{number}") if number > 1 else example)
    return Corpus(f"quads-{name}", "en", frozenset(Part), tuple(unique), Provenance(format="jsonl"))


def join_contractions(example: Example) -> Example | None:
    """Join contractions with their words; None if there are none, or a term would become half a word.

    >>> join_contractions(Example("1", "It 's fine")).text
    "It's fine"
    """
    gaps = [match.start() for match in _GAP.finditer(example.text)]
    ends = {edge for quad in example.quads for edge in _edges(quad)}
    if not gaps or any(gap in ends or gap + 1 in ends for gap in gaps):
        return None
    text = _GAP.sub("", example.text)
    quads = tuple(_move(quad, text, gaps) for quad in example.quads)
    return replace(example, id=f"{example.id}-joined", text=text, quads=quads)


def _edges(quad: Quad) -> Iterable[int]:
    return (edge for term in (quad.aspect, quad.opinion) if term and term.span for edge in term.span)


def _move(quad: Quad, text: str, gaps: list[int]) -> Quad:
    def moved(term: Term | None) -> Term | None:
        if term is None or term.span is None:
            return term
        start, end = (edge - sum(gap < edge for gap in gaps) for edge in term.span)
        return Term(text[start:end], Span(start, end))

    return replace(quad, aspect=moved(quad.aspect), opinion=moved(quad.opinion))


if __name__ == "__main__":
    main()
