"""A small aggregate, written by hand, and a hostile one."""

from dataclasses import replace

from aspectlab.analysis.aggregate import Aggregate, Category, Evidence, OpinionPair, Slice, TermCounts, Totals
from aspectlab.data import PolarityCounts

TEXT = "The soup was cold, the waiter kind."
SOUP = Evidence("r1", "Aurora", "2025-01-04", "2", TEXT, (4, 8), (13, 17), "negative", 0.97)
WAITER = Evidence("r1", "Belmora", "2025-03-01", "5", TEXT, (23, 29), (30, 34), "positive", 0.999)


def made_group(name: str, food: PolarityCounts, service: PolarityCounts) -> Slice:
    both = PolarityCounts(food.positive + service.positive, food.negative + service.negative)
    return Slice(name, 40, both, {"food": food, "service": service}, {"2025-01": both})


# 56 of 70 and 48 of 80 are the counts of an example with a published interval, see test_opinions_browser.py
AURORA = made_group("Aurora", PolarityCounts(48, 32), PolarityCounts(3, 1))
BELMORA = made_group("Belmora", PolarityCounts(56, 14), PolarityCounts(1, 0))
AGGREGATE = Aggregate(
    title="made.csv",
    totals=Totals(reviews=80, sentences=300, opinions=155, reviews_with_opinions=60),
    counts=PolarityCounts(108, 47),
    categories=(
        Category(
            "food",
            PolarityCounts(104, 46),
            (TermCounts("soup", PolarityCounts(2, 5)), TermCounts("bread", PolarityCounts(3))),
            (TermCounts("cold", PolarityCounts(0, 9)), TermCounts("fresh", PolarityCounts(7, 0, 1))),
            (SOUP,),
        ),
        Category(
            "service",
            PolarityCounts(4, 1),
            (TermCounts("waiter", PolarityCounts(4)),),
            (TermCounts("kind", PolarityCounts(3)),),
            (WAITER,),
        ),
    ),
    groups=(AURORA, BELMORA),
    months=(
        Slice("2025-01", 10, PolarityCounts(3, 1), {"food": PolarityCounts(3, 1)}),
        Slice("2025-02", 20, PolarityCounts(1), {"food": PolarityCounts(1)}),
        Slice("2025-04", 20, PolarityCounts(1, 4), {"service": PolarityCounts(1, 4)}),
    ),
    ratings=(Slice("2", 30, PolarityCounts(10, 20)), Slice("5", 50, PolarityCounts(98, 27))),
    edges=(OpinionPair("soup", "cold", "negative", "food", 5),),
    settings={"model": "made-model", "aspectlab": "0.0"},
    notices=("3 broken rows skipped",),
)

HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>\0\u202e\ud83d</style>"


def hostile_aggregate(text: str = HOSTILE) -> Aggregate:
    """Return an aggregate in which every string that comes from outside is this text."""
    named = (TermCounts(text, PolarityCounts(2, 1)),)
    quote = Evidence(text, text, text, text, text, (0, 3), (2, len(text)), "negative", 0.5)
    category = Category(text, PolarityCounts(2, 1), named, named, (quote, replace(quote, polarity=text)))
    part = Slice(text, 3, PolarityCounts(2, 1), {text: PolarityCounts(2, 1)}, {text: PolarityCounts(2, 1)})
    months = tuple(
        Slice(month, 3, PolarityCounts(2, 1), {text: PolarityCounts(2, 1)})
        for month in ("2025-01", "2025-02")
    )
    return Aggregate(
        title=text,
        totals=Totals(3, 3, 3, 3),
        counts=PolarityCounts(2, 1),
        categories=(category, replace(category, name=f"{text}2")),
        groups=(part, replace(part, name=f"{text}2")),
        months=(*months, part),
        ratings=(part,),
        edges=(OpinionPair(text, text, "positive", text, 2), OpinionPair(text, text, text, text, 2)),
        settings={text: text},
        notices=(text,),
    )
