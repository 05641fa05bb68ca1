"""GRACE: what its second branch reads, shares and learns from."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.encoders.vectors import VectorEncoder
from aspectlab.encodings.tags import TagBatch
from aspectlab.models import Model, build_model
from aspectlab.models.grace import GRACE, tag_of
from aspectlab.training.dataset import to_tensors


@pytest.fixture
def model(build_tiny: Callable[[str], Model]) -> GRACE:
    model = build_tiny("grace").eval()
    assert isinstance(model, GRACE)
    return model


@pytest.fixture
def calm(model: GRACE) -> GRACE:
    """The same in training, but without dropout."""
    for part in model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    return model.train()


def batch_of(model: Model, examples: list[Example], length: int | None = None) -> TagBatch[Tensor]:
    return to_tensors(model.encoding.collate(model.encoding.encode(examples), length), torch.device("cpu"))


@torch.no_grad()
def test_prediction_reads_no_labels(model: GRACE, eight: list[Example]) -> None:
    batch = batch_of(model, eight)
    assert torch.equal(model(batch), model(replace(batch, labels=torch.zeros_like(batch.labels))))


@torch.no_grad()
def test_training_reads_gold_tags_but_not_gold_polarities(calm: GRACE, eight: list[Example]) -> None:
    batch = batch_of(calm, eight)
    other = torch.where(batch.labels > 0, (batch.labels - 1) // 3 * 3 + 1, 0)  # the same tags, all negative
    assert torch.equal(tag_of(other), tag_of(batch.labels))
    torch.testing.assert_close(calm(batch), calm(replace(batch, labels=other)))
    bare = calm(replace(batch, labels=torch.zeros_like(batch.labels)))
    assert torch.equal(calm(batch)[..., :3], bare[..., :3])
    assert not torch.allclose(calm(batch)[..., 3:], bare[..., 3:])


@torch.no_grad()
def test_words_of_an_aspect_have_one_polarity(calm: GRACE, eight: list[Example]) -> None:
    # the third sentence has the aspect "fish pie", words 3 and 4
    scores = calm(batch_of(calm, eight[2:3]))[0, :, 3:]
    assert torch.equal(scores[3], scores[4])
    assert not torch.allclose(scores[2], scores[3])


def test_second_branch_begins_as_the_last_layer_of_the_encoder(model: GRACE) -> None:
    ours, theirs = model.decoder.layers[-1], model.encoder.get_submodule("model.encoder.layer.1")
    query = theirs.get_submodule("attention.self.query")
    assert torch.equal(ours.get_submodule("own.query").weight, query.weight)
    assert torch.equal(ours.get_submodule("text.query").weight, query.weight)
    assert torch.equal(ours.get_submodule("outer").weight, theirs.get_submodule("output.dense").weight)


def test_loss_counts_words_for_tags_and_aspects_for_polarities(model: GRACE, eight: list[Example]) -> None:
    batch = batch_of(model, eight[:1])
    # equal scores of n words: 3n gradients in two bins, 2/3 for the right class and 1/3 for the two others;
    # n are in the bin of the right class: weight 3n / (n * 2) = 1.5, and the loss of each is log 3
    loss = model.loss(torch.zeros(1, batch.tokens.shape[1], 6), batch)
    assert loss.item() == pytest.approx(2 * 1.5 * math.log(3))


def test_fillers_leave_loss_and_counts_alone(calm: GRACE, eight: list[Example]) -> None:
    batch = batch_of(calm, eight[:2])
    scores = torch.randn(2, batch.tokens.shape[1], 6)
    filled = calm.loss(scores, replace(batch, weight=torch.tensor([1.0, 0.0])))
    counts = calm.of_tags.counts.clone()
    calm.of_tags.counts.zero_()
    calm.of_polarities.counts.zero_()
    alone = calm.loss(scores[:1], batch_of(calm, eight[:1], length=batch.tokens.shape[1]))
    assert filled.item() == pytest.approx(alone.item())
    assert torch.equal(counts, calm.of_tags.counts)


def test_text_without_aspects_has_a_loss(calm: GRACE) -> None:
    batch = batch_of(calm, [Example("1", "We came home.")])
    assert calm.loss(calm(batch), batch).isfinite()


@torch.no_grad()
def test_scores_are_close_in_bfloat16(model: GRACE, eight: list[Example]) -> None:
    batch = batch_of(model, eight)
    with torch.autocast("cpu", torch.bfloat16):
        scores = model(batch)
        assert model.loss(scores, batch).isfinite()
    torch.testing.assert_close(scores[..., :3].float(), model(batch)[..., :3], rtol=0.1, atol=0.1)


def test_any_encoder_will_do(eight: list[Example]) -> None:
    encoder = VectorEncoder("vectors:made", torch.randn(2, 10).numpy(), ["soup", "lovely"])
    model = build_model("grace", encoder, {"layers": 1})
    batch = batch_of(model, [*eight, Example("none", "")])
    assert model.loss(model(batch), batch).isfinite()
