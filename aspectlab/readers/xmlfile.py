"""XML within bounds: the safe parsing that all XML formats share.

Nothing but a corpus or a DataError may come of any bytes, so a document type declaration (the door to entity
bombs and foreign files) is refused, and tags, texts, attributes and nesting have an upper limit.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import ParseError, iterparse

from aspectlab.data import Polarity, Term
from aspectlab.readers import locate_term
from aspectlab.readers.source import Head, Source

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MAX_DEPTH = 16
"""Deeper nesting is refused: the deepest known format has six levels."""

MAX_ATTRIBUTE_CHARS = 1_000
"""Longer attributes are refused: the longest of any known data set has 115 characters."""

MAX_GAP_BYTES = 256 << 10
"""More bytes than this between two tags are refused: the longest known text has 464 characters."""

# possessive and atomic: a hostile row of comments must not make the expression try every way to part it
_PROLOG = re.compile(r"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>)*+", re.DOTALL)
_ROOT = re.compile(r"<([\w:.-]+)[\s/>]")
_OFFSET = re.compile(r"[0-9]{1,9}")


def head_text(head: Head) -> str:
    """Decode the beginning of an XML file, which may be UTF-16 too.

    >>> head_text(Head("a.xml", "<a>é".encode("utf-16"), ()))
    '<a>é'
    """
    if head.start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.start.decode("utf-16", "replace")
    return head.text


def root_tag(head: Head) -> str:
    """Return the name of the outermost element, or nothing if this is not XML.

    >>> root_tag(Head("a.xml", b"", ('<?xml version="1.0"?>', "<!-- trial -->", "<sentences>")))
    'sentences'
    >>> root_tag(Head("a.csv", b"", ("id;text",)))
    ''
    """
    text = head_text(head)
    prolog = _PROLOG.match(text)
    root = _ROOT.match(text, prolog.end() if prolog else 0)
    return root.group(1) if root else ""


def read_records(source: Source, root: str, *tags: str) -> Iterator[Element]:
    """Stream the elements right under `root` with one of the tags; each is forgotten as the next is read."""
    try:
        yield from _stream_records(source, root, tags)
    except ParseError as error:
        line, column = error.position
        reason = str(error).rpartition(": line")[0]
        found = f"a fault at column {column + 1} ({reason:.80})"
        raise source.error(line, found, "well-formed XML", "correct the file there") from None
    except DefusedXmlException:
        found = "a document type declaration (DOCTYPE)"
        raise source.error("prolog", found, "plain XML without one", "remove it and its entities") from None
    # what Python's codecs raise or warn of when the declaration names an encoding that is none for XML
    except (LookupError, ValueError, DeprecationWarning) as error:
        remedy = "convert the file to UTF-8 and correct its declaration"
        raise source.error("XML declaration", f"{error!s:.80}", "a known encoding", remedy) from None


def each_inside(
    source: Source, where: str, element: Element, blocks: Sequence[str], tags: Sequence[str]
) -> Iterator[Element]:
    """Return the elements called one of `tags` in the `blocks` of an element, in order.

    Others are left out, and noted: a file may well say more than its format knows.

    >>> from pathlib import Path
    >>> from defusedxml.ElementTree import fromstring
    >>> source = Source(Path("a.xml"))
    >>> review = fromstring("<Review><sentences><sentence/><sentence/></sentences><stars/></Review>")
    >>> len(list(each_inside(source, "review '7'", review, ["sentences"], ["sentence"])))
    2
    >>> source.notes
    ["review '7': element <stars> in <Review> is unknown here: left out"]
    """
    for block in each_child(source, where, element, blocks):
        yield from each_child(source, where, block, tags)


def read_name(source: Source, element: Element, key: str, number: int) -> str:
    """Return the id of a record; one without an id (MAMS) has its number in the file.

    >>> from pathlib import Path
    >>> from defusedxml.ElementTree import fromstring
    >>> read_name(Source(Path("val.xml")), fromstring("<sentence/>"), "id", 17)
    '17'
    """
    name = _attribute(source, f"<{element.tag:.40}> {number}", element, key)
    return str(number) if name is None else name


def read_text(source: Source, where: str, element: Element) -> str:
    """Return the characters of the one `<text>` of a sentence, verbatim."""
    texts = element.findall("text")
    if len(texts) != 1:
        found = f"{len(texts)} <text> elements"
        raise source.error(where, found, "exactly one", "give every sentence its text")
    if len(texts[0]):
        found = f"the element <{texts[0][0].tag:.40}> inside <text>"
        raise source.error(where, found, "characters only", "write a literal < as &lt;")
    return texts[0].text or ""


def read_required(source: Source, where: str, element: Element, key: str) -> str:
    """Return an attribute that must be there and must say something."""
    value = _attribute(source, where, element, key)
    if not value:
        found = f"<{element.tag}> without {key}" if value is None else f"<{element.tag}> with an empty {key}"
        raise source.error(where, found, f"a value for {key}", "add it or remove the element")
    return value


def read_polarity(source: Source, where: str, element: Element) -> Polarity | None:
    """Return the polarity, also capitalised; an absent or empty one (files of phase B) is unknown."""
    label = _attribute(source, where, element, "polarity")
    if not label:
        return None
    if label.lower() not in list(Polarity):
        remedy = "correct it, or leave it empty if it is unknown"
        raise source.error(where, f"polarity {label!r:.80}", f"one of {', '.join(Polarity)}", remedy)
    return Polarity(label.lower())


def read_term(source: Source, where: str, element: Element, key: str, text: str) -> Term:
    """Return the term that the attribute `key` names and `from` and `to` locate in the text."""
    surface = read_required(source, where, element, key)
    start, end = (_read_offset(source, where, element, side) for side in ("from", "to"))
    return locate_term(source, where, text, surface, start, end)


class _Feed(BytesIO):
    """The bytes of a file, handed to the parser until it finds no tag for too long.

    expat scans an unfinished tag or comment anew with each piece it gets: without a limit, one comment of
    100 MB would take hours.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source.content())
        self._source = source
        self.gap = 0

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        self.gap += len(piece)
        if self.gap > MAX_GAP_BYTES:
            where, found = f"byte {self.tell() - self.gap}", f"over {MAX_GAP_BYTES:,} bytes without a tag"
            raise self._source.error(where, found, "a tag", "look for an unclosed quote or comment")
        return piece


