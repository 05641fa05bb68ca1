"""Sequence-to-sequence models: the same numbers as the library's own, as a folder, and saved again."""

from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="encoders need the extra 'train'")

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.utils import logging as transformers_logging

from aspectlab.encoders import load_encoder, restore_encoder
from aspectlab.encoders.seq2seq import Seq2SeqEncoder
from aspectlab.errors import DataError, MissingPartError
from tests.support.seq2seq_models import VOCABULARY, build_bart, build_t5, build_untied

TOKENS = torch.tensor([[2, 8, 9, 3, 0, 0], [2, 7, 7, 7, 7, 3]])
TEXTS = SimpleNamespace(tokens=TOKENS, segments=torch.zeros_like(TOKENS), mask=TOKENS != 0)
WRITTEN = torch.tensor([[0, 5, 6], [0, 7, 8]])


@pytest.fixture(params=[build_t5, build_bart, build_untied], ids=["t5", "bart", "untied"])
def model(request: pytest.FixtureRequest) -> PreTrainedModel:
    torch.manual_seed(0)
    built = request.param()
    assert isinstance(built, PreTrainedModel)
    return built.eval()


@pytest.fixture
def encoder(model: PreTrainedModel) -> Seq2SeqEncoder:
    return Seq2SeqEncoder("made", deepcopy(model), VOCABULARY).eval()


def logits_of(encoder: Seq2SeqEncoder, *parts: Tensor) -> Tensor:
    pen = encoder.decoder.start(encoder(TEXTS), TEXTS.mask)
    states = torch.cat([pen.advance(encoder.words(part)) for part in parts], 1)
    table = encoder.words if encoder.output is None else encoder.output
    return states @ table.weight.T


def test_encoder_and_decoder_give_the_numbers_of_the_library(
    model: PreTrainedModel, encoder: Seq2SeqEncoder
) -> None:
    expected = model(TEXTS.tokens, TEXTS.mask.long(), decoder_input_ids=WRITTEN)
    states = encoder(TEXTS)
    torch.testing.assert_close(
        states[TEXTS.mask], expected.encoder_last_hidden_state[TEXTS.mask], rtol=1e-4, atol=1e-5
    )
    torch.testing.assert_close(logits_of(encoder, WRITTEN), expected.logits, rtol=1e-4, atol=1e-5)


def test_decoder_goes_on_from_what_it_was_given(encoder: Seq2SeqEncoder) -> None:
    step_by_step = logits_of(encoder, *WRITTEN.split(1, 1))
    torch.testing.assert_close(step_by_step, logits_of(encoder, WRITTEN), rtol=1e-4, atol=1e-5)


def test_no_weight_is_held_twice(model: PreTrainedModel, encoder: Seq2SeqEncoder) -> None:
    places = [value.data_ptr() for value in encoder.state_dict().values()]
    assert len(places) == len(set(places))
    assert sum(p.numel() for p in encoder.parameters()) == sum(p.numel() for p in model.parameters())


def test_encoder_takes_half_precision(encoder: Seq2SeqEncoder) -> None:
    with torch.autocast("cpu", torch.bfloat16):
        assert logits_of(encoder, WRITTEN).isfinite().all()


def test_encoder_comes_back_from_its_description(encoder: Seq2SeqEncoder, tmp_path: Path) -> None:
    encoder.save_files(tmp_path)
    restored = restore_encoder(encoder.describe(), tmp_path)
    assert isinstance(restored, Seq2SeqEncoder)
    restored.load_state_dict(encoder.state_dict())
    torch.testing.assert_close(logits_of(restored.eval(), WRITTEN), logits_of(encoder, WRITTEN))
    assert restored.start == encoder.start


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tiny T5 as a folder."""
    torch.manual_seed(0)
    transformers_logging.disable_progress_bar()
    build_t5().save_pretrained(tmp_path)
    VOCABULARY.tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_model_is_loaded_from_a_folder(folder: Path) -> None:
    torch.manual_seed(0)
    expected = Seq2SeqEncoder("made", build_t5(), VOCABULARY).eval()
    loaded = load_encoder(str(folder)).eval()
    assert isinstance(loaded, Seq2SeqEncoder)
    torch.testing.assert_close(logits_of(loaded, WRITTEN), logits_of(expected, WRITTEN))
    # T5 sets no limit; 512 is what it was trained with
    assert loaded.vocabulary.max_length == 512


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("tokenizer.json", "expected the tokenizer as JSON"),
        ("model.safetensors", r"expected config\.json, model\.safetensors and tokenizer"),
    ],
)
def test_folder_with_a_truncated_file_is_refused(folder: Path, broken: str, message: str) -> None:
    content = (folder / broken).read_bytes()
    (folder / broken).write_bytes(content[: len(content) // 2])
    with pytest.raises((DataError, MissingPartError), match=message):
        load_encoder(str(folder))


def test_unknown_kind_of_a_saved_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected one of transformer, seq2seq, vectors"):
        restore_encoder({"kind": "abacus"}, tmp_path)
