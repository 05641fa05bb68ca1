"""Sentences with their aspects: ids, labels, and opinion words, their own or predicted ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aspectlab.data import OPPOSITE, Corpus, Example, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.language import TaggedWord, Tagger
from aspectlab.readers import Source, read_object


@dataclass(frozen=True, slots=True)
class AspectMention:
    """One aspect term of a sentence: its published id and the positions of its quads, one per opinion."""

    id: str
    term: Term
    polarity: Polarity
    opinions: tuple[Span, ...]
    quads: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AspectSentence:
    """An example with its aspects; `words` may be empty where a strategy does not look at words."""

    example: Example
    aspects: tuple[AspectMention, ...]
    words: tuple[TaggedWord, ...] = ()

    @property
    def protected(self) -> tuple[Span, ...]:
        """The spans of all aspect terms, which no strategy may touch."""
        terms = (quad.aspect for quad in self.example.quads)
        return tuple(dict.fromkeys(term.span for term in terms if term and term.span))

    def with_example(self, example: Example) -> AspectSentence:
        """Take a variant of the example, whose first quads are the same in the same order."""
        kept = tuple(_aspect(aspect.id, example, aspect.quads) for aspect in self.aspects)
        return AspectSentence(example, tuple(aspect for aspect in kept if aspect is not None))


def sketch(tagged: str, opinions: Mapping[str, tuple[str, str]]) -> AspectSentence:
    """Build a sentence from tagged words and, by aspect word, its polarity and opinion word.

    It is meant for trying a strategy out by hand; words are separated by single spaces.

    >>> sketch("Good/JJ tea/NN", {"tea": ("positive", "Good")}).aspects[0].opinions
    (Span(start=0, end=4),)
    """
    words: list[TaggedWord] = []
    for item in tagged.split():
        word, _, tag = item.rpartition("/")
        start = words[-1].span.end + 1 if words else 0
        words.append(TaggedWord(word, Span(start, start + len(word)), tag))
    text = " ".join(word.text for word in words)
    terms = {word.text: Term(word.text, word.span) for word in words}
    quads = tuple(
        Quad(terms[aspect], None, terms[opinion], Polarity(polarity))
        for aspect, (polarity, opinion) in opinions.items()
    )
    example = Example("1", text, quads)
    return AspectSentence(example, find_aspects(example, None), tuple(words))


def relabel(example: Example, positions: Iterable[int]) -> Example:
    """Reverse the polarity of the quads at these positions.

    >>> praise = Quad(Term("tea"), polarity=Polarity.POSITIVE)
    >>> relabel(Example("1", "", (praise,)), [0]).quads[0].polarity
    <Polarity.NEGATIVE: 'negative'>
    """
    chosen = set(positions)
    quads = tuple(
        quad.with_polarity(OPPOSITE[quad.polarity])
        if position in chosen and quad.polarity in OPPOSITE
        else quad
        for position, quad in enumerate(example.quads)
    )
    return replace(example, quads=quads)


def flatten(example: Example, aspect: AspectMention) -> Example:
    """Reduce an example to the term and the polarity of one aspect, under the aspect's id.

    >>> tea = Example("1", "Good tea", (Quad(Term("tea", Span(5, 8)), None, None, Polarity.POSITIVE),))
    >>> flatten(tea, find_aspects(tea, None)[0]).id
    '1_0'
    """
    quad = example.quads[aspect.quads[0]]
    return Example(aspect.id, example.text, (Quad(quad.aspect, polarity=quad.polarity),))


def build_sentences(corpus: Corpus, tagger: Tagger | None = None) -> list[AspectSentence]:
    """Find the aspects of each example and tag its words.

    >>> tea = Quad(Term("tea", Span(5, 8)), polarity=Polarity.POSITIVE)
    >>> corpus = Corpus("c", "en", frozenset(), (Example("1", "Good tea", (tea,)),))
    >>> [aspect.id for sentence in build_sentences(corpus) for aspect in sentence.aspects]
    ['1_0']
    """
    ids = _published_ids(corpus)
    tagged = tagger.tag([example.text for example in corpus]) if tagger else [()] * len(corpus)
    return [
        AspectSentence(example, find_aspects(example, ids.get(example.id)), words)
        for example, words in zip(corpus, tagged, strict=True)
    ]


def find_aspects(example: Example, entries: Sequence[tuple[str, int]] | None) -> tuple[AspectMention, ...]:
    """Group the quads by aspect; `entries` gives the id and the number of quads of each.

    Without entries, aspects are numbered in the order of their first quad.

    >>> tea = Example("1", "Good tea", (Quad(Term("tea", Span(5, 8)), polarity=Polarity.POSITIVE),))
    >>> find_aspects(tea, [("1_4", 1)])[0].id
    '1_4'
    """
    positions: Iterator[tuple[str, list[int]]]
    if entries is None:
        positions = ((f"{example.id}_{n}", group) for n, group in enumerate(_group(example.quads)))
    else:
        ends = [sum(size for _, size in entries[: n + 1]) for n in range(len(entries))]
        positions = (
            (id, list(range(end - size, end))) for (id, size), end in zip(entries, ends, strict=True)
        )
    found = (_aspect(id, example, tuple(group)) for id, group in positions)
    return tuple(aspect for aspect in found if aspect is not None)


def _aspect(id: str, example: Example, positions: tuple[int, ...]) -> AspectMention | None:
    """Build an aspect; None for one that no strategy can work on."""
    quads = [example.quads[position] for position in positions]
    term, polarity = quads[0].aspect, quads[0].polarity
    if term is None or polarity is None or _find_fault(quads):
        return None
    spans = [quad.opinion.span for quad in quads if quad.opinion and quad.opinion.span]
    return AspectMention(id, term, polarity, tuple(dict.fromkeys(spans)), positions)


def list_faults(sentence: AspectSentence) -> list[tuple[Term | None, str]]:
    """Return the term of each aspect that no strategy can work on, and why.

    >>> implicit, unlabelled = Quad(polarity=Polarity.POSITIVE), Quad(Term("tea", Span(5, 8)))
    >>> [why for _, why in list_faults(AspectSentence(Example("1", "Good tea", (implicit, unlabelled)), ()))]
    ['implicit, or not verbatim in the text', 'no polarity']
    """
    # a file may list one term as two aspects, each with an id and a label of its own: that is no fault
    used = {position for aspect in sentence.aspects for position in aspect.quads}
    left: dict[Term | None, list[Quad]] = {}
    for position, quad in enumerate(sentence.example.quads):
        if position not in used:
            left.setdefault(quad.aspect, []).append(quad)
    return [(term, fault) for term, quads in left.items() if (fault := _find_fault(quads))]


def _find_fault(quads: Sequence[Quad]) -> str | None:
    """Describe what is wrong with the quads of one term, of which there is one per opinion."""
    if quads[0].aspect is None or quads[0].aspect.span is None:
        return "implicit, or not verbatim in the text"
    if quads[0].polarity is None:
        return "no polarity"
    labels = {quad.polarity for quad in quads if quad.polarity is not None}
    if len(labels) > 1:
        return "opinions of different polarities"
    return "conflicting polarity" if Polarity.CONFLICT in labels else None


def _group(quads: Sequence[Quad]) -> list[list[int]]:
    groups: dict[Term | None, list[int]] = {}
    for position, quad in enumerate(quads):
        groups.setdefault(quad.aspect, []).append(position)
    return [group for term, group in groups.items() if term is not None]


def has_ids(corpus: Corpus) -> bool:
    """Return whether the file of a corpus names its aspects; those of other formats are numbered.

    >>> has_ids(Corpus("c", "en", frozenset(), ()))
    False
    """
    return corpus.provenance.format == "arts-sentences"


def _published_ids(corpus: Corpus) -> Mapping[str, Sequence[tuple[str, int]]]:
    """Return the aspect ids of a file of ARTS sentences, each with its number of quads.

    An example does not hold the ids of its aspects, and they are not their positions in the file: those
    without opinion words are left out of it. So the file is asked again.
    """
    if not has_ids(corpus) or not corpus.provenance.path:
        return {}
    ids: dict[str, list[tuple[str, int]]] = {}
    for key, record in read_object(Source(Path(corpus.provenance.path))):
        entries = record.values.get("term_list", {})
        names = list(entries) if isinstance(entries, dict) else []
        sizes = [max(1, len(entry.items("opinion_words"))) for entry in record.records("term_list")]
        ids[key] = list(zip(names, sizes, strict=True))
    _check(corpus, ids)
    return ids


def _check(corpus: Corpus, ids: Mapping[str, Sequence[tuple[str, int]]]) -> None:
    for example in corpus:
        expected = sum(size for _, size in ids.get(example.id, ()))
        if expected != len(example.quads):
            raise DataError(
                f"{corpus.provenance.path}: example {example.id!r}: found {len(example.quads)} quads: "
                f"expected {expected}; the file or the corpus was changed after reading: read it again"
            )


def settle(sentences: Iterable[AspectSentence], complete: Iterable[AspectSentence]) -> list[AspectSentence]:
    """Move each aspect to the occurrence of its term at which the aspect of the same id stands in `complete`.

    >>> from aspectlab.robustness.aspects import sketch
    >>> one = sketch("tea/NN good/JJ tea/NN", {"good": ("positive", "good")})
    >>> settle([one], [one]) == [one]
    True
    """
    ordinals = {
        (aspect.id, aspect.term.text): _count_before(sentence.example.text, aspect.term)
        for sentence in complete
        for aspect in sentence.aspects
    }
    return [_settle_one(sentence, ordinals) for sentence in sentences]


def adopt_ids(
    sentences: Iterable[AspectSentence], complete: Iterable[AspectSentence]
) -> list[AspectSentence]:
    """Name each aspect as `complete` names the one with the same term at the same offsets.

    >>> from aspectlab.robustness.aspects import sketch
    >>> opinions = {"cup": ("positive", "clean"), "tea": ("positive", "good")}
    >>> both = sketch("clean/JJ cup/NN good/JJ tea/NN", opinions)
    >>> one = sketch("clean/JJ cup/NN good/JJ tea/NN", {"tea": ("positive", "good")})
    >>> one.aspects[0].id, adopt_ids([one], [both])[0].aspects[0].id
    ('1_0', '1_1')
    """
    ids = {(each.example.id, aspect.term): aspect.id for each in complete for aspect in each.aspects}
    return [
        replace(
            sentence,
            aspects=tuple(
                replace(aspect, id=ids.get((sentence.example.id, aspect.term), aspect.id))
                for aspect in sentence.aspects
            ),
        )
        for sentence in sentences
    ]


def _settle_one(sentence: AspectSentence, ordinals: dict[tuple[str, str], int]) -> AspectSentence:
    example = sentence.example
    quads = list(example.quads)
    for aspect in sentence.aspects:
        text = aspect.term.text
        wanted = ordinals.get((aspect.id, text))
        positions = _occurrences(example.text, text)
        if wanted is None or wanted >= len(positions) or positions[wanted] == aspect.term.span:
            continue
        for position in aspect.quads:
            quads[position] = replace(quads[position], aspect=Term(text, positions[wanted]))
    moved = sentence.with_example(replace(example, quads=tuple(quads)))
    return replace(moved, words=sentence.words)


def _count_before(text: str, term: Term) -> int:
    assert term.span is not None
    return sum(position.start < term.span.start for position in _occurrences(text, term.text))


def _occurrences(text: str, phrase: str) -> Sequence[Span]:
    positions, start = [], text.find(phrase)
    while start >= 0:
        positions.append(Span(start, start + len(phrase)))
        start = text.find(phrase, start + 1)
    return positions


PREDICTED_SUFFIX = "-predicted"
"""Ends the name of a variant that rests on predicted opinion words, so that it is counted apart."""


def lend_opinions(
    sentences: Iterable[AspectSentence], predicted: Corpus
) -> tuple[list[AspectSentence], frozenset[str]]:
    """Return aspects without opinion words those predicted for the same term, and name these aspects.

    >>> from aspectlab.robustness.aspects import sketch
    >>> tea = sketch("Good/JJ tea/NN", {"tea": ("positive", "Good")})
    >>> bare = replace(tea, aspects=tuple(replace(aspect, opinions=()) for aspect in tea.aspects))
    >>> lent, names = lend_opinions([bare], Corpus("p", "en", frozenset(), (tea.example,)))
    >>> lent == [tea], sorted(names)
    (True, ['1_0'])
    """
    answers = {example.id: example for example in predicted}
    lent, names = [], set()
    for sentence in sentences:
        answer = _answer(sentence.example, answers, predicted.name)
        aspects = tuple(_lend(aspect, answer) for aspect in sentence.aspects)
        lent.append(replace(sentence, aspects=aspects))
        names |= {new.id for new, old in zip(aspects, sentence.aspects, strict=True) if new is not old}
    _refuse_foreign(lent, predicted, answers)
    return lent, frozenset(names)


def _refuse_foreign(
    sentences: Sequence[AspectSentence], predicted: Corpus, answers: Mapping[str, Example]
) -> None:
    """Refuse answers of which none can be lent: with a wrong file nothing would be reversed, quietly."""
    if all(quad.opinion is None for example in predicted for quad in example.quads):
        raise DataError(
            f"corpus {predicted.name!r}: found no opinion among the predictions: expected a model's "
            "triplets; predict the sentences with a model for aste or asqp"
        )
    if not any(sentence.example.id in answers for sentence in sentences):
        raise DataError(
            f"corpus {predicted.name!r}: found no id of the sentences, but such as "
            f"{next(iter(answers))!r:.80}: expected their ids; predict the opinions of the same file"
        )


def _answer(example: Example, answers: dict[str, Example], name: str) -> Example | None:
    answer = answers.get(example.id)
    if answer is not None and answer.text != example.text:
        raise DataError(
            f"corpus {name!r}: example {example.id!r}: found the text {answer.text!r:.60}: expected "
            f"{example.text!r:.60}; predict the opinions of the same file"
        )
    return answer


def _lend(aspect: AspectMention, answer: Example | None) -> AspectMention:
    if aspect.opinions or answer is None:
        return aspect
    spans: list[Span] = [
        quad.opinion.span
        for quad in answer.quads
        if quad.aspect and quad.aspect.span == aspect.term.span and quad.opinion and quad.opinion.span
    ]
    return replace(aspect, opinions=tuple(dict.fromkeys(spans))) if spans else aspect
