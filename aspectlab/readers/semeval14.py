"""SemEval-2014 Task 4 and MAMS: sentences with aspect terms and aspect categories, in XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from aspectlab.data import Corpus, Example, Quad
from aspectlab.errors import DataError
from aspectlab.readers import Format, Head, Source, xmlfile

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

# what XML 1.0 cannot hold, not even as a character reference
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def sniff(head: Head) -> bool:
    """Recognise XML whose root is `<sentences>`."""
    return xmlfile.root_tag(head) == "sentences"


def read(source: Source) -> Iterator[Example]:
    """Stream the sentences; a term or category without polarity (phase B) has none here either."""
    for number, sentence in enumerate(xmlfile.read_records(source, "sentences", "sentence"), start=1):
        name = xmlfile.read_name(source, sentence, "id", number)
        where = f"sentence {name!r:.80}"
        text = xmlfile.read_text(source, where, sentence)
        yield Example(name, text, tuple(_read_quads(source, where, sentence, text)))


def _read_quads(source: Source, where: str, sentence: Element, text: str) -> Iterator[Quad]:
    blocks, tags = ("text", "aspectTerms", "aspectCategories"), ("aspectTerm", "aspectCategory")
    for child in xmlfile.each_inside(source, where, sentence, blocks, tags):
        polarity = xmlfile.read_polarity(source, where, child)
        if child.tag == "aspectTerm":
            yield Quad(aspect=xmlfile.read_term(source, where, child, "term", text), polarity=polarity)
        else:
            category = xmlfile.read_required(source, where, child, "category")
            yield Quad(category=category, polarity=polarity)


def write(corpus: Corpus, path: Path) -> None:
    """Write one `<sentence>` per example, its terms before its categories.

    An example that the format cannot hold is refused before anything is written. Name and language of the
    corpus cannot be written in the format.
    """
    for example in corpus:
        if problem := _find_problem(example):
            advice = "write the corpus as jsonl, or take these parts out"
            raise DataError(f"example {example.id!r}: {problem}; {advice}")
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<sentences>\n')
        for example in corpus:
            stream.writelines(f"    {line}\n" for line in _sentence_lines(example))
        stream.write("</sentences>\n")


def _find_problem(example: Example) -> str | None:
    """Describe what of an example the format cannot hold."""
    if example.source is not None or example.variant is not None:
        return f"found source {example.source!r} and variant {example.variant!r}: expected neither"
    problems = (_find_problem_of_quad(quad) for quad in example.quads)
    return next((problem for problem in problems if problem), None) or _find_problem_of_strings(example)


def _find_problem_of_quad(quad: Quad) -> str | None:
    if quad.opinion is not None:
        return f"found the opinion {quad.opinion.text!r}: expected aspects and categories only"
    # an empty category is one too, and cannot be written beside a term nor alone
    if (quad.aspect is None) == (quad.category is None) or quad.category == "":
        return f"found {quad!r:.200}: expected either an aspect or a category in each quad"
    if quad.aspect is not None and quad.aspect.span is None:
        return f"found the aspect {quad.aspect.text!r} without a span: expected its place in the text"
    return None


def _find_problem_of_strings(example: Example) -> str | None:
    categories = [quad.category for quad in example.quads if quad.category]
    values = [example.id, *categories, *(term.text for quad in example.quads for term in quad.terms)]
    if illegal := _NO_XML.search("".join([example.text, *values])):
        return f"found the character {illegal.group()!r}: expected only what XML can hold"
    limit = xmlfile.MAX_ATTRIBUTE_CHARS
    if long := next((value for value in values if len(value) > limit), None):
        return f"found {long[:40]!r} and more, {len(long):,} characters: expected at most {limit:,}"
    size, limit = len(_escape(example.text).encode()), xmlfile.MAX_GAP_BYTES // 2
    return f"found a text of {size:,} bytes: expected at most {limit:,}" if size > limit else None


def _sentence_lines(example: Example) -> Iterator[str]:
    yield f"<sentence id={quoteattr(example.id)}>"
    yield f"    <text>{_escape(example.text)}</text>"
    terms = [_quad_line(quad) for quad in example.quads if quad.aspect is not None]
    categories = [_quad_line(quad) for quad in example.quads if quad.aspect is None]
    for block, lines in (("aspectTerms", terms), ("aspectCategories", categories)):
        if lines:
            yield f"    <{block}>"
            yield from lines
            yield f"    </{block}>"
    yield "</sentence>"


def _escape(text: str) -> str:
    # a parser turns a bare carriage return into a line feed
    return escape(text, {"\r": "&#13;"})


def _quad_line(quad: Quad) -> str:
    polarity = f' polarity="{quad.polarity}"' if quad.polarity else ""
    if quad.aspect is None or quad.aspect.span is None:
        return f"        <aspectCategory category={quoteattr(quad.category or '')}{polarity}/>"
    start, end = quad.aspect.span
    return f'        <aspectTerm term={quoteattr(quad.aspect.text)}{polarity} from="{start}" to="{end}"/>'


FORMAT = Format("SemEval-2014 and MAMS XML: terms and categories per sentence", sniff, read, write)
