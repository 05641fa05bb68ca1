"""Dependency parses over our own words, made by a spaCy pipeline and kept on disk.

A parse is two plain lists. Once made it is read from the cache, by a hash of the text and its words, and
spaCy is not even imported: a machine without it can use a cache that was filled elsewhere. ASPECTLAB_CACHE
names the folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from aspectlab.data import Span
from aspectlab.errors import MissingPartError
from aspectlab.language.cache import TextTable, cache_folder
from aspectlab.language.pipelines import Pipeline, find_pipeline, load_pipeline, tell_remedy
from aspectlab.language.words import word_spans

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

DEFAULT_PARSER = "en_core_web_sm"

_BLOCK = 4_096
"""Texts that are parsed before they are written to the cache: what an interrupt can lose."""


@dataclass(frozen=True, slots=True)
class Parse:
    """The tree over the words of a text, as `word_spans` finds them."""

    heads: list[int]  # the word that each word depends on; a root depends on itself
    labels: list[str]  # the relation to it
    tags: list[str] = field(default_factory=list)  # the part of speech of each word, where it was asked for


class Parser(Protocol):
    """Whatever gives a tree for each text."""

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse texts, each into one tree over its words, or several where it holds several sentences."""
        ...


def load_parser(name: str = DEFAULT_PARSER, *, with_tags: bool = False) -> Parser:
    """Give a parser by name: `chain`, or a spaCy pipeline, by name or folder. Nothing is loaded yet.

    With tags, a pipeline needs a tagger too; the chain has none to give.

    >>> load_parser("chain").parse(["Nice little place"])
    [Parse(heads=[0, 0, 1], labels=['dep', 'dep', 'dep'], tags=[])]
    """
    return ChainParser() if name == "chain" else PipelineParser(name, with_tags)


@dataclass(frozen=True, slots=True)
class ChainParser:
    """Hang every word on the one before it: a control that knows no grammar and needs no package."""

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse texts."""
        sizes = [len(word_spans(text)) for text in texts]
        return [Parse([max(place - 1, 0) for place in range(size)], ["dep"] * size) for size in sizes]


@dataclass(frozen=True, slots=True)
class PipelineParser:
    """Parse with a spaCy pipeline; every text is parsed once and then kept."""

    name: str = DEFAULT_PARSER
    with_tags: bool = False

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse texts; those that the cache knows cost a look-up."""
        words = {text: word_spans(text) for text in texts}
        pipeline = find_pipeline(self.name)
        # tagged parses stand apart, so that those made without tags are still of use
        run, folder = (_run_tagged, "tagged") if self.with_tags else (_run, "parses")
        table = TextTable(_table_path(self.name, pipeline, cache_folder() / folder))
        keys = {text: _key(text, spans) for text, spans in words.items()}
        kept = table.read(list(keys.values()))
        parses = {text: _from_json(kept.get(key, ""), len(words[text])) for text, key in keys.items()}
        missing = [text for text, parse in parses.items() if parse is None]
        for start in range(0, len(missing), _BLOCK):
            block = missing[start : start + _BLOCK]
            made = run(
                _installed(self.name, pipeline, len(missing), table), [(text, words[text]) for text in block]
            )
            table.write({keys[text]: _to_json(parse) for text, parse in zip(block, made, strict=True)})
            parses.update(zip(block, made, strict=True))
        return [parse for text in texts if (parse := parses[text]) is not None]


def _table_path(name: str, pipeline: Pipeline | None, folder: Path) -> Path:
    """Name the cache file of a pipeline; of one that is not installed, the newest that was left here."""
    if pipeline is not None:
        return folder / f"{pipeline.name}-{pipeline.version}.sqlite"
    left = [path for path in folder.glob("*.sqlite") if path.name.startswith(f"{name}-")]
    return max(left, key=lambda path: path.stat().st_mtime, default=folder / "none.sqlite")


def _installed(name: str, pipeline: Pipeline | None, missing: int, table: TextTable) -> Pipeline:
    if pipeline is not None:
        return pipeline
    raise MissingPartError(
        f"parser {name!r}: the pipeline is not installed, and {table.path.parent} lacks the parses "
        f"of {missing} text(s): expected one or the other; get it with: {tell_remedy(name)}, "
        "or use the parser 'chain'"
    )


def _run(pipeline: Pipeline, texts: Sequence[tuple[str, list[Span]]]) -> list[Parse]:
    """Parse texts with spaCy."""
    return [_tree(words) for words in _read(pipeline, ("parser",), texts)]


def _run_tagged(pipeline: Pipeline, texts: Sequence[tuple[str, list[Span]]]) -> list[Parse]:
    """Parse texts with spaCy, and tag their words."""
    read = _read(pipeline, ("parser", "tagger"), texts)
    return [replace(_tree(words), tags=[word.tag_ for word in words]) for words in read]


def _tree(words: Doc) -> Parse:
    return Parse([word.head.i for word in words], [word.dep_ for word in words])


def _read(
    pipeline: Pipeline, components: tuple[str, ...], texts: Sequence[tuple[str, list[Span]]]
) -> Iterator[Doc]:
    """Run spaCy, whose tokeniser has no say: the words are ours."""
    language = _load(pipeline, components)
    from spacy.tokens import Doc

    docs = (
        Doc(language.vocab, words=_spell(text, spans), spaces=_spaces(text, spans)) for text, spans in texts
    )
    yield from language.pipe(docs)


@lru_cache(maxsize=1)
def _load(pipeline: Pipeline, components: tuple[str, ...]) -> Language:
    return load_pipeline(pipeline, components)


def _spell(text: str, spans: list[Span]) -> list[str]:
    # spaCy takes no lone surrogates, which broken files may hold; each becomes a question mark
    words = (text[start:end] for start, end in spans)
    return [word.encode("utf-8", "replace").decode("utf-8") for word in words]


def _spaces(text: str, spans: list[Span]) -> list[bool]:
    return [text[end : end + 1].isspace() for _, end in spans]


def _key(text: str, spans: list[Span]) -> str:
    # the words count too: where they are found differently, an old parse no longer fits
    content = json.dumps([text, spans])
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def _to_json(parse: Parse) -> str:
    return json.dumps([parse.heads, parse.labels, *([parse.tags] if parse.tags else [])])


def _from_json(content: str, size: int) -> Parse | None:
    """Read a kept parse; None for one that is no tree over that many words."""
    try:
        heads, labels, *more = json.loads(content)
        tags = more[0] if more else []
        fits = len(heads) == len(labels) == size and len(tags) in (0, size)
        fits = fits and all(type(head) is int and 0 <= head < size for head in heads)
        fits = fits and all(isinstance(name, str) for name in (*labels, *tags))
    except (ValueError, TypeError):
        return None
    return Parse(list(heads), list(labels), list(tags)) if fits else None
