"""GAS: terms that stand nowhere in the text, and what the authors' way gives up."""

from dataclasses import replace

import pytest

pytest.importorskip("torch")

import torch

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encoders import load_encoder
from aspectlab.errors import TaskError
from aspectlab.models import Plan, build_model
from aspectlab.training import fit, predict

NAMED = Example("n", "Very dear.", (Quad(Term("price"), None, Term("dear", Span(5, 9)), Polarity.NEGATIVE),))


def test_gas_writes_terms_that_do_not_stand_in_the_text() -> None:
    torch.manual_seed(7)
    settings = {"constrained": False, "normalise": False, "max_length": 20, "layers": 1}
    model = build_model("gas", load_encoder("tiny"), settings)
    steady = {"schedule": "constant", "warmup": 0.0, "precision": "fp32"}
    plan = replace(Plan(), epochs=50, patience=50, learning_rate=5e-3, **steady)
    other = replace(NAMED, id="o", text="Very dear. ")
    fit(model, [NAMED], [other], plan=plan, seed=5, device="cpu")
    assert predict(model, [NAMED])[0].quads == NAMED.quads


def test_gas_refuses_to_copy_what_does_not_stand_in_the_text() -> None:
    model = build_model("gas", load_encoder("tiny"))
    with pytest.raises(TaskError, match="'price' does not stand in the text"):
        model.encoding.encode([NAMED])


@pytest.mark.parametrize("name", ["gas", "slgm"])
def test_authors_way_has_no_weights_for_copying(name: str) -> None:
    kept, dropped = (
        build_model(name, load_encoder("tiny"), {"constrained": constrained}).state_dict()
        for constrained in (True, False)
    )
    assert {key.rpartition(".")[0] for key in kept.keys() - dropped.keys()} == {
        "writer.key.0",
        "writer.key.3",
    }


@pytest.mark.parametrize("name", ["gas", "slgm"])
def test_authors_way_predicts_for_any_text(name: str) -> None:
    torch.manual_seed(0)
    model = build_model(name, load_encoder("tiny"), {"constrained": False, "max_length": 30})
    given = [Example(text, text) for text in ("", "soup", "Lovely soup!", "\u200b")]
    assert [example.text for example in predict(model, given)] == [example.text for example in given]
