"""The tree is the architecture: a table says which package may import which; some rules hold for all."""

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "aspectlab"
TESTS = ROOT / "tests"
FILES = sorted(PACKAGE.rglob("*.py"))

BASE = {"cluster", "diskcache", "errors", "outputs", "progress", "registry", "untrusted", "version"}
"""Single files that any package may import; none of them imports a package."""

CORE = {
    "data": set(),
    "tasks": {"data"},
    "metrics": {"data", "tasks"},
    "stats": set(),
    "language": {"data"},
    "readers": {"data"},
    "encodings": {"data", "language", "tasks"},
    "runtime": {"data", "encodings", "stats"},
    "encoders": {"encodings", "readers"},
    "nn": {"encoders", "encodings"},
    "models": {"data", "encoders", "encodings", "language", "nn", "tasks"},
    "training": {
        *("data", "encoders", "encodings", "metrics", "models", "nn", "readers", "runtime", "stats", "tasks"),
    },
    "experiments": {
        *("data", "encoders", "encodings", "metrics", "models", "readers", "tasks", "training"),
    },
    "reports": {"data", "experiments", "metrics", "readers", "stats", "tasks"},
}
"""What each package of the core may import beside the base."""

FEATURES = {"analysis", "annotation", "campaigns", "graph", "llm", "metamorphic", "robustness"}
"""Each may import the core, and no other feature."""

GLUE = {"experiments.variants", "training.extensions"}
"""What joins the core to features; the core finds it by name, in a registry, and never imports it."""

SHELLS = {"__init__", "__main__", "analyzer", "cli", "interface", "service"}
"""What people meet; they may import everything."""

WITHOUT_TORCH = {*BASE, *FEATURES, "data", "tasks", "metrics", "stats", "language", "readers", "encodings"}
WITHOUT_TORCH |= {"runtime", "reports", "service", "analyzer", "interface", "__init__"}


def package_of(path: Path) -> str:
    return name_package(path.relative_to(PACKAGE).with_suffix("").parts)


def name_package(parts: Sequence[str]) -> str:
    """Name the package of the table that a module belongs to; its parts are those below aspectlab."""
    joined = ".".join(parts[:2])
    return joined if joined in GLUE else parts[0]


