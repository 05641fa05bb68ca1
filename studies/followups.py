"""The follow-ups of a study: read from files, or made here; the same for every model."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from aspectlab.data import Corpus, Example, Origin, Span
from aspectlab.metamorphic import Case, generate, group_cases
from aspectlab.metamorphic.cases import Group
from aspectlab.readers import read


@dataclass(frozen=True)
class Material:
    """The texts of a corpus, and the follow-ups of each part; those of train are learnt from only."""

    train: list[Example]
    dev: list[Example]
    groups: dict[str, list[Group]]


def read_material(options: argparse.Namespace, name: str) -> Material:
    """Read a corpus; texts of dev are left out of train, and so are their follow-ups."""
    corpora = {part: read(options.corpora / f"{name}-{part}.jsonl") for part in ("train", "dev", "test")}
    known = {example.text for example in corpora["dev"]}
    train = [example for example in corpora["train"] if example.text not in known]
    corpora["train"] = corpora["train"].with_examples(train)
    wanted = {"dev": options.candidates, "test": options.candidates}
    if "contrast" in options.variants:
        wanted["train"] = 10
    groups = {
        part: list(limit_cases(_find_groups(corpora, part, name, options.followups), most))
        for part, most in wanted.items()
    }
    return Material(train, list(corpora["dev"]), groups)


def limit_cases(groups: Iterable[Group], most: int) -> Iterator[Group]:
    """Keep the first candidates of every replacement: of each relation, target and replaced word.

    >>> source = Example("1", "Good tea")
    >>> made = [Example(str(n), "", (), "1", f"MR2-2 of 0: 0:4 Good > {n} (synonym)") for n in range(3)]
    >>> cases = [Case("MR2-2", source, None, followup) for followup in made]
    >>> [len(kept) for _, kept in limit_cases([(source, cases)], 2)]
    [2]
    """
    for source, cases in groups:
        seen: Counter[tuple[str, int | None, Span | None]] = Counter()
        kept: list[Case] = []
        for case in cases:
            origin = case.followup.origin or Origin(None)
            key = case.relation, origin.target, origin.edits[0].span if origin.edits else None
            seen[key] += 1
            if seen[key] <= most:
                kept.append(case)
        yield source, kept


def _find_groups(corpora: dict[str, Corpus], part: str, name: str, folder: Path | None) -> Iterable[Group]:
    if folder is None:
        return generate(corpora[part], corpora["train"])
    texts = {example.id: example.text for example in corpora[part]}
    groups = group_cases(read(folder / f"{name}-{part}.jsonl"))
    return [group for group in groups if texts.get(group[0].id) == group[0].text]
