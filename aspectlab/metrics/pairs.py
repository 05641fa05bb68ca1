"""Pairing of gold and predicted examples by id, by text or by order; or what keeps them from it."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from aspectlab.data import Corpus, Example, Part, Quad, Span, Term
from aspectlab.errors import DataError

ExamplePair = tuple[Example, Example]

_SHOWN = 3
"""How many ids an error names."""

_ALIKE = 0.5
"""Texts at the same position must share so much of their words to be taken for one sentence."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The examples of a corpus, in order, each with its prediction; and what they were paired by.

    `notice` says what a reader of the scores should know; it is empty where ids or whole texts agree.
    """

    pairs: tuple[ExamplePair, ...]
    by: Literal["id", "text", "order"]
    notice: str = ""


def pair_examples(gold: Corpus, predicted: Corpus) -> list[ExamplePair]:
    """Pair the examples of two corpora, in gold order, or say which do not fit.

    >>> one, two = (Corpus(name, "en", frozenset(), (Example(name, "Nice."),)) for name in "ab")
    >>> pair_examples(one, two)
    Traceback (most recent call last):
    aspectlab.errors.DataError: predictions 'b' for corpus 'a': found 1 example(s) missing ('a'): expected \
every example of the corpus; write those without opinions too, with an empty list of quads; leave the ids \
out to pair by text
    """
    return [*find_pairs(gold, predicted).pairs]


def find_pairs(gold: Corpus, predicted: Corpus, given: Collection[Part] = ()) -> Pairing:
    """Pair by id where both files have ids of their own, else by text, else by order.

    Running numbers are no ids of their own: readers number what has none. Where a text recurs, examples with
    the same `given` parts belong together, and the others in their order.

    >>> texts = "Fine tea.", "Cold soup."
    >>> gold, turned = (
    ...     Corpus(examples=[Example(str(n), text) for n, text in enumerate(order, 1)])
    ...     for order in (texts, texts[::-1])
    ... )
    >>> found = find_pairs(gold, turned)
    >>> found.by, [other.id for _, other in found.pairs]
    ('text', ['2', '1'])
    """
    where = f"predictions {predicted.name!r} for corpus {gold.name!r}"
    if not len(gold):
        raise DataError(f"{where}: found no examples in the corpus: expected at least one; check the file")
    numbered = [_is_numbered(corpus) for corpus in (gold, predicted)]
    if not any(numbered):
        return Pairing(_pair_by_id(where, gold, predicted), "id")
    if not all(numbered) and (pairs := _try_by_id(gold, predicted)):
        return Pairing(pairs, "id")
    found = _pair_by_text(gold, predicted, given, _as_it_is, "")
    found = found or _pair_by_text(gold, predicted, given, _squeeze, f"{where}: {_MOVED}")
    if found:
        return found
    if not numbered[1] and not {example.id for example in gold}.isdisjoint(one.id for one in predicted):
        return Pairing(_pair_by_id(where, gold, predicted), "id")  # or what is wrong with the ids
    return _pair_by_order(where, gold, predicted)


_MOVED = "texts differ in spaces or case: paired by all other characters, and offsets moved"


def _is_numbered(corpus: Corpus) -> bool:
    """Return whether ids say no more than the order does."""
    ids = [example.id for example in corpus]
    return any(ids == [str(number) for number in range(first, first + len(ids))] for first in (0, 1))


def _pair_by_id(where: str, gold: Corpus, predicted: Corpus) -> tuple[ExamplePair, ...]:
    wanted, found = (_by_id(corpus) for corpus in (gold, predicted))
    if missing := [name for name in wanted if name not in found]:
        raise _missing(where, missing, "; leave the ids out to pair by text")
    if surplus := [name for name in found if name not in wanted]:
        raise DataError(
            f"{where}: found {len(surplus)} example(s) too many ({_show(surplus)}): expected only ids of the "
            "corpus; check that both files are of the same split"
        )
    if different := [name for name in wanted if wanted[name].text != found[name].text]:
        raise DataError(
            f"{where}: found another text in {len(different)} example(s) ({_show(different)}): expected the "
            "texts of the corpus, character by character; predict on the same file that you score against"
        )
    return tuple((example, found[name]) for name, example in wanted.items())


def _try_by_id(gold: Corpus, predicted: Corpus) -> tuple[ExamplePair, ...]:
    """Pair by ids that agree in all texts; nothing where they do not."""
    found = {example.id: example for example in predicted}
    pairs = tuple((example, found[example.id]) for example in gold if example.id in found)
    fits = len(pairs) == len(found) == len(gold) == len(predicted)
    return pairs if fits and all(one.text == other.text for one, other in pairs) else ()


def _by_id(corpus: Corpus) -> dict[str, Example]:
    examples = {example.id: example for example in corpus}
    if len(examples) < len(corpus):
        raise DataError(
            f"corpus {corpus.name!r}: found {len(corpus)} examples with {len(examples)} different ids: "
            "expected unique ids; rename the repeated ones"
        )
    return examples


def _pair_by_text(
    gold: Corpus, predicted: Corpus, given: Collection[Part], key: Callable[[str], str], notice: str
) -> Pairing | None:
    """Pair where both have each text equally often; None where they do not."""
    wanted, found = (_group(corpus, key) for corpus in (gold, predicted))
    sizes = [{text: len(group) for text, group in side.items()} for side in (wanted, found)]
    if sizes[0] != sizes[1]:
        return None
    partner_of: dict[int, Example] = {}
    for text, positions in wanted.items():
        rest = [
            _move(predicted.examples[index], gold.examples[position].text)
            for index, position in zip(found[text], positions, strict=True)
        ]
        # where nothing is given, all of one text are alike
        pair = _pair_equal if given else _pair_in_order
        partner_of |= pair([(position, gold.examples[position]) for position in positions], rest, given)
    return Pairing(tuple((example, partner_of[n]) for n, example in enumerate(gold)), "text", notice)


def _group(corpus: Corpus, key: Callable[[str], str]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = defaultdict(list)
    for position, example in enumerate(corpus):
        groups[key(example.text)].append(position)
    return groups


def _pair_in_order(
    wanted: Iterable[tuple[int, Example]], rest: list[Example], given: Collection[Part]
) -> dict[int, Example]:
    return {position: other for (position, _), other in zip(wanted, rest, strict=True)}


def _pair_equal(
    wanted: Iterable[tuple[int, Example]], rest: list[Example], given: Collection[Part]
) -> dict[int, Example]:
    """Pair examples of one text: first those with the same given parts, then the others in their order."""
    paired: dict[int, Example] = {}
    left = []
    for position, example in wanted:
        same = next((k for k, other in enumerate(rest) if _is_about(example, other, given)), None)
        if same is None:
            left.append(position)
        else:
            paired[position] = rest.pop(same)
    return paired | dict(zip(left, rest, strict=True))


def _is_about(one: Example, other: Example, given: Collection[Part]) -> bool:
    """Return whether two examples of one text are about the same."""
    first, second = ({_name_given(quad, given) for quad in side.quads} for side in (one, other))
    return first == second


def _name_given(quad: Quad, given: Collection[Part]) -> tuple[object, ...]:
    return tuple(getattr(quad, part) for part in sorted(given))


def _as_it_is(text: str) -> str:
    return text


def _squeeze(text: str) -> str:
    """Return the characters that tokenising and lowering leave, one for one."""
    return "".join(sign.lower()[:1] for sign in text if not sign.isspace())


def _move(example: Example, text: str) -> Example:
    """Move the terms of an example to a text that has the same characters, but for whitespace and case."""
    if example.text == text:
        return example
    index_of = {position: number for number, position in enumerate(_filled(example.text))}
    places = _filled(text)

    def move(term: Term | None) -> Term | None:
        if term is None or term.span is None:
            return term
        own = [index_of[position] for position in range(*term.span) if position in index_of]
        span = Span(places[own[0]], places[own[-1]] + 1)
        return Term(text[span.start : span.end], span)

    quads = [replace(quad, aspect=move(quad.aspect), opinion=move(quad.opinion)) for quad in example.quads]
    return replace(example, text=text, quads=tuple(quads))


def _filled(text: str) -> list[int]:
    return [position for position, sign in enumerate(text) if not sign.isspace()]


def _pair_by_order(where: str, gold: Corpus, predicted: Corpus) -> Pairing:
    """Pair by position, where nothing speaks against it; terms of other texts are compared by their words."""
    if len(predicted) != len(gold):
        raise _refuse_count(where, gold, predicted)
    pairs = tuple(zip(gold, predicted, strict=True))
    differing = [one.id for one, other in pairs if one.text != other.text]
    strange = [one.id for one, other in pairs if other.text.strip() and not _are_alike(one.text, other.text)]
    if strange:
        raise DataError(
            f"{where}: found other words in the texts of {len(strange)} example(s) ({_show(strange)}), and "
            "no ids that both files share: expected the texts of the corpus; write its ids or its texts with "
            "the predictions"
        )
    notice = (
        f"{where}: {len(differing):,} of {len(gold):,} texts differ and there are no ids: paired by order, "
        "terms of these compared by their words"
    )
    return Pairing(tuple((one, _unplace(other, one.text)) for one, other in pairs), "order", notice)


def _are_alike(one: str, other: str) -> bool:
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return len(first & second) >= _ALIKE * max(1, len(first | second))


def _unplace(example: Example, text: str) -> Example:
    if example.text == text:
        return example
    return replace(example, text=text, quads=tuple(map(_unplace_quad, example.quads)))


def _unplace_quad(quad: Quad) -> Quad:
    aspect, opinion = (term and Term(term.text) for term in (quad.aspect, quad.opinion))
    return replace(quad, aspect=aspect, opinion=opinion)


def _refuse_count(where: str, gold: Corpus, predicted: Corpus) -> DataError:
    """Make the error for too few or too many texts, with those that the other file lacks."""
    wanted, found = (_group(corpus, _squeeze) for corpus in (gold, predicted))
    lacking = _lacking(wanted, found)
    if lacking:
        missing = [gold.examples[position].id for position in lacking]
        return _missing(where, missing)
    surplus = [predicted.examples[position].id for position in _lacking(found, wanted)]
    return DataError(
        f"{where}: found {len(surplus)} text(s) too many ({_show(surplus)}): expected only those of the "
        "corpus; check that both files are of the same split"
    )


def _lacking(wanted: dict[str, list[int]], found: dict[str, list[int]]) -> list[int]:
    return sorted(
        position for text, positions in wanted.items() for position in positions[len(found.get(text, ())) :]
    )


def _missing(where: str, missing: Sequence[str], more: str = "") -> DataError:
    return DataError(
        f"{where}: found {len(missing)} example(s) missing ({_show(missing)}): expected every "
        f"example of the corpus; write those without opinions too, with an empty list of quads{more}"
    )


def _show(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else "")
