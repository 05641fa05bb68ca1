"""Categories: how many opinions go to the right one, and how long it takes to assign 100,000 to others.

    python benchmarks/taxonomy.py [--opinions 100000] [--most-seconds 10]

The sentences of `reviews/categories.tsv` are our own; each has one category, or a few that are as good. The
built-in words were chosen with those of the part `dev` in sight, and not with those of the part `hold`, which
is of other domains. The opinions to assign anew are of generated reviews, found by a stand-in for the model.
"""

import argparse
import csv
import math
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from generated import write_reviews
from stand_in import StandIn

from aspectlab.analysis import Settings, analyze, find_opinions, parse_taxonomy, prepare
from aspectlab.analysis.assign import assign_opinions
from aspectlab.analysis.pipeline import choose_taxonomy
from aspectlab.readers import Review
from aspectlab.runtime import load_predictor

SENTENCES = Path(__file__).parent / "reviews" / "categories.tsv"
CHANGED = """
extends = "general"
merge = { battery = "performance" }
rename = { food = "kitchen" }
[categories.camera]
synonyms = ["camera"]
"""


def main() -> None:
    """Print both, and fail where assigning takes too long."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--opinions", type=int, default=100_000)
    parser.add_argument("--most-seconds", type=float, default=10.0)
    options = parser.parse_args()
    measure_quality()
    seconds = measure_speed(options.opinions)
    sys.exit(0 if seconds <= options.most_seconds else 1)


def measure_quality() -> None:
    """Print the share of opinions in a right category, and in none, of both parts."""
    with SENTENCES.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, delimiter="\t"))
    predictor = load_predictor()
    found = find_opinions(predictor, [Review(str(number), row[3]) for number, row in enumerate(rows)])
    for part in ("dev", "hold"):
        tally: Counter[str] = Counter()
        for row, result in zip(rows, found, strict=True):
            # each sentence for itself: nothing can be discovered in one
            assignment = assign_opinions(result.opinions, predictor.embed, choose_taxonomy(None))
            for opinion in result.opinions if row[0] == part else ():
                category, _ = assignment.find(opinion)
                tally[
                    "right" if category in row[2].split("|") else "other" if category == "other" else "wrong"
                ] += 1
        low, high = wilson(tally["right"], tally.total())
        print(
            f"{part}: {tally['right']} of {tally.total()} opinions in a right category "
            f"({100 * low:.0f} to {100 * high:.0f} %), {tally['other']} in none"
        )


def wilson(right: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share."""
    share = right / total
    centre = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (centre - half) / (1 + z * z / total), (centre + half) / (1 + z * z / total)


def measure_speed(opinions: int) -> float:
    """Return the seconds that other categories take on a finished folder, tables and report included."""
    with tempfile.TemporaryDirectory() as name:
        reviews, out = Path(name) / "reviews.csv", Path(name) / "out"
        write_reviews(reviews, round(opinions / 1.17))
        first = analyze([reviews], StandIn(), out)
        began = time.process_time()
        changed = Settings(taxonomy=parse_taxonomy(CHANGED, "changed"))
        again = analyze(prepare([reviews], changed), StandIn(), out)
        seconds = time.process_time() - began
    assert first.aggregate.totals == again.aggregate.totals
    print(
        f"{again.aggregate.totals.opinions:,} opinions go to other categories in {seconds:.1f} s of one core"
    )
    return seconds


if __name__ == "__main__":
    main()
