"""Usage: prices, the budget, and the report of an extraction."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition, Lock

from aspectlab.errors import ConfigError
from aspectlab.llm.chat import ChatAnswer, Message

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a million tokens that go in and that come out."""

    tokens_in: float
    tokens_out: float

    def cost(self, n_in: int, n_out: int) -> float:
        """Return the price of so many tokens.

        >>> Prices(2.5, 10).cost(1_000_000, 100_000)
        3.5
        """
        return (n_in * self.tokens_in + n_out * self.tokens_out) / _MILLION

    def worst_case(self, messages: Sequence[Message], max_tokens: int) -> float:
        """Return a price that a question cannot exceed: a token holds a byte at least."""
        # role names and separators cost a few tokens a message
        size = sum(len(message["content"].encode("utf-8", "replace")) + 16 for message in messages)
        return self.cost(size, max_tokens)


class Budget:
    """What may be spent and what was; threads that ask at once cannot pass the limit together."""

    def __init__(self, prices: Prices | None = None, limit: float | None = None) -> None:
        if limit is not None and prices is None:
            raise ConfigError("--max-cost: the prices are missing; give --price-in and --price-out")
        self.prices = prices
        self.limit = limit
        self._spent = 0.0
        self._held = 0.0
        self._out = 0  # questions; a sum of amounts need not come back to exactly zero
        self._changed = Condition()

    @contextmanager
    def hold(self, messages: Sequence[Message], max_tokens: int) -> Iterator[Callable[[ChatAnswer], None]]:
        """Set the worst case aside while a question is out; gives what charges the real cost afterwards."""
        prices = self.prices
        worst = prices.worst_case(messages, max_tokens) if prices else 0.0
        self._set_aside(worst)
        cost = 0.0

        def charge(answer: ChatAnswer) -> None:
            nonlocal cost
            n_in, n_out = answer.prompt_tokens, answer.completion_tokens
            # an endpoint that does not count may have charged the worst
            cost = worst if prices is None or n_in is None or n_out is None else prices.cost(n_in, n_out)

        try:
            yield charge
        finally:
            with self._changed:
                self._out -= 1
                self._held -= worst
                self._spent += cost
                self._changed.notify_all()

    def _set_aside(self, worst: float) -> None:
        with self._changed:
            if self.limit is not None:
                limit = self.limit
                # what others hold may come back: only money that is gone is a reason to stop
                self._changed.wait_for(lambda: not self._out or self._spent + self._held + worst <= limit)
                if self._spent + self._held + worst > limit:
                    raise ConfigError(
                        f"--max-cost {limit:g}: spent {self._spent:.4f}, and the next question may cost "
                        f"{worst:.4f}: answers so far are kept; raise the limit and run again to go on"
                    )
            self._out += 1
            self._held += worst


@dataclass(frozen=True, slots=True)
class ExtractionProblem:
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
    malformed: tuple[ExtractionProblem, ...]
    refused: tuple[ExtractionProblem, ...]
    parameters_dropped: tuple[str, ...]
    prompt_tokens: int
    completion_tokens: int
    answers_without_tokens: int
    cost: float | None


@dataclass(slots=True)
class UsageCounts:
    """Counts that several threads add to."""

    requests: int = 0
    cached: int = 0
    asked_again: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    answers_without_tokens: int = 0
    _lock: Lock = field(default_factory=Lock)

    def count_answer(self, answer: ChatAnswer) -> None:
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
        """Return the price of the tokens counted; None where prices are unknown or no answer had tokens."""
        if prices is None or (self.requests and self.answers_without_tokens == self.requests):
            return None
        return prices.cost(self.prompt_tokens, self.completion_tokens)
