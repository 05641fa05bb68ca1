"""Families: what each kind of transformer takes, and where its layers stand.

A family that is not in the table gets the library's own mask, and shows on a few tokens that it reads as an
encoder must: both ways, and without regard to padding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor, nn

from aspectlab.encoders.encoder import Encoder, TokenInput
from aspectlab.encoders.pretrained import list_faults
from aspectlab.errors import ConfigError

if TYPE_CHECKING:  # the library takes seconds to import
    from transformers import PretrainedConfig, PreTrainedModel

Mask = Literal["expanded", "banded", "plain"]
"""Expanded: added to the scores of attention, [B, 1, T, T]; it passes the library without a check that would
stop the device. Banded: the same, and another one for layers that see a window. Plain: [B, T], where the
family makes its own of it."""

_HIDDEN = -1e4
"""Added to the score of what must not be seen: far below any real score, and within bfloat16 and float16."""


@dataclass(frozen=True, slots=True)
class Family:
    """What an architecture takes; the layers are named by their path in the model."""

    mask: Mask = "expanded"
    layers: str = "encoder.layer"
    positions: Literal["from zero", "from padding", "own"] = "from zero"
    has_segments: bool | None = None  # None: its configuration tells
    lowest: tuple[str, ...] = ("embeddings.",)  # what learns as the word vectors do, by path
    in_float32: bool = False  # it computes with numbers that bfloat16 does not have
    is_traceable: bool = True  # else its steps depend on the length of a text, which no exported graph can
    is_known: bool = True


_ROBERTA = Family(positions="from padding")
_DEBERTA = Family("plain", lowest=("embeddings.", "encoder.rel_embeddings.", "encoder.LayerNorm."))
_FIRST_DEBERTA = replace(_DEBERTA, in_float32=True)

FAMILIES: Mapping[str, Family] = {
    "albert": Family(layers=""),  # one layer, again and again
    "bert": Family(),
    "camembert": _ROBERTA,
    "deberta": _FIRST_DEBERTA,
    "deberta-v2": _DEBERTA,
    "distilbert": Family(layers="transformer.layer"),
    "electra": Family(lowest=("embeddings.", "embeddings_project.")),
    "longformer": Family("plain", positions="from padding", is_traceable=False),
    "modernbert": Family("banded", "layers"),
    "mpnet": _ROBERTA,
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "xlnet": Family("plain", "layer", "own", has_segments=True, lowest=("word_embedding.",)),
}
"""Families that were compared with the library's own output: docs/reference/encoders.md shows how close."""

UNKNOWN = Family("plain", "", "own", is_known=False)
_BIDIRECTIONAL = Family("expanded", "", "own", is_known=False)

_EXAMPLES = "use 'minilm', or a model of another family, such as BERT, RoBERTa, DeBERTa or ModernBERT"


def family_of(config: PretrainedConfig, *, bidirectional: bool = False) -> Family:
    """Return what a model with this configuration takes; `bidirectional` opens a causal one to all tokens."""
    # a decoder of a known family is causal like any other
    known = None if getattr(config, "is_decoder", False) else FAMILIES.get(config.model_type)
    return known or (_BIDIRECTIONAL if bidirectional else UNKNOWN)


def expand_mask(visible: Tensor) -> Tensor:
    """Make of a mask what is added to scores; already expanded, it passes the library without a check."""
    kind = visible.device.type
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else torch.float32
    return torch.zeros_like(visible, dtype=dtype).masked_fill(~visible, _HIDDEN)


def make_mask(family: Family, mask: Tensor, config: PretrainedConfig) -> Tensor | dict[str, Tensor]:
    """Return the mask that a family expects, of [B, T]."""
    if family.mask == "plain":
        return mask.long()
    length = mask.shape[1]
    everywhere = expand_mask(mask[:, None, None, :]).expand(-1, 1, length, -1)  # [B, 1, T, T]
    if family.mask == "expanded":
        return everywhere
    position = torch.arange(length, device=mask.device)
    near = (position[None] - position[:, None]).abs() <= config.sliding_window  # [T, T]
    return {
        "full_attention": everywhere,
        "sliding_attention": expand_mask(mask[:, None, None, :] & near),
    }


