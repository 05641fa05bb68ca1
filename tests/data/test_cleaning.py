"""Cleaning: verbatim comparison, first kept, nothing else changed."""

from dataclasses import replace

import pytest
from hypothesis import given

from aspectlab.data import (
    Change,
    Corpus,
    Example,
    Part,
    Polarity,
    Quad,
    Span,
    Term,
    clean,
    deduplicate,
    merge,
    remove_conflict,
)
from aspectlab.data.cleaning import is_per_aspect, remove_implicit
from tests.support.examples import CONFLICT, NEGATIVE, POSITIVE, corpora, corpus_of, find, sentence


@pytest.mark.parametrize("other", ["Good tea. ", " Good tea.", "good tea.", "Good\u00a0tea.", "Good tea"])
def test_deduplicate_compares_verbatim(other: str) -> None:
    corpus = corpus_of(Example("1", "Good tea."), Example("2", other))
    assert deduplicate(corpus) == (corpus, Change("repeated sentences dropped", 0, ()))


def test_deduplicate_keeps_the_first_of_a_text() -> None:
    first, other = sentence("1", "Good tea.", {"tea": POSITIVE}), Example("2", "Bad tea.")
    again = sentence("3", "Good tea.", {"tea": NEGATIVE})
    kept, change = deduplicate(corpus_of(first, other, again))
    assert kept.examples == (first, other)
    assert change.ids == ("3",)


def test_deduplicate_keeps_a_labelled_text_behind_an_unlabelled_one() -> None:
    bare, other = Example("1", "Good tea."), Example("2", "Bad tea.")
    labelled, again = (
        sentence(id, "Good tea.", {"tea": label})
        for id, label in zip("34", (POSITIVE, NEGATIVE), strict=True)
    )
    kept, change = deduplicate(corpus_of(bare, other, labelled, again))
    assert kept.examples == (other, labelled)
    assert change == Change("repeated sentences dropped", 2, ("1", "4"))


def test_deduplicate_keeps_the_first_of_unlabelled_texts() -> None:
    corpus = corpus_of(Example("1", "Good tea."), Example("2", "Good tea."))
    assert deduplicate(corpus)[1].ids == ("2",)


def test_deduplicate_of_whole_records_keeps_other_labels() -> None:
    tea = sentence("1", "Good tea and cake.", {"tea": POSITIVE})
    cake, again = (sentence(id, "Good tea and cake.", {"cake": POSITIVE}) for id in "23")
    kept, change = deduplicate(corpus_of(tea, cake, again), whole_records=True)
    assert kept.examples == (tea, cake)
    assert change.ids == ("3",)


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_deduplicate_does_not_take_missing_texts_for_repetitions(text: str) -> None:
    corpus = corpus_of(Example("1", text), Example("2", text))
    assert len(deduplicate(corpus)[0]) == len(merge(corpus)[0]) == 2


@given(corpora())
def test_deduplicate_twice_is_once(corpus: Corpus) -> None:
    once, change = deduplicate(corpus)
    assert deduplicate(once)[0] == once
    assert len(once) + change.count == len(corpus)


@given(corpora())
def test_merge_keeps_every_quad_and_each_text_once(corpus: Corpus) -> None:
    merged, change = merge(corpus)
    texts = [example.text for example in merged if example.text.strip()]
    assert len(texts) == len(set(texts))
    assert {(e.text, quad) for e in merged for quad in e.quads} == {
        (e.text, quad) for e in corpus for quad in e.quads
    }
    assert len(merged) + change.count == len(corpus)


def test_merge_forgets_an_origin_that_the_records_do_not_share() -> None:
    records = (Example("1", "Tea."), Example("2", "Tea.", (), source="9", variant="revtgt"))
    merged = merge(corpus_of(*records))[0].examples[0]
    assert (merged.id, merged.source, merged.variant) == ("1", None, None)


def test_remove_conflict_keeps_the_example_and_its_other_quads() -> None:
    corpus = corpus_of(
        sentence("1", "Good tea and cake.", {"tea": CONFLICT, "cake": POSITIVE}), Example("2", "Hm.")
    )
    cleaned, change = remove_conflict(corpus)
    assert [len(example.quads) for example in cleaned] == [1, 0]
    assert change == Change("conflict quads dropped", 1, ("1",))


HM = Term("Hm", Span(0, 2))
PER_ASPECT = (
    sentence("1", "Good tea and cake.", {"tea": POSITIVE}),
    sentence("2", "Good tea and cake.", {"cake": POSITIVE}),
    sentence("3", "Good tea and cake.", {"cake": POSITIVE}),
)


@pytest.mark.parametrize(
    ("format", "examples", "expected"),
    [
        ("arts", PER_ASPECT, True),
        ("jsonl", PER_ASPECT, True),
        # a third of the aspects was lost when such records had been written as SemEval XML or for a tool
        ("semeval14", PER_ASPECT, True),
        ("label-studio", PER_ASPECT, True),
        ("doccano", PER_ASPECT, True),
        # a sentence without aspects among them changes nothing
        ("jsonl", (*PER_ASPECT, Example("4", "Hm.")), True),
        ("jsonl", (*PER_ASPECT, sentence("4", "Tea or cake.", {"Tea": POSITIVE, "cake": POSITIVE})), False),
        # a contradiction is not another aspect
        ("jsonl", (PER_ASPECT[1], sentence("4", "Good tea and cake.", {"cake": NEGATIVE})), False),
        # two opinions of one aspect are one aspect
        ("jsonl", (*PER_ASPECT, Example("4", "Hm.", (Quad(HM), Quad(HM, opinion=HM)))), True),
        ("arts", PER_ASPECT[1:], False),
        ("arts", (), False),
    ],
)
def test_record_per_aspect_is_recognised(format: str, examples: tuple[Example, ...], expected: bool) -> None:
    assert is_per_aspect(corpus_of(*examples, format=format)) is expected


