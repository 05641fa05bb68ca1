"""`aspectlab metamorphic mutants` and `verdicts` as a user meets them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the mutants need the extra 'train'")

import torch
from defusedxml import ElementTree
from torch import nn

from aspectlab.data import Example
from aspectlab.data.corpus import example_from_dict
from aspectlab.errors import ConfigError, DataError
from aspectlab.training import extensions
from aspectlab.training.extensions import violation_rates
from tests.support.follow_ups import FOLLOWUPS, SOURCE, SWAPPED, TEXT, run, save_untrained, write

OPTIONS = ["--operators", "GF,NS", "--count", "2", "--device", "cpu"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an untrained model and two follow-ups."""
    folder = tmp_path_factory.mktemp("mutants")
    save_untrained("span-aste", folder / "model")
    write(folder / "followups.jsonl", [SOURCE, *FOLLOWUPS])
    return folder


@pytest.fixture
def _sharp(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a model be right until a weight changes; then it finds nothing."""
    gold = {TEXT: example_from_dict(SOURCE).quads}
    gold[SWAPPED] = tuple(example_from_dict(record).quads[0] for record in FOLLOWUPS)
    known: list[float] = []

    def predict(model: nn.Module, examples: Sequence[Example]) -> list[Example]:
        # by place, since some mutants only change the order of weights
        known.append(sum(float(p.flatten() @ torch.arange(p.numel()).float()) for p in model.parameters()))
        return [replace(e, quads=gold[e.text] if known[-1] == known[0] else ()) for e in examples]

    monkeypatch.setattr(violation_rates, "predict", predict)


@pytest.mark.usefixtures("_sharp")
def test_metamorphic_mutants_leave_the_checkpoint_alone(place: Path) -> None:
    folder = place / "model"
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    result = run("mutants", folder, place / "followups.jsonl", *OPTIONS, "--json")
    assert result.exit_code == 0, result.output
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    assert sorted(path.name for path in place.iterdir()) == ["followups.jsonl", "model"]
    assert "NS: mutant with seed 1: F1 0.00" in result.stderr


@pytest.mark.usefixtures("_sharp")
def test_metamorphic_mutants_keep_their_json_keys(place: Path) -> None:
    found = json.loads(run("mutants", place / "model", place / "followups.jsonl", *OPTIONS, "--json").stdout)
    assert (found["model"], found["corpus"]) == ("model", "followups")
    assert found["signature"].startswith("aste-vr|corpus:")
    assert "-mutants2-ratio0.01-satisfied|" in found["signature"]
    keys = {"relation", "operator", "vr", "reference", "p", "p_greater", "p_holm", "verdict", "verdict_holm"}
    assert all(row.keys() == {*keys, "values", "references"} for row in found["comparisons"])
    # a mutant that finds nothing loses the sentence, but its answers still agree with each other
    assert {(row["vr"], row["reference"]) for row in found["comparisons"]} == {(0, 1)}
    assert [row["relation"] for row in found["comparisons"]] == ["MR1-2", "MR2-4"] * 2


@pytest.mark.usefixtures("_sharp")
def test_metamorphic_mutants_can_be_judged_by_what_they_find(place: Path) -> None:
    words = ["mutants", place / "model", place / "followups.jsonl", *OPTIONS, "--cases", "found", "--json"]
    found = json.loads(run(*words).stdout)
    assert found["cases"] == "found"
    # a mutant that finds nothing loses the sentence and both triplets of the follow-ups
    assert {(row["vr"], row["reference"]) for row in found["comparisons"]} == {(1, 1)}


@pytest.mark.usefixtures("_sharp")
def test_metamorphic_mutants_that_keep_too_little_are_drawn_again(place: Path) -> None:
    # all of them find nothing, so none is good enough
    result = run("mutants", place / "model", place / "followups.jsonl", *OPTIONS, "--quality", "0.9")
    assert isinstance(result.exception, ConfigError)
    assert "GF: found 0 with 90% of the model's F1: expected 2" in str(result.exception)
    assert "GF: mutant with seed 19: F1 0.00, dropped" in result.stderr


@pytest.mark.usefixtures("_sharp")
def test_metamorphic_mutants_have_the_seeds_from_0_to_9(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bred: list[tuple[str, int, float]] = []

    @contextmanager
    def note(model: object, operator: str, *, seed: int, ratio: float) -> Iterator[None]:
        bred.append((operator, seed, ratio))
        yield

    monkeypatch.setattr(extensions, "mutated", note)
    run("mutants", place / "model", place / "followups.jsonl", "--sources", "1", "--device", "cpu")
    # section 3 of the specification: ten of each of four operators, one neuron in a hundred
    assert bred == [(name, seed, 0.01) for name in ("GF", "WS", "NEB", "NS") for seed in range(10)]


def make_result(path: Path, model: str) -> str:
    """A result in which one relation notices every mutant more often, and one less often."""
    high, low = [0.5 + 0.01 * n for n in range(10)], [0.01 * n for n in range(10)]
    sides = {"MR1-1": (high, low), "MR2-4": (low, high)}
    rows = [
        {"relation": relation, "operator": operator, "vr": sum(values) / 10, "reference": sum(gold) / 10}
        # 2 of 1024 sign patterns are as extreme, 1 of them in this direction
        | {"p": 2 / 1024, "p_greater": 1 / 1024 if values is high else 1.0, "p_holm": 0.01}
        | {"values": values, "references": gold}
        for relation, (values, gold) in sides.items()
        for operator in ("GF", "WS")
    ]
    result = {"model": model, "corpus": "14lap", "cases": "satisfied", "signature": "aste-vr|x"}
    result |= {"comparisons": rows}
    path.write_text(json.dumps(result), encoding="utf-8")
    return str(path)


def test_metamorphic_verdicts_put_models_side_by_side(tmp_path: Path) -> None:
    files = [make_result(tmp_path / f"{name}.json", name) for name in ("bdtf", "stage")]
    found = json.loads(run("verdicts", *files, "--json").stdout)
    assert [run["model"] for run in found] == ["bdtf", "stage"]
    rows = [row for run in found for row in run["comparisons"]]
    # eight equal p: Holm's smallest stands against all of them
    assert {row["p_holm"] for row in rows} == {8 * 2 / 1024}
    assert [row["verdict_holm"] for row in rows] == ["better", "better", "worse", "worse"] * 2


def test_metamorphic_verdicts_draw_every_result(tmp_path: Path) -> None:
    files = [make_result(tmp_path / f"{name}.json", name) for name in ("bdtf", "stage")]
    result = run("verdicts", *files, "--plots", tmp_path / "plots")
    assert result.exit_code == 0, result.output
    names = {path.name for path in (tmp_path / "plots").iterdir()}
    joint = {f"statistics-by-{what}.svg" for what in ("relation", "operator", "model")}
    own = {f"{what}-{name}-14lap.svg" for what in ("verdicts", "rates") for name in ("bdtf", "stage")}
    assert names == {"mutants.html", "mutants.json"} | joint | own
    assert {ElementTree.parse(tmp_path / "plots" / name).getroot().get("role") for name in joint | own} == {
        "img"
    }
    # what was written can be read again
    again = run("verdicts", tmp_path / "plots" / "mutants.json", "--json")
    assert json.loads(again.stdout) == json.loads((tmp_path / "plots" / "mutants.json").read_text())


@pytest.mark.usefixtures("_sharp")
@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (["--operators", "GF,XX"], "mutation operator 'XX' is unknown"),
        (["--operators", ","], "--operators: found none: expected some of GF, WS, NEB, NS"),
        (["--cases", "lost"], "--cases 'lost' is unknown"),
    ],
)
def test_metamorphic_mutants_refuse_an_unknown_name_before_the_work(
    place: Path, option: list[str], expected: str
) -> None:
    result = run("mutants", place / "model", place / "followups.jsonl", *option)
    assert isinstance(result.exception, ConfigError)
    assert expected in str(result.exception)
    assert "mutant with seed" not in result.stderr


def test_metamorphic_mutants_need_a_model_that_is_right_somewhere(place: Path) -> None:
    error = run("mutants", place / "model", place / "followups.jsonl", *OPTIONS).exception
    assert isinstance(error, ConfigError)
    assert "gets 0 of 1 sentences wholly right" in str(error)


@pytest.mark.usefixtures("_sharp")
def test_metamorphic_mutants_write_pictures_and_numbers(place: Path, tmp_path: Path) -> None:
    words = ["mutants", place / "model", place / "followups.jsonl", *OPTIONS, "--plots", tmp_path / "plots"]
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "p Holm" in result.stdout
    # four tests at most, and two mutants: p is never below 1/2
    assert "no corrected p can be below 0.05" in result.stderr
    assert (tmp_path / "plots" / "mutants.html").is_file()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "found no JSON"),
        ("[]", "no result"),
        ('{"model": "a"}', "expected what `aspectlab metamorphic mutants --json` prints"),
        ('{"model": 1, "corpus": "c", "signature": "s", "comparisons": [{}]}', "found the model, corpus"),
        (
            '{"model": "a", "corpus": "c", "cases": "found", "signature": "s", "comparisons": [{}]}',
            "found None in a comparison",
        ),
        (None, "cannot be read"),
    ],
)
def test_metamorphic_verdicts_name_a_file_that_is_no_result(
    tmp_path: Path, text: str | None, expected: str
) -> None:
    path = tmp_path / "result.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    error = run("verdicts", path).exception
    assert isinstance(error, DataError)
    assert str(error).startswith(str(path))
    assert expected in str(error)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--png"], "--png without --plots"),
        (["--plots", "FILE/plots"], "choose another --plots"),
        (["FILE"], "found 2 results: expected one of each"),
    ],
    ids=["no folder", "no place", "twice"],
)
def test_metamorphic_verdicts_refuse_what_cannot_be_drawn(
    tmp_path: Path, words: list[str], expected: str
) -> None:
    file = make_result(tmp_path / "one.json", "bdtf")
    error = run("verdicts", file, *(word.replace("FILE", file) for word in words)).exception
    assert isinstance(error, ConfigError)
    assert expected in str(error)


def test_metamorphic_verdicts_do_not_write_over_what_they_read(tmp_path: Path) -> None:
    text = Path("examples/mutants.json").read_text(encoding="utf-8")
    (tmp_path / "mutants.json").write_text(text, encoding="utf-8")
    error = run("verdicts", tmp_path / "mutants.json", "--plots", tmp_path).exception
    assert "is an input and would be overwritten" in str(error)
    assert (tmp_path / "mutants.json").read_text(encoding="utf-8") == text
