"""Graph encoding: relations counted by hand on small trees, and arcs that follow windows and lost words."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings import GraphBatch, GraphEncoding, PairBatch, PairEncoding, Tokens, WordList
from aspectlab.encodings.dependency_graph import LOOP, N_RELATIONS, NONE, UNKNOWN, relation_number
from aspectlab.encodings.pair import Layout
from aspectlab.language import Parse, load_parser, word_spans

SOUP = "The fresh soup was cold"
TREE = Parse([2, 2, 3, 3, 3], ["det", "amod", "nsubj", "ROOT", "acomp"])

# the labels that the model card of en_core_web_sm 3.8 lists, without ROOT
CLEAR_TEXT = """
acl acomp advcl advmod agent amod appos attr aux auxpass case cc ccomp compound conj csubj csubjpass dative
dep det dobj expl intj mark meta neg nmod npadvmod nsubj nsubjpass nummod oprd parataxis pcomp pobj poss
preconj predet prep prt punct quantmod relcl xcomp
"""
# the universal relations of https://universaldependencies.org/u/dep/, without root
UNIVERSAL_TEXT = """
acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl
fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum vocative xcomp
"""
CLEAR, UNIVERSAL = CLEAR_TEXT.split(), UNIVERSAL_TEXT.split()


@dataclass
class Written:
    """A parser that knows one tree by heart, and notes what it was asked."""

    tree: Parse = field(default_factory=lambda: TREE)
    asked: list[str] = field(default_factory=list)

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        self.asked += texts
        return [self.tree for _ in texts]


class Pieces:
    """Words cut into pieces of two characters; a star gives no token, as control characters do."""

    pad, first, between, last, marks = 0, (1,), (2,), (2,), (3, 4)

    def __init__(self, max_length: int = 512) -> None:
        self.max_length = max_length

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        cut = [
            [Span(at, min(at + 2, end)) for start, end in word_spans(text) for at in range(start, end, 2)]
            for text in texts
        ]
        kept = [[s for s in spans if text[s.start] != "*"] for text, spans in zip(texts, cut, strict=True)]
        return [Tokens([10 + span.start % 7 for span in spans], spans) for spans in kept]


def example_of(text: str, start: int, end: int) -> Example:
    term = Term(text[start:end], Span(start, end))
    return Example("1", text, (Quad(term, None, None, Polarity.POSITIVE),))


def relations_of(encoding: GraphEncoding, example: Example, length: int | None = None) -> list[list[int]]:
    batch = encoding.collate(encoding.encode([example]), length)
    return batch.relations[0].tolist()


def hand_count(size: int) -> list[list[int]]:
    """The matrix of the tree above: det, amod and nsubj at the soup, acomp at the verb."""
    det, amod, nsubj, acomp = (relation_number(label) for label in ("det", "amod", "nsubj", "acomp"))
    rows = [
        [LOOP, 0, det, 0, 0],
        [0, LOOP, amod, 0, 0],
        [det, amod, LOOP, nsubj, 0],
        [0, 0, nsubj, LOOP, acomp],
        [0, 0, 0, acomp, LOOP],
    ]
    return np.pad(np.array(rows), (0, size - 5)).tolist()


@pytest.mark.parametrize("layout", ["sentence", "sentence-aspect", "aspect-sentence", "marked"])
@pytest.mark.parametrize("vocabulary", [WordList({}), Pieces()])
def test_relations_equal_a_hand_count(layout: Layout, vocabulary: WordList | Pieces) -> None:
    encoding = GraphEncoding(vocabulary, layout, Written())
    assert relations_of(encoding, example_of(SOUP, 10, 14), 24) == hand_count(24)


def test_relations_of_two_sentences_do_not_touch() -> None:
    forest = Parse([0, 0, 2, 2, 2], ["ROOT", "dep", "ROOT", "punct", "det"])
    encoding = GraphEncoding(WordList({}), "sentence", Written(forest))
    found = np.array(relations_of(encoding, example_of(SOUP, 10, 14)))
    assert not found[:2, 2:].any()
    assert (np.diag(found) == LOOP).all()


def test_relations_follow_the_words_that_are_left() -> None:
    # the third of six words gives no token, so the later ones move up; its two arcs go with it
    tree = Parse([1, 5, 1, 2, 1, 5], ["det", "nsubj", "dep", "dep", "amod", "ROOT"])
    encoding = GraphEncoding(Pieces(), "sentence-aspect", Written(tree))
    det, nsubj, amod = (relation_number(label) for label in ("det", "nsubj", "amod"))
    found = relations_of(encoding, example_of("The soup * hot dish warms", 4, 8))
    words = [row[:5] for row in found[:5]]
    assert words == [
        [LOOP, det, 0, 0, 0],
        [det, LOOP, 0, amod, nsubj],
        [0, 0, LOOP, 0, 0],
        [0, amod, 0, LOOP, 0],
        [0, nsubj, 0, 0, LOOP],
    ]
    assert not np.array(found)[5:].any()


@pytest.mark.parametrize("aspect", [0, 1, 17, 38, 39])
def test_relations_follow_the_window_of_a_long_text(aspect: int) -> None:
    rng = np.random.default_rng(aspect)
    heads = [0, *(max(0, word - int(rng.integers(1, 4))) for word in range(1, 40))]
    words = [f"w{number:02}" for number in range(40)]
    vocabulary = WordList({word: 100 + number for number, word in enumerate(words)})
    vocabulary.max_length = 24
    encoding = GraphEncoding(vocabulary, "sentence", Written(Parse(heads, CLEAR[:40])))
    example = example_of(" ".join(words), 4 * aspect, 4 * aspect + 3)
    # every word has its own token, so the tokens tell which words the window kept
    kept = [token - 100 for token in encoding.encode([example])[0].tokens]
    assert len(kept) < 40
    expected = np.where(np.eye(len(kept)), LOOP, NONE)
    for here, word in enumerate(kept):
        if heads[word] in kept and heads[word] != word:
            there = kept.index(heads[word])
            expected[here, there] = expected[there, here] = relation_number(CLEAR[word])
    assert relations_of(encoding, example) == expected.tolist()


def test_relations_follow_a_window_that_cuts_a_word() -> None:
    # 30 words of two pieces each; a window of an odd number of pieces begins or ends inside a word
    text = " ".join(f"w{number:02}" for number in range(30))
    vocabulary = Pieces(max_length=24)
    encoding = GraphEncoding(vocabulary, "sentence-aspect", load_parser("chain"))
    (item,) = encoding.encode([example_of(text, 60, 63)])
    words = max(item.words) + 1
    assert sorted({(min(a, b), max(a, b)) for a, b, _ in item.arcs}) == list(pairwise(range(words)))


def test_arcs_are_symmetric_and_loops_stand_on_words_only() -> None:
    encoding = GraphEncoding(Pieces(), "sentence-aspect", Written())
    found = np.array(relations_of(encoding, example_of(SOUP, 10, 14)))
    assert (found == found.T).all()
    assert np.diag(found).tolist() == [LOOP] * 5 + [NONE] * (len(found) - 5)


@pytest.mark.parametrize("name", [part.name for part in fields(PairBatch)])
def test_batch_holds_what_the_pair_encoding_gives(name: str) -> None:
    example = example_of(SOUP, 10, 14)
    encoding, pairs = GraphEncoding(Pieces(), "marked", Written()), PairEncoding(Pieces(), "marked")
    batch = encoding.collate(encoding.encode([example]), 30)
    plain = pairs.collate(pairs.encode([example]), 30)
    np.testing.assert_array_equal(getattr(batch, name), getattr(plain, name))


def test_batch_names_the_axes_of_every_field() -> None:
    assert set(GraphBatch.axes) == {part.name for part in fields(GraphBatch)}
    assert GraphBatch.axes["relations"] == "BTT"


def test_decode_is_that_of_the_pair_encoding() -> None:
    example = example_of(SOUP, 10, 14)
    encoding = GraphEncoding(Pieces(), "sentence", Written())
    scores = np.array([[0.0, 3.0, 1.0]], np.float32)
    ((quad,),) = encoding.decode(scores, encoding.encode([example]), [example])
    assert quad == replace(example.quads[0], polarity=Polarity.NEGATIVE)


def test_text_without_aspect_is_not_parsed() -> None:
    parser = Written()
    encoding = GraphEncoding(WordList({}), "sentence", parser)
    items = encoding.encode(
        [Example("1", "No aspect here at all"), example_of(SOUP, 10, 14), Example("3", "")]
    )
    assert [item.example for item in items] == [1]
    assert parser.asked == [SOUP]


def test_no_examples_give_an_empty_batch() -> None:
    encoding = GraphEncoding(WordList({}), "sentence", Written())
    assert encoding.collate(encoding.encode([])).relations.shape == (0, 1, 1)


@pytest.mark.parametrize("label", [*CLEAR, *UNIVERSAL])
def test_relation_of_either_scheme_has_its_own_number(label: str) -> None:
    assert UNKNOWN < relation_number(label) < N_RELATIONS


def test_relation_numbers_do_not_collide() -> None:
    labels = {*CLEAR, *UNIVERSAL}
    assert len({relation_number(label) for label in labels}) == len(labels)


@pytest.mark.parametrize(
    ("label", "same"), [("NSUBJ", "nsubj"), ("obl:tmod", "obl"), ("sb", "nk"), ("", "ROOT"), ("root:x", "sb")]
)
def test_relation_that_is_not_listed_falls_back(label: str, same: str) -> None:
    assert relation_number(label) == relation_number(same)


@given(st.text(min_size=1, max_size=60), st.integers(0, 59), st.integers(1, 20), st.integers(14, 40))
def test_any_text_gives_a_symmetric_graph_over_its_words(text: str, start: int, size: int, room: int) -> None:
    start %= len(text)
    example = example_of(text, start, min(start + size, len(text)))
    encoding = GraphEncoding(Pieces(room), "sentence-aspect", load_parser("chain"))
    items = encoding.encode([example])
    found = encoding.collate(items).relations[0]
    words = max(items[0].words, default=-1) + 1
    assert (found == found.T).all()
    assert (np.diag(found)[:words] == LOOP).all()
    assert not found[words:].any()
