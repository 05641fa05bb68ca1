"""MATO in the loop: what it adds is trained, and what is kept is the model alone."""

from collections.abc import Callable
from dataclasses import replace
from math import log
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import torch

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encoders import load_encoder
from aspectlab.errors import ConfigError
from aspectlab.metamorphic import RELATIONS, Case
from aspectlab.models import Model, Plan, build_model
from aspectlab.progress import Progress
from aspectlab.training import fit, load_model, predict, save_model, trainer
from aspectlab.training.dataset import EncodedDataset
from aspectlab.training.extensions import mato, violation_rates
from aspectlab.training.extensions.mato import balance
from aspectlab.training.extensions.violation_rates import find_rates, measure_rates
from aspectlab.training.step import seed_everything
from tests.support.training import is_run_alone

PLAN = replace(
    Plan(),
    epochs=2,
    batch_size=4,
    learning_rate=1e-3,
    precision="fp32",
    mato=True,
    mato_aspect=0.3,
    mato_opinion=0.2,
    mato_sentiment=0.4,
)
OPINIONS = {"lovely": "positive", "awful": "negative"}


def make_examples() -> list[Example]:
    aspects = ["soup", "bread", "tea", "waiter", "terrace", "menu"]
    return [make_example(aspect, word) for aspect in aspects for word in OPINIONS]


def make_example(aspect: str, opinion: str) -> Example:
    text = f"The {aspect} was {opinion}."
    terms = [Term(word, Span(text.index(word), text.index(word) + len(word))) for word in (aspect, opinion)]
    return Example(text, text, (Quad(terms[0], None, terms[1], Polarity(OPINIONS[opinion])),))


def build() -> Model:
    seed_everything(3)
    return build_fresh()


def build_fresh() -> Model:
    return build_model("stage", load_encoder("tiny"))


def train(plan: Plan, resume: Path | None = None) -> trainer.Fitted:
    examples = make_examples()
    return fit(build(), examples[:8], examples[8:], plan=plan, seed=1, device="cpu", resume=resume)


# (e) of the specification's acceptance tests, and two more by hand: L / 2p^2 + ln(1 + p^2)
@pytest.mark.parametrize(
    ("losses", "uncertainty", "expected"),
    [
        ([1.0, 1.0], [1.0, 1.0], 0.5 + 0.5 + 2 * log(2)),
        ([3.0, 0.0], [2.0, 1.0], 3 / 8 + log(5) + log(2)),
        ([0.0, 8.0], [0.5, -2.0], log(1.25) + 1 + log(5)),
    ],
)
def test_balance_gives_the_values_of_its_formula(
    losses: list[float], uncertainty: list[float], expected: float
) -> None:
    assert float(balance(torch.tensor(losses), torch.tensor(uncertainty))) == pytest.approx(expected)


# for a constant loss the best p^2 is (L + sqrt(L^2 + 8L)) / 4, and the weight 1 / 2p^2: 0.5, 2.0 and 6.8
@pytest.mark.parametrize(("loss", "weight"), [(1.0, 0.5), (0.1, 2.0), (0.01, 6.8)])
def test_balance_keeps_a_vanishing_loss_alive(loss: float, weight: float) -> None:
    uncertainty = torch.tensor([(0.5 / weight) ** 0.5], requires_grad=True)
    balance(torch.tensor([loss]), uncertainty).backward()
    assert uncertainty.grad is not None
    # the weights are printed with two digits
    assert abs(float(uncertainty.grad)) < 0.02


def test_plan_without_mato_trains_the_model_itself() -> None:
    model = build()
    store = EncodedDataset(model.encoding, make_examples(), torch.device("cpu"))
    plain = trainer.Trainer(model, store, replace(PLAN, mato=False), torch.device("cpu"))
    assert plain.learner is model
    assert plain.extensions == []


def test_fit_with_mato_gives_other_weights_in_the_same_model() -> None:
    with_mato, without = (train(replace(PLAN, mato=flag)).model for flag in (True, False))
    assert list(with_mato.state_dict()) == list(without.state_dict())
    assert not torch.equal(with_mato.state_dict()["classify.weight"], without.state_dict()["classify.weight"])


