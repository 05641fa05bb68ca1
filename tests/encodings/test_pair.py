"""The pair encoding: what stands in a row, where the window lies, and what comes back."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings import PairEncoding, WordList
from aspectlab.encodings.pair import Layout
from aspectlab.errors import TaskError

NUMBERS = {"the": 2, "soup": 3, "was": 4, "good": 5}


class Framed(WordList):
    """Words with a frame, as sub-word vocabularies have one, and room for few."""

    first, between, last, marks = (100,), (101,), (102,), (103, 104)
    max_length = 20


def example_of(
    text: str, aspect: str, polarity: str | None = "positive", start: int | None = None
) -> Example:
    place = text.index(aspect) if start is None else start
    term = Term(aspect, Span(place, place + len(aspect)))
    return Example("1", text, (Quad(aspect=term, polarity=Polarity(polarity) if polarity else None),))


SOUP = example_of("the soup was good", "soup")


@pytest.mark.parametrize(
    ("layout", "tokens", "segments"),
    [
        ("sentence", [100, 2, 3, 4, 5, 102], [0] * 6),
        ("sentence-aspect", [100, 2, 3, 4, 5, 101, 3, 102], [0] * 6 + [1] * 2),
        ("aspect-sentence", [100, 3, 101, 2, 3, 4, 5, 102], [0] * 3 + [1] * 5),
        ("marked", [100, 2, 103, 3, 104, 4, 5, 101, 3, 102], [0] * 8 + [1] * 2),
    ],
)
def test_encoding_lays_tokens_out_as_the_layout_says(
    layout: Layout, tokens: list[int], segments: list[int]
) -> None:
    item = PairEncoding(Framed(NUMBERS), layout).encode([SOUP])[0]
    assert (item.tokens, item.segments) == (tokens, segments)


def test_encoding_masks_tell_sentence_aspect_and_second() -> None:
    item = PairEncoding(Framed(NUMBERS), "marked").encode([SOUP])[0]
    # [first the @ soup # was good between soup last]
    assert np.flatnonzero(item.in_sentence).tolist() == [1, 3, 5, 6]
    assert np.flatnonzero(item.in_aspect).tolist() == [3]
    assert np.flatnonzero(item.in_second).tolist() == [8]
    assert item.words == [-1, 0, -1, 1, -1, 2, 3, -1, -1, -1]


def test_encoding_makes_an_item_of_each_aspect_in_the_text() -> None:
    named = Quad(aspect=Term("price"), polarity=Polarity.NEGATIVE)  # not verbatim
    implicit = Quad(category="food", polarity=Polarity.NEGATIVE)
    example = replace(SOUP, quads=(implicit, *SOUP.quads, named))
    items = PairEncoding(WordList(NUMBERS)).encode([Example("0", "Nothing."), example])
    assert [(item.example, item.quad, item.label) for item in items] == [(1, 1, 0)]


@pytest.mark.parametrize(
    ("polarity", "label"), [("positive", 0), ("negative", 1), ("neutral", 2), (None, -1)]
)
def test_encoding_numbers_the_labels(polarity: str | None, label: int) -> None:
    items = PairEncoding(WordList(NUMBERS)).encode([example_of("the soup", "soup", polarity)])
    assert items[0].label == label


def test_encoding_refuses_conflict_with_the_remedy() -> None:
    with pytest.raises(TaskError, match=r"example '1': found polarity 'conflict'.*aspectlab data clean"):
        PairEncoding(WordList(NUMBERS)).encode([example_of("the soup", "soup", "conflict")])


@pytest.mark.parametrize("word", [0, 3, 50, 98, 99])
@pytest.mark.parametrize("layout", ["sentence", "sentence-aspect", "aspect-sentence", "marked"])
def test_encoding_cuts_a_long_text_to_a_window_around_the_aspect(layout: Layout, word: int) -> None:
    words = [f"w{number}" for number in range(100)]
    text = " ".join(words)
    numbers = {name: 200 + number for number, name in enumerate(words)}
    example = example_of(text, f"w{word}", start=len(" ".join(words[:word])) + (word > 0))
    item = PairEncoding(Framed(numbers), layout).encode([example])[0]
    kept = [token - 200 for token, inside in zip(item.tokens, item.in_sentence, strict=True) if inside]
    assert kept == list(range(kept[0], kept[0] + 11))  # 20 less 8 for the frame and 1 for the second aspect
    assert word in kept
    assert [number for number in item.words if number >= 0] == list(range(11))
    assert [item.tokens[place] for place in np.flatnonzero(item.in_aspect)] == [200 + word]
    assert len(item) <= Framed.max_length


def test_encoding_takes_an_aspect_longer_than_the_window() -> None:
    text = " ".join(["soup"] * 60)
    item = PairEncoding(Framed(NUMBERS)).encode([example_of(text, text)])[0]
    assert len(item) <= Framed.max_length
    assert sum(item.in_second) == 6  # half of 20 less 8
    assert any(item.in_aspect)


@given(
    st.text(alphabet="ab é😀.-'’\n\t", max_size=60),
    st.integers(0, 59),
    st.integers(1, 20),
    st.sampled_from(["sentence", "sentence-aspect", "aspect-sentence", "marked"]),
)
def test_encoding_rows_fit_together_for_any_text(text: str, start: int, size: int, layout: Layout) -> None:
    aspect = text[start : start + size]
    if not aspect:
        return
    item = PairEncoding(Framed({"a": 2, "b": 3}), layout).encode([example_of(text, aspect, start=start)])[0]
    columns = (item.segments, item.in_sentence, item.in_aspect, item.in_second, item.words)
    assert {len(column) for column in columns} == {len(item)}
    assert len(item) <= Framed.max_length
    words = [word for word in item.words if word >= 0]
    assert words == sorted(words)
    assert set(words) == set(range(len(set(words))))


def test_collate_pads_to_the_longest_item() -> None:
    encoding = PairEncoding(Framed(NUMBERS), "sentence")
    batch = encoding.collate(encoding.encode([SOUP, example_of("soup", "soup", "neutral")]))
    assert batch.tokens.tolist() == [[100, 2, 3, 4, 5, 102], [100, 3, 102, 0, 0, 0]]
    assert batch.mask.sum(1).tolist() == [6, 3]
    assert batch.words.tolist()[1] == [-1, 0, -1, -1, -1, -1]
    assert (batch.labels.tolist(), batch.group.tolist(), batch.weight.tolist()) == ([0, 2], [0, 1], [1, 1])


def test_collate_pads_to_the_length_given() -> None:
    encoding = PairEncoding(Framed(NUMBERS), "sentence")
    assert encoding.collate(encoding.encode([SOUP]), length=9).tokens.shape == (1, 9)


def test_collate_of_nothing_has_no_rows() -> None:
    assert PairEncoding(WordList(NUMBERS)).collate([]).tokens.shape == (0, 1)


def test_decode_gives_the_polarity_with_the_highest_score() -> None:
    encoding = PairEncoding(WordList(NUMBERS))
    scores = np.log(np.array([[0.2, 0.7, 0.1]], np.float32))
    quads = encoding.decode(scores, encoding.encode([SOUP]), [SOUP])[0]
    assert [(quad.aspect, quad.polarity) for quad in quads] == [(SOUP.quads[0].aspect, Polarity.NEGATIVE)]
    assert quads[0].confidence == pytest.approx({"positive": 0.2, "negative": 0.7, "neutral": 0.1}, abs=1e-6)


def test_decode_does_not_hand_gold_back_for_what_was_not_predicted() -> None:
    named = Quad(aspect=Term("price"), polarity=Polarity.NEGATIVE)
    example = replace(SOUP, quads=(named, *SOUP.quads))
    encoding = PairEncoding(WordList(NUMBERS))
    scores = np.zeros((1, 3), np.float32)
    quads = encoding.decode(scores, encoding.encode([example]), [example])[0]
    assert [quad.aspect for quad in quads] == [SOUP.quads[0].aspect]
