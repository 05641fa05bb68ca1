"""Quality of `analyze`: triplet scores on the four ASTE-V2 test sets, read off the table that it writes.

    python benchmarks/analyze_quality.py ASTE-Data-V2-EMNLP2020 [--model FOLDER] [--split]

Each test sentence is given as a review of its own. With --split, reviews are split into sentences as usual,
which tears a few test sentences apart.
"""

import argparse
import csv
import tempfile
from pathlib import Path

from aspectlab.analysis.pipeline import Settings, analyze
from aspectlab.data import Corpus, Polarity, Quad, Span, Term
from aspectlab.metrics import METRICS
from aspectlab.readers import read
from aspectlab.runtime import Predictor, load_predictor
from aspectlab.tasks import TASKS

PARTS = ("14lap", "14res", "15res", "16res")


def main() -> None:
    """Print precision, recall and F1 for each test set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the folder with 14res, 14lap, 15res and 16res")
    parser.add_argument("--model", help="an exported or saved model (default: the shipped one)")
    parser.add_argument("--style", default="aste", help="annotation style (default: that of the test sets)")
    parser.add_argument("--split", action="store_true", help="split into sentences")
    options = parser.parse_args()
    predictor = load_predictor(options.model, style=options.style)
    for part in PARTS:
        gold = read(options.folder / part / "test_triplets.txt")
        found = _analyze(gold, predictor, split=options.split)
        metric = METRICS["tuple-f1"](TASKS["aste"])
        total = sum(metric.count(example.quads, found.get(example.id, [])) for example in gold)
        scores = {name: f"{100 * float(value):.2f}" for name, value in metric.score(total).items()}
        print(part, *(scores[name] for name in ("precision", "recall", "f1")))


def _analyze(gold: Corpus, predictor: Predictor, *, split: bool) -> dict[str, list[Quad]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reviews.csv"
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerows([("id", "text"), *((example.id, example.text) for example in gold)])
        analyze([path], predictor, Path(folder) / "out", Settings(split=split), report=False)
        with (Path(folder) / "out" / "opinions.csv").open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    texts = {example.id: example.text for example in gold}
    found: dict[str, list[Quad]] = {}
    for row in rows:
        found.setdefault(row["review"], []).append(_quad(row, texts[row["review"]]))
    return found


def _quad(row: dict[str, str], text: str) -> Quad:
    """Make a quad of the offsets in a row; they are empty for what is not named."""
    aspect, opinion = (
        Span(int(row[f"{side}_start"]), int(row[f"{side}_end"])) if row[f"{side}_start"] else None
        for side in ("aspect", "opinion")
    )
    terms = (span and Term(text[span.start : span.end], span) for span in (aspect, opinion))
    return Quad(next(terms), None, next(terms), Polarity(row["polarity"]))


if __name__ == "__main__":
    main()
