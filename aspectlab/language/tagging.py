"""Words with their Penn Treebank tags, by a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from aspectlab.data import Span
from aspectlab.errors import DataError, MissingPartError
from aspectlab.language.parsing import DEFAULT_PARSER
from aspectlab.language.pipelines import Pipeline, find_pipeline, load_pipeline

if TYPE_CHECKING:
    from spacy.language import Language


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word or mark of a text; clitics stand alone ("is", "n't")."""

    text: str
    span: Span
    tag: str

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


class Tagger(Protocol):
    """Whatever gives the tagged words of each text."""

    def tag(self, texts: Sequence[str]) -> list[tuple[TaggedWord, ...]]:
        """Tag texts; white space is left out."""
        ...


def load_tagger(name: str = DEFAULT_PARSER) -> Tagger:
    """Give a tagger by the name of a spaCy pipeline, or say how to install it. Nothing is loaded yet.

    >>> load_tagger("no_such_pipeline")
    Traceback (most recent call last):
    aspectlab.errors.MissingPartError: tagger 'no_such_pipeline': the pipeline is not installed: expected a \
spaCy pipeline with a tagger; get the usual one with: pip install 'aspectlab[parse]'
    """
    pipeline = find_pipeline(name)
    if pipeline is None:
        raise MissingPartError(
            f"tagger {name!r}: the pipeline is not installed: expected a spaCy pipeline with a tagger; "
            "get the usual one with: pip install 'aspectlab[parse]'"
        )
    return PipelineTagger(pipeline)


@dataclass(frozen=True, slots=True)
class PipelineTagger:
    """Tag with a spaCy pipeline and its own tokeniser, which parts clitics as the tags expect."""

    pipeline: Pipeline

    def tag(self, texts: Sequence[str]) -> list[tuple[TaggedWord, ...]]:
        """Tag texts."""
        language = _load(self.pipeline)
        for text in texts:
            if len(text) > language.max_length:
                raise DataError(
                    f"text {text[:40]!r}…: found {len(text):,} characters: expected at most "
                    f"{language.max_length:,}; split it into sentences"
                )
        # spaCy takes no lone surrogates; a question mark is as long, so offsets stay right
        readable = (text.encode("utf-8", "replace").decode("utf-8") for text in texts)
        return [
            tuple(
                TaggedWord(word.text, Span(word.idx, word.idx + len(word.text)), word.tag_)
                for word in tree
                if not word.is_space
            )
            for tree in language.pipe(readable, batch_size=64)
        ]


@lru_cache(maxsize=1)
def _load(pipeline: Pipeline) -> Language:
    return load_pipeline(pipeline, ["tagger"])
