"""Save and load: checkpoints of an unfinished training, and finished models; no pickle."""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from itertools import chain
from os import PathLike, listdir
from pathlib import Path
from shutil import copyfile

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from aspectlab.encoders import AllocationBudget, is_offline, restore_encoder, stay_offline
from aspectlab.errors import AspectlabError, ConfigError, DataError
from aspectlab.models import Model, Plan, build_model
from aspectlab.outputs import atomic_directory, atomic_write, remove_drafts
from aspectlab.training.dataset import EncodedDataset, Rows
from aspectlab.training.modelcard import check_repository, explained_hub, is_record, write_card
from aspectlab.training.step import Optimizer
from aspectlab.untrusted import check_model_folder, parse_json, read_file, read_json
from aspectlab.version import VERSION


@dataclass(frozen=True, slots=True)
class Epoch:
    """Its number from 0, the mean loss of its steps, the dev scores after it, and how long it took."""

    number: int
    loss: float
    dev: dict[str, float]
    seconds: float


_FILE = "state.safetensors"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is needed besides the current weights: whose it is, the epochs so far, the best one's weights."""

    identity: str
    history: list[Epoch]
    best: list[Tensor]
    average: list[Tensor]


def live_tensors(model: Model) -> Iterator[Tensor]:
    """Return what training may change: buffers, and parameters that are not frozen."""
    learnt = (parameter.data for parameter in model.parameters() if parameter.requires_grad)
    return chain(learnt, (buffer.data for buffer in model.buffers()))


def run_identity(
    model: Model, store: EncodedDataset, plan: Plan, rows: Rows, dev: Sequence[int], seed: int
) -> str:
    """Hash all that decides a training, so that none is continued as another one."""
    digest = hashlib.sha256(json.dumps([repr(model), asdict(plan), seed, list(dev)]).encode())
    digest.update(json.dumps(_list_settings(model)).encode())
    # two encoders of one shape differ in nothing else; at this point nothing is trained yet
    for parameter in model.parameters():
        digest.update(parameter.detach().float().cpu().numpy().tobytes())
    digest.update(np.ascontiguousarray(rows).tobytes())
    # where an aspect stands, and some models' polarities, are in parts of a batch that only they have
    for part in fields(store.batch):
        digest.update(getattr(store.batch, part.name).cpu().numpy().tobytes())
    return digest.hexdigest()


def _list_settings(model: Model) -> list[tuple[str, str, object]]:
    """List the settings that modules hold as plain values: the text of a module need not name them."""
    return [
        (name, key, value)
        for name, module in model.named_modules()
        for key, value in vars(module).items()
        if key != "training" and isinstance(value, bool | int | float | str)
    ]


def write_checkpoint(folder: Path, model: Model, optimizer: Optimizer, checkpoint: Checkpoint) -> None:
    """Replace the checkpoint in a folder; a crash leaves the one before."""
    tensors = {f"now.{number}": tensor for number, tensor in enumerate(live_tensors(model))}
    tensors |= {f"best.{number}": tensor for number, tensor in enumerate(checkpoint.best)}
    tensors |= {f"average.{number}": tensor for number, tensor in enumerate(checkpoint.average)}
    tensors |= _moments(optimizer)
    folder.mkdir(parents=True, exist_ok=True)
    remove_drafts(folder)
    with atomic_write(folder / _FILE, remedy="make room and resume") as draft:
        save_file(
            {name: tensor.detach().clone().cpu().contiguous() for name, tensor in tensors.items()},
            draft,
            {"identity": checkpoint.identity, "history": json.dumps([asdict(e) for e in checkpoint.history])},
        )


def has_checkpoint(folder: Path) -> bool:
    """Return whether a training is kept in a folder."""
    return (folder / _FILE).is_file()


