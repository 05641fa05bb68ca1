"""Beam search: follow the most probable ways to write about each text, and take the best one in the end.

A way that ends is set aside with the mean log probability of its steps. A text is done when it has as many of
these as beams, and no open way is better at its present length than the worst of them: what comes later does
not change it, so that texts do not hang on those that they are searched with. K: beams, C: choices, Y: steps.
"""

from __future__ import annotations

import torch
from torch import Tensor

from aspectlab.encodings.grammar import END, NOTHING, START
from aspectlab.nn.choices import Copies
from aspectlab.nn.decoder import Pen


class BeamSearch:
    """The open ways of a batch and those set aside; its rows are texts times beams."""

    def __init__(self, pen: Pen, choices: Copies, *, texts: int, beams: int, limit: int) -> None:
        self.pen, self.choices, self.beams, self.limit = pen, choices, beams, limit
        self.device = choices.keys.device
        self.first_row = torch.arange(texts, device=self.device)[:, None] * beams  # [B, 1]
        # all beams stand at the beginning, so that only one may count
        self.scores = torch.full((texts, beams), -torch.inf, device=self.device)
        self.scores[:, 0] = 0
        self.written = torch.full((texts * beams, 1), START, device=self.device)  # [B * K, 1 + Y]
        self.kept_scores = torch.full((texts, beams), -torch.inf, device=self.device)
        self.kept = torch.full((texts, beams, limit), NOTHING, device=self.device)
        self.is_done = torch.zeros(texts, dtype=torch.bool, device=self.device)

    def run(self) -> Tensor:
        """Search until all texts are done or the limit is reached, and give the best way of each, [B, Y]."""
        for step in range(1, self.limit + 1):
            self._step(step)
            if bool(self.is_done.all()):
                break
        self._keep_open()
        return self.kept[:, 0]

    def _step(self, step: int) -> None:
        """Go on by one number, and set aside what ends with it."""
        scores, rows, numbers = self._candidates()
        ends = numbers == END
        # only among the best K may a way end: else every text would soon have K ends
        is_kept = ends & (torch.arange(2 * self.beams, device=self.device) < self.beams)
        self._keep(scores.masked_fill(~is_kept, -torch.inf) / step, rows, numbers)
        # at most one choice of each beam is an end, so that K of 2 K are none
        order = ends.int().argsort(dim=1, stable=True)[:, : self.beams]
        self._go_on(*(part.gather(1, order) for part in (scores, rows, numbers)))
        # with fewer ways than beams both are infinite where all of them have ended
        self.is_done = self.is_done | (self.kept_scores[:, -1] >= self.scores[:, 0] / step)

    def _candidates(self) -> tuple[Tensor, Tensor, Tensor]:
        """Give the 2 K best ways that are one step longer: score, row and last number, [B, 2 * K] each."""
        choices = self.choices
        states = self.pen.write(choices.read(self.written[:, -1:]))
        shares = choices.course.weigh(choices.score(states)[:, 0])  # [B * K, C]
        totals = self.scores[..., None] + shares.log().view(*self.scores.shape, -1)  # [B, K, C]
        best = totals.flatten(1).topk(2 * self.beams)
        count = shares.shape[1]
        return best.values, self.first_row + best.indices // count, best.indices % count

    def _go_on(self, scores: Tensor, rows: Tensor, numbers: Tensor) -> None:
        """Let the open ways be those given, [B, K] each."""
        self.scores = scores
        self.pen.pick(rows.flatten())
        self.choices.course.pick(rows.flatten())
        self.choices.course.go_on(numbers.flatten())
        self.written = torch.cat([self.written[rows.flatten()], numbers.view(-1, 1)], 1)

    def _keep(self, scores: Tensor, rows: Tensor, numbers: Tensor) -> None:
        """Set ways aside if they are among the K best of a text that is not done, [B, N] each."""
        scores = scores.masked_fill(self.is_done[:, None], -torch.inf)
        ways = torch.cat([self.written[:, 1:][rows], numbers[..., None]], 2)  # [B, N, Y]
        room = self.kept.new_full((*rows.shape, self.limit - ways.shape[2]), NOTHING)
        every = torch.cat([self.kept, torch.cat([ways, room], 2)], 1)
        best = torch.cat([self.kept_scores, scores], 1).topk(self.beams)
        self.kept_scores = best.values
        self.kept = every.gather(1, best.indices[..., None].expand(-1, -1, self.limit))

    def _keep_open(self) -> None:
        """Set aside what is still open at the limit."""
        last, self.written = self.written[:, -1], self.written[:, :-1]
        rows = self.first_row + torch.arange(self.beams, device=self.device)
        self._keep(self.scores / self.written.shape[1], rows, last[rows])
