"""What answers cost, and a limit that is never passed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition

from aspectlab.errors import ConfigError
from aspectlab.llm.chat import Answer, Message

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a million tokens that go in and that come out."""

    tokens_in: float
    tokens_out: float

    def cost(self, n_in: int, n_out: int) -> float:
        """Give the price of so many tokens.

        >>> Prices(2.5, 10).cost(1_000_000, 100_000)
        3.5
        """
        return (n_in * self.tokens_in + n_out * self.tokens_out) / _MILLION

    def worst_case(self, messages: Sequence[Message], max_tokens: int) -> float:
        """Give a price that a question cannot exceed: a token holds a byte at least."""
        # role names and separators cost a few tokens a message
        size = sum(len(message["content"].encode("utf-8", "replace")) + 16 for message in messages)
        return self.cost(size, max_tokens)


class Budget:
    """What may be spent and what was; threads that ask at once cannot pass the limit together."""

    def __init__(self, prices: Prices | None = None, limit: float | None = None) -> None:
        if limit is not None and prices is None:
            raise ConfigError("--max-cost: the prices are missing: give --price-in and --price-out")
        self.prices = prices
        self.limit = limit
        self._spent = 0.0
        self._held = 0.0
        self._out = 0  # questions; a sum of amounts need not come back to exactly zero
        self._changed = Condition()

    @contextmanager
    def hold(self, messages: Sequence[Message], max_tokens: int) -> Iterator[Callable[[Answer], None]]:
        """Set the worst case aside while a question is out; gives what charges the real cost afterwards."""
        prices = self.prices
        worst = prices.worst_case(messages, max_tokens) if prices else 0.0
        self._set_aside(worst)
        cost = 0.0

        def charge(answer: Answer) -> None:
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
