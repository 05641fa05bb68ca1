"""Reverse opinion words by antonym or negation, and adapt the conjunctions between opinions."""

from collections.abc import Collection, Iterable

from aspectlab.data import OPPOSITE, Polarity, Span
from aspectlab.language import (
    NEGATE,
    AntonymLexicon,
    TaggedWord,
    find_collocation,
    fix_article,
    match_case,
)
from aspectlab.robustness.aspects import AspectMention, AspectSentence
from aspectlab.robustness.edits import Replacement, Words, is_too_much, reconcile
from aspectlab.robustness.negation import (
    BE,
    NOT,
    find_negation,
    insert_before,
    is_negation,
    negate,
    remove_negation,
)

_APART = frozenset({"ever", "just", "merely", "only", "simply", "yet"})
"""Adverbs that make something else of a negation before them: "not only good" praises."""

_TONES = frozenset({"all", "at", "so", "that", "too", "very"})
_REACH = 3
"""How many degree words may stand between a negation and its opinion."""


def reverse(
    sentence: AspectSentence, opinions: Iterable[Span], lexicon: AntonymLexicon, *, plain: bool = False
) -> list[Replacement]:
    """Reverse these opinions of a sentence; the edits keep clear of all aspect terms.

    In plain wording "not" stands where English puts it; otherwise right before most opinions.

    >>> from aspectlab.robustness.aspects import sketch
    >>> lamp = sketch("A/DT cheap/JJ lamp/NN", {"lamp": ("positive", "cheap")})
    >>> reverse(lamp, [Span(2, 7)], AntonymLexicon())
    [(Span(start=2, end=7), 'expensive'), (Span(start=0, end=1), 'An')]
    """
    edits: list[Replacement] = []
    wanted = sorted(set(opinions))
    firm = [opinion for opinion in wanted if not _is_hedge(sentence.words, opinion)]
    for opinion in firm or wanted:
        for span in (opinion, *_echoes(sentence.words, opinion)):
            edits += _reverse_one(sentence, span, lexicon, plain=plain)
    return reconcile(edits)


def positions_in(words: Words, span: Span) -> list[int]:
    """List the positions of the words that a span covers or cuts.

    >>> from aspectlab.robustness.aspects import sketch
    >>> positions_in(sketch("A/DT cheap/JJ lamp/NN", {}).words, Span(3, 9))
    [1, 2]
    """
    return [n for n, word in enumerate(words) if word.span.start < span.end and span.start < word.span.end]


def touches_term(sentence: AspectSentence, edits: Iterable[Replacement]) -> bool:
    """Return whether an edit would change a term; an insertion at the edge of one does not.

    >>> from aspectlab.robustness.aspects import sketch
    >>> lamp = sketch("A/DT cheap/JJ lamp/NN", {"lamp": ("positive", "cheap")})
    >>> touches_term(lamp, [(Span(8, 8), "odd ")]), touches_term(lamp, [(Span(9, 9), "-")])
    (False, True)
    """
    return any(_is_protected(sentence, span) for span, _ in edits)


def _reverse_one(
    sentence: AspectSentence, opinion: Span, lexicon: AntonymLexicon, *, plain: bool
) -> list[Replacement]:
    words = sentence.words
    positions = positions_in(words, opinion)
    if not positions:
        return []
    negation = find_negation(words, positions)
    edits = _swap(sentence, positions, lexicon, plain=plain)
    if edits:
        return edits
    if negation is None:
        negation = _find_beside(words, positions)
    if negation is not None:
        edits = remove_negation(sentence.example.text, words, negation)
        # the deletion comes first; a capital that it would give to a term can be done without
        if not touches_term(sentence, edits[:1]):
            return [edit for edit in edits if not touches_term(sentence, [edit])]
    edits = negate(words, positions, plain=plain)
    if touches_term(sentence, edits):
        # a capital inside a term stays
        edits = insert_before(words, _outside(sentence, positions[0]), "not")
        edits = [edit for edit in edits if not touches_term(sentence, [edit])]
    return edits


def _find_beside(words: Words, positions: list[int]) -> int | None:
    """Find a negation that belongs to an opinion: before it, or behind a form of "be" or a modal."""
    before, after = positions[0] - 1, positions[-1] + 1
    if before >= 0 and is_negation(words[before]):
        return before
    before = _before_degrees(words, positions[0])
    if before >= 0 and words[before].lower in {*NOT, "never"}:
        return before
    is_helper = words[positions[-1]].lower in BE or words[positions[-1]].tag == "MD"
    return after if is_helper and after < len(words) and words[after].lower in NOT else None


def _before_degrees(words: Words, position: int) -> int:
    """Step over the degree words before an opinion: of "not that great" the negation stands before them."""
    before = position - 1
    while before >= max(position - _REACH, 0) and not is_negation(words[before]):
        word = words[before]
        is_adverb = word.tag.startswith("RB") and word.lower not in _APART
        if not is_adverb and word.lower not in _TONES:
            break
        before -= 1
    return before


