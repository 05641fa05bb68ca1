"""The table of relations: one line each."""

from collections.abc import Callable, Iterator

from aspectlab.metamorphic.drafts import Draft, Sentence, Triplet
from aspectlab.metamorphic.means import Means
from aspectlab.registry import Registry

Relation = Callable[[Sentence, int, Triplet, Means], Iterator[Draft]]
"""`relation(sentence, place, target, means)`: all follow-ups for the target, the quad at that place."""

RELATIONS: Registry[Relation] = Registry(
    "relation",
    {
        "MR1-1": "aspectlab.metamorphic.mr11:mr11",
        "MR1-2": "aspectlab.metamorphic.mr12:mr12",
        "MR1-3": "aspectlab.metamorphic.mr13:mr13",
        "MR1-4": "aspectlab.metamorphic.mr14:mr14",
        "MR2-1": "aspectlab.metamorphic.mr21:mr21",
        "MR2-2": "aspectlab.metamorphic.mr22:mr22",
        "MR2-3": "aspectlab.metamorphic.mr23:mr23",
        "MR2-4": "aspectlab.metamorphic.mr24:mr24",
    },
)
