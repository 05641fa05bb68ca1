"""Measure the house: modules, their importers, repeated names, import lines, files that a command enters.

python scripts/house.py                   the counts
python scripts/house.py --list            and what stands behind each
python scripts/house.py --graph PACKAGE   the modules of a package with their lines and importers
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "aspectlab"

LIMITS = {
    "modules": 340,
    "modules with one importer": 45,
    "repeated stems": 15,
    "repeated public class names": 8,
    "import lines per 100": 5.0,
}
"""At most so many; the counts are explained in docs/decisions/0007-the-house.md."""

ROW = re.compile(r"[\"'](aspectlab(?:\.\w+)+):\w+[\"']")
"""A row of a registry: "module:attribute"."""


@dataclass(frozen=True)
class Module:
    """One source file."""

    name: str
    path: Path

    @cached_property
    def source(self) -> str:
        """Return the text of the file."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """Return the parsed file."""
        return ast.parse(self.source)

    @property
    def is_package(self) -> bool:
        """Return whether the file is an `__init__`."""
        return self.path.stem == "__init__"

    @property
    def lines(self) -> int:
        """Return the number of lines."""
        return self.source.count("\n")


def load_modules(package: Path = PACKAGE) -> dict[str, Module]:
    """Return all modules by their dotted names."""
    modules = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = Module(name, path)
    return modules


def _read_exports(package: Module) -> ast.Module:
    """Return the file that lists the public names of a package."""
    stub = package.path.with_suffix(".pyi")
    return ast.parse(stub.read_text(encoding="utf-8")) if stub.exists() else package.tree


class ImportGraph:
    """Which module uses which; a name that a package re-exports counts for the module that defines it."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self.modules = modules
        self.importers: dict[str, set[str]] = defaultdict(set)
        self.rows = {target for module in modules.values() for target in ROW.findall(module.source)}
        for module in modules.values():
            if module.is_package:
                continue
            for target in self._imports(module):
                if target != module.name and target in modules and not modules[target].is_package:
                    self.importers[target].add(module.name)

    def _imports(self, module: Module) -> Iterator[str]:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    yield self._find(node.module, alias.name)
                    yield from self._attributes(module, f"{node.module}.{alias.name}", alias)

    def _attributes(self, module: Module, package: str, alias: ast.alias) -> Iterator[str]:
        """Return the modules whose names are taken from an imported package: `data.Corpus`."""
        if package in self.modules and self.modules[package].is_package:
            name = alias.asname or alias.name
            for node in ast.walk(module.tree):
                if isinstance(node, ast.Attribute) and ast.unparse(node.value) == name:
                    yield self._find(package, node.attr)

    def _find(self, module: str, name: str) -> str:
        """Return the module that defines a name, through the packages that pass it on."""
        for _ in range(5):
            if f"{module}.{name}" in self.modules:
                return f"{module}.{name}"
            origin = self._exports.get(module, {}).get(name)
            if origin is None:
                return module
            module = origin
        return module

    @cached_property
    def _exports(self) -> dict[str, dict[str, str]]:
        """Return, for each package, the modules that its public names come from."""
        return {
            module.name: {
                alias.asname or alias.name: node.module
                for node in ast.walk(_read_exports(module))
                if isinstance(node, ast.ImportFrom) and node.module
                for alias in node.names
            }
            for module in self.modules.values()
            if module.is_package
        }

    def single(self) -> list[str]:
        """Return the modules that exactly one other imports; rows of a registry are not meant."""
        return sorted(
            name for name, used in self.importers.items() if len(used) == 1 and name not in self.rows
        )


def repeated_stems(modules: Mapping[str, Module]) -> dict[str, list[str]]:
    """Return file stems that several modules have, with these modules."""
    found = defaultdict(list)
    for module in modules.values():
        if not module.is_package:
            found[module.path.stem.lstrip("_")].append(module.name)
    return {stem: names for stem, names in sorted(found.items()) if len(names) > 1}


def repeated_classes(modules: Mapping[str, Module]) -> dict[str, list[str]]:
    """Return names of public classes that several modules define, with these modules."""
    found = defaultdict(list)
    for module in modules.values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(module.name)
    return {name: where for name, where in sorted(found.items()) if len(where) > 1}


def import_density(modules: Mapping[str, Module]) -> float:
    """Return import statements per 100 lines."""
    statements = sum(
        isinstance(node, ast.Import | ast.ImportFrom)
        for module in modules.values()
        for node in ast.walk(module.tree)
    )
    return 100 * statements / sum(module.lines for module in modules.values())


