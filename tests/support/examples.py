"""Hand-made corpora and random examples for the tests of `aspectlab.data`."""

from hypothesis import strategies as st

from aspectlab.data import Corpus, Example, Intensity, Part, Polarity, Provenance, Quad, Span, Term

PARTS = frozenset(Part)
POSITIVE, NEGATIVE, NEUTRAL, CONFLICT = (
    Polarity.POSITIVE,
    Polarity.NEGATIVE,
    Polarity.NEUTRAL,
    Polarity.CONFLICT,
)


def corpus_of(*examples: Example, annotates: frozenset[Part] = PARTS, format: str = "") -> Corpus:
    """A corpus of the given examples."""
    return Corpus("made", "en", annotates, examples, Provenance(path="made.jsonl", format=format))


def sentence(id: str, text: str, labels: dict[str, Polarity]) -> Example:
    """An example whose aspects are words of the text, each with its polarity."""
    quads = [Quad(aspect=find(text, word), polarity=polarity) for word, polarity in labels.items()]
    return Example(id, text, tuple(quads))


def find(text: str, word: str) -> Term:
    """The first occurrence of a word."""
    start = text.index(word)
    return Term(word, Span(start, start + len(word)))


# blanks that str.strip knows, a combining accent and a character outside the basic plane
TEXTS = st.text("ab .\u00a0é\u0301😀", min_size=1, max_size=30)


@st.composite
def terms(draw: st.DrawFn, text: str) -> Term | None:
    """A term that stands in the text, one that does not, or none."""
    if draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from([None, Term("elsewhere")]))
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start + 1, len(text)))
    return Term(text[start:end], Span(start, end))


@st.composite
def examples(draw: st.DrawFn) -> Example:
    """An example with up to four quads, whose terms may overlap."""
    text = draw(TEXTS)
    quads = st.builds(
        Quad,
        aspect=terms(text),
        category=st.sampled_from([None, "food", "staff"]),
        opinion=terms(text),
        polarity=st.sampled_from([None, *Polarity]),
        intensity=st.sampled_from([None, Intensity(1, 9.0), Intensity(6.75, 16.5)]),
    )
    name = st.sampled_from([None, "origin"])
    return Example(
        draw(st.text(max_size=3)), text, tuple(draw(st.lists(quads, max_size=4))), draw(name), draw(name)
    )


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """A corpus with unique ids and repeated texts."""
    drawn = draw(st.lists(examples(), max_size=8))
    again = draw(st.lists(st.sampled_from(drawn), max_size=4)) if drawn else []
    together = [*drawn, *again]
    return corpus_of(*(Example(str(n), e.text, e.quads) for n, e in enumerate(together)))
