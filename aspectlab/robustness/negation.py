"""Negate an opinion, or take its negation away, in good English."""

from __future__ import annotations

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
"""Degree words that "not" takes the place of: "not too sweet" denies more than "not way too sweet"."""

_NEAR = 8
"""How many words away a form of "be" may stand and still belong to an adverb."""


def find_negation(words: Words, places: Sequence[int]) -> int | None:
    """Give the first of these places at which a negation stands.

    >>> from aspectlab.robustness.aspects import sketch
    >>> find_negation(sketch("It/PRP is/VBZ not/RB bad/JJ", {}).words, [1, 2, 3])
    2
    """
    for place in places:
        if words[place].lower in _DELETED or words[place].lower in _REPLACED:
            return place
    return None


def is_negation(word: TaggedWord) -> bool:
    """Tell whether a word before an opinion turns it round, so that another "not" would be one too many.

    >>> is_negation(TaggedWord("never", Span(0, 5), "RB"))
    True
    """
    return word.lower in _DELETED


def remove_negation(text: str, words: Words, place: int) -> list[Replacement]:
    """Take one negation away, with the auxiliary that it needed ("did not enjoy": "enjoyed").

    >>> from aspectlab.robustness.aspects import sketch
    >>> remove_negation("not bad", sketch("not/RB bad/JJ", {}).words, 0)
    [(Span(start=0, end=4), '')]
    """
    word = words[place]
    if word.lower == "no" and place + 1 < len(words) and words[place + 1].lower == "one":
        return [(Span(word.span.start, words[place + 1].span.end), match_case("someone", word.text))]
    if word.lower in _REPLACED:
        edits = [(word.span, match_case(_REPLACED[word.lower], word.text))]
        return [*edits, *_join_by_and(words, place)] if word.lower == "neither" else edits
    edits = [_deletion(text, words, place), *_article_after_deletion(words, place), *_at_all(words, place)]
    if word.lower not in NOT or place == 0:
        return edits + _capital_after_deletion(words, place)
    helper = words[place - 1]
    if helper.lower in _CUT_SHORT:
        edits.append((helper.span, match_case(_CUT_SHORT[helper.lower], helper.text)))
    elif helper.lower in _DO:
        edits += _without_do(text, words, place)
    return edits


def negate(words: Words, places: Sequence[int], *, plain: bool = False) -> list[Replacement]:
    """Negate the opinion at these places: verbs with "do", adverbs at "be", all else by "not".

    "Not" stands right before the opinion as in the released test sets ("is very not good", "is a not gem");
    in plain wording it stands where English puts it ("is not very good", "is not a gem").

    >>> from aspectlab.robustness.aspects import sketch
    >>> negate(sketch("It/PRP melts/VBZ", {}).words, [1])
    [(Span(start=3, end=8), 'does not melt')]
    """
    edits = _negate(words, places, plain=plain)
    return [*edits, *lower_after(words, edits)] if plain else edits


def _negate(words: Words, places: Sequence[int], *, plain: bool) -> list[Replacement]:
    first = places[0]
    word = words[first]
    following = words[first + 1].text if first + 1 < len(words) else ""
    if word.lower in BE or (word.tag == "MD" and following != "-"):  # a "must-read" is one word
        return [(Span(word.span.end, word.span.end), " not")]
    tag = _finite_tag(words, first)
    if tag is not None:
        return _support(words, first, tag)
    if word.tag == "VB":
        return _negate_bare(words, first, plain=plain)
    if word.tag.startswith("RB") and len(places) == 1:
        site = _nearest_be(words, first)
        if site is not None:
            end = words[site].span.end
            return [(Span(end, end), " not")]
    if not plain:
        return _negate_as_released(words, first)
    if word.tag == "JJS" and find_site(words, first) == first:
        return [(word.span, f"least {find_lemma(word.text, 'JJS')}")]
    return _negate_at_best(words, first)


def insert_before(words: Words, place: int, new: str) -> list[Replacement]:
    """Put a word before another, with the capital and the article that fit.

    >>> from aspectlab.robustness.aspects import sketch
    >>> insert_before(sketch("an/DT odd/JJ cup/NN", {}).words, 1, "not")
    [(Span(start=3, end=3), 'not '), (Span(start=0, end=2), 'a')]
    """
    word = words[place]
    start = word.span.start
    if place and words[place - 1].span.end == start and not word.text[0].isalnum():
        return [(Span(start, start), f" {new}")]  # a mark has no blank before it: "are not: one, two"
    edits = fix_article(words, place, new)
    if all(other.text == other.text.upper() for other in words):
        return [(Span(start, start), f"{new.upper()} "), *edits]
    capital = word.text[:1] if _starts_sentence(words, place) else ""
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


def _negate_as_released(words: Words, place: int) -> list[Replacement]:
    """Put "not" right before a word, as the released test sets mostly do; only "too" stays with its word."""
    if _is_outdone(words, place):
        return _refuse(words, place)
    if _has_it(words, place):
        return insert_before(words, place - 2, "don't")
    return insert_before(words, find_site(words, place) if is_too_much(words, place) else place, "not")


