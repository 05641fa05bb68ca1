"""Statistics of hand-made corpora; every figure was counted by hand."""

import json
from dataclasses import replace

import pytest

from aspectlab.data import Corpus, Example, Intensity, Part, Polarity, Quad, Term
from aspectlab.data.statistics import check_consistency, count_challenge, count_triplets, describe
from aspectlab.data.statistics.description import _count_appended
from tests.support.examples import CONFLICT, NEGATIVE, NEUTRAL, POSITIVE, corpus_of, find, sentence

TERMS = frozenset({Part.ASPECT, Part.POLARITY})

REVIEWS = corpus_of(
    sentence("1", "Good tea, bad cake.", {"tea": POSITIVE, "cake": NEGATIVE}),
    sentence("2", "The menu is a menu.", {"menu": CONFLICT}),
    sentence("3", "Nice tea.", {"tea": POSITIVE}),
    sentence("4", "Nice tea.", {"tea": POSITIVE}),
    Example("5", "We left."),
    annotates=TERMS,
    format="semeval14",
)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (False, {"sentences_with_aspects": 2, "aspects": 3, "positive": 2}),
        (True, {"sentences_with_aspects": 3, "aspects": 4, "positive": 3}),
    ],
)
def test_statistics_count_repeated_sentences_once_unless_raw(raw: bool, expected: dict[str, int]) -> None:
    record = describe(REVIEWS, raw=raw).to_dict()
    shared = {
        "sentences": 5,
        "sentences_unique": 4,
        "multi_polarity_sentences": 1,
        "negative": 1,
        "conflict": 1,
    }
    wanted = {**shared, "neutral": 0, "triplets": 0, "quads": 5, **expected}
    assert {key: record[key] for key in wanted} == wanted


def test_statistics_record_has_the_keys_of_the_contract_first() -> None:
    contract = [
        *("file", "format", "sentences", "sentences_unique", "sentences_with_aspects"),
        *("multi_polarity_sentences", "aspects", "positive", "negative", "neutral", "conflict", "triplets"),
    ]
    record = describe(REVIEWS).to_dict()
    assert list(record)[: len(contract)] == contract
    assert json.loads(json.dumps(record))["annotates"] == ["aspect", "polarity"]


def test_statistics_describe_the_words_of_different_sentences() -> None:
    found = describe(REVIEWS)
    # 4 + 5 + 2 + 2 words; "menu", "menu.", "tea," and "tea." are different words
    assert found.words_per_sentence == 13 / 4
    assert found.vocabulary == 4 + 5 + 2 + 2
    assert found.aspects_per_sentence == 3 / 2
    assert found.lengths is not None
    assert (found.lengths.min, found.lengths.median, found.lengths.max) == (2, 3, 5)


def test_statistics_merge_the_records_of_a_sentence() -> None:
    text = "Good tea, bad cake."
    records = [sentence("1", text, {"tea": POSITIVE}), sentence("2", text, {"cake": NEGATIVE})]
    counts = describe(corpus_of(*records, annotates=TERMS, format="arts")).counts
    assert (counts.sentences, counts.aspects, counts.multi_polarity_sentences, counts.quads) == (1, 2, 1, 2)
    assert describe(corpus_of(*records, format="arts"), raw=True).counts.sentences == 2


def test_statistics_count_one_term_with_two_labels_as_two_aspects() -> None:
    tea = find("Tea.", "Tea")
    quads = (
        Quad(tea, "food", polarity=POSITIVE),
        Quad(tea, "price", polarity=POSITIVE),
        Quad(tea, "x", polarity=NEUTRAL),
    )
    counts = describe(corpus_of(Example("1", "Tea.", quads))).counts
    assert (counts.aspects, counts.quads, counts.categories) == (2, 3, 3)


def test_statistics_count_categories_where_no_terms_are_annotated() -> None:
    quads = (Quad(category="food", polarity=POSITIVE), Quad(category="staff", polarity=NEGATIVE))
    annotates = frozenset({Part.CATEGORY, Part.POLARITY})
    counts = describe(corpus_of(Example("1", "Tea.", quads), annotates=annotates)).counts
    assert (counts.aspects, counts.multi_polarity_sentences, counts.implicit_aspects) == (2, 1, 0)


def test_statistics_do_not_take_a_separate_category_for_an_implicit_aspect() -> None:
    tea = find("Tea.", "Tea")
    apart = (Quad(tea, polarity=POSITIVE), Quad(category="food", polarity=POSITIVE))
    joined = (Quad(tea, "food", polarity=POSITIVE), Quad(category="food", polarity=POSITIVE))
    found = [
        describe(corpus_of(Example("1", "Tea.", quads))).counts.implicit_aspects for quads in (apart, joined)
    ]
    assert found == [0, 1]


