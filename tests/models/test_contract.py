"""What every model of the table must do, whoever wrote it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

import torch
from torch import Tensor

from aspectlab.data import Example, Quad, Span, Term
from aspectlab.encodings import Batch
from aspectlab.metrics import METRICS, default_metric
from aspectlab.models import MODELS, Model
from aspectlab.progress import Progress, ProgressCallback
from aspectlab.tasks import TASKS
from aspectlab.training import fit, load_model, predict, save_model
from aspectlab.training.checkpoint import Epoch
from aspectlab.training.dataset import EncodedDataset, select, to_tensors

every_model = pytest.mark.parametrize("name", MODELS)
every_aspect_model = pytest.mark.parametrize("name", [n for n in MODELS if MODELS[n].task == "atsc"])
every_extractor = pytest.mark.parametrize("name", [n for n in MODELS if not TASKS[MODELS[n].task].given])

Build = Callable[[str], Model]
CPU = torch.device("cpu")


def batch_of(model: Model, examples: list[Example], length: int | None = None) -> Batch[Tensor]:
    return to_tensors(model.encoding.collate(model.encoding.encode(examples), length), CPU)


def again(examples: list[Example]) -> list[Example]:
    """The same sentences in capitals: other texts, but the same to encoders that fold case."""
    return [
        Example(
            f"{example.id}-again",
            example.text.upper(),
            tuple(
                replace(quad, aspect=upper(quad.aspect), opinion=upper(quad.opinion))
                for quad in example.quads
            ),
        )
        for example in examples
    ]


def upper(term: Term | None) -> Term | None:
    return term and Term(term.text.upper(), term.span)


def fit_eight(
    model: Model,
    examples: list[Example],
    *,
    epochs: int,
    progress: ProgressCallback[Epoch | None] | None = None,
) -> dict[str, float]:
    plan = replace(
        model.plan,
        epochs=epochs,
        batch_size=8,
        learning_rate=5e-3,
        encoder_learning_rate=None,
        schedule="constant",
        warmup=0.0,
        average=0.0,
        patience=epochs,
        precision="fp32",
    )
    dev = again(examples)
    return fit(model, examples, dev, plan=plan, seed=5, device="cpu", progress=progress).best.dev


class LearntByHeartError(Exception):
    """All is right after some epoch: those that would follow cannot change that."""


@every_model
def test_model_builds_from_defaults(name: str, build_tiny: Build, eight: list[Example]) -> None:
    model = build_tiny(name)
    assert model.task in TASKS
    batch = batch_of(model, eight)
    scores = model(batch)
    assert len(scores) == len(batch.weight) >= 8  # a model may ask several questions about a text
    assert scores.isfinite().all()


@every_model
def test_model_prediction_ignores_batch_mates_and_padding(
    name: str, build_tiny: Build, eight: list[Example]
) -> None:
    model = build_tiny(name).eval()
    with torch.no_grad():
        together = model(batch_of(model, eight, length=96))
        alone = [scores for example in eight for scores in model(batch_of(model, [example]))]
    for one, among in zip(alone, together, strict=True):
        # what lies beyond the shorter padding is padding
        within = among[tuple(slice(size) for size in one.shape)]
        torch.testing.assert_close(one, within, rtol=1e-5, atol=1e-5)


@every_model
def test_model_gradient_reaches_every_parameter(
    name: str, build_tiny: Build, eight: list[Example], torn: Example
) -> None:
    model = build_tiny(name).train()
    batch = batch_of(model, [*eight, torn])
    model.loss(model(batch), batch).backward()
    trained = {key: p.grad for key, p in model.named_parameters() if p.requires_grad}
    without = {key for key, grad in trained.items() if grad is None or not grad.abs().max() > 0}
    # the pooler is read by models that classify from it, and by no other
    assert not {key for key in without if not key.startswith("encoder.model.pooler.")}
    assert all(bool(grad.isfinite().all()) for grad in trained.values() if grad is not None)


@every_model
def test_model_overfits_eight_examples(name: str, build_tiny: Build, eight: list[Example]) -> None:
    headline = METRICS[default_metric(MODELS[name].task)].headline

    def stop(progress: Progress[Epoch | None]) -> None:
        epoch = progress.detail
        if epoch is not None and epoch.dev[headline] == 1.0:
            raise LearntByHeartError

    with pytest.raises(LearntByHeartError):
        fit_eight(build_tiny(name), eight, epochs=120, progress=stop)


@every_model
def test_model_is_the_same_after_saving_and_loading(
    name: str,
    build_tiny: Build,
    settings_of: Callable[[str], dict[str, object]],
    eight: list[Example],
    tmp_path: Path,
) -> None:
    model = build_tiny(name).eval()
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert all(torch.equal(value, loaded.state_dict()[key]) for key, value in model.state_dict().items())
    found, expected = (predict(which, eight) for which in (loaded, model))
    assert found == expected
    assert [[q.confidence for q in e.quads] for e in found] == [
        [q.confidence for q in e.quads] for e in expected
    ]


@every_model
def test_model_gets_the_same_weights_from_the_same_seed(
    name: str, build_tiny: Build, eight: list[Example]
) -> None:
    first, second = (build_tiny(name) for _ in range(2))
    assert [fit_eight(model, eight, epochs=2) for model in (first, second)]
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))


@every_aspect_model
def test_model_keeps_order_and_number_of_examples(name: str, build_tiny: Build, eight: list[Example]) -> None:
    bare = Example("bare", "Nothing is asked about here.")
    given = [eight[3], bare, eight[0], eight[7]]
    answers = predict(build_tiny(name), given)
    assert [example.id for example in answers] == ["3", "bare", "0", "7"]
    assert [len(example.quads) for example in answers] == [1, 0, 1, 1]
    assert [example.text for example in answers] == [example.text for example in given]


@every_model
def test_model_takes_an_empty_list(name: str, build_tiny: Build) -> None:
    assert predict(build_tiny(name), []) == []


@every_aspect_model
def test_model_takes_texts_without_aspects(name: str, build_tiny: Build) -> None:
    given = [Example("1", "Nothing to see."), Example("2", ""), Example("3", "…")]
    assert predict(build_tiny(name), given) == given


@every_aspect_model
def test_model_reads_a_window_around_the_aspect_of_a_long_text(name: str, build_tiny: Build) -> None:
    before, after = "so it goes " * 500, " and on we go" * 125
    start = len(before)
    soup = Quad(aspect=Term("soup", Span(start, start + 4)))
    model = build_tiny(name)
    given = [Example("1", f"{before}soup{after}", (soup,))]
    item = model.encoding.encode(given)[0]
    assert len(item) <= model.encoder.vocabulary.max_length
    assert any(item.in_aspect)
    confidence = predict(model, given)[0].quads[0].confidence
    assert confidence is not None
    assert np.isfinite(list(confidence.values())).all()


HOSTILE = [
    "",
    " ",
    "…",
    "😀😀",
    "מרק טעים מאוד",
    "soup",
    "soup soup soup",
    "so it goes " * 150,  # four windows of the tiny encoder
    "a\x00b",
    "\u200b",
]


@every_extractor
def test_extractor_gives_valid_spans_for_any_text(name: str, build_tiny: Build) -> None:
    model = build_tiny(name)
    given = [Example(str(number), text) for number, text in enumerate(HOSTILE)]
    answers = predict(model, given)
    assert [(answer.id, answer.text) for answer in answers] == [
        (example.id, example.text) for example in given
    ]
    assert all(term.span is not None for answer in answers for quad in answer.quads for term in quad.terms)


@every_extractor
def test_extractor_prediction_does_not_hang_on_gold(
    name: str, build_tiny: Build, eight: list[Example]
) -> None:
    model = build_tiny(name)
    bare = [replace(example, quads=()) for example in eight]
    assert predict(model, eight) == predict(model, bare)


@every_model
def test_model_loss_ignores_the_rows_that_fill_a_batch_up(
    name: str, build_tiny: Build, eight: list[Example], torn: Example
) -> None:
    model = build_tiny(name).eval()
    store = EncodedDataset(model.encoding, [torn, *eight], CPU)
    rows = store.rows_of([4, 6])  # shorter than the first, which would not fit into their batch
    length = int(store.lengths[rows].max())
    filled = np.append(rows, [store.filler] * 3)
    losses = []
    for chosen in (rows, filled):
        batch = select(store.batch, torch.from_numpy(chosen), length)
        with torch.no_grad():
            losses.append(model.loss(model(batch), batch))
    torch.testing.assert_close(losses[1], losses[0], rtol=1e-5, atol=1e-6)
