"""Extraction speed: sentences a second of `predict` against the plain way, same triplet model, one run.

    python benchmarks/extract_speed.py [--model stage] [--encoder minilm] [--corpus FILE] [--sentences 600]

The plain way is what the existing toolkits do: batches of 32 in the order of the file, padded to a fixed 80
tokens. Without --saved the model is untrained, and made to find little, as trained ones do. Then 5,000 and
10,000 short sentences are streamed, and the peak of the memory after each is printed.
"""

import argparse
import itertools
import resource
import time
from dataclasses import replace

import torch

from aspectlab.data import Example
from aspectlab.encoders import load_encoder
from aspectlab.models import Model, build_model
from aspectlab.readers import read
from aspectlab.training import load_model
from aspectlab.training.dataset import to_tensors
from aspectlab.training.prediction import predict, stream_predictions

FIXED_LENGTH = 80
PLAIN_BATCH = 32


def main() -> None:
    """Time both ways, and watch the memory of a long stream."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="stage")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--saved", help="a trained model, instead of --model and --encoder")
    parser.add_argument("--corpus", default="examples/sample.jsonl")
    parser.add_argument("--sentences", type=int, default=600)
    options = parser.parse_args()
    model = load_model(options.saved) if options.saved else _build(options.model, options.encoder)
    examples = _repeat(read(options.corpus).examples, options.sentences)
    for way in (_plain, _ours):  # the first calls load kernels
        way(model, examples[:PLAIN_BATCH])
    plain, ours = (_rate(way, model, examples) for way in (_plain, _ours))
    print(
        f"{options.model} on {options.encoder}: plain {plain:.1f}/s, ours {ours:.1f}/s, {ours / plain:.2f}×"
    )
    short = [replace(example, text=example.text[:60], quads=()) for example in examples]
    small, large = (_peak(model, _repeat(short, count)) for count in (5_000, 10_000))
    print(f"peak memory after 5,000 short sentences {small:.0f} MB, after 10,000 {large:.0f} MB")


def _build(name: str, encoder: str) -> Model:
    torch.manual_seed(1)
    model = build_model(name, load_encoder(encoder)).eval()
    last = [module for module in model.modules() if isinstance(module, torch.nn.Linear)][-1]
    # class 0 is "nothing": untrained, it would lose to something in nearly every cell
    last.bias.data[0] += 8.0
    return model


def _repeat(examples: tuple[Example, ...] | list[Example], count: int) -> list[Example]:
    rounds = itertools.islice(itertools.cycle(examples), count)
    return [replace(example, id=str(number), quads=()) for number, example in enumerate(rounds)]


def _rate(way: object, model: Model, examples: list[Example]) -> float:
    assert callable(way)
    start = time.perf_counter()
    way(model, examples)
    return len(examples) / (time.perf_counter() - start)


@torch.inference_mode()
def _plain(model: Model, examples: list[Example]) -> None:
    for start in range(0, len(examples), PLAIN_BATCH):
        part = examples[start : start + PLAIN_BATCH]
        items = model.encoding.encode(part)
        length = max(FIXED_LENGTH, max(map(len, items)))
        batch = to_tensors(model.encoding.collate(items, length), torch.device("cpu"))
        model.encoding.decode(model(batch).numpy(), items, part)


def _ours(model: Model, examples: list[Example]) -> None:
    predict(model, examples, precision="auto")


def _peak(model: Model, examples: list[Example]) -> float:
    for _ in stream_predictions(model, examples, precision="auto"):
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
