"""Three lines a record: a sentence with `$T$`, the aspect, and its label (Twitter, SemEval-14 `.seg`).

The label is -1, 0 or 1, or a word as in the files of PyABSA.
"""

from collections.abc import Iterator

from aspectlab.data import Example, Part, Quad, Span, Term
from aspectlab.readers import MAX_LINE_BYTES, Format, Head, Source
from aspectlab.readers.tables.columns import POLARITIES

_SLOT = "$T$"


def sniff(head: Head) -> bool:
    """Recognise `$T$` in the first line of text and a label in the third."""
    lines = [line for line in head.lines if line.strip()][:3]
    return len(lines) == 3 and _SLOT in lines[0] and lines[2].strip().lower() in POLARITIES


def read(source: Source) -> Iterator[Example]:
    """Stream one example a record; where `$T$` recurs, the first is the span and all are replaced."""
    block: list[str] = []
    count = number = 0
    for number, line in source.lines():
        # a blank line between records, or at the end of the file, belongs to none
        if not block and not line.strip():
            continue
        block.append(line)
        if len(block) == 3:
            count += 1
            yield _read_record(source, number - 2, block, str(count))
            block = []
    if block:
        raise source.error(number, f"a record of {len(block)} lines", "three lines", "is the file cut off?")


def _read_record(source: Source, number: int, block: list[str], name: str) -> Example:
    template, aspect, label = block[0], block[1].strip(), block[2].strip().lower()
    start = template.find(_SLOT)
    if start < 0:
        raise source.error(number, f"{template[:60]!r}", f"a sentence with {_SLOT}", "is a line missing?")
    if not aspect:
        raise source.error(number + 1, "a blank line", f"the aspect that stands for {_SLOT}")
    if label not in POLARITIES:
        expected = "one of -1, 0, 1, negative, neutral, positive"
        raise source.error(number + 2, f"{block[2].strip()[:60]!r}", expected, "correct the label")
    # two long lines of a broken file could make a text of terabytes
    if template.count(_SLOT) * len(aspect) > MAX_LINE_BYTES:
        raise source.error(number, f"{template.count(_SLOT):,} times {_SLOT}", "a short sentence and aspect")
    term = Term(aspect, Span(start, start + len(aspect)))
    return Example(name, template.replace(_SLOT, aspect), (Quad(aspect=term, polarity=POLARITIES[label]),))


FORMAT = Format(
    "three lines a record, with $T$ for the aspect",
    sniff,
    read,
    annotates=frozenset({Part.ASPECT, Part.POLARITY}),
)