def test_statistics_count_unlabelled_quads_where_no_polarity_is_annotated() -> None:
    annotates = frozenset({Part.ASPECT, Part.CATEGORY})
    quads = (Quad(find("Tea.", "Tea"), "food"), Quad(category="staff"))
    counts = describe(corpus_of(Example("1", "Tea.", quads), annotates=annotates)).counts
    assert (counts.quads, counts.aspects, counts.implicit_aspects) == (2, 1, 1)


@pytest.mark.parametrize(
    "corpus", [corpus_of(), corpus_of(Example("1", "")), corpus_of(Example("1", "Tea."))]
)
def test_statistics_of_almost_nothing_are_defined(corpus: Corpus) -> None:
    assert describe(corpus).counts.aspects == 0


def test_statistics_pool_several_corpora() -> None:
    found = describe(REVIEWS, corpus_of(sentence("1", "Nice tea.", {"tea": POSITIVE}), format="jsonl"))
    assert (found.file, found.format, found.name) == ("total", "several", "total")
    assert (found.counts.sentences, found.counts.sentences_unique, found.counts.aspects) == (6, 4, 3)


def test_challenge_counts_each_aspect_of_a_sentence() -> None:
    found = count_challenge(
        corpus_of(
            sentence("1", "Good tea, bad cake, milk.", {"tea": POSITIVE, "cake": NEGATIVE, "milk": POSITIVE}),
            sentence("2", "Nice tea.", {"tea": POSITIVE}),
            annotates=TERMS,
        )
    )
    assert found is not None
    assert (found.samples, found.positive_to_negative) == (4, 3.0)
    # samples with another label beside them: tea 1 of 2, cake 2 of 2, milk 1 of 2, and the single tea none
    assert found.aspects_per_sample == (3 + 3 + 3 + 1) / 4
    assert found.opposite_nontarget_any == 3 / 4
    assert found.opposite_nontarget_all == 1 / 4
    assert found.opposite_nontarget_per_sample == (1 + 2 + 1) / 4


def test_challenge_is_none_without_several_aspects_in_a_sentence() -> None:
    assert count_challenge(corpus_of(sentence("1", "Nice tea.", {"tea": POSITIVE}), annotates=TERMS)) is None


@pytest.mark.parametrize(
    ("variant", "text", "label", "others", "opposite"),
    [
        ("revtgt", "Bad tea, good cake.", NEGATIVE, 1, 1),
        ("revnon", "Good tea, bad cake.", POSITIVE, 1, 1),
        ("adddiff", "Good tea, good cake, but slow staff and cold rooms.", POSITIVE, 3, 2),
    ],
)
def test_challenge_of_a_variant_changes_the_aspects_of_its_source(
    variant: str, text: str, label: Polarity, others: int, opposite: int
) -> None:
    source = "Good tea, good cake."
    tea, cake = sentence("1_0", source, {"tea": POSITIVE}), sentence("1_1", source, {"cake": POSITIVE})
    changed = Example("1_0_adv", text, (Quad(find(text, "tea"), polarity=label),), "1_0", variant)
    found = count_challenge(corpus_of(tea, cake, changed, annotates=TERMS, format="arts"))
    assert found is not None
    assert found.samples == 3
    assert found.aspects_per_sample * 3 == pytest.approx(2 + 2 + 1 + others)
    assert found.opposite_nontarget_per_sample * 3 == pytest.approx(opposite)


def test_challenge_of_several_files_ties_a_variant_to_the_source_in_its_own() -> None:
    # ids may recur in another file: the variant got the aspects of the milk
    text = "Good tea, bad cake."
    records = sentence("1", text, {"tea": POSITIVE}), sentence("2", text, {"cake": NEGATIVE})
    changed = replace(
        sentence("1_adv1", "Bad tea, bad cake.", {"tea": NEGATIVE}), source="1", variant="revtgt"
    )
    milk = corpus_of(sentence("1", "Nice milk.", {"milk": POSITIVE}), annotates=TERMS)
    found = describe(corpus_of(*records, changed, annotates=TERMS), milk).challenge
    # tea, cake and the changed tea have one other aspect each, the milk has none
    assert found is not None
    assert (found.samples, found.aspects_per_sample) == (4, 7 / 4)


