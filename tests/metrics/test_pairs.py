"""Predictions of systems that write no ids: whatever their file is called, they are paired or refused."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.metrics import evaluate, find_pairs
from aspectlab.readers import READERS, read, write
from aspectlab.tasks import TASKS
from tests.support.formats import content_of

GOOD, BAD = Polarity.POSITIVE, Polarity.NEGATIVE
TEXTS = ("Good soup , rude staff .", "Cold soup .", "We came by tram .", "Cold soup .")


def write_lines(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


TRIPLETS = [
    "Good soup , rude staff .####[([1], [0], 'POS'), ([4], [3], 'NEG')]",
    "Cold soup .####[([1], [0], 'NEG')]",
    "We came by tram .####[]",
    "Cold soup .####[([1], [0], 'POS')]",
]


def make(order: Sequence[int], ids: Sequence[str] | None = None, **changes: str) -> Corpus:
    """The texts in an order, each with its own number as category, so that a wrong pair would be seen."""
    quads = [Quad(category=f"place {n}", polarity=GOOD) for n in range(len(TEXTS))]
    names = ids or [str(n) for n in range(1, len(order) + 1)]
    return Corpus(
        examples=[
            Example(name, changes.get(str(n), TEXTS[n]), [quads[n]])
            for name, n in zip(names, order, strict=True)
        ]
    )


def list_pairs(gold: Corpus, predicted: Corpus) -> list[tuple[str | None, str | None]]:
    return [
        (one.quads[0].category, other.quads[0].category) for one, other in find_pairs(gold, predicted).pairs
    ]


OWN = [(f"place {n}", f"place {n}") for n in range(4)]


@pytest.mark.parametrize("format", READERS)
def test_copy_under_another_name_is_the_same_corpus(format: str, tmp_path: Path) -> None:
    found = []
    for name in ("test", "system_output"):
        path = tmp_path / name
        path.write_bytes(content_of(format))
        found.append(read(path, format))
    one, other = found
    assert (one.examples, one.sha256, one.own_name) == (other.examples, other.sha256, other.own_name)


@pytest.mark.parametrize("format", READERS)
def test_copy_under_another_name_scores_one_with_the_same_signature(format: str, tmp_path: Path) -> None:
    paths = [tmp_path / "test.txt", tmp_path / "system_output.txt"]
    for path in paths:
        path.write_bytes(content_of(format))
    one, other = (read(path, format) for path in paths)
    tasks = [
        name
        for name, task in TASKS.items()
        if task.parts <= one.annotates and any(task.select(example.quads) for example in one)
    ]
    for task in tasks:
        first, second = (evaluate(gold, run, task) for gold, run in ((one, other), (other, one)))
        headline = first.scores[first.metric.headline]
        assert (headline, str(first.signature)) == (1.0, str(second.signature))


def test_shuffled_lines_are_paired_by_text(tmp_path: Path) -> None:
    gold = read(write_lines(tmp_path / "gold.txt", TRIPLETS))
    turned = [TRIPLETS[n] for n in (2, 1, 0, 3)]
    predicted = read(write_lines(tmp_path / "run.txt", turned))
    found = evaluate(gold, predicted, "aste")
    assert (found.scores["f1"], found.pairing.by, found.pairing.notice) == (1.0, "text", "")


def test_equal_texts_are_paired_in_their_order() -> None:
    assert list_pairs(make([0, 1, 2, 3]), make([3, 2, 0, 1])) == [
        ("place 0", "place 0"),
        ("place 1", "place 3"),
        ("place 2", "place 2"),
        ("place 3", "place 1"),
    ]


def test_equal_texts_with_given_aspects_are_paired_by_them(tmp_path: Path) -> None:
    records = [
        ("$T$ was cold , staff rude .", "soup", "-1"),
        ("soup was cold , $T$ rude .", "staff", "-1"),
        ("soup was cold , staff rude and $T$ late .", "bus", "0"),
    ]
    gold = read(write_lines(tmp_path / "gold.seg", [cell for record in records for cell in record]))
    for seed in range(5):
        turned = random.Random(seed).sample(records, 3)
        path = write_lines(tmp_path / f"run{seed}.seg", [cell for record in turned for cell in record])
        assert evaluate(gold, read(path), "atsc").scores["accuracy"] == 1.0


def test_aspects_that_are_to_be_found_pair_nothing() -> None:
    """To pair extracted terms by how well they fit would flatter."""
    soup, staff = (Quad(Term(word), polarity=BAD) for word in ("soup", "staff"))
    gold, turned = (
        Corpus(
            examples=[
                Example("1", "Cold soup , rude staff .", [one]),
                Example("2", "Cold soup , rude staff .", [two]),
            ]
        )
        for one, two in ((soup, staff), (staff, soup))
    )
    assert evaluate(gold, turned, "pairs", match="text").scores["f1"] == 0.0
    assert evaluate(gold, turned, "atsc").scores["accuracy"] == 1.0


@pytest.mark.parametrize("ids", [["11", "12", "13", "14"], ["4", "3", "2", "1"]])
def test_ids_of_both_files_pair_before_texts(ids: list[str]) -> None:
    gold, turned = make([0, 1, 2, 3], ids), make([3, 2, 1, 0], ids[::-1])
    assert list_pairs(gold, turned) == OWN
    assert find_pairs(gold, turned).by == "id"


def test_shuffled_ids_are_refused() -> None:
    ids = ["11", "12", "13", "14"]
    with pytest.raises(DataError, match="another text in"):
        find_pairs(make([0, 1, 2, 3], ids), make([0, 1, 2, 3], ids[::-1]))


def test_ids_of_one_file_only_are_no_hindrance() -> None:
    gold = make([0, 1, 2, 3], ["a:1", "a:2", "b:1", "b:2"])
    assert list_pairs(gold, make([0, 1, 2, 3])) == OWN
    assert list_pairs(make([0, 1, 2, 3]), gold) == OWN


def test_tokenised_and_lowered_texts_take_their_offsets_along() -> None:
    soup = Quad(Term("Goulash", Span(5, 12)), polarity=GOOD)
    gold = Corpus(examples=[Example("1", "Nice Goulash, rude staff.", [soup])])
    lowered = Quad(Term("goulash", Span(5, 12)), polarity=GOOD)
    run = Corpus(examples=[Example("1", "nice goulash , rude staff .", [lowered])])
    found = evaluate(gold, run, "e2e")
    assert found.scores["f1"] == 1.0
    assert "spaces or case" in found.pairing.notice
    late = replace(lowered, aspect=Term("staff", Span(20, 25)))
    moved = find_pairs(gold, Corpus(examples=[Example("1", "nice goulash , rude staff .", [late])])).pairs[0][
        1
    ]
    assert moved.quads[0].aspect == Term("staff", Span(19, 24))


def test_other_spellings_are_paired_by_order_with_a_notice() -> None:
    found = find_pairs(make([0, 1, 2, 3]), make([0, 1, 2, 3], **{"0": "Good soup , -LRB- rude staff ."}))
    assert found.by == "order"
    assert "1 of 4 texts differ" in found.notice
    assert [other.text for _, other in found.pairs] == [TEXTS[n] for n in range(4)]


def test_predictions_without_texts_are_paired_by_order_with_a_notice() -> None:
    found = find_pairs(make([0, 1, 2, 3]), make([0, 1, 2, 3], **dict.fromkeys("0123", "")))
    assert found.by == "order"
    assert found.notice


def test_shuffled_other_spellings_are_refused() -> None:
    with pytest.raises(DataError, match="other words in the texts of 2 example"):
        find_pairs(make([0, 1, 2, 3]), make([2, 1, 0, 3], **{"0": "Good soup , -LRB- rude staff ."}))


def test_missing_texts_are_named_by_the_ids_of_gold() -> None:
    with pytest.raises(DataError, match=r"found 2 example\(s\) missing \('3', '4'\)"):
        find_pairs(make([0, 1, 2, 3]), make([1, 0]))


def test_texts_of_another_split_are_refused() -> None:
    with pytest.raises(DataError, match=r"1 text\(s\) too many \('5'\).*same split"):
        find_pairs(make([0, 1, 2, 3]), make([0, 1, 2, 3, 0]))


def test_running_numbers_from_nought_are_no_ids() -> None:
    gold = make([0, 1, 2, 3], ["0", "1", "2", "3"])
    assert list_pairs(gold, make([2, 1, 0, 3])) == OWN


def test_written_and_read_again_is_paired_whatever_it_is_called(tmp_path: Path) -> None:
    gold = read(write_lines(tmp_path / "test.txt", TRIPLETS))
    write(gold, tmp_path / "predictions.jsonl")
    assert evaluate(gold, read(tmp_path / "predictions.jsonl"), "aste").scores["f1"] == 1.0
