"""What stands for the elements of triplets in the seven models of the MATO paper, and MATO around them."""

from collections.abc import Callable
from dataclasses import replace
from math import log

import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.encodings import Batch
from aspectlab.errors import ConfigError
from aspectlab.models import Model, Plan
from aspectlab.models.elements import Discernible, Elements, sample_spans, watching
from aspectlab.training.dataset import EncodedDataset, to_tensors
from aspectlab.training.extensions.mato import Mato, discernible_models
from aspectlab.training.trainer import Trainer

PAPER = ["bdtf", "com-mrc", "emcgcn", "minicongts", "simstar", "slgm", "stage"]
"""The seven models of the MATO paper."""

every_model = pytest.mark.parametrize("name", PAPER)
Build = Callable[[str], Model]
PLAN = Plan(mato=True)
RATES = [0.5, 0.25, 0.125]


def batch_of(model: Model, examples: list[Example]) -> Batch[Tensor]:
    items = model.encoding.encode(examples)
    return to_tensors(model.encoding.collate(items), torch.device("cpu"))


def elements_of(model: Model, batch: Batch[Tensor]) -> Elements:
    assert isinstance(model, Discernible)
    with watching(model, model.watched) as seen:
        scores = model.train()(batch)
    return model.elements(scores, seen, batch)


def loss_of(model: Model, batch: Batch[Tensor]) -> Tensor:
    torch.manual_seed(3)  # for dropout
    return model.loss(model(batch), batch)


def test_elements_are_known_of_the_models_of_the_paper() -> None:
    assert discernible_models() == PAPER


@every_model
def test_elements_count_the_gold_of_each_text(name: str, build_tiny: Build, eight: list[Example]) -> None:
    model = build_tiny(name)
    elements = elements_of(model, batch_of(model, eight))
    # each sentence has one triplet, and the first copy or the question about it holds it once
    assert [int(element.gold.sum()) for element in elements] == [8, 8, 8]


@every_model
def test_elements_of_gold_and_of_others_are_apart(name: str, build_tiny: Build, torn: Example) -> None:
    model = build_tiny(name)
    for element in elements_of(model, batch_of(model, [torn])):
        assert element.gold.shape == element.others.shape == element.states.shape[:-1]
        assert element.others.any()
        assert not (element.gold & element.others).any()


@every_model
def test_elements_leave_out_what_only_fills_a_batch_up(
    name: str, build_tiny: Build, eight: list[Example]
) -> None:
    model = build_tiny(name)
    batch = batch_of(model, eight)
    elements = elements_of(model, replace(batch, weight=torch.zeros_like(batch.weight)))
    assert not any(bool((element.gold | element.others).any()) for element in elements)


# widths of the encoder and of the settings: H, H and 3H for BDTF and so on, specs of the paper's models
@pytest.mark.parametrize(
    ("name", "widths"),
    [
        ("bdtf", lambda h: (h, h, 3 * h)),
        ("com-mrc", lambda h: (h, h, h)),
        ("emcgcn", lambda h: (300, 300, 750)),
        ("minicongts", lambda h: (h, h, h)),
        ("simstar", lambda h: (500, 500, 500)),
        ("slgm", lambda h: (h, h, h)),
        ("stage", lambda h: (600, 600, 600)),
    ],
)
def test_elements_are_as_wide_as_the_paper_has_them(
    name: str, widths: Callable[[int], tuple[int, int, int]], build_tiny: Build, eight: list[Example]
) -> None:
    model = build_tiny(name)
    found = tuple(element.states.shape[-1] for element in elements_of(model, batch_of(model, eight)))
    assert found == widths(model.encoder.width)


def test_tell_lists_the_gold_terms_first(build_tiny: Build, torn: Example) -> None:
    told = sample_spans(batch_of(build_tiny("simstar"), [torn]))  # type: ignore[arg-type]
    # by hand: soup is word 1, lovely 3, waiter 6, forgot 7
    assert told.aspects[0, :2].tolist() == told.partners[0, 2:].tolist() == [[1, 1], [6, 6]]
    assert told.opinions[0, :2].tolist() == [[3, 3], [7, 7]]
    assert told.is_gold[0].tolist() == [True, True, False, False]


def test_tell_draws_spans_that_are_no_terms(build_tiny: Build, eight: list[Example]) -> None:
    batch = batch_of(build_tiny("simstar"), eight)
    told = sample_spans(batch)  # type: ignore[arg-type]
    gold, drawn = told.aspects.unbind(1)  # one of each for every sentence
    kept = told.no_aspect[:, 1]
    assert len({tuple(span) for span in drawn.tolist()}) > 3
    assert int(kept.sum()) > 4
    assert not (gold == drawn).all(1)[kept].any()
    assert bool((drawn[:, 1] <= batch.words.amax(1)).all())


