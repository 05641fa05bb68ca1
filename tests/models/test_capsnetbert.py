"""CapsNet-BERT against numbers worked out by hand and a loop over words and classes."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.encodings import PairBatch
from aspectlab.models import Model
from aspectlab.models.capsnetbert import CapsNetBERT, guided_routing, margin_loss, squash
from aspectlab.training.dataset import to_tensors


@pytest.fixture
def model(build_tiny: Callable[[str], Model]) -> CapsNetBERT:
    model = build_tiny("capsnet-bert").eval()
    assert isinstance(model, CapsNetBERT)
    return model


def batch_of(model: Model, examples: list[Example], length: int | None = None) -> PairBatch[Tensor]:
    return to_tensors(model.encoding.collate(model.encoding.encode(examples), length), torch.device("cpu"))


def plain_squash(vector: list[float]) -> list[float]:
    norm = math.sqrt(sum(value * value for value in vector))
    return [value * norm / (1 + norm * norm) for value in vector]


def plain_softmax(scores: list[float]) -> list[float]:
    shares = [math.exp(score) for score in scores]
    return [share / sum(shares) for share in shares]


def dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("vector", "expected"),
    [
        ([3.0, 4.0], [15 / 26, 20 / 26]),  # length 5: 5 / (1 + 25) times the vector
        ([0.0, -1.0], [0.0, -0.5]),  # length 1: halved
        ([0.0, 0.0], [0.0, 0.0]),
    ],
)
def test_squash_gives_the_hand_computed_vector(vector: list[float], expected: list[float]) -> None:
    torch.testing.assert_close(squash(torch.tensor(vector)), torch.tensor(expected), rtol=1e-5, atol=1e-5)


def test_squash_of_zero_has_a_finite_gradient() -> None:
    vector = torch.zeros(4, requires_grad=True)
    squash(vector).sum().backward()
    assert vector.grad is not None
    assert bool(vector.grad.isfinite().all())


@pytest.mark.parametrize(
    ("lengths", "label", "expected"),
    [
        ([0.9, 0.1, 0.1], 0, 0.0),  # at the margins nothing is to pay
        ([0.5, 0.1, 0.1], 0, 0.16),  # 0.4 too short
        ([0.9, 0.6, 0.0], 0, 0.15),  # 0.6 times 0.5 squared
        ([0.8, 0.2, 0.3], 2, 0.36 + 0.6 * (0.49 + 0.01)),  # right one 0.6 short, others 0.7 and 0.1 long
    ],
)
def test_margin_loss_gives_the_hand_computed_sum(lengths: list[float], label: int, expected: float) -> None:
    assert margin_loss(torch.tensor([lengths]), torch.tensor([label])).item() == pytest.approx(expected)


def test_model_loss_is_the_mean_margin_loss_of_items_that_count(
    model: CapsNetBERT, eight: list[Example]
) -> None:
    batch = batch_of(model, eight[:3])
    batch = replace(batch, weight=torch.tensor([1.0, 1.0, 0.0]))
    lengths = torch.tensor([[0.5, 0.1, 0.1], [0.1, 0.5, 0.6], [0.0, 0.0, 0.0]])
    # labels positive and negative: (0.16 + 0.16 + 0.6 * 0.25) / 2, the third item only fills up
    assert model.loss(lengths.log(), batch).item() == pytest.approx((0.16 + 0.16 + 0.15) / 2)


def test_guided_routing_equals_a_plain_loop() -> None:
    torch.manual_seed(0)
    primary, query, guides = torch.randn(2, 5, 4), torch.randn(2, 4), torch.randn(3, 4)
    mask = torch.tensor([[True, True, True, False, False], [True, False, True, True, True]])
    found = guided_routing(primary, query, guides, mask)
    expected = torch.stack(
        [
            torch.tensor(loop_routing(*parts, guides.tolist()))
            for parts in zip(primary.tolist(), query.tolist(), mask.tolist(), strict=True)
        ]
    )
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


def loop_routing(
    primary: list[list[float]], query: list[float], mask: list[bool], guides: list[list[float]]
) -> list[list[float]]:
    words = [capsule for capsule, kept in zip(primary, mask, strict=True) if kept]
    weights = plain_softmax([dot(capsule, query) for capsule in words])
    merged = [[0.0] * len(query) for _ in guides]
    for capsule, weight in zip(words, weights, strict=True):
        shares = plain_softmax([dot(capsule, guide) for guide in guides])
        for target, share in zip(merged, shares, strict=True):
            for place, value in enumerate(capsule):
                target[place] += share * weight * value
    return merged


@torch.no_grad()
def test_model_equals_a_plain_loop(model: CapsNetBERT, eight: list[Example]) -> None:
    batch = batch_of(model, eight[:1])
    states = model.encoder(batch)[0]  # [T, H]
    second = int(batch.segments[0].argmax())  # where the aspect begins; what is before ends with [SEP]
    aspect = plain_squash(model.aspect(states[second:].mean(0)).tolist())
    query = (torch.tensor(aspect) @ model.match).tolist()
    primary = [plain_squash(model.primary(state).tolist()) for state in states[:second]]
    guides = [(model.route @ torch.tensor(plain_squash(row))).tolist() for row in model.guides.tolist()]
    merged = loop_routing(primary, query, [True] * second, guides)
    classes = [plain_squash([5.0 * value for value in capsule]) for capsule in merged]
    expected = torch.tensor([math.sqrt(dot(capsule, capsule)) for capsule in classes])
    torch.testing.assert_close(model(batch)[0].exp(), expected, rtol=1e-4, atol=1e-5)


def test_model_reads_the_frame_with_its_segments(model: CapsNetBERT, eight: list[Example]) -> None:
    # "[CLS] the soup … . [SEP] soup [SEP]" over characters: 1 + 23 + 1 and 4 + 1
    batch = batch_of(model, eight[:1])
    assert int((batch.segments == 0).sum()) == 25
    assert int((batch.segments == 1).sum()) == 5


def test_model_confidence_is_the_share_of_the_lengths(model: CapsNetBERT, eight: list[Example]) -> None:
    items = model.encoding.encode(eight[:1])
    lengths = torch.tensor([[0.6, 0.3, 0.1]])
    quad = model.encoding.decode(lengths.log().numpy(), items, eight[:1])[0][0]
    assert quad.confidence == pytest.approx({"positive": 0.6, "negative": 0.3, "neutral": 0.1}, abs=1e-5)


def test_model_takes_another_capsule_size_and_scale(eight: list[Example]) -> None:
    from aspectlab.encoders import load_encoder
    from aspectlab.models import build_model

    model = build_model("capsnet-bert", load_encoder("tiny"), {"capsule": 12, "scale": 4})
    assert isinstance(model, CapsNetBERT)
    assert (model.guides.shape, model.scale.item()) == ((3, 12), 4.0)
    assert model(batch_of(model, eight)).shape == (8, 3)
