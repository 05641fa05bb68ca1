"""AspectSet (Xing et al., EMNLP 2020): the expressions of a training part that ADDDIFF may append."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from aspectlab.data import Polarity, Span
from aspectlab.errors import ConfigError
from aspectlab.language import DEFAULT_PARSER, TaggedWord, fix_article, is_plural
from aspectlab.robustness.aspects import AspectMention, AspectSentence
from aspectlab.robustness.clauses import (
    Cut,
    Cutter,
    Tree,
    cut_by_constituents,
    cut_by_dependencies,
    grow_trees,
)
from aspectlab.robustness.negation import is_negation
from aspectlab.robustness.reversal import positions_in

_VERBS = {
    **dict.fromkeys(("love", "like", "enjoy", "recommend", "adore"), Polarity.POSITIVE),
    **dict.fromkeys(("hate", "dislike", "detest", "avoid"), Polarity.NEGATIVE),
}
_SHIFTERS = frozenset(
    {"too", "less", "than", "if", "without", "n't", "nt", "lack", "could", "would", "should"}
)
_VAGUE = frozenset(
    {
        *("much", "many", "few", "more", "other", "able", "wrong", "right", "worth", "ready", "due", "such"),
        *("delighted", "happy", "pleased", "impressed", "disappointed", "satisfied", "little", "enough"),
        *("same", "only", "edible", "evident", "real", "particular"),
    }
)
"""Adjectives that say little about a thing, or something about a person only."""

_LONGEST_TEMPLATE = 4
"""How many words a term may have that is named in a new sentence."""

_ENOUGH = 100
"""How many expressions of common words make those of rare words unnecessary."""

_TEMPLATE_WINDOW = 3
"""How many words before an opinion may turn it round."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A clause such as "the hall is dark": its term, the words around it, and its polarity."""

    term: str
    before: str
    after: str
    polarity: Polarity
    others: tuple[str, ...] = ()  # nouns beside the term; a sentence about one of them cannot take the clause

    @property
    def text(self) -> str:
        """The clause."""
        return f"{self.before}{self.term}{self.after}"


def collect_expressions(sentences: Iterable[AspectSentence]) -> tuple[Expression, ...]:
    """Make one expression of each pair of a term and an opinion word that says its polarity by itself.

    Opinion words that are negated, or that mostly express another polarity, would say the wrong thing once
    they stand alone.

    >>> from aspectlab.robustness.aspects import sketch
    >>> hall = sketch("The/DT hall/NN is/VBZ dark/JJ", {"hall": ("negative", "dark")})
    >>> beds = sketch("The/DT beds/NNS look/VBP dark/JJ", {"beds": ("negative", "dark")})
    >>> [expression.text for expression in collect_expressions([hall, beds])]
    ['the hall is dark', 'the beds are dark']
    """
    known = [(sentence, aspect) for sentence in sentences for aspect in sentence.aspects]
    signs = count_signs(known)
    found = dict.fromkeys(expression for pair in known for expression in _express_template(*pair, signs))
    return keep_common(found, [sentence for sentence, _ in known])


def keep_common(
    found: Iterable[Expression], sentences: Iterable[AspectSentence], *, whole: bool = False
) -> tuple[Expression, ...]:
    """Leave terms out that were written once, if enough is left: they may be slips of the pen.

    With `whole`, that goes for every word of an expression.
    """
    every = tuple(found)
    texts = {sentence.example.text: sentence.words for sentence in sentences}
    counts = Counter(word.lower for words in texts.values() for word in words)
    wording = ((one, one.text.lower() if whole else one.term) for one in every)
    common = tuple(one for one, text in wording if all(counts[word] > 1 for word in text.split()))
    return common if len(common) >= _ENOUGH else every


Signs = dict[str, Counter[Polarity]]
"""How often an opinion phrase was written with each polarity."""


def count_signs(pairs: Iterable[tuple[AspectSentence, AspectMention]]) -> Signs:
    """Count the polarities of all opinion phrases."""
    signs: Signs = {}
    for sentence, aspect in pairs:
        for start, end in aspect.opinions:
            word = sentence.example.text[start:end].lower()
            signs.setdefault(word, Counter())[aspect.polarity] += 1
    return signs


