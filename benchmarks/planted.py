"""Planted stories: is a change, or a driver of the rating, named that was planted, and no other?

    python benchmarks/planted.py [--sets 20] [--empty 20] [--reviews 1200] [--seed 0] [--list]

Opinions are drawn, not found: the model is not under test. Every set has four groups, a year and twelve
aspects. In a set with a change one aspect of one group turns from praise to blame in a month; in one with a
driver the blame of one aspect costs 1.2 stars and the others cost nothing; an empty set has neither. Beside
them stand the sample reviews of the package, with the shipped model, whose hotel breakfast turned.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aspectlab.analysis import Settings, analyze
from aspectlab.analysis.aggregate import Aggregate, Category, Insights, Slice, Totals
from aspectlab.analysis.evidence import FoundOpinion, JoinedReview
from aspectlab.analysis.insights import find_insights
from aspectlab.data import PolarityCounts
from aspectlab.runtime import load_predictor

GROUPS = ("Aurora", "Belmora", "Cara", "Dorado")
ASPECTS = tuple(f"aspect {letter}" for letter in "abcdefghijkl")
MONTHS = tuple(f"2025-{number:02}" for number in range(1, 13))
COST = 1.2


@dataclass(frozen=True)
class Planted:
    """A set of reviews, and what was planted in it."""

    reviews: list[JoinedReview]
    change: tuple[str, str, str] = ("", "", "")
    driver: str = ""


def make_set(seed: int, count: int, kind: str) -> Planted:
    """Draw reviews; `kind` is change, driver or empty."""
    rng = np.random.default_rng(seed)
    praise = rng.uniform(0.5, 0.85, len(ASPECTS))
    aspect, group, month = int(rng.integers(6)), int(rng.integers(4)), int(rng.integers(4, 9))
    reviews = []
    for number in range(count):
        where, when = int(rng.integers(4)), int(rng.integers(12))
        said = [k for k in range(len(ASPECTS)) if rng.random() < 0.3 / (1 + k / 4)]
        is_turned = kind == "change" and where == group and when >= month
        good = {k: rng.random() < (0.15 if is_turned and k == aspect else praise[k]) for k in said}
        if kind == "change" and where == group and aspect in good and when < month:
            good[aspect] = bool(rng.random() < 0.85)
        cost = COST if kind == "driver" and not good.get(aspect, True) else 0.0
        # what a guest feels shows in the rating, whatever is said
        rating = float(np.clip(np.round(4.1 - cost + rng.normal(0, 0.9)), 1, 5))
        opinions = [
            FoundOpinion(0, ASPECTS[k], "positive" if is_good else "negative", 0.9, None, None, "", "")
            for k, is_good in good.items()
        ]
        date = f"{MONTHS[when]}-{int(rng.integers(1, 29)):02}"
        reviews.append(JoinedReview(str(number), GROUPS[where], date, f"{rating:g}", ["A."], opinions))
    change = (ASPECTS[aspect], GROUPS[group], MONTHS[month]) if kind == "change" else ("", "", "")
    return Planted(reviews, change, ASPECTS[aspect] if kind == "driver" else "")


def summarise(reviews: list[JoinedReview]) -> Aggregate:
    """Count what the pipeline counts."""
    return Aggregate(
        "planted",
        Totals(len(reviews), len(reviews), sum(len(r.opinions) for r in reviews), len(reviews)),
        count(reviews),
        tuple(Category(name, count(reviews, name)) for name in ASPECTS),
        tuple(Slice(name, 1, count([r for r in reviews if r.group == name])) for name in GROUPS),
        tuple(Slice(name, 1, count([r for r in reviews if r.month == name])) for name in MONTHS),
    )


def count(reviews: list[JoinedReview], category: str = "") -> PolarityCounts:
    """Count opinions, of one category or of all."""
    found = [o.polarity for r in reviews for o in r.opinions if category in ("", o.category)]
    return PolarityCounts(found.count("positive"), found.count("negative"))


def tell(planted: Planted) -> tuple[bool, bool, Insights]:
    """Return whether what was planted is named, and whether anything else is."""
    insights = find_insights(planted.reviews, summarise(planted.reviews))
    changes = {(each.category, each.group) for each in insights.changes}
    drivers = {each.category for each in insights.drivers if each.is_clear}
    named = (not planted.change[0] or planted.change[:2] in changes) and (
        not planted.driver or planted.driver in drivers
    )
    return named, bool(changes - {planted.change[:2]} or drivers - {planted.driver}), insights


def tell_sample() -> Iterator[str]:
    """Return the changes of the sample reviews, found by the shipped model."""
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(__file__).parent.parent / "examples" / "reviews.csv"
        done = analyze([sample], load_predictor(), Path(folder) / "out", Settings(), report=False)
    for change in done.aggregate.insights.changes:
        before, after = (f"{h} of {n}" for h, n in zip(change.hits, change.trials, strict=True))
        said = f"{change.kind} {before} to {after} since {change.since}, p {change.p:.4f}"
        yield f"{change.category}, {change.group or 'all'}: {said}"


def main() -> None:
    """Print the tally of planted, empty and sample sets."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--empty", type=int, default=20)
    parser.add_argument("--reviews", type=int, default=1_200)
    parser.add_argument("--seed", type=int, default=0, help="another one draws other sets")
    parser.add_argument("--list", action="store_true", help="print what is missed and what is false")
    options = parser.parse_args()
    is_good = True
    print(f"{'planted':<10}{'sets':>6}{'named':>8}{'with a false alarm':>20}", flush=True)
    kinds = (("change", options.sets), ("driver", options.sets), ("empty", options.empty))
    for number, (kind, sets) in enumerate(kinds):
        # seeds of their own: an odd set of reviews must not count in each row
        first = 1_000_000 * (number + 1) + 1_000 * options.seed
        found = [tell(make_set(first + k, options.reviews, kind)) for k in range(sets)]
        named, false = sum(each[0] for each in found), sum(each[1] for each in found)
        shown = "" if kind == "empty" else f"{named}"
        print(f"{kind:<10}{sets:>6}{shown:>8}{false:>20}", flush=True)
        is_good = is_good and (named >= 0.95 * sets if kind != "empty" else false <= 0.05 * sets)
        for seed, (is_named, is_false, insights) in enumerate(found if options.list else []):
            if not is_named or is_false:
                clear = [each for each in insights.drivers if each.is_clear]
                print(f"  {seed}: named {is_named}, {insights.changes}, {clear}")
    stories = list(tell_sample())
    print("sample reviews:", *stories, sep="\n  ")
    is_good = is_good and any(story.startswith("breakfast, Hotel Belmora") for story in stories)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
