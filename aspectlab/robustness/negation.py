"""Negate an opinion, or take its negation away, in good English."""

import itertools
from collections.abc import Sequence

from aspectlab.data import Span
from aspectlab.language import (
    TaggedWord,
    classes_of,
    find_lemma,
    fix_article,
    inflect,
    match_case,
)
from aspectlab.robustness.edits import Replacement, Words, find_site, is_head, is_too_much

NOT = frozenset({"not", "n't", "n’t", "nt"})
BE = frozenset({"is", "was", "are", "were", "am", "'s", "'re", "'m", "’s", "’re", "’m"})

_DELETED = NOT | {"no", "never", "hardly", "scarcely", "barely"}
_REPLACED = {
    "nothing": "something",
    "nobody": "somebody",
    "none": "some",
    "nowhere": "somewhere",
    "neither": "both",
    "noone": "someone",
}
_DO = {"do": "VB", "does": "VBZ", "did": "VBD"}
_CAUSING = frozenset({"make", "makes", "made", "making", "let", "lets", "help", "helps", "helped"})
_BETWEEN = frozenset({"always", "ever", "highly", "often", "strongly", "usually"})
"""Adverbs that stand between "do not" and its verb; all others stay before: "literally does not melt"."""

_PLURALS = {"is": "are", "was": "were", "has": "have", "does": "do"}
_CUT_SHORT = {"wo": "will", "ca": "can", "sha": "shall", "ai": "is"}
_AUXILIARIES = BE | frozenset(_DO) | {"be", "been", "being", "have", "has", "had", "'ve", "’ve", "'d", "’d"}
_SUBJECTS = ("NN", "PRP", "W", "EX", "DT", "CC", ",", ".", "RP")
_OUTDONE = frozenset({("way", "too"), ("well", "above"), ("well", "below"), ("way", "below")})
"""Degree words that "not" replaces: "not too sweet" denies more than "not way too sweet"."""

_NEAR = 8
"""How many words away a form of "be" may stand and still belong to an adverb."""


def find_negation(words: Words, positions: Sequence[int]) -> int | None:
    """Return the first of these positions that has a negation.

    >>> from aspectlab.robustness.aspects import sketch
    >>> find_negation(sketch("It/PRP is/VBZ not/RB bad/JJ", {}).words, [1, 2, 3])
    2
    """
    for position in positions:
        if words[position].lower in _DELETED or words[position].lower in _REPLACED:
            return position
    return None


def is_negation(word: TaggedWord) -> bool:
    """Return whether a word before an opinion turns it round, so that another "not" would be one too many.

    >>> is_negation(TaggedWord("never", Span(0, 5), "RB"))
    True
    """
    return word.lower in _DELETED


def remove_negation(text: str, words: Words, position: int) -> list[Replacement]:
    """Take one negation away, with the auxiliary that it needed ("did not enjoy": "enjoyed").

    >>> from aspectlab.robustness.aspects import sketch
    >>> remove_negation("not bad", sketch("not/RB bad/JJ", {}).words, 0)
    [(Span(start=0, end=4), '')]
    """
    word = words[position]
    if word.lower == "no" and position + 1 < len(words) and words[position + 1].lower == "one":
        return [(Span(word.span.start, words[position + 1].span.end), match_case("someone", word.text))]
    if word.lower in _REPLACED:
        edits = [(word.span, match_case(_REPLACED[word.lower], word.text))]
        return [*edits, *_join_by_and(words, position)] if word.lower == "neither" else edits
    edits = [
        _deletion(text, words, position),
        *_article_after_deletion(words, position),
        *_at_all(words, position),
    ]
    if word.lower not in NOT or position == 0:
        return edits + _capital_after_deletion(words, position)
    helper = words[position - 1]
    if helper.lower in _CUT_SHORT:
        edits.append((helper.span, match_case(_CUT_SHORT[helper.lower], helper.text)))
    elif helper.lower in _DO:
        edits += _without_do(text, words, position)
    return edits


def negate(words: Words, positions: Sequence[int], *, plain: bool = False) -> list[Replacement]:
    """Negate the opinion at these positions: verbs with "do", adverbs at "be", all else by "not".

    "Not" stands right before the opinion as in the released test sets ("is very not good", "is a not gem");
    in plain wording it stands where English puts it ("is not very good", "is not a gem").

    >>> from aspectlab.robustness.aspects import sketch
    >>> negate(sketch("It/PRP melts/VBZ", {}).words, [1])
    [(Span(start=3, end=8), 'does not melt')]
    """
    edits = _negate(words, positions, plain=plain)
    return [*edits, *lower_after(words, edits)] if plain else edits


