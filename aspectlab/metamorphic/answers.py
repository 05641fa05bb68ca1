"""Answers: what a model gives for a text, and what was wrong with that; no model can stop a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from threading import Thread
from types import TracebackType

from aspectlab.data import Example, Quad, Term
from aspectlab.metamorphic.drafts import is_apart

Predict = Callable[[Sequence[Example]], Sequence[Sequence[Quad]]]
"""`predict(examples)`: the quads of each example; a model may look at the aspects that they hold."""


class Fault(StrEnum):
    """What an answer may suffer from."""

    OUTSIDE = "span outside the text"  # or with another text there; the quad is left out
    REPEATED = "repeated triplet"  # it counts once
    OVERLAP = "overlapping terms"  # an aspect and its opinion share characters
    RAISED = "no answer: an error"
    HUNG = "no answer in time"


@dataclass(frozen=True, slots=True)
class Answer:
    """The usable quads of an answer, its faults, and what an error said."""

    quads: tuple[Quad, ...] = ()
    faults: frozenset[Fault] = frozenset()
    message: str = ""


def ask(predict: Predict, examples: Sequence[Example], timeout_s: float) -> list[Answer]:
    """Ask for all examples at once; if that fails for some, find out which.

    >>> ask(lambda examples: [()], [Example("1", "Nice.")], 1.0)
    [Answer(quads=(), faults=frozenset(), message='')]
    """
    if not examples:
        return []
    attempt = _Attempt(predict, examples)
    fault = attempt.wait(timeout_s)
    if fault is None:
        return [
            check_answer(example, quads) for example, quads in zip(examples, attempt.answers, strict=True)
        ]
    if len(examples) > 1:
        # every hanging call is waited for in full, so there must be few; failing ones are cheap
        size = 1 if fault is Fault.HUNG else (len(examples) + 1) // 2
        parts = (examples[start : start + size] for start in range(0, len(examples), size))
        return [answer for part in parts for answer in ask(predict, part, timeout_s)]
    return [Answer(faults=frozenset({fault}), message=attempt.message)]


def check_answer(example: Example, quads: Sequence[Quad]) -> Answer:
    """Keep what can be judged of an answer, and name what is wrong with it.

    >>> check_answer(Example("1", "Tea"), [Quad(Term("Cup"))] * 2).faults
    frozenset({<Fault.REPEATED: 'repeated triplet'>})
    """
    within = [quad for quad in quads if all(_stands(term, example.text) for term in quad.terms)]
    unique = tuple(dict.fromkeys(within))
    found = {
        Fault.OUTSIDE: len(within) < len(quads),
        Fault.REPEATED: len(unique) < len(within),
        Fault.OVERLAP: any(map(_overlaps, unique)),
    }
    return Answer(unique, frozenset(fault for fault, is_there in found.items() if is_there))


def _stands(term: Term, text: str) -> bool:
    if term.span is None:
        return True
    start, end = term.span
    return 0 <= start < end <= len(text) and text[start:end] == term.text


def _overlaps(quad: Quad) -> bool:
    aspect, opinion = quad.aspect, quad.opinion
    if aspect is None or opinion is None or aspect.span is None or opinion.span is None:
        return False
    return not is_apart(aspect.span, opinion.span)


class _Attempt:
    """One call of a model in a thread of its own; one that hangs is left behind and ends with the program.

    As a context it takes up whatever error the model raises: a foreign model may raise anything.
    """

    def __init__(self, predict: Predict, examples: Sequence[Example]) -> None:
        self.answers: list[Sequence[Quad]] = []
        self.message = ""
        self._is_done = False
        self._thread = Thread(target=self._run, args=(predict, examples), daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float) -> Fault | None:
        """Wait for the answers; None if they came."""
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            self.message = f"no answer within {timeout_s:g} s"
            return Fault.HUNG
        return None if self._is_done else Fault.RAISED

    def _run(self, predict: Predict, examples: Sequence[Example]) -> None:
        with self:
            answers = [tuple(quads) for quads in predict(examples)]
            if len(answers) != len(examples):
                raise ValueError(f"found {len(answers)} answers: expected {len(examples)}")
            self.answers = list(answers)
            self._is_done = True

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.message = f"{kind.__name__}: {error}" if kind else ""
        return True
