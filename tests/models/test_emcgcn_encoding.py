"""Dependency encoding: tags and arcs counted by hand, and how they follow windows and lost words."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import pytest

from aspectlab.data import Example, Span
from aspectlab.encodings import Tokens, WordList
from aspectlab.encodings.dependency_graph import LOOP, relation_number
from aspectlab.language import Parse, load_parser, word_spans
from aspectlab.models.emcgcn import N_TAGS, NONE, UNKNOWN, DependencyBatch, DependencyEncoding, tag_number

SOUP = "The fresh soup was cold"
TREE = Parse([2, 2, 3, 3, 3], ["det", "amod", "nsubj", "ROOT", "acomp"], ["DT", "JJ", "NN", "VBD", "JJ"])

# the tags that the model card of en_core_web_sm 3.8 lists
PENN_TEXT = """
$ '' , -LRB- -RRB- . : ADD AFX CC CD DT EX FW HYPH IN JJ JJR JJS LS MD NFP NN NNP NNPS NNS PDT POS PRP PRP$ RB
RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB XX _SP ``
"""


@dataclass
class Written:
    """A parser that knows one tree by heart."""

    tree: Parse

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        return [self.tree for _ in texts]


class Silent(WordList):
    """A vocabulary for which a star is no token, as control characters are none for others."""

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        spans = [[span for span in word_spans(text) if text[span.start] != "*"] for text in texts]
        return [Tokens([1] * len(places), places) for places in spans]


def batch_of(text: str, tree: Parse, vocabulary: WordList | None = None) -> DependencyBatch:
    encoding = DependencyEncoding(vocabulary or WordList({}), Written(tree))
    return encoding.collate(encoding.encode([Example("1", text)]), 6)


def test_grammar_equals_a_hand_count() -> None:
    det, amod, nsubj, acomp = (relation_number(label) for label in ("det", "amod", "nsubj", "acomp"))
    batch = batch_of(SOUP, TREE)
    assert batch.tags.tolist() == [[*(tag_number(tag) for tag in TREE.tags), NONE]]
    assert batch.relations.tolist() == [
        [
            [LOOP, 0, det, 0, 0, 0],
            [0, LOOP, amod, 0, 0, 0],
            [det, amod, LOOP, nsubj, 0, 0],
            [0, 0, nsubj, LOOP, acomp, 0],
            [0, 0, 0, acomp, LOOP, 0],
            [0, 0, 0, 0, 0, 0],
        ]
    ]


def test_grammar_follows_the_words_that_are_left() -> None:
    tree = Parse([3, 0, 3, 3], ["nsubj", "dep", "advmod", "ROOT"], ["NN", "XX", "RB", "VB"])
    batch = batch_of("soup * always warms", tree, Silent({}))
    nsubj, advmod = relation_number("nsubj"), relation_number("advmod")
    assert batch.tags[0].tolist() == [*(tag_number(tag) for tag in ("NN", "RB", "VB")), 0, 0, 0]
    assert batch.relations[0, :3, :3].tolist() == [[LOOP, 0, nsubj], [0, LOOP, advmod], [nsubj, advmod, LOOP]]


def test_text_with_more_words_than_tokens_is_taken() -> None:
    size = 12
    batch = batch_of("soup" + " *" * (size - 2) + " warms", Parse([0] * size, ["dep"] * size), Silent({}))
    assert np.count_nonzero(batch.tags) == 2
    assert batch.words[0].tolist() == [0, 1, -1, -1, -1, -1]


def test_grammar_follows_the_windows_of_a_long_text() -> None:
    vocabulary = WordList({})
    vocabulary.max_length = 8
    text = " ".join(f"w{number}" for number in range(20))
    heads = [0, *range(19)]
    tags = ["NN" if number % 3 else "VB" for number in range(20)]
    encoding = DependencyEncoding(vocabulary, Written(Parse(heads, ["dep"] * 20, tags)))
    items = encoding.encode([Example("1", text)])
    firsts = [word_spans(text).index(item.offsets[0]) for item in items]
    assert len(items) > 2
    assert [item.tags for item in items] == [
        [tag_number(tag) for tag in tags[first : first + len(item.offsets)]]
        for first, item in zip(firsts, items, strict=True)
    ]
    assert all([arc[:2] for arc in item.arcs] == [(n, n - 1) for n in range(1, len(item))] for item in items)


def test_parser_without_tags_leaves_them_unknown() -> None:
    encoding = DependencyEncoding(WordList({}), load_parser("chain", with_tags=True))
    batch = encoding.collate(encoding.encode([Example("1", SOUP), Example("2", "")]), 6)
    assert batch.tags.tolist() == [[UNKNOWN] * 5 + [NONE], [NONE] * 6]


def test_batch_names_the_axes_of_every_field() -> None:
    assert set(DependencyBatch.axes) == {part.name for part in fields(DependencyBatch)}


def test_no_examples_give_an_empty_batch() -> None:
    encoding = DependencyEncoding(WordList({}), Written(TREE))
    batch = encoding.collate(encoding.encode([]))
    assert (batch.tags.shape, batch.relations.shape) == ((0, 1), (0, 1, 1))


@pytest.mark.parametrize("tag", PENN_TEXT.split())
def test_tag_of_the_usual_pipeline_has_its_own_number(tag: str) -> None:
    assert UNKNOWN < tag_number(tag) < N_TAGS


def test_tag_numbers_do_not_collide() -> None:
    assert len({tag_number(tag) for tag in PENN_TEXT.split()}) == len(PENN_TEXT.split())


@pytest.mark.parametrize("tag", ["", "ADJA", "nn", "🍣"])
def test_tag_that_is_not_listed_is_unknown(tag: str) -> None:
    assert tag_number(tag) == UNKNOWN


def test_places_are_characters_of_the_text() -> None:
    encoding = DependencyEncoding(WordList({}), Written(TREE))
    (item,) = encoding.encode([Example("1", SOUP)])
    assert item.offsets[2] == Span(10, 14)