def _negate(words: Words, positions: Sequence[int], *, plain: bool) -> list[Replacement]:
    first = positions[0]
    word = words[first]
    following = words[first + 1].text if first + 1 < len(words) else ""
    if word.lower in BE or (word.tag == "MD" and following != "-"):  # a "must-read" is one word
        return [(Span(word.span.end, word.span.end), " not")]
    tag = _finite_tag(words, first)
    if tag is not None:
        return _support(words, first, tag)
    if word.tag == "VB":
        return _negate_bare(words, first, plain=plain)
    if word.tag.startswith("RB") and len(positions) == 1:
        site = _nearest_be(words, first)
        if site is not None:
            end = words[site].span.end
            return [(Span(end, end), " not")]
    if not plain:
        return _negate_as_released(words, first)
    if word.tag == "JJS" and find_site(words, first) == first:
        return [(word.span, f"least {find_lemma(word.text, 'JJS')}")]
    return _negate_at_best(words, first)


def insert_before(words: Words, position: int, new: str) -> list[Replacement]:
    """Insert a word before another, with the capital and the article that fit.

    >>> from aspectlab.robustness.aspects import sketch
    >>> insert_before(sketch("an/DT odd/JJ cup/NN", {}).words, 1, "not")
    [(Span(start=3, end=3), 'not '), (Span(start=0, end=2), 'a')]
    """
    word = words[position]
    start = word.span.start
    if position and words[position - 1].span.end == start and not word.text[0].isalnum():
        return [(Span(start, start), f" {new}")]  # a mark has no space before it: "are not: one, two"
    edits = fix_article(words, position, new)
    if all(other.text == other.text.upper() for other in words):
        return [(Span(start, start), f"{new.upper()} "), *edits]
    capital = word.text[:1] if _starts_sentence(words, position) else ""
    return [(Span(start, start), f"{match_case(new, capital)} "), *edits]


def lower_after(words: Words, edits: Sequence[Replacement]) -> list[Replacement]:
    """Take the capital from a word that an inserted one now stands before.

    >>> from aspectlab.robustness.aspects import sketch
    >>> lower_after(sketch("Odd/JJ cup/NN", {}).words, [(Span(0, 0), "Not ")])
    [(Span(start=0, end=1), 'o')]
    """
    starts = {span.start for span, new in edits if span.start == span.end and new[:1].isupper()}
    return [
        (Span(word.span.start, word.span.start + 1), word.text[0].lower())
        for word in words
        if word.span.start in starts and word.text.istitle() and word.text != "I"
    ]


def _negate_as_released(words: Words, position: int) -> list[Replacement]:
    """Insert "not" right before a word, as most of the released sets do; only "too" stays with its word."""
    if _is_outdone(words, position):
        return _refuse(words, position)
    if _has_it(words, position):
        return insert_before(words, position - 2, "don't")
    return insert_before(
        words, find_site(words, position) if is_too_much(words, position) else position, "not"
    )


def _negate_at_best(words: Words, position: int) -> list[Replacement]:
    """Negate a noun at the verb after it ("favorites do not include"), every other word before its phrase."""
    verb = words[position + 1] if position + 1 < len(words) and is_head(words, position) else None
    if verb is not None and verb.tag in {"VBP", "VBZ"} and verb.lower not in _AUXILIARIES:
        return _support(words, position + 1, verb.tag)
    site = position if _is_outdone(words, position) else find_site(words, position)
    return _refuse(words, position) if site == position else insert_before(words, site, "not")


def _is_outdone(words: Words, position: int) -> bool:
    return position > 0 and (words[position - 1].lower, words[position].lower) in _OUTDONE


def _refuse(words: Words, position: int) -> list[Replacement]:
    """Insert "not" before a word, or change the word that is there: "way too", "most", an article."""
    before = words[position - 1] if position else None
    if before is None:
        return insert_before(words, position, "not")
    if _is_outdone(words, position):
        return [(before.span, match_case("not", before.text))]
    if before.lower == "most":
        return [(before.span, match_case("least", before.text))]
    if before.lower in {"a", "an"}:
        return _refuse_article(words, position)
    if before.tag == "VBZ" and before.lower not in _AUXILIARIES and words[position].tag == "JJ":
        return _support(words, position - 1, "VBZ")  # "does not sell odd cups"
    return insert_before(words, position, "not")


