"""Export a trained model, so that it runs without torch, and compare both."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from aspectlab.data import Example, Quad
from aspectlab.encoders import merge_lora, split_options
from aspectlab.encodings import Subwords
from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.models import Model
from aspectlab.outputs import atomic_directory
from aspectlab.registry import suggest
from aspectlab.runtime import (
    GRAPH,
    PRECISIONS,
    ExportDescription,
    Predictor,
    hash_file,
    import_openvino,
    is_exported,
    load_predictor,
    write_description,
)
from aspectlab.stats import calibrator_to_dict
from aspectlab.training.checkpoint import load_model
from aspectlab.training.confidence import (
    Answers,
    Judged,
    describe_calibration,
    fit_calibrator,
    predict_in_styles,
)
from aspectlab.training.exporters import EXPORTERS, Part, find_kind
from aspectlab.training.prediction import predict

if TYPE_CHECKING:
    import openvino


ENOUGH = 0.95
"""Share of equal texts below which an export is broken: rounding alone changes far fewer."""

SAMPLES = (
    "The soup was lovely, but our waiter forgot the bread twice.",
    "Great battery life and a crisp screen, though the fans are loud.",
    "I would not come back for the pasta.",
    "Friendly staff.",
    "We waited forty minutes for two lukewarm coffees!",
    "The keyboard feels cheap and the hinge already squeaks.",
    "Neither the view nor the wine made up for the rude hostess.",
    "Everything came on one plate.",
    "Best dumplings in town, and the prices are more than fair.",
    "Setup took five minutes; support answered the same day.",
    "A cosy little room, nicely lit, with music that is never too loud, a short but clever menu, and "
    "desserts that you will want to order twice.",
    "It's ok.",
    "The seats are comfortable, the boot is huge, the navigation is a bad joke.",
    "My daughter loved the slides; I loved that it was clean.",
    "Delivery was quick, packaging poor.",
    "Don't expect miracles from the camera at night, but by day photos look sharp.",
)
"""Sentences to compare on where a user names none."""


@dataclass(frozen=True, slots=True)
class Parity:
    """How far two ways to run a model agree."""

    texts: int
    equal: float  # share of texts with the same triplets
    largest: float  # difference of a probability, among the triplets that both found

    @property
    def is_enough(self) -> bool:
        """Whether the two are one model."""
        return self.equal >= ENOUGH


def compare(model: Model, predictor: Predictor, texts: Sequence[str]) -> Parity:
    """Predict some texts both ways."""
    examples = [Example(str(number), text) for number, text in enumerate(texts)]
    pairs = [
        (example.quads, found)
        for example, found in zip(predict(model, examples), predictor.predict(texts), strict=True)
    ]
    equal = sum(set(expected) == set(found) for expected, found in pairs)
    largest = max((_distance(*pair) for pair in pairs), default=0.0)
    return Parity(len(texts), equal / max(len(texts), 1), round(largest, 6))


def _distance(expected: Sequence[Quad], found: Sequence[Quad]) -> float:
    """Return the largest difference of a probability among quads that stand on both sides."""
    known = {quad: quad.confidence or {} for quad in expected}
    return max(
        (
            abs(share - known[quad].get(name, 0.0))
            for quad in found
            if quad in known
            for name, share in (quad.confidence or {}).items()
        ),
        default=0.0,
    )


NOTICE = "NOTICE"

_MINILM = """\
The weights in this folder derive from all-MiniLM-L6-v2, published by the sentence-transformers project
(https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2) under the Apache License, Version 2.0
(https://www.apache.org/licenses/LICENSE-2.0). Changes: they were trained further to find aspects,
opinions and polarities, joined with layers for that purpose, and stored in another format and precision.
The tokenizer is that of all-MiniLM-L6-v2, unchanged.
"""


@dataclass(frozen=True, slots=True)
class Extras:
    """What an export may get beside the model: its house style, a calibrator, and a notice."""

    style: str | None = None
    calibrate: Sequence[Example] = ()  # labelled, best of domains that it was not trained on
    judged: Sequence[Judged] = ()  # what models of its kind found in what was left out of their training
    notice: str | None = None


def export_model(
    folder: str | Path,
    out: str | Path,
    *,
    texts: Sequence[str] = SAMPLES,
    precision: str = "bf16",
    extras: Extras = Extras(),
) -> Parity:
    """Write a saved model as an exported one that appears whole or not at all; compare both on some texts."""
    source, target = Path(folder), Path(out).resolve()
    if precision not in PRECISIONS:
        raise ConfigError(f"precision {precision!r} is unknown: {suggest(precision, PRECISIONS)}")
    if target.exists() and not is_exported(target):
        raise ConfigError(f"{target}: already exists and is not an exported model; choose a new --out")
    model = load_model(source)
    kind = _fitting(source, model)
    merge_lora(model.encoder)
    _check_extras(kind, EXPORTERS[kind].list_settings(model), extras)
    with atomic_directory(target) as draft:
        description = _write_files(kind, model, draft, precision)
        is_minilm = split_options(str(description.encoder["name"]))[0] == "minilm"
        _copy_words(source, draft, extras.notice or (_MINILM if is_minilm else None))
        write_description(draft, description, {})
        # the model itself has neither house style nor calibrator
        parity = compare(model, load_predictor(draft), texts)
        description, notes = _add_extras(draft, description, extras)
        write_description(draft, description, {"parity": asdict(parity), **notes})
    return parity


def _write_files(kind: str, model: Model, draft: Path, precision: str) -> ExportDescription:
    """Write the networks and the tokenizer, and describe them."""
    exporter = EXPORTERS[kind]
    for name, part in exporter.take_apart(model).items():
        try:
            # only the encoder is large, and only it is computed in few bits
            _save_graph(part, draft / name, precision if name == GRAPH else "fp32")
        except RuntimeError as error:  # of OpenVINO, on an operation of a family that nobody tried
            raise _not_exported(model, f"OpenVINO says {str(error).splitlines()[0]:.100!r}") from error
    model.encoder.save_files(draft)
    return ExportDescription(
        kind,
        _anonymous(model.encoder.describe()),
        precision,
        model.encoder.vocabulary.max_length,
        model.encoder.width,
        files={path.name: hash_file(path) for path in sorted(draft.iterdir())},
        settings=exporter.list_settings(model),
    )


def _check_extras(kind: str, settings: Mapping[str, object], extras: Extras) -> None:
    """Refuse what a model has no use for, before any work is done."""
    if (extras.style or extras.calibrate or extras.judged) and "calibrator" not in settings:
        raise ConfigError(
            f"a model of kind {kind} knows neither styles nor calibrators; leave out --style and "
            "--calibrate, or train one of kind quad-span"
        )
    styles = settings.get("styles")
    if extras.style and isinstance(styles, list) and extras.style not in styles:
        raise ConfigError(f"--style {extras.style!r} is unknown: {suggest(extras.style, styles)}")


def _add_extras(
    draft: Path, description: ExportDescription, extras: Extras
) -> tuple[ExportDescription, dict[str, object]]:
    """Return the description with house style and calibrator, and how good the calibrator is."""
    if not (extras.style or extras.calibrate or extras.judged):
        return description, {}
    settings = {**description.settings, "house_style": extras.style}
    parts = [*extras.judged]
    if extras.calibrate:
        write_description(draft, replace(description, settings=settings), {})
        parts.append(_predict_labelled(draft, description, extras.calibrate))
    if not parts:
        return replace(description, settings=settings), {}
    answers = Answers.collect(parts)
    settings["calibrator"] = calibrator_to_dict(fit_calibrator(answers))
    texts = sum(len(examples) for examples, _ in parts)
    notes = {"texts": texts, **describe_calibration(answers)}
    return replace(description, settings=settings), {"calibration": notes}


def _predict_labelled(draft: Path, description: ExportDescription, examples: Sequence[Example]) -> Judged:
    styles = description.settings.get("styles")

    def open_style(style: str | None) -> Predictor:
        is_known = isinstance(styles, Sequence) and style is not None and style in styles
        return load_predictor(draft, style=style) if is_known and style else load_predictor(draft)

    return predict_in_styles(open_style, examples)


def _fitting(folder: Path, model: Model) -> str:
    """Return the kind that a model is exported as."""
    kind = find_kind(model)
    if kind is None:
        raise ConfigError(
            f"{folder}: found a model of kind {type(model).__name__}: expected {' or '.join(EXPORTERS)}; "
            "train one of these, or use the model as it is with --runtime torch"
        )
    if not isinstance(model.encoder.vocabulary, Subwords):
        raise ConfigError(
            f"{folder}: the encoder {model.encoder.name!r} reads words: expected a transformer; "
            "train it with --encoder minilm"
        )
    if not model.encoder.is_traceable:
        raise _not_exported(model, "what it computes depends on the length of a text")
    return kind


def _not_exported(model: Model, reason: str) -> ConfigError:
    return ConfigError(
        f"export: the encoder {model.encoder.name!r} cannot be exported: {reason}; use the model as it is "
        "with --runtime torch, or train it with --encoder minilm"
    )


def _anonymous(description: Mapping[str, object]) -> dict[str, object]:
    """Leave out where the encoder lay on this machine."""
    config = description["config"]
    assert isinstance(config, dict)
    kept = {key: value for key, value in config.items() if key != "_name_or_path"}
    return {**description, "name": Path(str(description["name"])).name, "config": kept}


def _copy_words(source: Path, draft: Path, notice: str | None) -> None:
    """Take the model card along, and the notice that a licence asks for."""
    if (source / "README.md").is_file():
        shutil.copy(source / "README.md", draft / "README.md")
    if notice:
        (draft / NOTICE).write_text(notice, encoding="utf-8")


def _save_graph(part: Part, path: Path, precision: str) -> None:
    try:
        openvino = import_openvino()
    except ImportError:
        raise MissingPartError(
            "export: the package openvino is not installed; get it with: pip install aspectlab"
        ) from None
    graph = _convert(part)
    openvino.save_model(graph, path, compress_to_fp16=precision != "fp32")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library silent: a trace looks at all that a model has, also at a loss that no encoder has."""
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)


def _convert(part: Part) -> openvino.Model:
    """Trace a module and read the trace.

    `openvino.convert_model` does the same, but also reports it to its makers over the network.
    """
    import openvino
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    inputs = part.example()
    reader = FrontEndManager().load_by_framework("pytorch")
    with warnings.catch_warnings(), _quiet(), torch.no_grad():
        warnings.simplefilter("ignore")  # what a trace cannot follow is found by the comparison
        trace = TorchScriptPythonDecoder(part, example_input=tuple(inputs.values()))
        graph = reader.convert(reader.load(trace))
    for port, (name, values) in zip(graph.inputs, inputs.items(), strict=True):
        port.get_node().set_element_type(openvino.Type(values.numpy().dtype))
        # rows and lengths differ from batch to batch, and nothing else does
        sides = [-1, -1, *values.shape[2:]][: values.ndim]
        port.get_node().set_partial_shape(openvino.PartialShape(sides))
        port.get_tensor().set_names({name})
    graph.validate_nodes_and_infer_types()
    return graph
