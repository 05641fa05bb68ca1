"""Many runs with one set of tensors give what as many single runs give."""

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")


from aspectlab.encoders import load_encoder
from aspectlab.models import MODELS, Model, build_model
from aspectlab.readers import read
from aspectlab.training import fit, predict
from aspectlab.training.device import seed_everything
from aspectlab.training.many import Run, fit_many

PLAN = replace(MODELS["marked"].plan, epochs=2, batch_size=8, learning_rate=3e-3, precision="fp32")


def build() -> Model:
    return build_model("marked", load_encoder("tiny"))


@pytest.mark.parametrize("place", [0, 1])
def test_run_among_many_is_the_run_alone(place: int) -> None:
    corpus = read("examples/sample_train.jsonl")
    train, dev, test = (corpus.examples[part] for part in (slice(40), slice(40, 60), slice(60, 70)))
    runs = [Run(list(range(40)), list(range(40, 60)), seed) for seed in (1, 2)]
    outcomes = fit_many(build, [*train, *dev], runs, plan=PLAN, device="cpu", tests={"test": test})
    among = [outcome.predictions["test"] for outcome in outcomes][place]
    seed_everything(runs[place].seed)
    alone = fit(build(), train, dev, plan=PLAN, seed=runs[place].seed, device="cpu").model
    expected = predict(alone, test)
    assert [[q.confidence for q in e.quads] for e in among] == [
        [q.confidence for q in e.quads] for e in expected
    ]