def _is_hedge(words: Words, opinion: Span) -> bool:
    """Return whether an opinion only tones down another: "good, but not great" is no praise once reversed."""
    first = next(iter(positions_in(words, opinion)), 0)
    return first > 0 and is_negation(words[first]) and words[first - 1].lower in {"but", "just"}


def _echoes(words: Words, opinion: Span) -> list[Span]:
    """Find an opinion word that stands twice, as in "I love, love the tea"."""
    positions = positions_in(words, opinion)
    if len(positions) != 1:
        return []
    word = words[positions[0]]
    around = [n for n in (positions[0] - 2, positions[0] + 2) if 0 <= n < len(words)]
    return [
        words[n].span
        for n in around
        if words[n].lower == word.lower and words[(n + positions[0]) // 2].text == ","
    ]


def _swap(
    sentence: AspectSentence, positions: list[int], lexicon: AntonymLexicon, *, plain: bool
) -> list[Replacement]:
    """Exchange an opinion for its opposite: by its wording, or a single word by its antonym."""
    words, first, last = sentence.words, positions[0], positions[-1]
    span = Span(words[first].span.start, words[last].span.end)
    if _is_protected(sentence, span) or is_too_much(words, first):
        return []
    new = find_collocation([word.lower for word in words], first, last + 1)
    if new is None and first == last and find_negation(words, positions) is None:
        word = words[first]
        # "the not slowest" is poor English, unlike "not slower" and "did not love"
        exact = not plain and word.tag not in {"JJS", "RBS"}
        new = next(iter(lexicon.antonyms(word.text, word.tag, exact=exact)), None)
    if new is None or new == NEGATE:
        return []
    return [(span, match_case(new, words[first].text)), *fix_article(words, first, new)]


def _is_protected(sentence: AspectSentence, span: Span) -> bool:
    return any(span.start < term.end and term.start < span.end for term in sentence.protected)


def _outside(sentence: AspectSentence, position: int) -> int:
    """Return the first word of the aspect term around a position, or the position itself."""
    start = sentence.words[position].span.start
    for term in sentence.protected:
        if term.start < start < term.end:
            return positions_in(sentence.words, term)[0]
    return position


_NOUNS = frozenset({"NN", "NNS"})

_MARGIN = 3
"""Words that must stand before and after an "and" for it to join clauses or long phrases."""


def stands_alone(sentence: AspectSentence, target: AspectMention) -> bool:
    """Return whether the target, once reversed, differs from all other aspects and shares no opinion word.

    >>> from aspectlab.robustness.aspects import sketch
    >>> alone = sketch("Good/JJ tea/NN", {"tea": ("positive", "Good")})
    >>> stands_alone(alone, alone.aspects[0])
    False
    """
    text = sentence.example.text
    others = [aspect for aspect in sentence.aspects if aspect is not target]
    own = {text[start:end] for start, end in target.opinions}
    shared = any(text[start:end] in own for other in others for start, end in other.opinions)
    turned = OPPOSITE.get(target.polarity)
    if turned is None or not others or shared:
        return False
    return all(other.polarity is not turned for other in others)


def contrast(
    sentence: AspectSentence,
    target: AspectMention,
    reversed_opinions: Collection[Span],
    *,
    torn: bool = False,
) -> list[Replacement]:
    """Turn the "and" that is nearest to the target into "but"; one that joins its own opinions stays.

    An "and" whose two nearest opinions have come to differ goes before all others; `torn` takes no other, and
    only where a statement begins.

    >>> from aspectlab.robustness.aspects import sketch
    >>> opinions = {"tea": ("positive", "good"), "cup": ("positive", "clean")}
    >>> pair = sketch("The/DT tea/NN is/VBZ good/JJ and/CC the/DT cup/NN clean/JJ", opinions)
    >>> contrast(pair, pair.aspects[1], pair.aspects[1].opinions)
    [(Span(start=16, end=19), 'but')]
    """
    words = sentence.words
    assert target.term.span is not None
    end = sum(word.span.start < target.term.span.end for word in words) - 1
    positions = [
        n for n, word in enumerate(words) if word.lower == "and" and _joins(sentence, target, n, end)
    ]
    if "and" in target.term.text.lower().split():
        return []
    differing = [n for n in positions if _is_torn(sentence, words[n], reversed_opinions)]
    opening = [n for n in positions if _opens_statement(sentence, n)]
    positions = [n for n in differing if n in opening] if torn else differing or opening
    if not positions:
        return []
    nearest = words[min(positions, key=lambda position: abs(position - end))]
    return [(nearest.span, match_case("but", nearest.text))]


def drop_too(sentence: AspectSentence, opinions: Collection[Span]) -> list[Replacement]:
    """Delete ", too" after these opinions: once they contrast with the rest, they come on top of nothing.

    >>> from aspectlab.robustness.aspects import sketch
    >>> drop_too(sketch("The/DT tea/NN is/VBZ good/JJ ,/, too/RB", {}), [Span(11, 15)])
    [(Span(start=15, end=21), '')]
    """
    words = sentence.words
    return [
        (Span(before.span.end, too.span.end), "")
        for before, comma, too in zip(words, words[1:], words[2:], strict=False)
        if comma.text == "," and too.lower == "too" and before.span.end in {span.end for span in opinions}
    ]


def agree(
    sentence: AspectSentence, reversed_opinions: Collection[Span], reversal: Collection[Replacement]
) -> list[Replacement]:
    """Turn each "but" into "and" whose two nearest opinions differed and agree after a reversal.

    One before a denial stays: "good tea but the cup is not dirty" is good English.

    >>> from aspectlab.robustness.aspects import sketch
    >>> opinions = {"tea": ("positive", "good"), "cup": ("negative", "dirty")}
    >>> pair = sketch("The/DT tea/NN is/VBZ good/JJ but/CC the/DT cup/NN dirty/JJ", opinions)
    >>> agree(pair, pair.aspects[1].opinions, [])
    [(Span(start=16, end=19), 'and')]
    """
    opinions = _polarities(sentence)
    denied = {span.start for span, new in reversal if new == "not "}
    edits: list[Replacement] = []
    for word in sentence.words:
        is_free = word.lower == "but" and not _is_inside(word, sentence.protected)
        sides = _sides(word, list(opinions)) if is_free else None
        if sides is None or opinions[sides[0]] is opinions[sides[1]]:
            continue
        if sides[1].start not in denied and not _is_torn(sentence, word, reversed_opinions):
            edits.append((word.span, match_case("and", word.text)))
    return edits


def _joins(sentence: AspectSentence, target: AspectMention, position: int, end: int) -> bool:
    """Return whether an "and" may join the target's part of the sentence with another."""
    word = sentence.words[position]
    opinions = _polarities(sentence)
    if _is_inside(word, (*sentence.protected, *opinions)):
        return False
    # "the soup and fresh bread": right after the term it joins two things, not two statements
    if position == end + 1 or _joins_terms(sentence, position):
        return False
    sides = _sides(word, list(opinions))
    if sides is not None and all(side in target.opinions for side in sides):
        return False
    return (position < end and position > _MARGIN) or (
        position > end and len(sentence.words) - position > _MARGIN
    )


def _is_inside(word: TaggedWord, spans: Collection[Span]) -> bool:
    return any(span.start <= word.span.start < span.end for span in spans)


def _joins_terms(sentence: AspectSentence, position: int) -> bool:
    """Return whether a word stands right between two aspect terms: "tea and milk" share what is said."""
    around = sentence.words[max(position - 1, 0) : position + 2]
    neighbours = [around[0].span, around[-1].span]
    return all(any(t.start <= n.start < t.end for t in sentence.protected) for n in neighbours)


def _is_torn(sentence: AspectSentence, word: TaggedWord, reversed_opinions: Collection[Span]) -> bool:
    """Return whether the nearest opinions on the two sides of a word differ after the reversal."""
    opinions = _polarities(sentence)
    sides = _sides(word, list(opinions))
    if sides is None:
        return False
    left, right = (_turn(opinions[side]) if side in reversed_opinions else opinions[side] for side in sides)
    return left is not right


def _opens_statement(sentence: AspectSentence, position: int) -> bool:
    """Return whether an "and" goes on with a verb or an opinion, unlike "girls and boys" and other lists."""
    words = sentence.words
    if words[position - 1].tag in _NOUNS and words[position + 1].tag in _NOUNS:
        return False
    opinions = _polarities(sentence)
    for word in words[position + 1 :]:
        if word.tag in {".", ",", ":", "-LRB-", "-RRB-"}:
            return False
        if word.tag in {"VBZ", "VBP", "VBD", "VB", "MD"} or any(
            span.start == word.span.start for span in opinions
        ):
            return True
    return False


def _polarities(sentence: AspectSentence) -> dict[Span, Polarity]:
    return {span: aspect.polarity for aspect in sentence.aspects for span in aspect.opinions}


def _sides(word: TaggedWord, opinions: list[Span]) -> tuple[Span, Span] | None:
    """Find the nearest opinion on each side of a word."""
    left = max((span for span in opinions if span.end <= word.span.start), key=lambda s: s.end, default=None)
    right = min((span for span in opinions if span.start >= word.span.end), default=None)
    return None if left is None or right is None else (left, right)


def _turn(polarity: Polarity) -> Polarity:
    return OPPOSITE.get(polarity, polarity)
