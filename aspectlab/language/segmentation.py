"""Segmentation: words and sentences of a text by rules, with offsets, and terms brought to one form.

No character of a text gets lost.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from aspectlab.data import Quad, Span, Term

# a word may hold apostrophes and hyphens inside ("don't", "top-notch"); every other mark is one by itself
_WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")

Offsets = tuple[int, int]
"""A span as a plain pair, for what is made for every word of many texts: a named one takes far longer."""


def word_spans(text: str) -> list[Span]:
    """Return the span of each word and each mark.

    >>> [text[start:end] for text in ["It's fine."] for start, end in word_spans(text)]
    ["It's", 'fine', '.']
    """
    return [Span(*offsets) for offsets in word_offsets(text)]


def word_offsets(text: str) -> list[Offsets]:
    """Return the offsets of each word and each mark, as `word_spans` does, in half the time.

    >>> word_offsets("It's fine.")
    [(0, 4), (5, 9), (9, 10)]
    """
    return [match.span() for match in _WORD.finditer(text)]


# an end may be repeated or, in text whose marks are set apart by spaces, come in pieces: "!!!", ". . ."
_EMOJI = "[\u2190-\u2bff\u3030\u303d\ufe0f\u200d\U0001f000-\U0001faff\U000e0020-\U000e007f]"
_END = re.compile(
    rf"""
    (?P<mark> [.!?…。！？](?:[ \t]?[.!?…。！？])* )
    (?P<close> (?:[)\]}}"”’»*_] | '(?!\w))* (?:\s*{_EMOJI}+)* )
    | (?P<emoji> {_EMOJI}+ )
    | (?P<tag> (?:<br\s*/?>\s*)+ )
    | (?P<line> [\n\r]\s* )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"((?:\w\.)*[\w'’]+) ?$")
_GOES_ON = re.compile(r"\s+[,;:)\]}]")
_SEEN = re.compile(r"\S")
_NAMED = re.compile(rf"\w|{_EMOJI}")

# before these the sentence goes on, whatever follows
_TITLES = re.compile(
    r"mr|mrs|ms|dr|prof|st|mt|vs|e\.g|i\.e|eg|ie|cf|ex|approx|incl|excl|esp|resp|fig|gen|col|sgt"
)
# these also end sentences: it depends on what follows
_SHORT = re.compile(
    r"etc|o\.k|reg|inc|ltd|co|corp|jr|sr|[ap]\.?m|u\.s|u\.k|e\.u|dept|est|min|max|hrs?|secs?|oz|lbs?|ft|pl|ave|blvd"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|temp|avg|ext"
)
_BEFORE_NUMBERS = re.compile(r"n[or]|nos|vol|pp|art|sect")
_LOOK_BACK = 24

MAX_SENTENCE_CHARS = 2_000
"""Longer sentences are cut, at whitespace if there is any: their ends were not found, or they have none."""


def split_sentences(text: str) -> list[Span]:
    r"""Return the spans of the sentences, without the whitespace around them.

    >>> text = "Dr. Lee was great!!! 5.5 stars... or 6? The room (no. 7) was small .\nbut clean"
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['Dr. Lee was great!!!', '5.5 stars... or 6?', 'The room (no. 7) was small .', 'but clean']
    """
    spans: list[Span] = []
    start, is_open = 0, False
    for end in _bound(text, (*_ends(text), len(text))):
        span = _strip(text, start, end)
        if span is None:
            continue
        start = end
        has_words = _NAMED.search(text, *span) is not None
        # marks alone (a closing quote set apart, a smiley) belong to the sentence before them
        is_short = spans and span.end - spans[-1].start <= MAX_SENTENCE_CHARS
        if is_short and (is_open or not has_words):
            spans[-1] = Span(spans[-1].start, span.end)
        else:
            spans.append(span)
        # marks that begin a text wait for its first words
        is_open = not has_words and (is_open or len(spans) == 1)
    return spans


