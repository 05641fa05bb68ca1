"""What every encoder is: a module with a vocabulary and a width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from torch import Tensor, nn

from aspectlab.encodings import Vocabulary
from aspectlab.errors import ConfigError

if TYPE_CHECKING:  # the library takes seconds to import
    from transformers import PreTrainedModel


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


class TokenInput(NamedTuple):
    """Tokens that come from no encoding."""

    tokens: Tensor
    segments: Tensor
    mask: Tensor


class DecoderState(Protocol):
    """One batch while it is written; it remembers what it was given so far."""

    def advance(self, inputs: Tensor) -> Tensor:
        """Add inputs and return the state behind each, [B, N, H] -> [B, N, H]."""
        ...

    def reorder(self, rows: Tensor) -> None:
        """Go on from what other rows have written, [B]; they must be about the same texts."""
        ...


class Decoder(Protocol):
    """What writes: ours, or that of a pre-trained sequence-to-sequence model."""

    def start(self, states: Tensor, mask: Tensor) -> DecoderState:
        """Begin to write about some texts, given by the states of their tokens, [B, T, H] and [B, T]."""
        ...


class Encoder(nn.Module):
    """Turn token numbers into states; subclasses say how, and what must be saved to build them again."""

    name: str
    vocabulary: Vocabulary
    width: int
    is_deep: ClassVar[bool] = False  # mostly large matrix products, which bfloat16 makes faster
    is_traceable: bool = True  # else no exported graph can do what it does
    lora: int = 0  # the rank of what is trained beside its frozen weights; 0: all weights are trained

    def forward(self, batch: TokenBatch, shift: Tensor | None = None) -> Tensor:
        """Return a state for every token, [B, T, H]; states of padding are zero or never read.

        `shift` is added to all input vectors of a text, [B, H].
        """
        raise NotImplementedError

    def layers(self, batch: TokenBatch) -> list[Tensor]:
        """Return the states after each layer, lowest first; the last are those of `forward`."""
        return [self(batch)]

    def pool(self, states: Tensor) -> Tensor:
        """Return the sentence vector that the encoder was pre-trained to give, [B, T, H] -> [B, H]."""
        raise NotImplementedError

    def describe(self) -> dict[str, object]:
        """Return what `restore_encoder` needs besides the weights; `kind` is a row of `ENCODERS`."""
        raise NotImplementedError

    def save_files(self, folder: Path) -> None:
        """Write what is not a weight (tokenizer, word list) into the folder of a saved model."""
        raise NotImplementedError

    @property
    def decoder(self) -> Decoder | None:
        """The decoder that was pre-trained with it, if there is one."""
        return None

    @property
    def library_model(self) -> PreTrainedModel | None:
        """The bidirectional transformer inside, whose layers a new decoder can start from."""
        return None

    @property
    def start_tokens(self) -> tuple[int, ...]:
        """The tokens with which its decoder begins to write."""
        return self.vocabulary.first

    def input_vectors(self) -> Tensor:
        """Return the vector that each token is read with, [V, H]: models that write need it."""
        raise ConfigError(
            f"encoder {self.name!r}: it has no word vectors to write with: expected another, such as 'minilm'"
        )

    def output_vectors(self) -> Tensor:
        """Return the vector that each token is written with, [V, H]: the same, unless trained apart."""
        return self.input_vectors()

    def describe_options(self) -> dict[str, object]:
        """Return what was added to the encoder after it was loaded, as a part of its description."""
        return {"lora": self.lora} if self.lora else {}

    def groups(self) -> Iterator[Mapping[str, nn.Parameter]]:
        """Return the parameters layer by layer, lowest first, for a learning rate that differs by depth."""
        yield dict(self.named_parameters())
