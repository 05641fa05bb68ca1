"""Join the training parts of several corpora, to learn one of them from all.

    python studies/join.py --corpora FOLDER --name 16res --others 14res 15res 14lap

It writes 16res-joint-train.jsonl into FOLDER: the training part of 16res, then those of the others without
what they share with it or with one another, and without every sentence of its dev and test parts. Those
stay as they are, copied as 16res-joint-dev.jsonl and so on; a corpus without a dev part gets that of split 1.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from driver import read_split

from aspectlab.data import join
from aspectlab.readers import read, write

TESTS = ["test", "arts"]


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
    train, dev = (corpus.with_examples(corpus.examples[place] for place in part) for part in splits[1])
    others = [read(folder / f"{name}-train.jsonl") for name in options.others]
    paths = {part: folder / f"{options.name}-{part}.jsonl" for part in TESTS}
    parts = {part: read(path) for part, path in paths.items() if path.exists()}
    learnt = [example for part in join(train, others, [dev, *parts.values()]) for example in part]
    parts |= {"train": corpus.with_examples(learnt), "dev": dev}
    for part, made in parts.items():
        write(made, folder / f"{joined}-{part}.jsonl", "jsonl")
    print(f"{joined}: {len(learnt):,} to learn, {len(train):,} of them its own; {len(dev):,} dev")


if __name__ == "__main__":
    main()
