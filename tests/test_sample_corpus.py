"""The sample files of `examples/` hold what its README says.

Expected numbers were counted in the marked-up text that the files were written from.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Term
from aspectlab.readers import read

EXAMPLES = Path(__file__).parents[1] / "examples"
DOMAINS = ("restaurant", "laptop", "hotel", "car")
ABSITA = {"cleanliness", "comfort", "amenities", "staff", "value", "wifi", "location", "other"}
PRODUCTS = {"Trattoria Sette Lune", "Tavo 14", "Hotel Belmora", "Corvina E"}
EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")
ARTICLE = re.compile(r"(the|a|an|il|lo|la|i|gli|le|un|una)\s|l['’]", re.IGNORECASE)

# file: name, language, sentences of each domain
FILES = {
    "sample": ("sample", "en", dict.fromkeys(DOMAINS, 33)),
    "sample_train": ("sample-train", "en", dict.fromkeys(DOMAINS, 21)),
    "sample_dev": ("sample-dev", "en", dict.fromkeys(DOMAINS, 6)),
    "sample_test": ("sample-test", "en", dict.fromkeys(DOMAINS, 6)),
    "sample_it": ("sample-it", "it", {"albergo": 25}),
    "predictions": ("sample-predictions", "en", dict.fromkeys(DOMAINS, 6)),
}
GOLD = [file for file in FILES if file != "predictions"]


@cache
def load(file: str) -> Corpus:
    return read(EXAMPLES / f"{file}.jsonl")


def quads_of(file: str) -> list[Quad]:
    return [quad for example in load(file) for quad in example.quads]


def terms_in(example: Example) -> list[Term]:
    return [term for quad in example.quads for term in quad.terms]


def terms_of(file: str) -> list[Term]:
    return [term for example in load(file) for term in terms_in(example)]


def has(pattern: str, example: Example) -> bool:
    return re.search(pattern, example.text) is not None


def is_mixed(example: Example) -> bool:
    return {Polarity.POSITIVE, Polarity.NEGATIVE} <= {quad.polarity for quad in example.quads}


def shares(example: Example, shared: str, other: str) -> bool:
    """Find two quads with one and the same term in one part and different terms in the other."""
    return any(
        getattr(first, shared) == getattr(second, shared) is not None
        and None not in (getattr(first, other), getattr(second, other))
        and getattr(first, other) != getattr(second, other)
        for first, second in combinations(example.quads, 2)
    )


def repeats_term(example: Example) -> bool:
    return any(len(re.findall(rf"\b{term.text}\b", example.text)) > 1 for term in terms_in(example))


@pytest.mark.parametrize("file", FILES)
def test_sample_describes_itself(file: str) -> None:
    corpus = load(file)
    name, language, domains = FILES[file]
    assert (corpus.name, corpus.language, corpus.provenance.version) == (name, language, "1")
    assert corpus.annotates == frozenset(Part)
    assert Counter(example.id.rsplit("-", 1)[0] for example in corpus) == domains


@pytest.mark.parametrize("file", FILES)
def test_sample_counts_match_the_readme(file: str) -> None:
    rows = re.findall(
        rf"^\| `{file}\.jsonl` \| (\d.*) \|$", (EXAMPLES / "README.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(rows) == 1
    corpus, polarities = load(file), Counter(quad.polarity for quad in quads_of(file))
    assert [int(cell) for cell in rows[0].split(" | ")] == [
        len(corpus),
        sum(is_mixed(example) for example in corpus),
        sum(not example.quads for example in corpus),
        len(quads_of(file)),
        *(polarities[label] for label in (Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL)),
    ]


QUAD_KINDS: dict[str, tuple[Callable[[Quad], bool], int]] = {
    "implicit aspect": (lambda quad: quad.aspect is None, 15),
    "implicit opinion": (lambda quad: quad.opinion is None, 32),
    "both implicit": (lambda quad: not quad.terms, 5),
    "aspect named, not verbatim": (lambda quad: quad.aspect is not None and quad.aspect.span is None, 11),
}


@pytest.mark.parametrize("kind", QUAD_KINDS)
def test_sample_quads_include_kind(kind: str) -> None:
    is_kind, number = QUAD_KINDS[kind]
    assert sum(map(is_kind, quads_of("sample"))) == number


# at least so many: what the corpus is for, not what it happens to hold
SENTENCE_KINDS: dict[str, tuple[Callable[[Example], bool], int]] = {
    "mixed polarity": (is_mixed, 35),
    "fifty words": (lambda example: len(example.text.split()) >= 50, 6),
    "five quads": (lambda example: len(example.quads) == 5, 5),
    "emoji": (lambda example: has(EMOJI.pattern, example), 8),
    "negation": (lambda example: has(r"(?i)n['’]t\b|\b(not|never|no|hardly)\b", example), 20),
    "double space": (lambda example: has(r"\S  \S", example), 4),
    "typographic apostrophe": (lambda example: has(r"\w’\w", example), 5),
    "contraction": (lambda example: has(r"(n't|'ve|'d|'s)\b", example), 10),
    "quotation": (lambda example: has(r"\"\w+|“\w+", example), 4),
    "accents": (lambda example: has(r"[à-öù-ÿ]", example), 4),
    "capitals": (lambda example: example.text.isupper(), 3),
    "repeated term": (repeats_term, 5),
    "one aspect, two opinions": (lambda example: shares(example, "aspect", "opinion"), 5),
    "one opinion, two aspects": (lambda example: shares(example, "opinion", "aspect"), 4),
    "multi-word term": (lambda example: any(" " in term.text for term in terms_in(example)), 40),
}


@pytest.mark.parametrize("kind", SENTENCE_KINDS)
def test_sample_sentences_include_kind(kind: str) -> None:
    is_kind, least = SENTENCE_KINDS[kind]
    assert sum(map(is_kind, load("sample"))) >= least


def test_sample_has_at_most_five_quads_a_sentence() -> None:
    assert max(len(example.quads) for example in load("sample")) == 5


def test_sample_categories_are_entity_and_attribute() -> None:
    categories = {quad.category or "" for quad in quads_of("sample")}
    assert len(categories) == 26
    assert all(re.fullmatch(r"[a-z]+#[a-z]+", category) for category in categories)


def test_sample_it_uses_the_absita_categories() -> None:
    assert {quad.category for quad in quads_of("sample_it")} == ABSITA


@pytest.mark.parametrize("file", GOLD)
def test_sample_terms_are_bare_phrases(file: str) -> None:
    ragged = [term.text for term in terms_of(file) if not (term.text[0] + term.text[-1]).isalnum()]
    assert ragged == []
    assert [term.text for term in terms_of(file) if ARTICLE.match(term.text)] == []


@pytest.mark.parametrize("file", GOLD)
def test_sample_annotates_no_quad_twice(file: str) -> None:
    assert all(len(set(example.quads)) == len(example.quads) for example in load(file))


@pytest.mark.parametrize("file", ["sample", "sample_it"])
def test_sample_repeats_no_text(file: str) -> None:
    texts = [" ".join(example.text.lower().split()) for example in load(file)]
    assert len(set(texts)) == len(texts)


def test_sample_split_parts_make_up_the_sample() -> None:
    parts = [example for file in ("sample_train", "sample_dev", "sample_test") for example in load(file)]
    assert sorted(parts, key=lambda example: example.id) == sorted(
        load("sample"), key=lambda example: example.id
    )


@pytest.mark.parametrize("file", ["sample_dev", "sample_test"])
def test_sample_train_knows_the_categories_of(file: str) -> None:
    known = {quad.category for quad in quads_of("sample_train")}
    assert {quad.category for quad in quads_of(file)} <= known


def test_predictions_are_for_the_test_part() -> None:
    predicted = [(example.id, example.text) for example in load("predictions")]
    assert predicted == [(example.id, example.text) for example in load("sample_test")]


def test_predictions_are_right_in_24_quads() -> None:
    pairs = zip(load("sample_test"), load("predictions"), strict=True)
    assert sum(len(set(gold.quads) & set(predicted.quads)) for gold, predicted in pairs) == 24


@pytest.mark.parametrize("quad", quads_of("predictions"))
def test_predictions_trust_the_chosen_polarity_most(quad: Quad) -> None:
    assert quad.confidence is not None
    assert quad.polarity == max(quad.confidence, key=quad.confidence.__getitem__)
    assert sum(quad.confidence.values()) == pytest.approx(1)


@cache
def load_reviews() -> tuple[dict[str, str], ...]:
    with (EXAMPLES / "reviews.csv").open(encoding="utf-8", newline="") as stream:
        return tuple(csv.DictReader(stream))


def mean_rating(product: str, first: str, last: str) -> float:
    """Average the ratings of a product from one month to another, both included."""
    ratings = [
        int(row["rating"])
        for row in load_reviews()
        if row["product"] == product and first <= row["date"][5:7] <= last
    ]
    return sum(ratings) / len(ratings)


def test_reviews_cover_products_months_and_ratings() -> None:
    rows = load_reviews()
    assert list(rows[0]) == ["id", "product", "date", "rating", "text"]
    assert len({row["id"] for row in rows}) == 120
    assert Counter(row["product"] for row in rows) == dict.fromkeys(PRODUCTS, 30)
    assert {row["date"][:7] for row in rows} == {f"2025-{month:02}" for month in range(1, 13)}
    assert {row["rating"] for row in rows} == set("12345")


@pytest.mark.parametrize(
    ("pattern", "number"),
    [(r"^$", 1), (EMOJI.pattern, 6), ("\n", 3), (r"<b>|<br>|&amp;| < ", 4), ('"', 3)],
    ids=["empty", "emoji", "line-break", "html", "quotes"],
)
def test_reviews_include_awkward_text(pattern: str, number: int) -> None:
    assert sum(bool(re.search(pattern, row["text"])) for row in load_reviews()) == number


@pytest.mark.parametrize(
    ("product", "better", "worse"),
    [
        ("Trattoria Sette Lune", ("01", "05"), ("06", "10")),
        ("Tavo 14", ("06", "09"), ("01", "05")),
        ("Hotel Belmora", ("07", "09"), ("03", "06")),
        ("Corvina E", ("05", "10"), ("11", "12")),
    ],
)
def test_reviews_change_over_the_year(product: str, better: tuple[str, str], worse: tuple[str, str]) -> None:
    assert mean_rating(product, *better) > mean_rating(product, *worse) + 1
