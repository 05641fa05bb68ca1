"""Corpora for data cards: with few terms, with hundreds, without some parts, and with a hostile text."""

from aspectlab.data import Corpus, Example, Part, Polarity, Provenance, Quad, Term

PARTS = frozenset(Part)
HOSTILE = "<script>alert('x')</script>\n\x00\ud800 & \"quote\" " + "long " * 40


def make_corpus(aspects: int, *, name: str = "made") -> Corpus:
    """A corpus of so many aspects; the first are the most frequent ones."""
    polarities = [Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL]
    examples = []
    for number in range(aspects):
        quad = Quad(
            Term(f"rear part {number}" if number % 2 else f"part {number}"),
            f"TOPIC#{number % 30}",
            Term(f"quite word{number % 40}"),
            polarities[number % 3],
        )
        times = max(1, aspects // (number + 1))
        examples += [Example(f"{number}-{time}", "Some text.", (quad,)) for time in range(times)]
    examples.append(Example("empty", "Nothing is said.", (Quad(category="TOPIC#0"),)))
    return Corpus(
        name, "en", PARTS, tuple(examples), Provenance(f"/secret/place/{name}.jsonl", "jsonl", "ab")
    )


def make_hostile() -> Corpus:
    """A corpus whose every name holds markup, controls and half a surrogate pair."""
    quad = Quad(Term(HOSTILE), HOSTILE, Term(HOSTILE + "!"), Polarity.POSITIVE)
    notes = (f"line 1: {HOSTILE}",)
    where = Provenance(f"{HOSTILE}.jsonl", HOSTILE, "ab", HOSTILE, notes)
    return Corpus(HOSTILE, HOSTILE, PARTS, (Example("1", HOSTILE, (quad,)),), where)


BARE = Corpus("bare", "und", frozenset(), (Example("1", "Only a text."),))
EMPTY = Corpus("empty", "und", frozenset(), ())
TARGETS = Corpus(
    "targets",
    "en",
    frozenset({Part.ASPECT, Part.POLARITY}),
    (Example("1", "Good tea.", (Quad(Term("tea"), polarity=Polarity.POSITIVE),)), Example("2", "We left.")),
)
CATEGORIES = Corpus(
    "categories",
    "it",
    frozenset({Part.CATEGORY, Part.POLARITY}),
    (Example("1", "Bello.", (Quad(category="staff", polarity=Polarity.POSITIVE),)),),
)
