"""Assign opinions to categories: by the aspect, by the words that judge it, and by the sentence."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aspectlab.analysis.grouping import MAX_TERMS, Embed, Grouping, find_similar, group_terms
from aspectlab.analysis.survey import TopCounter
from aspectlab.analysis.taxonomy import CategoryRule, Taxonomy
from aspectlab.encodings import spell_category
from aspectlab.language import normalise_term
from aspectlab.readers import OTHER, REST, Opinion

Scores = dict[int, float]
"""Evidence by the number of a category."""

# chosen on sentences of our own (benchmarks/taxonomy.py) and on train parts mapped to the built-in categories
_WHOLE, _HEAD, _LONGER, _INSIDE, _BEHIND = 4.0, 3.0, 0.3, 1.2, 1.0
_DECISIVE, _CUE, _CUE_ALONE, _THING_IN_CUE = 4.5, 1.5, 2.5, 2.0
_NEAR_THING, _NEAR_CUE = 1.0, 0.6
_PREDICTED = 0.6
_FALLBACK = 0.4
_LEAST = 1.0
_NEAR_WORDS = 7
_LONGEST_PHRASE = 5
_KEPT = 1 << 16

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_WORDS_BEFORE_ANOTHER_THING = "of for in at with on from to near by"
_BEFORE = frozenset(_WORDS_BEFORE_ANOTHER_THING.split())
_ARTICLES = "the a an my our your their its his her this that these those and or"
_SMALL = frozenset(_ARTICLES.split())
# they say which side of a thing is meant, not which thing: "food quality", "size of the room"
_SIDE_WORDS = "quality size level condition experience amount general miscellaneous misc standard aspect"
_SIDES = frozenset(_SIDE_WORDS.split())
_POINTING_WORDS = "it this that they them these those one he she we everything all thing things"
_PRONOUNS = frozenset(_POINTING_WORDS.split())
_ENDINGS = re.compile(r"(?:ing|ed|ly|est|er|e)$")
_DOUBLE = re.compile(r"([bdgmnprt])\1$")


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case and singular, with hyphens opened.

    >>> split_words("The check-in desks")
    ['the', 'check', 'in', 'desk']
    """
    return [normalise_word(word) for word in _WORD.findall(text.lower())]


def normalise_word(word: str) -> str:
    """Return a word in the singular; "cookies" and "cookie" are one.

    >>> normalise_word("cookies") == normalise_word("cookie"), normalise_word("berries")
    (True, 'berry')
    """
    found = normalise_term(word) or word
    return f"{found[:-2]}y" if found.endswith("ie") and len(found) > 3 else found


def stem(word: str) -> str:
    """Cut the ending of a word that judges: "smiled" and "smile" are one, as are "bigger" and "big".

    >>> stem("smiled"), stem("smile"), stem("bigger"), stem("easily"), stem("bed")
    ('smil', 'smil', 'big', 'easy', 'bed')
    """
    cut = _DOUBLE.sub(r"\1", _ENDINGS.sub("", word))
    if len(cut) < 3:
        return word
    return f"{cut[:-1]}y" if cut.endswith("i") else cut


class _Match(NamedTuple):
    """Words of a list that stand in a text: from which word to which, and for which category."""

    start: int
    end: int
    category: int


class _Phrases:
    """Words and phrases of categories, found in a list of words: the longest at each end."""

    def __init__(self) -> None:
        self._found: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)

    def add(self, words: Sequence[str], category: int) -> None:
        if words and category not in self._found[tuple(words)]:
            self._found[tuple(words)].append(category)

    def items(self) -> Iterable[tuple[tuple[str, ...], list[int]]]:
        """Return all phrases with their categories."""
        return self._found.items()

    def find(self, words: Sequence[str]) -> list[_Match]:
        matches = []
        for end in range(1, len(words) + 1):
            for start in range(max(0, end - _LONGEST_PHRASE), end):
                if found := self._found.get(tuple(words[start:end])):
                    matches += [_Match(start, end, category) for category in found]
                    break
        # "battery charger" holds "battery", which says nothing more
        return [
            match
            for match in matches
            if not any(
                other.start <= match.start and match.end <= other.end and other[:2] != match[:2]
                for other in matches
            )
        ]


