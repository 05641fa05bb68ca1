"""No eight lines of code stand in the package twice."""

import ast
import re
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "aspectlab"
WINDOW = 8
# a setting with its default, as signatures and plans list them: two models may well have the same
SETTING = re.compile(r"(self|\w+: \w+|\w+(: \w+ )?=[^()]*),|def __init__\(")


def code_lines(path: Path) -> list[tuple[int, str]]:
    source = path.read_text(encoding="utf-8")
    imports = {
        number
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    stripped = ((number, line.strip()) for number, line in enumerate(source.splitlines(), start=1))
    ignored = ("#", '"""', "@")
    return [
        (number, line)
        for number, line in stripped
        if len(line) > 2
        and number not in imports
        and not line.startswith(ignored)
        and not SETTING.fullmatch(line)
    ]


def repeated_runs(paths: list[Path]) -> list[str]:
    places: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path in paths:
        lines = code_lines(path)
        for start in range(len(lines) - WINDOW + 1):
            run = tuple(line for _, line in lines[start : start + WINDOW])
            places[run].append(f"{path.name}:{lines[start][0]}")
    return [" = ".join(where) for where in places.values() if len(where) > 1]


def test_package_repeats_no_run_of_lines() -> None:
    assert repeated_runs(sorted(PACKAGE.rglob("*.py"))) == []


def test_repeated_run_is_found(tmp_path: Path) -> None:
    body = "\n".join(f"value_{k} = compute({k})" for k in range(WINDOW))
    (tmp_path / "one.py").write_text(body, encoding="utf-8")
    (tmp_path / "two.py").write_text("x = 1\n" + body, encoding="utf-8")
    assert repeated_runs(sorted(tmp_path.glob("*.py"))) == ["one.py:1 = two.py:2"]
