"""What asking a chat model took, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

from aspectlab.llm.chat import Answer
from aspectlab.llm.cost import Prices


@dataclass(frozen=True, slots=True)
class Problem:
    """An example without predictions because of its answer, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """The account of one run; tokens and cost are those of the requests made now, not of kept answers.

    `requests` were answered, `cached` were known before, `retries` had to be sent again, and `asked_again`
    are questions whose first answer was unusable. `malformed` examples stayed without a usable answer, and
    the endpoint would not look at the `refused` ones: both count as empty. `records_dropped` name words
    that do not stand in the text. The cost is None where no prices are known.
    """

    model: str
    endpoint: str
    task: str
    shots: int
    examples: int
    predictions: int
    requests: int
    cached: int
    retries: int
    asked_again: int
    records_dropped: int
    malformed: tuple[Problem, ...]
    refused: tuple[Problem, ...]
    parameters_dropped: tuple[str, ...]
    prompt_tokens: int
    completion_tokens: int
    answers_without_tokens: int
    cost: float | None


@dataclass(slots=True)
class Tally:
    """Counts that several threads add to."""

    requests: int = 0
    cached: int = 0
    asked_again: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    answers_without_tokens: int = 0
    _lock: Lock = field(default_factory=Lock)

    def count_answer(self, answer: Answer) -> None:
        """Count an answer that was just given."""
        with self._lock:
            self.requests += 1
            self.prompt_tokens += answer.prompt_tokens or 0
            self.completion_tokens += answer.completion_tokens or 0
            self.answers_without_tokens += None in (answer.prompt_tokens, answer.completion_tokens)

    def count_cached(self) -> None:
        """Count an answer that was known before."""
        with self._lock:
            self.cached += 1

    def count_asked_again(self) -> None:
        """Count a question whose answer was unusable."""
        with self._lock:
            self.asked_again += 1

    @property
    def answered(self) -> int:
        """How many answers there are."""
        return self.requests + self.cached

    def cost(self, prices: Prices | None) -> float | None:
        """Give the price of the tokens counted; None where prices are unknown or no answer had tokens."""
        if prices is None or (self.requests and self.answers_without_tokens == self.requests):
            return None
        return prices.cost(self.prompt_tokens, self.completion_tokens)