def each_child(source: Source, where: str, element: Element, tags: Sequence[str]) -> Iterator[Element]:
    """Yield the elements called one of `tags` right under an element; others are left out, and noted."""
    for child in element:
        if child.tag in tags:
            yield child
        else:
            source.note(where, f"element <{child.tag:.40}> in <{element.tag:.40}> is unknown here: left out")


def _stream_records(source: Source, root: str, tags: Sequence[str]) -> Iterator[Element]:
    feed = _Feed(source)
    opened: list[Element] = []
    for event, element in iterparse(feed, ("start", "end"), forbid_dtd=True):
        feed.gap = 0
        if event == "start":
            opened.append(element)
            _check_opened(source, root, opened)
            continue
        opened.pop()
        if len(opened) == 1:
            if element.tag in tags:
                yield element
            else:
                source.note(f"<{root}>", f"element <{element.tag:.40}> is unknown here: left out")
            # the parser keeps what it has built: without this, the whole tree stays in memory
            opened[0].clear()


def _check_opened(source: Source, root: str, opened: list[Element]) -> None:
    if opened[0].tag != root:
        known = opened[0].tag.rpartition("}")[2] == root
        remedy = "remove its namespace (xmlns)" if known else "name the format of the file"
        raise source.error("root", f"the root element <{opened[0].tag:.40}>", f"<{root}>", remedy)
    if len(opened) > MAX_DEPTH:
        found = f"elements nested over {MAX_DEPTH} deep"
        raise source.error(f"<{opened[-1].tag:.40}>", found, f"<{root}> and its records", "flatten them")


def _attribute(source: Source, where: str, element: Element, key: str) -> str | None:
    value = element.get(key)
    if value is not None and len(value) > MAX_ATTRIBUTE_CHARS:
        found = f"{key} of {len(value):,} characters"
        raise source.error(where, found, f"at most {MAX_ATTRIBUTE_CHARS:,}", "shorten it")
    return value


def _read_offset(source: Source, where: str, element: Element, side: str) -> int:
    value = read_required(source, where, element, side)
    if not _OFFSET.fullmatch(value):
        found = f'{side}="{value:.40}" in <{element.tag}>'
        raise source.error(where, found, "a number of characters from the start of the text", "correct it")
    return int(value)
