"""Write training data of our own making: sentences with known opinions, from the `train` half of the words.

    python studies/synthetic.py --out synthetic.jsonl [--count 8000] [--seed 1]

Canonical JSONL. The probe of `benchmarks/probe.py` judges the other half, of which nothing gets in here: no
adjective, no noun, no frame, and no frame that names a held-out adjective. An opinion is marked with its
negation, its degree and what compares it ("not clean", "has improved", "too expensive"), without its subject;
an aspect that is not named is null. A tenth of the texts hold no opinion, an eighth are two sentences.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sentences import TRAIN, Lexicon, NothingFitsError, Opinion, Sentence, fill, load_lexicon

WEIGHTS = {
    "plain": 24,
    "contrast": 14,
    "negation": 9,
    "double_negation": 8,
    "comparison": 9,
    "change": 7,
    "intensity": 6,
    "trap": 6,
    "feeling": 2,
    "event": 8,
    "hypothetical": 2,
    "implicit": 26,
    "whole": 1,
    "none": 24,
}
"""How often a kind is drawn; a kind with few frames runs out of sentences and falls behind."""

_OPENERS = (
    *(
        "To tell the truth, ",
        "Overall, ",
        "In my view, ",
        "On the whole, ",
        "So far ",
        "As it happens, ",
        "Well, ",
    ),
    *(
        "On our second visit ",
        "Last week ",
        "In the end ",
        "To begin with, ",
        "For the record, ",
        "Honestly, ",
    ),
    *(
        "As a regular, I can say: ",
        "In a nutshell: ",
        "Just to let you know: ",
        "After a month: ",
        "Update: ",
    ),
)
_PLAIN_ENDS = (".", ".", ".", ".", "!", "", " .", "...")


def main() -> None:
    """Write the sentences, and report how many of each kind there are."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="the JSONL file to write")
    parser.add_argument("--count", type=int, default=8_000, help="how many texts (8000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other sentences (1)")
    options = parser.parse_args()
    kinds = write_examples(options.out, options.count, options.seed)
    print(f"{sum(kinds.values()):,} texts:", ", ".join(f"{kind} {n:,}" for kind, n in kinds.most_common()))


def write_examples(path: Path, count: int, seed: int) -> Counter[str]:
    """Write so many different texts, and return how many there are of each kind."""
    kinds: Counter[str] = Counter()
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for number, sentence in enumerate(generate(count, seed)):
            kinds[sentence.kind] += 1
            record = to_record(f"synthetic-{seed}-{number}-{sentence.kind}", sentence)
            if number == 0:
                parts = ["aspect", "opinion", "polarity"]
                record["corpus"] = {"name": "synthetic", "language": "en", "annotates": parts, "version": ""}
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
    return kinds


def generate(count: int, seed: int) -> Iterator[Sentence]:
    """Yield so many sentences, no text twice."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    lexicon = load_lexicon().keep(TRAIN)
    seen: set[str] = set()
    while len(seen) < count:
        sentence = _draw(lexicon, rng)
        if rng.random() < 0.13:
            sentence = join(sentence, _draw(lexicon, rng, sentence.domain))
        key = re.sub(r"\W+", " ", sentence.text.lower())
        if key not in seen:
            seen.add(key)
            yield sentence


def _draw(lexicon: Lexicon, rng: random.Random, domain: str | None = None) -> Sentence:
    while True:
        kind = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        try:
            sentence = fill(rng.choice(lexicon.frames_of(kind)), lexicon, rng, domain=domain)
        except NothingFitsError:
            continue
        return decorate(sentence, rng)


def decorate(sentence: Sentence, rng: random.Random) -> Sentence:
    """Open some sentences with a few words that say nothing, and write some as people do in a hurry."""
    opener = rng.choice(_OPENERS) if rng.random() < 0.12 and sentence.text.startswith("The ") else ""
    if opener:
        # "The room" goes on in lower case behind an opener
        sentence = shift(replace(sentence, text=sentence.text[0].lower() + sentence.text[1:]), opener)
    text = sentence.text
    if text.endswith(".") and rng.random() < 0.3:
        text = text[:-1] + rng.choice(_PLAIN_ENDS)
    if rng.random() < 0.08:
        text = text.lower()
    return replace(sentence, text=text)


def join(first: Sentence, second: Sentence) -> Sentence:
    """Join two sentences, one behind the other."""
    head = first.text if first.text[-1:] in ".!?" else f"{first.text}."
    moved = shift(second, f"{head} ")
    return replace(moved, opinions=(*first.opinions, *moved.opinions), kind="joined")


def shift(sentence: Sentence, before: str) -> Sentence:
    """Insert words before a sentence; its spans move with it."""

    def moved(span: tuple[int, int]) -> tuple[int, int]:
        return span[0] + len(before), span[1] + len(before)

    opinions = (
        Opinion(moved(each.aspect) if each.aspect else None, moved(each.opinion), each.polarity)
        for each in sentence.opinions
    )
    return replace(sentence, text=before + sentence.text, opinions=tuple(opinions))


def to_record(name: str, sentence: Sentence) -> dict[str, object]:
    """Return a sentence as one object of canonical JSONL."""

    def term(span: tuple[int, int] | None) -> dict[str, object] | None:
        return span and {"text": sentence.text[slice(*span)], "start": span[0], "end": span[1]}

    quads = [
        {
            "aspect": term(each.aspect),
            "category": None,
            "opinion": term(each.opinion),
            "polarity": each.polarity,
        }
        for each in sentence.opinions
    ]
    return {"id": name, "text": sentence.text, "quads": quads}


if __name__ == "__main__":
    main()
