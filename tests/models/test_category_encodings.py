"""Texts with all their categories, and texts with one category each: rows written by hand."""

from dataclasses import replace

import numpy as np
import pytest

from aspectlab.data import Example, Polarity, Quad
from aspectlab.encodings import WordList
from aspectlab.encodings.categories import CategoryLabels
from aspectlab.models.categorymultilabel import MultilabelEncoding
from aspectlab.models.categorypair import CategoryPairEncoding, spell

GOOD = Polarity.POSITIVE


class Framed(WordList):
    """Words with a frame, and room for twelve tokens."""

    first, between, last = (100,), (101,), (102,)
    max_length = 12


VOCABULARY = Framed({"good": 2, "soup": 3, "food": 4, "quality": 5, "price": 6})
VERDICTS = CategoryLabels("acp", ("food#quality", "price"), ("absent", "positive"))
GIVEN = CategoryLabels("acsc", ("food#quality", "price"), ("negative", "positive"))
SOUP = Example("1", "good soup", (Quad(category="food#quality", polarity=GOOD),))
LONG = Example("2", "soup " * 40)


def test_multilabel_item_holds_the_class_of_every_category() -> None:
    item = MultilabelEncoding(VOCABULARY, VERDICTS).encode([SOUP])[0]
    assert item.tokens == [100, 2, 3, 102]
    assert item.words == [-1, 0, 1, -1]
    assert item.labels == [1, 0]
    assert item.is_labelled


def test_multilabel_item_without_given_categories_is_not_learnt_from() -> None:
    items = MultilabelEncoding(VOCABULARY, GIVEN).encode([SOUP, LONG])
    assert [item.labels for item in items] == [[1, -1], [-1, -1]]
    assert [item.is_labelled for item in items] == [True, False]


def test_multilabel_collate_pads_to_the_longest() -> None:
    encoding = MultilabelEncoding(VOCABULARY, VERDICTS)
    batch = encoding.collate(encoding.encode([SOUP, replace(SOUP, text="soup", quads=())]))
    assert batch.tokens.tolist() == [[100, 2, 3, 102], [100, 3, 102, 0]]
    assert batch.labels.tolist() == [[1, 0], [0, 0]]


def test_multilabel_decode_gives_every_category_that_is_there() -> None:
    encoding = MultilabelEncoding(VOCABULARY, VERDICTS)
    scores = np.array([[[0, 1], [1, 0]]], np.float32)
    assert encoding.decode(scores, encoding.encode([SOUP]), [SOUP]) == [SOUP.quads]


def test_multilabel_decode_judges_given_categories_alone() -> None:
    encoding = MultilabelEncoding(VOCABULARY, GIVEN)
    asked = replace(SOUP, quads=(Quad(category="price"), Quad(category="never seen")))
    quads = encoding.decode(np.zeros((1, 2, 2), np.float32), encoding.encode([asked]), [asked])[0]
    assert [quad.category for quad in quads] == ["price"]


def test_pair_asks_about_every_category_of_the_model() -> None:
    items = CategoryPairEncoding(VOCABULARY, VERDICTS).encode([SOUP])
    assert [item.tokens for item in items] == [[100, 2, 3, 101, 4, 5, 102], [100, 2, 3, 101, 6, 102]]
    assert [item.segments for item in items] == [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]]
    assert [np.flatnonzero(item.in_second).tolist() for item in items] == [[4, 5], [4]]
    assert [np.flatnonzero(item.in_sentence).tolist() for item in items] == [[1, 2], [1, 2]]
    assert [(item.category, item.label) for item in items] == [("food#quality", 1), ("price", 0)]


def test_pair_asks_about_given_categories_alone_also_about_unknown_ones() -> None:
    given = Quad(category="price"), Quad(category="food", polarity=Polarity.NEGATIVE)
    items = CategoryPairEncoding(VOCABULARY, GIVEN).encode([replace(SOUP, quads=given)])
    assert [(item.category, item.label) for item in items] == [("price", -1), ("food", 0)]


def test_pair_decode_gives_the_quads_of_each_item() -> None:
    encoding = CategoryPairEncoding(VOCABULARY, VERDICTS)
    scores = np.array([[0, 1], [1, 0]], np.float32)
    assert encoding.decode(scores, encoding.encode([SOUP]), [SOUP]) == [SOUP.quads, ()]


@pytest.mark.parametrize("kind", [MultilabelEncoding, CategoryPairEncoding])
def test_long_text_is_read_from_its_beginning(
    kind: type[MultilabelEncoding] | type[CategoryPairEncoding],
) -> None:
    items = kind(VOCABULARY, VERDICTS).encode([LONG])
    assert all(len(item) == Framed.max_length and item.is_cut for item in items)
    assert {len(item.segments) for item in items} == {len(item.words) for item in items} == {12}


@pytest.mark.parametrize(
    ("category", "words"),
    [
        ("FOOD#STYLE_OPTIONS", "food style options"),
        ("anecdotes/miscellaneous", "anecdotes miscellaneous"),
        ("#", "#"),
    ],
)
def test_category_is_spelt_as_words(category: str, words: str) -> None:
    assert spell(category) == words
