"""Post-processing: the words of a term that two annotators should share.

Lower case, no stop words, lemmas: what the MuSe-CarASTE paper does before it compares annotations. Negations
stay, since "not good" and "good" must not become equal. A term of nothing but stop words keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

from aspectlab.language import word_spans
from aspectlab.language.inflection import find_lemma, list_lemmas

_LISTED = """
    a an the this that these those i me my we us our you your he him his she her it its they them their
    is are was were be been being am do does did have has had having will would can could shall should may
    might must of in on at by for with from to into onto about as and or but so than then there here if
    just really very quite also too some any each what which who whom when where how why up down out off
    it's that's i'm i've we're you're they're there's
"""
_STOP_WORDS = frozenset(_LISTED.split())


@dataclass(frozen=True, slots=True)
class Wording:
    """Which steps are taken; `name` says so in a signature."""

    stop_words: bool = True
    lemmas: bool = True

    @property
    def name(self) -> str:
        """The steps, joined.

        >>> Wording(lemmas=False).name
        'lower+stop'
        """
        steps = {"lower": True, "stop": self.stop_words, "lemma": self.lemmas}
        return "+".join(step for step, taken in steps.items() if taken)

    def normalise(self, text: str) -> str:
        """Reduce a term to the words that count, with one blank between them.

        >>> Wording(lemmas=False).normalise("The Rear  seats"), Wording(lemmas=False).normalise("it")
        ('rear seats', 'it')
        """
        lower = text.lower().replace("’", "'")
        words = [lower[start:end] for start, end in word_spans(lower)]
        words = [word for word in words if word[0].isalnum()] or words
        if self.stop_words:
            words = [word for word in words if word not in _STOP_WORDS] or words
        return " ".join(_lemma(word) for word in words) if self.lemmas else " ".join(words)


def choose_wording(language: str) -> Wording:
    """Give the steps that can be taken here: stop words and lemmas are English, lemmas need lemminflect.

    A corpus that does not name its language is taken to be English.

    >>> choose_wording("it").name
    'lower'
    """
    english = language in {"en", "und", ""}
    return Wording(stop_words=english, lemmas=english and find_spec("lemminflect") is not None)


@cache
def _lemma(word: str) -> str:
    """Give the first lemma that differs from the word: a term has too few words to be tagged."""
    stem = word.removesuffix("'s") or word
    # the rules for unknown words would cut known ones too: "gas", taken for an adjective, to "ga"
    found = list_lemmas(stem) or (find_lemma(stem, "NN"),)
    return next((lemma for lemma in found if lemma != stem), stem)
