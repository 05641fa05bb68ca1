"""Evidence: reviews are joined with their opinions, none is lost, and the page gets what it can unpack."""

import base64
import json
import struct
import zlib
from pathlib import Path

from aspectlab.analysis.evidence import (
    FoundOpinion,
    JoinedReview,
    join_opinions,
    pack_blocks,
    read_opinion_rows,
)
from aspectlab.language import split_sentences
from aspectlab.readers import COLUMNS, NOT_ANALYSED, Review

ROW = dict.fromkeys(COLUMNS, "") | {
    "review": "1",
    "sentence": "0",
    "sentence_start": "0",
    "polarity": "positive",
    "probability": "0.9",
    "category": "food",
    "text": "Good food.",
}


def row(**cells: str) -> dict[str, str]:
    return ROW | cells


def test_every_sentence_is_there_also_without_opinions() -> None:
    review = Review("1", "Good food. We left.", "Aurora", "2025-01-03", "5")
    (joined,) = join_opinions([review], [row()], split_sentences)
    assert joined.sentences == ["Good food.", "We left."]
    assert (joined.group, joined.month, joined.rating) == ("Aurora", "2025-01", "5")
    assert [(each.sentence, each.category) for each in joined.opinions] == [(0, "food")]


def test_offsets_count_from_the_sentence() -> None:
    second = row(
        sentence="1", sentence_start="9", text="Good food.", aspect="food", aspect_start="14", aspect_end="18"
    )
    (joined,) = join_opinions([Review("1", "We came. Good food.")], [second], split_sentences)
    assert joined.opinions[0].aspect == (5, 9)
    assert joined.opinions[0].sentence == 1


def test_equal_ids_get_their_own_opinions() -> None:
    reviews = [Review("1", "Good food."), Review("1", "Bad beer."), Review("1", "Good food.")]
    rows = [row(), row(text="Bad beer.", polarity="negative"), row()]
    joined = list(join_opinions(reviews, rows, split_sentences))
    assert [[each.polarity for each in review.opinions] for review in joined] == [
        ["positive"],
        ["negative"],
        ["positive"],
    ]


def test_id_that_looks_like_a_formula_is_found() -> None:
    (joined,) = join_opinions([Review("=1", "Good food.")], [row(review="'=1")], split_sentences)
    assert len(joined.opinions) == 1


def test_rows_without_a_review_are_kept() -> None:
    first, rest = join_opinions([Review("2", "We left.")], [row(group="Aurora")], split_sentences)
    assert (first.opinions, rest.id, rest.group, rest.sentences) == ([], "1", "Aurora", ["Good food."])
    assert len(rest.opinions) == 1


def test_review_in_another_language_is_no_opinion(tmp_path: Path) -> None:
    lines = [",".join(COLUMNS), ",".join(row(category=NOT_ANALYSED, polarity="")[name] for name in COLUMNS)]
    (tmp_path / "opinions.csv").write_text("\r\n".join(lines), encoding="utf-8")
    assert list(read_opinion_rows(tmp_path)) == []


def unpack(block: str) -> tuple[dict[str, object], dict[str, list[int]], str]:
    """Unpack a block as its description says, with nothing of the code that packed it."""
    content = zlib.decompress(base64.b64decode(block), wbits=-15)
    (size,) = struct.unpack("<I", content[:4])
    head, at, numbers = json.loads(content[4 : 4 + size]), 4 + size, {}
    for name, count in head["counts"].items():
        numbers[name] = list(struct.unpack(f"<{count}H", content[at : at + 2 * count]))
        at += 2 * count
    return head, numbers, content[at:].decode()


def test_offsets_of_the_page_count_as_browsers_do() -> None:
    text = "\N{GRINNING FACE} tea \N{GRINNING FACE} good"
    found = FoundOpinion(0, "tea", "positive", 0.5, (2, 5), (8, 12), "", "good")
    (block,) = pack_blocks(
        [JoinedReview("1", "g", "d", "r", ["A.", text], [found._replace(sentence=1)])], ["tea"]
    )
    head, numbers, texts = unpack(block)
    assert (head["ids"], head["group"], texts) == (["1"], ["g"], f"A.{text}")
    units = text.encode("utf-16-le")
    start, length = 2 * numbers["opinion"][0], 2 * numbers["opinion_length"][0]
    assert units[start : start + length].decode("utf-16-le") == "good"
    assert (numbers["opinions"], numbers["probability"]) == ([0, 1], [5001])
    assert numbers["length"] == [2, len(units) // 2]


def test_blocks_hold_all_reviews() -> None:
    joined = [JoinedReview(str(k), "", "", "", ["A."]) for k in range(4_500)]
    ids = [name for block in pack_blocks(joined, []) for name in unpack(block)[0]["ids"]]  # type: ignore[attr-defined]
    assert ids == [str(k) for k in range(4_500)]


def test_blocks_are_the_same_each_time() -> None:
    joined = [JoinedReview(str(k), "", "", "", ["A."]) for k in range(10)]
    assert list(pack_blocks(joined, [])) == list(pack_blocks(joined, []))


def test_what_cannot_be_shown_is_replaced() -> None:
    (block,) = pack_blocks([JoinedReview("\ud83d", "", "", "", ["a\0\ud83db"])], [])
    head, _, texts = unpack(block)
    assert (head["ids"], texts) == (["\ufffd"], "a\ufffd\ufffdb")
