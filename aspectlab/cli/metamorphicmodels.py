"""What `aspectlab metamorphic test` tests, and on what: models or predictions, made or unmade follow-ups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from aspectlab.cli.settings import require_training
from aspectlab.errors import ConfigError
from aspectlab.metamorphic import TESTED, generate, group_cases, is_followup, mask_by, read_answers
from aspectlab.metamorphic.repeats import ask_once
from aspectlab.registry import suggest
from aspectlab.tasks import TASKS, Task

if TYPE_CHECKING:
    from aspectlab.data import Corpus, Example, Quad
    from aspectlab.encodings import Vocabulary
    from aspectlab.metamorphic import Predict
    from aspectlab.metamorphic.cases import Group
    from aspectlab.models import Model


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is asked, and what for."""

    predict: Predict
    task: Task
    model: Model | None = None  # where torch runs it


def make_groups(
    corpus: Corpus, train: Corpus | None, *, seed: int, limit: int
) -> tuple[Iterator[Group], str]:
    """Give the cases of a corpus, read or made, and what decided them."""
    if any(map(is_followup, corpus)):
        return group_cases(corpus), "read"
    making = f"seed{seed}-limit{limit}" + (f"-{train.sha256[:8]}" if train else "")
    return generate(corpus, train, seed=seed, limit=limit), making


def open_tested(path: Path, corpus: Corpus, task: str, device: str) -> Candidate:
    """Open what a path names; predictions need a corpus whose follow-ups are made, or none would fit."""
    if path.is_dir():
        return open_folder(path, device)
    if task not in TESTED:
        raise ConfigError(f"--task {task!r} cannot be tested: {suggest(task, TESTED)}")
    if not any(map(is_followup, corpus)):
        raise ConfigError(
            f"{path}: predictions need a file with follow-ups, and {corpus.name!r} has none: make it with: "
            "aspectlab metamorphic generate; then predict it"
        )
    return Candidate(read_answers(path, corpus), _judged(task))


def open_folder(folder: Path, device: str) -> Candidate:
    """Load an exported model without torch, or a trained one with it."""
    from aspectlab.runtime.exportfolder import is_exported

    if is_exported(folder):
        from aspectlab.runtime import load_predictor

        # torch runs it too, where OpenVINO is absent
        predictor = load_predictor(folder, engine="auto" if find_spec("openvino") else "torch")
        ask_texts = ask_once(lambda examples: predictor.predict([example.text for example in examples]))
        return Candidate(ask_texts, TASKS["aste"])
    return _open_trained(folder, device)


def _open_trained(folder: Path, device: str) -> Candidate:
    require_training("metamorphic test")
    from aspectlab.cli.predict import open_model
    from aspectlab.training import predict

    model = open_model(folder, device)
    if model.task not in TESTED:
        raise ConfigError(f"{folder}: found a model for {model.task}: expected one for {', '.join(TESTED)}")

    def ask(examples: Sequence[Example]) -> list[tuple[Quad, ...]]:
        return [example.quads for example in predict(model, examples)]

    masked = mask_by(ask_once(ask), unknown_word(model.encoder.vocabulary))
    return Candidate(masked, _judged(model.task), model)


def _judged(task: str) -> Task:
    """Give the task that a model is judged by: of quads, their triplets."""
    return TASKS["aste" if task == "asqp" else task]


def unknown_word(vocabulary: Vocabulary) -> str:
    """Give the unknown word of a vocabulary: `<unk>` where it is special there and `[UNK]` is not."""
    from aspectlab.encodings import Subwords

    if not isinstance(vocabulary, Subwords):
        return "[UNK]"
    special = {token.content for token in vocabulary.tokenizer.get_added_tokens_decoder().values()}
    return "<unk>" if "<unk>" in special and "[UNK]" not in special else "[UNK]"
