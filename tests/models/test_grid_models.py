"""What the losses of the models over tables of word pairs have in common."""

from collections.abc import Callable
from dataclasses import fields, replace

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from aspectlab.data import Example
from aspectlab.encodings import Batch
from aspectlab.models import Model
from aspectlab.training.dataset import to_tensors

every_model = pytest.mark.parametrize("name", ["bdtf", "minicongts", "simstar"])

Build = Callable[[str], Model]


def batch_of(model: Model, examples: list[Example], length: int | None = None) -> Batch[Tensor]:
    return to_tensors(model.encoding.collate(model.encoding.encode(examples), length), torch.device("cpu"))


def rows(batch: Batch[Tensor], change: Callable[[Tensor], Tensor]) -> Batch[Tensor]:
    return replace(batch, **{field.name: change(getattr(batch, field.name)) for field in fields(batch)})


@every_model
def test_grid_loss_ignores_padding(name: str, build_tiny: Build, eight: list[Example], torn: Example) -> None:
    model = build_tiny(name).eval()
    short, long = (batch_of(model, [*eight, torn], length) for length in (None, 96))
    torch.testing.assert_close(model.loss(model(long), long), model.loss(model(short), short))


@every_model
def test_grid_loss_ignores_rows_that_fill_a_batch_up(
    name: str, build_tiny: Build, eight: list[Example]
) -> None:
    model = build_tiny(name).eval()
    batch = batch_of(model, eight)
    filled = rows(batch, lambda values: torch.cat([values, values[:3]]))
    filled.weight[-3:] = 0
    torch.testing.assert_close(model.loss(model(filled), filled), model.loss(model(batch), batch))


@every_model
def test_grid_step_hangs_on_shapes_alone(name: str, build_tiny: Build, eight: list[Example]) -> None:
    model = build_tiny(name).train()
    batch = batch_of(model, eight)
    # tensors without values: a step that looked at one could not be captured, and fails here
    with FakeTensorMode(allow_non_fake_inputs=True):
        loss = model.loss(model(batch), batch)
    assert loss.shape == ()


@every_model
def test_grid_loss_in_bfloat16_is_near_that_in_full_precision(
    name: str, build_tiny: Build, eight: list[Example]
) -> None:
    model = build_tiny(name).eval()
    batch = batch_of(model, eight, 64)
    exact = model.loss(model(batch), batch)
    with torch.autocast("cpu", torch.bfloat16):
        rough = model.loss(model(batch), batch)
    rough.backward()
    assert rough.item() == pytest.approx(exact.item(), rel=0.05)
    assert all(bool(p.grad.isfinite().all()) for p in model.parameters() if p.grad is not None)


@every_model
def test_grid_model_learns_nothing_from_a_text_without_words(name: str, build_tiny: Build) -> None:
    model = build_tiny(name)
    batch = batch_of(model, [Example("1", ""), Example("2", "\u200b")])
    loss = model.loss(model(batch), batch)
    assert loss.isfinite()
