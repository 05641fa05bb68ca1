"""Generated reviews for benchmarks: any number, the same each time, a third with an aspect of its own."""

import csv
import random
from collections.abc import Iterator
from pathlib import Path

NOUNS = (
    *("battery", "screen", "keyboard", "soup", "waiter", "bed", "shower", "price", "staff", "breakfast"),
    *("view", "pasta", "charger", "fan", "lobby", "pool", "menu", "dessert", "speaker", "camera"),
)
KINDS = ("front", "back", "main", "old", "new", "small", "spare", "upper", "side", "evening")
PRAISE = ("great", "lovely", "excellent", "very good", "superb", "pleasant")
BLAME = ("awful", "poor", "terrible", "too slow", "disappointing", "dirty")
FORMS = (
    "The {noun} was {good}.",
    "{good_title} {noun}, {bad} {other}.",
    "The {kind} {noun} is {bad}!",
    "We liked the {noun} but the {code} {other} was {bad}.",
    "The {code} {noun} is {good}. Sadly the {other} was {bad}.",
    "We came on a Tuesday.",
)
HEADER = ("id", "product", "date", "rating", "text")


def write_reviews(path: Path, count: int, seed: int = 7) -> None:
    """Write a CSV file of so many reviews."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(HEADER)
        writer.writerows(generate_rows(count, seed))


def generate_rows(count: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield rows; every tenth product and about every third aspect is named once only, as in real files."""
    rng = random.Random(seed)
    for number in range(count):
        text = rng.choice(FORMS).format(
            noun=rng.choice(NOUNS),
            other=rng.choice(NOUNS),
            kind=rng.choice(KINDS),
            code=f"{rng.choice(KINDS)} x{rng.randrange(1_000_000)}",
            good=rng.choice(PRAISE),
            good_title=rng.choice(PRAISE).capitalize(),
            bad=rng.choice(BLAME),
        )
        product = f"product {number if number % 10 == 0 else rng.randrange(200)}"
        date = f"{rng.randrange(2020, 2026)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
        yield f"review-{number}", product, date, str(rng.randrange(1, 6)), text
