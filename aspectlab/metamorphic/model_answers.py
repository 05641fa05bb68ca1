"""A model's answers: asked for within a time limit or read from a file, and what is wrong with them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from threading import TIMEOUT_MAX, Thread
from types import TracebackType

from aspectlab.data import Corpus, Example, Quad, Span, Term, example_from_dict, quad_from_dict
from aspectlab.errors import ConfigError, DataError, EndpointError, MissingPartError
from aspectlab.metamorphic.context import MASK
from aspectlab.readers import Source, parse_json

Predict = Callable[[Sequence[Example]], Sequence[Sequence[Quad]]]
"""`predict(examples)`: the quads of each example; a model may look at the aspects that they hold."""

_AT_ONCE = 256
"""So many texts must be answered within the time limit for one call; more get more time."""


class AnswerFault(StrEnum):
    """What an answer may suffer from."""

    OUTSIDE = "span outside the text"  # or with another text there; the quad is left out
    REPEATED = "repeated triplet"  # it counts once
    OVERLAP = "overlapping terms"  # two that are not the same share characters
    RAISED = "no answer: an error"
    HUNG = "no answer in time"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The usable quads of an answer, its faults, and what an error said."""

    quads: tuple[Quad, ...] = ()
    faults: frozenset[AnswerFault] = frozenset()
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
                f"{self.texts - 1}; give the model more time (--timeout), or correct it"
            )


def ask(
    predict: Predict, examples: Sequence[Example], timeout_s: float, patience: Patience | None = None
) -> list[ModelAnswer]:
    """Ask for all examples at once; if that fails for some, find out which.

    >>> ask(lambda examples: [()], [Example("1", "Nice.")], 1.0)
    [ModelAnswer(quads=(), faults=frozenset(), message='')]
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
        size = 1 if fault is AnswerFault.HUNG and attempt.error is None else (len(examples) + 1) // 2
        parts = (examples[start : start + size] for start in range(0, len(examples), size))
        return [answer for part in parts for answer in ask(predict, part, timeout_s, patience)]
    if fault is AnswerFault.HUNG:
        patience.lose(examples[0], attempt.message)
    return [ModelAnswer(faults=frozenset({fault}), message=attempt.message)]


def check_answer(example: Example, quads: Sequence[Quad]) -> ModelAnswer:
    """Keep what can be judged of an answer, and name what is wrong with it.

    >>> check_answer(Example("1", "Tea"), [Quad(Term("Cup"))] * 2).faults
    frozenset({<AnswerFault.REPEATED: 'repeated triplet'>})
    """
    within = [quad for quad in quads if all(_stands(term, example.text) for term in quad.terms)]
    unique = tuple(dict.fromkeys(within))
    found = {
        AnswerFault.OUTSIDE: len(within) < len(quads),
        AnswerFault.REPEATED: len(unique) < len(within),
        AnswerFault.OVERLAP: _overlap(unique),
    }
    return ModelAnswer(unique, frozenset(fault for fault, is_there in found.items() if is_there))


def _stands(term: Term, text: str) -> bool:
    if term.span is None:
        return True
    start, end = term.span
    return 0 <= start < end <= len(text) and text[start:end] == term.text


def _overlap(quads: Sequence[Quad]) -> bool:
    """Return whether an aspect meets its opinion, or one of its kind that is not the same."""
    own = [[term.span for term in quad.terms if term.span] for quad in quads]
    aspects = {quad.aspect.span for quad in quads if quad.aspect and quad.aspect.span}
    opinions = {quad.opinion.span for quad in quads if quad.opinion and quad.opinion.span}
    return any(_meet(spans) for spans in (*own, aspects, opinions))


def _meet(spans: Iterable[Span]) -> bool:
    """Return whether any two spans share characters: then two neighbours do."""
    return any(later.start < earlier.end for earlier, later in pairwise(sorted(spans)))


class _Attempt:
    """One call of a model in a thread of its own; one that hangs is left behind and ends with the program.

    As a context it takes up whatever error the model raises: a foreign model may raise anything.
    """

    def __init__(self, predict: Predict, examples: Sequence[Example]) -> None:
        self.answers: list[ModelAnswer] = []
        self.message = ""
        self.error: BaseException | None = None
        self._is_done = False
        self._thread = Thread(target=self._run, args=(predict, examples), daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float) -> AnswerFault | None:
        """Wait for the answers; None if they came."""
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            self.message = f"no answer within {timeout_s:g} s"
            return AnswerFault.HUNG
        if self._is_done:
            return None
        # a service has a time limit of its own, and has been waited for as well
        return (
            AnswerFault.HUNG if isinstance(self.error, EndpointError | TimeoutError) else AnswerFault.RAISED
        )

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


def ask_once(predict: Predict) -> Predict:
    """Ask a model, which must not look at ids, once for all examples of a call that are the same to it.

    >>> echo = ask_once(lambda examples: [[Quad(category=str(len(examples)))] for _ in examples])
    >>> [quads[0].category for quads in echo([Example("1", "Fine"), Example("2", "Fine")])]
    ['1', '1']
    """

    def ask(examples: Sequence[Example]) -> list[Sequence[Quad]]:
        different = {(example.text, example.quads): example for example in examples}
        answers = dict(zip(different, predict(list(different.values())), strict=True))
        return [answers[example.text, example.quads] for example in examples]

    return ask


def mask_by(predict: Predict, unknown: str) -> Predict:
    """Wrap a model so that it sees another mask of the same length; its answers get [UNK] back.

    >>> echo = mask_by(lambda examples: [[Quad(Term(examples[0].text))]], "<unk>")
    >>> echo([Example("1", "[UNK]")])[0][0].aspect
    Term(text='[UNK]', span=None)
    """
    assert len(unknown) == len(MASK), f"{unknown!r} would move the words after it"
    if unknown == MASK:
        return predict

    def ask(examples: Sequence[Example]) -> list[list[Quad]]:
        masked = [put_mask(example, unknown) for example in examples]
        return [[_swap(quad, unknown, MASK) for quad in quads] for quads in predict(masked)]

    return ask


def put_mask(example: Example, unknown: str) -> Example:
    """Replace [UNK] in an example by another mask of the same length.

    >>> put_mask(Example("1", "The [UNK] is nice"), "<unk>").text
    'The <unk> is nice'
    """
    quads = tuple(_swap(quad, MASK, unknown) for quad in example.quads)
    return replace(example, text=example.text.replace(MASK, unknown), quads=quads)


def _swap(quad: Quad, old: str, new: str) -> Quad:
    return replace(quad, aspect=_swap_term(quad.aspect, old, new), opinion=_swap_term(quad.opinion, old, new))


def _swap_term(term: Term | None, old: str, new: str) -> Term | None:
    return term if term is None else replace(term, text=term.text.replace(old, new))


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
