"""Post-training: go on with masked-language-model training on reviews before a task is learnt.

After Xu et al. (NAACL 2019), without their reading-comprehension half: what they call BERT-DK. The text may
hold the training sentences of a task, but never those of its test sets: `Exclusion` leaves them out.
"""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu, linear

from aspectlab.encoders import Encoder
from aspectlab.encoders.transformer import TransformerEncoder, write_config
from aspectlab.errors import ConfigError
from aspectlab.models import Plan
from aspectlab.training.device import choose_device, computing, seed_everything
from aspectlab.training.fitting import TrainingError
from aspectlab.training.optimizing import Optimizer
from aspectlab.training.unlabelled import Packs

_REPORT = 20
"""Steps between two reports of progress; each one waits for the device."""

_HEAD_RATE = 1e-3
"""The learning rate of the output layer while it learns alone."""

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
    head: float = 0.05  # share of the training in which the new output layer learns alone
    compiled: bool = False  # a minute of compilation buys faster steps on a GPU


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
        self.bias = nn.Parameter(torch.zeros(self.size))
        self.masked = masked
        self.mask_id = encoder.subwords.mask
        specials = [*encoder.subwords.first, *encoder.subwords.between, *encoder.subwords.last]
        self.specials: Tensor
        self.register_buffer("specials", torch.tensor(specials), persistent=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Hide some tokens of every row and give the mean loss of guessing them, [B, L] -> []."""
        hidden, places, answers = self.hide(tokens)
        everywhere = torch.ones_like(hidden, dtype=torch.bool)
        states = self.encoder(TokenRows(hidden, torch.zeros_like(hidden), everywhere))  # [B, L, H]
        states = states.take_along_dim(places[..., None], 1)  # [B, M, H]
        states = self.norm(gelu(self.dense(states)))
        scores = linear(states, self.table, self.bias)  # [B, M, V]
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
    model = MaskedLM(transformer_of(encoder), chosen.masked).to(choose_device(device)).train()
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
        frequency_loss=_guess_by_frequency(packs, model.specials),
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
    folder = folder.resolve()
    draft = folder.with_name(folder.name + ".draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
    save_file(weights, draft / "model.safetensors", {"format": "pt"})
    (draft / "model.safetensors").chmod(0o644)  # the library leaves it to its owner alone
    write_config(model.config, draft / "config.json")
    encoder.save_files(draft)
    (draft / "posttraining.json").write_text(json.dumps(asdict(notes), indent=2), encoding="utf-8")
    draft.rename(folder)


class _Drill:
    """Steps over the packs, in stages; the clock and the order of the packs run on from one to the next."""

    def __init__(self, model: MaskedLM, packs: Packs, effort: Effort, progress: Progress | None) -> None:
        self.model, self.effort, self.progress = model, effort, progress
        self.device = model.bias.device
        self.rows = torch.from_numpy(packs.tokens).to(self.device)  # [N, L]
        self.batches = _draw(len(self.rows), effort.batch_size, self.device)
        self.losses: list[Tensor] = []
        self.started = time.perf_counter()

    def go(self, learning_rate: float, until: float, loss_of: Callable[[Tensor], Tensor]) -> None:
        """Train what is not frozen until a share of the effort is spent."""
        plan = Plan(learning_rate=learning_rate, warmup=0.1, weight_decay=0.01)
        optimizer = Optimizer(self.model, plan, self.device)
        since = self.share()
        while (share := self.share()) < until:
            optimizer.set_progress((share - since) / (until - since))
            tokens = self.rows[next(self.batches)]  # [B, L]
            self.losses.append(_step(self.model, loss_of, optimizer, tokens))
            if len(self.losses) % _REPORT == 0:
                self._report(share)

    def share(self) -> float:
        """Tell how much of the training is done."""
        if self.effort.steps is None:
            return (time.perf_counter() - self.started) / (60 * self.effort.minutes)
        return len(self.losses) / self.effort.steps if self.effort.steps else 1.0

    def _report(self, share: float) -> None:
        loss = float(self.losses[-1])
        _refuse_divergence(loss, len(self.losses), self.effort)  # now: the rest of the time would be wasted
        if self.progress:
            self.progress(share, loss)


def _train(model: MaskedLM, packs: Packs, effort: Effort, progress: Progress | None) -> list[Tensor]:
    """Let the new output layer learn alone, then everything.

    The first gradients of an output layer that was drawn by chance are noise. They can spoil the encoder for
    good: it then guesses by frequency only, at rates that it would have stood otherwise.
    """
    drill = _Drill(model, packs, effort, progress)
    with _frozen(model.encoder):
        drill.go(_HEAD_RATE, effort.head, model)
    drill.go(effort.learning_rate, 1.0, torch.compile(model) if effort.compiled else model)
    return drill.losses


@contextmanager
def _frozen(encoder: Encoder) -> Iterator[None]:
    encoder.requires_grad_(False)
    try:
        yield
    finally:
        encoder.requires_grad_(True)


def _refuse_divergence(loss: float, steps: int, effort: Effort) -> None:
    if not math.isfinite(loss):
        raise TrainingError(
            f"post-training: the loss is {loss} after {steps:,} steps: expected a number; lower "
            f"learning_rate ({effort.learning_rate:g})"
        )


def _step(
    model: MaskedLM, loss_of: Callable[[Tensor], Tensor], optimizer: Optimizer, tokens: Tensor
) -> Tensor:
    optimizer.torch.zero_grad(set_to_none=True)
    with computing(tokens.device, "auto"):
        loss = loss_of(tokens.long())
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
    optimizer.torch.step()
    return loss.detach()


def _draw(count: int, batch_size: int, device: torch.device) -> Iterator[Tensor]:
    """Give batches of places, [B], each epoch in an order of its own; a rest is left out."""
    size = min(batch_size, count)
    while True:
        yield from torch.randperm(count, device=device)[: count // size * size].view(-1, size)


def _guess_by_frequency(packs: Packs, specials: Tensor) -> float:
    counts = np.bincount(packs.tokens.ravel())
    counts[specials.tolist()] = 0  # they are never hidden
    shares = counts[counts > 0] / counts.sum()
    return round(float(-(shares * np.log(shares)).sum()), 4)


def _mean(losses: list[Tensor]) -> float:
    return round(float(torch.stack(losses).mean()), 4) if losses else float("nan")
