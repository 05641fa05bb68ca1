"""Post-training: go on with masked-language-model training on reviews before a task is learnt.

After Xu et al. (NAACL 2019), without their reading-comprehension half: what they call BERT-DK. The text may
hold the training sentences of a task, but never those of its test sets: `Exclusion` leaves them out.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu, linear, pad

from aspectlab.data.drafting import drafted_folder
from aspectlab.encoders import Encoder
from aspectlab.encoders.transformer import TransformerEncoder, write_config
from aspectlab.errors import ConfigError
from aspectlab.models import Plan
from aspectlab.models.plan import Precision
from aspectlab.training.device import choose_device, computing, seed_everything
from aspectlab.training.fitting import TrainingError
from aspectlab.training.optimizing import Optimizer
from aspectlab.training.unlabelled import Packs

_REPORT = 20
"""Steps between two reports of progress; each one waits for the device."""

_ALIGNED = 8
"""The output layer is filled up to a multiple of so many tokens: GPUs are made for such matrices, and MPNet's
30,527 tokens are an odd number."""

_NEVER = -1e4
"""The score of a token that fills the output layer up: its share is zero, also in bfloat16."""

Progress = Callable[[float, float], None]
"""Called with the share that is done and the loss."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long and how hard to train: by steps if they are set, else by the clock."""

    steps: int | None = None
    minutes: float = 5.0
    batch_size: int = 512  # packs a step
    learning_rate: float = 6e-4
    masked: float = 0.2  # share of the tokens that must be guessed
    compiled: bool = False  # a minute of compilation buys faster steps on a GPU
    precision: Precision = "auto"


@dataclass(frozen=True, slots=True)
class Posttraining:
    """What a post-training came to; it is kept beside the weights."""

    encoder: str
    tokens: int
    lines: int
    excluded_lines: int
    text_sha256: str
    steps: int
    epochs: float
    loss: float
    first_loss: float
    frequency_loss: float  # of guessing by how often a token occurs, without looking at the others
    seconds: float
    seed: int
    effort: Effort


class TokenRows(NamedTuple):
    """What an encoder reads."""

    tokens: Tensor  # [B, L]
    segments: Tensor  # [B, L]
    mask: Tensor  # [B, L]


