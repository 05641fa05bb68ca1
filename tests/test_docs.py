"""The code in the README and the docs runs, and the reference pages name all there is."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aspectlab.cli import main
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
    if page.stem in {"train", "export", "categories", "studies", "robustness"}:
        pytest.importorskip("torch", reason="the page needs the extra 'train'")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for language, code in blocks(page):
        if language == "python":
            exec(compile(code, str(page), "exec"), {"__name__": "__main__"})  # noqa: S102 our own pages
        for words in commands(code) if language == "console" else []:
            monkeypatch.setattr(sys, "argv", words)
            # in this process: an interpreter for each command would spend most of its time on imports
            with pytest.raises(SystemExit) as exit:
                main()
            assert not exit.value.code, words


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


def test_changelog_opens_with_the_version_of_the_package() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(r"^## \[(.+?)\]", text, re.M)
    assert found is not None
    assert found.group(1) == VERSION
