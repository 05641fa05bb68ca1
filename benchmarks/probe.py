"""Probe: does `analyze` understand what we write? Adjectives × nouns × frames of our own, over many domains.

    python benchmarks/probe.py [--model FOLDER] [--half held-out|train|all] [--json FILE] [--wrong N]

Every sentence has opinions that are known because we made them (`studies/sentences.py`). The `held-out` half
shares no adjective, noun or frame with the training data that `studies/synthetic.py` writes, so a model that
learnt from those is judged on words and sentences it did not meet there; common words it met elsewhere.

found       an opinion about the right aspect is found: its span overlaps ours; for an aspect that is not
            named the model names none either, or a pronoun ("it")
polarity    of those found, the polarity is right; two opinions that differ about one aspect are wrong
right       found with the right polarity, of all; a sentence without opinions is right if none is found
others      texts in which an opinion about something else is found as well

"misleading" are plain sentences with an adjective whose parts point the other way: spotless, unhelpful.
"hard" are all kinds but those two, sentences that name the thing itself ("whole") and those without opinions.
Intervals are Wilson's, of 95 %, as if sentences were independent.
"""

import argparse
import itertools
import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from aspectlab import Analyzer
from aspectlab.data import Quad
from aspectlab.reports.formatting import ShareEstimate, estimate_share

sys.path.append(str(Path(__file__).parent.parent / "studies"))

from sentences import (
    HALVES,
    HELD_OUT,
    Adjective,
    Frame,
    Lexicon,
    NothingFitsError,
    Sentence,
    fill,
    load_lexicon,
)

Predict = Callable[[Sequence[str]], Sequence[Iterable[Quad]]]
"""Texts in, the opinions of each out, as `Analyzer.predict` gives them."""

KINDS = (
    *("plain", "misleading", "contrast", "negation", "double_negation", "comparison", "change", "intensity"),
    *("trap", "feeling", "event", "hypothetical", "implicit", "whole", "none"),
)
SUMS = {
    "plain + misleading": ("plain", "misleading"),
    "hard": tuple(kind for kind in KINDS if kind not in ("plain", "misleading", "whole", "none")),
}
_PER_ADJECTIVE = 3
_PER_KIND = 150
_DRAWS = 40
"""How often a kind of sentence is drawn for each one kept: some frames have a single sentence."""

