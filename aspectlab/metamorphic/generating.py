"""Generate: all follow-ups of a corpus, one source after the other, whatever model is to be tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aspectlab.data import Corpus, Example
from aspectlab.errors import DataError, TaskError
from aspectlab.language.tagging import Tagger, load_tagger
from aspectlab.metamorphic.cases import Group, is_followup, make_cases
from aspectlab.metamorphic.drafts import Sentence
from aspectlab.metamorphic.lexicon import load_lexicon
from aspectlab.metamorphic.means import Lexicon, Means
from aspectlab.metamorphic.phrases import collect_phrases
from aspectlab.tasks import TASKS

_BLOCK = 256
"""Sentences that are tagged at a time."""


def generate(
    corpus: Corpus,
    train: Corpus | None = None,
    *,
    seed: int = 0,
    limit: int = 10,
    senses: int | None = None,
    tagger: Tagger | None = None,
    lexicon: Lexicon | None = None,
) -> Iterator[Group]:
    """Give every source with its cases, in order; nothing is held longer than it is needed.

    The phrases of MR1-3 are made of the triplets of `train`, or of the corpus itself. `limit` bounds the
    candidates of every replacement. All senses of a word are used, or the first ones only.
    """
    for each in (corpus, train):
        if each is not None:
            _check(each)
    words = tagger or load_tagger()
    means = Means(
        lexicon=lexicon or load_lexicon(senses),
        phrases=collect_phrases(_tag((train or corpus).examples, words)),
        limit=limit,
        seed=seed,
    )
    return ((sentence.example, make_cases(sentence, means)) for sentence in _tag(corpus.examples, words))


def _tag(examples: Sequence[Example], tagger: Tagger) -> Iterator[Sentence]:
    for start in range(0, len(examples), _BLOCK):
        block = examples[start : start + _BLOCK]
        tagged = tagger.tag([example.text for example in block])
        yield from (Sentence(example, words) for example, words in zip(block, tagged, strict=True))


def _check(corpus: Corpus) -> None:
    if corpus.language not in {"en", "und"}:
        raise TaskError(
            f"corpus {corpus.name!r}: found the language {corpus.language!r}: expected English, the language "
            "whose synonyms and word forms are known"
        )
    TASKS["aste"].check(corpus)
    if made := next(filter(is_followup, corpus), None):
        raise DataError(
            f"corpus {corpus.name!r}: example {made.id!r}: found a follow-up: expected sentences "
            "as they were written; give the file that the follow-ups were made from"
        )
