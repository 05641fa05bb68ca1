"""Adversarial material: every split's training part with variants of it, and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aspectlab.data import Corpus, Example
from aspectlab.experiments.study import Adversarial
from aspectlab.robustness.augmentation import augment

Places = tuple[tuple[int, ...], tuple[int, ...]]
"""Where the train and the dev examples of a split stand among all examples."""


def add_variants(
    corpus: Corpus,
    splits: Mapping[int, Places],
    tests: Sequence[Corpus],
    adversarial: Adversarial,
    opinions: Corpus | None,
) -> tuple[Corpus, dict[int, Places]]:
    """Replace the training part of each split by its aspects and their variants, at the end of the corpus.

    Variants borrow clauses and words from other sentences, so each split has its own: made once from all
    sentences they would carry words of dev into train.
    """
    examples = list(corpus)
    places: dict[int, Places] = {}
    for number, (train, dev) in splits.items():
        part, held = ([corpus.examples[place] for place in side] for side in (train, dev))
        made = augment(
            corpus.with_examples(part),
            opinions=opinions and _keep(opinions, {example.id for example in part}),
            strategies=adversarial.strategies,
            ratio=adversarial.ratio,
            exclude=[corpus.with_examples(held), *tests],
            drop_shared=True,
            phrases=adversarial.phrases,
        )
        start = len(examples)
        examples += [_rename(example, number) for example in made.corpus]
        places[number] = tuple(range(start, len(examples))), dev
    return corpus.with_examples(examples), places


def _keep(opinions: Corpus, names: set[str]) -> Corpus:
    return opinions.with_examples(example for example in opinions if example.id in names)


def _rename(example: Example, number: int) -> Example:
    """Tell the same sentence apart in several splits."""
    source = example.source and f"{example.source}@{number}"
    return replace(example, id=f"{example.id}@{number}", source=source)
