"""The antonym table that comes with the package: opinion words of reviews, in pairs written by hand.

Each line of antonyms.tsv holds a lemma, its class and its antonyms, the best first. The word "not" among them
says that the word is negated and the antonyms after it are not used: "not great" before "terrible". Words of
the released Restaurant set have the antonym that it gives them most often. For the others, "not" is first
where WordNet has no direct antonym, and else mostly the antonym that WordNet has.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

NEGATE = "not"
"""Stands in a list of antonyms where negation should be used."""


def find_antonyms(lemma: str, kind: str) -> tuple[str, ...]:
    """List the curated antonyms of a lemma in one class (ADJ, ADV, VERB, NOUN), the best first.

    >>> find_antonyms("cheap", "ADJ"), find_antonyms("cheap", "NOUN")
    (('expensive',), ())
    """
    return antonym_table().get((lemma, kind), ())


def classes_of(lemma: str) -> frozenset[str]:
    """Name the classes under which the table knows a lemma.

    >>> sorted(classes_of("slow"))
    ['ADJ', 'VERB']
    """
    return frozenset(kind for kind in ("ADJ", "ADV", "VERB", "NOUN") if (lemma, kind) in antonym_table())


@cache
def antonym_table() -> dict[tuple[str, str], tuple[str, ...]]:
    """Give the whole table by lemma and class."""
    table = files("aspectlab.language").joinpath("antonyms.tsv").read_text(encoding="utf-8")
    rows = csv.reader(table.splitlines(), delimiter="\t")
    return {(word, kind): tuple(antonyms.split(",")) for word, kind, antonyms in rows}
