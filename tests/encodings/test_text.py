"""Texts as items: the fast way gives the same numbers as the plain one, which stands here."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial

import pytest
from hypothesis import given, settings, strategies as st

pytest.importorskip("tokenizers", reason="sub-words need the extra 'train'")

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings.base import TextItem, WordQuad, WordSpan, encode_texts, join_windows
from aspectlab.encodings.vocabulary import Tokens, Vocabulary
from aspectlab.language import word_spans
from tests.support.subwords import build_byte_level, build_metaspace, build_wordpiece

# blanks of all kinds, marks that stand alone or join, a letter of two bytes and one of four
TEXTS = st.text(alphabet="soup W.,'-_é🍲 \t\n\u00a0", max_size=90)


class Scattered:
    """A vocabulary with a token at every third character: many a word gives none, and a blank may."""

    pad, first, between, last, marks = 0, (1,), (2,), (2, 3), (4, 4)

    def __init__(self, max_length: int) -> None:
        self.max_length = max_length

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        """Number each token by its place."""
        starts = [range(0, len(text), 3) for text in texts]
        return [Tokens([9 + start for start in row], [(start, start + 1) for start in row]) for row in starts]


VOCABULARIES: dict[str, Callable[[int], Vocabulary]] = {
    "wordpiece": build_wordpiece,
    "byte-level": build_byte_level,
    "byte-level-with-blanks": partial(build_byte_level, trim_offsets=False),
    "metaspace": build_metaspace,
    "scattered": Scattered,
}


@cache
def build(name: str, max_length: int) -> Vocabulary:
    return VOCABULARIES[name](max_length)


def plain_windows(kept: list[int], owners: list[int], room: int) -> Iterator[list[int]]:
    """Cut the places of tokens into runs of whole words; each begins half a run after the one before."""
    start, end = 0, 0
    while end < len(kept) or not end:
        end = min(start + room, len(kept))
        while start + 1 < end < len(kept) and owners[kept[end]] == owners[kept[end - 1]]:
            end -= 1
        yield kept[start:end]
        if not kept:
            return
        start += max(room // 2, 1)
        while start < len(kept) - 1 and owners[kept[start]] == owners[kept[start - 1]]:
            start += 1


def plain_words(term: Term, places: list[Span]) -> WordSpan | None:
    assert term.span is not None
    wanted = set(range(*term.span))
    covered = [number for number, place in enumerate(places) if wanted & set(range(*place))]
    if not covered or not wanted <= set(range(places[covered[0]].start, places[covered[-1]].end)):
        return None
    return covered[0], covered[-1]


def plain_items(vocabulary: Vocabulary, index: int, example: Example) -> Iterator[TextItem]:
    """Go through all words for every token, and through all tokens for every item."""
    tokens = vocabulary.tokenize([example.text])[0]
    words = word_spans(example.text)
    owners = [sum(word.start <= start for word in words) - 1 for start, _ in tokens.spans]
    kept = [place for place, owner in enumerate(owners) if owner >= 0]
    first, last = list(vocabulary.first), list(vocabulary.last)
    for part in plain_windows(kept, owners, vocabulary.max_length - len(first) - len(last)):
        read = sorted({owners[place] for place in part})
        places = [words[word] for word in read]
        aspects = [plain_words(quad.aspect, places) for quad in example.quads if quad.aspect]
        yield TextItem(
            example=index,
            tokens=first + [tokens.ids[place] for place in part] + last,
            segments=[0] * (len(first) + len(part) + len(last)),
            words=[-1] * len(first) + [read.index(owners[place]) for place in part] + [-1] * len(last),
            is_cut=False,
            offsets=list(map(tuple, places)),
            quads=tuple(WordQuad(aspect, None, Polarity.POSITIVE) for aspect in aspects if aspect),
        )


@pytest.mark.parametrize("max_length", [7, 64])
@pytest.mark.parametrize("name", VOCABULARIES)
@settings(max_examples=50)
@given(text=TEXTS, start=st.integers(0, 60), size=st.integers(1, 9))
def test_texts_are_encoded_as_the_plain_way_does(
    name: str, max_length: int, text: str, start: int, size: int
) -> None:
    aspect = text[start : start + size]
    quad = Quad(aspect=Term(aspect, Span(start, start + len(aspect))), polarity=Polarity.POSITIVE)
    examples = [Example("1", text), Example("2", text, (quad,) if aspect else ())]
    vocabulary = build(name, max_length)
    plain = [
        item for index, example in enumerate(examples) for item in plain_items(vocabulary, index, example)
    ]
    assert encode_texts(vocabulary, examples, with_opinions=False) == plain


def test_texts_keep_their_number_from_block_to_block(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = [Example(str(number), "so " * number) for number in range(7)]
    whole = encode_texts(build("wordpiece", 64), examples, with_opinions=False)
    monkeypatch.setattr("aspectlab.encodings.base._BLOCK", 3)
    assert encode_texts(build("wordpiece", 64), examples, with_opinions=False) == whole
    assert [item.example for item in whole] == [0, 1, 2, 3, 4, 5, 6]


def find_soup(polarity: Polarity, certainty: float, opinion: str | None = "hot") -> Quad:
    term = Term(opinion, Span(9, 12)) if opinion else None
    return Quad(Term("soup", Span(0, 4)), None, term, polarity, {str(polarity): certainty})


def test_windows_that_disagree_on_a_polarity_give_the_surer_one() -> None:
    unsure, sure = find_soup(Polarity.NEGATIVE, 0.6), find_soup(Polarity.POSITIVE, 0.9)
    other = find_soup(Polarity.NEUTRAL, 0.5, opinion=None)
    assert join_windows([[unsure, other], [sure]]) == (sure, other)
    assert join_windows([[sure], [unsure, other]]) == (sure, other)


def test_windows_that_are_as_sure_give_the_first_polarity() -> None:
    first, second = (replace(find_soup(p, 1.0), confidence=None) for p in list(Polarity)[:2])
    assert join_windows([[first], [second]]) == (first,)


def test_one_window_may_say_two_things_of_the_same_terms() -> None:
    both = find_soup(Polarity.NEGATIVE, 0.6), find_soup(Polarity.POSITIVE, 0.9)
    assert join_windows([[*both, both[0]]]) == both


def test_implicit_opinions_of_two_windows_stay_apart() -> None:
    # nothing tells that they are about the same place of the text
    implicit = [Quad(polarity=Polarity.NEGATIVE), Quad(polarity=Polarity.POSITIVE)]
    assert join_windows([[quad] for quad in implicit]) == tuple(implicit)
