"""No text of a file, of its name or of an endpoint reaches the terminal as a control sequence."""

import ast
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.text import Text

import aspectlab
from aspectlab.cli.console import SafeConsole, print_json, print_table
from aspectlab.cli.main import main

EVIL = "tea\x1b]0;PWNED\x07\x1b[31m\x9b2J\x7f\u202e"
"""Sets the title, then the colour, clears the screen, and turns the direction of what follows."""

DRIVING = set(EVIL) - set("tea]0;PWNED[31m2J")

QUAD = {
    "aspect": {"text": "soup", "start": 4, "end": 8},
    "category": EVIL,
    "opinion": {"text": "lovely", "start": 13, "end": 19},
    "polarity": "positive",
}
PARTS = ["aspect", "category", "opinion", "polarity"]
ABOUT = {"name": EVIL, "language": "en", "annotates": PARTS, "version": EVIL}

STUDY = """
name = "{name}"
task = "aste"
[corpora."{name}"]
train = "{name}.jsonl"
[[models]]
name = "{name}"
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files whose columns, ids, names and values are control sequences."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASPECTLAB_CACHE", str(tmp_path / "cache"))
    row = "\n".join(f"{number},The soup was good,{number}" for number in range(3))
    Path("esc.csv").write_text(f"id,{EVIL},x\n{row}\n", encoding="utf-8")
    record = {"id": EVIL, "text": "The soup was lovely.", "quads": [QUAD], "corpus": ABOUT}
    Path("esc.jsonl").write_text(f"{json.dumps(record)}\n", encoding="utf-8")
    Path("fold").mkdir()
    Path("fold", f"{EVIL}.csv").write_text("text\nThe soup was good\n", encoding="utf-8")
    Path("fold", f"{EVIL}2.csv").write_bytes(b"\x00\x01")
    said = json.dumps(EVIL)[1:-1]
    Path("study.toml").write_text(STUDY.format(name=said), encoding="utf-8")
    rows = ["model,encoder,corpus,split,seed,accuracy"]
    rows += [f"{EVIL},{EVIL},{EVIL},1,{seed},{50 + seed}" for seed in (1, 2)]
    Path("rows.csv").write_text("\n".join(rows), encoding="utf-8")


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command as a shell does and return all that it wrote."""

    def call(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["aspectlab", *words])
        with pytest.raises(SystemExit):
            main()
        return "".join(capsys.readouterr())

    return call


COMMANDS = [
    ["data", "stats", "esc.csv"],
    ["data", "stats", "esc.jsonl"],
    ["data", "stats", "esc.jsonl", "--json"],
    ["data", "stats", f"fold/{EVIL}2.csv"],
    ["data", "show", "esc.jsonl"],
    ["data", "check", "esc.jsonl"],
    ["data", "clean", "esc.jsonl", "clean.jsonl"],
    ["data", "split", "esc.jsonl", "--out", "splits"],
    ["data", "convert", "esc.jsonl", f"{EVIL}.txt"],
    ["analyze", "esc.csv", "--text-column", "nope"],
    ["analyze", "fold", "--out", EVIL],
    ["score", "esc.jsonl", "esc.jsonl", "--task", "aste", "--resamples", "0"],
    ["score", "esc.jsonl", "esc.jsonl", "--task", EVIL],
    ["arts", "score", "esc.jsonl", "esc.jsonl"],
    ["metamorphic", "test", EVIL, "esc.jsonl"],
    ["graph", "esc.jsonl", "--out", "graph"],
    ["graph", "esc.jsonl", "--entity", EVIL, "--out", "graph"],
    ["report", "rows.csv"],
    ["report", "rows.csv", "--format", "csv"],
    ["report", "rows.csv", "--json"],
    ["compare", "rows.csv", "--a", EVIL, "--b", EVIL],
    ["validate", "study.toml"],
    ["run", "study.toml", "--out", "runs"],
    ["absita", "validate", "esc.csv"],
    ["predict", EVIL, "esc.jsonl", "--out", "out.jsonl"],
    ["models", EVIL],
]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:3]).replace(EVIL, "EVIL"))
def test_escape_sequence_of_a_file_drove_the_terminal(words: list[str], say: Callable[..., str]) -> None:
    printed = say(*words)
    assert "PWNED" in printed, printed
    assert DRIVING & set(printed) == set()


def test_table_shows_what_an_escape_sequence_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(EVIL, [EVIL], [[EVIL]])
    printed = capsys.readouterr().out
    assert printed.count("PWNED") == 3
    assert DRIVING & set(printed) == set()


def test_json_keeps_control_characters_as_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({EVIL: "naïve \U0001f372"})
    printed = capsys.readouterr().out
    assert DRIVING & set(printed) == set()
    assert json.loads(printed) == {EVIL: "naïve \U0001f372"}
    assert "naïve \U0001f372" in printed


def test_console_keeps_its_own_colours(capsys: pytest.CaptureFixture[str]) -> None:
    SafeConsole(force_terminal=True, color_system="standard").print(Text(EVIL, style="red"))
    printed = capsys.readouterr().out
    assert printed.startswith("\x1b[31mtea\ufffd]0;PWNED")
    assert printed.count("\x1b") == 2  # red, and back


def test_commands_write_through_one_module() -> None:
    """What is printed elsewhere is not escaped; `print` itself is refused by ruff."""
    wrong = [
        f"{path.name}:{node.lineno}"
        for path in (Path(aspectlab.__file__).parent / "cli").glob("*.py")
        if path.name != "console.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Call) and ast.unparse(node.func) in ("Console", "print", "typer.echo"))
        or (isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.stdout.write", "sys.stderr.write"))
    ]
    assert wrong == []
