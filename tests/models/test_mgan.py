"""MGAN: both kinds of fine attention word by word, the location weights, and the alignment loss by hand."""

from copy import deepcopy
from dataclasses import replace
from math import log

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from aspectlab.data import Example, Polarity
from aspectlab.encodings import PairBatch
from aspectlab.models.mgan import MGAN, alignment_loss
from aspectlab.nn import BiLSTM, Trilinear
from tests.support.word_models import (
    SENTENCES,
    assert_close,
    batch_of,
    example_of,
    parts_of,
    run_lstm,
    without_aspect,
    word_encoder,
)

POSITIVE, NEGATIVE = Polarity.POSITIVE, Polarity.NEGATIVE


def build(faithful_quirk: bool = False, dropout: float = 0.0) -> MGAN:
    torch.manual_seed(0)
    model = MGAN(word_encoder(), 3, hidden=4, dropout=dropout, faithful_quirk=faithful_quirk)
    # larger than the first weights, so that attention is far from even
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data.mul_(2)
    return model


@pytest.fixture(params=[False, True], ids=["paper", "quirk"])
def model(request: pytest.FixtureRequest) -> MGAN:
    return build(faithful_quirk=request.param)


def run_both_ways(layer: BiLSTM, vectors: Tensor) -> Tensor:
    behind = run_lstm(layer.backwards, vectors.flip(0)).flip(0)
    return torch.cat([run_lstm(layer.forwards, vectors), behind], -1)


def score_pair(layer: Trilinear, one: Tensor, other: Tensor) -> Tensor:
    return layer.weight.flatten() @ torch.cat([one, other, one * other])


def softmax(scores: list[Tensor]) -> Tensor:
    powers = torch.stack(scores).exp()
    return powers / powers.sum()


def add_up(weights: Tensor, states: Tensor) -> Tensor:
    return sum((weight * state for weight, state in zip(weights, states, strict=True)), torch.zeros(()))


def location(place: int, first: int, last: int, length: int, quirk: bool) -> float:
    """Equation 2 of the paper; in ABSA-PyTorch aspect words have 0, and the divisor lacks the 1."""
    distance = max(first - place, place - last, 0)
    around = length - (last - first + 1)
    if quirk:
        return 1 - distance / around if distance else 0.0
    return 1 - distance / (around + 1)


def plain_reading(model: MGAN, text: str, aspect: str) -> tuple[Tensor, Tensor, Tensor]:
    """Scores, coarse attention to the context and mean aspect state, equations 3 to 10 of the paper."""
    quirk = model.faithful_quirk
    vectors, first, last = parts_of(model, text, aspect)
    weights = [location(place, first, last, len(vectors), quirk) for place in range(len(vectors))]
    context = run_both_ways(model.read_context, vectors) * torch.tensor(weights)[:, None]
    target = run_both_ways(model.read_aspect, vectors[first : last + 1])
    coarse = softmax([(model.ask_context.weight @ target.mean(0)) @ h for h in context])
    reverse = softmax([(model.ask_aspect.weight @ context.mean(0)) @ q for q in target])
    table = [[score_pair(model.compare, h, q) for q in target] for h in context]
    fine = softmax([max(row) for row in table])
    if quirk:
        columns = softmax([max(column) for column in zip(*table, strict=True)])
        fine_aspect = add_up(columns, target)
    else:
        fine_aspect = torch.stack([add_up(softmax(row), target) for row in table]).mean(0)
    answers = [add_up(coarse, context), add_up(reverse, target), add_up(fine, context), fine_aspect]
    return model.classify.weight @ torch.cat(answers) + model.classify.bias, coarse, target.mean(0)


def test_mgan_equals_a_plain_loop(model: MGAN) -> None:
    batch = batch_of(model, *(example_of(*pair) for pair in SENTENCES), length=24)
    assert_close(model(batch), torch.stack([plain_reading(model, *pair)[0] for pair in SENTENCES]))


@pytest.mark.parametrize(
    ("quirk", "context", "aspect", "expected"),
    [
        # the softmax of (0, log 3) is (1/4, 3/4); in the paper every context word shares out its attention:
        # the mean of (1/4, 3/4) and (1/2, 1/2)
        (False, [True, True], [True, True], [0.375, 0.625]),
        # in ABSA-PyTorch an aspect word counts by its best score: the softmax of (0, log 3)
        (True, [True, True], [True, True], [0.25, 0.75]),
        # padding has no say, and gets no share
        (False, [True, False], [True, True], [0.25, 0.75]),
        (True, [False, True], [True, True], [0.5, 0.5]),
        (False, [True, True], [True, False], [1.0, 0.0]),
        (True, [True, True], [True, False], [1.0, 0.0]),
    ],
)
def test_mgan_fine_attention_by_hand(
    quirk: bool, context: list[bool], aspect: list[bool], expected: list[float]
) -> None:
    # two context words (rows) and two aspect words; the second context word sees no difference between them
    pairs = torch.tensor([[[0.0, log(3)], [0.0, 0.0]]])
    found = build(quirk)._fine_aspect(pairs, torch.tensor([context]), torch.tensor([aspect]))
    assert_close(found, torch.tensor([expected]))


