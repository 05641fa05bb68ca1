"""Many runs with one set of tensors give what as many single runs give."""

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")


from aspectlab.data import Polarity, Quad
from aspectlab.encoders import load_encoder
from aspectlab.experiments.execute import FitJob, fit_many
from aspectlab.models import MODELS, Model, build_model
from aspectlab.readers import read
from aspectlab.tasks import TASKS
from aspectlab.training import fit, predict
from aspectlab.training.device import seed_everything

PLAN = replace(MODELS["marked"].plan, epochs=2, batch_size=8, learning_rate=3e-3, precision="fp32")


def build() -> Model:
    return build_model("marked", load_encoder("tiny"))


@pytest.mark.parametrize("place", [0, 1])
def test_run_among_many_is_the_run_alone(place: int) -> None:
    examples = read("examples/sample_train.jsonl").examples
    train, dev, test = (examples[part] for part in (slice(40), slice(40, 60), slice(60, 70)))
    runs = [FitJob(list(range(40)), list(range(40, 60)), seed) for seed in (1, 2)]
    outcomes = fit_many(build, [*train, *dev], runs, plan=PLAN, device="cpu", tests={"test": test})
    among = [outcome.predictions["test"] for outcome in outcomes][place]
    seed_everything(runs[place].seed)
    alone = fit(build(), train, dev, plan=PLAN, seed=runs[place].seed, device="cpu").model
    expected = predict(alone, [TASKS[alone.task].project(example) for example in test])
    assert [[q.confidence for q in e.quads] for e in among] == [
        [q.confidence for q in e.quads] for e in expected
    ]


def test_labels_of_other_tasks_are_left_aside() -> None:
    """SemEval-2014 labels categories beside its terms; a model that finds terms has no use for them."""
    read_examples = read("examples/sample_train.jsonl").examples[:30]
    category = Quad(category="food", polarity=Polarity.POSITIVE)
    examples = [replace(example, quads=(*example.quads, category)) for example in read_examples]
    plan = replace(MODELS["grace"].plan, epochs=1, batch_size=8, precision="fp32")

    def build_finder() -> Model:
        return build_model("grace", load_encoder("tiny"))

    run = FitJob(list(range(20)), list(range(20, 30)), 1)
    (with_them,), (without,) = (
        [
            (outcome.fitted.best.dev, outcome.predictions["test"])
            for outcome in fit_many(build_finder, part, [run], plan=plan, device="cpu", tests={"test": part})
        ]
        for part in (examples, read_examples)
    )
    assert with_them == without
