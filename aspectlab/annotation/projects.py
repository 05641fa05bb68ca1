"""Projects of annotation tools: what `annotate export` writes for people to work on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from aspectlab.annotation.guidelines import render_guidelines
from aspectlab.annotation.labelstudioconfig import build_config
from aspectlab.data import Corpus, Polarity
from aspectlab.data.drafting import drafted
from aspectlab.errors import DataError
from aspectlab.readers import write
from aspectlab.readers.answers import find_topics

FILES = CONFIG, TASKS, INSTRUCTIONS = "config.xml", "tasks.json", "instructions.html"
"""The files of a Label Studio project."""

# what XML 1.0 cannot hold, escaped or not
_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    return tuple(folder / name for name in FILES)


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
    _check_names(corpus, categories)
    has_conflict = any(quad.polarity is Polarity.CONFLICT for quad in quads)
    return build_config(categories=sorted(categories), conflict=has_conflict, topic=bool(topics))


def _check_names(corpus: Corpus, categories: Iterable[str]) -> None:
    unfit = sorted(name for name in categories if _UNFIT.search(name))
    if unfit:
        found = f"corpus {corpus.name!r:.60}: found the category {unfit[0]!r:.60}"
        raise DataError(f"{found}: expected no control characters: config.xml cannot hold them; rename it")
