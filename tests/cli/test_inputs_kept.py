"""No command writes over a file that it reads, or a file that is not what its name says."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from aspectlab.cli.main import app
from aspectlab.errors import ConfigError


@pytest.fixture(autouse=True)
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.jsonl", "b.jsonl"):
        Path(name).write_text('{"id": "1", "text": "Tea.", "quads": []}\n', encoding="utf-8")


@pytest.mark.parametrize("kept", ["a.jsonl", "b.jsonl"])
@pytest.mark.parametrize(
    "words",
    [
        ["arts", "generate", "a.jsonl", "--train", "b.jsonl", "--out"],
        ["arts", "generate", "b.jsonl", "--train", "c.jsonl", "--predicted", "a.jsonl", "--out"],
        ["arts", "augment", "a.jsonl", "--exclude", "b.jsonl", "--out"],
        ["arts", "augment", "b.jsonl", "--opinions", "a.jsonl", "--out"],
        ["arts", "score", "a.jsonl", "b.jsonl", "--failures"],
        ["metamorphic", "generate", "a.jsonl", "--train", "b.jsonl", "--out"],
        ["metamorphic", "test", "a.jsonl", "b.jsonl", "--failures"],
    ],
    ids=lambda words: " ".join(words),
)
def test_command_does_not_write_over_what_it_reads(words: list[str], kept: str) -> None:
    answer = CliRunner().invoke(app, [*words, kept])
    assert isinstance(answer.exception, ConfigError)
    assert f"{kept}: is an input and would be overwritten; choose another {words[-1]}" in str(
        answer.exception
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["arts", "generate", "a.jsonl", "--train", "b.jsonl", "--out"], "JSON or JSONL is written here"),
        (["arts", "augment", "a.jsonl", "--out"], "JSONL is written here"),
        (["metamorphic", "generate", "a.jsonl", "--out"], "JSONL is written here"),
        (["annotate", "sample", "a.jsonl", "--size", "1", "--out"], "JSONL is written here"),
        (["annotate", "prelabel", "a.jsonl", "--out"], "JSONL is written here"),
        (["predict", "model", "a.jsonl", "--out"], "JSONL is written here"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else None,
)
@pytest.mark.parametrize("name", ["out.csv", "out.XLSX"])
def test_name_that_promises_another_kind_of_file_is_refused_before_the_work(
    words: list[str], expected: str, name: str
) -> None:
    answer = CliRunner().invoke(app, [*words, name])
    assert isinstance(answer.exception, ConfigError)
    assert f"{name}: suffix" in str(answer.exception)
    assert expected in str(answer.exception)
    assert not Path(name).exists()
