"""The violation rates that weighed MATO are kept: with the fitted model, in its card and in run.json."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.studies import write_corpora, write_study

pytest.importorskip("torch", reason="training needs the extra 'train'")

from aspectlab.cli.main import app
from aspectlab.errors import DataError
from aspectlab.experiments.engine import Job
from aspectlab.experiments.execute import RunExecutor, inspect_models
from aspectlab.experiments.plan import plan_runs
from aspectlab.experiments.record import record_from_dict
from aspectlab.experiments.studyfile import read_study

GIVEN = {"aspect": 0.3, "opinion": 0.2, "sentiment": 0.4}
SETTINGS = {f"mato_{name}": rate for name, rate in GIVEN.items()}


def carry_out(tmp_path: Path, mato: str) -> dict[str, object]:
    """Carry out one run of the toy study and give its run.json."""
    settings = ", ".join(f"{name} = {rate}" for name, rate in SETTINGS.items())
    model = f"""
[[models]]
name = "stage"
encoder = "tiny"
{mato}
settings = {{ epochs = 1, batch_size = 8{f", {settings}" if mato else ""} }}
"""
    study, _ = read_study(write_study(tmp_path, models=model))
    schedule, problems = plan_runs(study, inspect_models)
    assert problems == []
    run = schedule.runs[0]
    files = RunExecutor("cpu").execute(Job(run, "toy", "", False), schedule.materials[run.group.material])
    record: dict[str, object] = json.loads(files["run.json"])
    return record


@pytest.mark.parametrize(("mato", "expected"), [("mato = true", GIVEN), ("", {})], ids=["with", "without"])
def test_run_record_holds_the_rates_that_weighed_mato(
    tmp_path: Path, mato: str, expected: dict[str, float]
) -> None:
    found = carry_out(tmp_path, mato)
    assert found["rates"] == expected
    assert record_from_dict(found).rates == expected
    # a record of the time before there were rates is read as well
    assert record_from_dict({key: value for key, value in found.items() if key != "rates"}).rates == {}
    with pytest.raises(DataError, match="key 'aspect': found 'high': expected float"):
        record_from_dict({**found, "rates": {"aspect": "high"}})


@pytest.mark.parametrize(("variant", "is_told"), [("published", True), ("weighting", False)])
def test_model_card_tells_the_rates_that_weighed_mato(tmp_path: Path, variant: str, is_told: bool) -> None:
    write_corpora(tmp_path)
    chosen = [
        f"{name}={rate}" for name, rate in {**SETTINGS, "mato": "true", "mato_variant": variant}.items()
    ]
    words = ["train", "--model", "stage", "--encoder", "tiny", "--epochs", "1", "--device", "cpu"]
    words += [word for pair in chosen for word in ("--set", pair)]
    words += ["--train", str(tmp_path / "train.jsonl"), "--dev", str(tmp_path / "dev.jsonl")]
    result = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "model")])
    assert result.exit_code == 0, result.output
    card = (tmp_path / "model" / "README.md").read_text(encoding="utf-8")
    assert ("| element | value |\n|---|---|\n| aspect | 30.00 |\n| opinion | 20.00 |" in card) == is_told
