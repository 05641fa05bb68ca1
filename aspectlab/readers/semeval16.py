"""SemEval-2015 and 2016, in XML: reviews with opinions of sentences, or of a whole review (subtask 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

from aspectlab.data import Example, Quad
from aspectlab.readers import Format, Head, Source, xmlfile

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


_IMPLICIT = "NULL"
_TEXT_LEVEL = re.compile(r"(?:</sentences>|<sentences\s*/>|<Review\s[^>]*>|<Review>)\s*<Opinions")


def sniff(head: Head) -> bool:
    """Recognise XML whose root is `<Reviews>` and whose reviews have no opinions of their own."""
    return xmlfile.root_tag(head) == "Reviews" and not is_text_level(head)


def is_text_level(head: Head) -> bool:
    """Return whether `<Opinions>` is next to `<sentences>`, and not inside a sentence.

    >>> is_text_level(Head("a.xml", b"", ("</sentences>", "<Opinions>")))
    True
    >>> is_text_level(Head("a.xml", b"", ("</text>", "<Opinions>")))
    False
    """
    return _TEXT_LEVEL.search(xmlfile.head_text(head)) is not None


def read(source: Source) -> Iterator[Example]:
    """Stream the sentences, of reviews or in a flat list; those out of scope stay, without quads."""
    sentence_numbers = count(1)
    records = xmlfile.read_records(source, "Reviews", "Review", "sentences")
    for review_number, review in enumerate(records, start=1):
        if review.tag == "sentences":
            for sentence in xmlfile.each_child(source, "<sentences>", review, ("sentence",)):
                yield _read_sentence(source, sentence, next(sentence_numbers))
            continue
        where = f"review {xmlfile.read_name(source, review, 'rid', review_number)!r:.80}"
        if review.find("Opinions/Opinion") is not None:
            found, remedy = "opinions of the whole review", "read the file as semeval16-text"
            raise source.error(where, found, "opinions of its sentences only", remedy)
        for sentence in xmlfile.each_inside(source, where, review, ("sentences", "Opinions"), ("sentence",)):
            yield _read_sentence(source, sentence, next(sentence_numbers))


def _read_sentence(source: Source, sentence: Element, number: int) -> Example:
    name = xmlfile.read_name(source, sentence, "id", number)
    where = f"sentence {name!r:.80}"
    text = xmlfile.read_text(source, where, sentence)
    opinions = xmlfile.each_inside(source, where, sentence, ("text", "Opinions"), ("Opinion",))
    return Example(name, text, tuple(_read_quad(source, where, opinion, text) for opinion in opinions))


def _read_quad(source: Source, where: str, opinion: Element, text: str) -> Quad:
    # a few NULL targets carry real offsets, so only the target says that an aspect is implicit
    explicit = opinion.get("target", _IMPLICIT) != _IMPLICIT
    return Quad(
        aspect=xmlfile.read_term(source, where, opinion, "target", text) if explicit else None,
        category=xmlfile.read_required(source, where, opinion, "category"),
        polarity=xmlfile.read_polarity(source, where, opinion),
    )


FORMAT = Format("SemEval-2015 and 2016 XML: targets and categories per sentence", sniff, read)


def sniff_text(head: Head) -> bool:
    """Recognise XML whose root is `<Reviews>` and whose reviews have opinions of their own."""
    return xmlfile.root_tag(head) == "Reviews" and is_text_level(head)


def read_text_level(source: Source) -> Iterator[Example]:
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


TEXT_FORMAT = Format("SemEval-2016 XML, text level: categories per review", sniff_text, read_text_level)
