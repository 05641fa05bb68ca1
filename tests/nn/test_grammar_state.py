"""Following a grammar: only what it allows is chosen, whatever the scores."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.encodings.grammar import END, NOTHING, build_grammar
from aspectlab.encodings.text2text import EXTRACTION, find_runs
from aspectlab.models.bartabsa import SYMBOLS, build_pointer_grammar, follow_pointers
from aspectlab.nn.output_space import GrammarState, GrammarTables, token_positions, word_positions

# [CLS] un ##fair old un ##fair soup [SEP] and padding; two words have two tokens
TOKENS = [101, 7, 8, 5, 7, 8, 6, 102, 0]
WORDS = [-1, 0, 0, 1, 2, 2, 3, -1, -1]
FIRST = len(EXTRACTION.symbols)


def rows(*values: list[int]) -> Tensor:
    return torch.tensor(values)


def start(count: int) -> Tensor:
    return torch.zeros(count, dtype=torch.long)


def test_places_know_where_words_begin_and_end() -> None:
    places = token_positions(rows(TOKENS), rows(WORDS))
    assert places.mask[0].nonzero().flatten().tolist() == [1, 2, 3, 4, 5, 6]
    assert places.begins[0].nonzero().flatten().tolist() == [1, 3, 4, 6]
    assert places.ends[0].nonzero().flatten().tolist() == [2, 3, 5, 6]
    assert places.group[0, 1:7].tolist() == [1, 2, 3, 1, 2, 6]  # the first place with the same token


def written_at_random(course: GrammarState, choices: int, seed: int, steps: int = 60) -> list[list[int]]:
    rng = torch.Generator().manual_seed(seed)
    chosen = [course.choose(torch.randn(len(course.state), choices, generator=rng) * 3) for _ in range(steps)]
    return torch.stack(chosen, 1).tolist()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("row", [0, 1])
def test_random_scores_write_terms_of_the_text(seed: int, row: int) -> None:
    tokens, words = rows(TOKENS, TOKENS[::-1]), rows(WORDS, [-1, -1, 3, 2, 2, 1, 0, 0, -1])
    course = GrammarState(GrammarTables(build_grammar(EXTRACTION)), token_positions(tokens, words), start(2))
    written = written_at_random(course, FIRST + len(TOKENS), seed)[row]
    triplets = EXTRACTION.read(written)
    assert len(triplets) >= written.count(EXTRACTION.number(")"))
    terms = [term for triplet in triplets for term in (triplet.aspect, triplet.opinion)]
    runs = [[int(tokens[row, number - FIRST]) for number in term] for term in terms]
    assert all(find_runs(tokens[row].tolist(), words[row].tolist(), run) for run in runs)


@pytest.mark.parametrize("seed", range(8))
def test_random_scores_write_pointers_in_order(seed: int) -> None:
    mask = torch.tensor([[True] * 4 + [False] * 2])
    course = GrammarState(GrammarTables(build_pointer_grammar()), word_positions(mask), start(1))
    (written,) = written_at_random(course, len(SYMBOLS) + 6, seed)
    length = written.index(END) if END in written else len(written)
    assert len(list(follow_pointers(written, 4))) == length // 5
    assert set(written[length + 1 :]) <= {NOTHING}


def test_places_of_one_token_are_one_choice() -> None:
    course = GrammarState(
        GrammarTables(build_grammar(EXTRACTION)), token_positions(rows(TOKENS), rows(WORDS)), start(1)
    )
    scores = torch.full((1, FIRST + len(TOKENS)), -9.0)
    scores[0, EXTRACTION.number("(")] = 9.0
    assert course.choose(scores).tolist() == [EXTRACTION.number("(")]
    shares = torch.tensor([0.3, 0.4, 0.3])  # un, old, un
    scores[0, [FIRST + 1, FIRST + 3, FIRST + 4]] = shares.log()
    assert course.choose(scores).tolist() == [FIRST + 1]
    # it stays open which of the two is meant
    assert course.last[0].nonzero().flatten().tolist() == [1, 4]


def test_text_without_words_can_only_end() -> None:
    empty = rows([101, 102]), rows([-1, -1])
    course = GrammarState(GrammarTables(build_pointer_grammar()), token_positions(*empty), start(1))
    scores = torch.full((1, len(SYMBOLS) + 2), 5.0)
    assert [course.choose(scores).item() for _ in range(3)] == [END, NOTHING, NOTHING]
