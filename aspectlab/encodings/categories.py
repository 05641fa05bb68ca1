"""Category labels: what a text says about one category, as one class: nothing, or a set of polarities.

A text may praise and blame one category, so that a class is a set: `negative+positive`. Where only the
category counts there are two classes, `absent` and `present`. Which sets there are is read from the corpus.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aspectlab.data import Example, Polarity, Quad
from aspectlab.encodings.base import Scores
from aspectlab.errors import ConfigError
from aspectlab.registry import suggest
from aspectlab.tasks import TASKS

ABSENT, PRESENT = "absent", "present"
_JOIN = "+"

GIVEN = "acsc"
"""The task whose categories are given: none of them is absent."""


@dataclass(frozen=True, slots=True)
class CategoryLabels:
    """The categories and classes of a model; a category is there if that is as likely as `threshold` says."""

    task: str
    categories: tuple[str, ...]
    classes: tuple[str, ...]
    threshold: float = 0.5

    @property
    def is_given(self) -> bool:
        """Whether the categories are given and only judged."""
        return self.task == GIVEN

    def labels(self, example: Example) -> dict[str, int]:
        """Return the class of every category of the model or the text; -1 where nothing is to be learnt."""
        numbers = {name: number for number, name in enumerate(self.classes)}
        rest = dict.fromkeys(self.categories, -1 if self.is_given else numbers[ABSENT])
        said = find_category_labels(example, self.task)
        return rest | {category: numbers.get(name, -1) for category, name in said.items()}

    def quads(self, category: str, scores: Scores) -> tuple[Quad, ...]:
        """Read the scores of one category's classes, [C], as quads: none, one or one for each polarity."""
        weights = np.exp(scores - scores.max())
        shares = dict(zip(self.classes, (weights / weights.sum()).tolist(), strict=True))
        if 1 - shares.pop(ABSENT, 0.0) < self.threshold:
            return ()
        chosen = max(shares, key=shares.__getitem__)
        if chosen == PRESENT:
            return (Quad(category=category),)
        confidence = _by_polarity(shares)
        return tuple(
            Quad(category=category, polarity=Polarity(name), confidence=confidence)
            for name in chosen.split(_JOIN)
        )


def find_category_labels(example: Example, task: str) -> dict[str, str]:
    """Name the class of every category that a text says something about.

    >>> tea = (Quad(category="drinks", polarity=sign) for sign in (Polarity.POSITIVE, Polarity.NEGATIVE))
    >>> find_category_labels(Example("1", "Nice tea, but cold", tuple(tea)), "acp")
    {'drinks': 'negative+positive'}
    """
    found: dict[str, set[Polarity]] = {}
    for quad in TASKS[task].select(example.quads):
        assert quad.category is not None
        found.setdefault(quad.category, set()).update([quad.polarity] if quad.polarity else [])
    return {category: _JOIN.join(sorted(signs)) or PRESENT for category, signs in found.items()}


def read_category_labels(examples: Iterable[Example], task: str) -> dict[str, list[str]]:
    """Find the categories of a corpus and the classes that occur in it, in a fixed order.

    >>> tea = Quad(category="drinks", polarity=Polarity.POSITIVE)
    >>> read_category_labels([Example("1", "Nice tea", (tea,))], "acp")
    {'categories': ['drinks'], 'classes': ['absent', 'positive']}
    """
    said = [item for example in examples for item in find_category_labels(example, task).items()]
    # the single polarities come first, the rarer sets behind
    names = sorted({name for _, name in said}, key=lambda name: (name.count(_JOIN), name))
    return {
        "categories": sorted({category for category, _ in said}),
        "classes": names if task == GIVEN else [ABSENT, *names],
    }


def complete_category_labels(
    settings: Mapping[str, object], examples: Iterable[Example]
) -> dict[str, object]:
    """Fill in the categories and the classes where the settings of a model leave them open.

    A category that is named and nowhere in the corpus is refused: the model could only learn its absence.
    """
    task, named = str(settings.get("task", "acp")), settings.get("categories")
    found = read_category_labels(examples, task)
    for category in _split(named) if isinstance(named, Sequence) and task != GIVEN else ():
        if category not in found["categories"]:
            offer = suggest(category, found["categories"])
            raise ConfigError(f"categories: {category!r} is in no training example: {offer}")
    return {**settings, **{name: value for name, value in found.items() if not settings.get(name)}}


def check_category_labels(
    task: str, categories: Sequence[str], classes: Sequence[str], threshold: float
) -> CategoryLabels:
    """Build the category labels of a model from its settings, or report which setting is wrong.

    >>> check_category_labels("acp", (), (), 0.5)
    Traceback (most recent call last):
    aspectlab.errors.ConfigError: categories = (): expected at least one name; `aspectlab train` reads them \
from the training corpus
    """
    remedy = "`aspectlab train` reads them from the training corpus"
    labels = CategoryLabels(task, _split(categories), _split(classes), threshold)
    if not labels.categories:
        raise ConfigError(f"categories = {categories!r}: expected at least one name; {remedy}")
    named = set(labels.classes) - {ABSENT}
    if not named or labels.is_given == (ABSENT in labels.classes):
        wanted = "polarities alone" if labels.is_given else f"{ABSENT!r} and what else may be said"
        raise ConfigError(f"classes = {classes!r}: expected {wanted}; {remedy}")
    return labels


def _split(names: Sequence[str]) -> tuple[str, ...]:
    """Take the names of a list, or of one text as the command line gives it, each once.

    >>> _split("food, service,food")
    ('food', 'service')
    """
    listed = map(str.strip, names.split(",")) if isinstance(names, str) else names
    return tuple(dict.fromkeys(name for name in listed if name))


def _by_polarity(shares: Mapping[str, float]) -> dict[str, float]:
    """Return the probability of each polarity if the category is there; a set counts for each of its own."""
    total = sum(shares.values()) or 1.0
    single = sorted({name for key in shares for name in key.split(_JOIN)})
    return {
        name: round(sum(share for key, share in shares.items() if name in key.split(_JOIN)) / total, 6)
        for name in single
    }
