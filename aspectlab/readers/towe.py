r"""TOWE: tab-separated rows with the opinion words of one target each, as tags like `soup\B`."""

import re
from collections.abc import Iterator

from aspectlab.data import Example, Part, Quad, Term
from aspectlab.readers import Format, Head, Source
from aspectlab.readers.textfields import (
    check_length,
    check_pairs,
    first_line,
    note_lines,
    split_tags,
    tagged_terms,
)

_COLUMNS = ["s_id", "sentence", "target_tags", "opinion_words_tags"]
_TAG = re.compile(r"[BIO]")


def sniff(head: Head) -> bool:
    """Recognise the header."""
    return first_line(head).split("\t") == _COLUMNS


def read(source: Source) -> Iterator[Example]:
    """Return one example per sentence id, with the quads of all its rows, wherever these are.

    Fields are not quoted: a quotation mark is a token like any other. A target that has two rows, as the
    published files have some, keeps the opinions of both, each once.
    """
    texts: dict[str, str] = {}
    quads: dict[str, dict[Quad, None]] = {}
    targets_seen: set[tuple[str, Term | None]] = set()
    repeated: list[int] = []
    altered: list[int] = []
    unplaced: list[int] = []
    for number, name, text, targets, opinions in _rows(source):
        if texts.setdefault(name, text) != text:
            found = f"the id {name!r} with another sentence before"
            raise source.error(number, found, "one sentence per id", "rename one of them")
        pairs = [split_tags(source, number, tags, "\\", _TAG) for tags in (targets, opinions)]
        if any([token for token, _ in tagged] != text.split() for tagged in pairs):
            altered.append(number)
        own = _combine(source, number, *(_terms(text, tagged) for tagged in pairs))
        if not own:
            raise source.error(number, "no target", r"a token tagged \B", "correct the row or remove it")
        unplaced += [number for quad in own for term in quad.terms if term.span is None]
        if (name, own[0].aspect) in targets_seen:
            repeated.append(number)
        targets_seen.update((name, quad.aspect) for quad in own)
        quads.setdefault(name, {}).update(dict.fromkeys(own))
    note_lines(source, repeated, "rows for a target that had one before, merged")
    note_lines(
        source, altered, "rows whose tagged tokens differ from the sentence, aligned as far as they agree"
    )
    note_lines(source, unplaced, "terms that are not in the sentence, kept without a span")
    for name, text in texts.items():
        yield Example(name, text, tuple(quads[name]))


def _rows(source: Source) -> Iterator[tuple[int, str, str, str, str]]:
    header = True
    for number, line in source.lines():
        if not line.strip():
            continue
        fields = line.split("\t")
        if (header and fields != _COLUMNS) or len(fields) != len(_COLUMNS):
            expected = f"the tab-separated columns {', '.join(_COLUMNS)}"
            raise source.error(number, f"{line[:60]!r}", expected)
        if not header:
            name, text, targets, opinions = fields
            check_length(source, number, text)
            yield number, name, text, targets, opinions
        header = False


def _terms(text: str, pairs: list[tuple[str, str]]) -> list[Term]:
    """Number the runs of B I I, so that two adjacent ones stay apart; an I without a B begins one."""
    numbered, count, before = [], 0, "O"
    for token, tag in pairs:
        count += tag == "B" or (tag == "I" and before == "O")
        numbered.append((token, "O" if tag == "O" else str(count)))
        before = tag
    return [term for _, term in tagged_terms(text, numbered)]


def _combine(source: Source, number: int, targets: list[Term], opinions: list[Term]) -> list[Quad]:
    check_pairs(source, number, len(targets) * len(opinions))
    if not opinions:
        return [Quad(aspect=target) for target in targets]
    return [Quad(aspect=target, opinion=opinion) for target in targets for opinion in opinions]


FORMAT = Format(
    "TOWE, target-oriented opinion words, tab-separated",
    sniff,
    read,
    annotates=frozenset({Part.ASPECT, Part.OPINION}),
)
