"""Clean a corpus: merge records of one sentence, drop repeated sentences, drop conflict labels.

Every step is pure: it gives the new corpus and a `Change` that says what it did, how often, and to which ids.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from aspectlab.data.corpus import Corpus
from aspectlab.data.example import Example, Polarity, Quad


@dataclass(frozen=True, slots=True)
class Change:
    """What one cleaning step did, how often, and the ids of the examples it removed or changed."""

    what: str
    count: int
    ids: tuple[str, ...]

    def __str__(self) -> str:
        shown = ", ".join(self.ids[:5]) + (", …" if len(self.ids) > 5 else "")
        return f"{self.what}: {self.count:,}" + (f" ({shown})" if shown else "")


def deduplicate(corpus: Corpus, *, whole_records: bool = False) -> tuple[Corpus, Change]:
    """Keep one example of each verbatim text, at its position: the first that has quads, or the first.

    Nothing is stripped or lower-cased: Table 1 of the reproducibility paper comes out of this rule only. With
    `whole_records` the quads must be the same too, for files with one record per aspect. A variant of a text
    that is dropped becomes one of the text that is kept.

    >>> from aspectlab.data.corpus import Corpus
    >>> twice = Corpus("c", "en", frozenset(), (Example("1", "Fine."), Example("2", "Fine.")))
    >>> deduplicate(twice)[1]
    Change(what='repeated sentences dropped', count=1, ids=('2',))
    """
    keys = sentence_keys(corpus)
    labelled = {key for key, example in zip(keys, corpus, strict=True) if example.quads}
    wholes = [
        (key, e.quads) if whole_records and e.quads else key for key, e in zip(keys, corpus, strict=True)
    ]
    chosen: dict[Hashable, int] = {}
    for index, (key, example) in enumerate(zip(keys, corpus, strict=True)):
        if example.quads or key not in labelled:
            chosen.setdefault(wholes[index], index)
            chosen.setdefault(key, index)
    indices = set(chosen.values())
    dropped = [index for index in range(len(corpus)) if index not in indices]
    heirs = {corpus.examples[index].id: corpus.examples[chosen[wholes[index]]].id for index in dropped}
    kept = _inherit((corpus.examples[index] for index in sorted(indices)), heirs)
    what = "repeated records dropped" if whole_records else "repeated sentences dropped"
    return corpus.with_examples(kept), _change(what, [corpus.examples[index] for index in dropped])


def merge(corpus: Corpus) -> tuple[Corpus, Change]:
    """Join the examples of one verbatim text into the first; it gets the distinct quads of all, in order.

    A variant of one that is joined becomes one of the first.

    >>> from aspectlab.data.corpus import Corpus
    >>> from aspectlab.data.example import Quad
    >>> food, staff = Quad(category="food"), Quad(category="staff")
    >>> records = [Example(id, "Fine.", (quad,)) for id, quad in (("1", food), ("2", staff), ("3", food))]
    >>> merged, change = merge(Corpus("c", "en", frozenset(), tuple(records)))
    >>> [quad.category for quad in merged.examples[0].quads], change.count
    (['food', 'staff'], 2)
    """
    groups = group_by_sentence(corpus)
    absorbed = [example for group in groups for example in group[1:]]
    heirs = {example.id: group[0].id for group in groups for example in group[1:]}
    merged = corpus.with_examples(_join(list(_inherit(group, heirs))) for group in groups)
    return merged, _change("records merged into the first of their sentence", absorbed)


def remove_conflict(corpus: Corpus) -> tuple[Corpus, Change]:
    """Drop the quads whose polarity is conflict and keep their examples.

    >>> from aspectlab.data.corpus import Corpus
    >>> from aspectlab.data.example import Quad
    >>> torn = Example("1", "Fine, or not.", (Quad(category="food", polarity=Polarity.CONFLICT),))
    >>> remove_conflict(Corpus("c", "en", frozenset(), (torn,)))[0].examples[0].quads
    ()
    """
    return _filter_quads(
        corpus, "conflict quads dropped", lambda quad: quad.polarity is not Polarity.CONFLICT
    )


def remove_implicit(corpus: Corpus) -> tuple[Corpus, Change]:
    """Drop the quads with a term that does not occur in the text, and keep their examples.

    Where terms and categories are labelled apart (SemEval-2014), a category has no term to miss.

    >>> from aspectlab.data.corpus import Corpus
    >>> from aspectlab.data.example import Quad
    >>> named = Example("1", "So slow.", (Quad(aspect=None, polarity=Polarity.NEGATIVE),))
    >>> remove_implicit(Corpus("c", "en", frozenset({"aspect"}), (named,)))[0].examples[0].quads
    ()
    """
    together = has_joint_categories(quad for example in corpus for quad in example.quads)
    return _filter_quads(corpus, "implicit quads dropped", partial(_is_explicit, corpus.annotates, together))


def has_joint_categories(quads: Iterable[Quad]) -> bool:
    """Return whether categories are said of aspects; SemEval-2014 labels terms and categories apart.

    >>> from aspectlab.data.example import Term
    >>> has_joint_categories([Quad(Term("tea")), Quad(category="drinks")])
    False
    """
    return any(quad.aspect is not None and quad.category is not None for quad in quads)


def _is_explicit(annotates: frozenset[str], together: bool, quad: Quad) -> bool:
    if not together and quad.category is not None and not quad.terms:
        return True
    terms = [term for part, term in (("aspect", quad.aspect), ("opinion", quad.opinion)) if part in annotates]
    return all(term is not None and term.span is not None for term in terms)


def clean(
    corpus: Corpus,
    *,
    join_records: bool = False,
    keep_duplicates: bool = False,
    keep_conflict: bool = False,
    drop_implicit: bool = False,
) -> tuple[Corpus, tuple[Change, ...]]:
    """Apply the steps in their order: merge where asked, then duplicates, conflict, and implicit terms.

    A file with one record per aspect loses only records that repeat text and quads: dropping by text alone
    would drop its aspects.

    >>> from aspectlab.data.corpus import Corpus
    >>> twice = Corpus("c", "en", frozenset(), (Example("1", "Fine."), Example("2", "Fine.")))
    >>> [str(change) for change in clean(twice)[1]]
    ['repeated sentences dropped: 1 (2)', 'conflict quads dropped: 0']
    """
    steps: list[Callable[[Corpus], tuple[Corpus, Change]]] = []
    if join_records:
        steps.append(merge)
    if not keep_duplicates:
        by_record = is_per_aspect(corpus) and not join_records
        steps.append(lambda given: deduplicate(given, whole_records=by_record))
    if not keep_conflict:
        steps.append(remove_conflict)
    if drop_implicit:
        steps.append(remove_implicit)
    changes = []
    for step in steps:
        corpus, change = step(corpus)
        changes.append(change)
    if any(change.count for change in changes):
        # a cleaned corpus is no longer the published one
        version = ", ".join(part for part in (corpus.provenance.version, "cleaned") if part)
        corpus = replace(corpus, provenance=replace(corpus.provenance, version=version))
    return corpus, tuple(changes)


def is_per_aspect(corpus: Corpus) -> bool:
    """Return whether a corpus has one record per aspect: one aspect at most, and a text again with another.

    Sentences without an aspect may be among them, and an aspect may have several opinions. One aspect with
    two labels is the same aspect. The format does not decide: any that can be written may hold what was
    read from a file with such records.

    >>> from aspectlab.data.corpus import Corpus
    >>> from aspectlab.data.example import Quad
    >>> records = [Example(name, "Fine.", (Quad(category=name),)) for name in ("food", "staff")]
    >>> is_per_aspect(Corpus("c", "en", frozenset(), (*records, Example("3", "We left."))))
    True
    """
    if any(len({(quad.aspect, quad.category) for quad in example.quads}) > 1 for example in corpus):
        return False
    judged = {(e.text, frozenset(q.with_polarity(None) for q in e.quads)) for e in corpus if e.quads}
    return len(judged) > len({text for text, _ in judged})


def sentence_keys(examples: Iterable[Example]) -> list[Hashable]:
    """Return what identifies the sentence of each example: its verbatim text, or its index if it has none.

    Examples without a text (annotations whose texts are kept apart) are not repetitions of one another.

    >>> sentence_keys([Example("1", "Fine."), Example("2", "")])
    ['Fine.', 1]
    """
    return [example.text if example.text.strip() else index for index, example in enumerate(examples)]


def group_by_sentence(corpus: Corpus) -> list[list[Example]]:
    """Group the examples by verbatim text, in the order of the first of each.

    >>> from aspectlab.data.corpus import Corpus
    >>> examples = Example("1", "Fine."), Example("2", "Bad."), Example("3", "Fine.")
    >>> [len(group) for group in group_by_sentence(Corpus("c", "en", frozenset(), examples))]
    [2, 1]
    """
    groups: dict[Hashable, list[Example]] = {}
    for key, example in zip(sentence_keys(corpus), corpus, strict=True):
        groups.setdefault(key, []).append(example)
    return list(groups.values())


def _filter_quads(corpus: Corpus, what: str, keep: Callable[[Quad], bool]) -> tuple[Corpus, Change]:
    cleaned = [replace(example, quads=tuple(filter(keep, example.quads))) for example in corpus]
    lost = [len(old.quads) - len(new.quads) for old, new in zip(corpus, cleaned, strict=True)]
    touched = tuple(example.id for example, count in zip(corpus, lost, strict=True) if count)
    return corpus.with_examples(cleaned), Change(what, sum(lost), touched)


def _inherit(examples: Iterable[Example], heirs: Mapping[str, str]) -> Iterator[Example]:
    """Replace the source of a variant, if it was removed, by the one kept for it, lest a split leaks."""
    for example in examples:
        source = heirs.get(example.source or "", example.source)
        yield example.with_source(source) if source not in (example.source, example.id) else example


def _join(group: list[Example]) -> Example:
    first = group[0]
    if len(group) == 1:
        return first
    quads = tuple(dict.fromkeys(quad for example in group for quad in example.quads))
    source = first.source if all(example.source == first.source for example in group) else None
    variant = first.variant if all(example.variant == first.variant for example in group) else None
    return Example(first.id, first.text, quads, source, variant)


def _change(what: str, examples: list[Example]) -> Change:
    return Change(what, len(examples), tuple(example.id for example in examples))
