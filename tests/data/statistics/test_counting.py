"""Words and five numbers."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from aspectlab.data.statistics import summarise
from aspectlab.data.statistics.counting import count_words, find_tokens


@given(st.lists(st.integers(0, 2000), min_size=1, max_size=30))
def test_summary_agrees_with_numpy(values: list[int]) -> None:
    found = summarise(values)
    assert found is not None
    expected = np.percentile(values, [0, 25, 50, 75, 100])
    assert [found.min, found.q1, found.median, found.q3, found.max] == pytest.approx(expected)


def test_summary_of_nothing_is_none() -> None:
    assert summarise([]) is None


@pytest.mark.parametrize(("text", "words"), [("", 0), ("one", 1), (" a\u00a0b\n c. ", 3)])
def test_words_are_separated_by_blanks(text: str, words: int) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't!", ["Do", "n't", "!"]),
        ("It's $1,000.50 -- really...", ["It", "'s", "$", "1,000.50", "--", "really", "..."]),
        ("so-so", ["so", "-", "so"]),
        ("CAN'T WE'LL", ["CA", "N'T", "WE", "'LL"]),
    ],
)
def test_tokens_part_clitics_numbers_and_marks(text: str, tokens: list[str]) -> None:
    assert find_tokens(text) == tokens
