"""Rehearse the annotation loop of the MuSe-CarASTE paper (Algorithm 2) with a made-up second annotator.

The second one annotates as the first, but for some triples: one is missed, said with another word, or split
in two. Each round stands for better guidelines: fewer triples differ, and rows are added to the sample. The
loop ends when TPA is above the threshold, or after the last round; so it always ends.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from aspectlab.annotation.agreement import Agreement, AgreementPlan as Measure, measure_agreement
from aspectlab.annotation.panel import build_panel
from aspectlab.annotation.sampling import draw_sample
from aspectlab.annotation.sheets import AnnotationSheet
from aspectlab.annotation.similarity import Similarity, Wording
from aspectlab.data import Corpus, Example, Polarity, Quad, Span, Term, annotated_parts
from aspectlab.errors import ConfigError, TaskError

Pool = Mapping[Polarity | None, Sequence[str]]
"""The opinion words of a corpus by polarity: what another annotator might have written."""


class Slip(StrEnum):
    """How the second annotator differs from the first."""

    SYNONYM = "synonym"
    DROP = "drop"
    SPLIT = "split"


@dataclass(frozen=True, slots=True)
class RehearsalConfig:
    """How a rehearsal runs: at first `noise` of the triples differ; a round takes `learning` of that away."""

    size: int = 100
    step: int = 50
    noise: float = 0.9
    learning: float = 0.3
    accept: float = 0.7
    rounds: int = 20
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least in (("size", 1), ("step", 0), ("rounds", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} = {getattr(self, name)!r}: expected {least} or more")
        for name in ("noise", "learning", "accept"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} = {getattr(self, name)!r}: expected a number from 0 to 1")


@dataclass(frozen=True, slots=True)
class Round:
    """One turn of the loop: both annotations, how far they differ, and how far they agree."""

    number: int
    noise: float
    first: Corpus
    second: Corpus
    slips: dict[str, int]
    agreement: Agreement
    is_accepted: bool

    @property
    def tpa(self) -> float:
        """The share that the stop rule looks at."""
        return self.agreement.levels[0].scores["tpa"]


def rehearse(
    corpus: Corpus, course: RehearsalConfig, similarity: Similarity, wording: Wording, measure: Measure
) -> Iterator[Round]:
    """Return the rounds up to the one that is accepted; the last has `is_accepted` false if none is.

    >>> from aspectlab.annotation import load_similarity
    >>> from aspectlab.readers import read
    >>> letters, plain = load_similarity("letters"), Wording(lemmas=False)
    >>> fast = Measure((0.6,), permutations=0, resamples=0)
    >>> sample = read("examples/sample.jsonl")
    >>> [turn.is_accepted for turn in rehearse(sample, RehearsalConfig(size=60), letters, plain, fast)]
    [False, True]
    """
    if not any(quad.terms for example in corpus for quad in example.quads):
        raise TaskError(
            f"{corpus.name}: no aspect and no opinion: expected terms; rehearse on annotated data"
        )
    rows = min(len(corpus), course.size + course.step * (course.rounds - 1))
    sample = draw_sample(corpus, rows, seed=course.seed)
    pool = _collect(corpus)
    for number in range(1, course.rounds + 1):
        noise = course.noise * (1 - course.learning) ** (number - 1)
        first = sample.with_examples(sample.examples[: course.size + course.step * (number - 1)])
        rng = Random(f"{course.seed}:{number}")  # noqa: S311 (not for secrets)
        second, slips = disturb(first, noise, pool, rng)
        panel = build_panel([_hand_in("first", first), _hand_in("second", second)])
        found = measure_agreement(panel, similarity, wording, measure)
        # segments without opinions agree on nothing, which is no reason to end
        is_accepted = any(found.triples) and found.levels[0].scores["tpa"] > course.accept
        yield Round(number, noise, first, second, slips, found, is_accepted)
        if is_accepted:
            return


def disturb(corpus: Corpus, noise: float, pool: Pool, rng: Random) -> tuple[Corpus, dict[str, int]]:
    """Make so large a share of the triples differ, and count how; the texts stay as they are."""
    slips = {slip.value: 0 for slip in Slip}

    def annotate(example: Example) -> Example:
        quads: list[Quad] = []
        for quad in example.quads:
            # random() alone is promised never to change between versions of Python
            if not quad.terms or rng.random() >= noise:
                quads.append(quad)
                continue
            slip, changed = _slip(quad, pool, rng)
            slips[slip] += 1
            quads += changed
        return replace(example, quads=tuple(quads))

    return corpus.with_examples([annotate(example) for example in corpus]), slips


def _slip(quad: Quad, pool: Pool, rng: Random) -> tuple[Slip, tuple[Quad, ...]]:
    """Change one triple in one of the ways that it allows; it can always be missed."""
    ways: dict[Slip, Callable[[], tuple[Quad, ...]]] = {Slip.DROP: lambda: ()}
    others = [word for word in pool.get(quad.polarity, ()) if quad.opinion and word != quad.opinion.text]
    if others:
        ways[Slip.SYNONYM] = lambda: (replace(quad, opinion=Term(others[int(rng.random() * len(others))])),)
    pieces = _split(quad)
    if pieces:
        ways[Slip.SPLIT] = lambda: pieces
    slip = list(ways)[int(rng.random() * len(ways))]
    return slip, ways[slip]()


def _split(quad: Quad) -> tuple[Quad, ...]:
    """Make two triples of one whose opinion, or else aspect, has several words."""
    for part, term in (("opinion", quad.opinion), ("aspect", quad.aspect)):
        pieces = split_term(term) if term else ()
        if pieces and part == "opinion":
            return tuple(replace(quad, opinion=piece) for piece in pieces)
        if pieces:
            return tuple(replace(quad, aspect=piece) for piece in pieces)
    return ()


def split_term(term: Term) -> tuple[Term, ...]:
    """Part the last word from those before it; nothing if there is but one word.

    >>> split_term(Term("rear seat", Span(4, 13)))
    (Term(text='rear', span=Span(start=4, end=8)), Term(text='seat', span=Span(start=9, end=13)))
    """
    words = term.text.split()
    if len(words) < 2:
        return ()
    last = term.text.rindex(words[-1])
    head = term.text[:last].rstrip()
    if term.span is None:
        return Term(head), Term(term.text[last:])
    start = term.span.start
    return (
        Term(head, Span(start, start + len(head))),
        Term(term.text[last:], Span(start + last, term.span.end)),
    )


def _collect(corpus: Corpus) -> Pool:
    words: dict[Polarity | None, dict[str, None]] = defaultdict(dict)
    for example in corpus:
        for quad in example.quads:
            if quad.opinion is not None:
                words[quad.polarity][quad.opinion.text] = None
    return {polarity: list(known) for polarity, known in words.items()}


def _hand_in(name: str, corpus: Corpus) -> AnnotationSheet:
    return AnnotationSheet(name, corpus.language, annotated_parts(corpus), corpus.examples)
