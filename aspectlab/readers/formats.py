"""The format table: one line per format, the more specific before the more general."""

from aspectlab.readers.format import Format
from aspectlab.registry import Registry

READERS: Registry[Format] = Registry(
    "format",
    {
        "jsonl": "aspectlab.readers.jsonl:FORMAT",
    },
)
