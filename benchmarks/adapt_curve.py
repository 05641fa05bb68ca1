"""Learning curves of `aspectlab adapt`: what 30 to 200 judged sentences of a new domain gain.

    python benchmarks/adapt_curve.py memd/Books/Train.json memd/Clothing/Train.json … [--without memd]

The labelled files are of domains that the shipped model was not trained on. Of each, 700 texts are read once
in every style. Then, two hundred times, some of them choose the style, and F1 of exact triplets on all others
is compared with that of the style of `analyze`. --without leaves out the style of the data set itself, which
a user's own judgements do not have.
"""

import argparse
from pathlib import Path

import numpy as np

from aspectlab.analysis import count_agreement, pick_style
from aspectlab.metrics import METRICS
from aspectlab.readers import read
from aspectlab.runtime import HOUSE, SHIPPED, QuadSettings, load_predictor, read_description
from aspectlab.tasks import TASKS

_TEXTS, _DRAWS = 700, 200
_SIZES = (30, 60, 100, 200)


def main() -> None:
    """Print a row for each file and number of sentences."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="+", help="labelled files in any known format")
    parser.add_argument("--without", help="leave out this style")
    options = parser.parse_args()
    settings = QuadSettings.parse(read_description(SHIPPED).settings)
    metric = METRICS["tuple-f1"](TASKS["aste-all"])
    print(f"{'file':<26}{'judged':>7}{'before':>8}{'after':>8}{'gain':>7}{'95 % of draws':>16}{'home':>6}")
    for path in options.files:
        examples = list(read(path))
        order = np.random.default_rng(1).permutation(len(examples))[:_TEXTS]
        examples = [examples[index] for index in order]
        left_out = {settings.house_style, options.without}
        styles = (HOUSE, *(style for style in settings.styles if style not in left_out))
        texts = [example.text for example in examples]
        counts = np.stack(
            [
                count_agreement(metric, examples, load_predictor(style=style, categories=()).predict(texts))
                for style in styles
            ]
        )  # [S, T, N, K]
        rng = np.random.default_rng(0)
        for size in _SIZES:
            rows = []
            for _ in range(_DRAWS):
                drawn = rng.permutation(len(texts))
                chosen = pick_style(metric, counts, drawn[:size])
                scores = metric.score(counts[[0, chosen], 0][:, drawn[size:]].sum(1))["f1"]
                rows.append((100 * scores[0], 100 * scores[1], chosen == 0))
            before, after, stays = np.mean(rows, axis=0)
            low, high = np.percentile([row[1] - row[0] for row in rows], [2.5, 97.5])
            print(
                f"{path.parent.name + '/' + path.stem:<26.26}{size:>7}{before:>8.1f}{after:>8.1f}"
                f"{after - before:>7.1f}{f'{low:.1f} to {high:.1f}':>16}{stays:>6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
