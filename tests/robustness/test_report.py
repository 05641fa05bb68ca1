"""The page of failures: what it shows, that it needs nothing else, and that texts stay texts."""

from dataclasses import replace
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.metrics import Unit
from aspectlab.robustness import report, score_robustness
from aspectlab.robustness.report import render_failures, write_failures
from tests.support.html import parse

HOSTILE = "<script>alert(1)</script>"


def example(
    name: str, text: str, polarity: str, source: str | None = None, variant: str | None = None
) -> Example:
    start = text.index("tea")
    quad = Quad(Term("tea", Span(start, start + 3)), polarity=Polarity(polarity))
    return Example(name, text, (quad,), source, variant)


GOLD = Corpus(
    "made",
    "en",
    frozenset({Part.ASPECT, Part.POLARITY}),
    (
        example("1_0_adv1", "The tea is awful.", "negative", "1_0", "revtgt"),
        example("1_0", "The tea is fine.", "positive"),
        example("1_0_adv3", "The tea is fine, but the cup is not.", "positive", "1_0", "adddiff"),
        example("2_0", "No tea.", "neutral"),
        example("2_0_adv3", "No tea, bad cup.", "neutral", "2_0", "adddiff"),
    ),
)


def predict(*wrong: str) -> Corpus:
    return GOLD.with_examples(
        replace(e, quads=(replace(e.quads[0], polarity=Polarity.CONFLICT),)) if e.id in wrong else e
        for e in GOLD
    )


def render(gold: Corpus, predicted: Corpus, unit: Unit = "aspect") -> str:
    return render_failures(gold, predicted, score_robustness(gold, predicted), unit)


PAGE = render(GOLD, predict("1_0_adv1"))


def test_page_shows_failed_units_only() -> None:
    assert PAGE.count("<section") == 1
    assert "<h2>1_0</h2>" in PAGE
    assert "2_0" not in PAGE


def test_page_shows_the_original_before_its_variants() -> None:
    places = [PAGE.index(f"<div class=kind>{kind}<") for kind in ("original", "revtgt", "adddiff")]
    assert places == sorted(places)


def test_page_marks_changes_and_aspect() -> None:
    assert "The <b>tea</b> is <del>fine</del> <ins>awful</ins>." in PAGE


def test_page_shows_gold_and_predicted_labels() -> None:
    wrong = PAGE[PAGE.index('<article class="wrong">') :]
    assert wrong.index("<dd>negative</dd>") < wrong.index("<dd>conflict</dd>")
    assert PAGE.count('<article class="right">') == 2


def test_page_names_the_aspect_of_a_foreign_prediction() -> None:
    cup = Quad(Term("cup"), polarity=Polarity.NEGATIVE)
    predicted = GOLD.with_examples(replace(e, quads=(cup,)) if e.id == "2_0_adv3" else e for e in GOLD)
    assert "<dd>cup: negative</dd>" in render(GOLD, predicted)


def test_page_shows_so_many_units_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    # a set of 20,000 sentences made a page of 49 MB
    monkeypatch.setattr(report, "_MOST", 1)
    page = render(GOLD, predict("1_0", "2_0"))
    assert "2 of 2 units fail" in page
    assert "The first 1 of them are shown." in page
    assert page.count("<section") == 1


def test_page_counts_on_top() -> None:
    assert "<h1>1 of 2 units fail: made</h1>" in PAGE
    assert "<th scope=row>revtgt</th><td>1</td><td>1</td><td>100.0 %</td>" in PAGE
    assert "<th scope=row>adddiff</th><td>2</td><td>0</td><td>0.0 %</td>" in PAGE


def test_page_offers_every_strategy_and_says_where_a_unit_fails() -> None:
    assert '<option value="adddiff">' in PAGE
    assert 'data-wrong="revtgt"' in PAGE


def test_page_without_failures_says_so() -> None:
    page = render(GOLD, GOLD)
    assert "0 of 2 units fail" in page
    assert "<section" not in page


