"""The opinion words of a given aspect: tags read off by hand, and what a prediction may hang on."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

import torch

from aspectlab.data import Example, Quad, Span, Term
from aspectlab.encoders import load_encoder
from aspectlab.encodings import TargetTagEncoding
from aspectlab.models import Model, build_model
from aspectlab.training import predict

TEXT = "The hot, fresh soup came with stale bread."
SOUP, BREAD = Term("soup", Span(15, 19)), Term("bread", Span(36, 41))
HOT, FRESH, STALE = Term("hot", Span(4, 7)), Term("fresh", Span(9, 14)), Term("stale", Span(30, 35))
EXAMPLE = Example("1", TEXT, (Quad(SOUP, opinion=HOT), Quad(SOUP, opinion=FRESH), Quad(BREAD, opinion=STALE)))
# word by word: The hot , fresh soup came with stale bread .
TAGS_OF_SOUP = [0, 1, 0, 1, 0, 0, 0, 0, 0, 0]
TAGS_OF_BREAD = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0]


@pytest.fixture
def encoding() -> TargetTagEncoding:
    return TargetTagEncoding(load_encoder("tiny").vocabulary)


def build() -> Model:
    torch.manual_seed(3)
    return build_model("target-tagger", load_encoder("tiny"))


def shift(term: Term, by: int) -> Term:
    assert term.span is not None
    return Term(term.text, Span(term.span.start + by, term.span.end + by))


def test_every_aspect_is_asked_about_once_with_its_own_opinion_words(encoding: TargetTagEncoding) -> None:
    items = encoding.encode([EXAMPLE])
    assert [TEXT[slice(*offsets)] for offsets in items[0].offsets] == TEXT.replace(",", " ,").replace(
        ".", " ."
    ).split()
    assert [item.tags for item in items] == [TAGS_OF_SOUP, TAGS_OF_BREAD]


def test_tags_become_the_quads_that_they_were_made_from(encoding: TargetTagEncoding) -> None:
    items = encoding.encode([EXAMPLE])
    scores = np.zeros((2, 64, 3), np.float32)
    for row, item in enumerate(items):
        scores[row, np.arange(len(item.tags)), item.tags] = 1.0
    first, second = encoding.decode(scores, items, [EXAMPLE])
    assert first + second == EXAMPLE.quads


def test_a_phrase_of_several_words_is_one_opinion(encoding: TargetTagEncoding) -> None:
    phrase = Term("hot, fresh", Span(4, 14))
    (item,) = encoding.encode([replace(EXAMPLE, quads=(Quad(SOUP, opinion=phrase),))])
    assert item.tags == [0, 1, 2, 2, 0, 0, 0, 0, 0, 0]


def test_tags_of_a_long_text_stand_at_the_words_of_its_window(encoding: TargetTagEncoding) -> None:
    before = "so it goes " * 300
    aspect, opinion = (shift(term, len(before)) for term in (BREAD, STALE))
    long = Example("1", before + TEXT + " and on we go" * 100, (Quad(aspect, opinion=opinion),))
    (item,) = encoding.encode([long])
    assert item.is_cut
    assert [long.text[slice(*item.offsets[n])] for n, tag in enumerate(item.tags) if tag] == ["stale"]


def test_prediction_does_not_hang_on_gold_opinion_words() -> None:
    model = build()
    bare = replace(EXAMPLE, quads=(Quad(SOUP), Quad(BREAD)))
    assert predict(model, [EXAMPLE])[0].quads == predict(model, [bare])[0].quads


def test_aspects_that_are_not_in_the_text_get_no_opinion_words() -> None:
    assert predict(build(), [Example("1", TEXT, (Quad(Term("staff")),))])[0].quads == ()
