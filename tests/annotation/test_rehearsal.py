"""The rehearsed loop: its noise is what it says, and it ends."""

from random import Random

import pytest

from aspectlab.annotation import AgreementPlan, Wording
from aspectlab.annotation.rehearsal import RehearsalConfig, Round, disturb, rehearse, split_term
from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import ConfigError, TaskError
from tests.support.panels import ANNA, BY_HAND

PARTS = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
POOL = {Polarity.POSITIVE: ["soft", "very soft"], Polarity.NEGATIVE: ["loud"]}
FAST = AgreementPlan((0.6,), permutations=0, resamples=0)


def corpus_of(*quads: Quad, segments: int = 1) -> Corpus:
    return Corpus("made", "en", PARTS, tuple(Example(str(n), "", quads) for n in range(segments)))


def run(corpus: Corpus, course: RehearsalConfig) -> list[Round]:
    return list(rehearse(corpus, course, BY_HAND, Wording(lemmas=False), FAST))


SEATS = corpus_of(
    Quad(Term("seat"), None, Term("soft"), Polarity.POSITIVE),
    Quad(Term("engine"), None, Term("loud"), Polarity.NEGATIVE),
    segments=40,
)


def test_no_noise_changes_nothing() -> None:
    second, slips = disturb(SEATS, 0.0, POOL, Random(1))
    assert second == SEATS
    assert slips == {"synonym": 0, "drop": 0, "split": 0}


def test_full_noise_changes_every_triple() -> None:
    _, slips = disturb(SEATS, 1.0, POOL, Random(1))
    assert sum(slips.values()) == 80
    # a soft seat may get another word, a loud engine has none to be said with, and nothing can be split
    assert slips["split"] == 0
    assert slips["synonym"] > 0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_loop_does_not_end_on_segments_without_any_opinion(seed: int) -> None:
    # the one segment of the first round is empty with some of these seeds; all that is there gets lost
    quads = (Quad(Term("engine"), None, Term("loud"), Polarity.NEGATIVE),)
    corpus = Corpus("made", "en", PARTS, (Example("1", ""), Example("2", "", quads)))
    rounds = run(corpus, RehearsalConfig(size=1, step=1, noise=1, learning=0, rounds=2, seed=seed))
    assert [turn.is_accepted for turn in rounds] == [False, False]


def test_noise_keeps_rows_without_terms() -> None:
    empty = corpus_of(Quad(category="cost"))
    assert disturb(empty, 1.0, POOL, Random(1))[0] == empty


@pytest.mark.parametrize(
    ("term", "pieces"),
    [
        (Term("soft"), ()),
        (Term("very  soft"), (Term("very"), Term("soft"))),
        (Term("a very soft"), (Term("a very"), Term("soft"))),
        (Term("so so", Span(3, 8)), (Term("so", Span(3, 5)), Term("so", Span(6, 8)))),
    ],
)
def test_term_splits_before_its_last_word(term: Term, pieces: tuple[Term, ...]) -> None:
    assert split_term(term) == pieces


def test_split_terms_stand_in_their_text() -> None:
    text = "A rear bench."
    quad = Quad(Term("rear bench", Span(2, 12)), None, None, Polarity.NEUTRAL)
    corpus = Corpus("made", "en", PARTS, tuple(Example(str(n), text, (quad,)) for n in range(9)))
    # an Example refuses terms that do not stand at their place
    second, slips = disturb(corpus, 1.0, {}, Random(1))
    assert slips["split"] > 0
    assert sum(len(example.quads) for example in second) == 2 * slips["split"]


def test_loop_ends_when_agreement_is_above_the_threshold() -> None:
    *before, last = run(SEATS, RehearsalConfig(size=10, step=5, noise=1.0, learning=0.4))
    assert before
    assert all(turn.tpa <= 0.7 and not turn.is_accepted for turn in before)
    assert last.is_accepted
    assert last.tpa > 0.7
    assert [len(turn.first) for turn in [*before, last]] == [10 + 5 * n for n in range(len(before) + 1)]


@pytest.mark.parametrize("accept", [0.7, 1.0])
def test_loop_ends_even_if_nothing_is_learnt(accept: float) -> None:
    turns = run(SEATS, RehearsalConfig(size=10, noise=1.0, learning=0.0, accept=accept, rounds=4))
    assert [turn.is_accepted for turn in turns] == [False] * 4


def test_loop_is_accepted_at_once_without_noise() -> None:
    (turn,) = run(SEATS, RehearsalConfig(noise=0.0))
    assert turn.tpa == 1
    assert len(turn.first) == 40  # the corpus has no hundred


def test_loop_is_the_same_for_the_same_seed() -> None:
    course = RehearsalConfig(size=10, noise=0.8)
    assert [turn.second for turn in run(SEATS, course)] == [turn.second for turn in run(SEATS, course)]


@pytest.mark.parametrize("name", ["noise", "learning", "accept"])
def test_course_refuses_a_share_above_one(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} = 1.5"):
        RehearsalConfig(**{name: 1.5})


def test_loop_refuses_a_corpus_without_terms() -> None:
    with pytest.raises(TaskError, match="expected terms"):
        run(corpus_of(), RehearsalConfig())


def test_loop_takes_a_corpus_with_offsets() -> None:
    corpus = Corpus("anna", "en", PARTS, ANNA.examples)
    assert run(corpus, RehearsalConfig(noise=0.5, rounds=9))[-1].is_accepted