def test_page_by_sentence_joins_aspects() -> None:
    twin = GOLD.with_examples([*GOLD, replace(GOLD.examples[1], id="1_1")])
    page = render(twin, twin.with_examples([*predict("1_0_adv1"), twin.examples[-1]]), "sentence")
    assert "<h2>1</h2>" in page
    assert page.count("<div class=kind>original<") == 2


def test_page_carries_the_signature() -> None:
    assert "<footer>atsc-ars-aspect|corpus:made@" in PAGE


def hostile_page() -> str:
    """A page in which every string that comes from outside is markup."""
    text = f'tea {HOSTILE} "><img src=x onerror=alert(1)>'
    name = f"{HOSTILE}\"'>"
    rows = example(name, text, "positive"), example(f"{name}2", f"No {text}", "negative", name, name)
    gold = replace(GOLD, name=HOSTILE, examples=rows)
    foreign = Quad(Term(HOSTILE), polarity=Polarity.NEUTRAL)
    return render(gold, gold.with_examples([rows[0], replace(rows[1], quads=(foreign,))]))


def test_page_escapes_hostile_texts_names_and_labels() -> None:
    tags = parse(hostile_page()).tags
    assert tags.count("script") == 1
    assert "img" not in tags
    assert set(tags) <= {*parse(PAGE).tags, "br"}


@pytest.mark.parametrize("word", ["http:", "https:", "src=", "<link", "@import", "url("])
def test_page_loads_nothing(word: str) -> None:
    assert word not in PAGE


def test_page_allows_its_own_script_only() -> None:
    assert "default-src 'none'" in PAGE
    assert "script-src 'sha256-" in PAGE


def test_page_is_readable_without_script() -> None:
    assert '<div id="filter" hidden>' in PAGE
    assert "<section hidden" not in PAGE


@pytest.mark.parametrize("unseen", ["\ud83d", "\0", "\a"], ids=["half a pair", "NUL", "BEL"])
def test_page_shows_a_sign_for_what_cannot_be_seen(tmp_path: Path, unseen: str) -> None:
    rows = [replace(e, text=e.text + unseen) for e in GOLD]
    gold, path = GOLD.with_examples(rows), tmp_path / "page.html"
    predicted = gold.with_examples(replace(e, quads=()) for e in gold)
    write_failures(path, gold, predicted, score_robustness(gold, predicted))
    assert "\ufffd" in path.read_text(encoding="utf-8")
    assert unseen not in path.read_text(encoding="utf-8")
    assert "<dd>nothing</dd>" in path.read_text(encoding="utf-8")


def test_page_in_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        write_failures(tmp_path / "absent" / "page.html", GOLD, GOLD, score_robustness(GOLD, GOLD))


def test_page_lists_what_was_said_of_the_gold_terms_first_and_a_few_of_the_rest() -> None:
    said = Quad(Term("tea", Span(3, 6)), polarity=Polarity.NEGATIVE)
    besides = [Quad(Term(f"cup{n}"), polarity=Polarity.NEUTRAL) for n in range(9)]
    predicted = GOLD.with_examples(replace(e, quads=(*besides, said)) if e.id == "2_0" else e for e in GOLD)
    page = render_failures(GOLD, predicted, score_robustness(GOLD, predicted, "e2e"))
    listed = ["tea: negative", *(f"cup{n}: neutral" for n in range(5)), "and 4 more"]
    assert "<dd>" + "<br>".join(listed) + "</dd>" in page


def test_page_breaks_the_name_of_a_chain_where_its_parts_meet() -> None:
    chain = GOLD.with_examples(
        replace(each, variant="revtgt+adddiff-predicted") if each.variant == "revtgt" else each
        for each in GOLD
    )
    assert "<div class=kind>revtgt+<wbr>adddiff-<wbr>predicted</div>" in render(chain, predict("1_0_adv1"))
