"""Look for what no reader can mend: repeated quads, and one text with two labels for the same thing."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from aspectlab.data.cleaning import deduplicate, is_per_aspect
from aspectlab.data.corpus import Corpus
from aspectlab.data.quad import Polarity, Quad


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What is judged differently in several examples of one text, and how in each."""

    judged: str
    labels: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Consistency:
    """What was found in one corpus.

    notes              what reading had to mend
    terms_unplaced     terms that are named but do not stand in the text
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