def _ends(text: str) -> Iterator[int]:
    for match in _END.finditer(text):
        end = match.end()
        if end == len(text) or not match.start():
            continue
        if match["tag"] or (match["line"] and _breaks_line(text, match)):
            yield end
        elif match["emoji"]:
            if text[end].isspace() and _next_letter(text, end).isupper():
                yield end
        elif match["mark"] and _ends_sentence(text, match):
            yield end


def _bound(text: str, ends: Iterable[int]) -> Iterator[int]:
    """Return the ends, and others between those that are too far apart."""
    start = 0
    for end in ends:
        while end - start > MAX_SENTENCE_CHARS:
            space = max(
                text.rfind(" ", start + 1, start + MAX_SENTENCE_CHARS),
                text.rfind("\n", start + 1, start + MAX_SENTENCE_CHARS),
            )
            start = space if space > 0 else start + MAX_SENTENCE_CHARS
            yield start
        yield end
        start = end


def _breaks_line(text: str, match: re.Match[str]) -> bool:
    """Distinguish a new line from a wrapped one, which continues in lower case within a sentence."""
    is_blank = match["line"].replace("\r\n", "\n").count("\n") > 1
    before = text[max(match.start() - _LOOK_BACK, 0) : match.start()].rstrip()
    return is_blank or not text[match.end()].islower() or not before[-1:].isalnum()


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    end, mark = match.end(), match["mark"]
    if not text[end].isspace():
        return _is_blank_missing(text, match)
    if _GOES_ON.match(text, end):
        return False
    letter = _next_letter(text, end)
    dots = mark.count(".") + 3 * mark.count("…")
    if dots > 1 and not set(mark) & set("!?"):
        return not letter.islower()
    return dots != 1 or len(mark) > 1 or not _is_abbreviated(text, match.start(), letter)


def _is_blank_missing(text: str, match: re.Match[str]) -> bool:
    """Distinguish "good.The" from "booking.com", "3.5" and "U.S."; Chinese and Japanese need no space."""
    start, end = match.start(), match.end()
    if match["mark"][0] in "。！？":
        return True
    before, after = text[max(start - 2, 0) : start], text[end : end + 2]
    is_word = before.isalpha() and before.islower() and len(before) == 2
    return is_word and after[0].isupper() and (len(after) == 1 or not after[1].isupper())


def _is_abbreviated(text: str, start: int, following: str) -> bool:
    found = _WORD_BEFORE.search(text[max(start - _LOOK_BACK, 0) : start])
    if not found:
        return False
    word = found[1].lower()
    if _TITLES.fullmatch(word) or (_BEFORE_NUMBERS.fullmatch(word) and following.isdigit()):
        return True
    if word.isdigit() and following.isdigit() and text[start - 1] == " ":
        return True  # "5 . 5", set apart
    is_initial = len(word) == 1 and word.isalpha() and found[1].isupper() and word != "i"
    return is_initial or (bool(_SHORT.fullmatch(word)) and not following.isupper())


def _next_letter(text: str, end: int) -> str:
    """Return the first character of the next word, past whitespace and opening marks."""
    for index in range(end, min(end + _LOOK_BACK, len(text))):
        if text[index].isalnum():
            return text[index]
        if not text[index].isspace() and text[index] not in "\"'“‘([{«*_-–—•":
            return ""
    return ""


def _strip(text: str, start: int, end: int) -> Span | None:
    first = _SEEN.search(text, start, end)
    if not first:
        return None
    while text[end - 1].isspace():
        end -= 1
    return Span(first.start(), end)


Predict = Callable[[Sequence[str]], Sequence[tuple[Quad, ...]]]
"""A model: the opinions of each text."""


