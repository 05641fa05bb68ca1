"""Asking a model for a test by the relations: once for all texts, or again and again."""

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import torch

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.metamorphic import Case
from aspectlab.training.extensions.violation_rates import EncodedCases, as_predict_fn
from tests.support.training import make_model

TEXTS = ["The soup was lovely and the tea was weak.", "The soup was lovely and the [UNK] was [UNK].", "No."]


def make_examples() -> list[Example]:
    soup = Quad(Term("soup", Span(4, 8)), None, Term("lovely", Span(13, 19)), Polarity.POSITIVE)
    first, second, third = TEXTS
    return [Example("1", first, (soup,)), Example("2", second, (soup,)), Example("3", third)]


@pytest.mark.parametrize("name", ["stage", "com-mrc"])
def test_questions_are_answered_as_by_the_model_itself(name: str) -> None:
    model = make_model(name)
    source, followup, other = examples = make_examples()
    cases = [Case("MR1-4", source, source.quads[0], followup)]
    questions = EncodedCases(model, [(source, cases), (other, [])], torch.device("cpu"))
    assert [example.text for example in questions.store.examples] == TEXTS
    answers = questions.answer(model, "fp32")([*examples, source])
    assert [list(quads) for quads in answers] == [
        list(quads) for quads in as_predict_fn(model)([*examples, source])
    ]
