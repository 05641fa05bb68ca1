"""Predictions that were made elsewhere, by id; one that is not sound fails alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aspectlab.data import Corpus, Example, Quad
from aspectlab.data.jsonl import example_from_dict, quad_from_dict
from aspectlab.errors import DataError
from aspectlab.metamorphic.answers import Predict
from aspectlab.readers import Source
from aspectlab.readers.source import parse_json

_SHOWN = 3
"""How many ids an error names."""


def read_answers(path: Path, corpus: Corpus) -> Predict:
    """Read the predictions for a generated corpus, in canonical JSONL; each of its ids must be there.

    A line that is no example, or has another text than the corpus, counts as no answer for that text alone.
    Spans are not looked at here: the test does that, and reports them.
    """
    answers = dict(_read(Source(path)))
    missing = [example.id for example in corpus if example.id not in answers]
    if missing:
        raise DataError(
            f"{path}: found no predictions for {len(missing)} example(s) of {corpus.name!r} "
            f"({', '.join(map(repr, missing[:_SHOWN]))}): expected one line for each; predict the file that "
            "`aspectlab metamorphic generate` wrote"
        )

    def look_up(examples: Sequence[Example]) -> list[tuple[Quad, ...]]:
        return [_check(example, answers[example.id]) for example in examples]

    return look_up


_Read = tuple[str, tuple[Quad, ...]] | DataError
"""The text and the quads of a line, or what is wrong with it."""


def _read(source: Source) -> list[tuple[str, _Read]]:
    found: list[tuple[str, _Read]] = []
    seen: set[str] = set()
    for number, line in source.lines():
        if not line.strip():
            continue
        record = parse_json(source, number, line)
        name = record.get("id") if isinstance(record, dict) else None
        if not isinstance(record, dict) or not isinstance(name, str):
            raise source.error(number, f"the id {name!r:.80}", "a string", "write canonical JSONL")
        if name in seen:
            # which of the two answers counts would be a matter of order
            raise source.error(number, f"the id {name!r:.80} again", "unique ids", "remove one of the lines")
        seen.add(name)
        try:
            found.append((name, _read_answer(record)))
        except DataError as error:
            found.append((name, error))
    return found


def _read_answer(record: dict[str, object]) -> tuple[str, tuple[Quad, ...]]:
    quads = record.get("quads", [])
    if not isinstance(quads, list):
        return example_from_dict(record).text, ()  # it says what is wrong
    return example_from_dict({**record, "quads": []}).text, tuple(map(quad_from_dict, quads))


def _check(asked: Example, answer: _Read) -> tuple[Quad, ...]:
    if isinstance(answer, DataError):
        raise answer
    text, quads = answer
    if text != asked.text:
        raise DataError(
            f"example {asked.id!r}: found the text {text!r:.60}: expected {asked.text!r:.60}; predict "
            "the file that you test with"
        )
    return quads
