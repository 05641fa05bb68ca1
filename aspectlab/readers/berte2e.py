"""BERT-E2E-ABSA: `raw sentence####tok=O tok=T-NEG ...`; the tokens do not match the raw sentence exactly."""

import re
from collections.abc import Iterator

from aspectlab.data import Example, Part, Quad
from aspectlab.readers import Format, Head, Source
from aspectlab.readers.textfields import (
    CODES,
    MARK,
    check_length,
    first_line,
    named_lines,
    note_lines,
    split_tags,
    tagged_terms,
)

_TAG = re.compile(r"O|T-(POS|NEG|NEU)")


def sniff(head: Head) -> bool:
    """Recognise a sentence and one field of tagged tokens."""
    _, mark, tagged = first_line(head).partition(MARK)
    return bool(mark) and MARK not in tagged and _TAG.fullmatch(tagged.strip().rpartition("=")[2]) is not None


def read(source: Source) -> Iterator[Example]:
    """Stream one example a line; a run of equal tags is one aspect.

    The format has no mark for where an aspect begins: adjacent aspects of one polarity come out as one.
    """
    unplaced: list[int] = []
    for number, line, name in named_lines(source):
        text, mark, tagged = line.partition(MARK)
        # with a second mark, nothing tells where the sentence ends
        if not mark or MARK in tagged:
            raise source.error(number, f"{line[:60]!r}", f"a sentence, {MARK} once and tagged tokens")
        check_length(source, number, text)
        terms = tagged_terms(text, split_tags(source, number, tagged, "=", _TAG))
        quads = tuple(Quad(aspect=term, polarity=CODES[tag.removeprefix("T-")]) for tag, term in terms)
        unplaced += [number for _, term in terms if term.span is None]
        yield Example(name, text, quads)
    note_lines(source, unplaced, "aspects that are not in the sentence, kept without a span")


FORMAT = Format(
    "BERT-E2E-ABSA, raw sentence and tagged tokens, one sentence a line",
    sniff,
    read,
    annotates=frozenset({Part.ASPECT, Part.POLARITY}),
)