def count_lost_positions(model: PreTrainedModel) -> int:
    """Count the positions at which no token can stand: some families number them from the padding on."""
    tables = (part for name, part in model.named_modules() if name.endswith("position_embeddings"))
    table = next((part for part in tables if isinstance(part, nn.Embedding)), None)
    if table is not None and table.padding_idx is not None:
        return table.padding_idx + 1
    return 2 if family_of(model.config).positions == "from padding" else 0


def find_layers(model: nn.Module, family: Family) -> str:
    """Return the path of the layers in a model, or "" where they cannot be told apart."""
    if family.is_known:
        return family.layers
    count = getattr(getattr(model, "config", None), "num_hidden_layers", None)
    stacks = [
        name for name, part in model.named_modules() if isinstance(part, nn.ModuleList) and len(part) == count
    ]
    return stacks[0] if len(stacks) == 1 else ""


def find_lowest(model: nn.Module, family: Family, layers: str) -> tuple[str, ...]:
    """Return the paths of what is below the layers: of an unknown family, all tables of vectors."""
    tables = (f"{name}." for name, part in model.named_modules() if isinstance(part, nn.Embedding))
    found = () if family.is_known else (name for name in tables if not name.startswith(f"{layers}."))
    return *family.lowest, *found


def group_by_layer(
    encoder: nn.Module, path: str, lowest: tuple[str, ...]
) -> Iterator[Mapping[str, nn.Parameter]]:
    """Return the parameters of the lowest parts, of each layer, then the rest; all at once without a path."""
    found: dict[int, dict[str, nn.Parameter]] = {}
    count = len(encoder.get_submodule(path)) if path else 0  # type: ignore[arg-type]
    for name, parameter in encoder.named_parameters():
        number = name.removeprefix(f"{path}.").partition(".")[0] if name.startswith(f"{path}.") else ""
        if number.isdigit():
            level = int(number) + 1
        else:
            level = 0 if not path or name.startswith(lowest) else count + 1
        found.setdefault(level, {})[name] = parameter
    yield from (found[level] for level in sorted(found))


@torch.no_grad()
def check_reading(encoder: Encoder, family: str, *, bidirectional: bool = False) -> None:
    """Refuse an encoder that does not see the whole text, or sees padding, by its states of a few tokens."""
    pad, size = encoder.vocabulary.pad, encoder.input_vectors().shape[0]
    some, other = _choose_tokens(pad, size)
    was_training = encoder.training
    encoder.eval()
    try:
        alone = encoder(_as_batch([some], [len(some)]))
        changed = encoder(_as_batch([[*some[:-1], other]], [len(some)]))
        padded = encoder(_as_batch([[*some, pad, pad, pad], [*some[::-1], *some[:3]]], [len(some), 11]))
    except list_faults() as error:
        said = str(error).splitlines()[0] if str(error) else ""
        raise _unsupported(encoder, family, f"{type(error).__name__}: {said:.100}") from None
    finally:
        encoder.train(was_training)
    if alone.shape != (1, len(some), encoder.width):
        shape = tuple(alone.shape)
        raise _unsupported(encoder, family, f"it gives states of shape {shape} for {len(some)} tokens")
    if torch.equal(alone[:, 0], changed[:, 0]):
        if bidirectional:
            raise _unsupported(
                encoder, family, "its tokens see only what stands before them, whatever the mask"
            )
        raise ConfigError(
            f"encoder {encoder.name!r}: found a causal model ({family}), whose tokens see only what stands "
            f"before them: expected one that reads both ways; name it {encoder.name},attention=bidirectional "
            f"to let every token see the whole text, or {_EXAMPLES}"
        )
    if not torch.allclose(alone[0], padded[0, : len(some)], rtol=1e-3, atol=1e-3):
        raise _unsupported(encoder, family, "its states of a text depend on the padding behind it")


def _choose_tokens(pad: int, size: int) -> tuple[list[int], int]:
    tokens = [number for number in range(min(size, 10)) if number != pad]
    return (tokens[:-1] * 8)[:8], tokens[-1]


def _as_batch(rows: list[list[int]], lengths: list[int]) -> TokenInput:
    tokens = torch.tensor(rows)
    mask = torch.arange(tokens.shape[1])[None] < torch.tensor(lengths)[:, None]
    return TokenInput(tokens, torch.zeros_like(tokens), mask)


def _unsupported(encoder: Encoder, family: str, reason: str) -> ConfigError:
    return ConfigError(
        f"encoder {encoder.name!r}: the family {family!r} is not supported: {reason}; {_EXAMPLES}"
    )
