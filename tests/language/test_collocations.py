"""Collocations: what a word's neighbours say about its antonym."""

import pytest

from aspectlab.language.antonyms import collocation_table, find_antonyms, find_collocation


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("a generous portion", "generous", "stingy"),
        ("a generous host", "generous", None),
        ("good tea", "good", "not"),
        ("very good tea", "good", None),
        ("a very friendly cat", "friendly", "hostile"),
        # the first line that fits wins
        ("very friendly and attentive", "friendly", "unfriendly"),
        ("good", "good", "not"),
        ("nonsense", "nonsense", None),
    ],
)
def test_collocation_follows_the_neighbours(text: str, word: str, expected: str | None) -> None:
    # the lines of the table, by hand
    words = text.split()
    place = words.index(word)
    assert find_collocation(words, place, place + 1) == expected


def test_collocation_of_several_words_is_found() -> None:
    assert find_collocation(["tea", "is", "not", "expensive", "here"], 2, 4) == "costly"
    assert find_collocation(["tea", "is", "not", "expensive", "here"], 3, 4) is None


def test_collocation_table_rows_are_well_formed() -> None:
    table = collocation_table()
    assert list(table) == sorted(table)
    pairs = [(word, antonym) for word, rows in table.items() for antonym, _ in rows]
    assert [pair for pair in pairs if pair[0] == pair[1] or pair[1] != pair[1].lower()] == []
    assert len(set(pairs)) == len(pairs)


def test_collocation_table_repeats_no_first_choice_of_the_antonym_table() -> None:
    # a line with one row says nothing new if the antonym table says the same
    single = {word: rows[0][0] for word, rows in collocation_table().items() if len(rows) == 1}
    assert [word for word, new in single.items() if find_antonyms(word, "ADJ")[:1] == (new,)] == []
