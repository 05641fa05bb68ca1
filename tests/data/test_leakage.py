"""Leaks between train and test: verbatim, by words, by word pairs; the search against a plain one."""

import re
import time
from random import Random

import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Corpus, Example, OverlapMatch, leakage, overlap, refuse_overlap
from aspectlab.errors import DataError
from tests.support.examples import corpus_of


def texts(prefix: str, *lines: str) -> Corpus:
    return corpus_of(*(Example(f"{prefix}{n}", line) for n, line in enumerate(lines)))


def test_overlap_lists_the_ids_of_both_sides() -> None:
    found = overlap(texts("a", "Tea.", "Cake.", "Tea."), texts("b", "Tea.", "Milk.", "Tea."))
    assert found.exact == (OverlapMatch(1.0, ("a0", "a2"), ("b0", "b2")),)
    assert found.near == ()


@pytest.mark.parametrize("other", ["good TEA", "Good tea!!", " Good\u00a0tea.", "GOOD, TEA"])
def test_overlap_finds_the_same_words_as_near(other: str) -> None:
    found = overlap(texts("a", "Good tea."), texts("b", other))
    assert found.exact == ()
    assert found.near == (OverlapMatch(1.0, ("a0",), ("b0",)),)


# one word of n + 1 differs at the end: n - 1 pairs of n + 1 are shared, so 0.8 is reached at n = 9
@pytest.mark.parametrize(("words", "expected"), [(9, []), (10, [0.8]), (11, [9 / 11])])
def test_overlap_is_near_from_four_fifths_of_the_word_pairs_on(words: int, expected: list[float]) -> None:
    line = [f"w{n}" for n in range(words - 1)]
    found = overlap(texts("a", " ".join([*line, "tea"])), texts("b", " ".join([*line, "cake"])))
    assert [match.similarity for match in found.near] == expected


@pytest.mark.parametrize("text", ["", "  ", "..."])
def test_overlap_ignores_texts_without_words_unless_verbatim(text: str) -> None:
    found = overlap(texts("a", text), texts("b", text + " "))
    assert (found.exact, found.near) == ((), ())


LINES = st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=12).map(" ".join), max_size=12)


def shingles(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[n : n + 2]) for n in range(max(1, len(words) - 1))}


@pytest.mark.parametrize("common", [1, 3, 100])
@given(train=LINES, test=LINES)
def test_overlap_finds_what_a_comparison_of_all_pairs_finds(
    common: int, train: list[str], test: list[str]
) -> None:
    # from how many texts on a pair of words is a common one must not matter
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leakage, "_COMMON", common)
        found = overlap(texts("a", *train), texts("b", *test))
    expected = {
        (f"a{i}", f"b{j}")
        for i, old in enumerate(train)
        for j, new in enumerate(test)
        if new not in train
        and 5 * len(shingles(old) & shingles(new)) >= 4 * len(shingles(old) | shingles(new))
    }
    pairs = {(old, new) for match in found.near for old in match.train for new in match.test}
    assert pairs == expected
    assert set(found.exact_test_ids) == {f"b{j}" for j, new in enumerate(test) if new in train}


def test_refuse_overlap_names_the_first_leak() -> None:
    with pytest.raises(DataError, match=r"1 texts occur in the training corpus .* 'b1' = train id 'a0'"):
        refuse_overlap(texts("a", "Tea."), texts("b", "Cake.", "Tea."))


def test_refuse_overlap_accepts_near_duplicates() -> None:
    refuse_overlap(texts("a", "Tea."), texts("b", "tea"))


@pytest.mark.slow
def test_overlap_of_ten_thousand_by_ten_thousand_takes_seconds() -> None:
    rng = Random(1)
    # word frequencies fall as in a language, so that common pairs recur thousands of times
    words = [f"w{n}" for n in range(5000)]
    weights = [1 / (n + 1) for n in range(5000)]
    lines = [" ".join(rng.choices(words, weights, k=rng.randint(5, 30))) for _ in range(20_000)]
    start = time.perf_counter()
    overlap(texts("a", *lines[:10_000]), texts("b", *lines[10_000:]))
    assert time.perf_counter() - start < 20


def test_overlap_counts_vowel_signs_as_part_of_a_word() -> None:
    # Hindi "of", feminine and masculine: they differ in a sign that is no letter by itself
    found = overlap(texts("a", "\u0935\u0939 \u0915\u0940"), texts("b", "\u0935\u0939 \u0915\u093e"))
    assert found.near == ()


def test_overlap_finds_a_decomposed_accent_as_near() -> None:
    found = overlap(texts("a", "Bon caf\u00e9"), texts("b", "Bon cafe\u0301"))
    assert [match.similarity for match in found.near] == [1.0]


# ten letters and one more make 9 and 10 pairs, of which 9 are shared
@pytest.mark.parametrize(("letters", "expected"), [(10, [0.9]), (3, [])])
def test_overlap_takes_letters_for_words_where_no_blanks_are_written(
    letters: int, expected: list[float]
) -> None:
    line = "".join(chr(0x4E00 + n) for n in range(letters))
    found = overlap(texts("a", line), texts("b", line + "\u5f88"))
    assert [match.similarity for match in found.near] == expected


def test_overlap_of_a_template_does_not_list_every_pair() -> None:
    # 19 pairs of words, of which 17 are shared: 250,000 pairs of texts would be listed
    tail = " ".join(f"w{n}" for n in range(18))
    train, test = (texts(side, *(f"Order {side}{n} {tail}" for n in range(500))) for side in "ab")
    found = overlap(train, test)
    assert len(found.near_test_ids) == 500
    assert len(found.near) == 500 * 20
    assert found.near[0] == OverlapMatch(17 / 21, ("a0",), ("b0",))


def test_overlap_of_a_template_does_not_compare_every_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    # 14 of 18 pairs of words are shared, less than 4/5: 250,000 comparisons found nothing
    compared: list[float] = []

    def compare(left: frozenset[leakage.Shingle], right: frozenset[leakage.Shingle]) -> float:
        compared.append(len(left & right) / len(left | right))
        return 0.0

    monkeypatch.setattr(leakage, "_compare", compare)
    tail = " ".join(f"w{n}" for n in range(15))
    train, test = (texts(side, *(f"Order {side}{n} {tail}" for n in range(500))) for side in "ab")
    assert overlap(train, test).near == ()
    assert len(compared) < 500
