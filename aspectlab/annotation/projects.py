"""Projects of annotation tools: what `annotate export` writes for people to work on."""

from __future__ import annotations

from pathlib import Path

from aspectlab.annotation.guidelines import render_guidelines
from aspectlab.annotation.labelstudioconfig import build_config
from aspectlab.data import Corpus, Polarity
from aspectlab.data.drafting import drafted
from aspectlab.errors import DataError
from aspectlab.readers import write
from aspectlab.readers.answers import find_topics

CONFIG, TASKS, INSTRUCTIONS = "config.xml", "tasks.json", "instructions.html"
"""The files of a Label Studio project."""


def write_label_studio(corpus: Corpus, folder: Path) -> tuple[Path, ...]:
    """Write the configuration, the tasks and the instructions of a project into a folder."""
    pages = {CONFIG: make_config(corpus), INSTRUCTIONS: render_guidelines()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, page in pages.items():
            with drafted(folder / name) as draft:
                draft.write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}; choose another folder") from None
    write(corpus, folder / TASKS, "label-studio")
    return tuple(folder / name for name in (CONFIG, TASKS, INSTRUCTIONS))


def make_config(corpus: Corpus) -> str:
    """Give the configuration that fits a corpus: with its categories or topics, and conflict if it has it.

    >>> from aspectlab.data import Example, Quad
    >>> quads = Quad(category="cost", polarity=Polarity.NEUTRAL), Quad(category="style")
    >>> corpus = Corpus("cars", "en", frozenset(), (Example("1", "It is as it is.", quads),))
    >>> '<Choice value="style" />' in make_config(corpus), "conflict" in make_config(corpus)
    (True, False)
    """
    topics = find_topics(corpus)
    quads = [quad for example in corpus for quad in example.quads]
    categories = {quad.category for quad in quads if quad.category is not None and not topics}
    has_conflict = any(quad.polarity is Polarity.CONFLICT for quad in quads)
    return build_config(categories=sorted(categories), conflict=has_conflict, topic=bool(topics))
