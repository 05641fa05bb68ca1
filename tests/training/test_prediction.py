"""Predictions: only from text and aspects, in order, and on any device that is asked for."""

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import numpy as np
import torch

from aspectlab.data import Example, Polarity, Quad, Term
from aspectlab.encoders import load_encoder
from aspectlab.errors import ConfigError
from aspectlab.models import build_model
from aspectlab.training import predict, prediction
from aspectlab.training.dataset import EncodedDataset
from aspectlab.training.prediction import score_rows
from aspectlab.training.step import choose_device
from tests.support.training import make_example, make_examples, make_model

EXAMPLES = make_examples("Today")


def bare(example: Example) -> Example:
    return replace(example, quads=tuple(replace(quad, polarity=None) for quad in example.quads))


def test_prediction_does_not_hang_on_gold_labels() -> None:
    model = make_model()
    assert predict(model, EXAMPLES) == predict(model, [bare(example) for example in EXAMPLES])


def test_prediction_takes_examples_whose_labels_training_refuses() -> None:
    torn = make_example("Odd, the soup was both.", "soup", "conflict")
    assert predict(make_model(), [torn])[0].quads[0].polarity in set(Polarity) - {Polarity.CONFLICT}


def test_prediction_leaves_out_what_the_text_does_not_say() -> None:
    named = Quad(aspect=Term("price"), polarity=Polarity.NEGATIVE)
    example = replace(EXAMPLES[0], quads=(named, *EXAMPLES[0].quads))
    assert [quad.aspect for quad in predict(make_model(), [example])[0].quads] == [
        EXAMPLES[0].quads[0].aspect
    ]


def test_prediction_is_the_same_in_any_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_model()
    whole = predict(model, EXAMPLES)
    monkeypatch.setattr(prediction, "_BLOCK", 5)
    assert [e.quads[0].polarity for e in predict(model, EXAMPLES)] == [e.quads[0].polarity for e in whole]


def test_scores_belong_to_their_rows() -> None:
    model = make_model()
    store = EncodedDataset(model.encoding, EXAMPLES, torch.device("cpu"))
    rows = np.array([7, 0, 12])
    some, every = (
        {
            row: s
            for chosen, scores in score_rows(model, store, wanted, precision="fp32")
            for row, s in zip(chosen, scores, strict=True)
        }
        for wanted in (rows, np.arange(len(EXAMPLES)))
    )
    assert set(some) == set(rows)
    assert all(np.allclose(some[row], every[row], atol=1e-5) for row in rows)


def test_scoring_leaves_the_mode_of_the_model() -> None:
    model = make_model().train()
    predict(model, EXAMPLES[:1])
    assert model.training


@pytest.mark.parametrize("name", ["warp", "cpu:x", "", "meta"])
def test_device_that_is_unknown_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"device '{name}' is unknown"):
        choose_device(name)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_device_that_is_absent_is_refused_with_the_remedy() -> None:
    with pytest.raises(ConfigError, match="no CUDA device is usable here; use 'cpu'"):
        choose_device("cuda")


def test_cut_texts_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    long = make_example("word " * 2_000 + "soup", "soup", None)
    predict(make_model(), [long, *EXAMPLES[:1]])
    assert [record.getMessage() for record in caplog.records] == [
        "1 of 2 aspects: the text is too long, a window around it is read"
    ]


@pytest.mark.parametrize("name", ["category-multilabel", "category-pair"])
def test_texts_of_which_only_the_beginning_is_read_are_reported(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings = {"categories": ["food", "staff"], "classes": ["absent", "positive"]}
    long = make_example("word " * 2_000 + "soup", "soup", None)
    predict(build_model(name, load_encoder("tiny"), settings), [long, *EXAMPLES[:1]])
    assert [record.getMessage() for record in caplog.records] == [
        "1 of 2 texts: too long, only the beginning is read"
    ]
