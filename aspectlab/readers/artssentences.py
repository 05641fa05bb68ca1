"""ARTS source data by sentence: `*_sent.json`, and `*_sent_towe.json` with the opinion words of each term."""

from __future__ import annotations

from collections.abc import Iterator

from aspectlab.data import Example, Quad, Term
from aspectlab.readers.arts import has_keys, read_object
from aspectlab.readers.format import Format
from aspectlab.readers.record import Record
from aspectlab.readers.source import Head, Source


def sniff(head: Head) -> bool:
    """Recognise an object of objects with the keys sentence and term_list."""
    return has_keys(head, "sentence", "term_list")


def read(source: Source) -> Iterator[Example]:
    """Give one example per sentence, with a quad per pair of a term and one of its opinion words."""
    for key, record in read_object(source):
        text = record.string("sentence")
        quads = [quad for entry in record.records("term_list") for quad in _read_quads(entry, text)]
        yield Example(key, text, tuple(quads))


def _read_quads(entry: Record, text: str) -> Iterator[Quad]:
    aspect, polarity = entry.term(text), entry.polarity()
    for opinion in _read_opinions(entry, text) or [None]:
        yield Quad(aspect=aspect, opinion=opinion, polarity=polarity)


def _read_opinions(entry: Record, text: str) -> list[Term | None]:
    words, positions = entry.items("opinion_words"), entry.items("opinion_position")
    if len(words) != len(positions):
        found = f"{len(words)} opinion words and {len(positions)} positions"
        raise entry.source.error(entry.where, found, "as many of one as of the other")
    return [entry.placed(text, word, position) for word, position in zip(words, positions, strict=True)]


FORMAT = Format("ARTS JSON by sentence, with or without opinion words", sniff, read)
