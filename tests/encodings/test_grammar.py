"""Templates: what is written and read, and which rows of numbers the table of states lets through."""

import random

import numpy as np
import pytest

from aspectlab.data import Polarity
from aspectlab.encodings.grammar import (
    END,
    NOTHING,
    START,
    Copy,
    Grammar,
    Slot,
    Template,
    WrittenTriplet,
    build_grammar,
    symbol_of,
)
from aspectlab.encodings.text2text import EXTRACTION
from aspectlab.models.slgm import TEMPLATES, build_bidirectional_grammar

POSITIVE = Polarity.POSITIVE
FIRST = len(EXTRACTION.symbols)
OPENING, CLOSING, COMMA, JOINT = (EXTRACTION.number(word) for word in "(),;")
SOUP = WrittenTriplet((FIRST + 4,), (FIRST, FIRST + 1), POSITIVE)
WINE = WrittenTriplet((FIRST + 7, FIRST + 8), (FIRST + 9,), Polarity.NEGATIVE)


def test_template_writes_triplets_in_order() -> None:
    # (soup, very good, positive); (red wine, bad, negative) and the end
    assert EXTRACTION.write([SOUP, WINE]) == [
        *[OPENING, FIRST + 4, COMMA, FIRST, FIRST + 1, COMMA, symbol_of(POSITIVE), CLOSING, JOINT],
        *[OPENING, FIRST + 7, FIRST + 8, COMMA, FIRST + 9, COMMA, symbol_of(Polarity.NEGATIVE), CLOSING],
        END,
    ]


@pytest.mark.parametrize("template", [EXTRACTION, *TEMPLATES])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_template_reads_what_it_writes(template: Template, count: int) -> None:
    shift = len(template.symbols) - FIRST
    triplets = [
        WrittenTriplet(tuple(n + shift for n in t.aspect), tuple(n + shift for n in t.opinion), t.polarity)
        for t in (SOUP, WINE)[:count]
    ]
    written = template.write(triplets)
    assert template.read([*written, NOTHING, NOTHING]) == triplets


def test_template_leaves_out_triplets_that_find_no_room() -> None:
    size = len(EXTRACTION.write([SOUP, WINE]))
    assert EXTRACTION.read(EXTRACTION.write([SOUP, WINE], size)) == [SOUP, WINE]
    assert EXTRACTION.read(EXTRACTION.write([SOUP, WINE], size - 1)) == [SOUP]


@pytest.mark.parametrize("missing", range(7))
def test_template_passes_over_a_triplet_that_lacks_something(missing: int) -> None:
    short = WrittenTriplet((FIRST + 4,), (FIRST,), POSITIVE)
    torn = EXTRACTION.write([short])[:-1]
    del torn[missing]
    assert EXTRACTION.read([*torn, JOINT, *EXTRACTION.write([WINE])]) == [WINE]


def test_template_reads_up_to_where_it_was_cut_off() -> None:
    assert EXTRACTION.read(EXTRACTION.write([SOUP, WINE])[:-3]) == [SOUP]


def test_both_orders_of_a_twin_have_the_same_symbols() -> None:
    assert TEMPLATES[0].symbols == TEMPLATES[1].symbols


@pytest.mark.parametrize("template", [EXTRACTION, *TEMPLATES])
@pytest.mark.parametrize("seed", range(10))
def test_grammar_lets_only_the_template_through(template: Template, seed: int) -> None:
    written = walk(build_grammar(template), random.Random(seed))
    assert template.write(template.read(written)) == written


def test_twin_grammar_begins_with_the_word_of_its_copy() -> None:
    grammar = build_bidirectional_grammar()
    half = len(grammar.follows) // 2
    allowed = [set(np.flatnonzero(grammar.follows[state] >= 0).tolist()) for state in (0, half)]
    assert allowed == [{END, TEMPLATES[0].number("aspect")}, {END, TEMPLATES[0].number("opinion")}]


@pytest.mark.parametrize("template", [EXTRACTION, *TEMPLATES])
def test_grammar_never_writes_start(template: Template) -> None:
    assert (build_grammar(template).follows[:, START] == -1).all()


def test_term_at_the_end_of_a_template_is_refused() -> None:
    with pytest.raises(IndexError):
        build_grammar(Template(("(", Slot.ASPECT), ";"))


def walk(grammar: Grammar, rng: random.Random) -> list[int]:
    """Write at random what the table allows, until the end."""
    state, written = 0, [START]
    while written[-1] != END:
        allowed = np.flatnonzero(grammar.follows[state] >= 0).tolist()
        way = grammar.copies[state]
        if way == Copy.WORD or (way == Copy.NEXT and rng.random() < 0.3):
            written.append(len(grammar.symbols) + rng.randrange(20))
            state = grammar.copied[state]
        else:
            written.append(rng.choice(allowed))
            state = grammar.follows[state, written[-1]]
    return written[1:]
