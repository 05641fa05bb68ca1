"""Choices: losses and scores by hand."""

from math import log

import pytest

pytest.importorskip("torch")

import torch

from aspectlab.encodings.grammar import END, NOTHING
from aspectlab.models.bartabsa import SYMBOLS, build_pointer_grammar
from aspectlab.nn.output_space import (
    CopyOutputs,
    CopyPositions,
    GrammarState,
    GrammarTables,
    OutputVectors,
    VocabularyOutputs,
    text_losses,
    token_positions,
    word_positions,
)

COUNT = len(SYMBOLS)


def places_of(tokens: list[int]) -> CopyPositions:
    return token_positions(torch.tensor([tokens]), torch.tensor([list(range(len(tokens)))]))


def test_loss_of_a_copy_is_that_of_all_its_places() -> None:
    # three places, the first and the last with the same token; each choice has 1/9
    scores = torch.zeros(1, 2, COUNT + 3)
    labels = torch.tensor([[COUNT, END]])
    (loss,) = text_losses(scores, labels, places_of([7, 8, 7])).tolist()
    assert loss == pytest.approx((log(9 / 2) + log(9)) / 2)


def test_loss_of_words_is_that_of_one_place() -> None:
    scores = torch.zeros(1, 1, COUNT + 3)
    places = word_positions(torch.ones(1, 3, dtype=torch.bool))
    assert text_losses(scores, torch.tensor([[COUNT + 2]]), places).item() == pytest.approx(log(9))


def test_loss_without_places_is_the_cross_entropy() -> None:
    scores = torch.tensor([[[0.0, log(3.0)], [0.0, log(3.0)], [5.0, 5.0]]])
    (loss,) = text_losses(scores, torch.tensor([[1, 1, NOTHING]]), None).tolist()
    assert loss == pytest.approx(log(4 / 3))  # what follows the end does not count


def test_text_that_counts_for_nothing_has_no_loss() -> None:
    assert text_losses(torch.randn(1, 2, COUNT + 1), torch.zeros(1, 2).long(), places_of([7])).tolist() == [
        0.0
    ]


@pytest.fixture
def copies() -> CopyOutputs:
    torch.manual_seed(0)
    symbols, content = (
        OutputVectors(torch.randn(*size), torch.randn(*size)) for size in ((COUNT, 4), (1, 2, 4))
    )
    places = word_positions(torch.tensor([[True, False]]))
    course = GrammarState(GrammarTables(build_pointer_grammar()), places, torch.zeros(1, dtype=torch.long))
    return CopyOutputs(symbols, content, torch.randn(1, 2, 4), course)


def test_copies_are_read_with_their_vectors(copies: CopyOutputs) -> None:
    vectors = copies.read(torch.tensor([[END, COUNT + 1]]))[0]
    expected = torch.stack([copies.symbols.inputs[END], copies.content.inputs[0, 1]])
    torch.testing.assert_close(vectors, expected)


def test_copies_are_scored_by_vector_and_state(copies: CopyOutputs) -> None:
    states = torch.randn(1, 1, 4)
    scores = copies.score(states)[0, 0]
    vector = (copies.content.outputs[0, 0] + copies.keys[0, 0]) / 2  # as in Yan et al. (2021)
    torch.testing.assert_close(scores[COUNT], states[0, 0] @ vector)
    torch.testing.assert_close(scores[END], states[0, 0] @ copies.symbols.outputs[END])
    # neither nothing nor start nor padding is a choice
    assert (scores[[0, 1, COUNT + 1]] == -1e4).all()


def test_tokens_stand_behind_the_symbols() -> None:
    symbols, content = (OutputVectors(torch.randn(n, 4), torch.randn(n, 4)) for n in (COUNT, 5))
    tokens = VocabularyOutputs(symbols, content)
    torch.testing.assert_close(tokens.read(torch.tensor([[COUNT + 3]]))[0, 0], content.inputs[3])
    states = torch.randn(1, 1, 4)
    torch.testing.assert_close(tokens.score(states)[0, 0, COUNT + 3], states[0, 0] @ content.outputs[3])


def test_tokens_never_choose_nothing_or_start() -> None:
    tokens = VocabularyOutputs(*(OutputVectors(torch.zeros(n, 4), torch.zeros(n, 4)) for n in (COUNT, 5)))
    scores = torch.zeros(1, COUNT + 5)
    scores[0, :2], scores[0, COUNT + 4] = 9.0, 1.0
    assert tokens.choose(scores).tolist() == [COUNT + 4]
