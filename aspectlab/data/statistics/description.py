"""Describe one corpus, or several as one: the reports of `aspectlab data stats` and `data check`."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from aspectlab.data.cleaning import deduplicate, is_per_aspect, merge
from aspectlab.data.corpus import Corpus, Provenance
from aspectlab.data.example import Example, Part, Polarity, Quad
from aspectlab.data.statistics.counting import (
    Counts,
    FiveNumbers,
    IntensityMeans,
    average_intensity,
    count_parts,
    count_words,
    find_aspects,
    find_tokens,
    mean,
    ratio,
    summarise,
)
from aspectlab.data.statistics.triplets import TripletProperties, count_triplets


@dataclass(frozen=True, slots=True)
class Statistics:
    """Which data set this is, and its numbers; the last three where they apply."""

    file: str
    format: str
    name: str
    version: str
    sha256: str
    language: str
    annotates: tuple[str, ...]
    counts: Counts
    words_per_sentence: float | None
    vocabulary: int
    aspects_per_sentence: float | None
    lengths: FiveNumbers | None
    challenge: Challenge | None
    triplet_properties: TripletProperties | None
    intensity: IntensityMeans | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the JSON object of the command line: the counts are beside the name of the file."""
        record = asdict(self)
        head = {key: record.pop(key) for key in ("file", "format")}
        counts = record.pop("counts")
        return {**head, **counts, **{key: value for key, value in record.items() if value is not None}}


def describe(*corpora: Corpus, raw: bool = False) -> Statistics:
    """Describe a corpus, or several corpora as one.

    Records of one sentence (ARTS) are merged and repeated sentences dropped before aspects are counted; with
    `raw` the file is described as it is.

    >>> from aspectlab.data.example import Example
    >>> twice = Corpus("c", "en", frozenset(), (Example("1", "Fine tea."), Example("2", "Fine tea.")))
    >>> describe(twice).counts.sentences, describe(twice).counts.sentences_unique
    (2, 1)
    """
    whole, sentences, judged = look(corpora, raw=raw)
    counts = count_parts(whole.examples, sentences.examples, judged.examples, whole.annotates)
    lengths = [count_words(example.text) for example in judged if example.text.strip()]
    words = {word for example in judged for word in example.text.split()}
    return Statistics(
        file=whole.provenance.path,
        format=whole.provenance.format,
        name=whole.name,
        version=whole.provenance.version,
        sha256=whole.provenance.sha256,
        language=whole.language,
        annotates=tuple(part.value for part in Part if part in whole.annotates),
        counts=counts,
        words_per_sentence=mean(lengths),
        vocabulary=len(words),
        aspects_per_sentence=ratio(counts.aspects, counts.sentences_with_aspects),
        lengths=summarise(lengths),
        challenge=_challenge(whole, corpora),
        triplet_properties=_triplet_properties(whole),
        intensity=average_intensity(quad for example in whole for quad in example.quads),
    )


def look(corpora: Sequence[Corpus], *, raw: bool) -> tuple[Corpus, Corpus, Corpus]:
    """Return three views of corpora as one: the records, the sentences, and the sentences to be judged."""
    whole = pool(corpora)
    sentences = whole if raw else pool([_by_sentence(corpus) for corpus in corpora])
    return whole, sentences, sentences if raw else deduplicate(sentences)[0]


def pool(corpora: Sequence[Corpus]) -> Corpus:
    """Concatenate corpora; what they do not share in their description is left out.

    >>> from aspectlab.data.example import Example
    >>> left, right = (Corpus(id, "en", frozenset(), (Example(id, id),)) for id in "ab")
    >>> pool([left, right]).name, [example.id for example in pool([left, right])]
    ('total', ['a', 'b'])
    """
    if len(corpora) == 1:
        return corpora[0]
    provenance = Provenance(
        path="total",
        format=_shared([corpus.provenance.format for corpus in corpora], "several"),
        version=_shared([corpus.provenance.version for corpus in corpora], ""),
        notes=tuple(note for corpus in corpora for note in corpus.provenance.notes),
    )
    return Corpus(
        name="total",
        language=_shared([corpus.language for corpus in corpora], "und"),
        annotates=frozenset().union(*(corpus.annotates for corpus in corpora)),
        examples=tuple(example for corpus in corpora for example in corpus),
        provenance=provenance,
    )