class MaskedLM(nn.Module):
    """An encoder that guesses hidden tokens; its output layer is its input embedding."""

    def __init__(self, encoder: TransformerEncoder, masked: float) -> None:
        super().__init__()
        self.encoder: Encoder = encoder
        table = encoder.model.get_input_embeddings().weight
        assert isinstance(table, nn.Parameter)
        self.table = table  # [V, H]
        self.size = int(table.shape[0])
        self.dense = nn.Linear(encoder.width, encoder.width)
        self.norm = nn.LayerNorm(encoder.width)
        # wide scores of an untrained layer (MPNet's rows are long) are so many wrong guesses to unlearn
        nn.init.constant_(self.norm.weight, 1 / max(float(table.detach().norm(dim=1).mean()), 1.0))
        self.bias = nn.Parameter(torch.zeros(self.size))
        self.masked = masked
        self.mask_id = encoder.subwords.mask
        specials = [*encoder.subwords.first, *encoder.subwords.between, *encoder.subwords.last]
        self.specials: Tensor
        self.register_buffer("specials", torch.tensor(specials), persistent=False)

    def expect(self, counts: NDArray[np.int64]) -> None:
        """Let the new output layer begin with how often tokens occur, [V].

        Else it learns that first, through the encoder, whose knowledge of other things is lost on the way.
        """
        shares = (counts + 1) / (counts + 1).sum()
        with torch.no_grad():
            self.bias.copy_(torch.from_numpy(np.log(shares)))

    def forward(self, tokens: Tensor) -> Tensor:
        """Hide some tokens of every row and give the mean loss of guessing them, [B, L] -> []."""
        hidden, places, answers = self.hide(tokens)
        everywhere = torch.ones_like(hidden, dtype=torch.bool)
        states = self.encoder(TokenRows(hidden, torch.zeros_like(hidden), everywhere))  # [B, L, H]
        states = states.take_along_dim(places[..., None], 1)  # [B, M, H]
        states = self.norm(gelu(self.dense(states)))
        missing = -self.size % _ALIGNED
        table = pad(self.table, (0, 0, 0, missing))  # [V', H]
        scores = linear(states, table, pad(self.bias, (0, missing), value=_NEVER))  # [B, M, V']
        return cross_entropy(scores.flatten(0, 1).float(), answers.flatten())

    def hide(self, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Give the rows with tokens hidden, their places [B, M] and what stood there [B, M].

        The same number is hidden in every row, so that shapes never change: of ten, eight become the mask,
        one another token, and one stays as it is.
        """
        count = max(round(self.masked * (tokens.shape[1] - 2)), 1)
        noise = torch.rand(tokens.shape, device=tokens.device)
        # the frame and the separators are never hidden
        noise = noise.masked_fill(torch.isin(tokens, self.specials), -1.0)
        places = noise.topk(count, dim=1).indices  # [B, M]
        answers = tokens.gather(1, places)
        draw = torch.rand(places.shape, device=tokens.device)
        others = torch.randint_like(answers, self.size)
        shown = torch.where(draw < 0.8, self.mask_id, torch.where(draw < 0.9, others, answers))
        return tokens.scatter(1, places, shown), places, answers


def posttrain(
    encoder: Encoder,
    packs: Packs,
    *,
    effort: Effort | None = None,
    seed: int = 1,
    device: str = "auto",
    progress: Progress | None = None,
) -> Posttraining:
    """Train an encoder, in place, to guess hidden tokens of the packs."""
    chosen = effort or Effort()
    started = time.perf_counter()
    seed_everything(seed)
    model = MaskedLM(transformer_of(encoder), chosen.masked)
    counts = count_tokens(packs, model.specials, model.size)
    model.expect(counts)
    model.to(choose_device(device)).train()
    losses = _train(model, packs, chosen, progress)
    model.eval()
    loss = _mean(losses[-50:])
    _refuse_divergence(loss, len(losses), chosen)
    batch_size = min(chosen.batch_size, len(packs.tokens))
    return Posttraining(
        encoder=encoder.name,
        tokens=int(packs.tokens.size),
        lines=packs.lines,
        excluded_lines=packs.excluded,
        text_sha256=packs.sha256,
        steps=len(losses),
        epochs=round(len(losses) * batch_size / len(packs.tokens), 2),
        loss=loss,
        first_loss=_mean(losses[:1]),
        frequency_loss=_guess_by_frequency(counts),
        seconds=round(time.perf_counter() - started, 1),
        seed=seed,
        effort=chosen,
    )


def transformer_of(encoder: Encoder) -> TransformerEncoder:
    """Give the encoder as a transformer, or refuse one that has no tokens to hide."""
    if not isinstance(encoder, TransformerEncoder):
        raise ConfigError(
            f"encoder {encoder.name!r}: word vectors cannot be post-trained: expected a transformer, such as "
            "minilm, a folder or a Hugging Face name"
        )
    return encoder


def save_encoder(encoder: Encoder, folder: Path, notes: Posttraining) -> None:
    """Write a folder that `load_encoder` reads, with the notes in posttraining.json, whole or not at all."""
    model = transformer_of(encoder).model
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
    with drafted_folder(folder) as draft:
        save_file(weights, draft / "model.safetensors", {"format": "pt"})
        (draft / "model.safetensors").chmod(0o644)  # the library leaves it to its owner alone
        write_config(model.config, draft / "config.json")
        encoder.save_files(draft)
        (draft / "posttraining.json").write_text(json.dumps(asdict(notes), indent=2), encoding="utf-8")


def _train(model: MaskedLM, packs: Packs, effort: Effort, progress: Progress | None) -> list[Tensor]:
    device = model.bias.device
    rows = torch.from_numpy(packs.tokens).to(device)  # [N, L]
    batches = _draw(len(rows), effort.batch_size, device)
    optimizer = Optimizer(
        model, Plan(learning_rate=effort.learning_rate, warmup=0.1, weight_decay=0.01), device
    )
    loss_of = torch.compile(model) if effort.compiled else model
    losses: list[Tensor] = []
    started = time.perf_counter()
    while (share := _share(effort, len(losses), started)) < 1:
        optimizer.set_progress(share)
        with computing(device, effort.precision):
            loss = loss_of(rows[next(batches)].long())
        losses.append(_step(model, loss, optimizer))
        if len(losses) % _REPORT == 0:
            last = float(losses[-1])
            _refuse_divergence(last, len(losses), effort)  # now: the rest of the time would be wasted
            if progress:
                progress(share, last)
    return losses


def _share(effort: Effort, steps: int, started: float) -> float:
    """Tell how much of the training is done."""
    if effort.steps is None:
        return (time.perf_counter() - started) / (60 * effort.minutes)
    # the middle of a step: at its beginning the first would learn nothing, and it may be the only one
    return (steps + 0.5) / effort.steps if effort.steps else 1.0


def _refuse_divergence(loss: float, steps: int, effort: Effort) -> None:
    if not math.isfinite(loss):
        raise TrainingError(
            f"post-training: the loss is {loss} after {steps:,} steps: expected a number; lower "
            f"learning_rate ({effort.learning_rate:g}), or compute with precision fp32"
        )


def _step(model: MaskedLM, loss: Tensor, optimizer: Optimizer) -> Tensor:
    optimizer.torch.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
    optimizer.torch.step()
    return loss.detach()


def _draw(count: int, batch_size: int, device: torch.device) -> Iterator[Tensor]:
    """Give batches of places, [B], each epoch in an order of its own; a rest is left out."""
    size = min(batch_size, count)
    while True:
        yield from torch.randperm(count, device=device)[: count // size * size].view(-1, size)


def count_tokens(packs: Packs, specials: Tensor, size: int) -> NDArray[np.int64]:
    """Count every token of the vocabulary, [V]; the special ones, which are never hidden, as absent."""
    counts = np.bincount(packs.tokens.ravel(), minlength=size)
    counts[specials.tolist()] = 0
    return counts


def _guess_by_frequency(counts: NDArray[np.int64]) -> float:
    shares = counts[counts > 0] / counts.sum()
    return round(float(-(shares * np.log(shares)).sum()), 4)


def _mean(losses: list[Tensor]) -> float:
    return round(float(torch.stack(losses).mean()), 4) if losses else float("nan")