def read_checkpoint(folder: Path, model: Model, optimizer: Optimizer, identity: str) -> Checkpoint | None:
    """Restore weights and optimizer to the state of the checkpoint; None where there is none."""
    path = folder / _FILE
    if not has_checkpoint(folder):
        return None
    try:
        with safe_open(path, "pt") as stored:
            notes = stored.metadata() or {}
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118 (no mapping)
    except (OSError, SafetensorError) as error:
        raise DataError(f"{path}: {error}: expected a checkpoint; delete {folder} and train again") from None
    if notes.get("identity") != identity:
        raise ConfigError(
            f"{path}: it belongs to a training with another model, plan, seed or corpus; repeat the settings "
            f"it was started with, or delete {folder} and train again"
        )
    for number, tensor in enumerate(live_tensors(model)):
        tensor.copy_(tensors[f"now.{number}"])
    _put_moments(optimizer, tensors)
    best = [tensors[f"best.{number}"].to(t.device) for number, t in enumerate(live_tensors(model))]
    history = [Epoch(**record) for record in json.loads(notes["history"])]
    count = sum(name.startswith("average.") for name in tensors)
    return Checkpoint(identity, history, best, [tensors[f"average.{number}"] for number in range(count)])


def _moments(optimizer: Optimizer) -> dict[str, Tensor]:
    """Name what the optimizer remembers of each parameter; one that never had a gradient has nothing."""
    moments = {}
    for number, parameter in enumerate(optimizer.parameters()):
        for name, value in optimizer.torch.state.get(parameter, {}).items():
            moments[f"optimizer.{number}.{name}"] = value
    return moments


