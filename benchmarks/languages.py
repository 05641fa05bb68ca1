"""Languages: of 39 times 20 short reviews, how many are recognised; how many English ones are not; how fast.

The reviews are made of a subject and a statement each, written for this benchmark. English reviews of others
are counted where ASPECTLAB_DATA holds them; most of those left out are not English after all: --show.
"""

from __future__ import annotations

import lzma
import os
import sys
import time
from pathlib import Path

from aspectlab.language import find_other_language, name_language

TABLE = Path(__file__).with_name("languages.tsv")
"""By language: its code, subjects, and what is said of them."""

# Norwegian has two written forms, Serbo-Croatian three names
SAME = {"no": {"nn", "da"}, "da": {"no"}, "hr": {"sr", "bs", "sh"}, "id": {"ms"}}


def read_reviews() -> dict[str, list[str]]:
    """Return the 20 reviews of each language."""
    reviews = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        code, *parts = line.split("\t")
        gap = "" if code in {"ja", "zh", "th"} else " "
        subjects, statements = (part.split("|") for part in parts)
        reviews[code] = [f"{subject}{gap}{statement}." for subject in subjects for statement in statements]
    return reviews


def count_recognised() -> tuple[int, int, int]:
    """Return how many reviews there are, how many are left out as not English, and how many named rightly."""
    total = foreign = right = 0
    for code, reviews in read_reviews().items():
        known = [found for review in reviews if (found := find_other_language(review))]
        named = sum(each in {code} | SAME.get(code, set()) for each in known)
        total, foreign, right = total + len(reviews), foreign + len(known), right + named
        if named < len(reviews):
            print(f"  {name_language(code)}: {len(known)} of {len(reviews)} left out, {named} named rightly")
    return total, foreign, right


def count_false_alarms(path: Path, most: int = 20_000) -> tuple[int, list[str]]:
    """Return how many reviews were looked at, and those that are left out."""
    with lzma.open(path, "rt", encoding="utf-8", errors="replace") as stream:
        texts = [line.strip() for _, line in zip(range(most), stream, strict=False) if line.strip()]
    begin = time.perf_counter()
    out = [text for text in texts if find_other_language(text)]
    micro = (time.perf_counter() - begin) / len(texts) * 1e6
    share = 100 * len(out) / len(texts)
    print(f"  {path.name}: {len(out)} of {len(texts):,} left out ({share:.2f} %), {micro:.0f} µs each")
    return len(texts), out


def main() -> None:
    """Print the figures; with --show, the English files' texts that are left out."""
    total, foreign, right = count_recognised()
    shares = (
        f"{foreign} left out ({100 * foreign / total:.1f} %), {right} ({100 * right / total:.1f} %) named"
    )
    print(f"{total} reviews: {shares} rightly")
    folder = os.environ.get("ASPECTLAB_DATA")
    for path in sorted(Path(folder, "unlabelled").glob("*.txt.xz")) if folder else []:
        _, out = count_false_alarms(path)
        if "--show" in sys.argv:
            for text in out[:60]:
                print(f"    {find_other_language(text)} {text[:110]}")


if __name__ == "__main__":
    main()
