"""Analysis speed: sentences a second of `aspectlab analyze`, file to file, against a plain padded torch loop.

    python benchmarks/analyze_speed.py [--model FOLDER] [--reviews FILE] [--sentences 3000] [--threads N]
        [--peers]

Both run the same model with the same weights in one run. The plain way is what the existing toolkits do:
batches of 32 in the order of the file, padded to a fixed 80 tokens, float32, every text decoded in Python; it
gets the sentences for free, where ours reads, splits and writes. Then: what the arithmetic alone would take
at the rate of a large matrix product, and what takes the rest. CPU time tells more than the clock on a busy
machine. With --peers, SetFit-ABSA and PyABSA are timed beside us, where they are installed: they get the same
encoder and the sentences for free, and find aspects with their polarity, but no opinion words.
"""

import argparse
import csv
import itertools
import resource
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import openvino
import torch
from openvino import opset13
from peers import open_peers
from torch import nn

from aspectlab.analysis.pipeline import analyze
from aspectlab.data import Example, Quad
from aspectlab.encoders import restore_encoder
from aspectlab.encodings.spans import N_SPAN_CLASSES
from aspectlab.language.segmentation import split_sentences
from aspectlab.models.stage import STAGE
from aspectlab.readers.reviews import open_reviews
from aspectlab.readers.tables.lenient import ReadCounts
from aspectlab.runtime import GRAPH, SHIPPED, NetworkPredictor, PredictOptions
from aspectlab.runtime.exported import available_cores, open_exported
from aspectlab.runtime.networkpredictor import Runner
from aspectlab.runtime.predictor import read_description
from aspectlab.training.dataset import to_tensors
from aspectlab.training.torch_runtime import read_weights

FIXED_LENGTH = 80
PLAIN_BATCH = 32
PLAIN_SHARE = 16  # the plain way sees every so-manieth sentence: it is that much slower


Arrays = tuple[np.ndarray, ...]


class Parts(NamedTuple):
    """CPU seconds of prediction, and of the networks in it."""

    prediction: float
    first: float
    second: float


class Cost(NamedTuple):
    """What some work took."""

    wall_s: float
    cpu_s: float

    def each(self, count: int) -> "Cost":
        """Return the cost of one of so many sentences."""
        return Cost(self.wall_s / count, self.cpu_s / count)


def main() -> None:
    """Time both ways and print where the time goes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, default=SHIPPED, help="a folder that `aspectlab export` wrote")
    parser.add_argument("--reviews", type=Path, default=Path("examples/reviews.csv"))
    parser.add_argument("--sentences", type=int, default=3_000)
    parser.add_argument("--threads", type=int, default=available_cores())
    parser.add_argument("--peers", action="store_true", help="time SetFit-ABSA and PyABSA as well")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    reviews, sentences = repeat_reviews(options.reviews, options.sentences)
    predictor = open_exported(options.model, options.threads, PredictOptions())
    ours = time_ours(predictor, reviews, sentences)
    parts = time_parts(predictor, sentences, options.threads)
    few = sentences[::PLAIN_SHARE]
    plain = time_plain(restore_stage(options.model), predictor, few)
    others = {"plain padded torch loop": plain.each(len(few))}
    if options.peers:
        others |= time_peers(list(dict.fromkeys(few)))
    print_rates(others, ours.each(len(sentences)), options.threads)
    print_limit(predictor, options.model, options.threads, ours, parts, sentences)
    print(f"\npeak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def repeat_reviews(path: Path, count: int) -> tuple[list[str], list[str]]:
    """Take reviews in turn until they have so many sentences."""
    texts = [review.text for review in open_reviews([path]).read(ReadCounts())]
    reviews: list[str] = []
    sentences: list[str] = []
    for text in itertools.cycle(texts):
        if len(sentences) >= count:
            return reviews, sentences
        reviews.append(text)
        sentences += [text[start:end] for start, end in split_sentences(text)]
    return reviews, sentences


def measure(work: Callable[[int], object], rounds: int = 3) -> Cost:
    """Time some work, on the clock and on all cores together: the best of some rounds."""
    costs = []
    for number in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        work(number)
        costs.append(Cost(time.perf_counter() - wall, time.process_time() - cpu))
    return min(costs, key=lambda cost: cost.cpu_s)


class Spy:
    """Notes what a network is asked."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.label, self.version = runner.label, runner.version
        self.asked: list[Arrays] = []

    def run(self, *inputs: np.ndarray) -> Arrays:
        """Pass it on."""
        self.asked.append(inputs)
        return self.runner.run(*inputs)

    def repeat(self, threads: int) -> Cost:
        """Ask the network alone all of it again."""
        with ThreadPoolExecutor(threads) as pool:
            return measure(lambda _: list(pool.map(lambda asked: self.runner.run(*asked), self.asked)))


