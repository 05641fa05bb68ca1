"""What is loaded, by what, and what a user is told when it cannot be."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from aspectlab.errors import ConfigError, DataError, MissingPartError
from aspectlab.runtime import load_predictor, predictor
from aspectlab.runtime.predictor import (
    GRAPH,
    SHIPPED,
    TOKENIZER,
    WEIGHTS,
    ExportDescription,
    hash_file,
    read_constants,
    read_description,
    write_description,
)


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """A folder that looks like an exported model, without a network in it."""
    for name in (GRAPH, WEIGHTS):
        (tmp_path / name).write_text("{}")
    shutil.copy(SHIPPED / TOKENIZER, tmp_path)
    files = {name: hash_file(tmp_path / name) for name in (GRAPH, WEIGHTS, TOKENIZER)}
    write_description(tmp_path, ExportDescription("stage", {}, "bf16", 512, 384, files), {"parity": None})
    return tmp_path


def change(folder: Path, key: str, value: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, key: value}))


def test_description_is_read_as_written(exported: Path) -> None:
    description = read_description(exported)
    assert (description.model, description.max_length, description.width) == ("stage", 512, 384)


@pytest.mark.parametrize("name", [GRAPH, WEIGHTS, TOKENIZER])
def test_altered_file_is_refused(name: str, exported: Path) -> None:
    (exported / name).write_text("{ }")
    with pytest.raises(DataError, match=rf"{name}: found sha256 .* altered: copy the folder again"):
        load_predictor(exported)


def test_lost_file_is_refused(exported: Path) -> None:
    (exported / WEIGHTS).unlink()
    with pytest.raises(DataError, match=f"{WEIGHTS}: No such file"):
        load_predictor(exported)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", 99, "found format 99: expected 1"),
        ("width", "wide", "key 'width': found 'wide': expected int"),
        ("files", {}, "expected the files model.xml"),
        ("precision", "int3", "one of the precisions bf16, fp16, fp32"),
        ("max_length", True, "key 'max_length': found True: expected int"),
        ("max_length", 0, "found 0: expected a number from 1 to 65,536"),
        ("max_length", 3, "the length 3 leaves no room beside 3 special tokens"),
    ],
)
def test_description_that_makes_no_sense_is_refused(
    key: str, value: object, message: str, exported: Path
) -> None:
    change(exported, key, value)
    with pytest.raises(DataError, match=message):
        load_predictor(exported)


@pytest.mark.parametrize("name", ["../../../../dev/zero", "/etc/hostname", "a\0b", ".."])
def test_description_named_files_outside_of_its_folder(exported: Path, name: str) -> None:
    files = json.loads((exported / "config.json").read_text())["files"]
    change(exported, "files", {**files, name: "0" * 64})
    with pytest.raises(DataError, match="expected the name of a file in it"):
        load_predictor(exported)


def test_entity_in_a_graph_was_a_traceback(exported: Path) -> None:
    (exported / GRAPH).write_text('<!DOCTYPE a [<!ENTITY b "c">]><net>&b;</net>')
    with pytest.raises(DataError, match=r"model\.xml: cannot be read .*export the model again"):
        read_constants(exported / GRAPH)


def test_network_that_is_none_is_refused(exported: Path) -> None:
    pytest.importorskip("openvino")
    with pytest.raises(DataError, match=r"model\.xml: OpenVINO .* export the model again"):
        load_predictor(exported)


def test_missing_openvino_is_named_with_the_way_out(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    with pytest.raises(MissingPartError, match="pip install aspectlab; or use engine 'torch'"):
        load_predictor(exported)


def test_missing_torch_is_named(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predictor, "find_spec", lambda name: None)
    with pytest.raises(MissingPartError, match=r"pip install 'aspectlab\[train\]'"):
        load_predictor(exported, engine="torch")


def test_saved_model_is_not_for_openvino(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"format": 1, "model": "stage"}')
    with pytest.raises(ConfigError, match="export it with: aspectlab export"):
        load_predictor(tmp_path, engine="openvino")


def test_unknown_engine_is_refused_with_the_nearest(exported: Path) -> None:
    with pytest.raises(ConfigError, match="engine 'opnvino' is unknown: did you mean 'openvino'"):
        load_predictor(exported, engine="opnvino")


def test_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no config\.json there"):
        load_predictor(tmp_path)


def test_absent_shipped_model_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predictor, "SHIPPED", tmp_path)
    with pytest.raises(MissingPartError, match="came without its model"):
        load_predictor()


def test_no_threads_at_all_are_refused() -> None:
    with pytest.raises(ConfigError, match="threads = 0: expected at least 1"):
        load_predictor(threads=0)