class Assigner:
    """Finds the category of each opinion by the words of a taxonomy; -1 is none."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy
        self.names = [rule.name for rule in taxonomy.categories]
        self._is_fallback = [rule.fallback for rule in taxonomy.categories]
        self._things, self._cues, self._decisive = _Phrases(), _Phrases(), _Phrases()
        self._exclude = [{normalise_term(word) for word in rule.exclude} for rule in taxonomy.categories]
        for number, rule in enumerate(taxonomy.categories):
            for word in (rule.name, *rule.synonyms):
                self._things.add([each for each in split_words(word) if each not in _SMALL], number)
            for word in rule.opinions:
                self._cues.add([*map(stem, split_words(word))], number)
            for word in rule.decisive:
                self._decisive.add([*map(stem, split_words(word))], number)
        self._aspects: dict[str, Scores] = {}
        self._words: dict[str, tuple[Scores, Scores, Scores]] = {}

    def by_aspect(self, aspect: str) -> Scores:
        """Return what the words of an aspect speak for."""
        found = self._aspects.get(aspect)
        if found is None:
            found = self._score_aspect([word for word in split_words(aspect) if word not in _SMALL])
            if len(self._aspects) < _KEPT:
                self._aspects[aspect] = found
        return found

    def _score_aspect(self, words: list[str]) -> Scores:
        head = _find_head(words)
        # "check in" is a word by itself
        matches = self._things.find(words)
        if any(match.start < head < match.end for match in matches):
            head = len(words)
        is_side = words[head - 1] in _SIDES if words else False
        scores: Scores = {}
        for match in matches:
            size = match.end - match.start
            if size == len(words):
                weight = _WHOLE
            elif match.end == head:
                weight = _INSIDE if is_side and size == 1 else _HEAD + _LONGER * (size - 1)
            elif is_side and (match.end == head - 1 or match.start > head):
                weight = _HEAD
            else:
                weight = _INSIDE if match.end < head else _BEHIND
            self._add(scores, match.category, weight)
        return scores

    def by_words(self, text: str) -> tuple[Scores, Scores, Scores]:
        """Return what words that judge speak for: decisive ones, others, and things that they name."""
        found = self._words.get(text)
        if found is None:
            plain = split_words(text)
            stems = [*map(stem, plain)]
            found = {}, {}, {}
            for scores, phrases, words in zip(
                found, (self._decisive, self._cues, self._things), (stems, stems, plain), strict=True
            ):
                for match in phrases.find(words):
                    self._add(scores, match.category, 1.0)
            if len(self._words) < _KEPT:
                self._words[text] = found
        return found

    def is_unknown(self, opinion: Opinion) -> bool:
        """Return whether an opinion names an aspect that no category claims, nor do words that decide."""
        aspect = opinion.aspect
        if not aspect or aspect.lower() in _PRONOUNS or self.by_aspect(aspect):
            return False
        return all(self._is_excluded(category, aspect) for category in self.by_words(opinion.opinion)[0])

    def single_words(self) -> tuple[list[str], NDArray[np.int64]]:
        """Return the single words of things, and the category of each."""
        found = [
            (words[0], category)
            for words, categories in self._things.items()
            if len(words) == 1
            for category in categories
        ]
        return [word for word, _ in found], np.array([category for _, category in found], np.int64)

    def head_of(self, term: str) -> str:
        """Return the word of a term that says what kind of thing it is.

        >>> Assigner(Taxonomy("none", ())).head_of("glass of the house wine")
        'glass'
        """
        words = [word for word in split_words(term) if word not in _SMALL]
        return words[_find_head(words) - 1] if words else ""

    def score(self, opinion: Opinion) -> Scores:
        """Weigh all evidence for the categories of an opinion."""
        aspect = "" if opinion.aspect.lower() in _PRONOUNS else opinion.aspect
        scores = dict(self.by_aspect(aspect)) if aspect else {}
        # "the hotel" leaves open what is judged, as no aspect does
        is_open = bool(scores) and all(map(self._is_fallback.__getitem__, scores))
        decisive, cues, things = self.by_words(opinion.opinion)
        for category in decisive:
            if not self._is_excluded(category, aspect):
                scores[category] = scores.get(category, 0.0) + _DECISIVE
        is_alone = is_open or not aspect
        for found, weight in (
            (cues, _CUE_ALONE if is_alone else _CUE),
            (things, _THING_IN_CUE if is_alone else _INSIDE),
        ):
            for category, size in found.items():
                if not self._is_excluded(category, aspect):
                    scores[category] = scores.get(category, 0.0) + weight * size
        if opinion.predicted_category:
            for category, weight in self.by_aspect(_as_phrase(opinion.predicted_category)).items():
                scores[category] = scores.get(category, 0.0) + weight * _PREDICTED
        if not aspect:
            self._add_sentence(scores, opinion)
        return scores

    def choose(self, scores: Scores) -> int:
        """Return the category with the most evidence, -1 if there is too little; a fallback loses a tie."""
        if not scores:
            return -1
        best = max(scores, key=lambda number: (scores[number], not self._is_fallback[number], -number))
        return best if scores[best] >= _LEAST else -1

    def name(self, opinion: Opinion) -> str:
        """Return the category of an opinion by its evidence, "" if there is too little."""
        chosen = self.choose(self.score(opinion))
        return self.names[chosen] if chosen >= 0 else ""

    def _add(self, scores: Scores, category: int, weight: float) -> None:
        weight *= _FALLBACK if self._is_fallback[category] else 1.0
        scores[category] = max(scores.get(category, 0.0), weight)

    def _is_excluded(self, category: int, aspect: str) -> bool:
        excluded = self._exclude[category]
        return bool(excluded and aspect) and not excluded.isdisjoint(
            (normalise_term(aspect), *split_words(aspect))
        )

    def _add_sentence(self, scores: Scores, opinion: Opinion) -> None:
        """Add what stands near the words that judge; where there are none, the sentence takes their place."""
        text, weights = opinion.text, (_CUE_ALONE, _CUE_ALONE, _THING_IN_CUE)
        if opinion.opinion_start is not None and opinion.opinion_end is not None:
            start = opinion.opinion_start - opinion.sentence_start
            end = opinion.opinion_end - opinion.sentence_start
            before = _WORD.findall(text[:start])[-_NEAR_WORDS:]
            after = _WORD.findall(text[end:])[:_NEAR_WORDS]
            text, weights = " ".join((*before, "|", *after)), (_NEAR_THING, _NEAR_CUE, _NEAR_THING)
        for found, weight in zip(self.by_words(text), weights, strict=True):
            for category, size in found.items():
                scores[category] = scores.get(category, 0.0) + weight * size


def _find_head(words: Sequence[str]) -> int:
    """Return the end of the part of a term whose last word is its head: before "of" or "in"."""
    return next((index for index, word in enumerate(words) if index and word in _BEFORE), len(words))


def _as_phrase(category: str) -> str:
    """Return the name of a category as a model gives it as an aspect would be called.

    >>> _as_phrase("FOOD#PRICES")
    'food prices'
    """
    return spell_category(category).replace(":", "")


ASSIGNMENT = 1
"""Raised when the same opinions go to other categories than before."""

_COUNTED_TERMS = 20_000
_SMALLEST, _SMALLEST_SHARE = 3, 0.003


class Assignment:
    """Where each opinion goes: by its evidence or, where its aspect is no word of a category, with its like.

    Terms of aspects that fit no category are grouped, and the frequent groups are categories of their own.
    """

    def __init__(self, assigner: Assigner, grouping: Grouping, similar: Mapping[str, int]) -> None:
        self._assigner = assigner
        self._grouping = grouping
        self._similar = similar
        self._shown: dict[str, tuple[str, str]] = {}

    def find(self, opinion: Opinion) -> tuple[str, str]:
        """Return the category of an opinion, and that of the first level above it; what was judged stays."""
        found = opinion.category or self._name(opinion)
        if found not in self._shown:
            taxonomy = self._assigner.taxonomy
            name = taxonomy.resolve(found) or OTHER
            self._shown[found] = name, taxonomy.parent_of(name)
        return self._shown[found]

    def _name(self, opinion: Opinion) -> str:
        assigner = self._assigner
        scores = assigner.score(opinion)
        if not assigner.is_unknown(opinion):
            chosen = assigner.choose(scores)
            return assigner.names[chosen] if chosen >= 0 else self._name_predicted(opinion)
        found = self._grouping.find(opinion.aspect)
        if found != OTHER:
            return found
        chosen = assigner.choose(scores)
        if chosen < 0:
            chosen = self._similar.get(normalise_term(opinion.aspect), -1)
        return assigner.names[chosen] if chosen >= 0 else OTHER

    def _name_predicted(self, opinion: Opinion) -> str:
        """Name the group that has the name of the category which the model gives, if any."""
        if not opinion.predicted_category:
            return OTHER
        return self._grouping.find_category(opinion.predicted_category)


def assign_opinions(opinions: Iterable[Opinion], embed: Embed, taxonomy: Taxonomy) -> Assignment:
    """Find what speaks for no category, and group what is frequent of it."""
    assigner = Assigner(taxonomy)
    terms, predicted = TopCounter[str](_COUNTED_TERMS), TopCounter[str](_COUNTED_TERMS)
    total = 0
    for opinion in opinions:
        total += 1
        if assigner.is_unknown(opinion):
            terms.add(opinion.aspect.lower())
        elif opinion.predicted_category and assigner.choose(assigner.score(opinion)) < 0:
            predicted.add(opinion.predicted_category)
    # a term may have several forms
    counts = terms.top(4 * MAX_TERMS)
    if taxonomy.discover:
        grouping = group_terms(counts, embed, smallest=max(_SMALLEST, round(_SMALLEST_SHARE * total)))
    else:
        # a name without words takes what is near it, as far as anything is
        bare = [rule.name for rule in taxonomy.categories if not {*rule.synonyms} - {rule.name}]
        categories = [name for name, _ in predicted.top(MAX_TERMS)]
        grouping = group_terms(counts, embed, bare, categories) if bare else Grouping((), {}, {}, {})
    words, owners = assigner.single_words()
    heads = {normalise_term(term): assigner.head_of(term) for term, _ in counts}
    near = find_similar(words, owners, [*dict.fromkeys(filter(None, heads.values()))], embed)
    similar = {term: near[head] for term, head in heads.items() if head in near}
    return Assignment(assigner, grouping, similar)


_LEAST_MENTIONS = 3
_MOST_PROPOSED, _MOST_TERMS = 20, 30


def propose_categories(
    named: Iterable[tuple[str, str]], taxonomy: Taxonomy
) -> list[tuple[CategoryRule, int]]:
    """Propose categories from what an analysis discovered, with their mentions, the most frequent first.

    `named` are pairs of a category and an aspect. A category that the taxonomy has not brings its terms; of
    what fits none, terms with the same last word are taken together.

    >>> taxonomy = Taxonomy("mine", (CategoryRule("food"),))
    >>> found = [("lift", "lift"), ("lift", "Elevators"), ("lift", "lift"), ("food", "soup"), ("other", "X")]
    >>> [(rule.name, rule.synonyms, count) for rule, count in propose_categories(found, taxonomy)]
    [('lift', ('lift', 'elevator'), 3)]
    """
    known = {taxonomy.resolve(rule.name) for rule in taxonomy.categories}
    terms: dict[str, Counter[str]] = {}
    for category, aspect in named:
        term = normalise_term(aspect)
        if not term or category in known:
            continue
        name = term.split(" ")[-1] if category in REST else category
        terms.setdefault(name, Counter())[term] += 1
    ranked = sorted(terms, key=lambda name: (-terms[name].total(), name))
    return [
        (
            CategoryRule(name, synonyms=tuple(term for term, _ in terms[name].most_common(_MOST_TERMS))),
            terms[name].total(),
        )
        for name in ranked[:_MOST_PROPOSED]
        if terms[name].total() >= _LEAST_MENTIONS
    ]
