"""Lexical substitution: replace a term by another word, in its form and with its capitals."""

from collections.abc import Callable, Iterable, Sequence

from aspectlab.data import Edit, Span
from aspectlab.language import TaggedWord, find_lemma, fix_article, inflect, match_case, word_class
from aspectlab.metamorphic.context import RelationContext, TaggedExample, is_apart

Find = Callable[[str, str], Sequence[str]]
"""`find(lemma, kind)`: the words of a lexicon."""

_CLASSES = ("ADJ", "ADV", "VERB", "NOUN")


def replace_aspect(sentence: TaggedExample, span: Span, context: RelationContext) -> list[Edit]:
    """List the edits that put a synonym, then a hypernym, for an aspect or for its head."""
    words = _words_in(sentence, span)
    if not words:
        return []
    # a thing is a noun, unless the sentence speaks of doing it
    classes = ("VERB", "NOUN") if words[-1].tag.startswith("VB") else ("NOUN",)
    finds = {"synonym": context.lexicon.synonyms, "hypernym": context.lexicon.hypernyms}
    for part, at in ((words, span), (words[-1:], words[-1].span)):
        old = sentence.example.text[at.start : at.end]
        edits = [
            Edit(at, old, new, kind)
            for kind, find in finds.items()
            for new in _candidates(part, old, classes, find)
        ]
        if edits:
            return _first(edits, context.limit)
    return []


def replace_opinion(sentence: TaggedExample, span: Span, context: RelationContext, kind: str) -> list[Edit]:
    """List the edits that put a synonym or an antonym for an opinion or for its last adjective."""
    words = _words_in(sentence, span)
    find = context.lexicon.antonyms if kind == "antonym" else context.lexicon.synonyms
    parts = [(words, span)] if words else []
    if len(words) > 1:
        adjectives = [word for word in words if word.tag.startswith("JJ")]
        parts += [([word], word.span) for word in adjectives[-1:]]
    for part, at in parts:
        found = word_class(part[-1].tag)
        classes = (found,) if found in {"ADJ", "ADV", "VERB"} else _CLASSES
        old = sentence.example.text[at.start : at.end]
        edits = [Edit(at, old, new, kind) for new in _candidates(part, old, classes, find)]
        if edits:
            return _first(edits, context.limit)
    return []


def agree(sentence: TaggedExample, edits: Sequence[Edit], *terms: Span) -> tuple[Edit, ...]:
    """Add edits that make the indefinite articles before new words agree with them, outside these terms.

    >>> from aspectlab.data import Example
    >>> words = TaggedWord("a", Span(0, 1), "DT"), TaggedWord("nice", Span(2, 6), "JJ")
    >>> agree(TaggedExample(Example("1", "a nice"), words), [Edit(Span(2, 6), "nice", "odd", "antonym")])[1]
    Edit(span=Span(start=0, end=1), old='a', new='an', kind='article', source=None)
    """
    positions = {word.span.start: position for position, word in enumerate(sentence.words)}
    articles = [
        Edit(span, sentence.example.text[span.start : span.end], new, "article")
        for change in edits
        if change.span.start in positions
        for span, new in fix_article(sentence.words, positions[change.span.start], change.new)
        if is_apart(span, *terms, *(other.span for other in edits))
    ]
    return (*edits, *articles)


def _words_in(sentence: TaggedExample, span: Span) -> list[TaggedWord]:
    return [word for word in sentence.words if span.start <= word.span.start and word.span.end <= span.end]


def _candidates(words: Sequence[TaggedWord], old: str, kinds: Iterable[str], find: Find) -> list[str]:
    """Ask for the words as they stand, then for their lemma, in one class after the other."""
    *before, last = (word.lower for word in words)
    for kind in kinds:
        found = list(find(" ".join([*before, last]), kind))
        if not found:
            tag = words[-1].tag
            lemma = " ".join([*before, find_lemma(last, tag)])
            found = [_inflect(new, tag) for new in find(lemma, kind)]
        if found:
            return [match_case(new, old) for new in found if new.lower() != old.lower()]
    return []


def _inflect(phrase: str, tag: str) -> str:
    """Inflect a phrase as a tag asks, which its last noun or its first verb carries."""
    first, _, rest = phrase.partition(" ")
    if not rest:
        return inflect(phrase, tag)
    if word_class(tag) == "NOUN":
        start, _, head = phrase.rpartition(" ")
        return f"{start} {inflect(head, tag)}"
    return f"{inflect(first, tag)} {rest}"


def _first(edits: Iterable[Edit], limit: int) -> list[Edit]:
    """Keep the first edits, each word once."""
    kept: dict[str, Edit] = {}
    for edit in edits:
        kept.setdefault(edit.new.lower(), edit)
    return list(kept.values())[:limit]