def time_ours(predictor: NetworkPredictor, reviews: list[str], sentences: list[str]) -> Cost:
    """Time the whole analysis."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reviews.csv"
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([["text"], *([text] for text in reviews)])
        predictor.predict(sentences)  # the first calls choose kernels
        return measure(lambda n: analyze([path], predictor, Path(folder, f"out-{n}"), report=False))


def time_parts(predictor: NetworkPredictor, sentences: list[str], threads: int) -> Parts:
    """Time prediction alone, and its networks alone on the same batches."""
    prediction = measure(lambda _: predictor.predict(sentences))
    first = predictor.runner = Spy(predictor.runner)
    second = predictor.second = Spy(predictor.second) if predictor.second else None
    predictor.predict(sentences)
    predictor.runner, predictor.second = first.runner, second and second.runner
    return Parts(
        prediction.cpu_s, first.repeat(threads).cpu_s, second.repeat(threads).cpu_s if second else 0.0
    )


def restore_stage(folder: Path) -> STAGE:
    """Build the torch model that an export was made from.

    The export joined two layers to one of 48 rows; here the first layer has these rows, and the second picks.
    """
    weights = read_weights(folder / GRAPH)
    model = STAGE(restore_encoder(read_description(folder).encoder, folder), 3)
    encoder = {key.removeprefix("encoder."): value for key, value in weights.items() if "head" not in key}
    model.encoder.load_state_dict(encoder, strict=False)
    with torch.no_grad():
        for layer in (model.reduce, model.classify):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        model.reduce.weight[: 3 * N_SPAN_CLASSES] = weights["head.weight"]
        model.reduce.bias[: 3 * N_SPAN_CLASSES] = weights["head.bias"]
        for part, kind in itertools.product(range(3), range(N_SPAN_CLASSES)):
            model.classify.weight[kind, part * model.reduce.out_features + part * N_SPAN_CLASSES + kind] = 1
    return model.eval()


def time_plain(model: STAGE, predictor: NetworkPredictor, sentences: list[str]) -> Cost:
    """Time the plain way, and say how far its answers agree with ours."""
    examples = [Example(str(number), text) for number, text in enumerate(sentences)]
    cost = measure(lambda _: predict_plainly(model, examples))
    pairs = zip(predict_plainly(model, examples), predictor.predict(sentences), strict=True)
    equal = sum(set(theirs) == set(ours) for theirs, ours in pairs)
    print(f"equal answers of both ways: {equal} of {len(sentences)} sentences")
    return cost


@torch.inference_mode()
def predict_plainly(model: STAGE, examples: list[Example]) -> list[tuple[Quad, ...]]:
    """Pad to a fixed length, batch by batch in the order given."""
    answers: list[tuple[Quad, ...]] = []
    for part in (examples[n : n + PLAIN_BATCH] for n in range(0, len(examples), PLAIN_BATCH)):
        items = model.encoding.encode(part)
        longest = max(len(item) for item in items)
        batch = model.encoding.collate(items, max(FIXED_LENGTH, longest))
        scores = model(to_tensors(batch, torch.device("cpu")))
        answers += model.encoding.decode(scores.numpy(), items, part)
    return answers


def time_peers(sentences: list[str]) -> dict[str, Cost]:
    """Time each toolkit that is there, a sentence; the first call is not counted."""
    costs = {}
    for name, predict in open_peers():
        predict(sentences[:2])
        costs[name] = measure(lambda _, predict=predict: predict(sentences)).each(len(sentences))
    return costs


def print_rates(others: dict[str, Cost], ours: Cost, threads: int) -> None:
    """Print sentences a second of all ways, and how many times as many ours are."""
    print(f"\n{'':26}{'sentences/s':>12}{'ratio':>8}{'per CPU s':>12}{'ratio':>8}   ({threads} threads)")
    for name, cost in {**others, "aspectlab analyze": ours}.items():
        rates = (f"{1 / theirs:>12.1f}{theirs / own:>8.1f}" for theirs, own in zip(cost, ours, strict=True))
        print(f"{name:26}{''.join(rates)}")


def print_limit(
    predictor: NetworkPredictor, folder: Path, threads: int, ours: Cost, parts: Parts, sentences: list[str]
) -> None:
    """Compare with the arithmetic that there is, and break the rest down by CPU time."""
    lengths = np.array(
        [len(item) for item in predictor.reader.encoding.encode([Example("", t) for t in sentences])]
    )
    work = count_flops(folder, lengths) / len(sentences)
    speed = matrix_speed(predictor.runner.label.rpartition("-")[2], threads)
    limit = speed / work
    print(f"\n{lengths.mean():.1f} tokens and {work / 1e6:.0f} MFLOP a sentence")
    print(f"a large matrix product: {speed / 1e9:.0f} GFLOP per CPU second, so at most {limit:.0f} sentences")
    share = len(sentences) / ours.cpu_s / limit
    print(f"share of the limit reached: {100 * share:.0f} percent; CPU milliseconds a sentence:")
    each = 1000 / len(sentences)
    for name, value in (
        ("arithmetic at that rate", 1000 / limit),
        ("network beyond it", each * parts.first - 1000 / limit),
        ("near ties, in float32", each * parts.second),
        ("tokens, batches, decoding", each * (parts.prediction - parts.first - parts.second)),
        ("reading, splitting, writing", each * (ours.cpu_s - parts.prediction)),
    ):
        print(f"  {name:28}{value:8.3f}")


def count_flops(folder: Path, lengths: np.ndarray) -> float:
    """Count the multiplications and additions of the encoder's matrix products, without padding."""
    config = read_description(folder).encoder["config"]
    assert isinstance(config, dict)
    width, inner, layers = (
        int(config[key]) for key in ("hidden_size", "intermediate_size", "num_hidden_layers")
    )
    products = 2 * layers * (4 * width**2 + 2 * width * inner) * lengths
    attention = 4 * layers * width * lengths.astype(float) ** 2
    return float((products + attention).sum())


def matrix_speed(precision: str, threads: int, size: int = 1024, depth: int = 8) -> float:
    """Measure multiplications and additions a CPU second of large matrix products, on all cores at once."""
    rng = np.random.default_rng(0)
    layer = start = opset13.parameter([size, size], np.float32)
    for _ in range(depth):
        matrix = rng.normal(size=(size, size), scale=size**-0.5).astype(np.float32)
        layer = opset13.matmul(layer, opset13.constant(matrix), False, True)
    hints = {"INFERENCE_PRECISION_HINT": precision, "NUM_STREAMS": threads, "INFERENCE_NUM_THREADS": threads}
    compiled = openvino.Core().compile_model(openvino.Model([layer], [start]), "CPU", hints)
    values = rng.normal(size=(size, size)).astype(np.float32)
    requests = [compiled.create_infer_request() for _ in range(threads)]

    def run(rounds: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda request: [request.infer([values]) for _ in range(rounds)], requests))

    run(1)
    rounds = 4
    return 2 * size**3 * depth * rounds * threads / measure(lambda _: run(rounds)).cpu_s


if __name__ == "__main__":
    main()
