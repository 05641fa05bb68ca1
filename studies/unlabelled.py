"""Draw reviews without labels from many domains, for a teacher to label and a smaller model to learn from.

    python studies/unlabelled.py DATA --out POOL [--each]
    aspectlab predict TEACHER POOL/all.jsonl --out LABELLED/all.jsonl
    python studies/quads.py DATA --out FOLDER --labelled LABELLED

Whole reviews and single sentences, each in one annotation style, in which the teacher labels it. What stands
in a test file or a dev part in DATA is left out. `--each` writes a file `without-DOMAIN` for each domain that
`quads.py --each` leaves out, without the sources that hold reviews of it: for a teacher trained without it.
"""

import argparse
import lzma
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quads import as_corpus, domains, read_sources, test_texts

from aspectlab.data import Example, Exclusion
from aspectlab.language import split_sentences
from aspectlab.readers import write


@dataclass(frozen=True, slots=True)
class Pool:
    """A file of reviews, one a line, which domains it holds, and how much is drawn from it."""

    name: str
    domains: frozenset[str]
    reviews: int
    sentences: int


POOLS = (
    Pool("amazon_electronics", frozenset({"electronics", "phones"}), 2500, 1500),
    Pool("amazon_fashion", frozenset({"fashion"}), 2500, 1500),
    Pool("amazon_home", frozenset({"home"}), 2500, 1500),
    Pool("general", frozenset({"books", "beauty", "fine-foods"}), 2500, 9000),
    Pool("hotel", frozenset(), 600, 4000),
    Pool("car", frozenset(), 400, 4000),
    Pool("laptop_electronics", frozenset({"laptop", "electronics", "phones"}), 600, 4000),
    Pool("restaurant", frozenset({"restaurant"}), 600, 3000),
)

REVIEW_STYLE = "dmaste"
SENTENCE_STYLES = {"memd": 5, "oats": 2, "dimabsa": 2, "aste": 2, "acos": 1}
"""How often a sentence is labelled in a style: those of many domains and of implicit terms more often."""

_REVIEW_WORDS, _SENTENCE_WORDS = (12, 130), (4, 45)
_SENTENCES_A_REVIEW = 3


def main() -> None:
    """Write the pools, and count what each source gave."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="the folder with the data sets")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--each", action="store_true", help="a file for each domain that is left out")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other reviews (1)")
    options = parser.parse_args()
    judged = [example.text for _, dev in read_sources(options.data).values() for example in dev]
    leaked = Exclusion([*test_texts(options.data), *judged])
    rng = random.Random(options.seed)  # noqa: S311 - no secret
    drawn = {pool: list(draw(pool, _read_lines(options.data, pool), leaked, rng)) for pool in POOLS}
    options.out.mkdir(parents=True, exist_ok=True)
    for name, left_out in {
        "all": None,
        **({f"without-{d}": d for d in domains()} if options.each else {}),
    }.items():
        examples = [e for pool, found in drawn.items() if left_out not in pool.domains for e in found]
        write(as_corpus(name, examples), options.out / f"{name}.jsonl", "jsonl")
        shares = Counter(example.style for example in examples).most_common()
        print(f"{name}: {len(examples):,} texts,", ", ".join(f"{style} {n:,}" for style, n in shares))


def draw(pool: Pool, reviews: list[str], leaked: Exclusion, rng: random.Random) -> Iterator[Example]:
    """Draw whole reviews and then sentences of others, no text twice."""
    order = rng.sample(range(len(reviews)), len(reviews))
    wanted = {True: pool.reviews, False: pool.sentences}
    seen: set[str] = set()
    for index in order:
        whole = wanted[True] > 0
        texts = [reviews[index]] if whole else _draw_sentences(reviews[index], rng)
        for number, text in enumerate(texts):
            fewest, most = _REVIEW_WORDS if whole else _SENTENCE_WORDS
            fits = fewest <= len(text.split()) <= most and text.casefold() not in seen and text not in leaked
            if fits and wanted[whole] > 0:
                seen.add(text.casefold())
                wanted[whole] -= 1
                style = (
                    REVIEW_STYLE if whole else rng.choices([*SENTENCE_STYLES], [*SENTENCE_STYLES.values()])[0]
                )
                yield Example(f"{pool.name}-{index}-{number}", text, style=style)
        if not any(wanted.values()):
            return


def _draw_sentences(review: str, rng: random.Random) -> list[str]:
    sentences = [review[span.start : span.end].strip() for span in split_sentences(review)]
    return rng.sample(sentences, min(len(sentences), _SENTENCES_A_REVIEW))


def _read_lines(folder: Path, pool: Pool) -> list[str]:
    """Read the reviews of a file; stars stand in front of some, and some end with a mark of their source."""
    path = folder / "unlabelled" / f"{pool.name}.txt.xz"
    lines = lzma.decompress(path.read_bytes()).decode("utf-8").splitlines()
    bare = (line.split("####", 1)[-1].removesuffix("ANSWERNOTFOUND") for line in lines)
    return [re.sub(r"\s+", " ", line).strip() for line in bare]


if __name__ == "__main__":
    main()
