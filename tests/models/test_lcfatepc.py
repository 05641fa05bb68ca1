"""LCF-ATEPC: given aspects, found ones, and the words around them."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

import torch
from torch import Tensor

from aspectlab.data import Example, Quad, Span, Term
from aspectlab.encoders import load_encoder
from aspectlab.models import Model, build_model
from aspectlab.models.lcfatepc import LCFATEPC, LocalContextBatch
from aspectlab.nn.words import Words
from aspectlab.training import fit, load_model, predict, save_model
from aspectlab.training.dataset import to_tensors


@pytest.fixture
def given() -> Model:
    """A model that judges given aspects."""
    torch.manual_seed(7)
    return build_model("lcf-atepc", load_encoder("tiny"), {"given": True}).eval()


@pytest.fixture
def found(build_tiny: Callable[[str], Model]) -> LCFATEPC:
    model = build_tiny("lcf-atepc").eval()
    assert isinstance(model, LCFATEPC)
    return model


def batch_of(model: Model, examples: list[Example], length: int | None = None) -> LocalContextBatch[Tensor]:
    return to_tensors(model.encoding.collate(model.encoding.encode(examples), length), torch.device("cpu"))


def test_setting_decides_the_task(given: Model, found: LCFATEPC) -> None:
    assert (given.task, found.task, LCFATEPC.task) == ("atsc", "e2e", "e2e")


def test_given_aspects_are_judged_in_order(given: Model, eight: list[Example], torn: Example) -> None:
    asked = [torn, Example("bare", "Nothing is asked about here."), eight[0]]
    answers = predict(given, asked)
    assert [example.id for example in answers] == ["9", "bare", "0"]
    assert [[quad.aspect for quad in e.quads] for e in answers] == [
        [quad.aspect for quad in e.quads] for e in asked
    ]
    assert all(quad.polarity for example in answers for quad in example.quads)


def test_given_aspect_of_a_long_text_is_judged(given: Model) -> None:
    before = "so it goes " * 500
    soup = Quad(aspect=Term("soup", Span(len(before), len(before) + 4)))
    (answer,) = predict(given, [Example("1", f"{before}soup and on we go", (soup,))])
    assert answer.quads[0].polarity


def test_given_aspects_can_be_learnt(given: Model, eight: list[Example]) -> None:
    plan = replace(
        given.plan, epochs=30, batch_size=8, learning_rate=5e-3, encoder_learning_rate=None, average=0.0
    )
    fitted = fit(given, eight, [shout(example) for example in eight], plan=plan, seed=5, device="cpu")
    assert fitted.best.dev["accuracy"] == 1.0


def shout(example: Example) -> Example:
    """The same in capitals: another text, but the same to an encoder that folds case."""
    aspects = [(quad.aspect, quad.polarity) for quad in example.quads if quad.aspect]
    quads = (Quad(Term(aspect.text.upper(), aspect.span), polarity=label) for aspect, label in aspects)
    return Example(f"{example.id}-again", example.text.upper(), tuple(quads))


def test_setting_is_kept_with_the_model(given: Model, eight: list[Example], tmp_path: Path) -> None:
    save_model(given, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.task == "atsc"
    assert predict(loaded, eight) == predict(given, eight)


@torch.no_grad()
@pytest.mark.parametrize("aspect", [range(2, 3), range(6, 8), range(3, 6)], ids=str)
def test_polarities_equal_a_plain_loop(aspect: range) -> None:
    torch.manual_seed(3)
    model = build_model("lcf-atepc", load_encoder("tiny"), {"heads": 1, "reach": 1})
    assert isinstance(model, LCFATEPC)
    size, middle = 9, (aspect[0] + aspect[-1]) / 2
    states = torch.randn(size, 32)
    rows = []
    for place, state in enumerate(states):
        distance = abs(place - middle) - len(aspect) // 2
        near, fading = (1.0, 1.0) if distance <= 1 else (0.0, 1 - (distance - 1) / size)
        rows.append(model.fuse(torch.cat([state, fading * state, near * state])))
    attend = model.attend
    query, fused = attend.query(rows[0]), torch.stack(rows)  # [H], [size, H]
    shares = (attend.key(fused) @ query / math.sqrt(32)).softmax(0)
    read = attend.join(shares @ attend.value(fused)).tanh()
    expected = model.classify(model.pool(read).tanh())
    inside = torch.tensor([[place in aspect for place in range(size)]])
    found = model._polarities(Words(states[None], torch.ones(1, size, dtype=torch.bool), inside))
    torch.testing.assert_close(found[0], expected, rtol=1e-5, atol=1e-5)


def test_loss_adds_tags_and_polarity(found: LCFATEPC, eight: list[Example]) -> None:
    batch = batch_of(found, [*eight[:2], Example("none", "We came home.")])
    # equal scores cost log 3 for each tag, and log 3 for each polarity that there is
    scores = torch.zeros(3, 1 + batch.tokens.shape[1], 3)
    assert found.loss(scores, batch).item() == pytest.approx(2 * math.log(3))
    # a wrong polarity of the item that has none costs nothing
    assert found.loss(scores.index_fill(0, torch.tensor(2), 7.0), batch).item() == pytest.approx(
        2 * math.log(3)
    )


def test_loss_passes_over_fillers(found: LCFATEPC, eight: list[Example]) -> None:
    batch = batch_of(found, eight[:2])
    scores = torch.randn(2, 1 + batch.tokens.shape[1], 3)
    filled = found.loss(scores, replace(batch, weight=torch.tensor([1.0, 0.0])))
    alone = found.loss(scores[:1], batch_of(found, eight[:1], length=batch.tokens.shape[1]))
    assert filled.item() == pytest.approx(alone.item())


@torch.no_grad()
def test_tags_do_not_hang_on_the_aspect_in_focus(found: LCFATEPC, torn: Example) -> None:
    first, second = found(batch_of(found, [torn]))  # one item for each of two aspects
    torch.testing.assert_close(first[1:], second[1:])
    assert not torch.allclose(first[0], second[0])


@torch.no_grad()
def test_scores_are_close_in_bfloat16(found: LCFATEPC, eight: list[Example]) -> None:
    batch = batch_of(found, [*eight, Example("none", "")])
    with torch.autocast("cpu", torch.bfloat16):
        scores = found(batch)
        assert found.loss(scores, batch).isfinite()
    torch.testing.assert_close(scores.float(), found(batch), rtol=0.1, atol=0.1)
