"""Training on follow-ups: which of them are kept, which an epoch draws, and that they are learnt from."""

from collections import Counter
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import torch

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encoders import load_encoder
from aspectlab.errors import ConfigError
from aspectlab.metamorphic import Case
from aspectlab.metamorphic.cases import Group
from aspectlab.models import Model, Plan, build_model
from aspectlab.training import fit
from aspectlab.training.dataset import EncodedDataset
from aspectlab.training.extensions import contrast
from aspectlab.training.extensions.contrast import FollowupPool, choose_followups, make_followups
from aspectlab.training.recipe import load_extensions
from aspectlab.training.trainer import Trainer
from tests.support.training import is_run_alone, make_model

MATO = {"mato": True, "mato_variant": "contrast"}
PLAN = replace(Plan(), epochs=2, batch_size=4, learning_rate=1e-3, precision="fp32", **MATO)
ASPECTS = ["soup", "bread", "tea", "waiter", "terrace", "menu"]
SYNONYMS = ["fine", "good", "nice", "sweet", "grand"]


def make_example(aspect: str, opinion: str, polarity: str = "positive") -> Example:
    text = f"The {aspect} was {opinion}."
    terms = [Term(word, Span(text.index(word), text.index(word) + len(word))) for word in (aspect, opinion)]
    return Example(aspect, text, (Quad(terms[0], None, terms[1], Polarity(polarity)),))


def make_group(aspect: str) -> Group:
    """A source with five synonyms and an antonym of its opinion."""
    source = make_example(aspect, "lovely")
    start, end = source.text.index("lovely"), source.text.index(".")
    changes = [("MR2-2", word, "positive", "synonym") for word in SYNONYMS]
    changes += [("MR2-4", "awful", "negative", "antonym")]
    cases = []
    for number, (relation, word, polarity, origin) in enumerate(changes):
        made = make_example(aspect, word, polarity)
        followup = replace(
            made,
            id=f"{aspect}.{number}",
            source=aspect,
            variant=f"{relation} of 0: {start}:{end} lovely > {word} ({origin})",
        )
        cases.append(Case(relation, source, source.quads[0], followup))
    return source, cases


GROUPS = [make_group(aspect) for aspect in ASPECTS]
EXAMPLES = [source for source, _ in GROUPS]


def build() -> Model:
    return build_model("stage", load_encoder("tiny"))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the groups above in the place of what WordNet would give."""
    groups = {source.id: (source, cases) for source, cases in GROUPS}
    monkeypatch.setattr(contrast, "generate", lambda corpus: [groups[example.id] for example in corpus])


@pytest.fixture
def chosen() -> list[Example]:
    return list(choose_followups(GROUPS, make_model("stage")))


def test_three_followups_of_each_relation_are_kept_of_a_text(chosen: list[Example]) -> None:
    counts = Counter((example.source, (example.variant or "")[:5]) for example in chosen)
    assert counts == {(aspect, name): n for aspect in ASPECTS for name, n in (("MR2-2", 3), ("MR2-4", 1))}


def test_followups_of_texts_with_one_id_are_not_kept() -> None:
    assert list(choose_followups([GROUPS[0], GROUPS[0]], make_model("stage"))) == []


def test_epoch_draws_one_followup_of_each_text(chosen: list[Example]) -> None:
    pool = FollowupPool([*EXAMPLES, *chosen], range(len(EXAMPLES)), PLAN)
    drawn = [[*EXAMPLES, *chosen][place].source for place in pool.draw(seed=1, number=0)]
    assert drawn == ASPECTS


@pytest.mark.parametrize(("wanted", "expected"), [(0.5, 0.5), (1.0, 1.0), (1.5, 1.5), (2.0, 2.0)])
def test_epoch_draws_as_many_followups_as_the_plan_says(
    wanted: float, expected: float, chosen: list[Example]
) -> None:
    pool = FollowupPool([*EXAMPLES, *chosen], range(len(EXAMPLES)), replace(PLAN, mato_followups=wanted))
    drawn = sum(len(pool.draw(1, number)) for number in range(50))
    # of 300 texts; three standard deviations of a half are 0.09
    assert drawn / 300 == pytest.approx(expected, abs=0.09)


def test_epoch_draws_each_relation_as_often(chosen: list[Example]) -> None:
    examples = [*EXAMPLES, *chosen]
    pool = FollowupPool(examples, range(len(EXAMPLES)), PLAN)
    drawn = [examples[place] for number in range(50) for place in pool.draw(1, number)]
    share = sum((example.variant or "").startswith("MR2-4") for example in drawn) / len(drawn)
    # a half is expected of 300 draws: three standard deviations are 0.09
    assert share == pytest.approx(0.5, abs=0.09)


def test_draw_hangs_on_seed_and_epoch_alone(chosen: list[Example]) -> None:
    pools = [FollowupPool([*EXAMPLES, *chosen], range(len(EXAMPLES)), PLAN) for _ in range(2)]
    assert pools[0].draw(1, 2) == pools[1].draw(1, 2)
    assert pools[0].draw(1, 2) != pools[0].draw(1, 3)


def test_followups_of_dev_are_not_drawn(chosen: list[Example]) -> None:
    examples = [*EXAMPLES, *chosen]
    drawn = FollowupPool(examples, [0, 1], replace(PLAN, mato_followups=9)).draw(1, 0)
    # two texts with two relations each
    assert [examples[place].source for place in drawn] == ["soup", "soup", "bread", "bread"]


def test_phrase_that_was_made_of_dev_is_not_drawn(chosen: list[Example]) -> None:
    said = "MR1-3 of 0: 9:9  > menu is awful. (phrase of menu)"
    phrased = replace(chosen[0], variant=said)
    assert FollowupPool([*EXAMPLES, phrased, chosen[4]], [0, 1], PLAN).draw(1, 0) == [len(EXAMPLES) + 1]


def test_plan_without_followups_draws_none() -> None:
    assert load_extensions(replace(PLAN, mato=False)) == []


@pytest.mark.usefixtures("made")
def test_model_without_triplets_is_refused() -> None:
    with pytest.raises(ConfigError, match="found a model for atsc: expected one that finds triplets"):
        make_followups(EXAMPLES, make_model("marked"))


def test_training_without_any_followup_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contrast, "generate", lambda corpus: [])
    with pytest.raises(ConfigError, match="found no follow-ups of the training texts"):
        fit(make_model("stage"), EXAMPLES[:4], EXAMPLES[4:], plan=PLAN, device="cpu")


@pytest.mark.usefixtures("made")
def test_run_on_followups_among_many_is_the_run_alone() -> None:
    assert is_run_alone(build, EXAMPLES, 4, PLAN)


def test_followups_in_a_store_change_nothing_unless_the_plan_wants_them(chosen: list[Example]) -> None:
    trained = []
    for more in ([], chosen):
        model = make_model("stage")
        store = EncodedDataset(model.encoding, [*EXAMPLES, *more], torch.device("cpu"))
        Trainer(model, store, replace(PLAN, mato=False), store.device).fit([0, 1, 2, 3], [4, 5], seed=1)
        trained.append(model.state_dict())
    assert all(torch.equal(trained[0][name], trained[1][name]) for name in trained[0])


@pytest.mark.slow
@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("name", ["emcgcn", "bdtf", "minicongts", "stage", "simstar", "com-mrc", "slgm"])
def test_model_of_the_paper_learns_from_followups(name: str) -> None:
    assert fit(make_model(name), EXAMPLES[:4], EXAMPLES[4:], plan=PLAN, device="cpu").history
