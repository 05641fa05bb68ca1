"""The code in the README and the docs runs, and the reference pages name all there is."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
def test_page_code_runs(page: Path, tmp_path: Path) -> None:
    if page.stem in {"train", "export", "categories", "studies"}:
        pytest.importorskip("torch", reason="the page needs the extra 'train'")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for language, code in blocks(page):
        programs = [[sys.executable, "-c", code]] if language == "python" else commands(code)
        for program in programs:
            answer = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)
            assert answer.returncode == 0, f"{program[1:]}\n{answer.stdout}\n{answer.stderr}"


def commands(code: str) -> list[list[str]]:
    """Turn `$ aspectlab …` lines into programs; set-up commands (make, pip) are run by CI itself."""
    lines = [shlex.split(line.removeprefix("$ "), comments=True) for line in code.splitlines()]
    return [[sys.executable, "-m", *words] for words in lines if words[:1] == ["aspectlab"]]


@pytest.mark.parametrize(
    ("page", "names"),
    [("formats", [*READERS]), ("metrics", [*TASKS, *METRICS])],
    ids=["formats", "metrics"],
)
def test_reference_names_every_row(page: str, names: list[str]) -> None:
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in text] == []


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
