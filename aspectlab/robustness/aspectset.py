"""AspectSet (Xing et al., EMNLP 2020): what ADDDIFF may append, by template or cut from parsed sentences.

Unlike the paper: a part of a sentence is taken only where it can stand as a clause of its own; an adjective
before the term becomes one ("the very rude porter": "the porter is very rude"). A part whose own words do not
show its label is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from aspectlab.data import Polarity, Span
from aspectlab.errors import ConfigError
from aspectlab.language.parsing import DEFAULT_PARSER
from aspectlab.language.tagging import TaggedWord
from aspectlab.robustness.aspectsetcuts import Cut, Cutter, cut_by_constituents, cut_by_dependencies
from aspectlab.robustness.aspectsettrees import Tree, grow_trees
from aspectlab.robustness.edits import fix_article
from aspectlab.robustness.expressions import (
    Expression,
    Signs,
    collect_expressions,
    count_signs,
    is_plain_term,
    is_usual,
    is_vague,
    keep_common,
    takes_are,
)
from aspectlab.robustness.negation import is_negation
from aspectlab.robustness.reversal import places_in
from aspectlab.robustness.sentences import Aspect, Sentence

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


def build_aspectset(sentences: Sequence[Sentence], phrases: str = "template") -> AspectSet:
    """Make expressions from training sentences; with `parsed`, cut them out as they were written.

    >>> from aspectlab.robustness.sentences import sketch
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


def collect_phrases(sentences: Sequence[Sentence], trees: Sequence[Tree]) -> tuple[Expression, ...]:
    """Cut what is said of each aspect out of its sentence, where that can stand alone."""
    # the words of the tree take the place of the tagger's, since a pipeline may part them in its own way
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


def _express(sentence: Sentence, tree: Tree, aspect: Aspect, signs: Signs) -> Iterator[Expression]:
    assert aspect.term.span is not None
    term = places_in(tree.words, aspect.term.span)
    if aspect.polarity is Polarity.NEUTRAL or not is_plain_term([tree.words[place] for place in term]):
        return
    cut_out: Cutter = cut_by_constituents if tree.constituents else cut_by_dependencies
    for span in aspect.opinions:
        opinion = places_in(tree.words, span)
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
    """Tell whether nothing right before a part turns it round, and no question is asked."""
    before: list[TaggedWord] = []
    for word in reversed(tree.words[max(0, cut.first - _WINDOW) : cut.first]):
        if not word.text[0].isalnum() and not word.text.startswith(("'", "’")):
            break
        before.append(word)
    mark = next((word.text for word in tree.words[cut.end :] if word.text in {".", "!", "?", ";"}), "")
    return mark != "?" and not any(is_negation(w) or w.lower in _DOUBTS or w.lower == "n't" for w in before)


def _says_its_label(sentence: Sentence, cut: Cut, opinion: Span, aspect: Aspect, signs: Signs) -> bool:
    """Tell whether a part shows its polarity: by a usual sense of the opinion, or by a negation inside."""
    words = sentence.words[cut.first : cut.end]
    if any(is_negation(word) or word.lower == "n't" for word in words):
        return cut.is_clause
    text = sentence.example.text[slice(*opinion)].lower()
    if not cut.is_clause:
        return not is_vague(text) and is_usual(signs, text, aspect.polarity)
    # a whole clause leaves less open than an adjective, so that a word of one use may do
    return 2 * signs[text][aspect.polarity] > signs[text].total()


def _can_stand_alone(sentence: Sentence, cut: Cut, aspect: Aspect) -> bool:
    """Tell whether a clause is short, has no marks inside, names no other aspect and refers to nothing."""
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
        and not any(fix_article(words, place, words[place].text) for place in range(1, len(words)))
        and not any(span.start < end and start < span.end for span in others)
    )


def _is_foreign_name(word: TaggedWord, aspect: Aspect) -> bool:
    """Tell whether a word is a name beside the term: in small letters nobody would know it."""
    assert aspect.term.span is not None
    is_inside = aspect.term.span.start <= word.span.start < aspect.term.span.end
    return word.tag.startswith("NNP") and not is_inside


def _agrees(sentence: Sentence, cut: Cut, aspect: Aspect) -> bool:
    """Tell whether a term and the verb right behind it agree in number; groups of people may take both."""
    assert aspect.term.span is not None
    term = places_in(sentence.words, aspect.term.span)
    if term[-1] + 1 >= cut.end or sentence.words[term[-1]].lower in _GROUPS:
        return True
    verb = sentence.words[term[-1] + 1]
    if verb.tag == "VBZ" or verb.lower == "was":
        return not takes_are(sentence, term)
    return takes_are(sentence, term) or not (verb.tag == "VBP" or verb.lower == "were")


def _predicate(sentence: Sentence, term: list[int], cut: Cut, aspect: Aspect) -> Expression:
    """Make a clause of a term and the attribute before it."""
    verb = "are" if takes_are(sentence, term) else "is"
    article = "the " if sentence.words[cut.end - 1].tag == "JJS" else ""
    return Expression(
        aspect.term.text.lower(), "the ", f" {verb} {article}{_slice(sentence, cut).lower()}", aspect.polarity
    )


def _clause(sentence: Sentence, cut: Cut, aspect: Aspect) -> Expression:
    """Take a clause as it was written, in small letters."""
    assert aspect.term.span is not None
    text = sentence.example.text
    start, end = sentence.words[cut.first].span.start, sentence.words[cut.end - 1].span.end
    before, after = text[start : aspect.term.span.start], text[aspect.term.span.end : end]
    beside = set(range(cut.first, cut.end)) - set(places_in(sentence.words, aspect.term.span))
    nouns = [w.lower for place in sorted(beside) if (w := sentence.words[place]).tag.startswith("NN")]
    term = aspect.term.text.lower()
    return Expression(term, _lower(before), _lower(after), aspect.polarity, tuple(nouns))


def _slice(sentence: Sentence, cut: Cut) -> str:
    return sentence.example.text[sentence.words[cut.first].span.start : sentence.words[cut.end - 1].span.end]


def _lower(text: str) -> str:
    """Write in small letters, but for the word I, with single blanks.

    >>> _lower("Today I  think I'm ")
    "today I think I'm "
    """
    return re.sub(r"\bi\b", "I", re.sub(r"\s+", " ", text.lower()))
