"""The format table: one line per format; sniffing asks them in this order."""

from aspectlab.readers.format import Format
from aspectlab.registry import Registry

READERS: Registry[Format] = Registry(
    "format",
    {
        "jsonl": "aspectlab.readers.jsonl:FORMAT",
        "label-studio": "aspectlab.readers.labelstudio:FORMAT",
        "doccano": "aspectlab.readers.doccano:FORMAT",
        "semeval14": "aspectlab.readers.semeval14:FORMAT",
        "semeval16": "aspectlab.readers.semeval16:FORMAT",
        "semeval16-text": "aspectlab.readers.semeval16text:FORMAT",
        "arts": "aspectlab.readers.arts:FORMAT",
        "arts-sentences": "aspectlab.readers.artssentences:FORMAT",
        "ate-absita": "aspectlab.readers.ateabsita:FORMAT",
        "aste": "aspectlab.readers.aste:FORMAT",
        "aste-v1": "aspectlab.readers.astev1:FORMAT",
        "asqp": "aspectlab.readers.asqp:FORMAT",
        "acos": "aspectlab.readers.acos:FORMAT",
        "bert-e2e": "aspectlab.readers.berte2e:FORMAT",
        "towe": "aspectlab.readers.towe:FORMAT",
        "three-line": "aspectlab.readers.threeline:FORMAT",
        "absita": "aspectlab.readers.absita:FORMAT",
        "muse": "aspectlab.readers.muse:FORMAT",
        "parquet": "aspectlab.readers.parquet:FORMAT",
        "table": "aspectlab.readers.table:FORMAT",
    },
)
