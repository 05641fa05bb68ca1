"""Span-ASTE: the whole model as plain loops, pruning by hand, and a loss that padding cannot touch."""

import math
from dataclasses import replace

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.models.spanaste import N_PAIRS, MentionBatch, SpanASTE, find_gold
from tests.support.word_models import WORDS, assert_close, batch_of, word_encoder

TEXTS = [
    "the soup was very good but our waiter seemed rude",
    "fresh bread",
    "soup",
    "soup soup soup soup soup",  # without context all spans of a width are equal
    "our waiter left a soup early and so was the bread very good but our waiter was rude",
]
WIDTH = 3


def small_model(kept: float = 0.5) -> SpanASTE:
    torch.manual_seed(0)
    return SpanASTE(word_encoder(), 3, max_width=WIDTH, kept=kept, hidden=5, width_size=2).eval()


def told(text: str, *triplets: tuple[str, str, str]) -> Example:
    def term(words: str) -> Term:
        return Term(words, Span(text.index(words), text.index(words) + len(words)))

    return Example("1", text, tuple(Quad(term(a), None, term(o), Polarity(p)) for a, o, p in triplets))


SOUP = told(TEXTS[0], ("soup", "very good", "positive"), ("waiter", "rude", "negative"))


def bucket(distance: int) -> int:
    """The buckets of the paper: 0, 1, 2, 3, 4, 5-7, 8-15, 16-31, 32-63, 64 and more."""
    return min(distance, 4) if distance < 5 else min(int(math.log2(distance)) + 3, 9) if distance > 7 else 5


def plain_answer(model: SpanASTE, text: str) -> dict[tuple[int, int], Tensor]:
    """The scores of each kept pair by the numbers of its spans, from the layers over whole concatenations."""
    words = model.encoder.table.weight[torch.tensor([2 + WORDS.index(word) for word in text.split()])]
    spans = [(i, j) for i in range(len(words)) for j in range(i, min(i + WIDTH, len(words)))]
    states = {s: torch.cat([words[s[0]], words[s[1]], model.widths[s[1] - s[0]]]) for s in spans}
    chances = {s: model.score_span(model.join_span.linear(states[s])).softmax(-1) for s in spans}
    count = math.ceil(len(words) / 2)
    # sorted() is stable: of equals the first stay
    aspects, opinions = (sorted(spans, key=lambda s, kind=kind: -chances[s][kind])[:count] for kind in (1, 2))
    found = {}
    for opinion in opinions:
        for aspect in aspects:
            near = min(abs(aspect[0] - opinion[1]), abs(opinion[0] - aspect[1]))
            joined = torch.cat([states[opinion], states[aspect], model.distances[bucket(near)]])
            numbers = model.encoding.number(opinion), model.encoding.number(aspect)
            found[numbers] = model.score_pair(model.join_pair.linear(joined))
    return found


@pytest.mark.parametrize("length", [None, 40])
@pytest.mark.parametrize("text", [text for text in TEXTS if len(set(text.split())) > 1 or " " not in text])
def test_spanaste_equals_plain_loops(text: str, length: int | None) -> None:
    model = small_model()
    answer = model.answer(batch_of(model, Example("1", text), length=length))[0]
    cells = answer[answer[..., N_PAIRS] > 0]
    expected = plain_answer(model, text)
    numbers = [(int(opinion), int(aspect)) for opinion, aspect in cells[:, N_PAIRS:]]
    assert numbers == sorted(expected)  # in the order of the text
    assert_close(cells[:, :N_PAIRS], torch.stack([expected[pair] for pair in numbers]))


@pytest.mark.parametrize("text", TEXTS)
def test_spanaste_ignores_padding_and_batch_mates(text: str) -> None:
    model = small_model()
    alone = model(batch_of(model, Example("1", text)))[0]
    together = model(batch_of(model, Example("1", text), *(Example("2", t) for t in TEXTS), length=64))[0]
    assert_close(together[: alone.shape[0], : alone.shape[1]], alone)
    assert not together[alone.shape[0] :, WIDTH:].any()


