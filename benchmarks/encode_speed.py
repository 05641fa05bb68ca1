"""Encoding speed: texts to items, against the plain way, same vocabulary, one run.

    python benchmarks/encode_speed.py [--tokenizer FILE] [--corpus FILE] [--texts 6000]

The plain way makes a named span of every sub-word and goes through the tokens of a text once for every list
that it wants. Both ways must give the same items. The library that cuts words into sub-words takes the same
time in both, so the ratio is given with and without it. Without --tokenizer the vocabulary is that of the
embedded encoder.
"""

import argparse
import gc
import itertools
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import process_time

from aspectlab.data import Example, Span
from aspectlab.encoders.weights import find_weights
from aspectlab.encodings import Subwords
from aspectlab.encodings.base import TextItem, encode_texts
from aspectlab.language import word_spans
from aspectlab.readers import read

LENGTH = 512
REPEATS = 5


def main() -> None:
    """Time both ways and compare what they give."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--corpus", default="examples/sample.jsonl")
    parser.add_argument("--texts", type=int, default=6_000)
    options = parser.parse_args()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # work is counted, whichever core does it
    vocabulary = Subwords.from_file(options.tokenizer or find_weights("minilm") / "tokenizer.json", LENGTH)
    rounds = itertools.islice(itertools.cycle(read(options.corpus).examples), options.texts)
    examples = [replace(example, quads=()) for example in rounds]
    if _ours(vocabulary, examples) != _plain(vocabulary, examples):
        raise SystemExit("the two ways differ")
    cut, plain, ours = (_work_s(way, vocabulary, examples) for way in (_cut, _plain, _ours))
    print(f"{len(examples):,} texts: plain {plain:.2f} s, ours {ours:.2f} s, {plain / ours:.2f}×")
    print(f"without the {cut:.2f} s of the tokenizers library: {(plain - cut) / (ours - cut):.2f}×")


def _work_s(
    way: Callable[[Subwords, list[Example]], object], vocabulary: Subwords, examples: list[Example]
) -> float:
    """Return the seconds of work, the best of some rounds: what others do here does not count."""
    times = []
    for _ in range(REPEATS):
        gc.collect()
        start = process_time()
        way(vocabulary, examples)
        times.append(process_time() - start)
    return min(times)


def _ours(vocabulary: Subwords, examples: list[Example]) -> list[TextItem]:
    return encode_texts(vocabulary, examples, with_opinions=True)


def _cut(vocabulary: Subwords, examples: list[Example]) -> None:
    vocabulary.tokenizer.encode_batch([example.text for example in examples], add_special_tokens=False)


def _plain(vocabulary: Subwords, examples: list[Example]) -> list[TextItem]:
    texts = [example.text for example in examples]
    found = vocabulary.tokenizer.encode_batch(texts, add_special_tokens=False)
    tokens = [_plain_tokens(text, e.ids, e.offsets) for text, e in zip(texts, found, strict=True)]
    return [_plain_item(vocabulary, index, text, *tokens[index]) for index, text in enumerate(texts)]


def _plain_tokens(text: str, ids: list[int], offsets: list[tuple[int, int]]) -> tuple[list[int], list[Span]]:
    numbers, spans = [], []
    for number, (start, end) in zip(ids, offsets, strict=True):
        if start < end:
            first = end - len(text[start:end].lstrip()) if text[start].isspace() else start
            numbers.append(number)
            spans.append(Span(first, end))
    return numbers, spans


def _plain_item(vocabulary: Subwords, index: int, text: str, ids: list[int], spans: list[Span]) -> TextItem:
    places = word_spans(text)
    owners: list[int] = []
    word = -1
    for span in spans:
        while word + 1 < len(places) and places[word + 1].start <= span.start:
            word += 1
        owners.append(word)
    kept = [place for place, owner in enumerate(owners) if owner >= 0]
    read = {owner: number for number, owner in enumerate(dict.fromkeys(owners[place] for place in kept))}
    row = [*vocabulary.first, *(ids[place] for place in kept), *vocabulary.last]
    none = [-1] * len(vocabulary.first), [-1] * len(vocabulary.last)
    return TextItem(
        example=index,
        tokens=row,
        segments=[0] * len(row),
        words=[*none[0], *(read[owners[place]] for place in kept), *none[1]],
        is_cut=False,
        places=[places[word] for word in read],
        quads=(),
    )


if __name__ == "__main__":
    main()