def imports(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Modules that a file imports, each with the names it takes from it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [alias.name for alias in node.names]
            # the package itself, whose names are then taken by attribute: `from aspectlab import data`
            packages = [name for name in names if is_package(f"{node.module}.{name}")]
            yield from ((f"{node.module}.{name}", []) for name in packages)
            if len(packages) < len(names):
                yield node.module or "", [name for name in names if name not in packages]


def is_package(name: str) -> bool:
    return ROOT.joinpath(*name.split("."), "__init__.py").is_file()


def edges() -> dict[tuple[str, str], list[str]]:
    """Pairs of packages of which the first imports the second, with the files that do."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in FILES:
        for module, _ in imports(path):
            parts = module.split(".")
            if parts[0] == "aspectlab" and len(parts) > 1:
                edge = package_of(path), name_package(parts[1:])
                if edge[0] != edge[1]:
                    found.setdefault(edge, []).append(str(path.relative_to(ROOT)))
    return found


def is_allowed(importer: str, imported: str) -> bool:
    if imported in BASE:
        return True
    if importer in SHELLS:
        return True
    if importer in GLUE:
        return imported in {*CORE, *FEATURES}
    if importer in FEATURES:
        return imported in CORE
    return imported in CORE.get(importer, set())


def test_every_package_is_in_the_table() -> None:
    known = {*BASE, *CORE, *FEATURES, *GLUE, *SHELLS}
    assert {package_of(path) for path in FILES} == known


def test_packages_import_only_what_the_table_allows() -> None:
    wrong = {edge: files for edge, files in edges().items() if not is_allowed(*edge)}
    assert wrong == {}


def test_table_of_the_core_has_no_cycle() -> None:
    left = dict(CORE)
    while left:
        free = [name for name, used in left.items() if not used & set(left)]
        assert free, f"a cycle among {sorted(left)}"
        left = {name: used for name, used in left.items() if name not in free}


def test_only_shells_import_features() -> None:
    for importer, imported in edges():
        if imported in FEATURES:
            assert importer in {*GLUE, *SHELLS}


def test_packages_speak_through_their_public_names() -> None:
    """Across packages, names come from the package that has them, not from a module inside it."""
    wrong = []
    for path in FILES:
        for module, names in imports(path):
            parts = module.split(".")
            own = path.relative_to(PACKAGE).parts[0]
            if parts[0] != "aspectlab" or len(parts) < 3 or parts[1] == own:
                continue
            if not (PACKAGE.joinpath(*parts[1:]) / "__init__.py").exists():
                wrong.append(f"{path.relative_to(ROOT)}: from {module} import {', '.join(names)}")
    assert wrong == []


def test_no_public_name_is_also_a_module() -> None:
    """The import of a module replaces a name of the package that is the same."""
    wrong = []
    for stub in sorted(PACKAGE.rglob("__init__.pyi")):
        own = ".".join(stub.parent.relative_to(ROOT).parts)
        public = {
            alias.asname or alias.name
            for node in ast.parse(stub.read_text(encoding="utf-8")).body
            if isinstance(node, ast.ImportFrom) and node.module != own  # those are its packages
            for alias in node.names
        }
        beside = {path.stem for path in stub.parent.glob("*.py")} | {
            path.name for path in stub.parent.iterdir()
        }
        wrong += [f"{stub.parent.name}.{name}" for name in sorted(public & beside)]
    assert wrong == []


@pytest.mark.parametrize("stub", sorted(PACKAGE.rglob("__init__.pyi")), ids=lambda path: path.parent.name)
def test_public_names_are_there(stub: Path) -> None:
    package = importlib.import_module(".".join(stub.parent.relative_to(ROOT).parts))
    assert package.__all__
    missing = [name for name in package.__all__ if not hasattr(package, name)]
    assert missing == []


def test_no_torch_above_the_models() -> None:
    heavy = {"torch", "transformers", "safetensors"}
    wrong = {
        str(path.relative_to(ROOT)): module
        for path in FILES
        if package_of(path) in WITHOUT_TORCH
        for module, _ in imports(path)
        if module.partition(".")[0] in heavy
    }
    assert wrong == {}


def test_no_file_imports_an_oracle() -> None:
    # they stand beside the tests only, and are not part of any install
    oracles = {"scipy", "statsmodels", "sklearn", "pyarrow"}
    wrong = {
        str(path.relative_to(ROOT)): module
        for path in FILES
        for module, _ in imports(path)
        if module.partition(".")[0] in oracles
    }
    assert wrong == {}


def test_files_and_functions_stay_within_the_size_limits() -> None:
    wrong = []
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        if source.count("\n") > 400:
            wrong.append(f"{path.relative_to(ROOT)} has {source.count(chr(10))} lines")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                if length > 50:
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name} has {length} lines")
    assert wrong == []


def test_tests_mirror_the_packages() -> None:
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    packages = folders - {Path("studies")}  # scripts, which stand beside the package
    assert [str(path) for path in sorted(packages) if not (PACKAGE / path / "__init__.py").is_file()] == []
    # two test files of one name in folders that are no packages: only the first is collected
    assert [str(path) for path in sorted(folders) if not (TESTS / path / "__init__.py").is_file()] == []


def test_tests_share_through_support_alone() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: from {module} import {', '.join(names)}"
        for path in TESTS.rglob("*.py")
        for module, names in imports(path)
        if module.split(".")[0] == "tests" and not module.startswith("tests.support.")
    ]
    assert wrong == []


def test_conftest_holds_fixtures_alone() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in TESTS.rglob("conftest.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        if not any("fixture" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    assert wrong == []


def test_import_is_light() -> None:
    program = "import sys, aspectlab; print(*sorted(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    heavy = {"torch", "transformers", "pandas", "scipy", "sklearn", "pyarrow", "openpyxl", "rich", "typer"}
    heavy |= {"duckdb", "openvino", "tokenizers", "fastapi", "uvicorn", "ray"}
    assert not heavy & set(answer.stdout.split())