def _by_sentence(corpus: Corpus) -> Corpus:
    return merge(corpus)[0] if is_per_aspect(corpus) else corpus


def _challenge(whole: Corpus, files: Sequence[Corpus]) -> Challenge | None:
    return count_challenge(whole, files=files) if {Part.ASPECT, Part.POLARITY} <= whole.annotates else None


def _triplet_properties(corpus: Corpus) -> TripletProperties | None:
    return count_triplets(corpus) if {Part.ASPECT, Part.OPINION} <= corpus.annotates else None


def _shared(values: Sequence[str], otherwise: str) -> str:
    return values[0] if len(set(values)) == 1 else otherwise


Labelled = tuple[Hashable, Polarity]
"""An aspect and its label."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """The paper's names in brackets; shares are fractions.

    words_per_sample               tokens of a simple English tokeniser; the paper does not name its own
    aspects_per_sample             aspects of the sample's sentence (#Aspects/Sent)
    opposite_nontarget_any         share of samples with another aspect of another label (Opp. Nontgt >= 1)
    opposite_nontarget_all         share with other aspects, all of another label (Opp. Nontgt = All)
    opposite_nontarget_per_sample  their mean number (#Opp. Nontgt/Sent)
    """

    samples: int
    words_per_sample: float | None
    vocabulary: int
    positive_to_negative: float | None
    aspects_per_sample: float
    opposite_nontarget_any: float
    opposite_nontarget_all: float
    opposite_nontarget_per_sample: float


@dataclass(frozen=True, slots=True)
class _Sample:
    """One aspect: its text, its label, how many others its sentence has, and how many of another label."""

    text: str
    polarity: Polarity
    others: int
    opposite: int


def count_challenge(corpus: Corpus, *, files: Sequence[Corpus] = ()) -> Challenge | None:
    """Measure a corpus of aspects with polarities; None if no sentence has several aspects.

    A robustness variant (ARTS) annotates its target only. Its other aspects are those of the sentence it was
    made from: as they were (revtgt), all made different (revnon), with those appended (adddiff). `files` are
    the parts of a corpus that was put together: a variant was made from a sentence of its own.

    >>> from aspectlab.data.example import Part, Quad, Term
    >>> labels = ("tea", Polarity.POSITIVE), ("cake", Polarity.NEGATIVE)
    >>> quads = tuple(Quad(Term(word), polarity=label) for word, label in labels)
    >>> corpus = Corpus("c", "en", frozenset({Part.ASPECT}), (Example("1", "Tea, no cake.", quads),))
    >>> count_challenge(corpus).opposite_nontarget_any
    1.0
    """
    sources = corpus.with_examples(example for example in corpus if example.variant is None)
    sentences = [(example.text, _usable(example, corpus)) for example in merge(sources)[0]]
    samples = [sample for text, found in sentences for sample in _samples(text, found)]
    aspects = dict(sentences)
    for part in files or (corpus,):
        origins = {example.id: example for example in part if example.variant is None}
        for example in part:
            if example.variant is not None and example.source in origins:
                samples += _variant_samples(example, origins[example.source], aspects, corpus)
    return _summarise(samples) if any(sample.others for sample in samples) else None


def _summarise(samples: Sequence[_Sample]) -> Challenge:
    tokens = {text: find_tokens(text) for text in {sample.text for sample in samples}}
    positive = sum(sample.polarity is Polarity.POSITIVE for sample in samples)
    negative = sum(sample.polarity is Polarity.NEGATIVE for sample in samples)
    size = len(samples)
    return Challenge(
        samples=size,
        words_per_sample=ratio(sum(len(tokens[sample.text]) for sample in samples), size) or None,
        vocabulary=len({token for found in tokens.values() for token in found}),
        positive_to_negative=ratio(positive, negative),
        aspects_per_sample=sum(1 + sample.others for sample in samples) / size,
        opposite_nontarget_any=sum(sample.opposite > 0 for sample in samples) / size,
        opposite_nontarget_all=sum(0 < sample.others == sample.opposite for sample in samples) / size,
        opposite_nontarget_per_sample=sum(sample.opposite for sample in samples) / size,
    )


def _usable(example: Example, corpus: Corpus) -> list[Labelled]:
    found = find_aspects(example, corpus.annotates)
    return [
        (aspect, label) for aspect, label in found if label is not None and label is not Polarity.CONFLICT
    ]


def _samples(text: str, aspects: Sequence[Labelled]) -> Iterator[_Sample]:
    for _, polarity in aspects:
        yield _Sample(text, polarity, len(aspects) - 1, _count_other(polarity, aspects))


def _variant_samples(
    example: Example, origin: Example, aspects: dict[str, list[Labelled]], corpus: Corpus
) -> Iterator[_Sample]:
    targets = set(_usable(origin, corpus))
    others = [aspect for aspect in aspects[origin.text] if aspect not in targets]
    appended = _count_appended(example.text, origin.text) if example.variant == "adddiff" else 0
    for _, polarity in _usable(example, corpus):
        # what is neutral has no reverse
        all_reversed = example.variant == "revnon" and polarity is not Polarity.NEUTRAL
        opposite = len(others) if all_reversed else _count_other(polarity, others)
        yield _Sample(example.text, polarity, len(others) + appended, opposite + appended)


def _count_other(polarity: Polarity, aspects: Iterable[Labelled]) -> int:
    return sum(label is not polarity for _, label in aspects)


def _count_appended(text: str, source: str) -> int:
    """Count the clauses that were added to a sentence: "A", "A and B" or "A, B and C"."""
    kept = source.rstrip(" .?!")
    # annotators changed the beginning of some: then the last connective begins what was added
    tail = text[len(kept) :] if text.startswith(kept) else re.split(r", but |; ", text)[-1]
    tail = re.sub(r"^\W*(?:but )?", "", tail)
    return 1 + len(re.findall(r", | and ", tail)) if tail else 0


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What is judged differently in several examples of one text, and how in each."""

    judged: str
    labels: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Consistency:
    """What was found in one corpus.

    notes              what reading had to mend
    terms_unplaced     terms that are named but do not occur in the text
    duplicates         ids of the examples that repeat an earlier one
    repeated_quads     ids of the examples that hold one quad twice
    contradictions     the same thing with different polarities in examples of the same text
    """

    examples: int
    quads: int
    terms: int
    terms_unplaced: int
    notes: tuple[str, ...]
    duplicates: tuple[str, ...]
    repeated_quads: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]


