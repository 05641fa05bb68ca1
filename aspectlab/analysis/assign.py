"""Assign opinions to categories: by the aspect, by the words that judge it, and by the sentence."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aspectlab.analysis.grouping import MAX_TERMS, Embed, Grouping, find_similar, group_terms
from aspectlab.analysis.survey import TopCounter
from aspectlab.analysis.taxonomy import Taxonomy
from aspectlab.encodings import spell_category
from aspectlab.language import list_words, normalise_term, split_words, stem_word
from aspectlab.readers import OTHER, Opinion

Scores = dict[int, float]
"""Evidence by the number of a category."""

# chosen on sentences of our own (benchmarks/taxonomy.py) and on train parts mapped to the built-in categories
_WHOLE, _HEAD, _LONGER, _INSIDE, _BEHIND = 4.0, 3.0, 0.3, 1.2, 1.0
_DECISIVE, _CUE, _CUE_ALONE, _THING_IN_CUE = 4.5, 1.5, 2.5, 2.0
_NEAR_THING, _NEAR_CUE = 1.6, 1.2
_PREDICTED = 0.6
_FALLBACK = 0.4
_LEAST = 1.0
_SURE, _PRIOR, _ENOUGH = 3.0, 0.5, 200
_WHOLE_SHARE = 0.1
_NEAR_WORDS = 10
_LONGEST_PHRASE = 5
_KEPT = 1 << 16

_WORDS_BEFORE_ANOTHER_THING = "of for in at with on from to near by"
_BEFORE = frozenset(_WORDS_BEFORE_ANOTHER_THING.split())
_ARTICLES = "the a an my our your their its his her this that these those and or"
_SMALL = frozenset(_ARTICLES.split())
# they say which side of a thing is meant, not which thing: "food quality", "size of the room"
_SIDE_WORDS = "quality size level condition experience amount general miscellaneous misc standard aspect"
_SIDES = frozenset(_SIDE_WORDS.split())
_POINTING_WORDS = "it this that they them these those one he she we everything all thing things"
_PRONOUNS = frozenset(_POINTING_WORDS.split())


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
                parts = [each for each in split_words(word) if each not in _SMALL]
                self._things.add(parts, number)
                if len(word) == 2:  # "TVs" is too short to be cut elsewhere
                    self._things.add([f"{word.lower()}s"], number)
            for word in rule.opinions:
                self._cues.add([*map(stem_word, split_words(word))], number)
            for word in rule.decisive:
                self._decisive.add([*map(stem_word, split_words(word))], number)
        self._prior = [0.0] * len(self.names)
        self._whole: frozenset[tuple[str, ...]] = frozenset()
        self._aspects: dict[str, Scores] = {}
        self._words: dict[str, tuple[Scores, Scores, Scores]] = {}

    def by_aspect(self, aspect: str) -> Scores:
        """Return what the words of an aspect speak for."""
        found = self._aspects.get(aspect)
        if found is None:
            found = self._score_aspect([word for word in split_words(aspect) if word not in _SMALL])
            # "decorated" is no thing, but says what is meant
            if not found:
                decisive, cues, _ = self.by_words(aspect)
                found = {category: _HEAD * size for category, size in (cues | decisive).items()}
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
            if self._is_other_reading(match, matches, words):
                continue
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

    def _is_other_reading(self, match: _Match, matches: Sequence[_Match], words: Sequence[str]) -> bool:
        """Return whether a word has another meaning here: a "bar" is the whole where reviews are of bars."""
        rivals = {self._is_fallback[other.category] for other in matches if other[:2] == match[:2]}
        if len(rivals) < 2:
            return False
        return self._is_fallback[match.category] != (tuple(words[match.start : match.end]) in self._whole)

    def settle(self, opinions: Mapping[int, int], terms: Mapping[str, int]) -> None:
        """Learn how frequent categories are in these reviews, and which words mean the whole."""
        total, count = sum(opinions.values()), len(self.names)
        for category in range(count):
            share = (opinions.get(category, 0) + 1) / (total + count)
            prior = _PRIOR * math.log(share * count) * min(1, total / _ENOUGH)
            # that the whole is judged often says little of what is judged here
            self._prior[category] = min(prior, 0.0) if self._is_fallback[category] else prior
        wholes = {
            words: terms.get(" ".join(words), 0)
            for words, categories in self._things.items()
            if any(map(self._is_fallback.__getitem__, categories))
        }
        most = max(wholes.values(), default=0)
        self._whole = frozenset(words for words, number in wholes.items() if number > _WHOLE_SHARE * most)
        self._aspects.clear()

    def by_words(self, text: str) -> tuple[Scores, Scores, Scores]:
        """Return what words that judge speak for: decisive ones, others, and things that they name."""
        found = self._words.get(text)
        if found is None:
            plain = split_words(text)
            stems = [*map(stem_word, plain)]
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
        # "the hotel" leaves open what is judged, as no aspect does, and one that is unknown
        is_alone = all(map(self._is_fallback.__getitem__, scores))
        decisive, cues, things = self.by_words(opinion.opinion)
        for category in decisive:
            if not self._is_excluded(category, aspect):
                scores[category] = scores.get(category, 0.0) + _DECISIVE
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
        enough = [category for category, score in scores.items() if score >= _LEAST]
        return max(
            enough,
            key=lambda number: (self._weigh(number, scores[number]), not self._is_fallback[number], -number),
            default=-1,
        )

    def _weigh(self, category: int, score: float) -> float:
        """Weigh weak evidence more for a category that is frequent in these reviews."""
        return score if score >= _SURE else min(score + self._prior[category], _SURE)

    def is_sure(self, category: int, scores: Scores) -> bool:
        """Return whether a category was chosen by more than words that may mean others as well."""
        return category >= 0 and (scores[category] >= _SURE or self._is_fallback[category])

    def name(self, opinion: Opinion, scores: Scores | None = None) -> str:
        """Return the category of an opinion by its evidence, "" if there is too little.

        What is judged without a word for it, and without evidence, is the whole.
        """
        chosen = self.choose(self.score(opinion) if scores is None else scores)
        if chosen < 0 and opinion.opinion and not opinion.aspect and not opinion.predicted_category:
            chosen = next((number for number, is_whole in enumerate(self._is_fallback) if is_whole), -1)
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
            near = *list_words(text[:start])[-_NEAR_WORDS:], "|", *list_words(text[end:])[:_NEAR_WORDS]
            text, weights = " ".join(near), (_NEAR_THING, _NEAR_CUE, _NEAR_THING)
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
            return assigner.name(opinion, scores) or self._name_predicted(opinion)
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
    terms, predicted, named = (TopCounter[str](_COUNTED_TERMS) for _ in range(3))
    total = 0
    sure: Counter[int] = Counter()
    for opinion in opinions:
        total += 1
        scores = assigner.score(opinion)
        chosen = assigner.choose(scores)
        if assigner.is_sure(chosen, scores):
            sure[chosen] += 1
        named.add(" ".join(split_words(opinion.aspect)))
        if assigner.is_unknown(opinion):
            terms.add(opinion.aspect.lower())
        elif opinion.predicted_category and chosen < 0:
            predicted.add(opinion.predicted_category)
    assigner.settle(sure, dict(named.top()))
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
