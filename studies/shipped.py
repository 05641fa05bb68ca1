r"""Make the corpora that the shipped model is trained on and chosen on, from ASTE-Data-V2.

    python studies/shipped.py ASTE-Data-V2-EMNLP2020 --exclude TEST… --out FOLDER
    aspectlab posttrain restaurant.txt.xz electronics.txt.xz --exclude TEST … --minutes 3.6 --out ENCODER
    aspectlab train --model stage --encoder ENCODER --seed 2 \
        --train FOLDER/train.jsonl --dev FOLDER/dev.jsonl --out FOLDER/model
    aspectlab export FOLDER/model --out aspectlab/runtime/model

The four training parts are put together, and so are the four dev parts. The parts overlap: a text that
stands, whatever its case, marks and blanks, in one of the four test parts or in a file named by --exclude is
left out, one of dev is left out of train, and each is taken once. The files part contractions ("do n't"),
reviews do not: a sentence with one is added a second time with its contractions joined.
"""

import argparse
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from aspectlab.data import Example, Quad, Span, Term
from aspectlab.readers import read, write

PARTS = ("14res", "16res", "15res", "14lap")
_GAP = re.compile(r" (?=(?:n't|'(?:s|re|ve|ll|m|d))\b)", re.IGNORECASE)
"""The blank before a parted contraction."""


def main() -> None:
    """Write train.jsonl and dev.jsonl."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the folder with 14res, 14lap, 15res and 16res")
    parser.add_argument("--exclude", type=Path, nargs="*", default=[], help="more test sets")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    files = {kind: [options.folder / p / f"{kind}_triplets.txt" for p in PARTS] for kind in KINDS}
    known = {_letters(e.text) for path in [*files["test"], *options.exclude] for e in read(path)}
    dev = _collect(files["dev"], known)
    train = _collect(files["train"], known)
    joined = [example for example in map(join_contractions, train) if example]
    options.out.mkdir(parents=True, exist_ok=True)
    frame = replace(read(files["train"][0]), name="aste-v2-union")
    for name, examples in (("train", [*train, *joined]), ("dev", dev)):
        write(frame.with_examples(examples), options.out / f"{name}.jsonl", "jsonl")
        print(f"{name}: {len(examples):,} sentences, {sum(len(e.quads) for e in examples):,} triplets")


KINDS = ("train", "dev", "test")


def _collect(paths: Sequence[Path], known: set[str]) -> list[Example]:
    """Take every text that is not known yet; from then on it is."""
    found = []
    for path in paths:
        for example in read(path):
            key = _letters(example.text)
            if key not in known:
                known.add(key)
                found.append(replace(example, id=f"{path.parent.name}-{example.id}"))
    return found


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


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())


if __name__ == "__main__":
    main()
