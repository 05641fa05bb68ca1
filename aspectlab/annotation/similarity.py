"""How alike two wordings are: vectors by name. Thresholds do not carry over from one to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.language.pipelines import find_pipeline, load_pipeline, tell_remedy

if TYPE_CHECKING:
    from spacy.language import Language

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
    """Give `letters`, which knows spelling alone, or the word vectors of a spaCy pipeline.

    >>> load_similarity("letters").name
    'letters'
    """
    if name == LETTERS:
        return Similarity(LETTERS, embed_letters)
    pipeline = find_pipeline(name)
    if pipeline is None:
        raise MissingPartError(
            f"similarity {name!r}: no such spaCy pipeline is installed: expected 'letters' or a pipeline "
            f"with vectors (a command also takes 'embedded'); get it with: {tell_remedy(name)}"
        )
    language = load_pipeline(pipeline, ())
    if not language.vocab.vectors.shape[1] or not len(language.vocab.vectors):
        raise ConfigError(
            f"similarity {name!r}: the pipeline has no word vectors: expected one with vectors, "
            "such as 'en_core_web_md'"
        )
    return Similarity(f"{pipeline.name}-{pipeline.version}", lambda texts: _embed_words(language, texts))


def embed_letters(texts: Sequence[str]) -> Float32Array:
    """Count the groups of three letters of each text, blanks at the ends included: [N, 1024].

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
