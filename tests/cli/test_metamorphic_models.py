"""`aspectlab metamorphic test` with models that torch runs."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

from aspectlab.encoders import load_encoder
from aspectlab.errors import ConfigError
from aspectlab.training.extensions.violation_rates import unknown_word
from tests.support.follow_ups import FOLLOWUPS, SOURCE, run, save_untrained, write


@pytest.mark.parametrize(("name", "task"), [("span-aste", "aste"), ("marked", "atsc")])
def test_metamorphic_test_takes_a_saved_model(tmp_path: Path, name: str, task: str) -> None:
    made = write(tmp_path / "followups.jsonl", [SOURCE, *FOLLOWUPS])
    result = run("test", save_untrained(name, tmp_path / "model"), made, "--json", "--device", "cpu")
    report = json.loads(result.stdout)
    assert [report[relation]["cases"] for relation in ("MR1-2", "MR2-4")] == [1, 1]
    # an untrained model may find any spans, but it must answer
    assert [fault for fault in report["faults"] if fault.startswith("no answer")] == []
    assert report["signature"].startswith(f"{task}-vr|")


def test_metamorphic_test_refuses_a_model_of_another_task(tmp_path: Path) -> None:
    made = write(tmp_path / "followups.jsonl", [SOURCE, *FOLLOWUPS])
    folder = save_untrained(
        "category-multilabel", tmp_path / "model", {"categories": ["food"], "classes": ["absent", "positive"]}
    )
    result = run("test", folder, made, "--device", "cpu")
    assert isinstance(result.exception, ConfigError)


def test_unknown_word_is_that_of_the_vocabulary() -> None:
    # the toy vocabulary has BERT's
    assert unknown_word(load_encoder("tiny").vocabulary) == "[UNK]"
