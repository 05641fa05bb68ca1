"""What every encoder is: a module with a vocabulary and a width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Protocol

from torch import Tensor, nn

from aspectlab.encodings import Vocabulary


class TokenBatch(Protocol):
    """The part of a batch that an encoder reads."""

    @property
    def tokens(self) -> Tensor:
        """Token numbers, [B, T]."""

    @property
    def segments(self) -> Tensor:
        """Segment numbers, [B, T]."""

    @property
    def mask(self) -> Tensor:
        """Which tokens are no padding, [B, T]."""


class Encoder(nn.Module):
    """Turn token numbers into states; subclasses say how, and what must be saved to build them again."""

    name: str
    vocabulary: Vocabulary
    width: int
    is_deep: ClassVar[bool] = False  # mostly large matrix products, which bfloat16 makes faster

    def forward(self, batch: TokenBatch) -> Tensor:
        """Give a state for every token, [B, T, H]; states of padding are zero or never read."""
        raise NotImplementedError

    def layers(self, batch: TokenBatch) -> list[Tensor]:
        """Give the states after each layer, lowest first; the last are those of `forward`."""
        return [self(batch)]

    def pool(self, states: Tensor) -> Tensor:
        """Give the sentence vector that the encoder was pre-trained to give, [B, T, H] -> [B, H]."""
        raise NotImplementedError

    def describe(self) -> dict[str, object]:
        """Say what `restore_encoder` needs besides the weights."""
        raise NotImplementedError

    def save_files(self, folder: Path) -> None:
        """Write what is not a weight (tokenizer, word list) into the folder of a saved model."""
        raise NotImplementedError

    def groups(self) -> Iterator[Mapping[str, nn.Parameter]]:
        """Give the parameters layer by layer, lowest first, for a learning rate that differs by depth."""
        yield dict(self.named_parameters())