def check_consistency(corpus: Corpus) -> Consistency:
    """List what a user should look at before trusting a corpus.

    >>> from aspectlab.data.example import Example
    >>> bad, good = (Quad(category="tea", polarity=label) for label in (Polarity.NEGATIVE, Polarity.POSITIVE))
    >>> examples = Example("1", "Tea.", (bad,)), Example("2", "Tea.", (good,))
    >>> check_consistency(Corpus("c", "en", frozenset(), examples)).contradictions
    (Contradiction(judged='tea', labels=(('1', 'negative'), ('2', 'positive'))),)
    """
    terms = [term for example in corpus for quad in example.quads for term in quad.terms]
    return Consistency(
        examples=len(corpus),
        quads=sum(len(example.quads) for example in corpus),
        terms=len(terms),
        terms_unplaced=sum(term.span is None for term in terms),
        notes=corpus.provenance.notes,
        duplicates=deduplicate(corpus, whole_records=is_per_aspect(corpus))[1].ids,
        repeated_quads=tuple(e.id for e in corpus if len(set(e.quads)) < len(e.quads)),
        contradictions=_find_contradictions(corpus),
    )


def _find_contradictions(corpus: Corpus) -> tuple[Contradiction, ...]:
    """Compare examples of one text; two labels within one example may be meant, as in ABSITA."""
    judged: dict[Hashable, dict[str, set[Polarity]]] = {}
    names: dict[Hashable, str] = {}
    for example in corpus:
        for quad in example.quads:
            if quad.polarity is not None and example.text.strip():
                key = (example.text, quad.aspect, quad.category, quad.opinion)
                judged.setdefault(key, {}).setdefault(example.id, set()).add(quad.polarity)
                names[key] = _name(quad)
    return tuple(
        Contradiction(names[key], tuple((id, "/".join(sorted(labels))) for id, labels in by_example.items()))
        for key, by_example in judged.items()
        if any(labels != next(iter(by_example.values())) for labels in by_example.values())
    )


def _name(quad: Quad) -> str:
    parts = (quad.aspect and quad.aspect.text, quad.category, quad.opinion and quad.opinion.text)
    return " | ".join(part for part in parts if part) or "the whole text"
