"""Generate a robustness set: the sources, their variants, and a report of what could not be varied."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from random import Random

from aspectlab.data import Corpus, Example, Origin, Part
from aspectlab.errors import ConfigError, DataError, TaskError
from aspectlab.language import load_lexicon, load_tagger
from aspectlab.readers import SUFFIXES
from aspectlab.robustness.aspects import (
    PREDICTED_SUFFIX,
    AspectMention,
    AspectSentence,
    adopt_ids,
    build_sentences,
    flatten,
    has_ids,
    lend_opinions,
    list_faults,
    settle,
)
from aspectlab.robustness.aspectset import AspectSet, build_aspectset
from aspectlab.robustness.strategies import STRATEGIES, GenerationContext, Strategy


@dataclass(frozen=True, slots=True)
class Skip:
    """An aspect that a strategy could not vary, and why."""

    id: str
    strategy: str
    reason: str


@dataclass(frozen=True, slots=True)
class Generation:
    """A robustness set, what is missing from it, and what ADDDIFF drew from."""

    corpus: Corpus
    skips: tuple[Skip, ...]
    aspectset: AspectSet

    def count_variants(self) -> Counter[str]:
        """Count the sources and the variants of each strategy."""
        return Counter(example.variant or "source" for example in self.corpus)

    def group_skips(self) -> dict[tuple[str, str], list[str]]:
        """List the ids of the aspects that were left out by strategy and reason."""
        groups: dict[tuple[str, str], list[str]] = {}
        for skip in self.skips:
            groups.setdefault((skip.strategy, skip.reason), []).append(skip.id)
        return groups


def generate(
    sentences: Corpus,
    train: Corpus,
    *,
    all_aspects: Corpus | None = None,
    predicted: Corpus | None = None,
    strategies: Sequence[str] = ("revtgt", "revnon", "adddiff"),
    sizes: Sequence[int] = (1, 2, 3),
    plain: bool = False,
    phrases: str = "template",
    seed: int = 1016,
) -> Generation:
    """Make the variants of every aspect.

    `sentences` and `train` must have opinion words. The sources, and the targets of ADDDIFF, are the aspects
    of `all_aspects` where it is given, which may lack opinion words, and of `sentences` otherwise.
    `predicted` holds a model's answers for `sentences`: aspects without opinion words take theirs from it,
    and the names of such variants end in "-predicted". `plain` chooses the wording of negations (see Means),
    `phrases` how the clauses of ADDDIFF are made (see build_aspectset).

    >>> from aspectlab.readers import read
    >>> generate(read("examples/sample.jsonl"), read("examples/sample.jsonl"), strategies=["revtg"])
    Traceback (most recent call last):
    aspectlab.errors.ConfigError: strategy 'revtg' is unknown: did you mean 'revtgt'? There are: revtgt, \
