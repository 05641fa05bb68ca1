"""Checkpoints: written whole, and refused when they are not."""

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import torch

from aspectlab.data import Example
from aspectlab.encoders import load_encoder
from aspectlab.errors import ConfigError, DataError
from aspectlab.models import build_model
from aspectlab.progress import Progress
from aspectlab.training import checkpoint, fit
from aspectlab.training.checkpoint import Epoch
from aspectlab.training.step import seed_everything
from tests.support.training import PLAN, make_example, make_examples, make_model

TRAIN, DEV = make_examples("Today"), make_examples("Yesterday")


def test_checkpoint_is_one_file(tmp_path: Path) -> None:
    fit(make_model(), TRAIN, DEV, plan=replace(PLAN, epochs=1), device="cpu", resume=tmp_path / "kept")
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["state.safetensors"]


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.99])
def test_checkpoint_that_is_truncated_names_the_remedy(tmp_path: Path, keep: float) -> None:
    fit(make_model(), TRAIN, DEV, plan=replace(PLAN, epochs=1), device="cpu", resume=tmp_path)
    path = tmp_path / "state.safetensors"
    path.write_bytes(path.read_bytes()[: int(keep * path.stat().st_size)])
    with pytest.raises(DataError, match=r"state\.safetensors: .*delete .* and train again"):
        fit(make_model(), TRAIN, DEV, plan=replace(PLAN, epochs=1), device="cpu", resume=tmp_path)


def test_checkpoint_of_an_encoder_with_other_weights_is_refused(tmp_path: Path) -> None:
    fit(make_model(), TRAIN, DEV, plan=replace(PLAN, epochs=1), device="cpu", resume=tmp_path)
    other = make_model()
    torch.nn.init.zeros_(next(iter(other.encoder.parameters())))
    with pytest.raises(ConfigError, match="it belongs to a training with another model"):
        fit(other, TRAIN, DEV, plan=replace(PLAN, epochs=1), device="cpu", resume=tmp_path)


def test_checkpoint_of_a_model_with_another_setting_is_refused(tmp_path: Path) -> None:
    fit(make_model(), TRAIN, DEV, plan=replace(PLAN, epochs=1), device="cpu", resume=tmp_path)
    seed_everything(3)  # as toys do: the same weights
    other = build_model("marked", load_encoder("tiny"), {"consistency": 0.5})
    with pytest.raises(ConfigError, match="it belongs to a training with another model"):
        fit(other, TRAIN, DEV, plan=replace(PLAN, epochs=1), device="cpu", resume=tmp_path)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("lcf-atepc", make_example(DEV[0].text, "soup", "neutral")),  # it was positive
        ("memnet", make_example(DEV[0].text, "Yesterday", "positive")),
    ],
)
def test_checkpoint_of_other_annotations_is_refused(tmp_path: Path, name: str, changed: Example) -> None:
    fit(make_model(name), TRAIN, DEV, plan=replace(PLAN, epochs=1), device="cpu", resume=tmp_path)
    other = [changed, *DEV[1:]]
    with pytest.raises(
        ConfigError, match="it belongs to a training with another model, plan, seed or corpus"
    ):
        fit(make_model(name), TRAIN, other, plan=replace(PLAN, epochs=1), device="cpu", resume=tmp_path)


def test_checkpoint_survives_a_crash_while_the_next_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replace(PLAN, epochs=2)
    whole = fit(make_model(), TRAIN, DEV, plan=plan, device="cpu")
    real, calls = checkpoint.save_file, []

    def crash_on_second(tensors: object, path: Path, notes: object) -> None:
        calls.append(path)
        if len(calls) == 2:
            path.write_bytes(b"half")
            raise OSError(28, "No space left on device")
        real(tensors, path, notes)  # type: ignore[arg-type]

    monkeypatch.setattr(checkpoint, "save_file", crash_on_second)
    with pytest.raises(DataError, match=r"No space left .*make room"):
        fit(make_model(), TRAIN, DEV, plan=plan, device="cpu", resume=tmp_path)
    monkeypatch.undo()
    resumed = fit(make_model(), TRAIN, DEV, plan=plan, device="cpu", resume=tmp_path)
    assert [epoch.loss for epoch in resumed.history] == [epoch.loss for epoch in whole.history]


def test_epoch_that_is_announced_is_kept(tmp_path: Path) -> None:
    # who interrupts a training when an epoch is shown must not lose it
    seen = []

    def look(progress: Progress[Epoch | None]) -> None:
        if progress.detail is not None:
            seen.append(checkpoint.has_checkpoint(tmp_path))

    plan = replace(PLAN, epochs=2)
    fit(make_model(), TRAIN, DEV, plan=plan, device="cpu", resume=tmp_path, progress=look)
    assert seen == [True, True]
