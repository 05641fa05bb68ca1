"""The models that write, on a sequence-to-sequence model that brings its decoder along."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from transformers import PreTrainedModel

from aspectlab.data import Example
from aspectlab.encoders.seq2seq import Seq2SeqEncoder
from aspectlab.models import Model, build_model
from aspectlab.training import fit, load_model, predict, save_model
from tests.support.seq2seq_models import VOCABULARY, build_bart, build_t5, build_untied

every_writer = pytest.mark.parametrize("name", ["gas", "slgm", "bart-absa"])
every_kind = pytest.mark.parametrize(
    "kind", [build_t5, build_bart, build_untied], ids=["t5", "bart", "untied"]
)


def build(name: str, kind: Callable[[], PreTrainedModel]) -> Model:
    torch.manual_seed(7)
    return build_model(name, Seq2SeqEncoder("made", kind(), VOCABULARY), {"max_length": 40})


@every_writer
@every_kind
def test_writer_on_a_library_model_learns_and_is_saved(
    name: str, kind: Callable[[], PreTrainedModel], eight: list[Example], tmp_path: Path
) -> None:
    model = build(name, kind)
    plan = replace(model.plan, epochs=3, batch_size=4, learning_rate=3e-3, warmup=0.0, average=0.5)
    plan = replace(plan, encoder_learning_rate=None, precision="fp32")
    history = fit(model, eight[:4], eight[4:], plan=plan, seed=1, device="cpu").history
    assert history[-1].loss < history[0].loss
    save_model(model, tmp_path / "model")
    assert predict(load_model(tmp_path / "model"), eight) == predict(model, eight)


@every_writer
def test_writer_on_a_library_model_has_no_decoder_of_its_own(name: str) -> None:
    own = [key for key, _ in build(name, build_t5).named_parameters() if "decoder" in key]
    assert own == []
    assert any(key.startswith("encoder.writer.") for key in build(name, build_t5).state_dict())
