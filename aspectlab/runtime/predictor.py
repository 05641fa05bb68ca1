"""Predictor: what an analysis needs of a model, how one is loaded, and the folder of an exported one."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
from defusedxml import ElementTree
from numpy.typing import NDArray

from aspectlab.data import Quad
from aspectlab.errors import ConfigError, DataError, MissingPartError
from aspectlab.registry import Registry, suggest
from aspectlab.untrusted import check_model_folder, find_member, open_file, read_json
from aspectlab.version import VERSION

FORMAT = 1
"""Raised when the layout of an exported folder changes, so that an old one can be told."""

CONFIG, GRAPH, WEIGHTS, TOKENIZER = "config.json", "model.xml", "model.bin", "tokenizer.json"

PRECISIONS = {
    "bf16": "weights in 16 bits, computed in bfloat16 where the processor can, else in float32",
    "fp16": "weights in 16 bits, computed in float32",
    "fp32": "weights and computation in float32",
}
"""How a model is stored and computed."""

_LARGEST_SIZE = 1 << 16
"""No model takes more tokens at once, or has wider vectors."""

Constant = NDArray[np.float16] | NDArray[np.float32]

_KINDS = {"f16": np.float16, "f32": np.float32}
_TABLE = "embeddings.word_embeddings.weight"


class Predictor(Protocol):
    """A model that finds opinions in sentences and gives vectors for grouping their aspects."""

    @property
    def identity(self) -> str:
        """A name that changes when the results may change."""
        ...

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Return the opinions of each text, with spans and the probability of each polarity.

        A term that is not named is None, and so is a category where the model knows none.
        """
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, [N, D]."""
        ...


SHIPPED = Path(__file__).parent / "model"
"""The model that comes with the package."""

HOUSE = "house"
"""The style in which a model annotates unless told otherwise."""


@dataclass(frozen=True, slots=True)
class PredictOptions:
    """How a model is to annotate, if it knows more than one way."""

    style: str = HOUSE
    categories: tuple[str, ...] | None = None  # the names to choose from; those it was trained with if None


def refuse_options(model: str, options: PredictOptions) -> None:
    """Refuse a style or categories for a model that knows none."""
    given = [name for name, value in asdict(options).items() if value not in (HOUSE, None)]
    if given:
        raise ConfigError(
            f"{given[0]} = {getattr(options, given[0])!r}: the model {model!r} knows no {given[0]}; "
            "leave it out, or use a model of kind quad-span"
        )


ENGINES = Registry[Callable[[Path, int | None, PredictOptions], Predictor]](
    "engine",
    {
        "openvino": "aspectlab.runtime.exported:open_exported",
        # it needs torch, so it lives below
        "torch": "aspectlab.training.torch_runtime:open_with_torch",
    },
)
"""What can run a model, with the function that opens its folder."""


def load_predictor(
    model: str | Path | None = None,
    *,
    engine: str = "auto",
    threads: int | None = None,
    style: str = HOUSE,
    categories: Sequence[str] | None = None,
) -> Predictor:
    """Load an exported model, a saved one, or the model that comes with the package.

    `auto` runs an exported model by OpenVINO and a saved one by torch. `threads`: all cores if not given.
    `style`: the data sets that it is to annotate like, by name. `categories`: names to choose from, which
    need not be among those that the model was trained with.
    """
    if threads is not None and threads < 1:
        raise ConfigError(f"threads = {threads}: expected at least 1")
    folder = SHIPPED if model is None else Path(model)
    exported = _check_exported(folder, is_named=model is not None)
    chosen = ("openvino" if exported else "torch") if engine == "auto" else engine
    if chosen not in ENGINES:
        raise ConfigError(f"engine {chosen!r} is unknown: {suggest(chosen, ['auto', *ENGINES])}")
    if chosen == "openvino" and not exported:
        raise ConfigError(
            f"{folder}: engine 'openvino' runs exported models only; export it with: "
            f"aspectlab export {folder} --out NEW-FOLDER; or use engine 'torch'"
        )
    if chosen == "torch" and not find_spec("torch"):
        raise MissingPartError(
            "engine 'torch': torch is not installed; get it with: pip install 'aspectlab[train]'"
        )
    names = None if categories is None else tuple(dict.fromkeys(categories))
    return ENGINES[chosen](folder, threads, PredictOptions(style, names))


def check_runtime(runtime: str) -> None:
    """Refuse a name of `--runtime` that nothing has, before any work is done.

    >>> check_runtime("auto")
    """
    if runtime not in (known := ["auto", *ENGINES]):
        raise ConfigError(f"--runtime {runtime!r} is unknown: {suggest(runtime, known)}")


def _check_exported(folder: Path, *, is_named: bool) -> bool:
    """Return whether a model is exported rather than saved, and refuse what is neither."""
    if (folder / CONFIG).is_file():
        return is_exported(folder)
    if is_named:
        raise DataError(
            f"{folder}: no {CONFIG} there: expected a folder that `aspectlab export` or "
            "`aspectlab train` wrote"
        )
    raise MissingPartError(
        f"{folder}: this copy of aspectlab came without its model; install it again with: "
        "pip install --force-reinstall aspectlab; or name a model"
    )


@dataclass(frozen=True, slots=True)
class ExportDescription:
    """What an exported folder says about itself."""

    model: str
    encoder: Mapping[str, object]  # what `restore_encoder` needs
    precision: str
    max_length: int
    width: int  # of the vector of a text
    files: Mapping[str, str]  # the sha256 of each
    opens_hyphens: bool = False  # whether it reads "check-in" as "check in"
    settings: Mapping[str, object] = field(default_factory=dict)  # what only models of its kind have


def is_exported(folder: Path) -> bool:
    """Return whether a model is exported; the config.json of a saved one names no engine."""
    try:
        config = read_json(folder / CONFIG)
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and "engine" in config


def write_description(folder: Path, description: ExportDescription, notes: Mapping[str, object]) -> None:
    """Write config.json; `notes` are for people."""
    described = asdict(description)
    if not described["settings"]:
        del described["settings"]
    config = {"format": FORMAT, "engine": "openvino", "aspectlab": VERSION, **described, **notes}
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def read_description(folder: Path) -> ExportDescription:
    """Read config.json and compare every file with its sha256."""
    path = folder / CONFIG
    check_model_folder(folder)
    try:
        config = read_json(path)
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path}: {error}: expected a folder that `aspectlab export` wrote; export the model again"
        ) from None
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        found = config.get("format") if isinstance(config, dict) else config
        raise DataError(
            f"{path}: found format {found!r:.40}: expected {FORMAT}; export the model again with this version"
        )
    description = _parse_description(path, config)
    for name, sha256 in description.files.items():
        _compare(find_member(folder, name), sha256)
    return description


def _parse_description(path: Path, config: Mapping[str, object]) -> ExportDescription:
    kinds = {"model": str, "encoder": dict, "precision": str, "max_length": int, "width": int, "files": dict}
    for key, kind in kinds.items():
        # true is a number to Python
        if type(config.get(key)) is not kind:
            raise DataError(
                f"{path}: key {key!r}: found {config.get(key)!r:.40}: expected {kind.__name__}; "
                "export the model again"
            )
    for key in ("max_length", "width"):
        if not 0 < config[key] <= _LARGEST_SIZE:  # type: ignore[operator]
            raise DataError(
                f"{path}: key {key!r}: found {config[key]!r:.40}: expected a number from 1 to "
                f"{_LARGEST_SIZE:,}; export the model again"
            )
    known = {key: config[key] for key in kinds}
    settings = config.get("settings", {})
    if not isinstance(settings, dict):
        raise DataError(
            f"{path}: key 'settings': found {settings!r:.40}: expected an object; export the model again"
        )
    opens = config.get("opens_hyphens") is True
    description = ExportDescription(**known, opens_hyphens=opens, settings=settings)  # type: ignore[arg-type]
    if not {GRAPH, WEIGHTS, TOKENIZER} <= description.files.keys() or description.precision not in PRECISIONS:
        raise DataError(
            f"{path}: expected the files {GRAPH}, {WEIGHTS} and {TOKENIZER} and one of the precisions "
            f"{', '.join(PRECISIONS)}; export the model again"
        )
    return description


def hash_file(path: Path) -> str:
    """Return the sha256 of a file."""
    with open_file(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _compare(path: Path, sha256: object) -> None:
    try:
        found = hash_file(path)
    except OSError as error:
        raise DataError(
            f"{path}: {error.strerror}: expected a file of the exported model; copy the folder again"
        ) from None
    if found != sha256:
        raise DataError(
            f"{path}: found sha256 {found[:12]}…: expected {str(sha256)[:12]}…; the file is "
            "truncated or altered: copy the folder again"
        )


def read_constants(path: Path) -> dict[str, Constant]:
    """Find the weights of a graph by their names in torch; nothing is in memory before it is looked at."""
    try:
        return dict(_list_constants(path))
    # a graph with entities of its own is refused by a ValueError
    except (OSError, ValueError, TypeError, ElementTree.ParseError) as error:
        raise DataError(f"{path}: cannot be read ({error!s:.120}); export the model again") from None


def _list_constants(path: Path) -> Iterator[tuple[str, Constant]]:
    content = np.memmap(path.with_suffix(".bin"), np.uint8, "r")
    for layer in ElementTree.parse(path).iterfind(".//layer[@type='Const']"):
        port, data = layer.find("output/port"), layer.find("data")
        if port is None or data is None or data.get("element_type") not in _KINDS:
            continue
        start, size = int(data.get("offset", 0)), int(data.get("size", 0))
        values = content[start : start + size].view(_KINDS[data.get("element_type", "")])
        shape = [int(side) for side in data.get("shape", "").split(",") if side.strip()]
        for name in port.get("names", "").split(","):
            if name.startswith("self."):
                yield name.removeprefix("self."), values.reshape(shape)


def read_table(folder: Path) -> Constant | None:
    """Find the vectors of the word pieces, [V, D], that the network begins with."""
    constants = read_constants(folder / GRAPH)
    return next((table for name, table in constants.items() if name.endswith(_TABLE)), None)
