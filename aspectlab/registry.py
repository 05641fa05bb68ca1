"""Names to objects, loaded on first use: the rows of registries, and the public names of packages."""

from __future__ import annotations

import ast
import difflib
import inspect
import logging
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from aspectlab.errors import ConfigError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


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

_LOG = logging.getLogger(__name__)

_MANY, _FEW = 80, 5
"""More names than that are not listed, only the few that are nearest."""


class Registry(Mapping[str, T], Generic[T]):
    """A read-only table of names whose objects are imported when asked for.

    Packages of others add names by entry points of the `group`, which must be of the kind `base` (an instance
    or a subclass) and have the attributes of `required`. They are looked up when a name is none of ours, and
    loaded when all are listed; one that cannot be loaded is then left out, with a line in the log.

    >>> words = Registry[type]("container", {"ordered": "collections:OrderedDict"})
    >>> words["ordered"].__name__
    'OrderedDict'
    >>> words["orderd"]
    Traceback (most recent call last):
    aspectlab.errors.ConfigError: container 'orderd' is unknown: did you mean 'ordered'? There are: ordered
    """

    def __init__(
        self,
        kind: str,
        targets: Mapping[str, str],
        *,
        group: str = "",
        base: type = object,
        required: Sequence[str] = (),
    ) -> None:
        self.kind = kind
        self._targets: dict[str, str | T] = {**targets}
        self._group, self._base, self._required = group, base, required

    def __getitem__(self, name: str) -> T:
        if name not in self._targets:
            if name in self._plugins:
                return self._load(self._plugins[name])
            raise ConfigError(f"{self.kind} {name!r} is unknown: {suggest(name, self)}")
        target = self._targets[name]
        if not isinstance(target, str):
            return target
        module, _, attribute = target.partition(":")
        return cast(T, getattr(import_module(module), attribute))

    def __iter__(self) -> Iterator[str]:
        yield from self._targets
        yield from self._working

    def __len__(self) -> int:
        return len(self._targets) + len(self._working)

    def __contains__(self, name: object) -> bool:
        return name in self._targets or name in self._plugins

    def add(self, name: str, target: str | T) -> None:
        """Add one name from outside the package: an object, or "module:attribute", imported when needed."""
        if name in self:
            raise ConfigError(f"{self.kind} {name!r} already exists; choose another name")
        self._targets[name] = target

    def package_of(self, name: str) -> str:
        """Return the package of others that adds a name, with its version; "" of a name of ours."""
        entry = None if name in self._targets else self._plugins.get(name)
        return f"{entry.dist.name} {entry.dist.version}" if entry and entry.dist else ""

    @cached_property
    def _plugins(self) -> dict[str, EntryPoint]:
        """The entry points of installed packages; finding them takes too long for a start."""
        if not self._group:
            return {}
        from importlib.metadata import entry_points

        found: dict[str, EntryPoint] = {}
        for entry in entry_points(group=self._group):
            if entry.name in self._targets or entry.name in found:
                _LOG.warning("%s: left out, the name is taken; rename it there", self._describe(entry))
            else:
                found[entry.name] = entry
        return found

    @cached_property
    def _working(self) -> list[str]:
        """The names of others that can be loaded."""
        names = []
        for name, entry in self._plugins.items():
            try:
                self._load(entry)
            except ConfigError as error:
                _LOG.warning("left out: %s", error)
            else:
                names.append(name)
        return names

    def _load(self, entry: EntryPoint) -> T:
        try:
            found = entry.load()
        except (Exception, SystemExit) as error:
            reason = str(error).partition("\n")[0]
            raise self._refuse(entry, f"{type(error).__name__}: {reason:.120}") from error
        if (
            not (issubclass if isinstance(found, type) else isinstance)(found, self._base)
            or found is self._base
        ):
            raise self._refuse(entry, f"found {found!r:.60}: expected a {self._base.__name__}")
        if missing := [name for name in self._required if not hasattr(found, name)]:
            raise self._refuse(entry, f"found no attribute {missing[0]!r}")
        return cast(T, found)

    def _refuse(self, entry: EntryPoint, reason: str) -> ConfigError:
        package = entry.dist.name if entry.dist else entry.value
        return ConfigError(f"{self._describe(entry)}: {reason}; update or uninstall {package}")

    def _describe(self, entry: EntryPoint) -> str:
        origin = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "?"
        return f"{self.kind} {entry.name!r} of the package {origin}"


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


def field_docs(kind: type) -> dict[str, str]:
    """Return what stands below each field of a class: the one place that explains a setting."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    except OSError:  # an install without source files
        return {}
    assert isinstance(tree, ast.ClassDef)
    docs: dict[str, str] = {}
    for field, below in pairwise(tree.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match below:
                case ast.Expr(ast.Constant(str(text))):
                    docs[field.target.id] = " ".join(inspect.cleandoc(text).split())
    return docs