@pytest.mark.parametrize(
    ("text", "appended"),
    [
        ("Good tea!", 0),
        ("Good tea, but slow staff.", 1),
        ("Good tea; slow staff and cold rooms.", 2),
        ("Good tea, but slow staff, cold rooms and old chairs.", 3),
        ("Very good tea, but slow staff and cold rooms.", 2),
    ],
)
def test_challenge_counts_the_clauses_that_were_added(text: str, appended: int) -> None:
    assert _count_appended(text, "Good tea!") == appended


SEGMENTS = corpus_of(
    Example(
        "1-1",
        "the rear seats are really nice",
        (
            Quad(Term("rear seat"), "comfort", Term("really nice"), POSITIVE),
            Quad(Term("back"), "comfort", Term("nice"), POSITIVE),
        ),
    ),
    Example("1-2", "hello again", (Quad(category="cost"),)),
    Example("1-3", "it is cheap", (Quad(Term("price"), "cost", Term("cheap"), NEGATIVE),)),
)


def test_triplet_properties_are_those_of_the_rows() -> None:
    found = count_triplets(SEGMENTS)
    assert (found.rows, found.empty_rows, found.nonempty_rows) == (4, 1, 3)
    assert (found.segments, found.nonempty_segments) == (3, 2)
    assert (found.positive, found.negative, found.neutral) == (2, 1, 0)
    assert (found.unique_aspects, found.unique_opinions) == (3, 3)
    assert (found.multiword_aspects, found.multiword_opinions, found.multiword_triplets) == (1, 1, 1)
    # 4 + 2 + 2 words, and 2 for the empty row
    assert found.words_per_pair == 10 / 4
    assert found.words_per_triplet == 14 / 4
    assert found.words_per_row == (6 + 6 + 2 + 3) / 4
    assert (found.triplets_per_segment, found.triplets_per_nonempty) == (3 / 3, 3 / 2)
    # "rear" and "seat" stand in the text, the latter inside "seats"; "back" and "price" do not
    assert (found.implicit_aspects, found.implicit_opinions, found.implicit_triplets) == (2, 0, 2)


def test_triplet_properties_rank_terms_by_count_and_then_by_character() -> None:
    words = ["b", "a", "c", "c", "B"]
    quads = tuple(Quad(Term(word), "cost", Term("cheap"), POSITIVE) for word in words)
    found = count_triplets(corpus_of(Example("1", "", quads)), top=3)
    assert found.top_aspects == {"cost": (("c", 2), ("B", 1), ("a", 1))}
    assert found.top_opinions == {"positive": (("cheap", 5),)}


def test_triplet_properties_know_nothing_implicit_without_texts() -> None:
    found = count_triplets(corpus_of(Example("1", "", (Quad(Term("a"), None, Term("b"), POSITIVE),))))
    assert (found.implicit_aspects, found.words_per_row) == (None, None)


def test_triplets_are_counted_with_repetitions() -> None:
    quad = Quad(find("Good tea.", "tea"), None, find("Good tea.", "Good"), POSITIVE)
    examples = Example("1", "Good tea.", (quad, quad)), Example("2", "Good tea.", (quad,))
    assert describe(corpus_of(*examples)).counts.triplets == 3


def test_consistency_lists_what_a_user_should_look_at() -> None:
    tea = Quad(find("Good tea.", "tea"), polarity=POSITIVE)
    corpus = corpus_of(
        Example("1", "Good tea.", (tea, tea)),
        sentence("2", "Good tea.", {"tea": NEGATIVE}),
        Example("3", "Bad.", (Quad(Term("tea"), polarity=NEGATIVE),)),
        format="semeval14",
    )
    found = check_consistency(corpus)
    assert (found.examples, found.quads, found.terms, found.terms_unplaced) == (3, 4, 4, 1)
    assert (found.duplicates, found.repeated_quads) == (("2",), ("1",))
    assert [(c.judged, c.labels) for c in found.contradictions] == [
        ("tea", (("1", "positive"), ("2", "negative")))
    ]


def test_consistency_allows_two_labels_within_one_example() -> None:
    quads = tuple(Quad(category="staff", polarity=polarity) for polarity in (POSITIVE, NEGATIVE))
    assert check_consistency(corpus_of(Example("1", "Staff.", quads))).contradictions == ()


def test_mean_valence_and_arousal_are_described_where_there_are_any() -> None:
    assert "intensity" not in describe(REVIEWS).to_dict()
    quads = tuple(Quad(polarity=POSITIVE, intensity=i) for i in (Intensity(8, 7.5), Intensity(6, 4), None))
    found = describe(corpus_of(Example("1", "Fine.", quads[:2]), Example("2", "Well.", quads[2:])))
    assert found.to_dict()["intensity"] == {"opinions": 2, "valence": 7.0, "arousal": 5.75}