def predict_segments(predict: Predict, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
    """Return the opinions of each text; all sentences are predicted together, since that is fast."""
    sentences = [(row, span) for row, text in enumerate(texts) for span in split_sentences(text)]
    answers = predict([texts[row][span.start : span.end] for row, span in sentences])
    found: list[list[Quad]] = [[] for _ in texts]
    for (row, span), quads in zip(sentences, answers, strict=True):
        found[row].extend(_shift(quads, span.start))
    return [tuple(quads) for quads in found]


def _shift(quads: Sequence[Quad], by: int) -> Iterator[Quad]:
    for quad in quads:
        yield replace(quad, aspect=_shift_term(quad.aspect, by), opinion=_shift_term(quad.opinion, by))


def _shift_term(term: Term | None, by: int) -> Term | None:
    if term is None or term.span is None:
        return term
    return replace(term, span=Span(term.span.start + by, term.span.end + by))


_ARTICLE = re.compile(r"^(?:the|a|an|my|our|your|their|its|his|her|this|these|those|that) (?=\S)")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_LETTER = re.compile(r"[^\W\d_]")
_SMALL_WORD = re.compile(r"a|an|and|at|by|for|from|in|of|on|or|the|to|with|['’]?s")
_MEASURE = re.compile(r"life|level|list|quality|range|selection|size|time")

_SAME_THING = """\
service staff waiter waitress server waitstaff hostess
ambience ambiance atmosphere vibe
decor decoration interior
price cost bill pricing priced
screen display monitor
trackpad touchpad
wifi wi-fi internet
bathroom restroom toilet
drink beverage
food meal cuisine
place spot establishment
reception receptionist concierge
bed mattress
image picture photo
program application app
engine motor
boot trunk
delivery shipping
"""
"""What reviews call by several words, a line each: a small model brings not all of them together."""

_NAMES = {word: line.split(" ")[0] for line in _SAME_THING.splitlines() for word in line.split(" ")}


@lru_cache(1 << 12)
def normalise_term(text: str) -> str:
    """Normalise a term: lower case, singular, without article and outer marks.

    >>> normalise_term("The Waiters"), normalise_term("battery  life"), normalise_term("dishes")
    ('waiter', 'battery life', 'dish')
    """
    plain = _ARTICLE.sub("", _EDGES.sub("", " ".join(text.lower().split())), count=1)
    *before, last = plain.split(" ")
    return " ".join([*before, _singular(last)])


def content_words(term: str) -> list[str]:
    """Return the words of a term that say which thing is meant; a term without such words keeps what it has.

    >>> content_words("bottle of wine"), content_words("battery life"), content_words("life")
    (['bottle', 'wine'], ['battery'], ['life'])
    """
    words = term.split(" ")
    named = [word for word in words if _LETTER.search(word) and not _SMALL_WORD.fullmatch(word)]
    return [word for word in named if not _MEASURE.fullmatch(word)] or named or words


def name_thing(word: str) -> str:
    """Return the word that represents all words of the same thing.

    >>> name_thing("waitress"), name_thing("staff"), name_thing("soup")
    ('service', 'service', 'soup')
    """
    return _NAMES.get(word, word)


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s", "’s")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zzes")) else word[:-1]


_PLAIN_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ENDINGS = re.compile(r"(?:ing|ed|ly|est|er|e)$")
_DOUBLE = re.compile(r"([bdgmnprt])\1$")


def list_words(text: str) -> list[str]:
    """Return the words of a text as they stand, those that a hyphen joins one by one.

    >>> list_words("The check-in desks.")
    ['The', 'check', 'in', 'desks']
    """
    return _PLAIN_WORD.findall(text)


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case and singular, with hyphens opened.

    >>> split_words("The check-in desks")
    ['the', 'check', 'in', 'desk']
    """
    return [_normalise_word(word) for word in list_words(text.lower())]


def _normalise_word(word: str) -> str:
    found = normalise_term(word) or word
    # "cookies" has become "cooky"
    return f"{found[:-2]}y" if found.endswith("ie") and len(found) > 3 else found


def stem_word(word: str) -> str:
    """Cut the ending of a word that judges: "smiled" and "smile" are one, as are "bigger" and "big".

    >>> stem_word("smiled"), stem_word("smile"), stem_word("bigger"), stem_word("easily"), stem_word("bed")
    ('smil', 'smil', 'big', 'easy', 'bed')
    """
    cut = _DOUBLE.sub(r"\1", _ENDINGS.sub("", word))
    if len(cut) < 3:
        return word
    return f"{cut[:-1]}y" if cut.endswith("i") else cut
