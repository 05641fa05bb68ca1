"""The tree is the architecture: imports point downwards in one list, and some rules hold for every file."""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "aspectlab"

# a package may import those above it in this list, and itself
LAYERS = [
    *["version", "errors", "registry", "cluster", "config", "data", "readers", "tasks", "metrics", "stats"],
    *["language", "llm", "robustness", "metamorphic", "annotation", "campaigns", "insight", "reports"],
    *["encodings", "runtime", "analyzer", "encoders", "nn", "models", "training", "experiments", "service"],
    *["cli", "__main__"],
]
TORCH_FROM = LAYERS.index("encoders")
FILES = sorted(PACKAGE.rglob("*.py"))


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


@pytest.mark.parametrize("path", FILES, ids=str)
def test_file_imports_only_layers_above(path: Path) -> None:
    if path == PACKAGE / "__init__.py":
        return  # the public face may show any torch-free layer; test_import_is_light guards its weight
    layer = layer_of(path)
    assert layer in LAYERS, f"{path}: {layer} is not in the list of layers"
    for module in imported_modules(path):
        top, _, rest = module.partition(".")
        if top == "aspectlab" and rest:
            used = rest.split(".")[0]
            assert LAYERS.index(used) <= LAYERS.index(layer), f"{path} imports {module}, which lies below it"
        if top in {"torch", "transformers", "safetensors"}:
            assert LAYERS.index(layer) >= TORCH_FROM, f"{path} imports {module} above the torch line"


@pytest.mark.parametrize("path", FILES, ids=str)
def test_file_imports_no_oracle(path: Path) -> None:
    # they stand beside the tests only, and are not part of any install
    oracles = {"scipy", "statsmodels", "sklearn", "pyarrow"}
    assert not oracles & {module.partition(".")[0] for module in imported_modules(path)}


@pytest.mark.parametrize("path", FILES, ids=str)
def test_file_stays_within_the_size_limits(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert source.count("\n") <= 400, f"{path} has over 400 lines"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= 50, f"{path}:{node.lineno} {node.name} has {length} lines"


def test_test_files_have_names_of_their_own() -> None:
    # they are imported by name alone, and the second of one name is not collected
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_import_is_light() -> None:
    program = "import sys, aspectlab; print(*sorted(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    heavy = {"torch", "transformers", "pandas", "scipy", "sklearn", "pyarrow", "openpyxl", "rich", "typer"}
    heavy |= {"duckdb", "openvino", "tokenizers", "fastapi", "uvicorn", "ray"}
    assert not heavy & set(answer.stdout.split())
