"""A package of a stranger adds a model, a reader and a metric; the package is what CONTRIBUTING shows."""

import json
import logging
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab import readers
from aspectlab.cli.main import app
from aspectlab.errors import ConfigError
from aspectlab.metrics import METRICS, Metric
from aspectlab.readers import READERS
from aspectlab.registry import Registry

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(python|toml)\n(.*?)^```", re.M | re.S)
MODULES = ("reader", "metric", "model")
ROWS = {
    "train": [("The soup was hot.", "soup", "positive"), ("The bread was stale.", "bread", "negative")],
    "test": [("What a view!", "view", "positive")],
    "dev": [("Our waiter smiled.", "waiter", "positive"), ("That bill!", "bill", "negative")],
}


def install(folder: Path, name: str, entry_points: dict[str, dict[str, str]]) -> None:
    """Lay down what pip would."""
    found = folder / f"{name}-1.2.dist-info"
    found.mkdir(parents=True)
    (found / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    lines = []
    for group, rows in entry_points.items():
        lines += [f"[{group}]", *(f"{key} = {target}" for key, target in rows.items())]
    (found / "entry_points.txt").write_text("\n".join(lines))


def forget(registries: list[Registry[object]]) -> None:
    for registry in registries:
        for name in ("_plugins", "_working"):
            vars(registry).pop(name, None)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder from which packages are imported, in this process and those that it starts."""
    from aspectlab.models import MODELS

    registries: list[Registry[object]] = [MODELS, READERS, METRICS]  # type: ignore[list-item]
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", f"{folder}:{ROOT}")
    forget(registries)
    yield folder
    forget(registries)
    for name in [name for name in sys.modules if name.partition(".")[0] in {"mypackage", "broken"}]:
        del sys.modules[name]


@pytest.fixture
def plugin(site: Path) -> Path:
    """The package of CONTRIBUTING, installed."""
    blocks = BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    codes = [code for language, code in blocks if language == "python"]
    table = next(code for language, code in blocks if language == "toml")
    package = site / "mypackage"
    package.mkdir()
    (package / "__init__.py").touch()
    for name, code in zip(MODULES, codes, strict=True):
        (package / f"{name}.py").write_text(code, encoding="utf-8")
    install(site, "mypackage", tomllib.loads(table)["project"]["entry-points"])
    for part, rows in ROWS.items():
        lines = ["MYFORMAT 1", *("\t".join(row) for row in rows)]
        (site / f"{part}.txt").write_text("\n".join(lines) + "\n")
    return site


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)


def test_command_line_knows_the_format_of_a_package(plugin: Path) -> None:
    assert "my-format" in run("data", "formats").stdout
    corpus = readers.read(plugin / "train.txt")
    assert (corpus.provenance.format, corpus[0].quads[0].terms[0].text) == ("my-format", "soup")
    assert run("data", "convert", plugin / "train.txt", plugin / "train.jsonl").exit_code == 0
    assert readers.read(plugin / "train.jsonl").examples == corpus.examples


def test_broken_line_of_a_format_of_a_package_is_named(plugin: Path) -> None:
    (plugin / "bad.txt").write_text("MYFORMAT 1\nGood soup\n")
    with pytest.raises(Exception, match=r"bad\.txt: line 2: found 'Good soup': expected text, aspect and"):
        readers.read(plugin / "bad.txt")


def test_command_line_scores_by_the_metric_of_a_package(plugin: Path) -> None:
    gold, half = plugin / "gold.jsonl", plugin / "half.jsonl"
    corpus = readers.read(plugin / "train.txt")
    readers.write(corpus, gold)
    # one of the two aspects is found
    readers.write(corpus.with_examples([corpus[0], replace(corpus[1], quads=())]), half)
    answer = run(
        "score", gold, half, "--task", "e2e", "--metric", "aspect-recall", "--json", "--resamples", "0"
    )
    assert json.loads(answer.stdout)["recall"] == 0.5


def test_command_line_trains_the_model_of_a_package(plugin: Path) -> None:
    records = json.loads(run("models", "--json").stdout)
    assert "mean-state" in [record["model"] for record in records]
    described = json.loads(run("models", "mean-state", "--json").stdout)
    assert described["package"] == "mypackage 1.2"
    parts = ["--train", plugin / "train.txt", "--dev", plugin / "dev.txt"]
    trained = run(
        "train", "--model", "mean-state", "--encoder", "tiny", *parts, "--epochs", "1", "--out", plugin / "m"
    )
    assert trained.exit_code == 0
    answer = run("evaluate", plugin / "m", plugin / "dev.txt", "--json", "--resamples", "0")
    assert 0 <= json.loads(answer.stdout)["accuracy"] <= 1


def test_study_runs_the_model_of_a_package(plugin: Path) -> None:
    (plugin / "study.toml").write_text(
        'name = "strange"\nseeds = 1\ntask = "atsc"\n[corpora.small]\ntrain = "train.txt"\ndev = "dev.txt"\n'
        'tests.test = "test.txt"\n'
        '[[models]]\nname = "mean-state"\nencoder = "tiny"\nsettings = { epochs = 1 }\n'
    )
    words = [sys.executable, "-m", "aspectlab", "run", plugin / "study.toml", "--out", plugin / "runs"]
    answer = subprocess.run(words, capture_output=True, text=True, cwd=plugin)
    assert answer.returncode == 0, answer.stderr
    records = [json.loads(path.read_text()) for path in (plugin / "runs").rglob("run.json")]
    assert [record["model"] for record in records] == ["mean-state"]


def test_broken_package_costs_one_line_and_its_names(site: Path, caplog: pytest.LogCaptureFixture) -> None:
    install(site, "broken", {"aspectlab.readers": {"gone": "broken.reader:FORMAT", "text": "json:dumps"}})
    with caplog.at_level(logging.WARNING):
        assert "gone" not in run("data", "formats").stdout
    lines = [record.getMessage() for record in caplog.records]
    assert lines == [
        "left out: format 'gone' of the package broken 1.2: ModuleNotFoundError: No module named 'broken'; "
        "update or uninstall broken",
        f"left out: format 'text' of the package broken 1.2: found {json.dumps!r:.60}: expected a Format; "
        "update or uninstall broken",
    ]
    with pytest.raises(ConfigError, match=r"format 'gone' of the package broken 1\.2: ModuleNotFoundError"):
        readers.read(ROOT / "examples" / "sample.jsonl", "gone")


def test_help_and_our_names_do_not_look_at_packages(site: Path) -> None:
    install(site, "broken", {"aspectlab.metrics": {"gone": "broken:Gone"}})
    program = (
        "import sys, importlib.metadata\n"
        "def fail(**_): raise AssertionError('entry points were read')\n"
        "importlib.metadata.entry_points = fail\n"
        "from aspectlab.cli import main\n"
        f"sys.argv = ['aspectlab', 'data', 'stats', {str(ROOT / 'examples' / 'sample.jsonl')!r}]\n"
        "sys.argv[2:] = ['--help'] if len(sys.orig_argv) > 3 else sys.argv[2:]\n"
        "main()"
    )
    for more in ([], ["help"]):
        words = [sys.executable, "-c", program, *more]
        answer = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
        assert (answer.returncode, answer.stderr) == (0, "")


def test_name_of_ours_wins(site: Path, caplog: pytest.LogCaptureFixture) -> None:
    install(site, "broken", {"aspectlab.metrics": {"tuple-f1": "broken:Mine"}})
    assert METRICS["tuple-f1"].__module__ == "aspectlab.metrics.tuplef1"
    assert "tuple-f1" in [*METRICS]
    assert METRICS.package_of("tuple-f1") == ""
    assert caplog.messages == [
        "metric 'tuple-f1' of the package broken 1.2: left out, the name is taken; rename it there"
    ]


def test_object_can_be_added_in_a_notebook() -> None:
    words: Registry[type] = Registry("container", {"ordered": "collections:OrderedDict"})
    words.add("mine", dict)
    assert words["mine"] is dict
    with pytest.raises(ConfigError, match="container 'mine' already exists"):
        words.add("mine", "collections:Counter")


def test_metric_without_tasks_is_refused(site: Path) -> None:
    (site / "broken.py").write_text(
        "from aspectlab.metrics import Metric\nclass Mine(Metric):\n    name = 'mine'\n"
    )
    install(site, "broken", {"aspectlab.metrics": {"mine": "broken:Mine"}})
    assert issubclass(METRICS["tuple-f1"], Metric)
    with pytest.raises(ConfigError, match=r"of the package broken 1\.2: found no attribute 'tasks'"):
        METRICS["mine"]
