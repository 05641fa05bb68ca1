"""PARAPHRASE: quads as sentences, with terms that are not named."""

from dataclasses import replace

import pytest

pytest.importorskip("torch")

import numpy as np
import torch

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encoders import load_encoder
from aspectlab.encodings import END
from aspectlab.models import build_model
from aspectlab.models.paraphrase import Paraphrase
from aspectlab.training import predict

DEAR = Term("dear", Span(18, 22))
CAMERA = Term("camera", Span(4, 10))
TEXT = "The camera, so so dear, broke."
QUADS = (
    Quad(CAMERA, "CAMERA#PRICE", DEAR, Polarity.NEGATIVE),
    Quad(None, "SHOP#GENERAL", DEAR, Polarity.NEGATIVE),
    Quad(CAMERA, "CAMERA#QUALITY", None, Polarity.NEGATIVE),
    Quad(None, "SHOP#GENERAL", None, Polarity.NEUTRAL),
)
EXAMPLE = Example("1", TEXT, QUADS)


def build(**settings: object) -> Paraphrase:
    torch.manual_seed(7)
    known = Paraphrase.complete_settings(settings, [EXAMPLE])
    model = build_model("paraphrase", load_encoder("tiny"), known)
    assert isinstance(model, Paraphrase)
    return model


@pytest.mark.parametrize("order", ["terms", "category"])
def test_paraphrase_reads_the_quads_that_it_writes_with_implicit_terms(order: str) -> None:
    encoding = build(order=order).encoding
    (item,) = encoding.encode([EXAMPLE])
    row = np.array([item.target], np.float32)
    assert encoding.decode(row, [item], [EXAMPLE]) == [QUADS]


def test_paraphrase_knows_the_categories_of_its_training_corpus() -> None:
    assert build().categories == ("CAMERA#PRICE", "CAMERA#QUALITY", "SHOP#GENERAL")


def test_paraphrase_does_not_write_a_category_that_only_dev_has() -> None:
    other = replace(QUADS[0], category="CAMERA#DESIGN")
    (item,) = build().encoding.encode([replace(EXAMPLE, quads=(other,))])
    assert item.target == [END]


@pytest.mark.parametrize("order", ["terms", "category"])
def test_untrained_paraphrase_writes_whole_quads_of_known_categories(order: str) -> None:
    model = build(order=order)
    (found,) = predict(model, [replace(EXAMPLE, quads=())])
    assert all(quad.category in model.categories and quad.polarity for quad in found.quads)
