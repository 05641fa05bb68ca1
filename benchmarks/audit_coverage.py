"""Coverage of audited shares: do the intervals of `aspectlab audit` hold what they promise?

    python benchmarks/audit_coverage.py memd/Books/Train.json dmaste/fashion/train.txt … [--audits 500]

The labelled files are of domains that the shipped model was not trained on. The model reads all texts once.
Then, in each simulated audit, 1,200 texts are drawn as the reviews of a user, and 50, 100 or 200 of them are
judged: the labels are the judge. A row says how often the 95 % interval of a share of positive opinions holds
the share of the whole file, overall and in its most frequent categories; beside it the interval that counts
opinions alone, as if the model made no mistake.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Quad
from aspectlab.readers import read
from aspectlab.reports import estimate_share
from aspectlab.runtime import load_predictor
from aspectlab.stats import JudgedSample, corrected_share

_TEXTS, _CATEGORIES, _FEWEST = 1_200, 5, 100
_SIZES = (50, 100, 200)


def main() -> None:
    """Print a row for each file, category and size of the audit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="+", help="labelled files in any known format")
    parser.add_argument("--audits", type=int, default=500, help="simulated audits a row")
    options = parser.parse_args()
    print(
        f"{'file and category':<44}{'opinions':>9}{'judged':>7}"
        + "".join(f"{name:>8}" for name in ("true", "counted", "audited", "±"))
    )
    held = []
    for path in options.files:
        examples = list(read(path))
        names = Counter(quad.category for example in examples for quad in example.quads if quad.category)
        predictor = load_predictor(categories=sorted(names))
        predicted = predictor.predict([example.text for example in examples])
        gold = [example.quads for example in examples]
        frequent = [name for name, count in names.most_common(_CATEGORIES) if count >= _FEWEST]
        for category in (None, *frequent):
            for size in _SIZES:
                row = simulate(_count(predicted, category), _count(gold, category), size, options.audits)
                label = f"{path.parent.name}/{path.stem} {category or 'all'}"
                print(f"{label:<44.44}{row[0]:>9,}{size:>7}" + "".join(f"{value:>8.3f}" for value in row[1:]))
                held.append(row[2:4])
    counted, audited = (float(np.mean(each)) for each in zip(*held, strict=True))
    print(
        f"mean over rows: {counted:.3f} of the counted intervals hold the true share, "
        f"{audited:.3f} of the audited ones"
    )


def _count(quads: Sequence[Sequence[Quad]], category: str | None) -> NDArray[np.float64]:
    """Count positive opinions and all opinions of each text, [N, 2]."""
    kept = [[quad for quad in each if category in (None, quad.category)] for each in quads]
    return np.array([[sum(quad.polarity == "positive" for quad in each), len(each)] for each in kept], float)


def simulate(
    predicted: NDArray[np.float64], truth: NDArray[np.float64], size: int, audits: int
) -> tuple[int, float, float, float, float]:
    """Return the opinions, their true share, how often both intervals hold it, and the reach of one."""
    rng = np.random.default_rng(0)
    hits, everything = truth.sum(0)
    true = hits / everything
    found, reach = [], []
    for _ in range(audits):
        texts = rng.integers(0, len(truth), _TEXTS)
        counted = predicted[texts].sum(0)
        plain = estimate_share(int(counted[0]), int(counted[1]))
        strata = (predicted[texts, 1] > 0).astype(int)
        sizes = np.bincount(strata, minlength=2)
        drawn = np.concatenate(
            [
                rng.choice(np.flatnonzero(strata == stratum), min(wanted, sizes[stratum]), replace=False)
                for stratum, wanted in enumerate(_share_out(size, sizes))
            ]
        )
        judged = texts[drawn]
        sample = JudgedSample.build(strata[drawn].tolist(), sizes.tolist(), predicted[judged], truth[judged])
        share = corrected_share(sample, counted)
        found.append((plain.low <= true <= plain.high, share.low <= true <= share.high))
        reach.append((share.high - share.low) / 2)
    coverage = np.mean(found, axis=0)
    return int(everything), float(true), float(coverage[0]), float(coverage[1]), float(np.mean(reach))


def _share_out(size: int, sizes: NDArray[np.int64]) -> list[int]:
    """Share out what is judged: a text with opinions counts twice."""
    weights = sizes * np.array([1, 2])
    return [max(2, round(size * weight / weights.sum())) for weight in weights.tolist()]


if __name__ == "__main__":
    main()
