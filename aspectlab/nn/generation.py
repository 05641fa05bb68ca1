"""Generation: the decoder shared by all models that write triplets, step by step or by beam search.

K: symbols, or beams in the search; P: positions, C: outputs, Y: steps.
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from aspectlab.encoders import DecoderState, Encoder
from aspectlab.encodings import END, NOTHING, START, Batch, Grammar
from aspectlab.nn.output_space import (
    CopyOutputs,
    CopyPositions,
    GrammarState,
    GrammarTables,
    OutputSpace,
    OutputVectors,
    VocabularyOutputs,
    token_positions,
)
from aspectlab.nn.transformer_layers import build_decoder


class BeamSearch:
    """Follow the most probable hypotheses about each text, and take the best finished one in the end.

    A hypothesis that ends is scored by the mean log probability of its steps. A text is done when it has as
    many finished ones as beams, and no open one is better at its present length than the worst of them: what
    comes later does not change it, so that texts do not depend on those that they are searched with. Rows are
    texts times beams.
    """

    def __init__(
        self, decoder: DecoderState, outputs: CopyOutputs, *, texts: int, beams: int, limit: int
    ) -> None:
        self.decoder, self.outputs, self.beams, self.limit = decoder, outputs, beams, limit
        self.device = outputs.keys.device
        self.first_row = torch.arange(texts, device=self.device)[:, None] * beams  # [B, 1]
        # all beams stand at the beginning, so that only one may count
        self.scores = torch.full((texts, beams), -torch.inf, device=self.device)
        self.scores[:, 0] = 0
        self.written = torch.full((texts * beams, 1), START, device=self.device)  # [B * K, 1 + Y]
        self.finished_scores = torch.full((texts, beams), -torch.inf, device=self.device)
        self.finished = torch.full((texts, beams, limit), NOTHING, device=self.device)
        self.is_done = torch.zeros(texts, dtype=torch.bool, device=self.device)

    def run(self) -> Tensor:
        """Search until all texts are done or the limit is reached, and return the best of each, [B, Y]."""
        for step in range(1, self.limit + 1):
            self._step(step)
            if bool(self.is_done.all()):
                break
        self._finish_open()
        return self.finished[:, 0]

    def _step(self, step: int) -> None:
        """Extend the hypotheses by one output, and finish those that end with it."""
        scores, rows, numbers = self._candidates()
        ends = numbers == END
        # only among the best K may one end: else every text would soon have K ends
        may_end = ends & (torch.arange(2 * self.beams, device=self.device) < self.beams)
        self._finish(scores.masked_fill(~may_end, -torch.inf) / step, rows, numbers)
        # at most one output of each beam is an end, so that K of 2 K are none
        order = ends.int().argsort(dim=1, stable=True)[:, : self.beams]
        self._continue(*(part.gather(1, order) for part in (scores, rows, numbers)))
        # with fewer hypotheses than beams both are infinite where all of them have ended
        self.is_done = self.is_done | (self.finished_scores[:, -1] >= self.scores[:, 0] / step)

    def _candidates(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the 2 K best extensions by one step: score, row and last output, [B, 2 * K] each."""
        outputs = self.outputs
        states = self.decoder.advance(outputs.read(self.written[:, -1:]))
        chances = outputs.grammar.probabilities(outputs.score(states)[:, 0])  # [B * K, C]
        totals = self.scores[..., None] + chances.log().view(*self.scores.shape, -1)  # [B, K, C]
        best = totals.flatten(1).topk(2 * self.beams)
        count = chances.shape[1]
        return best.values, self.first_row + best.indices // count, best.indices % count

    def _continue(self, scores: Tensor, rows: Tensor, numbers: Tensor) -> None:
        """Make these the open hypotheses, [B, K] each."""
        self.scores = scores
        self.decoder.reorder(rows.flatten())
        self.outputs.grammar.reorder(rows.flatten())
        self.outputs.grammar.advance(numbers.flatten())
        self.written = torch.cat([self.written[rows.flatten()], numbers.view(-1, 1)], 1)

    def _finish(self, scores: Tensor, rows: Tensor, numbers: Tensor) -> None:
        """Finish hypotheses that are among the K best of a text that is not done, [B, N] each."""
        scores = scores.masked_fill(self.is_done[:, None], -torch.inf)
        hypotheses = torch.cat([self.written[:, 1:][rows], numbers[..., None]], 2)  # [B, N, Y]
        room = self.finished.new_full((*rows.shape, self.limit - hypotheses.shape[2]), NOTHING)
        every = torch.cat([self.finished, torch.cat([hypotheses, room], 2)], 1)
        best = torch.cat([self.finished_scores, scores], 1).topk(self.beams)
        self.finished_scores = best.values
        self.finished = every.gather(1, best.indices[..., None].expand(-1, -1, self.limit))

    def _finish_open(self) -> None:
        """Finish what is still open at the limit."""
        last, self.written = self.written[:, -1], self.written[:, :-1]
        rows = self.first_row + torch.arange(self.beams, device=self.device)
        self._finish(self.scores / self.written.shape[1], rows, last[rows])


