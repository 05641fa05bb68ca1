"""ASTE-Data V1: `sentence####tok=TT-POS ...####tok=SS ...`; aspect k and its opinions have k letters."""

import re
from collections.abc import Iterator

from aspectlab.data import Example, Part, Quad, Term
from aspectlab.readers import Format, Head, Source
from aspectlab.readers.textfields import (
    CODES,
    MARK,
    check_length,
    check_pairs,
    first_line,
    named_lines,
    note_lines,
    split_tags,
    tagged_terms,
)

_ASPECT = re.compile(r"O|T+-(POS|NEG|NEU)")
_OPINION = re.compile(r"O|S+")


def sniff(head: Head) -> bool:
    """Recognise three fields, the second with tags of aspects and the third with tags of opinions."""
    _, *tagged = first_line(head).split(MARK)
    return len(tagged) == 2 and all(
        known.fullmatch(field.strip().rpartition("=")[2]) is not None
        for field, known in zip(tagged, (_ASPECT, _OPINION), strict=True)
    )


def read(source: Source) -> Iterator[Example]:
    """Stream one example a line, pairing aspects and opinions by their repeat count.

    A token holds one tag only, so an opinion that two aspects share is tagged for one of them and the other
    has none: the triplets are not fit for scoring.
    """
    unplaced: list[int] = []
    altered: list[int] = []
    lost = 0
    for number, line, name in named_lines(source):
        text, aspects, opinions = _split_line(source, number, line)
        if any([token for token, _ in pairs] != text.split() for pairs in (aspects, opinions)):
            altered.append(number)
        quads = _pair(source, number, tagged_terms(text, aspects), tagged_terms(text, opinions))
        lost += sum(quad.opinion is None for quad in quads)
        unplaced += [number for quad in quads for term in quad.terms if term.span is None]
        yield Example(name, text, tuple(quads))
    caution = "triplets of V1 are not for scoring, use V2; aspects that lost their opinions"
    source.note("whole file", f"{caution}: {lost:,}")
    note_lines(
        source, altered, "sentences that differ from their tagged tokens, aligned as far as they agree"
    )
    note_lines(source, unplaced, "terms that are not in the sentence, kept without a span")


def _split_line(
    source: Source, number: int, line: str
) -> tuple[str, list[tuple[str, str]], list[tuple[str, str]]]:
    fields = line.split(MARK)
    if len(fields) != 3:
        raise source.error(number, f"{len(fields)} fields", f"three, separated by {MARK}", "correct the line")
    check_length(source, number, fields[0])
    aspects, opinions = (
        split_tags(source, number, field, "=", known)
        for field, known in zip(fields[1:], (_ASPECT, _OPINION), strict=True)
    )
    return fields[0], aspects, opinions


def _pair(
    source: Source, number: int, aspects: list[tuple[str, Term]], opinions: list[tuple[str, Term]]
) -> list[Quad]:
    """Pair each aspect with the opinions of its count; an opinion whose aspect is lost is left out."""
    counted: dict[int, list[Term | None]] = {}
    for letters, opinion in opinions:
        counted.setdefault(len(letters), []).append(opinion)
    quads: list[Quad] = []
    for tag, aspect in aspects:
        letters, _, code = tag.partition("-")
        own = counted.get(len(letters), [None])
        check_pairs(source, number, len(quads) + len(own))
        quads += [Quad(aspect=aspect, opinion=opinion, polarity=CODES[code]) for opinion in own]
    return quads


FORMAT = Format(
    "ASTE-Data V1, tagged tokens, one sentence a line",
    sniff,
    read,
    annotates=frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY}),
)
