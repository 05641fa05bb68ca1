"""SemEval-2016 subtask 2, text level: reviews that carry opinions as a whole, in XML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aspectlab.data import Example, Quad
from aspectlab.readers import xmlfile
from aspectlab.readers.format import Format
from aspectlab.readers.semeval16 import is_text_level
from aspectlab.readers.source import Head, Source

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def sniff(head: Head) -> bool:
    """Recognise XML whose root is `<Reviews>` and whose reviews have opinions of their own."""
    return xmlfile.root_tag(head) == "Reviews" and is_text_level(head)


def read(source: Source) -> Iterator[Example]:
    """Stream the reviews; the text of one is that of its sentences, a line each."""
    for number, review in enumerate(xmlfile.read_records(source, "Reviews", "Review"), start=1):
        name = xmlfile.read_name(source, review, "rid", number)
        where = f"review {name!r:.80}"
        yield _read_review(source, where, name, review)


def _read_review(source: Source, where: str, name: str, review: Element) -> Example:
    blocks, tags = ("sentences", "Opinions"), ("sentence", "Opinion")
    texts: list[str] = []
    quads: list[Quad] = []
    for child in xmlfile.each_inside(source, where, review, blocks, tags):
        if child.tag == "Opinion":
            category = xmlfile.read_required(source, where, child, "category")
            quads.append(Quad(category=category, polarity=xmlfile.read_polarity(source, where, child)))
        elif child.find("Opinions/Opinion") is not None:
            found, remedy = "opinions of a single sentence", "read the file as semeval16"
            raise source.error(where, found, "opinions of the whole review only", remedy)
        else:
            texts.append(xmlfile.read_text(source, where, child))
    if not texts:
        raise source.error(where, "no sentence", "at least one", "add its text or remove the review")
    return Example(name, "\n".join(texts), tuple(quads))


FORMAT = Format("SemEval-2016 XML, text level: categories per review", sniff, read)