def test_fit_with_mato_gives_the_same_weights_from_the_same_seed() -> None:
    first, second = (train(PLAN).model.state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_model_trained_with_mato_is_the_same_after_saving_and_loading(tmp_path: Path) -> None:
    model = train(PLAN).model
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model").state_dict()
    assert all(torch.equal(value, loaded[name]) for name, value in model.state_dict().items())


def test_interrupted_training_with_mato_goes_on_as_if_it_was_not(tmp_path: Path) -> None:
    plan = replace(PLAN, schedule="constant", warmup=0.0, epochs=3)
    whole = train(plan).model.state_dict()

    def interrupt(progress: Progress[object]) -> None:
        if progress.text.startswith("epoch 2/"):
            raise KeyboardInterrupt

    examples = make_examples()
    with pytest.raises(KeyboardInterrupt):
        fit(
            build(),
            examples[:8],
            examples[8:],
            plan=plan,
            seed=1,
            device="cpu",
            progress=interrupt,
            resume=tmp_path,
        )
    resumed = train(plan, tmp_path).model.state_dict()
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


def test_run_with_mato_among_many_is_the_run_alone() -> None:
    assert is_run_alone(build_fresh, make_examples(), 8, PLAN)


def test_rates_that_are_not_given_are_measured_on_dev_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def measure(model: Model, train: list[Example], dev: list[Example]) -> list[float]:
        asked.append((len(train), [example.id for example in dev], predict(model, dev[:1])[0].id))
        return [0.3, 0.2, 0.4]

    monkeypatch.setattr(mato, "measure_rates", measure)
    unknown = replace(PLAN, mato_aspect=None, mato_opinion=None, mato_sentiment=None)
    measured, given = (train(plan).model.state_dict() for plan in (unknown, PLAN))
    dev = [example.id for example in make_examples()[8:]]
    assert asked == [(8, dev, dev[0])]
    # the training without MATO leaves nothing behind but the rates
    assert all(torch.equal(measured[name], given[name]) for name in given)


@pytest.fixture
def lose(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Put a model in place that finds all triplets but those of some relations' follow-ups."""

    def put(relations: str, lost: str) -> None:
        source = make_example("soup", "lovely")
        followups = [replace(source, id=name, text=f"{source.text} {name}") for name in relations.split()]
        cases = [Case(each.id, source, source.quads[0], each) for each in followups]

        def answer(model: Model, examples: list[Example]) -> list[Example]:
            hidden = tuple(lost.split())
            return [replace(e, quads=() if e.text.endswith(hidden) else source.quads) for e in examples]

        monkeypatch.setattr(violation_rates, "generate", lambda dev, train: [(source, cases)])
        monkeypatch.setattr(violation_rates, "predict", answer)

    return put


def test_rates_are_those_of_the_relations_about_each_element(lose: Callable[[str, str], None]) -> None:
    lose(" ".join(RELATIONS), "MR1-1 MR2-4")
    # by hand: 4 relations are about aspects, 7 about opinions, 4 about sentiments
    assert measure_rates(build(), [], []) == pytest.approx([0, 2 / 7, 1 / 4])


def test_rates_of_a_model_that_violates_nothing_are_refused(lose: Callable[[str, str], None]) -> None:
    # MATO would be weighed with nothing
    lose(" ".join(RELATIONS), "")
    with pytest.raises(ConfigError, match=r"violates no relation on dev.*train longer"):
        measure_rates(build(), [], [])


def test_rates_need_a_relation_about_each_element(lose: Callable[[str, str], None]) -> None:
    lose("MR1-1 MR2-2", "")
    with pytest.raises(ConfigError, match="no relation about each of aspect, opinion, sentiment"):
        measure_rates(build(), [], [])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"mato_aspect": None}, "found 2 violation rates: expected all of mato_aspect"),
        ({"mato_opinion": 1.5}, "a violation rate of 1.5: expected a share from 0 to 1"),
    ],
)
def test_rates_that_make_no_sense_are_refused(changes: dict[str, float], expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        find_rates(replace(PLAN, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("variant", ["weighting", "bias", "frozen", "negatives"])
def test_variant_can_be_trained(variant: str) -> None:
    assert train(replace(PLAN, mato_variant=variant)).history  # type: ignore[arg-type]