def _express_template(sentence: AspectSentence, aspect: AspectMention, signs: Signs) -> Iterator[Expression]:
    if aspect.polarity is Polarity.NEUTRAL:
        return
    assert aspect.term.span is not None
    inside = positions_in(sentence.words, aspect.term.span)
    if not is_plain_term([sentence.words[position] for position in inside]):
        return
    term = aspect.term.text.lower()
    verb = "are" if takes_are(sentence, inside) else "is"
    for opinion in aspect.opinions:
        positions = positions_in(sentence.words, opinion)
        if len(positions) != 1 or not _says_alone(sentence, positions[0], aspect.polarity, signs):
            continue
        word = sentence.words[positions[0]]
        if word.lower in term.split():
            continue  # "the fresh bread is fresh"
        if word.lower in _VERBS and word.tag in {"VB", "VBP"}:
            yield Expression(term, f"I {word.lower} the ", "", aspect.polarity)
        elif word.tag == "JJ":
            yield Expression(term, "the ", f" {verb} {word.lower}", aspect.polarity)
        elif word.tag == "JJS":
            yield Expression(term, "the ", f" {verb} the {word.lower}", aspect.polarity)


def is_plain_term(term: Sequence[TaggedWord]) -> bool:
    """Return whether a term is a short noun phrase without marks, clauses and articles."""
    tags = [word.tag for word in term]
    return (
        len(term) <= _LONGEST_TEMPLATE
        and all(word.text.isalpha() for word in term)
        and any(tag.startswith("NN") for tag in tags)
        and not any(tag in {"DT", "PRP", "PRP$", "MD", "VBP", "VBD"} for tag in tags)
    )


def is_vague(opinion: str) -> bool:
    """Return whether an opinion says little about a thing."""
    return opinion in _VAGUE


def takes_are(sentence: AspectSentence, inside: list[int]) -> bool:
    """Look at the head of a term: its last noun before a preposition; two joined by "and" are plural."""
    words = [sentence.words[position] for position in inside]
    if any(word.lower in {"and", "&"} for word in words):
        return True
    cut = next((n for n, word in enumerate(words) if n and word.tag in {"IN", "TO"}), len(words))
    return is_plural(words[cut - 1].text, words[cut - 1].tag)


def _says_alone(sentence: AspectSentence, position: int, polarity: Polarity, signs: Signs) -> bool:
    words = sentence.words
    window = words[max(0, position - _TEMPLATE_WINDOW) : position]
    if words[position].lower in _VAGUE or not words[position].text.isalpha():
        return False
    if any(is_negation(w) or w.lower in _SHIFTERS for w in window):
        return False
    if any(w.lower in {"neither", "nor"} for w in words[:position]):  # "neither the tea nor the cup was good"
        return False
    if _VERBS.get(words[position].lower, polarity) is not polarity:
        return False
    return is_usual(signs, words[position].lower, polarity)


def is_usual(signs: Signs, opinion: str, polarity: Polarity) -> bool:
    """Return whether an opinion was written with this polarity more than once, and seldom with another."""
    # an annotation that cuts a word was counted as its letters, so that the whole word may be unknown
    counts = signs.get(opinion, Counter())
    return counts[polarity] >= 2 and counts[polarity] >= 0.8 * counts.total()


_LONGEST = 12
"""How many words a clause may have that stands in a list with others."""

_WINDOW = 4
"""How many words before a part may turn it round."""

_DOUBTS = frozenset(
    {
        *("if", "unless", "whether", "would", "could", "should", "might", "wish", "hope", "hoping", "expect"),
        *("expected", "expecting", "want", "wanted", "supposed", "less", "lack", "without", "than", "'d"),
    }
)
"""Words before a part after which it is not what the writer states."""

_TIES = frozenset(
    {
        *("but", "however", "although", "though", "yet", "instead", "otherwise", "also", "either", "neither"),
        *("nor", "if", "unless", "until", "whether", "because", "which", "who", "whose", "that", "when"),
        *("where", "why", "how", "what", "only", "there", "here", "this", "these", "those", "such", "same"),
        *("it", "he", "she", "him", "her", "them", "his", "its", "so", "even", "else", "other", "another"),
    }
)
"""Words that tie a clause to something that would not be there."""

_GROUPS = frozenset({"staff", "waitstaff", "crew", "team", "management", "family", "couple", "people"})

