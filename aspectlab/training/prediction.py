"""Predict: examples in, the same examples with predicted quads out, in the same order."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import torch

from aspectlab.data import Corpus, Example, Quad
from aspectlab.encodings import Item, MultiTurnEncoding, Scores, Turn, join_windows
from aspectlab.errors import TaskError
from aspectlab.models import Model
from aspectlab.tasks import TASKS
from aspectlab.training.dataset import EncodedDataset, Rows, budget_batches, select
from aspectlab.training.step import computing

_BUDGET = {"cuda": 65_536, "cpu": 4_096}
"""Tokens per batch: a GPU wants to be filled, a CPU to stay within its caches."""

_CELLS = {"cuda": 262_144, "cpu": 65_536}
"""Pairs of positions per batch, for models that hold a vector for each."""

_BLOCK = 4_096
"""Examples that are encoded and held at a time."""


def predict(model: Model, examples: Sequence[Example], *, precision: str = "fp32") -> list[Example]:
    """Predict the quads of every example; texts and ids stay, and so do order and number.

    For texts there is `model.predict`.
    """
    if foreign := [each for each in examples if not isinstance(each, Example)]:
        raise _refuse(foreign[0], "examples; model.predict takes texts")
    return list(stream_predictions(model, examples, precision=precision))


def predict_any(
    model: Model, texts: str | Iterable[str | Example] | Corpus, *, precision: str = "fp32"
) -> tuple[Quad, ...] | list[tuple[Quad, ...]] | list[Example] | Corpus:
    """Predict a text, texts, examples or a corpus; what comes back is of the same kind."""
    task = TASKS[model.task].for_predictions
    if isinstance(texts, Corpus):
        found = (task.project(example) for example in predict(model, texts.examples, precision=precision))
        return replace(texts.with_examples(found), annotates=task.parts)
    if not isinstance(texts, Iterable):
        raise _refuse(texts, "a text, texts, examples or a corpus")
    given: list[object] = [texts] if isinstance(texts, str) else list(texts)
    if foreign := [each for each in given if not isinstance(each, str | Example)]:
        raise _refuse(foreign[0], "a text or an example; give strings, examples, or a corpus")
    examples = [e if isinstance(e, Example) else Example(str(n), str(e)) for n, e in enumerate(given)]
    bare = any(isinstance(each, str) for each in given)
    if bare and task.given:
        parts = " and ".join(sorted(task.given))
        raise TaskError(
            f"model {model.name}: found texts without {parts}: it judges those that it is given; pass "
            "examples that name them, or take a model that finds them (`aspectlab models`)"
        )
    answers = [task.project(example) for example in predict(model, examples, precision=precision)]
    if not bare:
        return answers
    return answers[0].quads if isinstance(texts, str) else [answer.quads for answer in answers]


def _refuse(found: object, expected: str) -> TypeError:
    return TypeError(f"predict: found {found!r:.60}: expected {expected}")


def stream_predictions(
    model: Model, examples: Sequence[Example], *, precision: str = "fp32"
) -> Iterator[Example]:
    """Predict block by block, so that memory does not grow with the corpus."""
    device = next(model.parameters()).device
    for start in range(0, len(examples), _BLOCK):
        block = [_without_labels(example) for example in examples[start : start + _BLOCK]]
        # a dialogue asks its own first questions: nothing need be encoded for it
        items: list[Item] | None = [] if isinstance(model.encoding, MultiTurnEncoding) else None
        store = EncodedDataset(model.encoding, block, device, items)
        quads = predict_store(model, store, range(len(block)), precision=precision)
        yield from (replace(example, quads=found) for example, found in zip(block, quads, strict=True))


def _without_labels(example: Example) -> Example:
    """Take the polarities away: a prediction must not hang on them, nor on labels that training refuses."""
    if not example.quads:
        return example
    return replace(example, quads=tuple(quad.with_polarity(None) for quad in example.quads))


@torch.inference_mode()
def score_rows(
    model: Model, store: EncodedDataset, rows: Rows, *, precision: str
) -> Iterator[tuple[Rows, Scores]]:
    """Return the scores of some items of a dataset, batch by batch: which rows, and one entry for each."""
    device = next(model.parameters()).device
    kind = device.type if device.type in _BUDGET else "cpu"
    was_training = model.training
    model.eval()
    cells = _CELLS[kind] if store.is_square else None
    with computing(device, precision):
        for indices, length in budget_batches(store.lengths[rows], _BUDGET[kind], cells):
            batch = select(store.batch, torch.from_numpy(rows[indices]).to(device), length)
            yield rows[indices], model.answer(batch).float().cpu().numpy()
    model.train(was_training)


def predict_store(
    model: Model, store: EncodedDataset, indices: Sequence[int], *, precision: str
) -> list[tuple[Quad, ...]]:
    """Return the predicted quads of some examples of a dataset, those of all their items put together."""
    encoding = model.encoding
    if isinstance(encoding, MultiTurnEncoding):
        chosen = [store.examples[index] for index in indices]
        first = EncodedDataset(encoding, chosen, store.device, encoding.open(chosen))
        return converse(model, encoding, first, precision)
    found: dict[int, tuple[Quad, ...]] = {}
    for rows, scores in score_rows(model, store, store.rows_of(indices), precision=precision):
        answers = encoding.decode(scores, [store.items[row] for row in rows], store.examples)
        found.update(zip(rows.tolist(), answers, strict=True))
    windows: dict[int, list[tuple[Quad, ...]]] = {index: [] for index in indices}
    for row in sorted(found):
        windows[store.items[row].example].append(found[row])
    # windows of a long text overlap: what stands in two of them is found twice, what is given is not
    join = _chain if model.task == "atsc" else join_windows
    return [join(answers) for answers in windows.values()]


def _chain(answers: Sequence[tuple[Quad, ...]]) -> tuple[Quad, ...]:
    return tuple(chain.from_iterable(answers))


def converse(
    model: Model, encoding: MultiTurnEncoding, store: EncodedDataset, precision: str
) -> list[tuple[Quad, ...]]:
    """Ask the first questions, which the store holds, and then round after round what is left to ask."""
    rounds: list[list[Turn]] = []
    examples = store.examples
    while store.items:
        scores: dict[int, Scores] = {}
        for rows, values in score_rows(model, store, np.arange(len(store.items)), precision=precision):
            scores.update(zip(rows.tolist(), values, strict=True))
        rounds.append([Turn(item, scores[row]) for row, item in enumerate(store.items)])
        store = EncodedDataset(model.encoding, examples, store.device, encoding.follow(rounds, examples))
    return encoding.conclude(rounds, examples)
