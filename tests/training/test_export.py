"""Export: the same model without torch, and the way back."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")
pytest.importorskip("openvino")

import torch

from aspectlab.data import Quad
from aspectlab.encoders import load_encoder
from aspectlab.encoders.vectors import VectorEncoder
from aspectlab.errors import ConfigError
from aspectlab.models import build_model
from aspectlab.runtime import Predictor, load_predictor
from aspectlab.training import load_model, save_model
from aspectlab.training.export import SAMPLES, Parity, compare, export_model
from tests.support.families import save_folder
from tests.support.training import make_model

TEXTS = [*SAMPLES[:6], "", "  ", "One long tale of soup and bread. " * 20]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of random weights that are large enough to find something."""
    model = make_model("stage")
    with torch.no_grad():
        for parameter in (*model.reduce.parameters(), *model.classify.parameters()):
            parameter *= 4
    folder = tmp_path_factory.mktemp("models") / "saved"
    save_model(model, folder, card="# A card\n")
    return folder


@pytest.fixture(scope="module")
def exported(saved: Path) -> Path:
    export_model(saved, saved.with_name("exported"), precision="fp32")
    return saved.with_name("exported")


def save_untrained(family: str, folder: Path) -> Path:
    torch.manual_seed(1)
    encoder = load_encoder(save_folder(family, folder / "encoder"))
    model = build_model("stage", encoder)
    with torch.no_grad():
        for parameter in (*model.reduce.parameters(), *model.classify.parameters()):
            parameter *= 4
    save_model(model, folder / "saved")
    return folder / "saved"


@pytest.mark.parametrize("family", ["modernbert", "deberta-v3"])
def test_family_is_exported_as_it_is(family: str, tmp_path: Path) -> None:
    saved = save_untrained(family, tmp_path)
    export_model(saved, tmp_path / "exported", precision="fp32")
    # texts longer than any window, beside short ones
    parity = compare(load_model(saved), load_predictor(tmp_path / "exported"), TEXTS)
    assert parity.equal == 1.0
    assert parity.largest < 1e-4
    assert any(load_predictor(tmp_path / "exported").predict(TEXTS))


def test_family_that_no_graph_can_hold_is_refused(tmp_path: Path) -> None:
    saved = save_untrained("longformer", tmp_path)
    with pytest.raises(ConfigError, match=r"cannot be exported: .*--runtime torch"):
        export_model(saved, tmp_path / "exported")
    assert not (tmp_path / "exported").exists()


def with_shares(answers: list[tuple[Quad, ...]]) -> list[list[tuple[Quad, tuple[float, ...]]]]:
    """Show what a comparison of quads leaves out."""
    return [[(quad, tuple((quad.confidence or {}).values())) for quad in quads] for quads in answers]


def test_export_predicts_what_the_model_predicts(saved: Path, exported: Path) -> None:
    predictor = load_predictor(exported, threads=1)
    parity = compare(load_model(saved), predictor, TEXTS)
    assert sum(map(len, predictor.predict(TEXTS))) > 5, "a model that finds nothing shows nothing"
    assert parity.equal == 1
    assert parity.largest < 1e-4


def test_export_names_its_files_but_not_this_machine(exported: Path) -> None:
    config = json.loads((exported / "config.json").read_text())
    assert sorted(config["files"]) == ["model.bin", "model.xml", "tokenizer.json"]
    assert config["parity"] == {"texts": len(SAMPLES), "equal": 1.0, "largest": config["parity"]["largest"]}
    assert "_name_or_path" not in config["encoder"]["config"]
    assert (exported / "README.md").read_text() == "# A card\n"


@pytest.mark.parametrize("engine", ["openvino", "torch"])
def test_answer_is_the_same_to_the_last_digit_alone_and_in_a_batch(engine: str, exported: Path) -> None:
    predictor = load_predictor(exported, engine=engine, threads=1)
    alone = [predictor.predict([text])[0] for text in TEXTS]
    assert with_shares(predictor.predict(TEXTS)) == with_shares(alone)