_PRONOUNS = {"it", "this", "that", "these", "those", "they", "them", "everything", "all", "thing"}


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, with the polarity of each aspect in it; a span of None is an aspect that is not named."""

    text: str
    kind: str
    half: str
    expected: tuple[tuple[tuple[int, int] | None, str], ...]


class Verdict(NamedTuple):
    """What a model makes of one expected opinion, or of a sentence that holds none."""

    is_found: bool
    is_right: bool
    has_others: bool


class Score(NamedTuple):
    """The figures of one kind of sentence."""

    number: int
    found: ShareEstimate
    polarity: ShareEstimate
    right: ShareEstimate
    others: ShareEstimate


def make_cases(seed: int = 23, halves: Sequence[str] = HALVES) -> list[Case]:
    """Return the sentences, the same each time: every adjective three times, and so many of other kinds."""
    cases = []
    for half in halves:
        lexicon = load_lexicon().keep(half)
        rng = random.Random(f"{seed} {half}")
        cases += [_as_case(sentence, half) for sentence in _draw_plain(lexicon, rng)]
        for kind in KINDS[2:]:
            cases += [_as_case(sentence, half) for sentence in _draw_kind(kind, lexicon, rng)]
    return cases


def _draw_plain(lexicon: Lexicon, rng: random.Random) -> Iterator[Sentence]:
    """Draw sentences for each adjective in turn."""
    for adjective in lexicon.adjectives:
        frames = itertools.cycle(rng.sample(lexicon.frames_of("plain"), len(lexicon.frames_of("plain"))))
        yield from itertools.islice(_draw_with(adjective, frames, lexicon, rng), _PER_ADJECTIVE)


def _draw_with(
    adjective: Adjective, frames: Iterable[Frame], lexicon: Lexicon, rng: random.Random
) -> Iterator[Sentence]:
    for frame in frames:
        try:
            sentence = fill(frame, lexicon, rng, adjective=adjective)
        except NothingFitsError:
            continue
        # a frame without a slot for it, as "a bargain" before a noun, took other adjectives
        if sentence.adjectives == (adjective,):
            yield sentence


def _draw_kind(kind: str, lexicon: Lexicon, rng: random.Random) -> list[Sentence]:
    """Draw different sentences, the frames in turn."""
    frames = lexicon.frames_of(kind)
    found: dict[str, Sentence] = {}
    for frame in itertools.islice(itertools.cycle(rng.sample(frames, len(frames))), _DRAWS * _PER_KIND):
        if len(found) == _PER_KIND:
            break
        try:
            sentence = fill(frame, lexicon, rng)
        except NothingFitsError:
            continue
        found.setdefault(sentence.text, sentence)
    return list(found.values())


def _as_case(sentence: Sentence, half: str) -> Case:
    kind = sentence.kind
    if kind == "plain" and any(word.is_misleading for word in sentence.adjectives):
        kind = "misleading"
    expected = dict.fromkeys((opinion.aspect, opinion.polarity) for opinion in sentence.opinions)
    return Case(sentence.text, kind, half, tuple(expected))


def judge(case: Case, found: Iterable[Quad]) -> list[Verdict]:
    """Judge the opinions that a model finds in a sentence, one verdict for each expected opinion."""
    quads = list(found)
    if not case.expected:
        return [Verdict(bool(quads), not quads, bool(quads))]
    verdicts = []
    about = [[quad for quad in quads if _is_about(quad, aspect)] for aspect, _ in case.expected]
    has_others = any(all(quad not in matching for matching in about) for quad in quads)
    for (_, polarity), matching in zip(case.expected, about, strict=True):
        is_right = bool(matching) and all(quad.polarity == polarity for quad in matching)
        verdicts.append(Verdict(bool(matching), is_right, has_others))
    return verdicts


def _is_about(quad: Quad, aspect: tuple[int, int] | None) -> bool:
    if aspect is None:
        return quad.aspect is None or quad.aspect.text.lower() in _PRONOUNS
    span = quad.aspect.span if quad.aspect else None
    return span is not None and span.start < aspect[1] and aspect[0] < span.end


def run(cases: Sequence[Case], predict: Predict) -> list[list[Verdict]]:
    """Return the verdicts on each case.

    A function of one text will do as well: `run(cases, lambda texts: [find(text) for text in texts])`.
    """
    answers = predict([case.text for case in cases])
    return [judge(case, answer) for case, answer in zip(cases, answers, strict=True)]


def score(cases: Sequence[Case], verdicts: Sequence[Sequence[Verdict]]) -> dict[str, Score]:
    """Return the figures of every kind, and of the two sums that the goals are set for."""
    by_kind: dict[str, list[Verdict]] = {kind: [] for kind in KINDS}
    for case, found in zip(cases, verdicts, strict=True):
        by_kind[case.kind] += found
    for name, kinds in SUMS.items():
        by_kind[name] = [verdict for kind in kinds for verdict in by_kind[kind]]
    return {kind: _score(found) for kind, found in by_kind.items() if found}


def _score(verdicts: Sequence[Verdict]) -> Score:
    count = len(verdicts)
    found = sum(verdict.is_found for verdict in verdicts)
    right = sum(verdict.is_right for verdict in verdicts)
    hits = sum(verdict.is_found and verdict.is_right for verdict in verdicts)
    others = sum(verdict.has_others for verdict in verdicts)
    shares = ((found, count), (hits, found), (right, count), (others, count))
    return Score(count, *(estimate_share(*share) for share in shares))


def format_scores(scores: dict[str, Score]) -> str:
    """Format the figures as a table for people, in percent."""
    lines = [f"{'kind':<20}{'n':>6}{'found':>8}{'polarity':>20}{'right':>20}{'others':>8}"]
    for kind, figures in scores.items():
        shares = [
            f"{100 * share.value:.1f} ({100 * share.low:.0f}-{100 * share.high:.0f})" for share in figures[1:]
        ]
        polarity = "" if kind == "none" else shares[1]
        found, others = (f"{100 * share.value:.1f}" for share in (figures.found, figures.others))
        lines.append(f"{kind:<20}{figures.number:>6,}{found:>8}{polarity:>20}{shares[2]:>20}{others:>8}")
    return "\n".join(lines)


def main() -> None:
    """Print the table of each half."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="an exported or saved model (default: the shipped one)")
    parser.add_argument("--half", choices=(*HALVES, "all"), default="all")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    parser.add_argument("--wrong", type=int, default=0, help="show so many wrong sentences of each kind")
    options = parser.parse_args()
    halves = HALVES if options.half == "all" else (options.half,)
    cases = make_cases(halves=halves)
    start = time.perf_counter()
    answers = Analyzer(options.model).predict([case.text for case in cases])
    verdicts = run(cases, lambda _: answers)
    seconds = time.perf_counter() - start
    tables = {}
    for half in sorted(halves, key=lambda name: name != HELD_OUT):
        chosen = [number for number, case in enumerate(cases) if case.half == half]
        tables[half] = score([cases[k] for k in chosen], [verdicts[k] for k in chosen])
        print(f"{half} half\n{format_scores(tables[half])}\n")
    print(f"{len(cases):,} sentences in {seconds:.0f} s")
    _show_wrong(cases, verdicts, answers, options.wrong)
    if options.json:
        record = {
            half: {kind: _as_record(s) for kind, s in scores.items()} for half, scores in tables.items()
        }
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _as_record(figures: Score) -> dict[str, object]:
    return {
        name: part._asdict() if isinstance(part, ShareEstimate) else part
        for name, part in figures._asdict().items()
    }


def _show_wrong(
    cases: Sequence[Case],
    verdicts: Sequence[Sequence[Verdict]],
    answers: Sequence[Iterable[Quad]],
    count: int,
) -> None:
    for kind in KINDS:
        wrong = [
            number
            for number, case in enumerate(cases)
            if case.kind == kind and not all(verdict.is_right for verdict in verdicts[number])
        ]
        for number in random.Random(0).sample(wrong, min(count, len(wrong))):
            expected = [polarity for _, polarity in cases[number].expected]
            found = "; ".join(map(_format_quad, answers[number])) or "nothing"
            print(f"{kind}: {cases[number].text} Expected {', '.join(expected) or 'nothing'}; found {found}")


def _format_quad(quad: Quad) -> str:
    aspect, opinion = (term.text if term else "(not named)" for term in (quad.aspect, quad.opinion))
    return f"{aspect} / {opinion}: {quad.polarity}"


if __name__ == "__main__":
    main()
