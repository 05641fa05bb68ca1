"""Variants of robustness in a study: adversarial training data, and scores of test sets with variants."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from aspectlab.data import Corpus, Example
from aspectlab.experiments import AdversarialConfig, SplitIndices
from aspectlab.metrics import Evaluation
from aspectlab.robustness import STRATEGIES, augment, read_phrases, score_robustness


class ArtsVariants:
    """The strategies of ARTS."""

    @property
    def strategies(self) -> Collection[str]:
        """The names that a study may ask for."""
        return STRATEGIES

    def check_phrases(self, text: str) -> None:
        """Refuse a way to make the clauses of ADDDIFF that does not exist."""
        read_phrases(text)

    def add(
        self,
        corpus: Corpus,
        splits: Mapping[int, SplitIndices],
        tests: Sequence[Corpus],
        adversarial: AdversarialConfig,
        opinions: Corpus | None,
    ) -> tuple[Corpus, dict[int, SplitIndices]]:
        """Replace the training part of each split by its aspects and their variants, behind the corpus.

        Variants borrow clauses and words from other sentences, so each split has its own: made once from all
        sentences they would carry words of dev into train.
        """
        examples = list(corpus)
        indices: dict[int, SplitIndices] = {}
        for number, (train, dev) in splits.items():
            part, held = ([corpus.examples[index] for index in side] for side in (train, dev))
            made = augment(
                corpus.with_examples(part),
                opinions=opinions and _keep_ids(opinions, {example.id for example in part}),
                strategies=adversarial.strategies,
                ratio=adversarial.ratio,
                exclude=[corpus.with_examples(held), *tests],
                drop_shared=True,
                phrases=adversarial.phrases,
            )
            start = len(examples)
            examples += [_rename_for_split(example, number) for example in made.corpus]
            indices[number] = tuple(range(start, len(examples))), dev
        return corpus.with_examples(examples), indices

    def score(self, gold: Corpus, predicted: Corpus, task: str) -> tuple[Evaluation, dict[str, float]]:
        """Evaluate a test set with variants; the second value holds what the variants changed, by name."""
        found = score_robustness(gold, predicted, task)
        scores = {f"ars_{unit}": change.new for unit, change in found.entire.items()}
        for name, change in found.subsets.items():
            scores |= {f"{name}_ori": change.ori, f"{name}_new": change.new}
        return found.evaluation, scores


def _keep_ids(opinions: Corpus, names: set[str]) -> Corpus:
    return opinions.with_examples(example for example in opinions if example.id in names)


def _rename_for_split(example: Example, number: int) -> Example:
    """Distinguish the same sentence in several splits."""
    source = example.source and f"{example.source}@{number}"
    return replace(example.with_source(source), id=f"{example.id}@{number}")
