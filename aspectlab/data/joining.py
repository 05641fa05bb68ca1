"""Join corpora, to learn one of them from all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from aspectlab.data.corpus import Corpus
from aspectlab.data.example import Example
from aspectlab.data.exclusion import Exclusion


def join(own: Corpus, others: Sequence[Corpus], held_out: Iterable[Corpus] = ()) -> list[Corpus]:
    """Give a corpus and the others, each without the sentences of those before it and of the held-out ones.

    Corpora of one field share sentences: the training part of one may hold the test part of another. The
    ids of the second corpus begin with "2:", those of the third with "3:", so that each stays the only one.

    >>> tea = Corpus("own", "en", frozenset(), (Example("1", "Good tea"),))
    >>> more = Corpus("more", "en", frozenset(), (Example("1", "good tea!"), Example("2", "Fine rolls")))
    >>> [[example.id for example in corpus] for corpus in join(tea, [more])]
    [['1'], ['2:2']]
    """
    joined = [own]
    known = [example.text for corpus in (own, *held_out) for example in corpus]
    for number, other in enumerate(others, 2):
        leaked = Exclusion(known)
        new = [_rename(example, number) for example in other if example.text not in leaked]
        joined.append(other.with_examples(new))
        known += [example.text for example in new]
    return joined


def _rename(example: Example, number: int) -> Example:
    source = None if example.source is None else f"{number}:{example.source}"
    return replace(example, id=f"{number}:{example.id}", source=source)
