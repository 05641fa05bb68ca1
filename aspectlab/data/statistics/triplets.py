"""Describe opinion triplets as the MuSe-CarASTE paper does in its Tables 2, 3, 6, 10, 11 and 13.

A row is one quad. A segment without opinions has one empty row, which counts in the means over rows: that
is how the paper's figures come out. Words are whitespace-separated.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from aspectlab.data.cleaning import sentence_keys
from aspectlab.data.corpus import Corpus
from aspectlab.data.example import Example, Polarity, Quad, Term
from aspectlab.data.statistics.counting import count_words, is_empty, mean, ratio

Ranking = tuple[tuple[str, int], ...]
Row = tuple[Example, Quad]


@dataclass(frozen=True, slots=True)
class TripletProperties:
    """The paper's names in brackets.

    rows                   all rows, empty ones included ("total triples")
    videos                 highest number of a video, which the paper gives as their number; the files hold
                           `videos_present` of them. None but for MuSe-CarASTE, whose ids begin with it
    unique_*               different strings; `_caseless` after lower-casing, `unique_triplets` of all three
    multiword_triplets     aspect or opinion of several words (#MT)
    words_per_pair         words of aspect and opinion, over all rows; an empty part is one word (#W/AO)
    words_per_pair_nonempty  the same over the rows that say something
    words_per_triplet      one more, for the polarity (#W/T)
    words_per_row          words of the text, which every row of a segment repeats (#W/S)
    triplets_per_segment   non-empty rows by examples (#T/S)
    triplets_per_nonempty  non-empty rows by different texts that have one (#T/NS)
    implicit_*             rows whose aspect (#IA) or opinion (#IO) has a word that occurs nowhere in the
                           text, not even inside a longer one; different triplets with either (#IT);
                           None without texts
    """

    rows: int
    empty_rows: int
    nonempty_rows: int
    segments: int
    nonempty_segments: int
    videos: int | None
    videos_present: int | None
    positive: int
    negative: int
    neutral: int
    unique_aspects: int
    unique_opinions: int
    unique_aspects_caseless: int
    unique_opinions_caseless: int
    unique_triplets: int
    multiword_aspects: int
    multiword_opinions: int
    multiword_triplets: int
    words_per_pair: float | None
    words_per_pair_nonempty: float | None
    words_per_triplet: float | None
    words_per_row: float | None
    triplets_per_segment: float | None
    triplets_per_nonempty: float | None
    implicit_aspects: int | None
    implicit_opinions: int | None
    implicit_triplets: int | None
    top_aspects: dict[str, Ranking]
    top_opinions: dict[str, Ranking]


def count_triplets(corpus: Corpus, *, top: int = 15) -> TripletProperties:
    """Count the rows of a corpus that annotates aspects and opinions; `top` terms are listed per class.

    >>> quad = Quad(Term("tea"), "food", Term("very good"), Polarity.POSITIVE)
    >>> corpus = Corpus("c", "en", frozenset(), (Example("1", "The tea is good.", (quad,)),))
    >>> found = count_triplets(corpus)
    >>> found.multiword_opinions, found.implicit_opinions, found.words_per_pair
    (1, 1, 3.0)
    """
    rows = [(example, quad) for example in corpus for quad in example.quads]
    full = [(example, quad) for example, quad in rows if not is_empty(quad, corpus.annotates)]
    quads = [quad for _, quad in full]
    polarities = Counter(quad.polarity for quad in quads)
    pair = _words_per_pair([quad for _, quad in rows])
    nonempty, videos = _nonempty_keys(corpus), _find_videos(corpus)
    implicit = _count_implicit(full)
    return TripletProperties(
        rows=len(rows),
        empty_rows=len(rows) - len(full),
        nonempty_rows=len(full),
        segments=len(corpus),
        nonempty_segments=len(nonempty),
        videos=max(videos, default=None),
        videos_present=len(videos) or None,
        positive=polarities[Polarity.POSITIVE],
        negative=polarities[Polarity.NEGATIVE],
        neutral=polarities[Polarity.NEUTRAL],
        unique_aspects=len({quad.aspect.text for quad in quads if quad.aspect}),
        unique_opinions=len({quad.opinion.text for quad in quads if quad.opinion}),
        unique_aspects_caseless=len({quad.aspect.text.lower() for quad in quads if quad.aspect}),
        unique_opinions_caseless=len({quad.opinion.text.lower() for quad in quads if quad.opinion}),
        unique_triplets=len({_spell(quad) for quad in quads}),
        multiword_aspects=sum(_words(quad.aspect) > 1 for quad in quads),
        multiword_opinions=sum(_words(quad.opinion) > 1 for quad in quads),
        multiword_triplets=sum(_words(quad.aspect) > 1 or _words(quad.opinion) > 1 for quad in quads),
        words_per_pair=pair,
        words_per_pair_nonempty=_words_per_pair(quads),
        words_per_triplet=None if pair is None else pair + 1,
        words_per_row=mean([count_words(example.text) for example, _ in rows]) if implicit else None,
        triplets_per_segment=ratio(len(full), len(corpus)),
        triplets_per_nonempty=ratio(len(full), len(set(nonempty))),
        implicit_aspects=implicit[0] if implicit else None,
        implicit_opinions=implicit[1] if implicit else None,
        implicit_triplets=implicit[2] if implicit else None,
        top_aspects=rank_terms(((quad.category, quad.aspect) for quad in quads), top),
        top_opinions=rank_terms(((quad.polarity, quad.opinion) for quad in quads), top),
    )


def is_implicit(term: Term | None, text: str) -> bool:
    """Return whether a word of the term occurs nowhere in the text; case does not count.

    Found by trying rules until all three published counts came out exactly.

    >>> is_implicit(Term("Rear seat"), "the rear seats"), is_implicit(Term("back seat"), "the rear seats")
    (False, True)
    """
    return term is None or any(word not in text.lower() for word in term.text.lower().split())


def _nonempty_keys(corpus: Corpus) -> list[Hashable]:
    return [
        key
        for key, example in zip(sentence_keys(corpus), corpus, strict=True)
        if not all(is_empty(quad, corpus.annotates) for quad in example.quads)
    ]


def _find_videos(corpus: Corpus) -> set[int]:
    """Return the numbers of the videos: an id of MuSe-CarASTE is video-segment, others may be anything."""
    if corpus.provenance.format != "muse":
        return set()
    heads = (example.id.partition("-")[0] for example in corpus)
    return {int(head) for head in heads if head.isdecimal()}


def _words_per_pair(quads: Sequence[Quad]) -> float | None:
    return mean([_words(quad.aspect) + _words(quad.opinion) for quad in quads])


def _words(term: Term | None) -> int:
    return 1 if term is None else count_words(term.text)


def _count_implicit(rows: Sequence[Row]) -> tuple[int, int, int] | None:
    if not any(example.text.strip() for example, _ in rows):
        return None
    aspects = [is_implicit(quad.aspect, example.text) for example, quad in rows]
    opinions = [is_implicit(quad.opinion, example.text) for example, quad in rows]
    different = {
        _spell(quad)
        for (_, quad), aspect, opinion in zip(rows, aspects, opinions, strict=True)
        if aspect or opinion
    }
    return sum(aspects), sum(opinions), len(different)


def _spell(quad: Quad) -> tuple[str | None, str | None, str | None]:
    aspect, opinion = (None if term is None else term.text for term in (quad.aspect, quad.opinion))
    return aspect, opinion, quad.polarity


def rank_terms(pairs: Iterable[tuple[str | None, Term | None]], top: int) -> dict[str, Ranking]:
    """List the most frequent terms of each class; ties are in the order of their characters.

    >>> rank_terms([("cost", Term("price")), ("cost", Term("price")), ("cost", Term("fee"))], 1)
    {'cost': (('price', 2),)}
    """
    counters: dict[str, Counter[str]] = {}
    for label, term in pairs:
        if term is not None:
            counters.setdefault(str(label or "all"), Counter())[term.text] += 1
    return {
        label: tuple(sorted(counter.items(), key=lambda item: (-item[1], item[0]))[:top])
        for label, counter in sorted(counters.items())
    }
