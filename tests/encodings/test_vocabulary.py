"""Vocabularies: numbers, and places that slice the text whatever stands in it."""

import pytest

pytest.importorskip("tokenizers", reason="sub-words need the extra 'train'")

from hypothesis import given, strategies as st

from aspectlab.data import Example, Quad, Span, Term
from aspectlab.encodings import PairEncoding, Subwords, WordList
from tests.support.subwords import PIECES, build_byte_level, build_metaspace, build_wordpiece

BLANKS = {
    "wordpiece": build_wordpiece(),
    "byte-level": build_byte_level(),
    "byte-level-with-blanks": build_byte_level(trim_offsets=False),
    "metaspace": build_metaspace(),
}


@pytest.fixture
def subwords() -> Subwords:
    return build_wordpiece()


@pytest.fixture
def byte_level() -> Subwords:
    return build_byte_level()


def test_word_list_folds_case_and_marks_unknown_words() -> None:
    tokens = WordList({"nice": 2, "tea": 3}).tokenize(["Nice green TEA!"])[0]
    assert tokens.ids == [2, 1, 3, 1]
    assert tokens.spans == [Span(0, 4), Span(5, 10), Span(11, 14), Span(14, 15)]


def test_subwords_find_the_frame_of_either_family(subwords: Subwords, byte_level: Subwords) -> None:
    assert (subwords.pad, subwords.first, subwords.between, subwords.last) == (0, (2,), (3,), (3,))
    assert subwords.mask == 4
    assert (byte_level.pad, byte_level.first, byte_level.between, byte_level.last) == (1, (0,), (2, 2), (2,))
    assert byte_level.mask == 4


def test_subwords_take_punctuation_for_marks(subwords: Subwords) -> None:
    assert subwords.marks == (PIECES.index("@"), PIECES.index("#"))


def test_subwords_number_texts_as_they_tokenize_them(subwords: Subwords) -> None:
    texts = ["The café was good.", "", "soup"]
    assert subwords.number(texts) == [tokens.ids for tokens in subwords.tokenize(texts)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Café was good", ["Caf", "é", "was", "good"]),
        ("Cafe\u0301 was good", ["Caf", "e", "was", "good"]),  # an accent of its own is dropped
        ("🍲 soup 👩‍🍳 was", ["🍲", "so", "up", "👩‍🍳", "was"]),  # beyond the basic plane, and joined
        ("so\u00a0good", ["so", "good"]),
    ],
)
def test_subword_places_slice_the_text(subwords: Subwords, text: str, pieces: list[str]) -> None:
    tokens = subwords.tokenize([text])[0]
    assert [text[start:end] for start, end in tokens.spans] == pieces


def test_subwords_read_half_a_surrogate_pair(subwords: Subwords) -> None:
    text = f"nice {chr(0xD83D)} soup"
    (tokens,) = subwords.tokenize([text])
    assert [text[start:end] for start, end in tokens.spans][-2:] == ["so", "up"]
    assert subwords.number([text]) == [tokens.ids]


def test_byte_level_places_leave_the_blank_out(byte_level: Subwords) -> None:
    text = "a bé"
    spans = byte_level.tokenize([text])[0].spans
    # the blank is a token of its own here, covers nothing, and is left out; é is two bytes at one place
    assert [text[start:end] for start, end in spans] == ["a", "b", "é", "é"]


@pytest.mark.parametrize(
    ("text", "aspect", "inside"),
    [
        ("Café soup", "soup", ["so", "##up"]),
        ("🍲🍲 soup was", "soup", ["so", "##up"]),
        ("Cafe\u0301 was", "Cafe\u0301", ["caf", "##e"]),
        ("so-so soup", "so-so", ["so", "[UNK]", "so"]),
    ],
)
def test_aspect_tokens_are_those_of_its_characters(
    subwords: Subwords, text: str, aspect: str, inside: list[str]
) -> None:
    start = text.index(aspect)
    quad = Quad(aspect=Term(aspect, Span(start, start + len(aspect))))
    item = PairEncoding(subwords, "sentence").encode([Example("1", text, (quad,))])[0]
    found = [token for token, hit in zip(item.tokens, item.in_aspect, strict=True) if hit]
    assert [PIECES[token] for token in found] == inside


def test_words_own_their_subwords(subwords: Subwords) -> None:
    quad = Quad(aspect=Term("soup", Span(5, 9)))
    item = PairEncoding(subwords, "sentence").encode([Example("1", "Café soup was good.", (quad,))])[0]
    # [CLS] caf ##e | so ##up | was | good | . [SEP]
    assert item.words == [-1, 0, 0, 1, 1, 2, 3, 4, -1]


@pytest.mark.parametrize("name", BLANKS)
@given(text=st.text(alphabet="soup .\u00a0\t\né🍲", max_size=40))
def test_subwords_have_the_places_of_the_plain_way(name: str, text: str) -> None:
    found = BLANKS[name].tokenizer.encode(text, add_special_tokens=False)
    plain = []
    for number, (start, end) in zip(found.ids, found.offsets, strict=True):
        blanks = [place for place in range(start, end) if not text[start : place + 1].strip()]
        plain += [(number, (start + len(blanks), end))] if start < end else []
    tokens = BLANKS[name].tokenize([text])[0]
    assert list(zip(tokens.ids, tokens.spans, strict=True)) == plain


def test_subwords_leave_out_the_blank_that_a_word_begins_with() -> None:
    tokens = BLANKS["metaspace"].tokenize(["so up"])[0]
    assert (tokens.ids, tokens.spans) == ([1, 2], [(0, 2), (3, 5)])