revnon, adddiff, revtgt+adddiff, revnon+adddiff
    """
    known = _choose(strategies)
    _check(sentences, train, sizes, needs_opinions=predicted is None)
    tagger = load_tagger()
    opinionated = build_sentences(sentences, tagger)
    aspectset = build_aspectset(build_sentences(train, tagger), phrases)
    context = GenerationContext(
        lexicon=load_lexicon(_vocabulary(example for corpus in (sentences, train) for example in corpus)),
        expressions=aspectset.expressions,
        sizes=tuple(sizes),
        plain=plain,
    )
    opinionated, complete = _complete(opinionated, sentences, all_aspects)
    lent: Set[str] = frozenset()
    if predicted is not None:
        opinionated, lent = lend_opinions(opinionated, predicted)
    examples = [flatten(sentence.example, aspect) for sentence, aspect in _targets(complete)]
    skips: list[Skip] = []
    for name, strategy in known.items():
        chosen = complete if name == "adddiff" else opinionated
        made, missing = _vary(name, strategy, chosen, context, seed=seed, lent=lent)
        examples, skips = examples + made, skips + missing
    skips += [*_without_opinions(opinionated, complete, known), *_without_strategy(complete, known)]
    return Generation(_corpus(all_aspects or sentences, examples), tuple(skips), aspectset)


def _choose(strategies: Sequence[str]) -> dict[str, Strategy]:
    """Look strategies up, each once: one that is named twice would make every id twice."""
    known = {name: STRATEGIES[name] for name in strategies}
    if not known:
        raise ConfigError(f"strategies: found none: expected some of {', '.join(STRATEGIES)}")
    return known


def _complete(
    opinionated: list[AspectSentence], sentences: Corpus, all_aspects: Corpus | None
) -> tuple[list[AspectSentence], list[AspectSentence]]:
    """Return the sentences with opinion words, and those with all aspects: the same where none are given."""
    if all_aspects is None:
        return opinionated, opinionated
    _check_origin(all_aspects)
    complete = build_sentences(all_aspects)
    if not has_ids(sentences) or not has_ids(all_aspects):
        opinionated = adopt_ids(opinionated, complete)
    _check_known(opinionated, complete, all_aspects.name)
    return settle(opinionated, complete), complete


def _vary(
    name: str,
    strategy: Strategy,
    sentences: Iterable[AspectSentence],
    context: GenerationContext,
    *,
    seed: int,
    lent: Set[str],
) -> tuple[list[Example], list[Skip]]:
    """Apply one strategy to every aspect; a variant that rests on a lent opinion is named after that."""
    examples: list[Example] = []
    skips: list[Skip] = []
    for sentence, target in _targets(sentences):
        rng = Random(f"{seed}:{target.id}:{name}")  # noqa: S311 (not for secrets)
        made = strategy(sentence, target, context, rng)
        if made is None:
            skips.append(Skip(target.id, name, _reason(name, sentence, target, context, rng)))
            continue
        is_lent = name != "adddiff" and any(aspect.id in lent for aspect in sentence.aspects)
        examples.append(_name(flatten(made, target), target.id, name + PREDICTED_SUFFIX if is_lent else name))
    return examples, skips


def _targets(sentences: Iterable[AspectSentence]) -> Iterator[tuple[AspectSentence, AspectMention]]:
    for sentence in sentences:
        for aspect in sentence.aspects:
            yield sentence, aspect


def _check(sentences: Corpus, train: Corpus, sizes: Sequence[int], *, needs_opinions: bool) -> None:
    parts = {Part.ASPECT, Part.POLARITY}
    for corpus, needed in ((sentences, needs_opinions), (train, True)):
        _check_origin(corpus)
        for part in sorted((parts | {Part.OPINION} if needed else parts) - corpus.annotates):
            raise TaskError(
                f"corpus {corpus.name!r}: found no {part.value} annotated: expected aspects with opinion "
                "words and polarities; use a file such as ARTS' *_sent_towe.json or an ASTE corpus"
            )
    if not sizes or min(sizes) < 1 or max(sizes) > 5:
        raise ConfigError(f"k = {list(sizes)!r}: expected numbers from 1 to 5; write 1-3, or 2")


def _check_origin(corpus: Corpus) -> None:
    """Refuse other languages, and variants as sentences: what they were made from would be forgotten."""
    if corpus.language not in {"en", "und"}:
        raise TaskError(
            f"corpus {corpus.name!r}: found the language {corpus.language!r}: expected English, the one "
            "language whose antonyms and word forms are known"
        )
    if made := next((example for example in corpus if example.source is not None), None):
        raise DataError(
            f"corpus {corpus.name!r}: example {made.id!r}: found a variant of {made.source!r}: expected "
            "sentences as they were written; give the file that the variants were made from"
        )


def _check_known(
    opinionated: Iterable[AspectSentence], complete: Iterable[AspectSentence], name: str
) -> None:
    """Refuse a file of other sentences, or with other labels: variants would be tied to wrong sources."""
    known = {aspect.id: (sentence, aspect) for sentence, aspect in _targets(complete)}
    for sentence, aspect in _targets(opinionated):
        if aspect.id not in known:
            raise DataError(
                f"corpus {name!r}: the aspect {aspect.id!r} is not among all aspects: expected the same "
                "sentences with the same ids; give the file that belongs to the one with opinion words"
            )
        other, same = known[aspect.id]
        texts = sentence.example.text, other.example.text
        if _identify(aspect) != _identify(same) or not _are_alike(*texts):
            raise DataError(
                f"corpus {name!r}: aspect {aspect.id!r}: found {_identify(same)} in {texts[1]!r:.60}: "
                f"expected {_identify(aspect)} in {texts[0]!r:.60}, as the file with opinion words has it; "
                "give two files of the same sentences and labels"
            )


def _identify(aspect: AspectMention) -> str:
    return f"{aspect.term.text!r:.60} ({aspect.polarity})"


def _are_alike(one: str, other: str) -> bool:
    """Return whether two texts may be one sentence: the released files differ in spelling and whitespace."""
    first, second = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    return 2 * len(first & second) >= min(len(first), len(second))


def _vocabulary(examples: Iterable[Example]) -> frozenset[str]:
    return frozenset(word for example in examples for word in re.findall(r"[a-z0-9]+", example.text.lower()))


def _name(example: Example, source: str, strategy: str) -> Example:
    # the published files have names for the strategies; a combination is named by itself
    id = f"{source}_{SUFFIXES.get(strategy, strategy)}"
    return replace(example, id=id, origin=Origin(source, strategy))


def _reason(
    name: str, sentence: AspectSentence, target: AspectMention, context: GenerationContext, rng: Random
) -> str:
    """Describe why a strategy made nothing; of a chain, why its first or its second step did not."""
    first, _, second = name.partition("+")
    if name == "adddiff" or (second and STRATEGIES[first](sentence, target, context, rng) is not None):
        return "too few terms that the sentence lacks"
    if not target.opinions:
        return "no opinion words"
    if first != "revnon":
        return "nothing could be reversed"
    if not any(aspect.opinions for aspect in sentence.aspects if aspect is not target):
        return "no other aspect with opinion words"
    others = [other for other in sentence.aspects if other is not target and other.opinions]
    free = [other for other in others if not set(other.opinions) & set(target.opinions)]
    if any(other.polarity is not target.polarity for other in free):
        return "the opinion words of other aspects stand inside terms"
    return "every other aspect is neutral as the target, or shares its opinion words"


def _without_opinions(
    opinionated: Sequence[AspectSentence], complete: Iterable[AspectSentence], strategies: Iterable[str]
) -> list[Skip]:
    """List the aspects without opinion words that could be reversed, once per strategy that needs them."""
    known = {aspect.id for _, aspect in _targets(opinionated)}
    faults = {(each.example.id, term): fault for each in opinionated for term, fault in list_faults(each)}
    missing = [
        (aspect.id, faults.get((sentence.example.id, aspect.term), "no opinion words"))
        for sentence, aspect in _targets(complete)
        if aspect.id not in known
    ]
    needy = [strategy for strategy in strategies if strategy != "adddiff"]
    return [Skip(id, strategy, reason) for strategy in needy for id, reason in missing]


def _without_strategy(complete: Iterable[AspectSentence], strategies: Iterable[str]) -> list[Skip]:
    """List the aspects that are no target of any strategy, by the id of their sentence and their term."""
    faults = [
        (f"{each.example.id} {term.text!r}" if term else each.example.id, fault)
        for each in complete
        for term, fault in list_faults(each)
    ]
    return [Skip(id, strategy, fault) for strategy in strategies for id, fault in faults]


def _corpus(origin: Corpus, examples: Sequence[Example]) -> Corpus:
    return Corpus(
        name=f"{origin.name}-arts",
        language=origin.language,
        annotates=frozenset({Part.ASPECT, Part.POLARITY}),
        examples=tuple(sorted(examples, key=lambda example: example.id)),
    )
