"""Print the statistics of a generated Restaurant set beside those of the published one (Tables 5 and 6).

Run: python benchmarks/arts_statistics.py [DATA_FOLDER]
The folder is that of the published data sets (ASPECTLAB_DATA). A sample is one aspect of a sentence or of a
variant; every mean runs over samples. An aspect opposes the target if its label differs from the target's.
The published figures are those of Xing et al. (EMNLP 2020); two of them depend on the reading of RevNon.
RevNon leaves aspects alone that share opinion words with the target. The first figure takes those for turned
as well, which comes near the published one; the figure in brackets counts what RevNon touches, and nothing
else: there the published files give 40.2 and 1.35.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import spacy

from aspectlab.data import Example, Polarity
from aspectlab.language.antonyms import load_lexicon
from aspectlab.language.parsing import load_tagger
from aspectlab.readers import read
from aspectlab.robustness.aspects import AspectMention, AspectSentence, build_sentences, settle
from aspectlab.robustness.aspectset import collect_expressions
from aspectlab.robustness.strategies import STRATEGIES, GenerationContext

PUBLISHED = {
    "samples": ("1,120", "3,530"),
    "positive / negative": ("3.71", "1.77"),
    "words per sentence": ("19.37", "23.15"),
    "vocabulary": ("2,197", "2,451"),
    "aspects per sentence": ("2.57", "3.28"),
    "one opposes at least, %": ("20", "67"),
    "all oppose, %": ("11", "42"),
    "opposing per sentence": ("0.27", "1.39"),
}


@dataclass(frozen=True)
class Sample:
    """A text, the label of its target, those of its other aspects, and how many share its opinion words."""

    text: str
    target: Polarity
    others: tuple[Polarity, ...]
    sharing: int = 0

    @property
    def opposing(self) -> int:
        """How many other aspects differ from the target."""
        return sum(other is not self.target for other in self.others)

    @property
    def turned(self) -> int:
        """How many differ if those that share the target's opinion words are taken for turned."""
        return self.opposing + self.sharing


def main() -> None:
    """Print one line per figure: published and generated, for the originals and for all."""
    usual = Path(__file__).parent.parent.parent / "shared" / "data"
    root = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ASPECTLAB_DATA", usual))
    originals, variants = make(root / "arts" / "src_data" / "rest")
    columns = [describe(originals), describe([*originals, *variants])]
    print(f"{'':26}{'Ori':>8}{'ours':>14}{'ARTS':>8}{'ours':>14}")
    for name, (first, second) in PUBLISHED.items():
        print(f"{name:26}{first:>8}{columns[0][name]:>14}{second:>8}{columns[1][name]:>14}")


def make(folder: Path) -> tuple[list[Sample], list[Sample]]:
    """Return the samples of the originals and of all three strategies."""
    towe, train, full = (
        read(folder / f"{name}.json") for name in ("test_sent_towe", "train_sent_towe", "test_sent")
    )
    tagger = load_tagger()
    complete = build_sentences(full)
    opinionated = settle(build_sentences(towe, tagger), complete)
    means = GenerationContext(load_lexicon(), collect_expressions(build_sentences(train, tagger)))
    labels = {sentence.example.id: sentence.aspects for sentence in complete}
    originals = [
        sample
        for sentence in complete
        for target in sentence.aspects
        for sample in [to_sample(sentence, target, sentence.example, labels)]
    ]
    variants = [
        *vary("revtgt", opinionated, means, labels),
        *vary("revnon", opinionated, means, labels),
        *vary("adddiff", complete, means, labels),
    ]
    return originals, variants


def vary(
    name: str,
    sentences: Iterable[AspectSentence],
    means: GenerationContext,
    labels: dict[str, tuple[AspectMention, ...]],
) -> Iterator[Sample]:
    """Return the variants of one strategy with the labels of all their aspects."""
    strategy = STRATEGIES[name]
    for sentence in sentences:
        for target in sentence.aspects:
            made = strategy(sentence, target, means, Random(f"1016:{target.id}:{name}"))
            if made is not None:
                sample = to_sample(sentence, target, made, labels)
                yield replace(sample, sharing=count_sharing(sentence, target)) if name == "revnon" else sample


def count_sharing(sentence: AspectSentence, target: AspectMention) -> int:
    """Count the aspects that RevNon would reverse if they did not share opinion words with the target."""
    if target.polarity is Polarity.NEUTRAL:
        return 0
    others = [other for other in sentence.aspects if other is not target]
    return sum(
        other.polarity is target.polarity and bool(set(other.opinions) & set(target.opinions))
        for other in others
    )


def to_sample(
    sentence: AspectSentence,
    target: AspectMention,
    made: Example,
    labels: dict[str, tuple[AspectMention, ...]],
) -> Sample:
    """Collect the labels of a variant: aspects without opinion words keep theirs, appended ones come last."""
    known = {aspect.id: made.quads[aspect.quads[0]].polarity for aspect in sentence.aspects}
    everyone = {aspect.id: known.get(aspect.id, aspect.polarity) for aspect in labels[sentence.example.id]}
    appended = [quad.polarity for quad in made.quads[len(sentence.example.quads) :]]
    others = [label for id, label in everyone.items() if id != target.id] + appended
    chosen = everyone[target.id]
    assert chosen is not None
    return Sample(made.text, chosen, tuple(label for label in others if label is not None))


def describe(samples: list[Sample]) -> dict[str, str]:
    """Compute every figure."""
    tokens = spacy.blank("en").tokenizer
    words = [[word.text for word in tokens(sample.text)] for sample in samples]
    size = len(samples)
    signs = [sum(sample.target is sign for sample in samples) for sign in Polarity]
    opposed = [sample for sample in samples if sample.opposing]
    touched = sum(sample.opposing == len(sample.others) for sample in opposed)
    turned = sum(sample.turned == len(sample.others) for sample in opposed)
    return {
        "samples": f"{size:,}",
        "positive / negative": f"{signs[0] / signs[1]:.2f}",
        "words per sentence": f"{sum(map(len, words)) / size:.2f}",
        "vocabulary": f"{len({word for text in words for word in text}):,}",
        "aspects per sentence": f"{sum(1 + len(sample.others) for sample in samples) / size:.2f}",
        "one opposes at least, %": f"{100 * len(opposed) / size:.1f}",
        "all oppose, %": f"{100 * turned / size:.1f} ({100 * touched / size:.1f})",
        "opposing per sentence": f"{sum(sample.turned for sample in samples) / size:.2f} "
        f"({sum(sample.opposing for sample in samples) / size:.2f})",
    }


if __name__ == "__main__":
    main()
