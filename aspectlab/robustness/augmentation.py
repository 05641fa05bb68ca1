"""Adversarial training data: the training aspects and variants of them, never a word of dev or test."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from aspectlab.data import Corpus, Example, leave_out, refuse_overlap
from aspectlab.errors import ConfigError, DataError
from aspectlab.robustness.generator import Generation, generate


def augment(
    train: Corpus,
    *,
    opinions: Corpus | None = None,
    strategies: Sequence[str] = ("adddiff", "revnon", "revtgt"),
    ratio: float | None = None,
    exclude: Sequence[Corpus] = (),
    drop_shared: bool = False,
    phrases: str = "template",
    seed: int = 1016,
) -> Generation:
    """Add variants of the training sentences, at most `ratio` per original, drawn at random; None: all.

    `opinions` is the corpus of the same sentences with opinion words, where `train` has none. If train shares
    a sentence with a corpus to exclude (dev, test) it is refused, or loses the sentence by `drop_shared`; a
    variant that happens to read like a sentence of it is left out. A variant names its original as `source`.

    >>> from aspectlab.readers import read
    >>> augment(read("examples/sample_train.jsonl"), ratio=-1)
    Traceback (most recent call last):
    aspectlab.errors.ConfigError: ratio = -1: expected variants per original, such as 0.5 or 2
    """
    if ratio is not None and not 0 < ratio < 100:
        raise ConfigError(f"ratio = {ratio!r}: expected variants per original, such as 0.5 or 2")
    if drop_shared and not exclude:
        raise ConfigError(
            "--drop-shared: found no file to exclude: expected one at least; add --exclude FILE"
        )
    files = [train] if opinions is None else [train, opinions]
    kept = _set_both_apart(files, exclude, drop_shared=drop_shared)
    train, known = kept[0], kept[-1]
    made = generate(
        known,
        known,
        all_aspects=None if opinions is None else train,
        strategies=strategies,
        phrases=phrases,
        seed=seed,
    )
    originals = [example for example in made.corpus if example.variant is None]
    usable = _fresh(made.corpus, originals, exclude)
    size = len(usable) if ratio is None else min(len(usable), round(ratio * len(originals)))
    rng = Random(f"{seed}:ratio")  # noqa: S311 (not for secrets)
    chosen = [usable[position] for position in sorted(rng.sample(range(len(usable)), size))]
    return replace(made, corpus=made.corpus.with_examples([*originals, *chosen]))


def stages(corpus: Corpus, strategies: Sequence[str]) -> tuple[Corpus, ...]:
    """Return a curriculum: the originals alone, then with the variants of the first strategy, and so on.

    >>> tea = Example("1", "Good tea."), Example("1_adv1", "Bad tea.", source="1", variant="revtgt")
    >>> [len(stage) for stage in stages(Corpus("tea", "en", frozenset(), tea), ["revtgt"])]
    [1, 2]
    """
    taught = [{None, *strategies[:size]} for size in range(len(strategies) + 1)]
    return tuple(
        corpus.with_examples(example for example in corpus if example.variant in known) for known in taught
    )


def _set_both_apart(files: Sequence[Corpus], exclude: Sequence[Corpus], *, drop_shared: bool) -> list[Corpus]:
    """Set files of the same sentences apart: what one drops, by its spelling, all of them drop."""
    kept = [_set_apart(corpus, exclude, drop_shared=drop_shared) for corpus in files]
    dropped = {
        name
        for before, after in zip(files, kept, strict=True)
        for name in {example.id for example in before} - {example.id for example in after}
    }
    return [
        corpus.with_examples(example for example in corpus if example.id not in dropped) for corpus in kept
    ]


def _set_apart(corpus: Corpus, exclude: Sequence[Corpus], *, drop_shared: bool) -> Corpus:
    if drop_shared:
        kept = leave_out(corpus, *exclude)
        if corpus.examples and not kept.examples:
            raise DataError(
                f"corpus {corpus.name!r}: found all {len(corpus)} texts in the corpora to exclude: expected "
                "some of its own; check the files"
            )
        return kept
    for other in exclude:
        refuse_overlap(corpus, other)
    return corpus


def _fresh(corpus: Corpus, originals: Sequence[Example], exclude: Sequence[Corpus]) -> list[Example]:
    """List the variants whose text is no sentence to exclude, and no original about the same target."""
    forbidden = {example.text for other in exclude for example in other}
    known = {(example.text, example.quads[0].aspect) for example in originals}
    return [
        example
        for example in corpus
        if example.variant
        and example.text not in forbidden
        and (example.text, example.quads[0].aspect) not in known
    ]
