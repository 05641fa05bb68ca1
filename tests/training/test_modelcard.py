"""The card of a model: what people, the hub and programs read of a training."""

import json
from math import inf
from pathlib import Path

import pytest

pytest.importorskip("torch")

from huggingface_hub import ModelCard

from aspectlab.data import Corpus
from aspectlab.errors import DataError
from aspectlab.models import build_model
from aspectlab.training import fit, load_model
from aspectlab.training.modelcard import write_card
from tests.support.training import PLAN, make_examples, make_model

TRAIN = Corpus("my | corpus", "en", examples=make_examples("Today"))
DEV = Corpus("dev: part", "en", examples=make_examples("Yesterday"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fitted = fit(make_model(), TRAIN, DEV, plan=PLAN, epochs=2, seed=4, device="cpu")
    fitted.model.save(tmp_path_factory.mktemp("card") / "model")
    return tmp_path_factory.getbasetemp() / "card0" / "model"


def test_card_counts_categories_that_are_too_many_to_list() -> None:
    names = {style: [f"{style.upper()}#{n}" for n in range(40)] for style in ("memd", "oats")}
    model = build_model("quad-span", "tiny", {"styles": ["memd", "oats"], "categories": names})
    card = write_card(model)
    assert "| categories | memd: 40 names, oats: 40 names |" in card
    assert "MEMD#7" not in card


def test_library_of_the_hub_reads_the_card(folder: Path) -> None:
    found = ModelCard.load(folder / "README.md").data
    assert (found.language, found.license, found.library_name) == (["en"], "unknown", "aspectlab")
    assert found.datasets == ["my-corpus", "dev-part"]
    assert {"aspectlab", "atsc", "marked"} <= set(found.tags)
    scores = json.loads((folder / "config.json").read_text())["training"]["dev"]
    assert {each.metric_type: each.metric_value for each in found.eval_results} == scores
    assert {each.dataset_name for each in found.eval_results} == {"dev: part"}


def test_config_holds_plan_seed_and_hashes_for_programs(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    assert (config["model_type"], config["library_name"], config["task"]) == (
        "aspectlab",
        "aspectlab",
        "atsc",
    )
    training = config["training"]
    assert (training["seed"], training["plan"]["epochs"], training["plan"]["batch_size"]) == (4, 2, 8)
    assert {use: part["sha256"] for use, part in training["corpora"].items()} == {
        "train": TRAIN.sha256,
        "dev": DEV.sha256,
    }


def test_history_has_a_line_for_every_epoch(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / "history.jsonl").read_text().splitlines()]
    assert [line["number"] for line in lines] == [0, 1]
    assert all(line.keys() == {"number", "loss", "dev", "seconds"} for line in lines)


def test_card_of_a_model_that_was_loaded_stays(folder: Path, tmp_path: Path) -> None:
    load_model(folder).save(tmp_path / "again")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == files


@pytest.mark.parametrize(
    "change",
    [
        {"seed": "1"},
        {"plan": []},
        {"corpora": {"train": {"name": 3}}},
        {"dev": {"accuracy": "<script>"}},
        {"loss": None},
    ],
)
def test_record_of_strangers_is_refused(folder: Path, tmp_path: Path, change: dict[str, object]) -> None:
    load_model(folder).save(tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    config["training"] |= change
    (tmp_path / "model" / "config.json").write_text(json.dumps(config))
    with pytest.raises(DataError, match=r"config\.json: training: found another record"):
        load_model(tmp_path / "model")


@pytest.mark.parametrize("content", ["{", "[" * 100_000, "[]"])
def test_history_of_strangers_is_refused(folder: Path, tmp_path: Path, content: str) -> None:
    load_model(folder).save(tmp_path / "model")
    (tmp_path / "model" / "history.jsonl").write_text(content)
    with pytest.raises(DataError, match="copy the folder again"):
        load_model(tmp_path / "model")


def test_config_is_json_for_any_program_where_nothing_is_clipped(tmp_path: Path) -> None:
    fitted = fit(make_model(), TRAIN, DEV, plan=PLAN, epochs=1, clip=inf, device="cpu")
    fitted.model.save(tmp_path / "model")
    text = (tmp_path / "model" / "config.json").read_text()
    config = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert config["training"]["plan"]["clip"] == "inf"
    assert load_model(tmp_path / "model").training_record == fitted.model.training_record
