"""The relations of a dependency tree, by number.

The numbers are part of every saved model, which holds a vector for each: the table must not change.
"""

from __future__ import annotations

NONE, SELF, UNKNOWN = 0, 1, 2

# Universal Dependencies 2, then what the CLEAR style of the English spaCy pipelines has beside it, then the
# subtypes of UD that say something of their own; roots have no arc
_LABELS = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated
    expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum
    vocative xcomp
    acomp agent attr auxpass csubjpass dative dobj intj meta neg npadvmod nsubjpass oprd pcomp pobj poss
    preconj predet prep prt quantmod relcl
    acl:relcl aux:pass compound:prt det:poss nmod:poss nsubj:pass obl:agent
"""

_NUMBERS = {label: number for number, label in enumerate(_LABELS.split(), start=UNKNOWN + 1)}

N_RELATIONS = len(_NUMBERS) + UNKNOWN + 1
"""How many numbers there are, those for none, self and unknown included."""


def relation_number(label: str) -> int:
    """Give the number of a relation; a subtype that is not listed counts as its type.

    >>> relation_number("nsubj:outer") == relation_number("nsubj") != relation_number("nsubj:pass")
    True
    >>> relation_number("sb") == UNKNOWN
    True
    """
    label = label.lower()
    return _NUMBERS.get(label) or _NUMBERS.get(label.partition(":")[0], UNKNOWN)
