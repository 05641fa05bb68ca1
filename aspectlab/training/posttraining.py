"""Post-training: continue masked-language-model training on unlabelled reviews before a task is learnt.

After Xu et al. (NAACL 2019), without their reading-comprehension half: what they call BERT-DK. The text may
hold the training sentences of a task, but never those of its test sets: `Exclusion` leaves them out.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu, linear, pad

from aspectlab.data import Exclusion
from aspectlab.encoders import Encoder, TransformerEncoder, draw_lora, merge_lora, write_config
from aspectlab.encodings import Subwords
from aspectlab.errors import ConfigError, DataError
from aspectlab.models import Plan, Precision
from aspectlab.outputs import atomic_directory
from aspectlab.progress import Progress, ProgressCallback
from aspectlab.readers import ENDINGS, ReviewOptions, open_reviews
from aspectlab.readers.tables import ReadCounts
from aspectlab.training.step import Optimizer, choose_device, computing, seed_everything
from aspectlab.training.trainer import TrainingError

_REPORT = 20
"""Steps between two reports of progress; each one waits for the device."""

_ALIGNED = 8
"""The output layer is filled up to a multiple of so many tokens: GPUs are made for such matrices, and MPNet's
30,527 tokens are an odd number."""

_NEVER = -1e4
"""The score of a token that fills the output layer up: its share is zero, also in bfloat16."""


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
        self.table = table  # [V, E]
        self.size = int(table.shape[0])
        read = int(table.shape[1])  # some read tokens with vectors that are not as wide as their states
        self.dense = nn.Linear(encoder.width, read)
        self.norm = nn.LayerNorm(read)
        # wide scores of an untrained layer (MPNet's rows are long) are so many wrong guesses to unlearn
        nn.init.constant_(self.norm.weight, 1 / max(float(table.detach().norm(dim=1).mean()), 1.0))
        self.bias = nn.Parameter(torch.zeros(self.size))
        self.masked = masked
        assert encoder.subwords.mask is not None
        self.mask_id = encoder.subwords.mask
        specials = [*encoder.subwords.first, *encoder.subwords.between, *encoder.subwords.last]
        self.specials: Tensor
        self.register_buffer("specials", torch.tensor(specials), persistent=False)

    def expect(self, counts: NDArray[np.int64]) -> None:
        """Initialise the new output layer with how often tokens occur, [V].

        Else it learns that first, through the encoder, whose knowledge of other things is lost on the way.
        """
        shares = (counts + 1) / (counts + 1).sum()
        with torch.no_grad():
            self.bias.copy_(torch.from_numpy(np.log(shares)))

    def forward(self, tokens: Tensor) -> Tensor:
        """Hide some tokens of every row and give the mean loss of guessing them, [B, L] -> []."""
        hidden, positions, answers = self.hide(tokens)
        everywhere = torch.ones_like(hidden, dtype=torch.bool)
        states = self.encoder(TokenRows(hidden, torch.zeros_like(hidden), everywhere))  # [B, L, H]
        states = states.take_along_dim(positions[..., None], 1)  # [B, M, H]
        states = self.norm(gelu(self.dense(states)))
        missing = -self.size % _ALIGNED
        table = pad(self.table, (0, 0, 0, missing))  # [V', H]
        scores = linear(states, table, pad(self.bias, (0, missing), value=_NEVER))  # [B, M, V']
        return cross_entropy(scores.flatten(0, 1).float(), answers.flatten())

    def hide(self, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the rows with tokens hidden, their positions [B, M] and what stood there [B, M].

        The same number is hidden in every row, so that shapes never change: of ten, eight become the mask,
        one another token, and one stays as it is.
        """
        count = max(round(self.masked * (tokens.shape[1] - 2)), 1)
        noise = torch.rand(tokens.shape, device=tokens.device)
        # the frame and the separators are never hidden
        noise = noise.masked_fill(torch.isin(tokens, self.specials), -1.0)
        positions = noise.topk(count, dim=1).indices  # [B, M]
        answers = tokens.gather(1, positions)
        draw = torch.rand(positions.shape, device=tokens.device)
        others = torch.randint_like(answers, self.size)
        shown = torch.where(draw < 0.8, self.mask_id, torch.where(draw < 0.9, others, answers))
        return tokens.scatter(1, positions, shown), positions, answers


def posttrain(
    encoder: Encoder,
    packs: Packs,
    *,
    effort: Effort | None = None,
    seed: int = 1,
    device: str = "auto",
    progress: ProgressCallback[None] | None = None,
) -> Posttraining:
    """Train an encoder, in place, to guess hidden tokens of the packs."""
    chosen = effort or Effort()
    started = time.perf_counter()
    seed_everything(seed)
    draw_lora(encoder)
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
    """Return the encoder as a transformer, or refuse one that cannot guess hidden tokens."""
    if isinstance(encoder, TransformerEncoder) and encoder.subwords.mask is not None:
        return encoder
    if isinstance(encoder, TransformerEncoder):
        found = "it has no token [MASK] or <mask> to hide others with, as models that only write have none"
    elif encoder.decoder is not None:
        found = "a sequence-to-sequence model learns to write, not to guess hidden tokens"
    else:
        found = "word vectors cannot be post-trained"
    raise ConfigError(
        f"encoder {encoder.name!r}: {found}: expected a transformer that was trained to guess hidden tokens, "
        "such as minilm, roberta-base or a folder of one"
    )