_CLEAN = re.compile(r"[^\W_][\w'’ -]*")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class AspectSet:
    """Expressions, and what they were made with."""

    expressions: tuple[Expression, ...] = ()
    origin: str = "template"


def read_phrases(text: str) -> str | None:
    """Read which phrases are wanted: `template` (None), or `parsed` or `parsed:NAME`, a spaCy pipeline.

    >>> read_phrases("parsed"), read_phrases("parsed:my_pipeline"), read_phrases("template")
    ('en_core_web_sm', 'my_pipeline', None)
    """
    kind, _, name = text.partition(":")
    if kind not in {"template", "parsed"} or (kind == "template" and name):
        raise ConfigError(
            f"aspect phrases {text!r}: expected template, parsed, or parsed:NAME with the name or folder of "
            "a spaCy pipeline; write parsed"
        )
    return (name or DEFAULT_PARSER) if kind == "parsed" else None


def build_aspectset(sentences: Sequence[AspectSentence], phrases: str = "template") -> AspectSet:
    """Make expressions from training sentences; with `parsed`, cut them out as they were written.

    >>> from aspectlab.robustness.aspects import sketch
    >>> hall = sketch("The/DT hall/NN is/VBZ dark/JJ", {"hall": ("negative", "dark")})
    >>> build_aspectset([hall, hall])
    AspectSet(expressions=(Expression(term='hall', before='the ', after=' is dark', \
polarity=<Polarity.NEGATIVE: 'negative'>, others=()),), origin='template')
    """
    name = read_phrases(phrases)
    if name is None:
        return AspectSet(collect_expressions(sentences))
    trees = grow_trees([sentence.example.text for sentence in sentences], name)
    kind = "constituents" if any(tree.constituents for tree in trees) else "dependencies"
    return AspectSet(collect_phrases(sentences, trees), f"{kind} of {name}")


def collect_phrases(sentences: Sequence[AspectSentence], trees: Sequence[Tree]) -> tuple[Expression, ...]:
    """Cut what is said of each aspect out of its sentence, where that can stand alone."""
    # the words of the tree replace the tagger's, since a pipeline may part them in its own way
    parsed = [
        (replace(sentence, words=tree.words), tree) for sentence, tree in zip(sentences, trees, strict=True)
    ]
    signs = count_signs((sentence, aspect) for sentence, _ in parsed for aspect in sentence.aspects)
    found = dict.fromkeys(
        expression
        for sentence, tree in parsed
        for aspect in sentence.aspects
        for expression in _express(sentence, tree, aspect, signs)
    )
    return keep_common(found, [sentence for sentence, _ in parsed], whole=True)


def _express(
    sentence: AspectSentence, tree: Tree, aspect: AspectMention, signs: Signs
) -> Iterator[Expression]:
    assert aspect.term.span is not None
    term = positions_in(tree.words, aspect.term.span)
    if aspect.polarity is Polarity.NEUTRAL or not is_plain_term([tree.words[position] for position in term]):
        return
    cut_out: Cutter = cut_by_constituents if tree.constituents else cut_by_dependencies
    for span in aspect.opinions:
        opinion = positions_in(tree.words, span)
        cut = cut_out(tree, term, opinion) if opinion and not {*term} & {*opinion} else None
        if (
            cut is None
            or not _is_stated(tree, cut)
            or not _says_its_label(sentence, cut, span, aspect, signs)
        ):
            continue
        if not cut.is_clause and tree.words[cut.end - 1].tag in {"JJ", "JJS", "VBN", "VBG"}:
            yield _predicate(sentence, term, cut, aspect)
        elif cut.is_clause and _can_stand_alone(sentence, cut, aspect):
            yield _clause(sentence, cut, aspect)


def _is_stated(tree: Tree, cut: Cut) -> bool:
    """Return whether nothing right before a part turns it round, and no question is asked."""
    before: list[TaggedWord] = []
    for word in reversed(tree.words[max(0, cut.first - _WINDOW) : cut.first]):
        if not word.text[0].isalnum() and not word.text.startswith(("'", "’")):
            break
        before.append(word)
    mark = next((word.text for word in tree.words[cut.end :] if word.text in {".", "!", "?", ";"}), "")
    return mark != "?" and not any(is_negation(w) or w.lower in _DOUBTS or w.lower == "n't" for w in before)