def _refuse_article(words: Words, position: int) -> list[Replacement]:
    """Negate what an article stands before: "no variety", "but not an odd cup", "they don't have a cup"."""
    article = words[position - 1]
    if is_head(words, position):
        return [(article.span, match_case("no", article.text))]
    if position > 1 and words[position - 2].tag == "CC":
        return insert_before(words, position - 1, "not")
    if _has_it(words, position):
        return insert_before(words, position - 2, "don't")
    return insert_before(words, position, "not")


def _has_it(words: Words, position: int) -> bool:
    """Return whether "have a" stands before a word, with a pronoun that it goes with."""
    before = [word.lower for word in words[max(position - 2, 0) : position]]
    return position > 2 and before in (["have", "a"], ["have", "an"]) and words[position - 3].tag == "PRP"


def _negate_bare(words: Words, position: int, *, plain: bool) -> list[Replacement]:
    """Negate an infinitive by "not", an imperative by "don't", a finite verb that looks bare by "do not"."""
    before = _before_adverbs(words, position)
    for index in range(position - 1, -1, -1):
        if words[index].lower in _CAUSING:  # "makes it not stand out"
            return insert_before(words, position, "not")
        is_caused = index > 0 and words[index - 1].lower in _CAUSING
        is_subject = words[index].tag.startswith("PRP") and not is_caused
        if words[index].tag in {".", ":"} or is_subject:
            break
        if plain and words[index].tag == "TO" and index and words[index - 1].lower in BE:
            return insert_before(words, index, "not")  # "is not to die for"
        if words[index].tag in {"TO", "MD"} or words[index].lower in _DO:
            # "would not highly recommend"
            site = index + 1 if plain and index == before and words[index].tag == "MD" else position
            return insert_before(words, site, "not")
    left = words[before] if before >= 0 else None
    if left is None or left.tag in {".", ",", ":", "CC", "-LRB-", "``", "''"} or left.lower == "please":
        # after an adverb the full form reads better: "definitely do not try"
        return insert_before(words, position, "don't" if before == position - 1 else "do not")
    return _support(words, position, "VBP")


def _support(words: Words, position: int, tag: str) -> list[Replacement]:
    """Negate a finite verb with a form of "do"; "highly" and the like stay between the two."""
    word = words[position]
    form = {"VBZ": "does not", "VBD": "did not"}.get(tag, "do not")
    base = match_case(find_lemma(word.text, tag), "aa" if word.text[:1].isupper() else word.text)
    first = position
    while first > 0 and words[first - 1].lower in _BETWEEN:
        first -= 1
    if first < position:
        edits = insert_before(words, first, form)
        return edits if base == word.text else [*edits, (word.span, base)]
    if _starts_sentence(words, position) and word.text[:1].isupper():
        form = match_case(form, "Aa")
    return [(word.span, f"{form} {base}")]


def _before_adverbs(words: Words, position: int) -> int:
    """Step over the adverbs before a word and return the position of what is there; -1 at the start."""
    position -= 1
    while position >= 0 and words[position].tag.startswith("RB") and not is_negation(words[position]):
        position -= 1
    return position


def _finite_tag(words: Words, position: int) -> str | None:
    """Return the tag of a finite verb, mending three habits of taggers; None for everything else."""
    word = words[position]
    left = words[before] if (before := _before_adverbs(words, position)) >= 0 else None
    if left is not None and left.lower in _AUXILIARIES:
        return None
    if word.tag == "VBD" and left is not None and not left.tag.startswith(_SUBJECTS):
        return None  # "than tired": a participle
    following = words[position + 1].tag if position + 1 < len(words) else ""
    is_past = word.tag == "VBN" or (word.tag == "JJ" and word.lower.endswith("ed"))
    if is_past and left is not None and left.tag.startswith(("NN", "PRP")) and following == "PRP":
        return "VBD"  # "the view amazed us": only a finite verb has an object
    if word.tag == "NNS" and "NOUN" not in classes_of(find_lemma(word.text, "NNS")):
        known = "VERB" in classes_of(find_lemma(word.text, "VBZ"))
        # a verb right after its subject is easily taken for the head of a compound
        return "VBZ" if known or (left is not None and left.tag == "NN") else None
    return word.tag if word.tag in {"VBZ", "VBP", "VBD"} else None


