"""Prices and limits; sums worked out by hand."""

from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

from aspectlab.errors import ConfigError
from aspectlab.llm import Budget, ChatAnswer, Prices

HELLO = [{"role": "user", "content": "Nice tea"}]
# a question of 8 bytes with 16 for its turn, and at most 100 tokens back: (24 · 1 + 100 · 10) / 10^6
WORST = 0.001024
PRICES = Prices(1, 10)
SMALL = ChatAnswer("{}", prompt_tokens=20, completion_tokens=10)  # (20 · 1 + 10 · 10) / 10^6 = 0.00012


def spend(budget: Budget, answer: ChatAnswer = SMALL, times: int = 1) -> None:
    for _ in range(times):
        with budget.hold(HELLO, 100) as charge:
            charge(answer)


def test_worst_case_bounds_a_question() -> None:
    assert PRICES.worst_case(HELLO, 100) == pytest.approx(WORST)


def test_budget_stops_before_the_limit_is_passed() -> None:
    budget = Budget(PRICES, 0.0014)
    # three cost 0.00036, and 0.00036 + 0.001024 fits; four cost 0.00048, and 0.00048 + 0.001024 does not
    spend(budget, times=4)
    with pytest.raises(
        ConfigError, match=r"--max-cost 0\.0014: spent 0\.0005, and the next question may cost"
    ):
        spend(budget)


def test_budget_charges_the_worst_where_no_tokens_are_counted() -> None:
    budget = Budget(PRICES, 1.5 * WORST)
    spend(budget, ChatAnswer("{}"))
    with pytest.raises(ConfigError, match="raise the limit and run again to go on"):
        spend(budget)


def test_budget_charges_nothing_for_a_question_that_failed() -> None:
    budget = Budget(PRICES, WORST)
    with pytest.raises(OSError, match="lost"), budget.hold(HELLO, 100):
        raise OSError("lost")
    spend(budget)


def test_budget_lets_questions_wait_for_those_under_way() -> None:
    budget = Budget(PRICES, WORST + 5 * 0.00012)

    def ask(_: int) -> None:
        with budget.hold(HELLO, 100) as charge:
            sleep(0.005)
            charge(SMALL)

    # one fits at a time, and all six fit one after the other
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(ask, range(6)))
    with pytest.raises(ConfigError):
        ask(7)


def test_budget_without_a_limit_needs_no_prices() -> None:
    spend(Budget())


def test_budget_with_a_limit_needs_prices() -> None:
    with pytest.raises(ConfigError, match="--max-cost: the prices are missing"):
        Budget(None, 1.0)
