"""Many trainings with one set of tensors give what as many single trainings give."""

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

import torch

from aspectlab.data import Example, Polarity, Quad
from aspectlab.encoders import load_encoder
from aspectlab.experiments.execute import GroupTrainer
from aspectlab.models import MODELS, Model, build_model
from aspectlab.readers import read
from aspectlab.tasks import TASKS
from aspectlab.training import fit, predict
from aspectlab.training.step import seed_everything

PLAN = replace(MODELS["marked"].plan, epochs=2, batch_size=8, learning_rate=3e-3, precision="fp32")


def build() -> Model:
    return build_model("marked", load_encoder("tiny"))


def predict_all(model: Model, examples: list[Example]) -> list[Example]:
    return predict(model, [TASKS[model.task].project(example) for example in examples])


@pytest.mark.parametrize("place", [0, 1])
def test_run_among_many_is_the_run_alone(place: int) -> None:
    examples = read("examples/sample_train.jsonl").examples
    train, dev, test = (list(examples[part]) for part in (slice(40), slice(40, 60), slice(60, 70)))
    trainer = GroupTrainer(build, [*train, *dev], PLAN, torch.device("cpu"))
    among = []
    for seed in (1, 2):
        fitted = trainer.fit(range(40), range(40, 60), seed=seed)
        among.append(predict_all(fitted.model, test))
    seed_everything(place + 1)
    alone = fit(build(), train, dev, plan=PLAN, seed=place + 1, device="cpu").model
    assert [[q.confidence for q in e.quads] for e in among[place]] == [
        [q.confidence for q in e.quads] for e in predict_all(alone, test)
    ]


def test_labels_of_other_tasks_are_left_aside() -> None:
    """SemEval-2014 labels categories beside its terms; a model that finds terms has no use for them."""
    read_examples = list(read("examples/sample_train.jsonl").examples[:30])
    category = Quad(category="food", polarity=Polarity.POSITIVE)
    examples = [replace(example, quads=(*example.quads, category)) for example in read_examples]
    plan = replace(MODELS["grace"].plan, epochs=1, batch_size=8, precision="fp32")

    def build_finder() -> Model:
        return build_model("grace", load_encoder("tiny"))

    def train(part: list[Example]) -> tuple[dict[str, float], list[tuple[Quad, ...]]]:
        trainer = GroupTrainer(build_finder, part, plan, torch.device("cpu"))
        fitted = trainer.fit(range(20), range(20, 30), seed=1)
        return fitted.best.dev, [example.quads for example in predict_all(fitted.model, part)]

    assert train(examples) == train(read_examples)