def _put_moments(optimizer: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    parameters = list(optimizer.parameters())
    for key, tensor in tensors.items():
        kind, _, rest = key.partition(".")
        if kind == "optimizer":
            number, _, name = rest.partition(".")
            parameter = parameters[int(number)]
            state = optimizer.torch.state[parameter]
            if name in state:  # a captured step knows its address
                state[name].copy_(tensor)
            else:
                state[name] = tensor.to(parameter.device)


FORMAT = 1
"""Raised when the layout of a saved folder changes, so that an old one can be told and migrated."""

UNFINISHED = "unfinished"
"""The folder within a model's folder where its training is kept until it is finished."""


HISTORY = "history.jsonl"
"""The file with the epochs of a training: loss, dev scores and seconds of each."""


def save_model(model: Model, folder: str | Path, *, card: str = "") -> None:
    """Write a model into a folder that appears whole or not at all; a model that is there is replaced."""
    if not isinstance(model, Model):
        raise TypeError(f"save_model: found {model!r:.60}: expected a model, such as fit(...).model")
    refuse_foreign(Path(folder))
    record = {**(model.training_record or {})}
    history = history_lines(record.pop("history", None))
    config = {
        "format": FORMAT,
        "model_type": "aspectlab",  # what libraries that know only their own models name in their error
        "library_name": "aspectlab",
        "aspectlab": VERSION,
        "model": model.name,
        "task": model.task,
        "settings": model.settings,
        "encoder": model.encoder.describe(),
        **({"training": record} if record else {}),
    }
    weights = {key: tensor.detach().cpu().contiguous() for key, tensor in model.state_dict().items()}
    with atomic_directory(Path(folder)) as draft:
        (draft / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
        save_file(weights, draft / "model.safetensors")
        (draft / "model.safetensors").chmod(0o644)  # the library leaves it to its owner alone
        model.encoder.save_files(draft)
        (draft / "README.md").write_text(card or write_card(model), encoding="utf-8")
        if history:
            (draft / HISTORY).write_text(history, encoding="utf-8")


def history_lines(history: object) -> str:
    """Return the epochs of a training as JSON lines."""
    return "".join(json.dumps(epoch) + "\n" for epoch in history) if isinstance(history, list) else ""


def refuse_foreign(folder: Path) -> None:
    """Refuse to replace a folder that holds anything but a saved model or an unfinished training."""
    if not folder.exists():
        return
    ours = folder.is_dir() and (is_saved_model(folder) or set(listdir(folder)) <= {UNFINISHED})
    if not ours:
        raise ConfigError(f"{folder}: already exists and is not a saved model; choose a new --out")


def is_saved_model(folder: Path) -> bool:
    """Return whether a folder holds a model that `save_model` wrote; an encoder has a config.json too."""
    try:
        _read_config(folder)
    except DataError:
        return False
    return True


def load_model(folder: str | Path) -> Model:
    """Read a model that `save_model` wrote; every weight must be there, and no other."""
    if not isinstance(folder, str | PathLike):
        raise TypeError(f"load_model: found {folder!r:.60}: expected the folder of a saved model")
    path = Path(folder)
    check_model_folder(path)
    config = _read_config(path)
    with AllocationBudget(path):
        encoder = restore_encoder(config["encoder"], path)  # type: ignore[arg-type]
        model = build_model(str(config["model"]), encoder, config["settings"])  # type: ignore[arg-type]
    try:
        weights = load_file(path / "model.safetensors")
        model.load_state_dict(weights, strict=True)
    except (OSError, SafetensorError, RuntimeError) as error:
        raise DataError(
            f"{path / 'model.safetensors'}: {str(error).splitlines()[0]}; train or copy the model again"
        ) from None
    model.training_record = _read_training(path, config)
    model.eval()
    return model


_HUB_FILES = ("*.json", "*.jsonl", "*.txt", "model.safetensors", "README.md")


def from_pretrained(name: str | Path, *, revision: str | None = None, token: str | None = None) -> Model:
    """Load a model from a folder, or from the Hugging Face hub by "organisation/name".

    What comes from the hub is treated as any folder of strangers: no code is run, nothing is unpickled, and
    sizes are bounded.
    """
    if Path(name).is_dir():
        return load_model(name)
    repository = check_repository(str(name))
    stay_offline()
    fetch = import_module("huggingface_hub").snapshot_download
    wanted = {"revision": revision, "token": token, "local_files_only": is_offline()}
    with explained_hub(repository), tempfile.TemporaryDirectory() as draft:
        found = Path(fetch(repository, allow_patterns=list(_HUB_FILES), **wanted))
        check_model_folder(found)
        # the cache holds links out of the folder, which no other folder may have
        for path in found.iterdir():
            if path.is_file():
                copyfile(path.resolve(), Path(draft) / path.name)
        try:
            return load_model(draft)
        except AspectlabError as error:
            raise type(error)(str(error).replace(draft, repository)) from None


def _read_training(path: Path, config: Mapping[str, object]) -> dict[str, object] | None:
    """Return the record of the training; a model need not have one."""
    if "training" not in config:
        return None
    found = config["training"]
    try:
        lines = read_file(path / HISTORY).decode().splitlines() if (path / HISTORY).exists() else []
        history = [parse_json(line) for line in lines]
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path / HISTORY}: {error}: expected one epoch a line; copy the folder again"
        ) from None
    record: dict[str, object] = {**found, "history": history} if isinstance(found, dict) else {}
    if not is_record(record):
        raise DataError(
            f"{path / 'config.json'}: training: found another record than `aspectlab train` writes: "
            "expected seed, plan, corpora and scores; copy the folder again"
        )
    return record


def _read_config(path: Path) -> dict[str, object]:
    try:
        config = read_json(path / "config.json")
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path / 'config.json'}: {error}: expected a folder that `aspectlab train` wrote"
        ) from None
    if not isinstance(config, dict) or not {"format", "model", "settings", "encoder"} <= config.keys():
        raise DataError(
            f"{path / 'config.json'}: expected the keys format, model, settings and encoder, as `aspectlab "
            "train` writes them; a model that `aspectlab export` wrote is for analyze and serve"
        )
    if config["format"] != FORMAT:
        raise DataError(
            f"{path / 'config.json'}: found format {config['format']!r}: expected {FORMAT}; "
            f"it was written by aspectlab {config.get('aspectlab')}: update aspectlab"
        )
    for key in ("settings", "encoder"):
        if not isinstance(config[key], dict):
            raise DataError(
                f"{path / 'config.json'}: {key} = {config[key]!r:.40}: expected an object; "
                "copy the folder again"
            )
    return config