@every_model
def test_elements_leave_the_random_numbers_of_a_training_alone(
    name: str, build_tiny: Build, eight: list[Example]
) -> None:
    model = build_tiny(name)
    batch = batch_of(model, eight)
    states = []
    for look in (elements_of, lambda model, batch: model.train()(batch)):
        torch.manual_seed(3)
        look(model, batch)
        states.append(torch.get_rng_state())
    assert torch.equal(*states)


@every_model
def test_mato_scores_are_those_of_the_model(name: str, build_tiny: Build, eight: list[Example]) -> None:
    model = build_tiny(name)
    batch = batch_of(model, eight)
    mato = Mato(model, PLAN, batch).eval()
    assert not model.training
    assert torch.equal(mato(batch), model(batch))
    assert torch.equal(mato.answer(batch), model.answer(batch))


@every_model
def test_mato_gradient_reaches_every_part(name: str, build_tiny: Build, torn: Example) -> None:
    model = build_tiny(name)
    batch = batch_of(model, [torn])
    mato = Mato(model, PLAN, batch).train()
    loss_of(mato, batch).backward()
    added = [*mato.discerners.parameters(), mato.uncertainty]
    assert len(added) == 3 * 2 + 1
    assert all(part.grad is not None and bool(part.grad.abs().max() > 0) for part in added)


@every_model
def test_mato_loss_is_both_losses_balanced(name: str, build_tiny: Build, eight: list[Example]) -> None:
    model = build_tiny(name)
    batch = batch_of(model, eight)
    mato = Mato(model, PLAN, batch)
    mato.restart(1, RATES)
    for part in mato.discerners.parameters():
        torch.nn.init.zeros_(part)
    # a discerner that knows nothing loses ln 2, which counts 0.5 + 0.25 + 0.125; all uncertainties are 1
    own = float(loss_of(model.train(), batch).detach())
    expected = own / 2 + 0.875 * log(2) / 2 + 2 * log(2)
    assert float(loss_of(mato.train(), batch).detach()) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("variant", "learnt"),
    [("published", "wb"), ("negatives", "wb"), ("bias", "b"), ("frozen", ""), ("weighting", "")],
)
def test_mato_variant_learns_what_it_should(
    variant: str, learnt: str, build_tiny: Build, eight: list[Example]
) -> None:
    model = build_tiny("stage")
    batch = batch_of(model, eight)
    mato = Mato(model, replace(PLAN, mato_variant=variant), batch).train()  # type: ignore[arg-type]
    loss_of(mato, batch).backward()
    trained = {
        name.rpartition(".")[2][0]
        for name, part in mato.discerners.named_parameters()
        if part.grad is not None
    }
    assert trained == set(learnt)
    assert mato.uncertainty.grad is not None


def test_mato_negatives_add_a_loss_of_their_own(build_tiny: Build, eight: list[Example]) -> None:
    model = build_tiny("simstar")
    batch = batch_of(model, eight)
    losses = []
    for variant in ("published", "negatives"):
        mato = Mato(model, replace(PLAN, mato_variant=variant), batch).train()  # type: ignore[arg-type]
        mato.restart(1, RATES)
        for part in mato.discerners.parameters():
            torch.nn.init.zeros_(part)
        losses.append(float(loss_of(mato, batch).detach()))
    # a discerner that knows nothing loses ln 2 for yes and ln 2 for no
    assert losses[1] - losses[0] == pytest.approx(0.875 * log(2) / 2, rel=1e-4)


def test_mato_refuses_a_model_without_elements(build_tiny: Build, eight: list[Example]) -> None:
    model = build_tiny("marked")
    with pytest.raises(ConfigError, match="mato = true: Marked does not say"):
        Mato(model, PLAN, batch_of(model, eight))


@pytest.mark.gpu
@every_model
def test_mato_step_is_captured(name: str, build_tiny: Build, eight: list[Example]) -> None:
    device = torch.device("cuda")
    model = build_tiny(name).to(device)
    plan = replace(PLAN, epochs=2, mato_aspect=0.3, mato_opinion=0.2, mato_sentiment=0.4)
    trainer = Trainer(model, EncodedDataset(model.encoding, eight, device), plan, device)
    fitted = trainer.fit([0, 1, 2, 3, 4], [5, 6, 7], seed=1)
    assert trainer.stepper._graphs
    assert len(fitted.history) == 2
