"""Trees over the words of a text: dependencies, and constituents where a pipeline gives them.

The constituents are those of a component `benepar` (Kitaev et al., ACL 2019) of a spaCy pipeline that the
user names; none can be had from the package registries, so that the dependencies are the usual way.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from aspectlab.data import Span
from aspectlab.errors import MissingPartError
from aspectlab.language.pipelines import Pipeline, find_pipeline, load_pipeline
from aspectlab.language.tagging import TaggedWord

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_CONSTITUENCY = "benepar"


@dataclass(frozen=True, slots=True)
class Constituent:
    """Some words in a row, from one place to before another, and what they are: S, NP, VP."""

    first: int
    end: int
    labels: tuple[str, ...]  # of a chain of nodes over the same words, the outer first


@dataclass(frozen=True, slots=True)
class Tree:
    """The words of a text, the word that each depends on, and by which relation; a root is its own head."""

    words: tuple[TaggedWord, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    constituents: tuple[Constituent, ...] = ()


def grow_trees(texts: Sequence[str], name: str) -> list[Tree]:
    """Parse texts with a spaCy pipeline, by name or folder, or say how to install it.

    >>> grow_trees(["Nice place."], "no_such_pipeline")
    Traceback (most recent call last):
    aspectlab.errors.MissingPartError: parser 'no_such_pipeline': the pipeline is not installed: expected a \
spaCy pipeline with a parser and a tagger; get the usual one with: pip install 'aspectlab[parse]', or use \
the template
    """
    pipeline = find_pipeline(name)
    if pipeline is None:
        raise MissingPartError(
            f"parser {name!r}: the pipeline is not installed: expected a spaCy pipeline with a parser and a "
            "tagger; get the usual one with: pip install 'aspectlab[parse]', or use the template"
        )
    has_constituents = _CONSTITUENCY in _list_components(pipeline)
    language = _load(pipeline, has_constituents)
    # spaCy takes no lone surrogates; a question mark is as long, so offsets stay right
    readable = (text.encode("utf-8", "replace").decode("utf-8") for text in texts)
    return [_read_tree(doc, has_constituents) for doc in language.pipe(readable, batch_size=64)]


@lru_cache(maxsize=1)
def _load(pipeline: Pipeline, has_constituents: bool) -> Language:
    if not has_constituents:
        return load_pipeline(pipeline, ("parser", "tagger"))
    try:
        import_module(_CONSTITUENCY)  # it tells spaCy how the component is made
    except ImportError:
        raise MissingPartError(
            f"pipeline {pipeline.name!r}: the package {_CONSTITUENCY} is not installed: get it with: "
            f"pip install {_CONSTITUENCY}, or use a pipeline without it, such as 'en_core_web_sm'"
        ) from None
    return load_pipeline(pipeline, ("parser", "tagger", _CONSTITUENCY))


def _list_components(pipeline: Pipeline) -> list[str]:
    """Name the components of a pipeline; one whose list cannot be read is left to spaCy to complain of."""
    try:
        found = json.loads((pipeline.folder / "meta.json").read_bytes())["pipeline"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [str(name) for name in found] if isinstance(found, list) else []


def _read_tree(doc: Doc, has_constituents: bool) -> Tree:
    """Take what is needed from spaCy's tree; white space that it took for words is left out."""
    tokens = [token for token in doc if not token.is_space]
    places = {token.i: place for place, token in enumerate(tokens)}
    return Tree(
        words=tuple(TaggedWord(t.text, Span(t.idx, t.idx + len(t.text)), t.tag_) for t in tokens),
        heads=tuple(places.get(token.head.i, place) for place, token in enumerate(tokens)),
        relations=tuple(token.dep_ for token in tokens),
        constituents=tuple(_read_constituents(doc, places)) if has_constituents else (),
    )


def _read_constituents(doc: Doc, places: dict[int, int]) -> list[Constituent]:
    found = []
    for sentence in doc.sents:
        for part in sentence._.constituents:
            inside = [places[token.i] for token in part if token.i in places]
            if inside and part._.labels:
                found.append(Constituent(inside[0], inside[-1] + 1, tuple(part._.labels)))
    return found
