"""Names to objects, loaded on first use: the rows of registries, and the public names of packages."""

import ast
import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from aspectlab.errors import ConfigError


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for the names in the `.pyi` file beside an `__init__.py`.

    Type checkers and editors read the same file, so a public name is listed once. Packages that it takes
    from itself (`from aspectlab import data as data`) are shown too, and imported on first use.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    origins = {
        alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }

    def get(name: str) -> Any:  # noqa: ANN401
        if name not in origins:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if origins[name] == package:
            return import_module(f"{package}.{name}")
        return getattr(import_module(origins[name]), name)

    # a star would import all packages, some of which need extras
    named = sorted(name for name, origin in origins.items() if origin != package)
    return get, lambda: sorted(origins), named


T = TypeVar("T")

_MANY, _FEW = 80, 5
"""More names than that are not listed, only the few that are nearest."""


class Registry(Mapping[str, T], Generic[T]):
    """A read-only table of names whose objects are imported when asked for.

    >>> words = Registry[type]("container", {"ordered": "collections:OrderedDict"})
    >>> words["ordered"].__name__
    'OrderedDict'
    >>> words["orderd"]
    Traceback (most recent call last):
    aspectlab.errors.ConfigError: container 'orderd' is unknown: did you mean 'ordered'? There are: ordered
    """

    def __init__(self, kind: str, targets: Mapping[str, str]) -> None:
        self.kind = kind
        self._targets = dict(targets)

    def __getitem__(self, name: str) -> T:
        if name not in self._targets:
            raise ConfigError(f"{self.kind} {name!r} is unknown: {suggest(name, self._targets)}")
        module, _, attribute = self._targets[name].partition(":")
        return cast(T, getattr(import_module(module), attribute))

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)

    def __contains__(self, name: object) -> bool:
        return name in self._targets

    def add(self, name: str, target: str) -> None:
        """Add one name from outside the package; `target` is "module:attribute"."""
        if name in self._targets:
            raise ConfigError(f"{self.kind} {name!r} already exists; choose another name")
        self._targets[name] = target


def suggest(name: str, choices: Iterable[str]) -> str:
    """Suggest which of the choices a misspelt name may have meant, and list what there is.

    >>> suggest("table-7", [f"table-{number}" for number in range(100, 200)])
    "did you mean 'table-197'? There are 100, such as: table-197, table-187, table-179, table-178, table-177"
    """
    known = list(choices)
    near = difflib.get_close_matches(name, known, n=_FEW)
    hint = f"did you mean {near[0]!r}? " if near else ""
    if len(known) > _MANY:
        return f"{hint}There are {len(known)}, such as: {', '.join(near or known[:_FEW])}"
    return f"{hint}There are: {', '.join(known)}"


def check_options(where: str, function: Callable[..., object], options: Mapping[str, object]) -> None:
    """Refuse an option that is not a keyword-only parameter of `function`: its signature is the schema."""
    known = options_of(function)
    for name in options:
        if name not in known:
            offer = suggest(name, known) if known else "it takes no options"
            raise ConfigError(f"{where}: option {name!r} is unknown: {offer}")


def options_of(function: Callable[..., object]) -> dict[str, inspect.Parameter]:
    """List the keyword-only parameters of a function or constructor by name."""
    parameters = inspect.signature(function).parameters
    return {name: p for name, p in parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
