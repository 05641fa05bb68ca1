"""Everyday reviews: 65 of our own on thirteen subjects, from hospitals to podcasts, judged by overlap.

    python benchmarks/everyday.py [--model FOLDER] [--style NAME] [--show]

Nothing is trained on them. How a span is cut is a matter of taste, so that a term counts as found where it
shares a word with the right one. An opinion is found if its aspect is, or both leave it open, and its opinion
words are; it is right if its polarity is too. The reviews and what is right were written by the authors of
this package: good for comparing models, too few and too much of one taste to say how good one is.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from aspectlab.data import Example, Quad, Term
from aspectlab.readers import read
from aspectlab.runtime import load_predictor

REVIEWS = Path(__file__).parent / "reviews" / "everyday.jsonl"


def main() -> None:
    """Print what is found, and on demand what is missed and invented."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="an exported or saved model (default: the shipped one)")
    parser.add_argument("--style", help="annotation style (default: that of analyze)")
    parser.add_argument("--show", action="store_true", help="show what is missed and invented")
    options = parser.parse_args()
    gold = list(read(REVIEWS))
    given = {"style": options.style} if options.style else {}
    answers = load_predictor(options.model, **given).predict([example.text for example in gold])
    for name, value in judge(gold, answers).items():
        print(f"{name:<44}{value}")
    if options.show:
        _show(gold, answers)


def judge(gold: Sequence[Example], answers: Sequence[tuple[Quad, ...]]) -> dict[str, str]:
    """Count the opinions found, by kind, and those invented."""
    pairs = [(quad, found) for e, found in zip(gold, answers, strict=True) for quad in e.quads]
    explicit = [pair for pair in pairs if pair[0].aspect]
    implicit = [pair for pair in pairs if not pair[0].aspect]
    matched = [(quad, match) for quad, found in pairs if (match := find_match(quad, found))]
    predicted = [(quad, e) for e, found in zip(gold, answers, strict=True) for quad in found]
    right = sum(is_right(quad, e.quads) for quad, e in predicted)
    silent = [e for e, found in zip(gold, answers, strict=True) if e.quads and not found]
    return {
        "precision: predicted opinions that are right": _share(right, len(predicted)),
        "recall of explicit opinions": _recall(explicit),
        "recall of implicit ones": _recall(implicit),
        "opinion words found, whatever the aspect": _share(
            sum(any(_overlap(q.opinion, each.opinion) for each in found) for q, found in pairs), len(pairs)
        ),
        "polarity of those found": _share(sum(q.polarity == m.polarity for q, m in matched), len(matched)),
        "reviews with opinions but no result": _share(len(silent), sum(bool(e.quads) for e in gold)),
        "reviews without opinions with a result": _share(
            sum(bool(found) for e, found in zip(gold, answers, strict=True) if not e.quads),
            sum(not e.quads for e in gold),
        ),
    }


def is_right(found: Quad, gold: Sequence[Quad]) -> bool:
    """Return whether one of the right opinions is meant, with its polarity."""
    return any(is_match(found, quad) and found.polarity == quad.polarity for quad in gold)


def find_match(quad: Quad, found: Sequence[Quad]) -> Quad | None:
    """Return the prediction that is about the same thing in the same words, if there is one."""
    return next((each for each in found if is_match(each, quad)), None)


def is_match(found: Quad, gold: Quad) -> bool:
    """Return whether the terms of two quads overlap; one predicted without opinion words has its aspect."""
    if (found.aspect is None) != (gold.aspect is None):
        return False
    same_aspect = gold.aspect is None or _overlap(found.aspect, gold.aspect)
    same_opinion = _overlap(found.opinion, gold.opinion) or (
        found.opinion is None and gold.aspect is not None
    )
    return same_aspect and same_opinion


def _overlap(one: Term | None, other: Term | None) -> bool:
    if one is None or other is None or one.span is None or other.span is None:
        return False
    return one.span.start < other.span.end and other.span.start < one.span.end


def _recall(pairs: Sequence[tuple[Quad, tuple[Quad, ...]]]) -> str:
    return _share(sum(any(is_right(each, [quad]) for each in found) for quad, found in pairs), len(pairs))


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:5.1f} %  ({count} of {total})" if total else "–"


def _show(gold: Sequence[Example], answers: Sequence[tuple[Quad, ...]]) -> None:
    for example, found in zip(gold, answers, strict=True):
        print(f"\n{example.id}: {example.text}")
        for quad in found:
            print(f"  {'+' if is_right(quad, example.quads) else '-'} {_format(quad)}")
        for quad in example.quads:
            if not any(is_right(each, [quad]) for each in found):
                print(f"  missed: {_format(quad)}")


def _format(quad: Quad) -> str:
    aspect, opinion = (term.text if term else "(not named)" for term in (quad.aspect, quad.opinion))
    surety = max((quad.confidence or {"": 0.0}).values())
    return f"{aspect} | {opinion} | {quad.polarity}" + (f" {surety:.2f}" if surety else "")


if __name__ == "__main__":
    main()
