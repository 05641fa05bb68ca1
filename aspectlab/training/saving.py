"""Save and load a model: config.json, model.safetensors, the encoder's files, and a card; no pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import listdir
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from aspectlab.data.drafting import drafted_folder
from aspectlab.encoders import restore_encoder
from aspectlab.errors import ConfigError, DataError
from aspectlab.models import Model, build_model
from aspectlab.version import VERSION

FORMAT = 1
"""Raised when the layout of a saved folder changes, so that an old one can be told and migrated."""

UNFINISHED = "unfinished"
"""The folder within a model's folder where its training is kept until it is finished."""


def save_model(
    model: Model, folder: str | Path, *, name: str, settings: Mapping[str, object], card: str = ""
) -> None:
    """Write a model into a folder that appears whole or not at all; a model that is there is replaced."""
    refuse_foreign(Path(folder))
    config = {
        "format": FORMAT,
        "aspectlab": VERSION,
        "model": name,
        "settings": dict(settings),
        "encoder": model.encoder.describe(),
    }
    weights = {key: tensor.detach().cpu().contiguous() for key, tensor in model.state_dict().items()}
    with drafted_folder(Path(folder)) as draft:
        (draft / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
        save_file(weights, draft / "model.safetensors")
        (draft / "model.safetensors").chmod(0o644)  # the library leaves it to its owner alone
        model.encoder.save_files(draft)
        (draft / "README.md").write_text(card or f"# {name}\n", encoding="utf-8")


def refuse_foreign(folder: Path) -> None:
    """Refuse to replace a folder that holds anything but a saved model or an unfinished training."""
    if not folder.exists():
        return
    ours = folder.is_dir() and (is_saved_model(folder) or set(listdir(folder)) <= {UNFINISHED})
    if not ours:
        raise ConfigError(
            f"{folder}: it exists and is no saved model: expected a new folder; choose another name"
        )


def is_saved_model(folder: Path) -> bool:
    """Tell whether a folder holds a model that `save_model` wrote; an encoder has a config.json too."""
    try:
        _read_config(folder)
    except DataError:
        return False
    return True


def load_model(folder: str | Path) -> Model:
    """Read a model that `save_model` wrote; every weight must be there, and no other."""
    path = Path(folder)
    config = _read_config(path)
    encoder = restore_encoder(config["encoder"], path)  # type: ignore[arg-type]
    model = build_model(str(config["model"]), encoder, config["settings"])  # type: ignore[arg-type]
    try:
        weights = load_file(path / "model.safetensors")
        model.load_state_dict(weights, strict=True)
    except (OSError, SafetensorError, RuntimeError) as error:
        raise DataError(
            f"{path / 'model.safetensors'}: {str(error).splitlines()[0]}; train or copy the model again"
        ) from None
    model.eval()
    return model


def _read_config(path: Path) -> dict[str, object]:
    try:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
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