def _nearest_be(words: Words, position: int) -> int | None:
    """Find the nearest form of "be" that is not negated yet."""
    sites = [
        index
        for index, word in enumerate(words)
        if word.lower in BE and word.tag.startswith("VB") and abs(index - position) <= _NEAR
    ]
    free = [index for index in sites if index + 1 == len(words) or words[index + 1].lower not in NOT]
    return min(free, key=lambda index: (abs(index - position), index), default=None)


def _starts_sentence(words: Words, position: int) -> bool:
    return (
        position == 0
        or words[position - 1].tag in {".", ":", "``", "-LRB-"}
        or words[position - 1].text in ".!?*-"
    )


def _deletion(text: str, words: Words, position: int) -> Replacement:
    """Delete a word and the space or hyphen after it; of a last word, the space before it."""
    start, end = words[position].span
    following = words[position + 1] if position + 1 < len(words) else None
    if following is not None and following.text == "-" and following.span.start == end:
        return Span(start, following.span.end), ""
    attached = start > 0 and not text[start - 1].isspace()
    if attached:
        return Span(start, end), ""
    if text[end : end + 1].isspace():
        return Span(start, end + 1), ""
    return Span(max(start - 1, 0), end), ""


def _at_all(words: Words, position: int) -> list[Replacement]:
    """Delete the "at all" of the same clause, which needs a negation before it."""
    near = words[position : position + _NEAR]
    for index, (first, second) in enumerate(itertools.pairwise(near)):
        if first.tag in {".", ",", ":", "CC"}:
            break
        if first.lower == "at" and second.lower == "all":
            following = near[index + 2 :]
            if _is_noun_phrase(following):
                break  # "at all times"
            if index == 1 and following:  # the space before it goes with the negation
                return [(Span(first.span.start, following[0].span.start), "")]
            return [(Span(first.span.start - 1, second.span.end), "")]
    return []


def _is_noun_phrase(words: Words) -> bool:
    """Return whether words begin with a noun or a determiner, or with adjectives before one."""
    first = next((word for word in words if word.tag != "JJ"), None)
    return first is not None and first.tag.startswith(("NN", "DT"))


def _join_by_and(words: Words, position: int) -> list[Replacement]:
    """Turn the "nor" of a "neither" that became "both" into "and"; the verb behind two subjects is plural."""
    edits: list[Replacement] = []
    is_subject = position == 0 or not words[position - 1].tag.startswith(
        "VB"
    )  # else: "is neither good nor bad"
    for word in words[position + 1 :]:
        if word.lower == "nor":
            edits.append((word.span, match_case("and", word.text)))
        elif word.text in {".", ",", ";", "!", "?"} or word.tag == "CC":
            break
        elif edits and is_subject and word.lower in _PLURALS:
            return [*edits, (word.span, match_case(_PLURALS[word.lower], word.text))]
    return edits


def _article_after_deletion(words: Words, position: int) -> list[Replacement]:
    return fix_article(words, position, words[position + 1].text) if position + 1 < len(words) else []


def _capital_after_deletion(words: Words, position: int) -> list[Replacement]:
    if not words[position].text[:1].isupper() or position + 1 >= len(words):
        return []
    start = words[position + 1].span.start
    return [(Span(start, start + 1), words[position + 1].text[0].upper())]


def _without_do(text: str, words: Words, position: int) -> list[Replacement]:
    """Delete the form of "do" before a negation and give its tense to the verb after it."""
    verb = next((n for n in range(position + 1, min(position + 4, len(words))) if words[n].tag == "VB"), None)
    if verb is None:
        return []
    helper = words[position - 1]
    tag = _DO[helper.lower]
    # the space between the two goes with the first: the clitic n't has none
    attached = helper.span.end == words[position].span.start
    end = words[position].span.end if attached else words[position].span.start
    edits = [(Span(helper.span.start, helper.span.end if attached else end), "")]
    if attached and text[words[position].span.end : words[position].span.end + 1].isspace():
        edits.append((Span(words[position].span.end, words[position].span.end + 1), ""))
    inflected = inflect(find_lemma(words[verb].text, "VB"), tag)
    if helper.text[:1].isupper():
        inflected = match_case(inflected, "Aa")
    return [*edits, (words[verb].span, inflected)]