def save_encoder(encoder: Encoder, folder: Path, notes: Posttraining) -> None:
    """Write a folder that `load_encoder` reads, with the notes in posttraining.json, whole or not at all.

    What LoRA learnt goes into the weights, of the encoder too.
    """
    merge_lora(encoder)
    model = transformer_of(encoder).model
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
    with atomic_directory(folder) as draft:
        save_file(weights, draft / "model.safetensors", {"format": "pt"})
        (draft / "model.safetensors").chmod(0o644)  # the library leaves it to its owner alone
        write_config(model.config, draft / "config.json")
        encoder.save_files(draft)
        (draft / "posttraining.json").write_text(json.dumps(asdict(notes), indent=2), encoding="utf-8")


def _train(
    model: MaskedLM, packs: Packs, effort: Effort, progress: ProgressCallback[None] | None
) -> list[Tensor]:
    device = model.bias.device
    rows = torch.from_numpy(packs.tokens).to(device)  # [N, L]
    batches = _draw_batches(len(rows), effort.batch_size, device)
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
                progress(Progress(share, f"loss {last:.3f}", None))
    return losses


def _share(effort: Effort, steps: int, started: float) -> float:
    """Return how much of the training is done."""
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


def _draw_batches(count: int, batch_size: int, device: torch.device) -> Iterator[Tensor]:
    """Return batches of indices, [B], each epoch in an order of its own; a rest is left out."""
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


_BLOCK = 4_096
"""Lines that are tokenized at a time."""

_TABLES = {*ENDINGS} - {".txt"}
"""Files whose texts stand in one of several columns."""

_MARKUP = {".xml", ".html", ".htm"}
"""Files whose lines are no texts."""


@dataclass(frozen=True, slots=True)
class Packs:
    """Text as rows of equal length, each with its frame, and what became of the lines."""

    tokens: NDArray[np.int32]  # [N, L]
    lines: int
    excluded: int
    sha256: str  # of the lines that were kept
    notices: tuple[str, ...] = ()  # what was left out of tables because it cannot be read or is blank


def pack_texts(
    paths: Sequence[Path],
    exclusion: Exclusion,
    vocabulary: Subwords,
    *,
    length: int = 128,
    column: str | None = None,
) -> Packs:
    """Read texts and pack what no test set holds; `column` names that of the texts where files are tables."""
    length = min(length, vocabulary.max_length)
    digest, tally = hashlib.sha256(), ReadCounts()
    lines, kept = 0, 0
    parts: list[NDArray[np.int32]] = []
    stream = (line for path in paths for line in read_texts(path, column, tally))
    while block := list(islice(stream, _BLOCK)):
        clean = [line for line in block if line not in exclusion]
        lines, kept = lines + len(block), kept + len(clean)
        digest.update("".join(f"{line}\n" for line in clean).encode())
        # a separator after each line tells the model that a new text begins
        parts += [np.array([*ids, *vocabulary.between], np.int32) for ids in vocabulary.number(clean)]
    tokens = _cut_rows(np.concatenate([np.zeros(0, np.int32), *parts]), vocabulary, length)
    if not len(tokens):
        raise DataError(
            f"{paths[0]}{' …' if len(paths) > 1 else ''}: found {sum(map(len, parts)):,} tokens in {kept:,} "
            f"lines after leaving {lines - kept:,} out: expected at least {length}; give more text"
        )
    return Packs(tokens, lines, lines - kept, digest.hexdigest(), tuple(tally.notices()))


def read_texts(path: Path, column: str | None = None, tally: ReadCounts | None = None) -> Iterator[str]:
    """Stream the texts of a file as lines: the reviews of a table, or the lines of any other file.

    The tally counts the rows of tables that are left out.
    """
    if path.suffix.lower() not in _TABLES:
        yield from read_lines(path)
        return
    reviews = open_reviews([path], ReviewOptions(text=column))
    yield from (" ".join(review.text.split()) for review in reviews.read(tally or ReadCounts()))


def read_lines(path: Path) -> Iterator[str]:
    """Stream the lines of a text file that are not blank; .xz files are decompressed on the way."""
    is_packed = path.suffix.lower() == ".xz"
    _refuse_other_kinds(path, (path.with_suffix("") if is_packed else path).suffix.lower())
    try:
        with lzma.open(path, "rt", encoding="utf-8") if is_packed else path.open(encoding="utf-8") as stream:
            yield from (line.rstrip("\n") for line in stream if line.strip())
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path}: {error}: expected a text file in UTF-8, plain or .xz, one text a line; check the path"
        ) from None


def _refuse_other_kinds(path: Path, kind: str) -> None:
    """Refuse what has lines, but no text a line: marks and cells would be learnt as words."""
    if kind in _TABLES:
        raise DataError(
            f"{path}: found a packed table: expected one text a line in a .xz file; unpack it first"
        )
    if kind in _MARKUP:
        raise DataError(
            f"{path}: found a {kind} file: expected a table, or one text a line; make a table of it with: "
            "aspectlab data convert FILE texts.jsonl"
        )


def _cut_rows(tokens: NDArray[np.int32], vocabulary: Subwords, length: int) -> NDArray[np.int32]:
    """Cut a stream of tokens into framed rows; what does not fill the last one is dropped."""
    first, last = vocabulary.first, vocabulary.last
    body = length - len(first) - len(last)
    count = len(tokens) // body
    frame = [np.tile(np.array(ids, np.int32), (count, 1)) for ids in (first, last)]
    return np.concatenate([frame[0], tokens[: count * body].reshape(count, body), frame[1]], axis=1)
