"""Sentences: where they end, and that nothing gets lost; expected splits are by hand."""

import time
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from aspectlab.language.segmentation import MAX_SENTENCE_CHARS, split_sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Nice place.", "We will return."],
        ["Dr. Moss was kind.", "St. Anne's view is lovely."],
        ["It cost 3.50 at lunch.", "Too much!"],
        ["So good!!!", "Really?!", "Yes."],
        ["Well... not bad at all.", "Fine."],
        ["It opens at 8 a.m. on weekdays.", "Go early."],
        ["We ate soup, bread, etc. and left.", "Never again."],
        ["Room no. 12 was cold.", "I said no.", "They laughed."],
        ["J. Marlow runs it.", "He cares."],
        ["Great soup 😋", "The staff smiled."],
        ["Great soup! 😋", "The staff smiled."],
        ['"Best soup ever."', "He was right."],
        ["Great soup (and bread!).", "Slow staff."],
        ["it was cheap.", "we liked it."],
        ["See www.example.com for the menu.", "It is long."],
        ["Wow!", "so tasty"],
    ],
    ids=lambda sentences: sentences[0][:20],
)
def test_split_ends_where_a_reader_would(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "It was good .",
        "The soup was n't hot ... but tasty .",
        "Mr . Hale 's soup costs $ 5 . 50 here .",
        '" Great soup . "',
        "A fine place ( or two ! ) for lunch .",
        "Wow ! ! !",
        "- good soup :)",
        "The e.g. soup",
    ],
)
def test_split_keeps_one_sentence_whole(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Good soup\nBad bread", ["Good soup", "Bad bread"]),
        ("Good soup that was\nserved late.", ["Good soup that was\nserved late."]),
        ("good soup\n\nbad bread", ["good soup", "bad bread"]),
        ("Good soup.\r\nBad bread.", ["Good soup.", "Bad bread."]),
        ("- soup\n- bread", ["- soup", "- bread"]),
        ("Good soup.<br /><br />Bad bread", ["Good soup.<br /><br />", "Bad bread"]),
        ("Good soup.Bad bread.", ["Good soup.", "Bad bread."]),
        ("美味しい。高い。", ["美味しい。", "高い。"]),
        ("  \n ", []),
        ("", []),
        ("...", ["..."]),
    ],
)
def test_split_knows_lines_tags_and_missing_blanks(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_split_leaves_sentences_of_published_data_whole(real_data: Path) -> None:
    files = (real_data / "aste" / "ASTE-Data-V2-EMNLP2020").glob("*/*.txt")
    lines = [
        line.partition("####")[0] for file in files for line in file.read_text(encoding="utf-8").splitlines()
    ]
    # the data set takes each line as one sentence; a few (29 of 5,989 are split) do hold a second one
    assert sum(len(split_sentences(line)) > 1 for line in lines) / len(lines) < 0.006


PIECES = st.sampled_from(
    [".", "!", "?", "…", " ", "\n", "\r\n", "a", "Bc", "Dr", "5", '"', ")", "😋", "<br/>", "\u3000"]
)


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
@example("." * 3 * MAX_SENTENCE_CHARS)
@example("ab " * MAX_SENTENCE_CHARS)
def test_split_covers_all_that_is_seen_once_and_in_order(text: str) -> None:
    spans = split_sentences(text)
    places = [place for start, end in spans for place in range(start, end)]
    assert places == sorted(set(places))
    assert {place for place, letter in enumerate(text) if not letter.isspace()} <= set(places)
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    assert all(0 < end - start <= MAX_SENTENCE_CHARS for start, end in spans)


@pytest.mark.parametrize("piece", ["! ", "!\n", " ", "<br", "<br ", "a.b.", "'\"", "😋 "])
def test_split_takes_time_in_proportion_to_the_length(piece: str) -> None:
    began = time.process_time()
    split_sentences(piece * (100_000 // len(piece)))
    assert time.process_time() - began < 5
