"""Every published file that holds examples reads, and survives the canonical form."""

from pathlib import Path

import pytest

from aspectlab.readers import read, write
from tests.support.published_data import published_folder

FOLDER = published_folder()
NO_EXAMPLES = ("MANIFEST.tsv", "SOURCES.md", "README.txt", "readme.txt", "LICENSE")
NO_EXAMPLES_UNDER = ("aspectset", "mappings", "unlabelled")


def published_files() -> list[Path]:
    return [
        path
        for path in sorted(FOLDER.rglob("*"))
        if path.is_file() and path.name not in NO_EXAMPLES and not {*path.parts} & {*NO_EXAMPLES_UNDER}
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", published_files(), ids=lambda path: str(path.relative_to(FOLDER)))
def test_published_file_reads_and_survives_the_canonical_form(path: Path, tmp_path: Path) -> None:
    corpus = read(path)
    assert len(corpus) > 0
    write(corpus, tmp_path / "copy.jsonl", "jsonl")
    assert read(tmp_path / "copy.jsonl") == corpus