def test_torch_reads_the_weights_of_an_export(exported: Path) -> None:
    ours, theirs = (load_predictor(exported, engine=engine, threads=1) for engine in ("openvino", "torch"))
    assert ours.predict(TEXTS) == theirs.predict(TEXTS)
    np.testing.assert_allclose(ours.embed(TEXTS), theirs.embed(TEXTS), atol=1e-5)
    assert ours.identity != theirs.identity


def test_half_of_the_bits_are_half_of_the_file(saved: Path, exported: Path, tmp_path: Path) -> None:
    parity = export_model(saved, tmp_path / "half", precision="fp16")
    small, large = ((folder / "model.bin").stat().st_size for folder in (tmp_path / "half", exported))
    assert small / large == pytest.approx(0.5, abs=0.01)
    assert parity.equal > 0.8


def assert_like_any_predictor(predictor: Predictor, width: int) -> None:
    assert len(predictor.predict(TEXTS)) == len(TEXTS)
    assert predictor.predict([]) == []
    vectors = predictor.embed(["soup", "bread", ""])
    assert (vectors.shape, vectors.dtype) == ((3, width), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors[:2], axis=1), 1, rtol=1e-5)
    assert predictor.embed([]).shape == (0, width)


def test_saved_model_runs_on_torch(saved: Path, exported: Path) -> None:
    predictor = load_predictor(saved)
    assert_like_any_predictor(predictor, 32)
    assert predictor.predict(TEXTS) == load_predictor(exported, threads=1).predict(TEXTS)


def test_saved_model_of_another_kind_runs_on_torch(tmp_path: Path) -> None:
    save_model(make_model("span-aste"), tmp_path / "other")
    assert_like_any_predictor(load_predictor(tmp_path / "other"), 32)


def test_model_of_another_task_is_refused(tmp_path: Path) -> None:
    save_model(make_model("marked"), tmp_path / "other")
    with pytest.raises(ConfigError, match="found a model for atsc: expected one for aste, asqp, quads"):
        load_predictor(tmp_path / "other")
    with pytest.raises(ConfigError, match="found a model of kind Marked: expected quad-span or stage"):
        export_model(tmp_path / "other", tmp_path / "out")


def test_model_over_word_vectors_is_refused(tmp_path: Path) -> None:
    encoder = VectorEncoder("vectors:small", np.eye(4, dtype=np.float32), ["the", "soup", "was", "hot"])
    save_model(build_model("stage", encoder), tmp_path / "words")
    with pytest.raises(ConfigError, match="reads words: expected a transformer"):
        export_model(tmp_path / "words", tmp_path / "out")


def test_folder_of_something_else_is_not_replaced(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(ConfigError, match="already exists and is not an exported model"):
        export_model(saved, tmp_path)


def test_unknown_precision_is_refused(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="precision 'int3' is unknown: There are: bf16, fp16, fp32"):
        export_model(saved, tmp_path / "out", precision="int3")


def test_parity_counts_equal_texts_and_the_largest_difference(exported: Path, saved: Path) -> None:
    class Half:
        """Answers only every other text, and a little less sure."""

        identity = "half"

        def __init__(self) -> None:
            self.whole = load_predictor(exported, threads=1)

        def predict(self, texts: list[str]) -> list[tuple[Quad, ...]]:
            return [quads if n % 2 else () for n, quads in enumerate(self.whole.predict(texts))]

        def embed(self, texts: list[str]) -> np.ndarray:
            return self.whole.embed(texts)

    found = [bool(quads) for quads in load_predictor(exported, threads=1).predict(SAMPLES)]
    silent = sum(n % 2 == 1 or not some for n, some in enumerate(found))
    parity = compare(load_model(saved), Half(), SAMPLES)
    assert parity.equal == silent / len(SAMPLES)
    assert not Parity(20, 0.9, 0.0).is_enough
