"""What `aspectlab metamorphic test` tests, and on what: models or predictions, made or unmade follow-ups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import TIMEOUT_MAX
from typing import TYPE_CHECKING

from aspectlab.cli.console import notice
from aspectlab.cli.llm import PREFIX, Asking
from aspectlab.cli.metamorphicmutants import LIMIT, SEED
from aspectlab.cli.settings import require_training
from aspectlab.errors import ConfigError
from aspectlab.metamorphic import TESTED, generate, group_cases, is_followup, measure_violations, read_answers
from aspectlab.metamorphic.repeats import ask_once
from aspectlab.registry import suggest
from aspectlab.tasks import TASKS, Task

if TYPE_CHECKING:
    from aspectlab.data import Corpus
    from aspectlab.metamorphic import Findings, Predict, Verdict
    from aspectlab.metamorphic.cases import Group
    from aspectlab.models import Model


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is asked, and what for."""

    predict: Predict
    task: Task
    model: Model | None = None  # where torch runs it
    limits_itself: bool = False  # it has a time limit of its own for every text

    def measure(
        self, groups: Iterable[Group], timeout_s: float, watch: Callable[[Verdict], None] | None
    ) -> Findings:
        """Test it by the relations."""
        limit_s = TIMEOUT_MAX if self.limits_itself else timeout_s
        return measure_violations(groups, self.predict, self.task, timeout_s=limit_s, watch=watch)


def make_groups(
    corpus: Corpus, train: Corpus | None, *, seed: int, limit: int
) -> tuple[Iterator[Group], str]:
    """Give the cases of a corpus, read or made, and what decided them."""
    if any(map(is_followup, corpus)):
        if train is not None:
            raise ConfigError(
                f"--train: {corpus.name!r} has follow-ups already, so that no phrases are made of "
                f"{train.name!r}: leave the option out, or give the file without follow-ups"
            )
        if (seed, limit) != (SEED, LIMIT):
            notice(f"--seed and --limit do nothing: {corpus.name!r} has follow-ups already")
        return group_cases(corpus), "read"
    making = f"seed{seed}-limit{limit}" + (f"-{train.sha256[:8]}" if train else "")
    return generate(corpus, train, seed=seed, limit=limit), making


def open_tested(name: str, corpus: Corpus, asking: Asking, device: str) -> Candidate:
    """Open what a name stands for: a folder, a chat model, or a file of predictions for this corpus."""
    path, task = Path(name), asking.task
    if asking.endpoint is not None and not name.startswith(PREFIX):
        raise ConfigError(f"--endpoint: {name!r} is no chat model: this option is for {PREFIX}MODEL only")
    if path.is_dir():
        return open_folder(path, device)
    if task not in TESTED:
        raise ConfigError(f"--task {task!r} cannot be tested: {suggest(task, TESTED)}")
    if name.startswith(PREFIX):
        from aspectlab.cli.metamorphicllm import ask_llm

        asked = ask_once(ask_llm(name.removeprefix(PREFIX), corpus, asking))
        return Candidate(asked, _judged(task), limits_itself=True)
    if not path.exists():
        raise ConfigError(
            f"{path}: found nothing there: expected a folder that `aspectlab train` or `aspectlab export` "
            f"wrote, a file of predictions, or {PREFIX}MODEL; check the path"
        )
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
    from aspectlab.training.asking import asking

    model = open_model(folder, device)
    if model.task not in TESTED:
        raise ConfigError(f"{folder}: found a model for {model.task}: expected one for {', '.join(TESTED)}")

    return Candidate(asking(model), _judged(model.task), model)


def _judged(task: str) -> Task:
    """Give the task that a model is judged by: of quads, their triplets."""
    return TASKS["aste" if task == "asqp" else task]
