"""Replace spans of a text in good form: the case of the old word, the article before the new one, quads that
follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from aspectlab.data import Example, Quad, Span, edit
from aspectlab.language.inflection import article
from aspectlab.language.parsing import TaggedWord

Replacement = tuple[Span, str]
"""A span of the text and its replacement; an empty span is an insertion."""


def apply_replacements(example: Example, edits: Iterable[Replacement]) -> Example:
    """Apply edits; the opinion of a quad that would be torn or emptied is left out of it.

    >>> apply_replacements(Example("1", "No soup"), [(Span(0, 3), "")]).text
    'soup'
    """
    wanted = list(dict.fromkeys(edits))
    quads = tuple(_without_torn_opinion(quad, wanted) for quad in example.quads)
    return edit(replace(example, quads=quads), wanted)


def reconcile(edits: Iterable[Replacement]) -> list[Replacement]:
    """Keep the edits that do not get into one another's way; the earlier in the list wins.

    >>> reconcile([(Span(0, 4), "bad"), (Span(2, 6), "x"), (Span(5, 5), "not ")])
    [(Span(start=0, end=4), 'bad'), (Span(start=5, end=5), 'not ')]
    """
    kept: list[Replacement] = []
    wanted = list(edits)
    # "is" + "not" and "not" + "great" would meet: one is enough
    meeting = {span.start - 1 for span, new in wanted if new.lower() == "not "}
    for span, new in wanted:
        if new == " not" and span.start in meeting:
            continue
        if not any(_clash(span, other) for other, _ in kept):
            kept.append((span, new))
    return kept


def match_case(new: str, old: str) -> str:
    """Write a word with the capitals of the one it replaces.

    >>> match_case("bad", "GOOD"), match_case("bad", "Good"), match_case("bad", "good")
    ('BAD', 'Bad', 'bad')
    """
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def fix_article(words: tuple[TaggedWord, ...], index: int, following: str) -> list[Replacement]:
    """Make the indefinite article before a word agree with what follows it now.

    >>> words = (TaggedWord("A", Span(0, 1), "DT"), TaggedWord("bad", Span(2, 5), "JJ"))
    >>> fix_article(words, 1, "awful")
    [(Span(start=0, end=1), 'An')]
    """
    if index == 0 or words[index - 1].lower not in {"a", "an"}:
        return []
    before = words[index - 1]
    right = article(following)
    return [] if before.lower == right else [(before.span, match_case(right, before.text[:1]))]


def _clash(one: Span, other: Span) -> bool:
    if one == other:
        return True
    return one.start < other.end and other.start < one.end


def _without_torn_opinion(quad: Quad, edits: list[Replacement]) -> Quad:
    if quad.opinion is None or quad.opinion.span is None:
        return quad
    first, last = quad.opinion.span
    left = last - first
    for (start, end), new in edits:
        if end <= first or start >= last:
            continue
        if start < first or end > last:
            return replace(quad, opinion=None)
        left += len(new) - (end - start)
    return quad if left > 0 else replace(quad, opinion=None)
