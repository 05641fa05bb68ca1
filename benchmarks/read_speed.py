"""Reading speed: every file of a folder, megabytes and examples a second, the slowest files last.

python benchmarks/read_speed.py [FOLDER]
"""

import os
import sys
import time
from pathlib import Path

from aspectlab.errors import DataError
from aspectlab.readers import read


def main() -> None:
    """Read all files that are data sets and print a short table."""
    default = os.environ.get("ASPECTLAB_DATA", "../shared/data")
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else default)
    if not folder.is_dir():
        print(f"no data sets at {folder}: reading examples/ instead")
        folder = Path("examples")
    rows: list[tuple[float, int, int, str, str]] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".md", ".xz"):
            started = time.perf_counter()
            try:
                corpus = read(path)
            except DataError:
                continue
            seconds = time.perf_counter() - started
            rows.append((seconds, path.stat().st_size, len(corpus), corpus.provenance.format, path.name))
    seconds, size, count = (sum(row[column] for row in rows) for column in range(3))
    print(f"{len(rows)} files, {size / 1e6:.1f} MB, {count:,} examples in {seconds:.1f} s")
    print(f"{size / 1e6 / seconds:.1f} MB/s, {count / seconds:,.0f} examples/s")
    for seconds, size, count, kind, name in sorted(rows)[-6:]:
        print(f"{seconds:6.2f} s  {size / 1e6:6.2f} MB  {count:6,} examples  {kind:14} {name}")


if __name__ == "__main__":
    main()
