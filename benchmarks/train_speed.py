"""Training speed: examples a second of the one loop against the plain way, same model and encoder, one run.

    python benchmarks/train_speed.py [--corpus FILE] [--encoder minilm] [--device auto]

The plain way is what the existing toolkits do: every batch of 16 is put together in Python, padded to a fixed
80 tokens, computed in float32, and its loss read back after every step.
"""

import argparse
import copy
import time
from collections.abc import Callable

import numpy as np
import torch

from aspectlab.data import Example
from aspectlab.encoders import Encoder, load_encoder
from aspectlab.models import MODELS, Model, build_model
from aspectlab.readers import read
from aspectlab.training.dataset import EncodedDataset, to_tensors, training_batches
from aspectlab.training.step import choose_device
from aspectlab.training.trainer import Trainer

FIXED_LENGTH = 80
PLAIN_BATCH = 16


def main() -> None:
    """Time both ways for a transformer and for an LSTM and print a short table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="examples/sample.jsonl")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--vectors", default="vectors:glove50")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--examples", type=int, default=0, help="use only so many aspects (0: all)")
    options = parser.parse_args()
    device = choose_device(options.device)
    examples = _labelled(read(options.corpus).examples, options.examples)
    print(f"{'model':10} {'encoder':16} {'plain ex/s':>11} {'ours ex/s':>11} {'ratio':>7}   on {device}")
    for name, encoder_name in (("marked", options.encoder), ("td-lstm", options.vectors)):
        if name in MODELS:
            encoder = load_encoder(encoder_name)
            plain = _plain(_build(name, encoder, device), examples, device)
            ours = _ours(_build(name, encoder, device), examples, device)
            print(f"{name:10} {encoder_name[-16:]:16} {plain:11.1f} {ours:11.1f} {ours / plain:7.2f}")


def _labelled(examples: tuple[Example, ...], limit: int) -> list[Example]:
    kept = [e for e in examples if any(q.aspect and q.aspect.span and q.polarity for q in e.quads)]
    return kept[: limit or None]


def _build(name: str, encoder: Encoder, device: torch.device) -> Model:
    torch.manual_seed(1)
    return build_model(name, copy.deepcopy(encoder)).to(device).train()


def _plain(model: Model, examples: list[Example], device: torch.device) -> float:
    items = model.encoding.encode(examples)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    order = np.random.default_rng(1).permutation(len(items))

    def epoch() -> int:
        count = 0
        for start in range(0, len(order) - PLAIN_BATCH + 1, PLAIN_BATCH):
            chosen = [items[place] for place in order[start : start + PLAIN_BATCH]]
            length = max(FIXED_LENGTH, max(map(len, chosen)))
            batch = to_tensors(model.encoding.collate(chosen, length), device)
            optimizer.zero_grad()
            loss = model.loss(model(batch), batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            loss.item()
            count += PLAIN_BATCH
        return count

    return _rate(epoch, device)


def _ours(model: Model, examples: list[Example], device: torch.device) -> float:
    store = EncodedDataset(model.encoding, examples, device)
    trainer = Trainer(model, store, model.plan, device)
    batches = training_batches(
        np.arange(len(store.items)),
        store.lengths,
        store.owner,
        batch_size=model.plan.batch_size,
        max_tokens=model.plan.max_tokens,
        rng=np.random.default_rng(1),
    )
    trainer.stepper.prepare(batches)

    def epoch() -> int:
        for place, batch in enumerate(batches):
            trainer.optimizer.set_progress((place + 1) / len(batches))
            trainer.stepper.step(batch)
        return len(store.items)

    return _rate(epoch, device)


def _rate(epoch: Callable[[], int], device: torch.device) -> float:
    epoch()  # allocations and kernel choices are not the loop's
    _wait(device)
    started = time.perf_counter()
    count = epoch()
    _wait(device)
    return count / (time.perf_counter() - started)


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
