"""Task: the parts of a quad that are given and judged; TASKS names those of the literature."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from aspectlab.data import Corpus, Example, Part, Quad
from aspectlab.errors import TaskError
from aspectlab.registry import Registry


class Terms(StrEnum):
    """Which terms of a quad must be there, of those that a task is about; the others may be implicit."""

    SOME = "some"
    EACH = "each"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Task:
    """What a prediction is judged by.

    `given` parts are known to the model and only say which quad is meant. `verbatim` leaves out quads whose
    terms do not occur in the text: no extractor can find them. `terms` leaves out quads with too few explicit
    terms; in a task of categories, a quad needs none. `uncategorised` keeps quads that have no category, of
    corpora that annotate none.
    """

    name: str
    title: str
    judges: frozenset[Part]
    given: frozenset[Part] = frozenset()
    verbatim: bool = False
    terms: Terms = Terms.SOME
    uncategorised: bool = False

    @property
    def parts(self) -> frozenset[Part]:
        """The parts that a projected quad keeps: given or judged."""
        return self.judges | self.given

    @property
    def for_predictions(self) -> Task:
        """The task by which predictions are selected.

        What a model predicts without a span is judged too: to leave it out would hide a mistake.
        """
        return replace(self, verbatim=False)

    def project(self, example: Example) -> Example:
        """Keep only what this task is about, in order and each quad once.

        >>> from aspectlab.data import Polarity, Span, Term
        >>> tea = Quad(Term("tea", Span(5, 8)), "drinks", Term("Good", Span(0, 4)), Polarity.POSITIVE)
        >>> TASKS["acd"].project(Example("1", "Good tea", (tea,))).quads[0].category
        'drinks'
        """
        return replace(example, quads=self.select(example.quads))

    def select(self, quads: Iterable[Quad]) -> tuple[Quad, ...]:
        """Keep the quads that this task is about, reduced to its parts, in order and each once.

        >>> from aspectlab.data import Polarity, Term
        >>> sides = Quad(aspect=Term("tea")), Quad(category="drinks", polarity=Polarity.NEUTRAL)
        >>> [quad.category for quad in TASKS["acp"].select(sides)]
        ['drinks']
        """
        reduced = (self._reduce(quad) for quad in quads)
        return tuple(dict.fromkeys(quad for quad in reduced if self._concerns(quad)))

    def check(self, corpus: Corpus) -> None:
        """Refuse a corpus that does not annotate what this task needs, before any work is done.

        >>> TASKS["aste"].check(Corpus("mine", "en", frozenset({Part.ASPECT}), ()))
        Traceback (most recent call last):
        aspectlab.errors.TaskError: corpus 'mine' annotates aspect: task 'aste' needs aspect, opinion, \
polarity; with this corpus you can do: ate
        """
        if self.parts <= corpus.annotates:
            return
        possible = [name for name, task in TASKS.items() if task.parts <= corpus.annotates]
        raise TaskError(
            f"corpus {corpus.name!r} annotates {_list(corpus.annotates)}: "
            f"task {self.name!r} needs {_list(self.parts)}; "
            f"with this corpus you can do: {', '.join(possible) or 'no task'}"
        )

    def _reduce(self, quad: Quad) -> Quad:
        return Quad(
            aspect=quad.aspect if Part.ASPECT in self.parts else None,
            category=quad.category if Part.CATEGORY in self.parts else None,
            opinion=quad.opinion if Part.OPINION in self.parts else None,
            polarity=quad.polarity if Part.POLARITY in self.parts else None,
            confidence=quad.confidence,
        )

    def _concerns(self, quad: Quad) -> bool:
        """Return whether a reduced quad still says something.

        In most tasks an implicit term is a statement only beside a term that is there or a category:
        SemEval-14 has term quads and category quads side by side, and MuSe-CarASTE marks empty segments by a
        bare category.
        """
        if Part.POLARITY in self.parts and quad.polarity is None:
            return False
        if self.verbatim and any(term.span is None for term in quad.terms):
            return False
        if Part.CATEGORY in self.parts and not self.uncategorised:
            return quad.category is not None
        match self.terms:
            case Terms.SOME:
                return bool(quad.terms)
            case Terms.EACH:
                return len(quad.terms) == len(self.parts & {Part.ASPECT, Part.OPINION})
            case Terms.ANY:
                return True


def _list(parts: frozenset[Part]) -> str:
    return ", ".join(sorted(parts)) or "nothing"


TASKS: Registry[Task] = Registry(
    "task",
    {
        "ate": "aspectlab.tasks.task:ATE",
        "ote": "aspectlab.tasks.task:OTE",
        "atsc": "aspectlab.tasks.task:ATSC",
        "e2e": "aspectlab.tasks.task:E2E",
        "pairs": "aspectlab.tasks.task:PAIRS",
        "aope": "aspectlab.tasks.task:AOPE",
        "aste": "aspectlab.tasks.task:ASTE",
        "aste-explicit": "aspectlab.tasks.task:ASTE_EXPLICIT",
        "aste-all": "aspectlab.tasks.task:ASTE_ALL",
        "acd": "aspectlab.tasks.task:ACD",
        "acp": "aspectlab.tasks.task:ACP",
        "acsc": "aspectlab.tasks.task:ACSC",
        "tasd": "aspectlab.tasks.task:TASD",
        "towe": "aspectlab.tasks.task:TOWE",
        "asqp": "aspectlab.tasks.task:ASQP",
        "quads": "aspectlab.tasks.task:QUADS",
    },
)


_ASPECT, _CATEGORY = frozenset({Part.ASPECT}), frozenset({Part.CATEGORY})
_OPINION, _POLARITY = frozenset({Part.OPINION}), frozenset({Part.POLARITY})

ATE = Task("ate", "aspect term extraction", _ASPECT)
OTE = Task("ote", "opinion term extraction", _OPINION)
ATSC = Task("atsc", "aspect term sentiment classification", _POLARITY, given=_ASPECT)
E2E = Task("e2e", "aspect terms in the text with their polarity", _ASPECT | _POLARITY, verbatim=True)
# the MuSe-CarASTE paper's aspect-sentiment pairs: annotators also named aspects that do not occur in the text
PAIRS = Task("pairs", "aspects with their polarity, named or verbatim", _ASPECT | _POLARITY)
AOPE = Task("aope", "pairs of aspect and opinion", _ASPECT | _OPINION)
ASTE = Task("aste", "triplets of aspect, opinion and polarity", _ASPECT | _OPINION | _POLARITY)
ASTE_EXPLICIT = replace(
    ASTE, name="aste-explicit", title="triplets whose aspect and opinion are both explicit", terms=Terms.EACH
)
ASTE_ALL = replace(
    ASTE,
    name="aste-all",
    title="triplets, also those whose aspect and opinion are both implicit",
    terms=Terms.ANY,
)
ACD = Task("acd", "aspect category detection", _CATEGORY)
ACP = Task("acp", "aspect categories with their polarity", _CATEGORY | _POLARITY)
ACSC = Task("acsc", "aspect category sentiment classification", _POLARITY, given=_CATEGORY)
TASD = Task(
    "tasd", "aspects with their category and polarity, also implicit ones", _ASPECT | _CATEGORY | _POLARITY
)
TOWE = Task("towe", "opinion words of a given aspect", _OPINION, given=_ASPECT, terms=Terms.EACH)
ASQP = Task("asqp", "quads of aspect, category, opinion and polarity", frozenset(Part))
QUADS = replace(
    ASQP,
    name="quads",
    title="quads of corpora of several annotation styles, some without categories",
    terms=Terms.ANY,
    uncategorised=True,
)