def _says_its_label(
    sentence: AspectSentence, cut: Cut, opinion: Span, aspect: AspectMention, signs: Signs
) -> bool:
    """Return whether a part shows its polarity: by a usual sense of the opinion, or by a negation inside."""
    words = sentence.words[cut.first : cut.end]
    if any(is_negation(word) or word.lower == "n't" for word in words):
        return cut.is_clause
    text = sentence.example.text[slice(*opinion)].lower()
    if not cut.is_clause:
        return not is_vague(text) and is_usual(signs, text, aspect.polarity)
    # a whole clause leaves less open than an adjective, so that a word of one use may do
    return 2 * signs[text][aspect.polarity] > signs[text].total()


def _can_stand_alone(sentence: AspectSentence, cut: Cut, aspect: AspectMention) -> bool:
    """Return whether a clause is short, has no marks inside, names no other aspect and refers to nothing."""
    words = sentence.words[cut.first : cut.end]
    text = _slice(sentence, cut)
    others = [span for span in sentence.protected if span != aspect.term.span]
    start, end = words[0].span.start, words[-1].span.end
    return (
        len(words) <= _LONGEST
        and _CLEAN.fullmatch(text) is not None
        and _DIGIT.search(text) is None
        and not text.isupper()
        and not words[0].tag.startswith(("VB", "MD", "RB", "IN", "CC", "W"))
        and not any(word.lower in _TIES or _is_foreign_name(word, aspect) for word in words)
        and words[-1].lower not in {"too", "well"}  # "as well"
        and _agrees(sentence, cut, aspect)
        and not any(fix_article(words, position, words[position].text) for position in range(1, len(words)))
        and not any(span.start < end and start < span.end for span in others)
    )


def _is_foreign_name(word: TaggedWord, aspect: AspectMention) -> bool:
    """Return whether a word is a name beside the term: in small letters nobody would know it."""
    assert aspect.term.span is not None
    is_inside = aspect.term.span.start <= word.span.start < aspect.term.span.end
    return word.tag.startswith("NNP") and not is_inside


def _agrees(sentence: AspectSentence, cut: Cut, aspect: AspectMention) -> bool:
    """Return whether a term and the verb right behind it agree in number; groups of people may take both."""
    assert aspect.term.span is not None
    term = positions_in(sentence.words, aspect.term.span)
    if term[-1] + 1 >= cut.end or sentence.words[term[-1]].lower in _GROUPS:
        return True
    verb = sentence.words[term[-1] + 1]
    if verb.tag == "VBZ" or verb.lower == "was":
        return not takes_are(sentence, term)
    return takes_are(sentence, term) or not (verb.tag == "VBP" or verb.lower == "were")


def _predicate(sentence: AspectSentence, term: list[int], cut: Cut, aspect: AspectMention) -> Expression:
    """Make a clause of a term and the attribute before it."""
    verb = "are" if takes_are(sentence, term) else "is"
    article = "the " if sentence.words[cut.end - 1].tag == "JJS" else ""
    return Expression(
        aspect.term.text.lower(), "the ", f" {verb} {article}{_slice(sentence, cut).lower()}", aspect.polarity
    )


def _clause(sentence: AspectSentence, cut: Cut, aspect: AspectMention) -> Expression:
    """Take a clause as it was written, in small letters."""
    assert aspect.term.span is not None
    text = sentence.example.text
    start, end = sentence.words[cut.first].span.start, sentence.words[cut.end - 1].span.end
    before, after = text[start : aspect.term.span.start], text[aspect.term.span.end : end]
    beside = set(range(cut.first, cut.end)) - set(positions_in(sentence.words, aspect.term.span))
    nouns = [w.lower for position in sorted(beside) if (w := sentence.words[position]).tag.startswith("NN")]
    term = aspect.term.text.lower()
    return Expression(term, _lower(before), _lower(after), aspect.polarity, tuple(nouns))


def _slice(sentence: AspectSentence, cut: Cut) -> str:
    return sentence.example.text[sentence.words[cut.first].span.start : sentence.words[cut.end - 1].span.end]


def _lower(text: str) -> str:
    """Write in small letters, but for the word I, with single spaces.

    >>> _lower("Today I  think I'm ")
    "today I think I'm "
    """
    return re.sub(r"\bi\b", "I", re.sub(r"\s+", " ", text.lower()))
