"""What is installed: the files that a wheel holds, and the names that the package shows."""

import subprocess
import sys
import tomllib
from pathlib import Path

import aspectlab

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "aspectlab"


def test_wheel_holds_every_file_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["aspectlab"]
    held = {path for pattern in patterns for path in PACKAGE.glob(pattern)}
    needed = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc"}}
    assert needed - held == set()


def test_package_shows_all_its_names_to_those_who_look_around() -> None:
    assert set(aspectlab.__all__) <= set(dir(aspectlab))


def test_package_shows_its_packages_and_imports_them_when_asked() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.pyi")} - {"nn", "service"}
    assert packages <= set(dir(aspectlab))
    program = "import aspectlab as a, sys; dir(a); print('numpy' in sys.modules, a.stats.bootstrap.__name__)"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert answer.stdout.split() == ["False", "bootstrap"]