@pytest.mark.parametrize(
    ("kept", "size", "expected"), [(0.5, 1, 1), (0.5, 5, 3), (0.5, 10, 5), (1.0, 4, 4), (0.25, 10, 3)]
)
def test_text_keeps_its_own_share_of_spans(kept: float, size: int, expected: int) -> None:
    model = small_model(kept)
    answer = model.answer(batch_of(model, Example("1", " ".join(WORDS[:size])), length=30))[0]
    assert int((answer[..., N_PAIRS] > 0).sum()) == expected**2


def test_text_without_words_has_no_pairs_and_no_loss() -> None:
    model = small_model()
    batch = batch_of(model, Example("1", ""), length=4)
    assert not model.answer(batch).any()
    assert model.loss(model(batch), batch).item() == 0


@pytest.mark.parametrize(
    ("aspect", "opinion", "expected"),
    # first and last words; the distance is the lesser of start to end and end to start
    [
        ((0, 0), (1, 1), 1),
        ((0, 0), (0, 0), 0),
        ((0, 1), (2, 3), 1),
        ((5, 5), (1, 1), 4),
        ((6, 6), (1, 1), 5),
        ((8, 8), (1, 1), 5),
        ((9, 9), (1, 1), 6),
        ((80, 80), (1, 1), 9),
    ],
)
def test_distances_fall_into_the_buckets_of_the_paper(
    aspect: tuple[int, int], opinion: tuple[int, int], expected: int
) -> None:
    model = small_model()
    numbers = (torch.tensor([[model.encoding.number(span) - 1]]) for span in (opinion, aspect))
    assert model._buckets(*numbers).item() == expected


def test_gold_is_found_among_kept_pairs() -> None:
    # opinions 4 and 9, aspects 2 and 4; the third pair of the gold was pruned, the fourth is no triplet
    pairs = torch.zeros(1, 3, 3, N_PAIRS + 2)
    pairs[0, :2, :2, N_PAIRS] = torch.tensor([[4.0], [9.0]])
    pairs[0, :2, :2, N_PAIRS + 1] = torch.tensor([[2.0, 4.0]])
    triplets = torch.tensor([[[9, 2, 3], [4, 4, 1], [7, 2, 2], [0, 0, 0]]])
    assert find_gold(pairs, triplets)[0].tolist() == [[0, 1, 0], [3, 0, 0], [0, 0, 0]]


def test_loss_is_the_sum_over_spans_and_kept_pairs() -> None:
    model = small_model(kept=1.0)
    batch = batch_of(model, SOUP, length=16)
    assert isinstance(batch, MentionBatch)
    scores = model(batch)
    pairs = model.answer(batch)[0]
    total, size = torch.zeros(()), len(SOUP.text.split())
    for first in range(size):
        for more in range(min(WIDTH, size - first)):
            total += cross_entropy(scores[0, first, more, :3], batch.labels[0, first, more].long())
    gold = {(int(o), int(a)): int(kind) for o, a, kind in batch.triplets[0]}
    for cell in pairs[pairs[..., N_PAIRS] > 0]:
        kind = gold.get((int(cell[N_PAIRS]), int(cell[N_PAIRS + 1])), 0)
        total += cross_entropy(cell[:N_PAIRS], torch.tensor(kind))
    assert_close(model.loss(scores, batch), total)


def test_loss_ignores_items_that_only_fill_up() -> None:
    model = small_model()
    batch = batch_of(model, SOUP, told(TEXTS[1], ("bread", "fresh", "positive")))
    alone = batch_of(model, SOUP)
    filled = replace(batch, weight=torch.tensor([1.0, 0.0]))
    assert_close(model.loss(model(filled), filled), model.loss(model(alone), alone))


def test_pruning_passes_no_gradient_on() -> None:
    model = small_model()
    scores = model(batch_of(model, SOUP))
    scores[:, :, WIDTH:].sum().backward()
    assert model.join_span.linear.weight.grad is None or not model.join_span.linear.weight.grad.any()


def test_spanaste_is_finite_in_half_precision() -> None:
    model = small_model()
    batch = batch_of(model, SOUP, length=30)
    with torch.autocast("cpu", torch.bfloat16):
        scores = model(batch)
        loss = model.loss(scores, batch)
    loss.backward()
    assert scores.dtype == torch.float32  # numbers of spans would not survive less
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())
