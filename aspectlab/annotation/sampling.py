"""Draw a sample for annotation that has the topics of the whole, as in MuSe-CarASTE (Algorithm 1).

Unlike the paper, whose rounding misses the size that it names: what is left after rounding down goes to the
largest remainders, and the sample is really shuffled. Its first rows are the pilot.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from aspectlab.data import Corpus, Example, Quad
from aspectlab.errors import ConfigError, DataError

NO_TOPIC = "–"
"""The topic of an example without one; they are a stratum of their own."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """One topic: how many examples it has in the whole, in the sample, and in the pilot."""

    topic: str
    examples: int
    sampled: int
    pilot: int


def find_topic(example: Example) -> str:
    """Return the category that most quads of an example have, the first of several.

    >>> find_topic(Example("1", "Fine.", (Quad(category="comfort"), Quad(category="cost"))))
    'comfort'
    """
    found = Counter(quad.category for quad in example.quads if quad.category is not None)
    return max(found, key=lambda topic: found[topic], default=NO_TOPIC)


def allocate(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """Share out `total` slots in proportion to the sizes, exactly, by the largest remainders.

    >>> allocate({"cost": 5, "comfort": 3, "safety": 2}, 4)
    {'cost': 2, 'comfort': 1, 'safety': 1}
    """
    whole = sum(sizes.values())
    if not 0 < total <= whole:
        raise ConfigError(f"size = {total}: expected 1 to {whole}, the number of examples")
    # whole numbers throughout: two equal remainders must not differ by rounding
    positions = {topic: total * size // whole for topic, size in sizes.items()}
    by_remainder = sorted(sizes, key=lambda topic: -(total * sizes[topic] % whole))
    for topic in by_remainder[: total - sum(positions.values())]:
        positions[topic] += 1
    return positions


def draw_sample(corpus: Corpus, size: int, *, seed: int = 1) -> Corpus:
    """Draw so many examples without replacement, topic by topic, and shuffle them.

    The same seed gives the same sample anywhere.

    >>> ten = Corpus("ten", "en", frozenset(), tuple(Example(str(n), f"Sentence {n}.") for n in range(10)))
    >>> len(draw_sample(ten, 4)), draw_sample(ten, 4) == draw_sample(ten, 4)
    (4, True)
    """
    _refuse_repeated_ids(corpus)
    strata: dict[str, list[Example]] = {}
    for example in corpus:
        strata.setdefault(find_topic(example), []).append(example)
    positions = allocate({topic: len(examples) for topic, examples in strata.items()}, size)
    drawn = [
        example
        for topic, examples in strata.items()
        for example in _shuffle(examples, f"{seed}:{topic}")[: positions[topic]]
    ]
    return corpus.with_examples(_shuffle(drawn, f"{seed}"))


def remove_labels(corpus: Corpus) -> Corpus:
    """Keep of every example its text and its topic: a sheet to be filled in.

    >>> examples = (Example("1", "Fine.", (Quad(category="cost", polarity=None), Quad(category="cost"))),)
    >>> [quad.category for quad in remove_labels(Corpus("c", "en", frozenset(), examples)).examples[0].quads]
    ['cost']
    """

    def blank(example: Example) -> Example:
        topic = find_topic(example)
        quads = () if topic == NO_TOPIC else (Quad(category=topic),)
        return Example(example.id, example.text, quads)

    return corpus.with_examples(blank(example) for example in corpus)


def balance(corpus: Corpus, sample: Corpus, *, pilot: int = 0) -> tuple[Stratum, ...]:
    """Count the topics before and after, and in the first `pilot` rows of the sample.

    >>> corpus = Corpus("c", "en", frozenset(), (Example("1", "Fine."), Example("2", "Good.")))
    >>> balance(corpus, corpus.with_examples(corpus.examples[:1]))
    (Stratum(topic='–', examples=2, sampled=1, pilot=0),)
    """
    if not 0 <= pilot <= len(sample):
        raise ConfigError(f"pilot = {pilot}: expected 0 to {len(sample)}, the size of the sample")
    before, after, first = (
        Counter(map(find_topic, examples)) for examples in (corpus, sample, sample.examples[:pilot])
    )
    return tuple(Stratum(topic, before[topic], after[topic], first[topic]) for topic in sorted(before))


def _shuffle(examples: list[Example], seed: str) -> list[Example]:
    rng = Random(seed)  # noqa: S311 (not for secrets)
    # Python promises that random() alone never changes between versions, so shuffle by it
    order = sorted((rng.random(), position) for position in range(len(examples)))
    return [examples[position] for _, position in order]


def _refuse_repeated_ids(corpus: Corpus) -> None:
    repeated = [id for id, count in Counter(example.id for example in corpus).items() if count > 1]
    if repeated:
        raise DataError(
            f"{len(repeated)} id(s) occur more than once, such as {repeated[0]!r}: "
            "expected every example once; rename or remove one of them"
        )
