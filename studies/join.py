"""Join the training parts of several corpora, to learn one of them from all.

    python studies/join.py --corpora FOLDER --name 16res --others 14res 15res 14lap

It writes 16res-joint-train.jsonl into FOLDER: the training part of 16res, then those of the others without
what they share with it or with one another, and without every sentence of its dev and test parts. Those
stay as they are, copied as 16res-joint-dev.jsonl and so on; a corpus without a dev part gets that of split 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from driver import read_split

from aspectlab.data import Corpus, Example
from aspectlab.readers import read, write
from aspectlab.training.unlabelled import Exclusion

TESTS = ["test", "arts"]


def join(own: Sequence[Example], others: Sequence[Corpus], held_out: Sequence[Example]) -> Iterator[Example]:
    """Give the examples of a corpus, then those of the others that neither it nor its held-out parts have.

    >>> own, held_out = [Example("1", "Good tea")], [Example("2", "The soup was cold and bland.")]
    >>> made = [Example("1", "good tea!"), Example("2", "the soup was cold and bland"), Example("3", "Fine.")]
    >>> [example.id for example in join(own, [Corpus("more", "en", frozenset(), tuple(made))], held_out)]
    ['1', 'more:3']
    """
    yield from own
    known = [example.text for example in (*own, *held_out)]
    for other in others:
        leaked = Exclusion(known)
        new = [example for example in other if example.text not in leaked]
        yield from (_rename(example, other.name) for example in new)
        known += [example.text for example in new]


def _rename(example: Example, corpus: str) -> Example:
    """Name the corpus in the id: each counts its own from one."""
    source = example.source and f"{corpus}:{example.source}"
    return replace(example, id=f"{corpus}:{example.id}", source=source)


def main() -> None:
    """Write the joined training part, and the dev and test parts under its name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, required=True, help="folder of the JSONL files")
    parser.add_argument("--name", required=True, help="the corpus that is tested")
    parser.add_argument("--others", nargs="+", required=True, help="corpora that help to learn it")
    parser.add_argument("--suffix", default="joint", help="what is added to its name")
    options = parser.parse_args()
    folder, joined = options.corpora, f"{options.name}-{options.suffix}"
    corpus, splits = read_split(folder, options.name, {1})
    train, dev = ([corpus.examples[place] for place in places] for places in splits[1])
    others = [replace(read(folder / f"{name}-train.jsonl"), name=name) for name in options.others]
    paths = {part: folder / f"{options.name}-{part}.jsonl" for part in TESTS}
    parts = {part: read(path) for part, path in paths.items() if path.exists()}
    held_out = [*dev, *(example for test in parts.values() for example in test)]
    parts |= {"train": corpus.with_examples(join(train, others, held_out)), "dev": corpus.with_examples(dev)}
    for part, made in parts.items():
        write(made, folder / f"{joined}-{part}.jsonl", "jsonl")
    sizes = f"{len(parts['train']):,} to learn, {len(train):,} of them its own; {len(dev):,} dev"
    print(f"{joined}: {sizes}")


if __name__ == "__main__":
    main()