def _negate_at_best(words: Words, place: int) -> list[Replacement]:
    """Negate a noun at the verb after it ("favorites do not include"), every other word before its phrase."""
    verb = words[place + 1] if place + 1 < len(words) and is_head(words, place) else None
    if verb is not None and verb.tag in {"VBP", "VBZ"} and verb.lower not in _AUXILIARIES:
        return _support(words, place + 1, verb.tag)
    site = place if _is_outdone(words, place) else find_site(words, place)
    return _refuse(words, place) if site == place else insert_before(words, site, "not")


def _is_outdone(words: Words, place: int) -> bool:
    return place > 0 and (words[place - 1].lower, words[place].lower) in _OUTDONE


def _refuse(words: Words, place: int) -> list[Replacement]:
    """Put "not" before a word, or change what stands there: "way too", "most", an article."""
    before = words[place - 1] if place else None
    if before is None:
        return insert_before(words, place, "not")
    if _is_outdone(words, place):
        return [(before.span, match_case("not", before.text))]
    if before.lower == "most":
        return [(before.span, match_case("least", before.text))]
    if before.lower in {"a", "an"}:
        return _refuse_article(words, place)
    if before.tag == "VBZ" and before.lower not in _AUXILIARIES and words[place].tag == "JJ":
        return _support(words, place - 1, "VBZ")  # "does not sell odd cups"
    return insert_before(words, place, "not")


def _refuse_article(words: Words, place: int) -> list[Replacement]:
    """Negate what an article stands before: "no variety", "but not an odd cup", "they don't have a cup"."""
    article = words[place - 1]
    if is_head(words, place):
        return [(article.span, match_case("no", article.text))]
    if place > 1 and words[place - 2].tag == "CC":
        return insert_before(words, place - 1, "not")
    if _has_it(words, place):
        return insert_before(words, place - 2, "don't")
    return insert_before(words, place, "not")


def _has_it(words: Words, place: int) -> bool:
    """Tell whether "have a" stands before a word, with a pronoun that it goes with."""
    before = [word.lower for word in words[max(place - 2, 0) : place]]
    return place > 2 and before in (["have", "a"], ["have", "an"]) and words[place - 3].tag == "PRP"


def _negate_bare(words: Words, place: int, *, plain: bool) -> list[Replacement]:
    """Negate an infinitive by "not", an imperative by "don't", a finite verb that looks bare by "do not"."""
    before = _before_adverbs(words, place)
    for index in range(place - 1, -1, -1):
        if words[index].lower in _CAUSING:  # "makes it not stand out"
            return insert_before(words, place, "not")
        is_caused = index > 0 and words[index - 1].lower in _CAUSING
        is_subject = words[index].tag.startswith("PRP") and not is_caused
        if words[index].tag in {".", ":"} or is_subject:
            break
        if plain and words[index].tag == "TO" and index and words[index - 1].lower in BE:
            return insert_before(words, index, "not")  # "is not to die for"
        if words[index].tag in {"TO", "MD"} or words[index].lower in _DO:
            # "would not highly recommend"
            site = index + 1 if plain and index == before and words[index].tag == "MD" else place
            return insert_before(words, site, "not")
    left = words[before] if before >= 0 else None
    if left is None or left.tag in {".", ",", ":", "CC", "-LRB-", "``", "''"} or left.lower == "please":
        # after an adverb the full form reads better: "definitely do not try"
        return insert_before(words, place, "don't" if before == place - 1 else "do not")
    return _support(words, place, "VBP")


def _support(words: Words, place: int, tag: str) -> list[Replacement]:
    """Negate a finite verb with a form of "do"; "highly" and the like stay between the two."""
    word = words[place]
    form = {"VBZ": "does not", "VBD": "did not"}.get(tag, "do not")
    base = match_case(find_lemma(word.text, tag), "aa" if word.text[:1].isupper() else word.text)
    first = place
    while first > 0 and words[first - 1].lower in _BETWEEN:
        first -= 1
    if first < place:
        edits = insert_before(words, first, form)
        return edits if base == word.text else [*edits, (word.span, base)]
    if _starts_sentence(words, place) and word.text[:1].isupper():
        form = match_case(form, "Aa")
    return [(word.span, f"{form} {base}")]


def _before_adverbs(words: Words, place: int) -> int:
    """Step over the adverbs before a word and give the place of what stands there; -1 at the start."""
    place -= 1
    while place >= 0 and words[place].tag.startswith("RB") and not is_negation(words[place]):
        place -= 1
    return place


