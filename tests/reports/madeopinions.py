"""A small aggregate, written by hand, and a hostile one."""

from dataclasses import replace

from aspectlab.insight.aggregate import Aggregate, Category, Counts, Edge, Evidence, Named, Slice, Totals

TEXT = "The soup was cold, the waiter kind."
SOUP = Evidence("r1", "Aurora", "2025-01-04", "2", TEXT, (4, 8), (13, 17), "negative", 0.97)
WAITER = Evidence("r1", "Belmora", "2025-03-01", "5", TEXT, (23, 29), (30, 34), "positive", 0.999)


def made_group(name: str, food: Counts, service: Counts) -> Slice:
    both = Counts(food.positive + service.positive, food.negative + service.negative)
    return Slice(name, 40, both, {"food": food, "service": service}, {"2025-01": both})


# 56 of 70 and 48 of 80 are the counts of an example with a published interval, see test_opinions_browser.py
AURORA = made_group("Aurora", Counts(48, 32), Counts(3, 1))
BELMORA = made_group("Belmora", Counts(56, 14), Counts(1, 0))
AGGREGATE = Aggregate(
    title="made.csv",
    totals=Totals(reviews=80, sentences=300, opinions=155, reviews_with_opinions=60),
    counts=Counts(108, 47),
    categories=(
        Category(
            "food",
            Counts(104, 46),
            (Named("soup", Counts(2, 5)), Named("bread", Counts(3))),
            (Named("cold", Counts(0, 9)), Named("fresh", Counts(7, 0, 1))),
            (SOUP,),
        ),
        Category(
            "service", Counts(4, 1), (Named("waiter", Counts(4)),), (Named("kind", Counts(3)),), (WAITER,)
        ),
    ),
    groups=(AURORA, BELMORA),
    months=(
        Slice("2025-01", 10, Counts(3, 1), {"food": Counts(3, 1)}),
        Slice("2025-02", 20, Counts(1), {"food": Counts(1)}),
        Slice("2025-04", 20, Counts(1, 4), {"service": Counts(1, 4)}),
    ),
    ratings=(Slice("2", 30, Counts(10, 20)), Slice("5", 50, Counts(98, 27))),
    edges=(Edge("soup", "cold", "negative", "food", 5),),
    settings={"model": "made-model", "aspectlab": "0.0"},
    notices=("3 broken rows skipped",),
)

HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>\0\u202e\ud83d</style>"


def hostile_aggregate(text: str = HOSTILE) -> Aggregate:
    """Give an aggregate in which every string that comes from outside is this text."""
    named = (Named(text, Counts(2, 1)),)
    quote = Evidence(text, text, text, text, text, (0, 3), (2, len(text)), "negative", 0.5)
    category = Category(text, Counts(2, 1), named, named, (quote, replace(quote, polarity=text)))
    part = Slice(text, 3, Counts(2, 1), {text: Counts(2, 1)}, {text: Counts(2, 1)})
    months = tuple(Slice(month, 3, Counts(2, 1), {text: Counts(2, 1)}) for month in ("2025-01", "2025-02"))
    return Aggregate(
        title=text,
        totals=Totals(3, 3, 3, 3),
        counts=Counts(2, 1),
        categories=(category, replace(category, name=f"{text}2")),
        groups=(part, replace(part, name=f"{text}2")),
        months=(*months, part),
        ratings=(part,),
        edges=(Edge(text, text, "positive", text, 2), Edge(text, text, text, text, 2)),
        settings={text: text},
        notices=(text,),
    )
