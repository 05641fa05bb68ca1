"""`aspectlab metamorphic test` goes on whatever a model does: five kinds of bad answers, on one text each."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from aspectlab.data import Example
from aspectlab.data.corpus import example_from_dict
from tests.support.follow_ups import FOLLOWUPS, SOURCE, SWAPPED, TEA, answer, quad, run, save_untrained, write

GOOD = quad(SWAPPED, "cup", "dirty", "negative")
RIGHT = quad(SWAPPED, "tea", "bad", "negative")
OUTSIDE = RIGHT | {"aspect": {"text": "tea", "start": 90, "end": 93}}
ELSEWHERE = RIGHT | {"aspect": {"text": "tea", "start": 0, "end": 3}}
CROSSED = quad(SWAPPED, "tea is", "is bad", "negative")
NESTED = quad(SWAPPED, "The tea", "bad", "negative")


@pytest.fixture
def made(tmp_path: Path) -> str:
    return write(tmp_path / "followups.jsonl", [SOURCE, *FOLLOWUPS])


@pytest.mark.parametrize(
    ("quads", "fault"),
    [
        ([RIGHT, OUTSIDE], "span outside the text"),
        ([RIGHT, ELSEWHERE], "span outside the text"),
        ([RIGHT, RIGHT], "repeated triplet"),
        ([RIGHT, CROSSED], "overlapping terms"),
        ([RIGHT, NESTED], "overlapping terms"),
        ([RIGHT, "what"], "no answer: an error"),
    ],
    ids=["outside", "elsewhere", "repeated", "crossed", "nested", "no quad"],
)
def test_metamorphic_test_reports_bad_quads_of_one_text(
    tmp_path: Path, made: str, quads: list[object], fault: str
) -> None:
    predicted = answer({"1.MR1-2.1.0": [GOOD], "1.MR2-4.0.0": quads})
    result = run("test", write(tmp_path / "run.jsonl", predicted), made, "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert (report["MR1-2"]["faults"], report["MR2-4"]["faults"]) == ({}, {fault: 1})
    assert list(report["faults"]) == [fault]
    assert "example '1.MR2-4.0.0'" in report["faults"][fault]
    assert fault in result.stderr
    # what is sound of the answer is judged all the same
    assert report["MR2-4"]["violations"] == int(fault.startswith("no answer"))


def test_metamorphic_test_finds_terms_of_the_source_that_overlap(tmp_path: Path, made: str) -> None:
    twice = [TEA, TEA | {"aspect": {"text": "The tea", "start": 0, "end": 7}}]
    result = run("test", write(tmp_path / "run.jsonl", answer({"1": twice})), made, "--json")
    assert json.loads(result.stdout)["MR1-2"]["faults"] == {"overlapping terms": 1}


def spoil(monkeypatch: pytest.MonkeyPatch, fail: Callable[[], None]) -> None:
    """Let the model be right everywhere, but fail where a follow-up says "bad"."""
    asking = pytest.importorskip(
        "aspectlab.training.extensions.violation_rates", reason="the models need the extra 'train'"
    )
    source = example_from_dict(SOURCE)

    def predict(model: object, examples: Sequence[Example]) -> list[Example]:
        if any("bad" in example.text for example in examples):
            fail()
        return [replace(example, quads=source.quads) for example in examples]

    monkeypatch.setattr(asking, "predict", predict)


def stumble() -> None:
    raise RuntimeError("cannot read this")


@pytest.mark.parametrize(
    ("fail", "fault", "message"),
    [
        (stumble, "no answer: an error", "RuntimeError: cannot read this"),
        (lambda: time.sleep(2), "no answer in time", "no answer within 0.6 s"),
    ],
    ids=["raises", "hangs"],
)
def test_metamorphic_test_goes_on_when_a_trained_model_fails(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    made: str,
    fail: Callable[[], None],
    fault: str,
    message: str,
) -> None:
    spoil(monkeypatch, fail)
    folder = save_untrained("span-aste", tmp_path / "model")
    result = run("test", folder, made, "--json", "--device", "cpu", "--timeout", "0.6")
    report = json.loads(result.stdout)
    assert report["faults"] == {fault: f"example '1.MR1-2.1.0': {message}"}
    # both follow-ups have that word; both targets are found in the source alone
    assert [report[name]["faults"] for name in ("MR1-2", "MR2-4")] == [{fault: 1}] * 2
    assert [report[name]["vr_conditional"] for name in ("MR1-2", "MR2-4")] == [1, 1]
    assert report["f1"] == 1


def test_metamorphic_test_counts_a_case_with_two_faults_once(tmp_path: Path, made: str) -> None:
    # the column of faulty cases added up the kinds, and could exceed the number of cases
    predicted = answer({"1.MR1-2.1.0": [GOOD], "1.MR2-4.0.0": [RIGHT, RIGHT, OUTSIDE]})
    result = run("test", write(tmp_path / "run.jsonl", predicted), made, "--json")
    tally = json.loads(result.stdout)["MR2-4"]
    assert tally["faults"] == {"repeated triplet": 1, "span outside the text": 1}
    assert (tally["cases"], tally["faulty"]) == (1, 1)