class Writer(nn.Module):
    """A decoder with the vectors of the symbols and a projection of the states of the text to keys.

    A symbol starts from the mean vector of the tokens of its words. The keys are those of Yan et al. (2021).
    """

    def __init__(
        self, encoder: Encoder, grammar: Grammar, *, layers: int, dropout: float, copies: bool = True
    ) -> None:
        super().__init__()
        self.rules = GrammarTables(grammar)
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
    def symbols(self) -> OutputVectors:
        """The vectors of the symbols."""
        return OutputVectors(self.given, self.sought)

    def output_space(
        self, encoder: Encoder, states: Tensor, batch: Batch[Tensor], start: Tensor | None = None
    ) -> OutputSpace:
        """Return the tokens as outputs: those of the texts, given by their states, or all there are.

        `start` is the state of the grammar that a text starts from, [B].
        """
        if self.key is None:
            return VocabularyOutputs(self.symbols, _tables(encoder))
        positions = token_positions(batch.tokens, batch.words)
        return self.copy_outputs(states, token_vectors(encoder, batch.tokens), positions, start)

    def copy_outputs(
        self, states: Tensor, content: OutputVectors, positions: CopyPositions, start: Tensor | None = None
    ) -> CopyOutputs:
        """Return positions as outputs, given by their states and by what stands there, [B, P, H]."""
        assert self.key is not None
        if start is None:
            start = torch.zeros(len(states), dtype=torch.long, device=states.device)
        return CopyOutputs(
            self.symbols, content, self.key(states), GrammarState(self.rules, positions, start)
        )

    def teacher_force(self, states: Tensor, mask: Tensor, outputs: OutputSpace, labels: Tensor) -> Tensor:
        """Return the states from which the labels are to be chosen, [B, Y] -> [B, Y, H]."""
        start = torch.full_like(labels[:, :1], START)
        before = torch.cat([start, labels[:, :-1]], 1)
        return self.decoder.start(states, mask).advance(outputs.read(before))

    def generate(self, states: Tensor, mask: Tensor, outputs: OutputSpace, length: int) -> Tensor:
        """Choose greedily, step by step, until all texts have ended or the length is reached, -> [B, Y]."""
        decoder = self.decoder.start(states, mask)
        last = torch.full((len(states),), START, device=states.device)
        ended = torch.zeros_like(last, dtype=torch.bool)
        written = []
        for _ in range(min(length, self.room)):
            scores = outputs.score(decoder.advance(outputs.read(last[:, None])))[:, 0]  # [B, C]
            last = torch.where(ended, NOTHING, outputs.choose(scores))
            written.append(last)
            ended = ended | (last == END)
            if bool(ended.all()):
                break
        return torch.stack(written, 1)

    def beam_search(
        self, states: Tensor, mask: Tensor, outputs: CopyOutputs, length: int, beams: int
    ) -> Tensor:
        """Follow several beams instead of the one of `generate`, -> [B, Y]."""
        rows = (part.repeat_interleave(beams, 0) for part in (states, mask))
        decoder, limit = self.decoder.start(*rows), min(length, self.room)
        search = BeamSearch(decoder, outputs.repeat(beams), texts=len(states), beams=beams, limit=limit)
        return search.run()


def token_vectors(encoder: Encoder, tokens: Tensor) -> OutputVectors:
    """Return the vectors of some tokens, [B, T] -> [B, T, H] each."""
    return OutputVectors(*(embedding(tokens, table) for table in _tables(encoder)))


def _tables(encoder: Encoder) -> OutputVectors:
    return OutputVectors(encoder.input_vectors(), encoder.output_vectors())


def _symbol_vectors(grammar: Grammar, encoder: Encoder, table: Tensor) -> Iterator[Tensor]:
    vocabulary = encoder.vocabulary
    frame = {START: encoder.start_tokens, END: vocabulary.last}
    words = vocabulary.tokenize(grammar.symbols)
    for number, tokens in enumerate(words):
        ids = [*frame.get(number, tokens.ids)]
        vector = table.detach()[ids].mean(0) if ids else torch.randn(table.shape[1]) * 0.02
        yield vector.clone()