def _finite_tag(words: Words, place: int) -> str | None:
    """Give the tag of a finite verb, mending three habits of taggers; None for everything else."""
    word = words[place]
    left = words[before] if (before := _before_adverbs(words, place)) >= 0 else None
    if left is not None and left.lower in _AUXILIARIES:
        return None
    if word.tag == "VBD" and left is not None and not left.tag.startswith(_SUBJECTS):
        return None  # "than tired": a participle
    following = words[place + 1].tag if place + 1 < len(words) else ""
    is_past = word.tag == "VBN" or (word.tag == "JJ" and word.lower.endswith("ed"))
    if is_past and left is not None and left.tag.startswith(("NN", "PRP")) and following == "PRP":
        return "VBD"  # "the view amazed us": only a finite verb has an object
    if word.tag == "NNS" and "NOUN" not in classes_of(find_lemma(word.text, "NNS")):
        known = "VERB" in classes_of(find_lemma(word.text, "VBZ"))
        # a verb right after its subject is easily taken for the head of a compound
        return "VBZ" if known or (left is not None and left.tag == "NN") else None
    return word.tag if word.tag in {"VBZ", "VBP", "VBD"} else None


def _nearest_be(words: Words, place: int) -> int | None:
    """Find the nearest form of "be" that is not negated yet."""
    sites = [
        index
        for index, word in enumerate(words)
        if word.lower in BE and word.tag.startswith("VB") and abs(index - place) <= _NEAR
    ]
    free = [index for index in sites if index + 1 == len(words) or words[index + 1].lower not in NOT]
    return min(free, key=lambda index: (abs(index - place), index), default=None)


def _starts_sentence(words: Words, place: int) -> bool:
    return place == 0 or words[place - 1].tag in {".", ":", "``", "-LRB-"} or words[place - 1].text in ".!?*-"


def _deletion(text: str, words: Words, place: int) -> Replacement:
    """Delete a word and the blank or hyphen after it; of a last word, the blank before it."""
    start, end = words[place].span
    following = words[place + 1] if place + 1 < len(words) else None
    if following is not None and following.text == "-" and following.span.start == end:
        return Span(start, following.span.end), ""
    attached = start > 0 and not text[start - 1].isspace()
    if attached:
        return Span(start, end), ""
    if text[end : end + 1].isspace():
        return Span(start, end + 1), ""
    return Span(max(start - 1, 0), end), ""


def _at_all(words: Words, place: int) -> list[Replacement]:
    """Delete the "at all" of the same clause, which needs a negation before it."""
    near = words[place : place + _NEAR]
    for index, (first, second) in enumerate(itertools.pairwise(near)):
        if first.tag in {".", ",", ":", "CC"}:
            break
        if first.lower == "at" and second.lower == "all":
            following = near[index + 2 :]
            if _is_noun_phrase(following):
                break  # "at all times"
            if index == 1 and following:  # the blank before it goes with the negation
                return [(Span(first.span.start, following[0].span.start), "")]
            return [(Span(first.span.start - 1, second.span.end), "")]
    return []


def _is_noun_phrase(words: Words) -> bool:
    """Tell whether words begin with a noun or a determiner, or with adjectives before one."""
    first = next((word for word in words if word.tag != "JJ"), None)
    return first is not None and first.tag.startswith(("NN", "DT"))


def _join_by_and(words: Words, place: int) -> list[Replacement]:
    """Turn the "nor" of a "neither" that became "both" into "and"; the verb behind two subjects is plural."""
    edits: list[Replacement] = []
    is_subject = place == 0 or not words[place - 1].tag.startswith("VB")  # else: "is neither good nor bad"
    for word in words[place + 1 :]:
        if word.lower == "nor":
            edits.append((word.span, match_case("and", word.text)))
        elif word.text in {".", ",", ";", "!", "?"} or word.tag == "CC":
            break
        elif edits and is_subject and word.lower in _PLURALS:
            return [*edits, (word.span, match_case(_PLURALS[word.lower], word.text))]
    return edits


def _article_after_deletion(words: Words, place: int) -> list[Replacement]:
    return fix_article(words, place, words[place + 1].text) if place + 1 < len(words) else []


def _capital_after_deletion(words: Words, place: int) -> list[Replacement]:
    if not words[place].text[:1].isupper() or place + 1 >= len(words):
        return []
    start = words[place + 1].span.start
    return [(Span(start, start + 1), words[place + 1].text[0].upper())]


def _without_do(text: str, words: Words, place: int) -> list[Replacement]:
    """Delete the form of "do" before a negation and give its tense to the verb after it."""
    verb = next((n for n in range(place + 1, min(place + 4, len(words))) if words[n].tag == "VB"), None)
    if verb is None:
        return []
    helper = words[place - 1]
    tag = _DO[helper.lower]
    # the blank between the two goes with the first: the clitic n't has none
    attached = helper.span.end == words[place].span.start
    end = words[place].span.end if attached else words[place].span.start
    edits = [(Span(helper.span.start, helper.span.end if attached else end), "")]
    if attached and text[words[place].span.end : words[place].span.end + 1].isspace():
        edits.append((Span(words[place].span.end, words[place].span.end + 1), ""))
    inflected = inflect(find_lemma(words[verb].text, "VB"), tag)
    if helper.text[:1].isupper():
        inflected = match_case(inflected, "Aa")
    return [*edits, (words[verb].span, inflected)]
