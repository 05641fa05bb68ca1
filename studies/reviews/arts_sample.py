"""Draw generated Restaurant variants to be read by hand, and count the verdicts of a review.

    python studies/reviews/arts_sample.py draw SEED [DATA_FOLDER]     print 100 variants per strategy
    python studies/reviews/arts_sample.py tally REVIEW.csv            count who is fluent and right

The folder is that of the published data sets (ASPECTLAB_DATA). A review holds ids and changed words only:
whoever wants to read the sentences draws them again with the same seed.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path
from random import Random

from aspectlab.readers import read
from aspectlab.robustness.generator import generate

STRATEGIES = ("revtgt", "revnon", "adddiff")
SIZE = 100


def draw(seed: str, folder: Path) -> None:
    """Print strategy, id, target, label, changed words and text of each variant, with tabs between."""
    towe, train, full = (
        read(folder / "arts" / "src_data" / "rest" / f"{name}.json")
        for name in ("test_sent_towe", "train_sent_towe", "test_sent")
    )
    corpus = generate(towe, train, all_aspects=full, strategies=STRATEGIES).corpus
    sources = {example.id: example for example in corpus if example.source is None}
    for strategy in STRATEGIES:
        variants = [example for example in corpus if example.variant == strategy]
        rng = Random(f"{seed}:{strategy}")  # noqa: S311 (not for secrets)
        for example in rng.sample(variants, SIZE):
            quad = example.quads[0]
            assert quad.aspect is not None
            assert quad.polarity is not None
            change = changed_words(sources[example.source or ""].text, example.text)
            print(strategy, example.id, quad.aspect.text, quad.polarity.value, change, example.text, sep="\t")


def changed_words(before: str, after: str) -> str:
    """Write what was replaced by what; an insertion has nothing before the arrow.

    >>> changed_words("A nice cup", "A nasty cup")
    'nice>nasty'
    """
    old, new = (re.findall(r"\w+(?:['’]\w+)?", text) for text in (before, after))
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return "; ".join(
        f"{' '.join(old[a:b])}>{' '.join(new[c:d])}" for code, a, b, c, d in codes if code != "equal"
    )


def tally(path: Path) -> None:
    """Print the shares of each strategy."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    total = Counter(row["strategy"] for row in rows)
    for strategy, count in total.items():
        chosen = [row for row in rows if row["strategy"] == strategy]
        fluent, right = (sum(row[column] == "y" for row in chosen) for column in ("fluent", "label_right"))
        print(f"{strategy}: {count} read, fluent {fluent / count:.0%}, label right {right / count:.0%}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["draw"]:
        usual = Path(__file__).parents[2].parent / "shared" / "data"
        named = sys.argv[3] if len(sys.argv) > 3 else os.environ.get("ASPECTLAB_DATA", str(usual))
        draw(sys.argv[2], Path(named))
    elif sys.argv[1:2] == ["tally"]:
        tally(Path(sys.argv[2]))
    else:
        raise SystemExit(__doc__)