def rivals(second: Polarity = NEGATIVE) -> Example:
    text = "the soup was very good but our waiter seemed rude"
    return example_of(text, "soup", "waiter", labels=(POSITIVE, second))


@pytest.mark.parametrize(
    ("groups", "labels", "weights", "expected"),
    [
        # squared distances: first and second 2, first and third 0.5, second and third 0.5
        ([0, 0, 0], [0, 1, 1], [1.0, 1.0, 1.0], -(2 + 0.5) / 3),
        ([0, 0, 0], [0, 1, 2], [1.0, 1.0, 1.0], -(2 + 0.5 + 0.5) / 3),
        ([0, 0, 0], [1, 1, 1], [1.0, 1.0, 1.0], 0.0),  # one label: nothing to tell apart
        ([0, 1, 1], [0, 1, 2], [1.0, 1.0, 1.0], -0.5 / 3),  # the first is of another sentence
        ([0, 0, 0], [0, 1, 0], [1.0, 1.0, 0.0], -2 / 2),  # the third only fills the batch
        ([0, 0, 0], [0, 1, 2], [0.0, 0.0, 0.0], 0.0),
    ],
)
def test_mgan_alignment_loss_by_hand(
    groups: list[int], labels: list[int], weights: list[float], expected: float
) -> None:
    batch: PairBatch[Tensor] = batch_of(build(), rivals())
    batch = replace(
        batch, group=torch.tensor(groups), labels=torch.tensor(labels), weight=torch.tensor(weights)
    )
    attention = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    assert_close(alignment_loss(attention, torch.ones(3, 3), batch), torch.tensor(expected))
    assert_close(alignment_loss(attention, torch.full((3, 3), 0.5), batch), torch.tensor(expected / 2))


def plain_loss(model: MGAN, examples: list[tuple[str, str, int]]) -> Tensor:
    """Cross-entropy and alignment loss of aspects that are all of one sentence, over their number."""
    readings = [plain_reading(model, text, aspect) for text, aspect, _ in examples]
    total = sum(
        cross_entropy(r[0][None], torch.tensor([e[2]])) for r, e in zip(readings, examples, strict=True)
    )
    for i, (_, first, one) in enumerate(readings):
        for j, (_, second, other) in enumerate(readings):
            if i < j and examples[i][2] != examples[j][2]:
                closeness = torch.sigmoid(score_pair(model.tell_apart, one, other))
                total -= model.alignment * closeness * ((first - second) ** 2).sum()
    return total / len(examples)


@pytest.mark.parametrize("second", [NEGATIVE, POSITIVE], ids=["rivals", "allies"])
def test_mgan_loss_equals_a_plain_loop(second: Polarity) -> None:
    model, example = build(), rivals(second)
    batch = batch_of(model, example, length=16)
    expected = plain_loss(
        model, [(example.text, "soup", 0), (example.text, "waiter", 1 if second == NEGATIVE else 0)]
    )
    assert_close(model.loss(model(batch), batch), expected)


def test_mgan_quirk_has_no_alignment_loss() -> None:
    model = build(faithful_quirk=True)
    batch = batch_of(model, rivals())
    scores = model(batch)
    assert_close(model.loss(scores, batch), cross_entropy(scores, batch.labels))


def test_mgan_loss_of_earlier_scores_reads_their_own_batch() -> None:
    model = build()
    one, other = batch_of(model, rivals()), batch_of(model, example_of("soup was good", "soup"))
    expected = model.loss(model(one), one)
    scores = model(one)
    model(other)  # a pass in between
    assert_close(model.loss(scores, one), expected)
    assert_close(model.eval().loss(scores, one), expected)


def test_mgan_keeps_nothing_of_a_batch_after_its_loss() -> None:
    model = build()
    batch = batch_of(model, rivals())
    model.loss(model(batch), batch).backward()
    deepcopy(model)  # a tensor with a history could not be copied


def test_mgan_without_aspect_tokens_is_finite_and_ignores_padding(model: MGAN) -> None:
    example = example_of("the soup was good", "soup")
    short, long = (without_aspect(batch_of(model, example, length=length)) for length in (4, 16))
    assert model(short).isfinite().all()
    assert_close(model(long), model(short))


def test_mgan_gradient_reaches_every_parameter(model: MGAN) -> None:
    text = "the fresh bread and soup was very good but our waiter seemed rude"
    example = example_of(text, "fresh bread", "our waiter", labels=(POSITIVE, NEGATIVE))
    batch = batch_of(model, example, length=16)
    model.loss(model(batch), batch).backward()
    trained = {name: p.grad for name, p in model.named_parameters() if p.requires_grad}
    assert [name for name, grad in trained.items() if grad is None or not grad.abs().sum() > 0] == []