@pytest.mark.parametrize(("join_records", "ids"), [(False, ["1", "2"]), (True, ["1"])])
def test_clean_never_loses_an_aspect_of_a_file_with_one_record_each(
    join_records: bool, ids: list[str]
) -> None:
    cleaned, _ = clean(corpus_of(*PER_ASPECT, format="arts"), join_records=join_records)
    assert [example.id for example in cleaned] == ids
    assert sum(len(example.quads) for example in cleaned) == 2


@pytest.mark.parametrize("bare", [Example("4", "Good tea and cake."), Example("4", "Hm.")])
def test_clean_never_loses_an_aspect_because_a_sentence_has_none(bare: Example) -> None:
    # a row without an aspect made the second aspect of another sentence a repetition
    cleaned, _ = clean(corpus_of(bare, *PER_ASPECT, format="table"))
    texts = [example.text for example in cleaned if not example.quads]
    assert [example.id for example in cleaned if example.quads] == ["1", "2"]
    assert texts == ["Hm."] * (bare.text == "Hm.")


def test_clean_keeps_what_it_is_told_to_keep() -> None:
    corpus = corpus_of(*(sentence(id, "Tea, hm.", {"Tea": CONFLICT}) for id in "12"), format="semeval14")
    assert clean(corpus, keep_duplicates=True, keep_conflict=True) == (corpus, ())


@pytest.mark.parametrize(("texts", "version"), [(("Tea.", "Tea."), "cleaned"), (("Tea.", "Cake."), "")])
def test_clean_marks_the_version_only_if_something_changed(texts: tuple[str, str], version: str) -> None:
    corpus = corpus_of(*(Example(str(n), text) for n, text in enumerate(texts)))
    assert clean(corpus)[0].provenance.version == version


def test_change_reads_as_one_line_with_a_few_ids() -> None:
    change = Change("repeated sentences dropped", 6, tuple("abcdef"))
    assert str(change) == "repeated sentences dropped: 6 (a, b, c, d, e, …)"


def test_merge_keeps_the_order_of_distinct_quads() -> None:
    tea, cake = Quad(category="tea"), Quad(category="cake")
    records = [Example(str(n), "Hm.", quads) for n, quads in enumerate([(tea,), (cake, tea), (tea, tea)])]
    assert merge(corpus_of(*records))[0].examples[0].quads == (tea, cake)


TEA, NAMED = Quad(find("Good tea.", "tea"), polarity=POSITIVE), Quad(Term("price"), polarity=NEGATIVE)
DRINKS = Quad(category="drinks", polarity=POSITIVE)


@pytest.mark.parametrize(
    ("quads", "kept"),
    [
        # terms and categories apart, as in SemEval-2014: no term is missing in the category
        ((TEA, NAMED, DRINKS), (TEA, DRINKS)),
        # a category of each aspect, as in SemEval-2016: one without is implicit
        ((replace(TEA, category="drinks"), DRINKS), (replace(TEA, category="drinks"),)),
    ],
)
def test_remove_implicit_keeps_categories_that_are_labelled_apart(
    quads: tuple[Quad, ...], kept: tuple[Quad, ...]
) -> None:
    parts = frozenset({Part.ASPECT, Part.CATEGORY, Part.POLARITY})
    corpus = corpus_of(Example("1", "Good tea.", quads), annotates=parts)
    assert remove_implicit(corpus)[0].examples[0].quads == kept


@pytest.mark.parametrize("join_records", [False, True])
@pytest.mark.parametrize("gone", [{"cake": POSITIVE}, {"tea": POSITIVE}, {}])
def test_clean_ties_a_variant_to_the_sentence_that_is_kept(
    join_records: bool, gone: dict[str, Polarity]
) -> None:
    # a split could put the variant of a sentence that was dropped or joined on the other side
    text = "Good tea and cake."
    made = Example("3_adv1", "Bad tea, good cake.", (), source="3", variant="revtgt")
    first, repeated = sentence("1", text, {"tea": POSITIVE}), sentence("3", text, gone)
    cleaned, _ = clean(corpus_of(first, made, repeated), join_records=join_records)
    sources = {example.source for example in cleaned if example.variant}
    assert sources == {"3" if "3" in {example.id for example in cleaned} else "1"}


def test_merge_keeps_the_source_of_variants_of_one_sentence() -> None:
    records = [
        sentence(id, "Good tea, cake.", {word: POSITIVE}) for id, word in (("1", "tea"), ("2", "cake"))
    ]
    made = [
        replace(
            sentence(f"{id}_adv3", "Good tea, cake, bad milk.", {word: POSITIVE}),
            source=id,
            variant="adddiff",
        )
        for id, word in (("1", "tea"), ("2", "cake"))
    ]
    merged, _ = merge(corpus_of(*records, *made))
    assert [(example.id, example.source, example.variant) for example in merged] == [
        ("1", None, None),
        ("1_adv3", "1", "adddiff"),
    ]
