"""The code in the README and the docs runs, and the reference pages name all there is."""

import importlib
import importlib.util
import inspect
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from aspectlab.cli import main
from aspectlab.cli.main import COMMANDS, app
from aspectlab.metrics import METRICS
from aspectlab.readers import READERS
from aspectlab.tasks import TASKS
from aspectlab.version import VERSION

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.M | re.S)


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda p: p.name)
def test_page_code_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.stem in {"train", "encoders", "export", "categories", "studies", "robustness", "notebook"}:
        pytest.importorskip("torch", reason="the page needs the extra 'train'")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}  # the blocks of a page follow one another
    for language, code in blocks(page):
        if language == "python":
            exec(compile(code, str(page), "exec"), names)  # noqa: S102 our own pages
        for words in commands(code) if language == "console" else []:
            monkeypatch.setattr(sys, "argv", words)
            # in this process: an interpreter for each command would spend most of its time on imports
            with pytest.raises(SystemExit) as exit:
                main()
            assert not exit.value.code, words


def test_notebook_is_short_and_needs_no_submodule() -> None:
    lines = "".join(code for _, code in blocks(ROOT / "docs" / "notebook.md")).splitlines()
    assert len([line for line in lines if line.strip()]) <= 25
    assert [line for line in lines if "import" in line] == ["import aspectlab"]


def commands(code: str) -> list[list[str]]:
    """List the `$ aspectlab …` lines, in words; set-up commands (make, pip) are run by CI itself."""
    lines = [shlex.split(line.removeprefix("$ "), comments=True) for line in code.splitlines()]
    return [words for words in lines if words[:1] == ["aspectlab"]]


def test_tutorial_commands_run_in_an_interpreter_of_their_own(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    page = ROOT / "docs" / "tutorial.md"
    for words in (words for _, code in blocks(page) for words in commands(code)):
        answer = subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, capture_output=True, text=True)
        assert answer.returncode == 0, f"{words}\n{answer.stdout}\n{answer.stderr}"


@pytest.mark.parametrize(
    ("page", "names"),
    [("formats", [*READERS]), ("metrics", [*TASKS, *METRICS])],
    ids=["formats", "metrics"],
)
def test_reference_names_every_row(page: str, names: list[str]) -> None:
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in text] == []


def test_home_page_leads_to_every_page() -> None:
    docs = ROOT / "docs"
    home = (docs / "index.md").read_text(encoding="utf-8")
    pages = [f"{path.parent.name}/{path.name}" for path in docs.glob("*/*.md")]
    led_to = [page for page in pages if page.split("/")[0] in {"how-to", "reference", "explanation"}]
    assert [page for page in led_to if f"({page})" not in home] == []


def test_reference_names_every_model() -> None:
    pytest.importorskip("torch", reason="the model table needs the extra 'train'")
    from aspectlab.models import MODELS

    text = (ROOT / "docs" / "reference" / "models.md").read_text(encoding="utf-8")
    assert [name for name in MODELS if f"`{name}`" not in text] == []


def load_generator() -> ModuleType:
    """Import the hook that writes parts of the pages while they are built."""
    for package in ("griffe", "torch"):
        pytest.importorskip(package, reason="the generated pages need the extras 'docs' and 'train'")
    spec = importlib.util.spec_from_file_location("docs_pages", ROOT / "scripts" / "docs_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_reference_of_commands_has_every_option_that_help_shows() -> None:
    page = load_generator().describe_commands()
    sections = dict(re.findall(r"^#+ `aspectlab (.+?)`\n(.*?)(?=^#|\Z)", page, re.M | re.S))
    assert {*COMMANDS} <= sections.keys()
    for name in (*COMMANDS, "data split", "annotate export"):
        shown = CliRunner().invoke(app, [*name.split(), "--help"], env={"COLUMNS": "200"}).stdout
        options = {*re.findall(r"(?<![\w-])--[a-z][a-z-]+", shown)} - {"--help"}
        assert [option for option in sorted(options) if option not in sections[name]] == [], name


def test_every_training_setting_is_explained() -> None:
    generator = load_generator()
    from aspectlab.training.recipe import plan_docs, plan_hints

    assert [name for name in plan_hints() if not plan_docs().get(name)] == []
    page = generator.describe_plan()
    assert [name for name in plan_hints() if f"| `{name}` |" not in page] == []


def test_reference_of_models_names_task_and_settings_of_each() -> None:
    page = load_generator().describe_models()
    from aspectlab.models import MODELS

    lines = [line.split(" | ") for line in page.splitlines()[2:]]
    rows = {cells[0].strip("| `"): cells for cells in lines}
    assert rows.keys() == {*MODELS}
    assert "[`aste`](metrics.md)" in rows["stage"][1]
    assert "`dropout=0.1`" in rows["marked"][3]


def test_reference_of_python_has_every_public_name() -> None:
    page = load_generator().describe_api()
    for package in ("data", "metrics", "stats", "models", "training"):
        names = importlib.import_module(f"aspectlab.{package}").__all__
        members = re.search(rf"^::: aspectlab\.{package}$.*?members: \[(.*?)\]", page, re.M | re.S)
        assert members is not None
        missing = {*names} - {*members[1].split(", ")}
        assert all(
            inspect.ismodule(getattr(importlib.import_module(f"aspectlab.{package}"), n)) for n in missing
        )


def test_examples_of_docstrings_are_fenced() -> None:
    text = "Add.\n\n>>> 1 + 1\n2\n\nMore."
    assert load_generator().fence_examples(text) == "Add.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore."


def test_pages_ask_for_parts_that_are_generated() -> None:
    asked = [
        name for page in PAGES for name in re.findall(r"<!-- generated: (\w+) -->", page.read_text("utf-8"))
    ]
    assert sorted(asked) == sorted(load_generator().PARTS)


def test_formats_of_published_data_sets_exist() -> None:
    page = (ROOT / "docs" / "reference" / "data-sets.md").read_text(encoding="utf-8")
    named = re.findall(
        r"`([\w-]+)`", "".join(line.rsplit("|", 2)[1] for line in page.splitlines() if line.startswith("|"))
    )
    assert named
    assert [name for name in named if name not in READERS] == []


def test_citation_names_the_version() -> None:
    for file in ("CITATION.cff", "docs/index.md"):
        assert re.search(
            rf"version *[:=] *{{?{re.escape(VERSION)}", (ROOT / file).read_text(encoding="utf-8")
        ), file


def test_changelog_opens_with_the_version_of_the_package() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(r"^## \[(.+?)\]", text, re.M)
    assert found is not None
    assert found.group(1) == VERSION