TRACER = """
import atexit, os, sys, threading
def trace():
    seen = set()
    def profile(frame, event, _):
        # bodies of modules and classes, and what they call, are imports
        caller = frame.f_back
        if event == "call" and frame.f_code.co_flags & 1 and caller and caller.f_code.co_flags & 1:
            seen.add(frame.f_code.co_filename)
    def write():
        sys.setprofile(None)
        with open(os.path.join(os.environ["HOUSE_TRACE"], str(os.getpid())), "w") as stream:
            stream.write("\\n".join(seen))
    atexit.register(write)
    threading.setprofile(profile)
    sys.setprofile(profile)
trace()
"""
"""Runs at the start of every Python process of a command: notes the files whose functions are called."""

STUDY = """
name = "traced"
seeds = 2
[corpora.sample]
train = "{examples}/sample_train.jsonl"
dev = "{examples}/sample_dev.jsonl"
tests.test = "{examples}/sample_test.jsonl"
drop_implicit = true
[[models]]
name = "stage"
encoder = "tiny"
settings = {{ epochs = 1 }}
"""

TRACES = {
    "analyze": (40, ["analyze {examples}/reviews.csv --out {out}/analysis"]),
    "train --model stage": (
        35,
        [
            "!data clean {examples}/sample_train.jsonl --drop-implicit {out}/train.jsonl",
            "!data clean {examples}/sample_dev.jsonl --drop-implicit {out}/dev.jsonl",
            "train --model stage --encoder tiny --train {out}/train.jsonl --dev {out}/dev.jsonl "
            "--set epochs=1 --out {out}/model",
        ],
    ),
    "arts generate": (
        25,
        [
            "arts generate {examples}/sample_test.jsonl --train {examples}/sample_train.jsonl "
            "--out {out}/variants.jsonl"
        ],
    ),
    "run + report": (65, ["run {out}/study.toml --out {out}/runs", "report {out}/runs --out {out}/report"]),
}
"""Commands, and how many files they may enter; what begins with ! prepares."""


def trace(commands: list[str]) -> set[str]:
    """Return the files of the package whose functions are called while the commands run, in all processes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        (out / "trace").mkdir()
        (out / "sitecustomize.py").write_text(TRACER, encoding="utf-8")
        folders = {"examples": ROOT / "examples", "out": out}
        (out / "study.toml").write_text(STUDY.format(**folders), encoding="utf-8")
        environment = {**os.environ, "HOUSE_TRACE": str(out / "trace")}
        for command in commands:
            words = [word.format(**folders) for word in command.removeprefix("!").split()]
            traced = [] if command.startswith("!") else [str(out)]
            environment["PYTHONPATH"] = os.pathsep.join([*traced, str(ROOT)])
            program = [sys.executable, "-m", "aspectlab", *words]
            done = subprocess.run(program, env=environment, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"{command}: exit {done.returncode}: {done.stderr[-2000:]}")
        found = {line for path in (out / "trace").iterdir() for line in path.read_text().splitlines()}
    return {str(Path(name).relative_to(ROOT)) for name in found if name.startswith(f"{PACKAGE}{os.sep}")}


def print_traces(*, listed: bool) -> int:
    """Print how many files each command enters; the exit code is 1 where one is over its limit."""
    over = False
    for title, (limit, commands) in TRACES.items():
        files = trace(commands)
        over = over or len(files) > limit
        print(f"{title:30} {len(files):4} files entered   at most {limit}")
        if listed:
            print("\n".join(f"    {name}" for name in sorted(files)))
    return int(over)


def main() -> int:
    """Print the counts beside their limits; the exit code is 1 where one is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print what stands behind each count")
    parser.add_argument("--graph", metavar="PACKAGE", help="print modules and their importers")
    parser.add_argument("--trace", action="store_true", help="print the files that four commands enter")
    arguments = parser.parse_args()
    if arguments.trace:
        return print_traces(listed=arguments.list)
    modules = load_modules()
    graph = ImportGraph(modules)
    if arguments.graph:
        for name, module in modules.items():
            if f"{name}.".startswith(f"{arguments.graph}."):
                row = " (registry)" if name in graph.rows else ""
                print(f"{module.lines:4} {name}{row} <- {', '.join(sorted(graph.importers[name])) or '-'}")
        return 0
    stems, classes, single = repeated_stems(modules), repeated_classes(modules), graph.single()
    counts = (len(modules), len(single), len(stems), len(classes), import_density(modules))
    for (title, limit), count in zip(LIMITS.items(), counts, strict=True):
        print(f"{title:30} {count:7.4g}   at most {limit:g}")
    if arguments.list:
        for name in single:
            print(f"one importer: {name} <- {next(iter(graph.importers[name]))}")
        for title, found in (("stem", stems), ("class", classes)):
            for name, where in found.items():
                print(f"{title} {name}: {', '.join(where)}")
    return int(any(count > limit for limit, count in zip(LIMITS.values(), counts, strict=True)))


if __name__ == "__main__":
    raise SystemExit(main())
