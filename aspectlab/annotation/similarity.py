"""Similarity of phrases: their normal form without stop words, and vectors of words or letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.language import (
    find_lemma,
    find_pipeline,
    format_remedy,
    list_lemmas,
    load_pipeline,
    word_spans,
)

if TYPE_CHECKING:
    from spacy.language import Language


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
        """Reduce a term to the words that count, with one space between them.

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
    """Return the steps that can be taken here: stop words and lemmas are English, lemmas need lemminflect.

    A corpus that does not name its language is taken to be English.

    >>> choose_wording("it").name
    'lower'
    """
    english = language in {"en", "und", ""}
    return Wording(stop_words=english, lemmas=english and find_spec("lemminflect") is not None)


@cache
def _lemma(word: str) -> str:
    """Return the first lemma that differs from the word: a term has too few words to be tagged."""
    stem = word.removesuffix("'s") or word
    # the rules for unknown words would cut known ones too: "gas", taken for an adjective, to "ga"
    found = list_lemmas(stem) or (find_lemma(stem, "NN"),)
    return next((lemma for lemma in found if lemma != stem), stem)


Float32Array = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Float32Array]

LETTERS = "letters"
_WIDTH = 1024


@dataclass(frozen=True, slots=True)
class Similarity:
    """A function from texts to vectors [N, D], and the name under which its numbers are reported."""

    name: str
    embed: Embed


def load_similarity(name: str) -> Similarity:
    """Return `letters`, which knows spelling alone, or the word vectors of a spaCy pipeline.

    >>> load_similarity("letters").name
    'letters'
    """
    if name == LETTERS:
        return Similarity(LETTERS, embed_letters)
    pipeline = find_pipeline(name)
    if pipeline is None:
        raise MissingPartError(
            f"similarity {name!r}: no such spaCy pipeline is installed: expected 'letters' or a pipeline "
            f"with vectors (a command also takes 'embedded'); get it with: {format_remedy(name)}"
        )
    language = load_pipeline(pipeline, ())
    if not language.vocab.vectors.shape[1] or not len(language.vocab.vectors):
        raise ConfigError(
            f"similarity {name!r}: the pipeline has no word vectors: expected one with vectors, "
            "such as 'en_core_web_md'"
        )
    return Similarity(f"{pipeline.name}-{pipeline.version}", lambda texts: _embed_words(language, texts))


def embed_letters(texts: Sequence[str]) -> Float32Array:
    """Count the groups of three letters of each text, spaces at the ends included: [N, 1024].

    Groups fall into columns by a hash, so that two different ones seldom count as one.

    >>> one, other = embed_letters(["seat", "seats"])
    >>> float(one @ other)    # _se, sea and eat of four and of five
    3.0
    """
    vectors = np.zeros((len(texts), _WIDTH), np.float32)
    for row, text in enumerate(texts):
        padded = f" {text} " if text else ""
        for start in range(len(padded) - 2):
            group = padded[start : start + 3].encode("utf-8", "surrogatepass")
            vectors[row, crc32(group) % _WIDTH] += 1
    return vectors


def _embed_words(language: Language, texts: Sequence[str]) -> Float32Array:
    """Average the word vectors of each text, as spaCy's own similarity does."""
    rows = [np.asarray(language.make_doc(text).vector, np.float32) for text in texts]
    return np.stack(rows) if rows else np.zeros((0, language.vocab.vectors.shape[1]), np.float32)
