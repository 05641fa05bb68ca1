"""Answers: what a model gives for a text, and what was wrong with that; no model can stop a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from threading import TIMEOUT_MAX, Thread
from types import TracebackType

from aspectlab.data import Example, Quad, Span, Term
from aspectlab.errors import ConfigError, EndpointError, MissingPartError

Predict = Callable[[Sequence[Example]], Sequence[Sequence[Quad]]]
"""`predict(examples)`: the quads of each example; a model may look at the aspects that they hold."""

_AT_ONCE = 256
"""So many texts must be answered within the time limit for one call; more get more time."""


class Fault(StrEnum):
    """What an answer may suffer from."""

    OUTSIDE = "span outside the text"  # or with another text there; the quad is left out
    REPEATED = "repeated triplet"  # it counts once
    OVERLAP = "overlapping terms"  # two that are not the same share characters
    RAISED = "no answer: an error"
    HUNG = "no answer in time"


@dataclass(frozen=True, slots=True)
class Answer:
    """The usable quads of an answer, its faults, and what an error said."""

    quads: tuple[Quad, ...] = ()
    faults: frozenset[Fault] = frozenset()
    message: str = ""


class Patience:
    """How often a model may let a test wait in vain: each time takes the whole limit."""

    def __init__(self, texts: int = 10) -> None:
        self.texts = texts
        self._lost = 0

    def lose(self, example: Example, message: str) -> None:
        """Count a text without an answer in time; too many of them end the test."""
        self._lost += 1
        if self._lost >= self.texts:
            raise ConfigError(
                f"example {example.id!r}: {message}: found {self._lost} such texts: expected at most "
                f"{self.texts - 1}; give the model more time (--timeout), or mend it"
            )


def ask(
    predict: Predict, examples: Sequence[Example], timeout_s: float, patience: Patience | None = None
) -> list[Answer]:
    """Ask for all examples at once; if that fails for some, find out which.

    >>> ask(lambda examples: [()], [Example("1", "Nice.")], 1.0)
    [Answer(quads=(), faults=frozenset(), message='')]
    """
    if not examples:
        return []
    patience = patience or Patience()
    attempt = _Attempt(predict, examples)
    # many texts may take longer than one; then a slow model is not taken for one that hangs
    fault = attempt.wait(min(timeout_s * max(1.0, len(examples) / _AT_ONCE), TIMEOUT_MAX))
    if fault is None:
        return attempt.answers
    if isinstance(attempt.error, ConfigError | MissingPartError):
        raise attempt.error  # it is not about a text: all would get the same
    if len(examples) > 1:
        # every hanging call is waited for in full, so there must be few; failing ones are cheap
        size = 1 if fault is Fault.HUNG and attempt.error is None else (len(examples) + 1) // 2
        parts = (examples[start : start + size] for start in range(0, len(examples), size))
        return [answer for part in parts for answer in ask(predict, part, timeout_s, patience)]
    if fault is Fault.HUNG:
        patience.lose(examples[0], attempt.message)
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
        Fault.OVERLAP: _overlap(unique),
    }
    return Answer(unique, frozenset(fault for fault, is_there in found.items() if is_there))


def _stands(term: Term, text: str) -> bool:
    if term.span is None:
        return True
    start, end = term.span
    return 0 <= start < end <= len(text) and text[start:end] == term.text


def _overlap(quads: Sequence[Quad]) -> bool:
    """Tell whether an aspect meets its opinion, or one of its kind that is not the same."""
    own = [[term.span for term in quad.terms if term.span] for quad in quads]
    aspects = {quad.aspect.span for quad in quads if quad.aspect and quad.aspect.span}
    opinions = {quad.opinion.span for quad in quads if quad.opinion and quad.opinion.span}
    return any(_meet(spans) for spans in (*own, aspects, opinions))


def _meet(spans: Iterable[Span]) -> bool:
    """Tell whether any two spans share characters: then two neighbours do."""
    return any(later.start < earlier.end for earlier, later in pairwise(sorted(spans)))


class _Attempt:
    """One call of a model in a thread of its own; one that hangs is left behind and ends with the program.

    As a context it takes up whatever error the model raises: a foreign model may raise anything.
    """

    def __init__(self, predict: Predict, examples: Sequence[Example]) -> None:
        self.answers: list[Answer] = []
        self.message = ""
        self.error: BaseException | None = None
        self._is_done = False
        self._thread = Thread(target=self._run, args=(predict, examples), daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float) -> Fault | None:
        """Wait for the answers; None if they came."""
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            self.message = f"no answer within {timeout_s:g} s"
            return Fault.HUNG
        if self._is_done:
            return None
        # a service has a time limit of its own, and has been waited for as well
        return Fault.HUNG if isinstance(self.error, EndpointError | TimeoutError) else Fault.RAISED

    def _run(self, predict: Predict, examples: Sequence[Example]) -> None:
        with self:
            found = [tuple(quads) for quads in predict(examples)]
            if len(found) != len(examples):
                raise ValueError(f"found {len(found)} answers: expected {len(examples)}")
            # what a model gives may be anything: to look at it may fail like the model itself
            self.answers = [check_answer(*pair) for pair in zip(examples, found, strict=True)]
            self._is_done = True

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error
        self.message = f"{kind.__name__}: {error}" if kind else ""
        return True
