"""Writer: the part that writes, shared by all models that do. K: symbols, P: places, Y: steps."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from aspectlab.encoders import Encoder
from aspectlab.encoders.seq2seq import Seq2SeqEncoder
from aspectlab.encodings import Batch
from aspectlab.encodings.grammar import END, NOTHING, START, Grammar
from aspectlab.nn.beams import BeamSearch
from aspectlab.nn.choices import Choices, Copies, Tokens, Vectors
from aspectlab.nn.course import Course, Places, Rules, token_places
from aspectlab.nn.warmstart import build_decoder, input_vectors, output_vectors


class Writer(nn.Module):
    """A decoder, the vectors of the symbols, and what makes a state of the text a key to copy by.

    A symbol starts from the mean vector of the tokens of its words. The keys are those of Yan et al. (2021).
    """

    def __init__(
        self, encoder: Encoder, grammar: Grammar, *, layers: int, dropout: float, copies: bool = True
    ) -> None:
        super().__init__()
        self.rules = Rules(grammar)
        self.room = encoder.vocabulary.max_length
        self.decoder = build_decoder(encoder, layers)
        self.given, self.sought = (
            nn.Parameter(torch.stack(list(_symbol_vectors(grammar, encoder, table))))
            for table in _tables(encoder)
        )  # [K, H] each
        width = encoder.width
        self.key = (
            nn.Sequential(nn.Linear(width, width), nn.Dropout(dropout), nn.ReLU(), nn.Linear(width, width))
            if copies
            else None
        )

    @property
    def symbols(self) -> Vectors:
        """The vectors of the symbols."""
        return Vectors(self.given, self.sought)

    def choices(
        self, encoder: Encoder, states: Tensor, batch: Batch[Tensor], start: Tensor | None = None
    ) -> Choices:
        """Let tokens be chosen: those of the texts, given by their states, or all there are.

        `start` is the state of the grammar that a text starts from, [B].
        """
        if self.key is None:
            return Tokens(self.symbols, _tables(encoder))
        places = token_places(batch.tokens, batch.words)
        return self.copies(states, token_vectors(encoder, batch.tokens), places, start)

    def copies(self, states: Tensor, content: Vectors, places: Places, start: Tensor | None = None) -> Copies:
        """Let places be chosen, given by their states and by what stands there, [B, P, H]."""
        assert self.key is not None
        if start is None:
            start = torch.zeros(len(states), dtype=torch.long, device=states.device)
        return Copies(self.symbols, content, self.key(states), Course(self.rules, places, start))

    def follow(self, states: Tensor, mask: Tensor, choices: Choices, labels: Tensor) -> Tensor:
        """Give the states from which the labels are to be chosen, [B, Y] -> [B, Y, H]."""
        start = torch.full_like(labels[:, :1], START)
        before = torch.cat([start, labels[:, :-1]], 1)
        return self.decoder.begin(states, mask).write(choices.read(before))

    def write(self, states: Tensor, mask: Tensor, choices: Choices, length: int) -> Tensor:
        """Choose step by step until all texts have ended or the length is reached, -> [B, Y]."""
        pen = self.decoder.begin(states, mask)
        last = torch.full((len(states),), START, device=states.device)
        ended = torch.zeros_like(last, dtype=torch.bool)
        written = []
        for _ in range(min(length, self.room)):
            scores = choices.score(pen.write(choices.read(last[:, None])))[:, 0]  # [B, C]
            last = torch.where(ended, NOTHING, choices.choose(scores))
            written.append(last)
            ended = ended | (last == END)
            if bool(ended.all()):
                break
        return torch.stack(written, 1)

    def search(self, states: Tensor, mask: Tensor, choices: Copies, length: int, beams: int) -> Tensor:
        """Follow several beams instead of the one of `write`, -> [B, Y]."""
        rows = (part.repeat_interleave(beams, 0) for part in (states, mask))
        pen, limit = self.decoder.begin(*rows), min(length, self.room)
        search = BeamSearch(pen, choices.repeat(beams), texts=len(states), beams=beams, limit=limit)
        return search.run()


def token_vectors(encoder: Encoder, tokens: Tensor) -> Vectors:
    """Give the vectors of some tokens, [B, T] -> [B, T, H] each."""
    return Vectors(*(embedding(tokens, table) for table in _tables(encoder)))


def _tables(encoder: Encoder) -> Vectors:
    return Vectors(input_vectors(encoder), output_vectors(encoder))


def _symbol_vectors(grammar: Grammar, encoder: Encoder, table: Tensor) -> Iterator[Tensor]:
    vocabulary = encoder.vocabulary
    first = (encoder.start,) if isinstance(encoder, Seq2SeqEncoder) else vocabulary.first
    frame = {START: first, END: vocabulary.last}
    words = vocabulary.tokenize(grammar.symbols)
    for number, tokens in enumerate(words):
        ids = [*frame.get(number, tokens.ids)]
        vector = table.detach()[ids].mean(0) if ids else torch.randn(table.shape[1]) * 0.02
        yield vector.clone()
