"""Describe one corpus, or several as one: everything `aspectlab data stats` reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from aspectlab.data.cleaning import deduplicate, is_per_aspect, merge
from aspectlab.data.corpus import Corpus, Provenance
from aspectlab.data.quad import Part
from aspectlab.data.statistics.challenge import Challenge, count_challenge
from aspectlab.data.statistics.counting import Counts, count_parts
from aspectlab.data.statistics.triplets import TripletProperties, count_triplets
from aspectlab.data.statistics.words import FiveNumbers, count_words, mean, ratio, summarise


@dataclass(frozen=True, slots=True)
class Statistics:
    """Which data set this is, and its numbers; `challenge` and `triplet_properties` where they apply."""

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

    def to_dict(self) -> dict[str, object]:
        """Give the JSON object of the command line: the counts stand beside the name of the file."""
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
    )


def look(corpora: Sequence[Corpus], *, raw: bool) -> tuple[Corpus, Corpus, Corpus]:
    """Give three views of corpora as one: the records, the sentences, and the sentences to be judged."""
    whole = pool(corpora)
    sentences = whole if raw else pool([_by_sentence(corpus) for corpus in corpora])
    return whole, sentences, sentences if raw else deduplicate(sentences)[0]


def pool(corpora: Sequence[Corpus]) -> Corpus:
    """Put several corpora together; what they do not share in their description is left out.

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
